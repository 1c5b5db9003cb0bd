// SPDX-License-Identifier: MIT
/// Elements as single bits, and the ways to convert them (ways.c).
#ifndef WEFT_OP_REARRANGE_BITS_H
#define WEFT_OP_REARRANGE_BITS_H

#include "array/strides.h"
#include "engine/host_step.h"
#include "engine/ways.h"

/// The task of the ways. Both arrays are contiguous and have elements.
typedef struct weft__bits_task {
  weft_array *to;
  const weft_array *from;
  weft__axis_split parts; /* of `from` */
  int64_t to_length;      /* along the axis */
  bool packs, little;
  const char *site;
} weft__bits_task;
extern const weft__ways weft__bits_ways;
extern const weft__host_function weft__host_bits;
WEFT__WAY_FUNCTION(bits, host);
WEFT__WAY_FUNCTION(bits, kernels);

/// Packs `bits` bytes to as many bits, each whether its byte is not 0. The first one is the highest bit of the first
/// byte, or the lowest one (`little`). The last byte's other bits are 0.
void weft__pack_bits(uint8_t *to, const uint8_t *from, int64_t bits, bool little);

#endif
