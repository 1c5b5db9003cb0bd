// SPDX-License-Identifier: MIT
// LU panels of many rows: the rows are divided among groups, which exchange the pivots' rows. Each thread has LA_EACH
// rows in registers, in which the columns go round: the one that is eliminated is always first. In each column every
// group publishes its best candidate, with its row; all groups find the best of them. So a column costs one exchange.
//
// Groups are numbered by ticket, and there are far fewer groups than the device runs at the same time, so that all
// groups of a matrix run (only with PTX; elsewhere there is one group for each matrix). An element is published as
// words of 32 bits beside a tag of the launch, as in exchange.clh.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DCOMPLEX=1
#include "linalg/block.clh"
#include "warp.clh"

#define COLUMNS 16              // of a panel, at most
#define WORDS (sizeof(NUM) / 4)   // of an element
#define ROW_WORDS (COLUMNS * WORDS)
#define KEY_WORDS 3             // a size and a row
#define PLACE (KEY_WORDS + ROW_WORDS)
#define ROWS (WEFT_BLOCK * LA_EACH) // of a group
#define OWN(e) (own + (e) * WEFT_BLOCK)

typedef struct la_key {
  ulong size; // the bits of a size: they are ordered as the sizes are
  uint row;
} la_key;

static inline bool la_is_better(la_key a, la_key b) {
  return b.size > a.size || (b.size == a.size && b.row < a.row);
}
static inline ulong la_bits(NUM value) {
  const REAL size = size_of(value);
  if (!(size >= 0)) return 0; // NaN
#if defined(WEFT_FP64)
  return as_ulong((double)size);
#else
  return as_uint(size);
#endif
}

// The best key of the block's threads.
WEFT_INLINE la_key la_best(la_key key, __local ulong *sizes, __local uint *rows WEFT_WARP_PARAMETERS) {
  const uint warp = (uint)get_local_id(0) / 32;
#pragma unroll
  for (uint d = 16; d > 0; d /= 2) {
    la_key other;
    other.size = weft_xor_u64(key.size, d);
    other.row = weft_xor_u32(key.row, d);
    if (la_is_better(key, other)) key = other;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (weft_lane_id() == 0) sizes[warp] = key.size, rows[warp] = key.row;
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WEFT_PTX
  key.size = weft_lane_id() < WEFT_WARPS ? sizes[weft_lane_id()] : 0;
  key.row = weft_lane_id() < WEFT_WARPS ? rows[weft_lane_id()] : 0xffffffffu;
#pragma unroll
  for (uint d = 16; d > 0; d /= 2) {
    la_key other;
    other.size = weft_xor_u64(key.size, d);
    other.row = weft_xor_u32(key.row, d);
    if (la_is_better(key, other)) key = other;
  }
#else
  for (uint w = 0; w < WEFT_WARPS; w++) {
    la_key other;
    other.size = sizes[w];
    other.row = rows[w];
    if (la_is_better(key, other)) key = other;
  }
#endif
  return key;
}

#ifdef WEFT_PTX
static inline void la_tell(volatile __global ulong *at, uint word, uint tag) {
  weft_store_device_u64(at, (ulong)word << 32 | tag);
}
static inline uint la_ask(volatile __global ulong *at, uint tag) {
  ulong word = weft_load_device_u64(at);
  while ((uint)word != tag) word = weft_load_device_u64(at);
  return (uint)(word >> 32);
}
static inline la_key la_ask_key(volatile __global ulong *at, uint tag) {
  ulong word[KEY_WORDS];
  la_key key;
  do {
    for (uint w = 0; w < KEY_WORDS; w++) word[w] = weft_load_device_u64(at + w);
  } while ((uint)word[0] != tag || (uint)word[1] != tag || (uint)word[2] != tag);
  key.size = word[0] >> 32 | (word[1] >> 32) << 32;
  key.row = (uint)(word[2] >> 32);
  return key;
}
#endif

// Factors a panel of args.m rows and args.n <= COLUMNS columns. args.chunks groups for each matrix, ROWS rows
// each. x, y, z as for weft_lu_panel in lu.cl.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_lu_grid(const weft__block_args args, __global uchar *memory, __global uchar *pivots, __global uchar *infos,
                  __global uchar *state) {
  WEFT_WARP_STATE
  __local ulong sizes[WEFT_WARPS];
  __local uint rows[WEFT_WARPS], ticket[1];
  __local NUM candidate[COLUMNS], upper[COLUMNS], chosen[COLUMNS], replaced[COLUMNS];
  const uint thread = (uint)get_local_id(0), groups = (uint)args.chunks, m = (uint)args.m, n = (uint)args.n;
#ifdef WEFT_PTX
  if (thread == 0) ticket[0] = atomic_inc((volatile __global uint *)state) - args.round;
#else
  if (thread == 0) ticket[0] = (uint)get_group_id(0);
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
  const ulong batch = ticket[0] / groups;
  const uint group = ticket[0] % groups, own = group * ROWS + thread, steps = min(m, n);
  __global NUM *x = part_of(memory, args.x, batch);
  __global int *pivot = (__global int *)(pivots + args.y.offset) + (long)batch * args.y.batch;
  __global int *info = (__global int *)(infos + args.z.offset) + batch;
  NUM row[LA_EACH][COLUMNS];
#pragma unroll
  for (uint e = 0; e < LA_EACH; e++)
#pragma unroll
    for (uint j = 0; j < COLUMNS; j++)
      row[e][j] = OWN(e) < m && j < n ? x[(long)OWN(e) * args.x.row + (long)j * args.x.column] : of_real(0);
  for (uint k = 0; k < COLUMNS; k++) {
    la_key key;
    key.size = 0;
    key.row = 0xffffffffu;
#pragma unroll
    for (uint e = 0; e < LA_EACH; e++) {
      la_key mine;
      mine.size = la_bits(row[e][0]);
      mine.row = OWN(e);
      if (OWN(e) >= k && OWN(e) < m && la_is_better(key, mine)) key = mine;
    }
    key = la_best(key, sizes, rows WEFT_WARP_ARGUMENTS);
#pragma unroll
    for (uint e = 0; e < LA_EACH; e++)
      if (OWN(e) == key.row) {
#pragma unroll
        for (uint j = 0; j < COLUMNS; j++) candidate[j] = row[e][j];
      }
    if (own == k) {
#pragma unroll
      for (uint j = 0; j < COLUMNS; j++) upper[j] = row[0][j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (groups == 1 && thread < COLUMNS) chosen[thread] = candidate[thread], replaced[thread] = upper[thread];
#ifdef WEFT_PTX
    if (groups > 1) {
      volatile __global ulong *place =
          (volatile __global ulong *)(state + 256) + ((batch * COLUMNS + k) * (groups + 1)) * PLACE;
      volatile __global ulong *mine = place + group * PLACE, *old = place + groups * PLACE;
      const uint word = thread % ROW_WORDS, tag = args.flags;
      if (thread == 0) {
        la_tell(mine, (uint)key.size, tag);
        la_tell(mine + 1, (uint)(key.size >> 32), tag);
        la_tell(mine + 2, key.row, tag);
      }
      if (thread < ROW_WORDS) {
        la_tell(mine + KEY_WORDS + word, ((__local const uint *)candidate)[word], tag);
        if (group == 0) la_tell(old + KEY_WORDS + word, ((__local const uint *)upper)[word], tag);
      }
      key.size = 0;
      key.row = 0xffffffffu;
      for (uint g = thread; g < groups; g += WEFT_BLOCK) {
        const la_key other = la_ask_key(place + g * PLACE, tag);
        if (la_is_better(key, other)) key = other;
      }
      if (thread >= WEFT_BLOCK - ROW_WORDS) ((__local uint *)replaced)[word] = la_ask(old + KEY_WORDS + word, tag);
      key = la_best(key, sizes, rows WEFT_WARP_ARGUMENTS);
      const uint from = key.row == 0xffffffffu ? 0 : key.row / ROWS;
      if (thread < ROW_WORDS)
        ((__local uint *)chosen)[word] = la_ask(place + from * PLACE + KEY_WORDS + word, tag);
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    const NUM diagonal = chosen[0];
    const bool singular = is_zero(diagonal);
    if (own == k && k < steps) {
      pivot[k] = (int)(args.first + key.row);
      if (singular && *info == 0) *info = (int)(args.first + k) + 1;
    }
    NUM top[COLUMNS];
#pragma unroll
    for (uint j = 0; j < COLUMNS; j++) top[j] = chosen[j];
#pragma unroll
    for (uint e = 0; e < LA_EACH; e++) {
      if (OWN(e) == key.row && k < steps) {
#pragma unroll
        for (uint j = 0; j < COLUMNS; j++) row[e][j] = replaced[j];
      }
      if (OWN(e) == k && k < steps) {
#pragma unroll
        for (uint j = 0; j < COLUMNS; j++) row[e][j] = chosen[j];
      }
      NUM first = row[e][0];
      if (OWN(e) > k && !singular && k < steps) {
        first = divide(first, diagonal);
#pragma unroll
        for (uint j = 1; j < COLUMNS; j++) row[e][j] = j < COLUMNS - k ? mul_add(-first, top[j], row[e][j]) : row[e][j];
      }
#pragma unroll
      for (uint j = 0; j + 1 < COLUMNS; j++) row[e][j] = row[e][j + 1];
      row[e][COLUMNS - 1] = first;
    }
  }
#pragma unroll
  for (uint e = 0; e < LA_EACH; e++)
#pragma unroll
    for (uint j = 0; j < COLUMNS; j++)
      if (OWN(e) < m && j < n) x[(long)OWN(e) * args.x.row + (long)j * args.x.column] = row[e][j];
}
