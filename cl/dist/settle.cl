// SPDX-License-Identifier: MIT
// The end of a sort that spread its elements over bins (spread.cl): what is in a bin differs in BITS bits only, so that
// its sorted elements follow from how often each value of these bits is there.
//   BLOCK     threads, at least 32, at most 2^(BITS - 1)
//   BITS      a bin has one counter of 16 bits for each value
//   STAGED    the most elements of a bin, less than 2^16
// lint: -DBLOCK=512 -DBITS=14 -DSTAGED=11264
#define WEFT_BLOCK BLOCK
#define SORT_ITEMS 1
#include "sort/rank.clh"

#define WORDS (1 << (BITS - 1)) // of two counters
#define MINE (WORDS / BLOCK)
#define LINE 32

// Places of the bins' elements: of each block's `bins` bins, those in the ones before. Behind the counts is 1
// if a bin had more elements than it has room for. counts: numbers of lines of all bins, then of the elements behind.
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void weft_settle_places(__global uint *places, __global uint *counts, uint bins, uint lines, uint tails) {
  WEFT_WARP_STATE
  __local uint sums[WEFT_WARPS];
  const uint id = (uint)get_local_id(0), first = (uint)get_group_id(0) * bins, all = (uint)get_num_groups(0) * bins;
  uint before = 0;
  bool is_full = false;
  for (uint begin = 0; begin < bins; begin += BLOCK) {
    const uint c = first + begin + id;
    uint size = 0;
    if (begin + id < bins) {
      size = counts[c] * LINE + counts[all + c];
      is_full |= counts[c] > lines || counts[all + c] > tails;
    }
    const uint place = before + sort_scan(size, sums WEFT_WARP_ARGUMENTS);
    if (begin + id < bins) places[c] = place;
    for (uint w = 0; w < WEFT_WARPS; w++) before += sums[w];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (is_full) counts[2 * all] = 1;
}

// A block for each bin: sorts its elements to `to`, from element begins[bin / bins] + places[bin] on. `key`: the least
// one of the first bin. Elements are `low` below their key.
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void weft_settle(__global uchar *to, __global const uchar *from, __global const uint *counts,
                 __global const uint *places, __global const ulong *begins, uint bins, uint lines, uint tails, uint key,
                 uint low, uint flip) {
  WEFT_WARP_STATE
  __local uint words[WORDS > STAGED ? WORDS : STAGED], sums[WEFT_WARPS]; // then the sorted elements
  const uint id = (uint)get_local_id(0), bin = (uint)get_group_id(0), all = (uint)get_num_groups(0);
  const uint whole = min(counts[bin], lines) * LINE, n = whole + min(counts[all + bin], tails);
  __global const uint *x = (__global const uint *)from + (ulong)bin * (lines * LINE + tails);
  __global uint *y = (__global uint *)to + begins[bin / bins] + places[bin];
  uint count[MINE], sum = 0, i = id;
  for (uint w = id; w < WORDS; w += BLOCK) words[w] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  // a thread adds up MINE adjacent words: these lie so that the threads meet in no bank of local memory
#define COUNT(element)                                                                              \
  {                                                                                                 \
    const uint e = (element) & ((1u << BITS) - 1), w = e / 2;                                       \
    atomic_add(words + (w % MINE * BLOCK + w / MINE), e % 2 == 0 ? 1u : 1u << 16);                  \
  }
  for (; i + 3 * BLOCK < whole; i += 4 * BLOCK) {
    const uint a = x[i], b = x[i + BLOCK], c = x[i + 2 * BLOCK], d = x[i + 3 * BLOCK];
    COUNT(a)
    COUNT(b)
    COUNT(c)
    COUNT(d)
  }
  for (; i < whole; i += BLOCK) COUNT(x[i])
  for (i = id; i < n - whole; i += BLOCK) COUNT(x[lines * LINE + i])
  barrier(CLK_LOCAL_MEM_FENCE);
  SORT_UNROLL
  for (uint k = 0; k < MINE; k++) {
    count[k] = words[k * BLOCK + id];
    sum += (count[k] & 0xffff) + (count[k] >> 16);
  }
  uint at = sort_scan(sum, sums WEFT_WARP_ARGUMENTS); // behind whose barrier nobody needs the counters
  const uint first = key + (bin << BITS) + low;
  SORT_UNROLL
  for (uint k = 0; k < MINE; k++) {
    const uint even = count[k] & 0xffff, both = even + (count[k] >> 16), value = first + (id * MINE + k) * 2;
    for (uint q = 0; q < both; q++) words[at++] = value + (q >= even ? 1 : 0) ^ flip;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (i = id; i < n; i += BLOCK) y[i] = words[i];
}
