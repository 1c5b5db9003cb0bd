// SPDX-License-Identifier: MIT
// Sobol points of many dimensions, whose direction numbers are in a table: row k has all dimensions' numbers of bit k,
// and the last row their shifts. Needs:
//   T, T_NARROW, T_DIGITS  an element, as in element.clh
//   WEFT_LONG              1: f64
//   WEFT_ITEM              CPUs: points that a work-item makes in order; GPUs: 1
// lint: -DT=float -DWEFT_LONG=0 -DWEFT_ITEM=1
// lint: -DT=double -DWEFT_LONG=1 -DWEFT_ITEM=64 -DWEFT_FP64=1
// lint: -DT=ushort -DT_NARROW=f16 -DT_DIGITS=11 -DWEFT_LONG=0 -DWEFT_ITEM=1
#include "random/sobol.clh"

// The lowest one bit of x, which is not 0.
static inline uint weft_lowest(uint x) {
  return 31 - clz(x & -x);
}

#if WEFT_ITEM > 1
#define TILE WEFT__SOBOL_TILE

// bits[d] ^= row[d] for `width` dimensions, which is TILE but at the end
static inline void weft_add_row(__private uint *bits, __global const uint *row, uint width) {
  if (width == TILE)
    for (uint d = 0; d < TILE; d++) bits[d] ^= row[d];
  else
    for (uint d = 0; d < width; d++) bits[d] ^= row[d];
}

static inline void weft_store_row(__global T *to, const __private uint *bits, uint width) {
  if (width == TILE)
    for (uint d = 0; d < TILE; d++) to[d] = weft_part(bits[d]);
  else
    for (uint d = 0; d < width; d++) to[d] = weft_part(bits[d]);
}
#endif

__kernel void weft_sobol_many(const weft__sobol_many_args a, __global const uint *restrict table,
                              __global uchar *restrict out) {
  const ulong item = (ulong)get_group_id(0) * get_local_size(0) + get_local_id(0), columns = a.columns;
  __global T *to = (__global T *)(out + a.offset);
#if WEFT_ITEM > 1
  // A tile of dimensions for some points in order: of two neighbours one bit of the Gray code differs.
  const ulong tiles = (columns + TILE - 1) / TILE, column = item % tiles * TILE;
  ulong i = item / tiles * WEFT_ITEM;
  const ulong end = min(i + WEFT_ITEM, (ulong)a.n);
  const uint width = (uint)min((ulong)TILE, columns - column);
  uint bits[TILE];
  if (i >= end) return;
  table += column;
  to += column;
  uint number = (uint)(a.first + i);
  for (uint d = 0; d < TILE; d++) bits[d] = 0;
  weft_add_row(bits, table + WEFT__SOBOL_BITS * columns, width);
  for (uint k = 0, code = number ^ number >> 1; code; code >>= 1, k++)
    if (code & 1) weft_add_row(bits, table + k * columns, width);
  weft_store_row(to + i * columns, bits, width);
  for (i++; i < end; i++) {
    weft_add_row(bits, table + weft_lowest(++number) * columns, width);
    weft_store_row(to + i * columns, bits, width);
  }
#else
  // Neighbours write neighbours. The points of a work-item are 2^a.step apart: their numbers have the same low bits,
  // and of two neighbours the Gray code differs in the bit below the others and in one of them.
  const ulong step = 1ul << a.step;
  ulong i = item / columns;
  if (i >= min(step, (ulong)a.n)) return;
  table += item % columns;
  const uint number = (uint)(a.first + i), below = table[(a.step - 1) * columns];
  uint bits = table[WEFT__SOBOL_BITS * columns], high = number >> a.step;
  for (uint k = 0, code = number ^ number >> 1; code; code >>= 1, k++)
    if (code & 1) bits ^= table[k * columns];
  to += item % columns;
  to[i * columns] = weft_part(bits);
  for (i += step; i < a.n; i += step) {
    bits ^= below ^ table[(a.step + weft_lowest(++high)) * columns];
    to[i * columns] = weft_part(bits);
  }
#endif
}
