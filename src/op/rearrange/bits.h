// SPDX-License-Identifier: MIT
/// Elements as single bits, on the host.
#ifndef WEFT_OP_REARRANGE_BITS_H
#define WEFT_OP_REARRANGE_BITS_H

#include <stdbool.h>
#include <stdint.h>

/// Packs `bits` bytes to as many bits, each whether its byte is not 0. The first one is the highest bit of the first
/// byte, or the lowest one (`little`). The last byte's other bits are 0.
void weft__pack_bits(uint8_t *to, const uint8_t *from, int64_t bits, bool little);

#endif
