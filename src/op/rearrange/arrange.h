// SPDX-License-Identifier: MIT
/// One array as parts of another, in one launch: what roll, repeat, tile, pad, tril and their like come down to. The
/// caller lists the result's axes, outermost first, and for each where its elements are in the source; axes that are
/// one run in both are merged here.
#ifndef WEFT_OP_REARRANGE_ARRANGE_H
#define WEFT_OP_REARRANGE_ARRANGE_H

#include <weft/operand.h>

#include "array/array.h"
#include "cl/rearrange/args.h"

/// Element i along the axis is the source's i + shift; where that is outside, what `border` (WEFT__BORDER_*) says.
typedef struct weft__arranged_axis {
  int64_t length, from_length, shift, stride_bytes;
  int border;
} weft__arranged_axis;

typedef struct weft__arrangement {
  const char *what; /* for messages, usage and the trace: "roll"; a literal */
  int axes;
  weft__arranged_axis axis[WEFT__ARRANGE_AXES];
  uint64_t fill[2]; /* the bytes of one element, as weft__element_bytes has them: what is outside */
  /* Elements are kept where lower <= column - row <= upper, of the last two axes; `fill` elsewhere. Both are axes of
     the result then, and an element of 16 bytes needs a source that is contiguous along the last axis. */
  bool band;
  int64_t lower, upper;
} weft__arrangement;

/// Adds an axis; with `border` NONE all of its places are inside.
void weft__arrangement_add(weft__arrangement *a, int64_t length, int64_t from_length, int64_t shift,
                           int64_t stride_bytes, int border);

/// Fills `to`, which is contiguous, has the source's dtype and shares no bytes with it. Does not block.
weft_status weft__arrange_run(weft_array *to, const weft_array *from, const weft__arrangement *arrangement,
                              const char *site);

/// Whether a kernel that stores the result in order would read `x` far slower than a copy of it, made first: a
/// transposed array.
bool weft__arrange_wants_copy(const weft_array *x);

/* ---- what the kernels of cl/rearrange/ share ---- */

/// How words are moved: their size, 16 bytes being two of 8, and the GPU's chunks.
typedef struct weft__wording {
  bool is_cpu;
  int size;        /* bytes of a word: 1, 2, 4, 8 */
  int per_element; /* words: 1, or 2 */
  int skew;        /* GPU: words from an aligned place to the first */
  uint64_t chunks; /* GPU: how many; CPU: words of a work-item */
  uint64_t groups; /* the grid */
  weft_dim3 block;
  bool is_wide;
} weft__wording;

/// For a result of `number` words that begins at `to_offset`, which lies `begin` bytes into the result's buffer.
void weft__wording_of(weft__wording *w, const weft_context *context, weft_dtype dtype, int64_t elements,
                      int64_t to_offset);
/// #define lines for them.
void weft__write_wording(weft__text *text, int size, int is_wide);
/// The first byte behind the buffer.
uint64_t weft__buffer_end(const weft_array *x);

/// weft_repeat with a count for each element along the axis, or WEFT__EVERY_AXIS. The function is entered already.
weft_status weft__repeat_each(const weft_operand *out, const weft_operand *x, const weft_operand *counts, int axis,
                              const char *site);

#endif
