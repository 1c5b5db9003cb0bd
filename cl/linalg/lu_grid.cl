// SPDX-License-Identifier: MIT
// LU panels: the rows are divided among groups, and each thread has LA_EACH rows in registers, in which the columns go
// round: the one that is eliminated comes first. Rows stay with their threads; their places change, and they are stored
// there at the end. Each warp offers its best pivot with its row, so that a column costs a group one barrier.
//
// Several groups tell each other their best pivots, so all groups of a matrix must run: there are far fewer than the
// device runs at the same time, and they are numbered by ticket (only with PTX; elsewhere a matrix has one group). An
// element is published as words of 32 bits beside a tag of the launch, as in exchange.clh.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DCOMPLEX=1
#include "linalg/block.clh"
#include "linalg/group_number.clh"
#include "warp.clh"

#define COLUMNS LA_PANEL        // of a panel, at most
#define WORDS (sizeof(NUM) / 4) // of an element
#define ROW_WORDS (COLUMNS * WORDS)
#define KEY_WORDS 3             // a size and a place
#define PLACE_WORDS (KEY_WORDS + ROW_WORDS)
#define ROWS (WEFT_BLOCK * LA_EACH) // of a group
#define OWN(e) (own + (e) * WEFT_BLOCK)
#define NOWHERE 0xffffffffu
#define PART (64 / (uint)sizeof(NUM)) // columns that a warp exchanges at a time: whole sectors of memory for each row
#define PITCH (PART + 1)
#ifdef WEFT_PTX
#define STEP 2 // columns whose code is repeated, so that columns go round once for both. More take seconds to build
#else
#define STEP 1
#endif

#if DOUBLE
#define BITS ulong // of a size: they are ordered as the sizes are
#else
#define BITS uint
#endif

typedef struct la_key {
  BITS size;
  uint place;
} la_key;

static inline bool la_is_better(la_key a, la_key b) {
  return b.size > a.size || (b.size == a.size && b.place < a.place);
}

// The best key of a warp's threads: of the greatest size the first place.
WEFT_INLINE la_key la_best(la_key key WEFT_WARP_PARAMETERS) {
  la_key best;
#if DOUBLE
  const uint high = (uint)(key.size >> 32), most = weft_greatest_u32(high);
  best.size = (ulong)most << 32 | weft_greatest_u32(high == most ? (uint)key.size : 0u);
#else
  best.size = weft_greatest_u32(key.size);
#endif
  best.place = weft_least_u32(key.size == best.size ? key.place : NOWHERE);
  return best;
}

// The best of the warps' keys; *from: whose it is.
WEFT_INLINE la_key la_best_of(__local const la_key *keys, uint *from WEFT_WARP_PARAMETERS) {
  const uint lane = weft_lane_id();
  la_key key;
  key.size = lane < WEFT_WARPS ? keys[lane % WEFT_WARPS].size : 0;
  key.place = lane < WEFT_WARPS ? keys[lane % WEFT_WARPS].place : NOWHERE;
  const la_key best = la_best(key WEFT_WARP_ARGUMENTS);
  *from = weft_least_u32(lane < WEFT_WARPS && key.place == best.place ? lane : WEFT_WARPS - 1);
  return best;
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
  la_key key;
  key.size = la_ask(at, tag);
#if DOUBLE
  key.size |= (ulong)la_ask(at + 1, tag) << 32;
#endif
  key.place = la_ask(at + 2, tag);
  return key;
}

// The best of all groups' keys. `offer`: this group's row of `key`; becomes the row of the result. `place`: the words
// of this column. All threads of the block pass the same arguments.
WEFT_INLINE la_key la_agree(la_key key, __local NUM *offer, __local la_key *keys, __local uint *winner,
                            volatile __global ulong *place, uint group, uint groups, uint tag) {
  const uint thread = (uint)get_local_id(0);
  volatile __global ulong *mine = place + group * PLACE_WORDS;
  if (thread == 0) {
    la_tell(mine, (uint)key.size, tag);
    la_tell(mine + 1, (uint)((ulong)key.size >> 32), tag);
    la_tell(mine + 2, key.place, tag);
  }
  if (thread < ROW_WORDS) la_tell(mine + KEY_WORDS + thread, ((__local const uint *)offer)[thread], tag);
  la_key best;
  best.size = 0;
  best.place = NOWHERE;
  if (thread < groups) best = la_ask_key(place + thread * PLACE_WORDS, tag);
  const uint asked = best.place;
  best = la_best(best);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (weft_lane_id() == 0) keys[thread / 32] = best;
  if (thread == 0) *winner = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint from;
  best = la_best_of(keys, &from);
  if (thread < groups && asked == best.place && asked != NOWHERE) *winner = thread;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (thread < ROW_WORDS)
    ((__local uint *)offer)[thread] = la_ask(place + *winner * PLACE_WORDS + KEY_WORDS + thread, tag);
  barrier(CLK_LOCAL_MEM_FENCE);
  return best;
}
#endif

// Factors a panel of args.m rows and args.n <= COLUMNS columns. args.chunks groups for each matrix, at most WEFT_BLOCK,
// ROWS rows each. x, y, z as for weft_lu_panel in lu.cl.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_lu_grid(const weft__block_args args, __global uchar *memory, __global uchar *pivots, __global uchar *infos,
                  __global uchar *state) {
  WEFT_WARP_STATE
  __local la_key keys[2][WEFT_WARPS];
  __local uint ticket[1];
  __local int targets[WEFT_BLOCK];
  __local NUM offers[2][WEFT_WARPS][COLUMNS] __attribute__((aligned(16))), parts[WEFT_WARPS][32 * PITCH];
  const uint thread = (uint)get_local_id(0), groups = (uint)args.chunks, m = (uint)args.m, n = (uint)args.n;
  const uint number = la_group_number(state, args.round, ticket);
  const ulong batch = number / groups;
  const uint group = number % groups, own = group * ROWS + thread, steps = min(m, n);
  const uint lane = weft_lane_id(), warp = thread / 32;
  __global NUM *x = part_of(memory, args.x, batch);
  __global int *pivot = (__global int *)(pivots + args.y.offset) + (long)batch * args.y.batch;
  __global int *info = (__global int *)(infos + args.z.offset) + batch;
  NUM row[LA_EACH][COLUMNS];
  int place[LA_EACH]; /* of each row in the matrix; -1: beyond it */
  /* neighbouring threads load neighbouring columns, and all loads wait together */
#pragma unroll
  for (uint e = 0; e < LA_EACH; e++)
#pragma unroll
    for (uint j = 0; j < COLUMNS; j++) {
      const uint i = OWN(e) - lane + j % PART * (32 / PART) + lane / PART, column = j / PART * PART + lane % PART;
      row[e][j] = x[(long)min(i, m - 1) * args.x.row + (long)min(column, n - 1) * args.x.column];
    }
#pragma unroll
  for (uint e = 0; e < LA_EACH; e++) {
    place[e] = OWN(e) < m ? (int)OWN(e) : -1;
#pragma unroll
    for (uint begin = 0; begin < COLUMNS; begin += PART) {
#pragma unroll
      for (uint j = 0; j < PART; j++)
        parts[warp][(j * (32 / PART) + lane / PART) * PITCH + lane % PART] = row[e][begin + j];
      WEFT_SYNC_WARP();
#pragma unroll
      for (uint j = 0; j < PART; j++) row[e][begin + j] = begin + j < n ? parts[warp][lane * PITCH + j] : of_real(0);
      WEFT_SYNC_WARP();
    }
  }
  for (uint base = 0; base < COLUMNS; base += STEP) {
#pragma unroll
    for (uint c = 0; c < STEP; c++) {
      const uint k = base + c, side = k % 2;
      la_key key;
      key.size = 0;
      key.place = NOWHERE;
#pragma unroll
      for (uint e = 0; e < LA_EACH; e++) {
        la_key mine;
        mine.size = (BITS)size_key(row[e][c]);
        mine.place = (uint)place[e];
        if (place[e] >= (int)k && la_is_better(key, mine)) key = mine;
      }
      key = la_best(key WEFT_WARP_ARGUMENTS);
      if (weft_lane_id() == 0) keys[side][thread / 32] = key;
#pragma unroll
      for (uint e = 0; e < LA_EACH; e++)
        if ((uint)place[e] == key.place && key.place != NOWHERE) {
#pragma unroll
          for (uint j = 0; j < COLUMNS; j++) offers[side][thread / 32][j] = row[e][j];
        }
      barrier(CLK_LOCAL_MEM_FENCE);
      uint from;
      key = la_best_of(keys[side], &from WEFT_WARP_ARGUMENTS);
#ifdef WEFT_PTX
      if (groups > 1)
        key = la_agree(key, offers[side][from], keys[side], ticket,
                       weft_exchange_at(state, (batch * COLUMNS + k) * groups * PLACE_WORDS), group, groups,
                       args.flags);
#endif
      __local const NUM *top = offers[side][from];
      const bool here = k < steps;
      const NUM diagonal = here ? top[c] : of_real(0);
      const bool singular = is_zero(diagonal);
      if (here && thread == 0 && group == 0) {
        pivot[k] = (int)(args.first + key.place);
        if (singular && *info == 0) *info = (int)(args.first + k) + 1;
      }
      /* a quotient is a product with an inverse, which for some numbers needs a factor; no row's element is larger */
      const REAL size = largest_part(diagonal);
      const REAL factor = size < INVERTIBLE_LEAST ? LESS_FACTOR : size > INVERTIBLE_MOST ? 1 / LESS_FACTOR : 1;
      const NUM inverse = divide(of_real(1), diagonal * factor);
#pragma unroll
      for (uint e = 0; e < LA_EACH; e++) {
        if (here && place[e] == (int)k) place[e] = (int)key.place;
        else if (here && place[e] == (int)key.place) place[e] = (int)k;
        if (!singular && place[e] > (int)k) {
          const NUM l = mul(row[e][c] * factor, inverse);
          row[e][c] = l;
#pragma unroll
          for (uint b = 0; b < COLUMNS; b += STEP)
            if (b < COLUMNS - base) {
#pragma unroll
              for (uint j = b; j < b + STEP; j++)
                if (j > c) row[e][j] = mul_add(-l, top[j], row[e][j]);
            }
        }
      }
    }
#pragma unroll
    for (uint e = 0; e < LA_EACH; e++) {
      NUM done[STEP];
#pragma unroll
      for (uint c = 0; c < STEP; c++) done[c] = row[e][c];
#pragma unroll
      for (uint j = 0; j + STEP < COLUMNS; j++) row[e][j] = row[e][j + STEP];
#pragma unroll
      for (uint c = 0; c < STEP; c++) row[e][COLUMNS - STEP + c] = done[c];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* all rows are loaded */
#pragma unroll
  for (uint e = 0; e < LA_EACH; e++) {
    targets[thread] = place[e];
#pragma unroll
    for (uint begin = 0; begin < COLUMNS; begin += PART) {
#pragma unroll
      for (uint j = 0; j < PART; j++) parts[warp][lane * PITCH + j] = row[e][begin + j];
      WEFT_SYNC_WARP();
#pragma unroll
      for (uint j = 0; j < PART; j++) {
        const uint i = j * (32 / PART) + lane / PART, column = begin + lane % PART;
        const int to = targets[warp * 32 + i];
        if (to >= 0 && column < n)
          x[(long)to * args.x.row + (long)column * args.x.column] = parts[warp][i * PITCH + lane % PART];
      }
      WEFT_SYNC_WARP();
    }
  }
}
