// SPDX-License-Identifier: MIT
/// The ways to scan along an axis.
#include "op/scan/scanning.h"

#define WAY(name, by, when) \
  { #name, when, by, weft__scan_##name##_fits, weft__scan_##name##_run, false }

static const weft__way ways[] = {
    WAY(host, WEFT__BY_HOST, "CPUs: all but users' operations, and segments along another axis than the last one"),
    WAY(columns, WEFT__BY_KERNELS,
        "CPUs; GPUs: another axis than the last one, without flags: a thread for each column"),
    WAY(turned, WEFT__BY_KERNELS, "another axis than the last one: rows of transposed copies"),
    WAY(lookback, WEFT__BY_KERNELS, "GPUs whose blocks can wait for each other: one pass"),
    WAY(passes, WEFT__BY_KERNELS, "GPUs: the sums of tiles, a scan of these, then the scans of the tiles"),
};
const weft__ways weft__scan_ways = WEFT__WAYS("scan", ways);

weft_status weft__scan_run(const weft__scan *scan, weft_array *y, const weft_array *x, const weft_array *flags,
                           weft__axis_split split, const char *site) {
  const weft__scanning s = {scan, x->context, y, x, flags, split, site};
  if (x->size == 0) return WEFT_OK;
  return weft__ways_run(&weft__scan_ways, &x->context->core, &s);
}
