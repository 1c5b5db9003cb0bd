// SPDX-License-Identifier: MIT
/// A scan in progress, and the ways to compute it (ways.c).
#ifndef WEFT_OP_SCAN_SCANNING_H
#define WEFT_OP_SCAN_SCANNING_H

#include "engine/ways.h"
#include "op/scan/scan.h"

/// The task of the ways.
typedef struct weft__scanning {
  const weft__scan *scan;
  weft_context *context;
  weft_array *y;
  const weft_array *x, *flags; /* flags: NULL: none */
  weft__axis_split split;
  const char *site;
} weft__scanning;

/// Its name in the trace.
const char *weft__scan_what(const weft__scan *scan);

#define WEFT__SCAN_WAY(name)                       \
  bool weft__scan_##name##_fits(const void *task); \
  weft_status weft__scan_##name##_run(bool *is_done, const void *task);
WEFT__SCAN_WAY(host)
WEFT__SCAN_WAY(columns)
WEFT__SCAN_WAY(turned)
WEFT__SCAN_WAY(lookback)
WEFT__SCAN_WAY(passes)
extern const weft__ways weft__scan_ways;

#endif
