// SPDX-License-Identifier: MIT
/// The text in front of the scan kernels (cl/scan/common.clh).
#ifndef WEFT_OP_SCAN_COMBINE_H
#define WEFT_OP_SCAN_COMBINE_H

#include "op/scan/scan.h"

/// What distinguishes scan kernels, except the user's operation and its neutral element.
typedef struct weft__scan_key {
  uint8_t in, out, op; /* op: WEFT__SCAN_USER with `combine` */
  uint8_t exclusive, reverse, flags, rows, lookback;
  uint8_t block, vpt, elements, aligned, layout; /* block: threads */
} weft__scan_key;

#define WEFT__SCAN_USER 255

typedef struct weft__scan_source {
  const weft__scan *scan;
  weft__scan_key key;
} weft__scan_source;

/// Writes the text of a weft__kernel_source; `data` is a weft__scan_source.
void weft__scan_write(weft__text *text, const void *data);
/// The number of 4-byte words in the type in which elements are combined.
int weft__scan_words(const weft__scan *scan);

#endif
