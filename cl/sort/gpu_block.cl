// SPDX-License-Identifier: MIT
// Rows that a block sorts alone, all rows in one launch, for GPUs. sort_block sorts a row of up to a tile per block,
// digit by digit in local memory. sort_short sorts many rows of at most SORT_SHORT elements, by counting the elements
// that precede each element.
//
// Define before including: SORT_KEY_BYTES, SORT_KIND, SORT_VALUE_BYTES (0; 4 or 8: values, or with
// weft__sort_args.flags the elements' numbers, which have 64 bits), WEFT_BLOCK, SORT_ITEMS (elements per thread),
// SORT_SHORT.
// lint: -DSORT_KEY_BYTES=4 -DSORT_KIND=1 -DSORT_VALUE_BYTES=0 -DWEFT_BLOCK=256 -DSORT_ITEMS=16 -DSORT_SHORT=32
// lint: -DSORT_KEY_BYTES=16 -DSORT_KIND=2 -DSORT_VALUE_BYTES=8 -DWEFT_BLOCK=256 -DSORT_ITEMS=4 -DSORT_SHORT=32
// lint: -DSORT_KEY_BYTES=2 -DSORT_KIND=1 -DSORT_INFINITY=0x7c00 -DSORT_VALUE_BYTES=4 -DWEFT_BLOCK=256 -DSORT_ITEMS=1 -DSORT_SHORT=32
#include "sort/args.h"
#include "sort/rank.clh"
#include "sort/key.clh"

// Bytes per element of the local buffer: first for keys, then for numbers of 2 bytes.
#define STAGED_BYTES (SORT_VALUE_BYTES && SORT_KEY_BYTES < 2 ? 2 : SORT_KEY_BYTES)

#if SORT_VALUE_BYTES
#define VALUE_PARAMETERS , __global const uchar *value_from, __global uchar *value_to
#else
#define VALUE_PARAMETERS
#endif

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void sort_block(const weft__sort_args job, __global const uchar *key_from, __global uchar *key_to VALUE_PARAMETERS) {
  WEFT_WARP_STATE
  __local ulong2 room[(SORT_TILE * STAGED_BYTES + 15) / 16];
  __local sort_key *staged = (__local sort_key *)room;
  __local uint counts[WEFT_WARPS * SORT_BINS];
  __local uint sums[WEFT_WARPS];
  const uint length = (uint)job.length;
  const ulong begin = (ulong)get_group_id(0) * job.length;
  __global const sort_key *x = (__global const sort_key *)(key_from + job.key_from) + begin;
  sort_key key[SORT_ITEMS];
  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++) key[k] = x[min(sort_position(k), length - 1)];
#if SORT_VALUE_BYTES
  __local ushort *staged_numbers = (__local ushort *)room;
  ushort number[SORT_ITEMS]; /* in the row */
  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++) number[k] = (ushort)sort_position(k);
#endif
#pragma unroll 1
  for (uint digit = 0; digit < SORT_KEY_BYTES; digit++) {
    const uint part = digit / 4, shift = digit % 4 * 8, flip = sort_flip(part, job.flip, job.flip_top);
    uint rank[SORT_ITEMS];
    sort_clear(counts);
    /* elements beyond the row's end stay there: they have the greatest digit and come last */
    SORT_UNROLL
    for (uint k = 0; k < SORT_ITEMS; k++)
      rank[k] = sort_position(k) < length ? (sort_part(key[k], part) ^ flip) >> shift & 255 : SORT_BINS - 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint total = sort_count(rank, counts);
    sort_begin(total, counts, sums WEFT_WARP_ARGUMENTS);
    sort_rank(rank, counts WEFT_WARP_ARGUMENTS);
    SORT_UNROLL
    for (uint k = 0; k < SORT_ITEMS; k++) staged[rank[k]] = key[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    SORT_UNROLL
    for (uint k = 0; k < SORT_ITEMS; k++) key[k] = staged[sort_position(k)];
    /* a global fence too: the result may be the source, and is written after the last digit */
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if SORT_VALUE_BYTES
    SORT_UNROLL
    for (uint k = 0; k < SORT_ITEMS; k++) staged_numbers[rank[k]] = number[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    SORT_UNROLL
    for (uint k = 0; k < SORT_ITEMS; k++) number[k] = staged_numbers[sort_position(k)];
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
  }
  if ((job.flags & WEFT__SORT_NO_KEYS) == 0) {
    __global sort_key *y = (__global sort_key *)(key_to + job.key_to) + begin;
    SORT_UNROLL
    for (uint k = 0; k < SORT_ITEMS; k++)
      if (sort_position(k) < length) y[sort_position(k)] = key[k];
  }
#if SORT_VALUE_BYTES
  const bool is_number = (job.flags & WEFT__SORT_NUMBERS) != 0;
  sort_value value[SORT_ITEMS];
  if (!is_number) {
    __global const sort_value *v = (__global const sort_value *)(value_from + job.value_from) + begin;
    SORT_UNROLL
    for (uint k = 0; k < SORT_ITEMS; k++) value[k] = v[min((uint)number[k], length - 1)];
  }
  /* the result may be the source: all reads precede all writes. Numbers alone need the same barriers (warp.clh) */
  barrier(CLK_GLOBAL_MEM_FENCE);
  __global uchar *to = value_to + job.value_to;
  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++)
    if (sort_position(k) < length) {
      if (is_number)
        ((__global long *)to + begin)[sort_position(k)] = number[k];
      else
        ((__global sort_value *)to + begin)[sort_position(k)] = value[k];
    }
#endif
}

// Sorts `share` rows per block, as many as it has threads for.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void sort_short(const weft__sort_args job, __global const uchar *key_from, __global uchar *key_to VALUE_PARAMETERS) {
  __local sort_order orders[WEFT_BLOCK];
  const uint length = (uint)job.length, id = (uint)get_local_id(0), row = id / length, i = id - row * length;
  const ulong first = (ulong)get_group_id(0) * job.share;
  const uint rows = (uint)min((ulong)(job.rows - first), (ulong)job.share);
  const bool is_here = row < rows;
  const ulong at = first * job.length + (is_here ? id : 0);
  const sort_key key = ((__global const sort_key *)(key_from + job.key_from))[at];
  const sort_order order = sort_order_of(key, job.flip, job.flip_top);
  orders[id] = order;
#if SORT_VALUE_BYTES
  const bool is_number = (job.flags & WEFT__SORT_NUMBERS) != 0;
  sort_value value = 0;
  if (!is_number) value = ((__global const sort_value *)(value_from + job.value_from))[at];
#endif
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (is_here) {
    __local const sort_order *mates = orders + row * length;
    uint before = 0;
    for (uint j = 0; j < length; j++) before += j < i ? !sort_less(order, mates[j]) : sort_less(mates[j], order);
    const ulong to = first * job.length + row * length + before;
    if ((job.flags & WEFT__SORT_NO_KEYS) == 0) ((__global sort_key *)(key_to + job.key_to))[to] = key;
#if SORT_VALUE_BYTES
    if (is_number)
      ((__global long *)(value_to + job.value_to))[to] = i;
    else
      ((__global sort_value *)(value_to + job.value_to))[to] = value;
#endif
  }
}
