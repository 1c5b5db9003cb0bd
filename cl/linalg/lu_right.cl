// SPDX-License-Identifier: MIT
// What an LU panel does to the other columns of its rows, in one launch: its exchanges of rows; right of it also the
// rows of U, and what they take from the rows below.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DCOMPLEX=1
#include "linalg/block.clh"

#define COUNT LA_PANEL // columns of the panel, at most
#define WIDTH 8        // columns that a group changes
#define EACH 2         // of them a thread
#define ACROSS (WIDTH / EACH)
#define LANES (WEFT_BLOCK / ACROSS)
#define LINES (sizeof(NUM) == 16 ? 1 : 2) // rows of a thread in a tile; two of c128 would need more than 32 KiB
#define TILE (LANES * LINES)   // rows of L together
#define EACH_OF(elements) (((elements) + WEFT_BLOCK - 1) / WEFT_BLOCK) // the elements of a thread
#define LOADS EACH_OF(TILE * COUNT)
#define VECTOR (16 / (uint)sizeof(NUM)) // elements that a thread reads from local memory together
#define PITCH (COUNT + VECTOR)

typedef union la_vector {
  uint4 bits;
  NUM element[VECTOR];
} la_vector;

static inline la_vector la_vector_at(__local const NUM *at) {
  la_vector v;
  v.bits = *(__local const uint4 *)at;
  return v;
}

// Elements of L from the row `first` on, LOADS of this thread; elements beyond row m and column `count` are 0.
WEFT_INLINE void la_load_tile(NUM *loaded, __global const NUM *l, const weft__block_matrix *z, uint first, uint m,
                              uint count) {
#pragma unroll
  for (uint e = 0; e < LOADS; e++) {
    const uint at = (uint)get_local_id(0) + e * WEFT_BLOCK, i = first + at / COUNT, k = at % COUNT;
    const NUM value = l[(long)min(i, m - 1) * z->row + (long)min(k, count - 1) * z->column];
    loaded[e] = i < m && k < count ? value : of_real(0);
  }
}

// The thread's elements of x in a tile, of which its first row is `first`. Beyond x it loads an element of L instead:
// loads under a condition wait for each other, and others change x.
WEFT_INLINE void la_load_lines(NUM value[LINES][EACH], __global const NUM *x, const weft__block_matrix *layout,
                               __global const NUM *l, uint first, uint m, uint own, uint width) {
#pragma unroll
  for (uint r = 0; r < LINES; r++)
#pragma unroll
    for (uint c = 0; c < EACH; c++) {
      const uint i = first + r * LANES, j = own + c;
      __global const NUM *at = i < m && j < width ? x + (long)i * layout->row + (long)j * layout->column : l;
      value[r][c] = *at;
    }
}

// x: all columns, from the panel's first row on, args.m x args.n; y: pivots, i32, at y.offset + batch * y.batch,
// counted from args.first rows above; z: the panel, of args.round columns, which args.flags columns of x are left of. A
// group changes WIDTH columns of one side: args.chunks groups for each matrix, the ones on the left first.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_lu_right(const weft__block_args args, __global uchar *memory, __global const uchar *pivots,
                   __global const uchar *panels) {
  __local NUM moved[2 * COUNT * WIDTH];
  __local NUM corner[COUNT * PITCH] __attribute__((aligned(16))), tile[TILE * PITCH] __attribute__((aligned(16)));
  __local int from[2 * COUNT], to[2 * COUNT], pivot[COUNT];
  const uint thread = (uint)get_local_id(0), lane = thread / ACROSS, own = thread % ACROSS * EACH;
  const uint m = (uint)args.m, n = (uint)args.n, count = args.round, before = args.flags;
  const ulong batch = get_group_id(0) / args.chunks;
  const uint chunk = (uint)(get_group_id(0) % args.chunks), left = (before + WIDTH - 1) / WIDTH;
  const bool is_right = chunk >= left;
  const uint begin = is_right ? before + count + (chunk - left) * WIDTH : chunk * WIDTH;
  const uint width = min((is_right ? n : before) - begin, (uint)WIDTH), end = is_right ? m : 0;
  const long row = args.x.row, column = args.x.column;
  __global NUM *x = part_of(memory, args.x, batch) + (long)begin * column;
  __global const NUM *l = (__global const NUM *)(panels + args.z.offset) + (long)batch * args.z.batch;
  __global const int *given = (__global const int *)(pivots + args.y.offset) + (long)batch * args.y.batch;
  NUM ahead[LOADS];
  if (is_right) la_load_tile(ahead, l, &args.z, count, m, count);
  for (uint i = thread; i < count; i += WEFT_BLOCK) pivot[i] = given[i] - (int)args.first;
  NUM loaded[EACH_OF(COUNT * COUNT)];
#pragma unroll
  for (uint e = 0; e < EACH_OF(COUNT * COUNT); e++) {
    const uint i = (thread + e * WEFT_BLOCK) / COUNT, j = (thread + e * WEFT_BLOCK) % COUNT;
    const NUM value = l[(long)min(i, count - 1) * args.z.row + (long)min(j, count - 1) * args.z.column];
    loaded[e] = j < i && i < count ? value : of_real(0);
  }
#pragma unroll
  for (uint e = 0; e < EACH_OF(COUNT * COUNT); e++) {
    const uint at = thread + e * WEFT_BLOCK;
    if (at < COUNT * COUNT) corner[at / COUNT * PITCH + at % COUNT] = loaded[e];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  /* where a row's new content comes from: as in weft_lu_swap */
  for (uint i = thread; i < 2 * count; i += WEFT_BLOCK) {
    int at = i < count ? (int)i : pivot[i - count];
    to[i] = at;
    for (int s = (int)count - 1; s >= 0; s--) at = at == s ? pivot[s] : at == pivot[s] ? s : at;
    from[i] = at;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  NUM rows[EACH_OF(2 * COUNT * WIDTH)];
#pragma unroll
  for (uint e = 0; e < EACH_OF(2 * COUNT * WIDTH); e++) {
    const uint at = thread + e * WEFT_BLOCK;
    rows[e] = x[(long)from[min(at / WIDTH, 2 * count - 1)] * row + (long)min(at % WIDTH, width - 1) * column];
  }
#pragma unroll
  for (uint e = 0; e < EACH_OF(2 * COUNT * WIDTH); e++)
    if (thread + e * WEFT_BLOCK < 2 * COUNT * WIDTH) moved[thread + e * WEFT_BLOCK] = rows[e];
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint e = thread; e < 2 * count * WIDTH; e += WEFT_BLOCK) {
    const uint i = e / WIDTH, j = e % WIDTH;
    if (j < width && from[i] != to[i]) x[(long)to[i] * row + (long)j * column] = moved[e];
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (is_right && thread < WIDTH) { /* a thread finds a column of U: more of them would wait for each other */
    NUM u[COUNT];
#pragma unroll
    for (uint i = 0; i < COUNT; i++) {
      u[i] = moved[i * WIDTH + thread];
#pragma unroll
      for (uint k = 0; k < i; k += VECTOR) {
        const la_vector v = la_vector_at(corner + i * PITCH + k);
#pragma unroll
        for (uint p = 0; p < VECTOR; p++)
          if (k + p < i) u[i] = mul_add(-v.element[p], u[k + p], u[i]);
      }
      moved[i * WIDTH + thread] = u[i];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint e = thread; is_right && e < count * WIDTH; e += WEFT_BLOCK)
    if (e % WIDTH < width) x[(long)(e / WIDTH) * row + (long)(e % WIDTH) * column] = moved[e];
  NUM u[EACH][COUNT];
#pragma unroll
  for (uint k = 0; k < COUNT; k++)
#pragma unroll
    for (uint c = 0; c < EACH; c++) u[c][k] = k < count ? moved[k * WIDTH + own + c] : of_real(0);
  NUM next[LINES][EACH];
  la_load_lines(next, x, &args.x, l, count + lane, m, own, width);
  for (uint first = count; first < end; first += TILE) {
    NUM value[LINES][EACH];
#pragma unroll
    for (uint r = 0; r < LINES; r++)
#pragma unroll
      for (uint c = 0; c < EACH; c++) value[r][c] = next[r][c];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint e = 0; e < LOADS; e++) {
      const uint at = thread + e * WEFT_BLOCK;
      if (at < TILE * COUNT) tile[at / COUNT * PITCH + at % COUNT] = ahead[e];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    la_load_tile(ahead, l, &args.z, first + TILE, m, count);
    la_load_lines(next, x, &args.x, l, first + TILE + lane, m, own, width);
#pragma unroll
    for (uint r = 0; r < LINES; r++)
#pragma unroll
      for (uint k = 0; k < COUNT; k += VECTOR) {
        const la_vector v = la_vector_at(tile + (lane + r * LANES) * PITCH + k);
#pragma unroll
        for (uint p = 0; p < VECTOR; p++)
#pragma unroll
          for (uint c = 0; c < EACH; c++) value[r][c] = mul_add(-v.element[p], u[c][k + p], value[r][c]);
      }
#pragma unroll
    for (uint r = 0; r < LINES; r++)
#pragma unroll
      for (uint c = 0; c < EACH; c++)
        if (first + lane + r * LANES < m && own + c < width)
          x[(long)(first + lane + r * LANES) * row + (long)(own + c) * column] = value[r][c];
  }
}
