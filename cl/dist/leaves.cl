// SPDX-License-Identifier: MIT
// Totals of leaves and running totals in them, for libweft-mpi (src/dist/dist_leaves.h). A leaf is a run of `leaf`
// elements of one array; the last one may be shorter. A block works on a leaf. How elements are grouped depends on
// their places in the leaf alone: CPUs, where one work-item does a block's work, group them as GPUs do.
//   IN, OUT, T       types of elements as read, as written, and as combined; TO_T and TO_OUT convert
//   DIST_OP          0: sums, 1: products, 2: greatest, 3: least elements
//   DIST_COMPLEX     1: the types are vectors of two; DIST_WHOLE 1: they are integers
//   DIST_CPU         1: one work-item does a block's work
// lint: -DIN=float -DOUT=float -DT=double -DTO_T=convert_double -DTO_OUT=convert_float -DDIST_OP=0
// lint: -DIN=float -DOUT=float -DT=double -DTO_T=convert_double -DTO_OUT=convert_float -DDIST_OP=0 -DDIST_CPU=1
// lint: -DIN=float2 -DOUT=float2 -DT=double2 -DTO_T=convert_double2 -DTO_OUT=convert_float2 -DDIST_OP=1 -DDIST_COMPLEX=1
// lint: -DIN=double2 -DOUT=double2 -DT=double2 -DTO_T=convert_double2 -DTO_OUT=convert_double2 -DDIST_OP=3 -DDIST_COMPLEX=1
// lint: -DIN=int -DOUT=int -DT=int -DTO_T=convert_int -DTO_OUT=convert_int -DDIST_OP=2 -DDIST_WHOLE=1
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

#define BLOCK 256
#define EACH 8 // adjacent elements of a thread in a tile
#define TILE (BLOCK * EACH)
#define GROUP 16 // threads whose totals one thread adds up
#define GROUPS (BLOCK / GROUP)
#define FLIGHT 8 // loads in flight per thread

enum { BEFORE_NONE, BEFORE_LATER, BEFORE_ALL }; // LATER: all leaves but the first

static inline T combine(T a, T b) {
#if DIST_OP == 0
  return a + b;
#elif DIST_OP == 1 && DIST_COMPLEX
  return (T)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
#elif DIST_OP == 1
  return a * b;
#elif DIST_COMPLEX
  // by the real part, then by the imaginary one; a NaN wins
  if (a.x != a.x || a.y != a.y) return a;
  if (b.x != b.x || b.y != b.y) return b;
#if DIST_OP == 2
  return a.x > b.x || (a.x == b.x && a.y >= b.y) ? a : b;
#else
  return a.x < b.x || (a.x == b.x && a.y <= b.y) ? a : b;
#endif
#elif DIST_WHOLE
  return DIST_OP == 2 ? max(a, b) : min(a, b);
#elif DIST_OP == 2
  return a >= b || a != a ? a : b;
#else
  return a <= b || a != a ? a : b;
#endif
}

// Leaves of n elements, behind `skip` others. The totals of at most BLOCK runs of elements that are BLOCK apart are
// combined in halves.
#if DIST_CPU
__kernel void weft_leaf_totals(__global uchar *y, __global const uchar *x, ulong skip, ulong n,
                               ulong leaf) {
  T sums[BLOCK];
  const ulong first = get_group_id(0) * leaf, count = min(leaf, n - first);
  const uint threads = (uint)min(count, (ulong)BLOCK);
  __global const IN *from = (__global const IN *)x + skip + first;
  for (uint id = 0; id < threads; id++) sums[id] = TO_T(from[id]);
  ulong at = BLOCK;
  for (; at + BLOCK <= count; at += BLOCK)
    for (uint id = 0; id < BLOCK; id++) sums[id] = combine(sums[id], TO_T(from[at + id]));
  for (uint id = 0; at + id < count; id++) sums[id] = combine(sums[id], TO_T(from[at + id]));
  for (uint d = BLOCK / 2; d > 0; d /= 2)
    for (uint id = 0; id < d && id + d < threads; id++) sums[id] = combine(sums[id], sums[id + d]);
  ((__global OUT *)y)[get_group_id(0)] = TO_OUT(sums[0]);
}
#else
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void weft_leaf_totals(__global uchar *y, __global const uchar *x, ulong skip, ulong n, ulong leaf) {
  __local T sums[BLOCK];
  const uint id = (uint)get_local_id(0);
  const ulong first = get_group_id(0) * leaf, count = min(leaf, n - first);
  const uint threads = (uint)min(count, (ulong)BLOCK);
  __global const IN *from = (__global const IN *)x + skip + first;
  if (id < threads) {
    T sum = TO_T(from[id]);
    ulong at = id + BLOCK;
    for (; at + (FLIGHT - 1) * BLOCK < count; at += FLIGHT * BLOCK) {
      IN v[FLIGHT];
#pragma unroll
      for (uint u = 0; u < FLIGHT; u++) v[u] = from[at + u * BLOCK];
#pragma unroll
      for (uint u = 0; u < FLIGHT; u++) sum = combine(sum, TO_T(v[u]));
    }
    for (; at < count; at += BLOCK) sum = combine(sum, TO_T(from[at]));
    sums[id] = sum;
  }
  for (uint d = BLOCK / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < d && id + d < threads) sums[id] = combine(sums[id], sums[id + d]);
  }
  if (id == 0) ((__global OUT *)y)[get_group_id(0)] = TO_OUT(sums[0]);
}
#endif

// What stands before each group of threads in a tile: `carry` and the totals of the groups before it. fronts[GROUPS]:
// the total with this tile. Without `has` nothing stands before the first group, which gets any value.
#define FRONTS(fronts, sums)                                                        \
  {                                                                                 \
    T run = carry;                                                                  \
    bool is_met = has;                                                              \
    _Pragma("unroll") for (uint g = 0; g < GROUPS; g++) {                           \
      const T total = sums[g * GROUP + GROUP - 1];                                  \
      fronts[g] = run;                                                              \
      run = is_met ? combine(run, total) : total;                                   \
      is_met = true;                                                                \
    }                                                                               \
    fronts[GROUPS] = run;                                                           \
  }
// What stands before thread `id`: that and the threads before it in its group; `sums` has their running totals.
#define FRONT(front, is_met, fronts, sums, id)                                      \
  T front = fronts[(id) / GROUP];                                                   \
  bool is_met = has || (id) >= GROUP;                                               \
  if ((id) % GROUP) {                                                               \
    front = is_met ? combine(front, sums[(id) - 1]) : sums[(id) - 1];               \
    is_met = true;                                                                  \
  }

// A leaf's place, and what stands before it.
#define LEAF                                                                            \
  const ulong number = get_group_id(0), first = number * leaf, count = min(leaf, n - first); \
  __global const IN *leaf_from = (__global const IN *)x + first;                        \
  __global OUT *leaf_to = (__global OUT *)y + first;                                    \
  bool has = before_is == BEFORE_ALL || (number > 0 && before_is == BEFORE_LATER);      \
  T carry = has ? ((__global const T *)before)[number] : TO_T(leaf_from[0]);

// y: in each leaf the running totals, with before[leaf] in front of the leaves that before_is names.
#if DIST_CPU
__kernel void weft_leaf_scan(__global uchar *y, __global const uchar *x, __global const uchar *before, ulong n,
                             ulong leaf, uint before_is) {
  T v[TILE], sums[BLOCK], fronts[GROUPS + 1];
  LEAF
  for (ulong tile = 0; tile < count; tile += TILE) {
    const uint left = (uint)min(count - tile, (ulong)TILE);
    __global const IN *from = leaf_from + tile;
    __global OUT *to = leaf_to + tile;
    for (uint i = 0; i < left; i++) v[i] = TO_T(from[i]);
    for (uint i = left; i < TILE; i++) v[i] = v[0];
    for (uint id = 0; id < BLOCK; id++) {
      for (uint j = 1; j < EACH; j++) v[id * EACH + j] = combine(v[id * EACH + j - 1], v[id * EACH + j]);
      sums[id] = v[id * EACH + EACH - 1];
      if (id % GROUP) sums[id] = combine(sums[id - 1], sums[id]);
    }
    FRONTS(fronts, sums)
    for (uint id = 0; id * EACH < left; id++) {
      FRONT(front, is_met, fronts, sums, id)
      for (uint i = id * EACH; i < min((id + 1) * EACH, left); i++)
        to[i] = is_met ? TO_OUT(combine(front, v[i])) : TO_OUT(v[i]);
    }
    carry = fronts[GROUPS];
    has = true;
  }
}
#else
#define PLACE(i) ((i) + (i) / EACH) // no bank conflicts
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void weft_leaf_scan(__global uchar *y, __global const uchar *x, __global const uchar *before, ulong n, ulong leaf,
                    uint before_is) {
  __local union {
    IN in[TILE + BLOCK];
    OUT out[TILE + BLOCK];
  } staged;
  __local T sums[BLOCK], fronts[GROUPS + 1];
  const uint id = (uint)get_local_id(0);
  LEAF
  IN ahead[EACH]; // the next tile, on its way while this one is computed
#pragma unroll
  for (uint j = 0; j < EACH; j++) ahead[j] = leaf_from[j * BLOCK + id < count ? j * BLOCK + id : 0];
  for (ulong tile = 0; tile < count; tile += TILE) {
    const uint left = (uint)min(count - tile, (ulong)TILE);
    __global OUT *to = leaf_to + tile;
    T v[EACH];
#pragma unroll
    for (uint j = 0; j < EACH; j++) staged.in[PLACE(j * BLOCK + id)] = ahead[j];
#pragma unroll
    for (uint j = 0; j < EACH; j++) {
      const ulong at = tile + TILE + j * BLOCK + id;
      ahead[j] = leaf_from[at < count ? at : 0];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    v[0] = TO_T(staged.in[PLACE(id * EACH)]);
#pragma unroll
    for (uint j = 1; j < EACH; j++) v[j] = combine(v[j - 1], TO_T(staged.in[PLACE(id * EACH + j)]));
    sums[id] = v[EACH - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < GROUPS) {
      T run[GROUP]; // all loads before the first sum
#pragma unroll
      for (uint k = 0; k < GROUP; k++) run[k] = sums[id * GROUP + k];
#pragma unroll
      for (uint k = 1; k < GROUP; k++) sums[id * GROUP + k] = run[k] = combine(run[k - 1], run[k]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) FRONTS(fronts, sums)
    barrier(CLK_LOCAL_MEM_FENCE);
    FRONT(front, is_met, fronts, sums, id)
#pragma unroll
    for (uint j = 0; j < EACH; j++)
      staged.out[PLACE(id * EACH + j)] = is_met ? TO_OUT(combine(front, v[j])) : TO_OUT(v[j]);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint j = 0; j < EACH; j++)
      if (j * BLOCK + id < left) to[j * BLOCK + id] = staged.out[PLACE(j * BLOCK + id)];
    carry = fronts[GROUPS];
    barrier(CLK_LOCAL_MEM_FENCE);
    has = true;
  }
}
#endif

// As weft_leaf_scan of rows of `others` elements, each column for itself: before[leaf * others + column]. A work-item
// has a column of a leaf.
__kernel void weft_leaf_scan_columns(__global uchar *y, __global const uchar *x, __global const uchar *before, ulong n,
                                     ulong others, ulong leaf, uint before_is) {
  const ulong id = get_global_id(0), number = id / others, first = number * leaf;
  if (first >= n) return;
  const ulong last = min(first + leaf, n), column = id - number * others;
  __global const IN *from = (__global const IN *)x + column;
  __global OUT *to = (__global OUT *)y + column;
  T total = TO_T(from[first * others]);
  if (before_is == BEFORE_ALL || (number > 0 && before_is == BEFORE_LATER))
    total = combine(((__global const T *)before)[id], total);
  to[first * others] = TO_OUT(total);
  for (ulong row = first + 1; row < last; row++) {
    total = combine(total, TO_T(from[row * others]));
    to[row * others] = TO_OUT(total);
  }
}
