// SPDX-License-Identifier: MIT
/// Scans of contiguous arrays, for weft_scan and other callers.
#ifndef WEFT_OP_SCAN_SCAN_H
#define WEFT_OP_SCAN_SCAN_H

#include <weft/scan.h>

#include "array/axes.h"
#include "expr/formula.h"

/// The parameters of a scan.
typedef struct weft__scan {
  weft_dtype in, out; /* dtypes read and written; out is in, or wider for sums and products of integers */
  weft_scan_op op;
  bool exclusive, reverse, deterministic;
  const weft__formula *combine; /* replaces op: a formula of two inputs of dtype `in` (narrow floats: as computed), one
                                   result */
  const char *text;             /* the text of `combine`, which identifies its kernels */
  uint64_t neutral[2];          /* the neutral element of `combine`, as bytes of dtype `in` (narrow floats: as computed)
                                   */
} weft__scan;

/// y = the scan of x along the middle one of three axes. x and y are contiguous, of dtypes `in` and `out`; they are the
/// same elements (of one size), or do not overlap. flags: NULL, or contiguous bytes that do not overlap y. Checks
/// nothing. Does not block.
weft_status weft__scan_run(const weft__scan *scan, weft_array *y, const weft_array *x, const weft_array *flags,
                           weft__axis_split split, const char *site);

/// CPUs: y[s] = the total of x[offsets[s]] to x[offsets[s + 1] - 1], the neutral element for an empty segment; floats
/// are grouped in one way. All are contiguous; `offsets` are i64, one more than y's elements; those out of range are
/// clipped. `in` may be f32 where `out` is f64. Does not block.
weft_status weft__scan_totals(const weft__scan *scan, weft_array *y, const weft_array *x, const weft_array *offsets,
                              const char *site);

#endif
