// SPDX-License-Identifier: MIT
/// Selection, and its ways (ways.c).
#ifndef WEFT_OP_SELECT_COMPACT_H
#define WEFT_OP_SELECT_COMPACT_H

#include <weft/select.h>

#include "engine/host_step.h"
#include "engine/ways.h"
#include "expr/formula.h"

typedef enum weft__select_what { WEFT__SELECT_VALUES = 0, WEFT__SELECT_NUMBERS, WEFT__SELECT_BOTH } weft__select_what;

/// A selection in progress. Arrays are contiguous; a written array overlaps no other.
typedef struct weft__selection {
  weft__select_what what;
  weft_context *context;
  const char *name, *site;    /* name: of the launch, a string literal */
  const weft_array *x, *mask; /* mask NULL: the predicate selects */
  const weft_array *bytes;    /* whose bytes that are not 0 select; NULL: the predicate does */
  /* a formula of x's element: one input is an array, all others are scalars; the result is read as a bool */
  const weft__formula *predicate;
  bool is_nonzero;                        /* the predicate: whether the element is not 0 */
  const void *predicate_owner;            /* identifies the predicate's kernels (weft__key) */
  uint64_t scalar[2 * WEFT__MAX_SCALARS]; /* of the formula, as bytes */
  weft_shape shape;                       /* NUMBERS: x's shape, or no axes for numbers in row-major order */
  /* kept between the two passes */
  weft_array *state;
} weft__selection;

/// Selects to `out`, and writes the number of selected elements to `count`, which may be NULL. BOTH takes two passes,
/// and so do devices whose blocks cannot wait for each other.
weft_status weft__select_run(weft__selection *s, weft_array *out, weft_array *count);
/// Makes a contiguous array of the selected elements, or their numbers, of `dtype`; waits for their number. `columns`:
/// the length of its second axis; negative: it has one axis. Not BOTH.
weft_status weft__select_new(weft_array **out, weft__selection *s, weft_dtype dtype, int columns);
/// Whether weft__select_new, in one launch, is faster than a selection in two halves.
bool weft__select_is_small(const weft__selection *s, int columns);
/// A selection in two halves: weft__select_count counts and waits, weft__select_write writes. weft__select_end must
/// follow in any case.
weft_status weft__select_count(weft__selection *s, int64_t *count);
weft_status weft__select_write(weft__selection *s, weft_array *out);
void weft__select_end(weft__selection *s);

/// The task of weft__select_ways: makes `out` and `count`, or finds `number`, for which the call waits; NULL: not.
typedef struct weft__select_task {
  weft__selection *selection;
  weft_array *out, *count;
  int64_t *number;
} weft__select_task;
extern const weft__ways weft__select_ways;
extern const weft__host_function weft__host_select;
WEFT__WAY_FUNCTIONS(select, sweep);
WEFT__WAY_FUNCTION(select, passes);
WEFT__WAY_FUNCTIONS(select, host);

/// The ways to select by an expression, of select.c's calls.
extern const weft__ways weft__choose_ways;
WEFT__WAY_FUNCTIONS(choose, fused);
WEFT__WAY_FUNCTION(choose, mask);

#endif
