// SPDX-License-Identifier: MIT
/// The kernels of selection (cl/select/): which, and their launches.
#ifndef WEFT_OP_SELECT_COMPACT_H
#define WEFT_OP_SELECT_COMPACT_H

#include <weft/select.h>

#include "expr/formula.h"

typedef enum weft__select_what { WEFT__SELECT_VALUES = 0, WEFT__SELECT_NUMBERS, WEFT__SELECT_BOTH } weft__select_what;

/// A selection under way. Arrays are contiguous; of the operands and results, what is written overlaps nothing.
typedef struct weft__selection {
  weft__select_what what;
  weft_context *context;
  const char *name, *site;    /* of the launch, a literal */
  const weft_array *x, *mask; /* mask NULL: the predicate */
  /* of x's element: one input that is an array, all others scalars; the result is taken as a bool */
  const weft__formula *predicate;
  const void *predicate_owner;            /* by which kernels know it (weft__key) */
  uint64_t scalar[2 * WEFT__MAX_SCALARS]; /* the formula's, as bytes */
  weft_shape shape;                       /* NUMBERS: of x, or no axes for the numbers of elements in a row */
  /* between the two passes */
  weft_array *state;
} weft__selection;

/// All at once: out, and how many to `count`, which may be NULL. BOTH takes two passes, and so do devices whose blocks
/// cannot wait for each other.
weft_status weft__select_run(weft__selection *s, weft_array *out, weft_array *count);
/// In two halves: how many (waits), then the writing. `s` must be given to weft__select_end in any case.
weft_status weft__select_count(weft__selection *s, int64_t *count);
weft_status weft__select_write(weft__selection *s, weft_array *out);
void weft__select_end(weft__selection *s);

#endif
