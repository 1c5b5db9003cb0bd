// SPDX-License-Identifier: MIT
/// One array composed of parts of another, in one launch: the core of roll, repeat, tile, pad, tril and similar
/// functions. The caller lists the result's axes, outermost first, and for each the position of its elements in the
/// source. Axes that are one run in both arrays are merged here.
#ifndef WEFT_OP_REARRANGE_ARRANGE_H
#define WEFT_OP_REARRANGE_ARRANGE_H

#include <weft/operand.h>

#include "array/array.h"
#include "array/strides.h"
#include "cl/rearrange/args.h"
#include "engine/host_step.h"
#include "engine/ways.h"

/// Element i along the axis is the source's element i + shift. Outside the source, `border` (WEFT__BORDER_*) decides.
typedef struct weft__arranged_axis {
  int64_t length, from_length, shift, stride_bytes, border;
} weft__arranged_axis;

typedef struct weft__arrangement {
  const char *what; /* for messages, usage and the trace, a string literal: "roll" */
  int axes;
  weft__arranged_axis axis[WEFT__ARRANGE_AXES];
  uint64_t fill[2]; /* the bytes of one element, as weft__element_bytes writes them: for positions outside the source */
  /* Elements with lower <= column - row <= upper along the last two axes are kept, all others become `fill`. Both must
     be axes of the result. An element of 16 bytes then requires a source that is contiguous along the last axis. */
  bool band;
  int64_t lower, upper;
  uint64_t kept[2]; /* as `fill`, for the band's elements if there is no source */
} weft__arrangement;

/// Adds an axis. With `border` NONE all positions must be inside the source.
void weft__arrangement_add(weft__arrangement *a, int64_t length, int64_t from_length, int64_t shift,
                           int64_t stride_bytes, int border);

/// Fills `to`, which is contiguous, has the source's dtype and shares no bytes with the source. Does not block. NULL as
/// `from`: there is no source, and the arrangement has a band.
weft_status weft__arrange_run(weft_array *to, const weft_array *from, const weft__arrangement *arrangement,
                              const char *site);

/// Whether `x` should be copied first: kernels read in the order of the result, which is far slower for a transposed
/// array.
bool weft__arrange_wants_copy(const weft_array *x);

/// The task of the ways (ways.c). `to` has elements.
typedef struct weft__arrange_task {
  weft_array *to;
  const weft_array *from; /* NULL: none */
  const weft__arrangement *arrangement;
  const char *site;
} weft__arrange_task;
extern const weft__ways weft__arrange_ways;
extern const weft__host_function weft__host_arrange;
WEFT__WAY_FUNCTION(arrange, host);
WEFT__WAY_FUNCTIONS(arrange, diagonal);
WEFT__WAY_FUNCTION(arrange, kernels);

/// Copies axes to `to`, drops axes of length 1, and merges others; returns the number left, which is at least 1. Axes
/// from number `kept` on are not dropped, and axes `kept` and `kept` + 1 are not merged into the axis before.
int weft__arrange_merge(weft__arranged_axis *to, const weft__arranged_axis *axis, int axes, int kept);

/* ---- shared by the kernels of cl/rearrange/ ---- */

/// How words are moved: their size (an element of 16 bytes is two words of 8), and the work-groups and chunks.
typedef struct weft__wording {
  int size;        /* bytes of a word: 1, 2, 4, 8 */
  int per_element; /* words per element: 1, or 2 */
  int skew;        /* words between an aligned address and the first word */
  uint64_t chunks; /* of 16 bytes */
  uint64_t groups; /* work-groups of the launch */
  bool is_wide;
} weft__wording;

/// Finds the words for a result of `elements` elements that begins at byte `to_offset` of its buffer.
void weft__wording_of(weft__wording *w, weft_dtype dtype, int64_t elements, int64_t to_offset);
/// Adds #define lines for the words.
void weft__write_wording(weft__text *text, int size, bool is_wide);
/// The size of the array's buffer in bytes.
uint64_t weft__buffer_end(const weft_array *x);

/// Elements repeated along an axis of contiguous arrays: the copies of element k end before position ends[k], i64, of
/// the result's axis. The task of the ways to repeat (ways.c). `to` has elements.
typedef struct weft__repeat_task {
  weft_array *to;
  const weft_array *from, *ends;
  weft__axis_split parts; /* of `from` */
  const char *site;
} weft__repeat_task;
extern const weft__ways weft__repeat_ways;
extern const weft__host_function weft__host_repeat;
WEFT__WAY_FUNCTION(repeat, host);
WEFT__WAY_FUNCTION(repeat, kernels);

/// weft_repeat with a count for each element along the axis, or WEFT__EVERY_AXIS. The caller has called weft__enter.
weft_status weft__repeat_each(const weft_operand *out, const weft_operand *x, const weft_operand *counts, int axis,
                              const char *site);

#endif
