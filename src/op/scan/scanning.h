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

WEFT__WAY_FUNCTIONS(scan, host);
WEFT__WAY_FUNCTIONS(scan, columns);
WEFT__WAY_FUNCTIONS(scan, turned);
WEFT__WAY_FUNCTIONS(scan, lookback);
WEFT__WAY_FUNCTIONS(scan, passes);
bool weft__scan_users_fits(const void *task);
extern const weft__ways weft__scan_ways;

#endif
