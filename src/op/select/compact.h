// SPDX-License-Identifier: MIT
/// The kernels of selection (cl/select/): their choice and launches.
#ifndef WEFT_OP_SELECT_COMPACT_H
#define WEFT_OP_SELECT_COMPACT_H

#include <weft/select.h>

#include "expr/formula.h"

typedef enum weft__select_what { WEFT__SELECT_VALUES = 0, WEFT__SELECT_NUMBERS, WEFT__SELECT_BOTH } weft__select_what;

/// A selection in progress. Arrays are contiguous; a written array overlaps no other.
typedef struct weft__selection {
  weft__select_what what;
  weft_context *context;
  const char *name, *site;    /* name: of the launch, a string literal */
  const weft_array *x, *mask; /* mask NULL: the predicate selects */
  const weft_array *bytes;    /* whose bytes that are not 0 select; NULL: the predicate is another one */
  /* a formula of x's element: one input is an array, all others are scalars; the result is read as a bool */
  const weft__formula *predicate;
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

/// The most elements from which the calling thread selects.
#define WEFT__SELECT_FEW (1 << 18)
/// Count and write few elements without a launch, unless *is_done is false then. Errors: as weft__at_once.
weft_status weft__select_count_at_once(bool *is_done, int64_t *count, const weft__selection *s);
weft_status weft__select_write_at_once(bool *is_done, const weft__selection *s, weft_array *out);

#endif
