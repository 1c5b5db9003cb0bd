// SPDX-License-Identifier: MIT
// What a sort of uniform keys must know before its passes, for GPUs: their bounds, by a sample, and the sizes of all
// parts (uniform.clh). If a key is outside the bounds, or a part has too many elements, the keys are sorted by digits.
//
// Define before including: as for uniform.clh; WEFT_BLOCK, at least 256; SORT_ITEMS.
// lint: -DSORT_KEY_BYTES=4 -DSORT_KIND=0 -DSORT_SECOND=8 -DWEFT_BLOCK=1024 -DSORT_ITEMS=16
// lint: -DSORT_KEY_BYTES=4 -DSORT_KIND=0 -DSORT_SECOND=3 -DWEFT_BLOCK=256 -DSORT_ITEMS=16
#include "sort/rank.clh"
#include "sort/uniform.clh"

#define SAMPLES SORT_TILE
#define COUNT_LOADS 4 // of a thread, under way at once
#define LEAST_SPAN (1u << 24)
#define LOW_BITS 0xfffu // in which keys must differ, or a sort by digits has fewer passes
#define TABLE (SAMPLES / 2)
#define MOST_EQUAL 8 // pairs of equal samples that are found: more, and many keys are equal
#define MOST_NEAR (SAMPLES / 16) // samples in the bin of a near element: more, and keys are nearly in order

// One block. Keys that are nearly in order, or of few values, are sorted by digits: all threads of a tile would add to
// the counters of few bins, or all elements of a part would be in few buckets.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void sort_sample(const weft__sort_args job, __global const uchar *keys, __global uchar *state) {
  __local uint low[1], high[1], varies[1], most[1], equal[1], near[1], counts[256], table[TABLE];
  __global const uint *x = (__global const uint *)(keys + job.key_from);
  __global uint *uniform = UNIFORM(job, state);
  const uint id = (uint)get_local_id(0);
  const ulong step = job.length / SAMPLES;
  uint key[SORT_ITEMS], neighbour[SORT_ITEMS], least = ~0u, greatest = 0, differ = 0;
  if (id == 0) {
    low[0] = ~0u;
    high[0] = varies[0] = most[0] = equal[0] = near[0] = 0;
  }
  for (uint i = id; i < TABLE; i += WEFT_BLOCK) table[i] = 0;
  for (uint i = id; i < 256; i += WEFT_BLOCK) counts[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++) { // anywhere in its step
    const uint i = k * WEFT_BLOCK + id;
    const ulong at = i * step + i * 2654435761u % step;
    key[k] = x[at] ^ job.flip_top;
    neighbour[k] = x[min(at + 1 + i % 15, (ulong)job.length - 1)] ^ job.flip_top;
  }
  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++) {
    least = min(least, key[k]);
    greatest = max(greatest, key[k]);
    differ |= key[k] ^ key[0];
  }
  atomic_min(low, least);
  atomic_max(high, greatest);
  atomic_or(varies, differ);
  barrier(CLK_LOCAL_MEM_FENCE);
  // beyond the least and greatest sample are few elements, by 16 times the samples' distance almost surely none
  const uint gap = (high[0] - low[0]) / (SAMPLES / 16);
  const uint from = low[0] - min(low[0], gap), span = high[0] + min(~high[0], gap) - from;
  const uniform_line line = {from, (uint)((1ul << (40 + SORT_SECOND)) / ((ulong)max(span, LEAST_SPAN) + 1)), 0};
  SORT_UNROLL
  for (uint k = 0; k < SORT_ITEMS; k++) {
    const uint bin = uniform_digit(key[k], line, false);
    atomic_inc(counts + bin);
    if (uniform_digit(neighbour[k], line, false) == bin) atomic_inc(near);
    if (atomic_xchg(table + (key[k] * 2654435761u >> 16) % TABLE, key[k]) == key[k]) atomic_inc(equal);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = id; i < 256; i += WEFT_BLOCK) atomic_max(most, counts[i]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (id == 0) {
    uniform[UNIFORM_LOW] = from;
    uniform[UNIFORM_SPAN] = span;
    uniform[UNIFORM_SCALE] = line.scale;
    uniform[UNIFORM_TRIED] = span >= max(LEAST_SPAN, (uint)(job.length / 4)) && (varies[0] & LOW_BITS) == LOW_BITS &&
                             most[0] < SAMPLES / 256 * 3 / 2 + 20 && equal[0] <= MOST_EQUAL && near[0] <= MOST_NEAR;
  }
}

// The sum of `value` over the threads of a warp whose words in a row are of one bin.
#define SAME_BIN (SORT_SECOND > 6 ? 32 : 1 << (SORT_SECOND - 1))
WEFT_INLINE uint sum_of_threads(uint value WEFT_WARP_PARAMETERS) {
  for (uint d = SAME_BIN / 2; d > 0; d /= 2) value += weft_xor_u32(value, d);
  return value;
}

// Counts the elements of each part, with two counters of 16 bits to a word of local memory. One that overflows is
// noticed: the sizes then do not add up to the length.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void sort_sizes(const weft__sort_args job, __global const uchar *keys, __global uchar *state) {
  WEFT_WARP_STATE
  __local uint words[UNIFORM_PARTS / 2];
  __global uint *uniform = UNIFORM(job, state);
  const uint id = (uint)get_local_id(0);
  const bool is_tried = uniform[UNIFORM_TRIED] != 0;
#ifdef WEFT_PTX
  if (!is_tried) return;
#endif
  const ulong length = is_tried ? job.length : 0;
  __global const uint *x = (__global const uint *)(keys + job.key_from);
  const uniform_line line = uniform_line_of(uniform, &job);
  const uint span = uniform[UNIFORM_SPAN];
  bool is_outside = false;
#define COUNT(key)                                                      \
  {                                                                     \
    const uint part = min(uniform_part(key, line), UNIFORM_PARTS - 1u); \
    is_outside |= ((key) ^ line.flip) - line.low > span;                \
    atomic_add(words + part / 2, part % 2 ? 1u << 16 : 1u);             \
  }
  for (uint i = id; i < UNIFORM_PARTS / 2; i += WEFT_BLOCK) words[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint head = (uint)min((ulong)((0 - (ulong)x) % 16 / 4), length);
  __global const uint4 *quads = (__global const uint4 *)(x + head);
  const ulong count = (length - head) / 4, step = (ulong)get_num_groups(0) * WEFT_BLOCK;
  ulong i = (ulong)get_group_id(0) * WEFT_BLOCK + id;
  for (; i + (COUNT_LOADS - 1) * step < count; i += COUNT_LOADS * step) {
    uint4 v[COUNT_LOADS];
    SORT_UNROLL
    for (uint k = 0; k < COUNT_LOADS; k++) v[k] = quads[i + k * step];
    SORT_UNROLL
    for (uint k = 0; k < COUNT_LOADS; k++) {
      COUNT(v[k].x)
      COUNT(v[k].y)
      COUNT(v[k].z)
      COUNT(v[k].w)
    }
  }
  for (; i < count; i += step) {
    const uint4 v = quads[i];
    COUNT(v.x)
    COUNT(v.y)
    COUNT(v.z)
    COUNT(v.w)
  }
  if (get_group_id(0) == 0) {
    if (id < head) COUNT(x[id])
    if (id < length - head - count * 4) COUNT(x[head + count * 4 + id])
  }
  if (is_outside) uniform[UNIFORM_REFUSED] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint w = id; w < UNIFORM_PARTS / 2; w += WEFT_BLOCK) {
    const uint both = words[w], size = both & 0xffff, other = both >> 16;
    if (size) atomic_add(uniform + UNIFORM_PART_SIZES + 2 * w, size);
    if (other) atomic_add(uniform + UNIFORM_PART_SIZES + 2 * w + 1, other);
    const uint sum = sum_of_threads(size + other WEFT_WARP_ARGUMENTS);
    if (id % SAME_BIN == 0 && sum) atomic_add(uniform + UNIFORM_SIZES + (2 * w >> SORT_SECOND), sum);
  }
}

// One block for each bin.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void sort_places(const weft__sort_args job, __global uchar *state) {
  WEFT_WARP_STATE
  __local uint sums[WEFT_WARPS], tile_sums[WEFT_WARPS], part_sums[WEFT_WARPS], begin[1];
  __global uint *uniform = UNIFORM(job, state);
  const uint id = (uint)get_local_id(0), bin = (uint)get_group_id(0);
#ifdef WEFT_PTX
  if (!uniform[UNIFORM_TRIED]) return;
#endif
  const uint size = id < 256 ? uniform[UNIFORM_SIZES + id] : 0;
  const uint first = sort_scan(size, sums WEFT_WARP_ARGUMENTS);
  const uint tiles =
      (size + first % 32 + job.uniform_tile - 1) / job.uniform_tile;  // which may begin at lines of memory
  const uint tile = sort_scan(tiles, tile_sums WEFT_WARP_ARGUMENTS);
  if (id == bin) begin[0] = first;
  if (bin == 0 && id < 256) {
    uniform[UNIFORM_FIRST + id] = uniform[UNIFORM_NEXT + id] = first;
    uniform[UNIFORM_TILES + id] = tile;
    if (id == 255) {
      uniform[UNIFORM_FIRST + 256] = uniform[UNIFORM_PART_FIRST + UNIFORM_PARTS] = first + size;
      uniform[UNIFORM_TILES + 256] = tile + tiles;
      if (first + size != job.length) uniform[UNIFORM_REFUSED] = 1;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint part = (bin << SORT_SECOND) + id, mine = id < 1u << SORT_SECOND ? uniform[UNIFORM_PART_SIZES + part] : 0;
  const uint part_first = begin[0] + sort_scan(mine, part_sums WEFT_WARP_ARGUMENTS);
  if (id < 1u << SORT_SECOND) uniform[UNIFORM_PART_FIRST + part] = uniform[UNIFORM_PART_NEXT + part] = part_first;
  if (mine > job.uniform_most) uniform[UNIFORM_REFUSED] = 1;
}
