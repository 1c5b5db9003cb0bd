// SPDX-License-Identifier: MIT
/// The ways to scan along an axis.
#include "op/scan/scanning.h"

static const weft__way ways[] = {
    WEFT__WAY(scan, host, CPUS, HOST, "all but users' operations, and segments along another axis than the last one"),
    {"users", WEFT__ON_CPUS, WEFT__BY_KERNELS, "users' operations", weft__scan_users_fits, weft__scan_columns_run,
     false},
    WEFT__WAY(scan, columns, GPUS, KERNELS, "another axis than the last one, without flags: a thread for each column"),
    WEFT__WAY(scan, turned, ALL, KERNELS, "another axis than the last one: rows of transposed copies"),
    WEFT__WAY(scan, lookback, GPUS, KERNELS, "rows, blocks that can wait for each other: one pass"),
    WEFT__WAY(scan, passes, GPUS, KERNELS, "rows: the sums of tiles, a scan of these, then the scans of the tiles"),
};
const weft__ways weft__scan_ways = WEFT__WAYS("scan", ways);

weft_status weft__scan_run(const weft__scan *scan, weft_array *y, const weft_array *x, const weft_array *flags,
                           weft__axis_split split, const char *site) {
  const weft__scanning s = {scan, x->context, y, x, flags, split, site};
  if (x->size == 0) return WEFT_OK;
  return weft__ways_run(&weft__scan_ways, x->context, &s);
}
