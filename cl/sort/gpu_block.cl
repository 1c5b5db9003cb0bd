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
#include "sort/tile.clh"

#if SORT_VALUE_BYTES
#define VALUE_PARAMETERS , __global const uchar *value_from, __global uchar *value_to
#else
#define VALUE_PARAMETERS
#endif

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void sort_block(const weft__sort_args job, __global const uchar *key_from, __global uchar *key_to VALUE_PARAMETERS) {
  SORT_TILE_STATE
  const uint length = (uint)job.length;
  const ulong begin = (ulong)get_group_id(0) * job.length;
  __global const sort_key *x = (__global const sort_key *)(key_from + job.key_from) + begin;
  sort_key key[SORT_ITEMS];
  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++) key[k] = x[min(sort_position(k), length - 1)];
#if SORT_VALUE_BYTES
  ushort number[SORT_ITEMS]; /* in the row */
  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++) number[k] = (ushort)sort_position(k);
#endif
  sort_tile_run(key NUMBER_ARGUMENT, length, 0, &job, room, counts, sums WEFT_WARP_ARGUMENTS);
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
