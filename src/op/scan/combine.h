// SPDX-License-Identifier: MIT
/// The text in front of the scans' kernels (cl/scan/common.clh).
#ifndef WEFT_OP_SCAN_COMBINE_H
#define WEFT_OP_SCAN_COMBINE_H

#include "op/scan/scan.h"

/// What distinguishes two scans' kernels, but for the user's operation and its neutral element.
typedef struct weft__scan_key {
  uint8_t in, out, op; /* op: WEFT__SCAN_USER where there is `combine` */
  uint8_t exclusive, reverse, flags, rows, lookback;
  uint8_t block_warps, vpt, elements, aligned, layout; /* GPUs */
  uint8_t is_cpu;
} weft__scan_key;

#define WEFT__SCAN_USER 255
#define WEFT__SCAN_STRIP 128 /* columns side by side that a work-item of a CPU has */

typedef struct weft__scan_source {
  const weft__scan *scan;
  weft__scan_key key;
} weft__scan_source;

/// For weft__kernel_source: `data` is a weft__scan_source.
void weft__scan_write(weft__text *text, const void *data);
/// Words of 4 bytes of the type that elements are combined in.
int weft__scan_words(const weft__scan *scan);

#endif
