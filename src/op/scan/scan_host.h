// SPDX-License-Identifier: MIT
/// Scans on the host: loops by type and operation (scan_loops.c), and the steps (scan_host.c).
#ifndef WEFT_OP_SCAN_SCAN_HOST_H
#define WEFT_OP_SCAN_SCAN_HOST_H

#include "engine/host_step.h"
#include "op/scan/scan.h"

enum { WEFT__SCAN_STRIP = 128 }; /* columns that are scanned side by side */

/// Loops over values of the type in which elements are combined. `to` may be `from`.
typedef struct weft__scan_loops {
  /// *before: the value before the first element, then the one before the next.
  void (*run)(void *to, const void *from, size_t n, void *before, const void *neutral);
  /// As run; the value begins anew at an element whose flag is not 0.
  void (*flagged)(void *to, const void *from, const uint8_t *flag, size_t n, void *before);
  /// What exclusive scans show for values: for one with a flag the neutral element.
  void (*shown)(void *to, const void *from, const uint8_t *flag, size_t n, const void *neutral);
  /// From the last to the first; `to` is not `from`.
  void (*turned)(void *to, const void *from, size_t n);
  /// Combines *of with all elements.
  void (*total)(void *of, const void *from, size_t n, const void *neutral);
  /// Scans columns, `step` elements from row to row; totals: as *before, of each column. to: NULL: only the totals.
  void (*columns)(void *to, const void *from, size_t rows, size_t width, ptrdiff_t step, void *totals, bool exclusive);
  size_t bytes; /* of a value */
} weft__scan_loops;

/// What elements are converted by; NULL: they are of the type already.
typedef void weft__scan_convert(void *to, const void *from, size_t n);

/// How elements of one dtype are scanned to another.
typedef struct weft__scan_kind {
  const weft__scan_loops *loops;
  weft__scan_convert *load, *store;
  /// As the loops' own, of elements that are not converted before; NULL: they must be.
  void (*total)(void *of, const void *from, size_t n, const void *neutral);
  uint64_t neutral[2]; /* as a value */
} weft__scan_kind;

void weft__scan_kind_of(weft__scan_kind *kind, weft_dtype in, weft_dtype out, weft_scan_op op);

extern const weft__host_function weft__host_scan, weft__host_scan_columns, weft__host_scan_totals;

#endif
