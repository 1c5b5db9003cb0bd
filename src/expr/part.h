// SPDX-License-Identifier: MIT
/// The parts of a formula with reduced values: for each of these the formula of what is reduced, and the formula of the
/// results, which have no REDUCED nodes themselves. A reduced value is an array among the inputs of a later part.
#ifndef WEFT_EXPR_PART_H
#define WEFT_EXPR_PART_H

#include "expr/formula.h"

#define WEFT__PART_RESULTS (-1) /* in the place of a reduced value: the part that computes the results */

typedef struct weft__formula_part {
  weft__formula formula;
  int from[WEFT__MAX_INPUTS];   /* by input: the whole's input, or WEFT__OF_REDUCED */
  int place[WEFT__MAX_SCALARS]; /* by scalar: its place in the whole */
} weft__formula_part;

#define WEFT__OF_REDUCED(k) (-1 - (k)) /* from the number of a reduced value, and back */

/// Makes equal nodes one, so that equal values are reduced once, and keeps only those REDUCED nodes in f->reduced that
/// the results need.
void weft__formula_merge(weft__formula *f);
/// Makes the part that computes what reduced value number k reduces. part->formula.failed: out of host memory. The
/// caller frees part->formula in any case.
void weft__formula_part_of(weft__formula_part *part, const weft__formula *whole, int k);

#endif
