// SPDX-License-Identifier: MIT
/// Scans of contiguous arrays, for weft_scan and for what else needs one.
#ifndef WEFT_OP_SCAN_SCAN_H
#define WEFT_OP_SCAN_SCAN_H

#include <weft/scan.h>

#include "array/axes.h"
#include "expr/formula.h"

/// Which scan.
typedef struct weft__scan {
  weft_dtype in, out; /* of the elements; out is in's, or for sums and products of integers wider */
  weft_scan_op op;
  bool exclusive, reverse, deterministic;
  const weft__formula *combine; /* in place of op: a formula of two inputs of dtype `in` (narrow floats: as computed),
                                   one result */
  const char *text;             /* its text, by which its kernels are known */
  uint64_t neutral[2];          /* its neutral element, as bytes of dtype `in` (narrow floats: as computed) */
} weft__scan;

/// y = the scan of x along the middle one of three axes. Both are contiguous, of dtypes `in` and `out`, and the same
/// elements (of one size) or apart; flags, NULL or contiguous bytes, are apart from y. Nothing is checked. Does not
/// block.
weft_status weft__scan_run(const weft__scan *scan, weft_array *y, const weft_array *x, const weft_array *flags,
                           weft__axis_split split, const char *site);

#endif
