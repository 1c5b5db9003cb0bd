// SPDX-License-Identifier: MIT
// Products of sparse matrices on GPUs; sparse/common.clh has the method. Also defined in the text in front:
//   S_ITEMS   items of a work-item in a product with a vector: S_TILE / S_BLOCK, odd for the banks of local memory
//   S_LANES   work-items of a team, which share the columns of a product with a matrix
//   S_V, S_RAW  columns of a lane, a divisor of all columns, and the vector type of as many elements of x
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DLINT_COMPLEX
#ifdef WEFT_LINT
#include "sparse/lint.clh"
#endif
#include "sparse/common.clh"

#define TEAMS (S_BLOCK / S_LANES)
#define SLOTS (S_LANES * S_V)
#define AHEAD 4 // rows of x in flight in a lane

/// Item i of a tile is the end of a row if it is equal to ends[row] + row: the row's elements and the rows before it
/// are in front of it. Returns how many rows end in front of item `item`.
static inline uint rows_before(__local const ushort *ends, uint rows, uint item) {
  uint low = 0, high = min(rows, item);
  while (low < high) {
    const uint middle = (low + high) / 2;
    if (ends[middle] + middle < item)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Multiplies with a vector, a tile for each work-group. Elements are multiplied in coalesced order into local memory,
/// and the last one of each row is marked there. Then each work-item adds up S_ITEMS neighbours, up to each mark, and a
/// scan over the work-items joins the parts of rows.
__kernel __attribute__((reqd_work_group_size(S_BLOCK, 1, 1))) void weft_csr_vector(S_PARAMETERS) {
  S_BEGIN
  __local M_ACC products[S_TILE]; // later the sums of rows
  __local ushort marks[S_TILE];   // of a row's last element the row's number in the tile, from 1
  __local M_ACC scan[2 * S_BLOCK];
  __local uchar flags[2 * S_BLOCK];
  const uint id = (uint)get_local_id(0);
  const ulong number = get_group_id(0) + (ulong)get_group_id(1) * get_num_groups(0);
  weft_csr_tile t;
  t.row = t.element = 0;
  t.rows = t.elements = 0;
  t.begins_inside = false;
  if (number < args.split) t = weft_csr_tile_of(args, tiles, indptr, number);
  M_A values[S_ITEMS];
  S_INDEX columns[S_ITEMS];
#pragma unroll
  for (uint k = 0; k < S_ITEMS; k++) {
    const uint i = id + k * S_BLOCK;
    marks[i] = 0;
    if (i < t.elements) {
      columns[k] = indices[t.element + i];
      values[k] = data[t.element + i];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint empty = 0; // this work-item's rows without an element in the tile
  for (uint i = id, k = 0; i < t.rows; i += S_BLOCK, k++) {
    const ulong begin = max((ulong)indptr[t.row + i], t.element), end = (ulong)indptr[t.row + i + 1];
    if (end > begin)
      marks[end - 1 - t.element] = (ushort)(i + 1);
    else
      empty |= 1u << k;
  }
#pragma unroll
  for (uint k = 0; k < S_ITEMS; k++) {
    const uint i = id + k * S_BLOCK;
    if (i < t.elements) {
      const M_A value = values[k];
      const M_B factor = x[columns[k]];
      products[i] = M_MUL(M_LOAD_A(value), M_LOAD_B(factor));
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  M_ACC product[S_ITEMS];
  uint mark[S_ITEMS];
#pragma unroll
  for (uint k = 0; k < S_ITEMS; k++) {
    const uint i = id * S_ITEMS + k;
    product[k] = M_ZERO;
    mark[k] = marks[i];
    if (i < t.elements) product[k] = products[i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  M_ACC sum = M_ZERO, head = M_ZERO;
  uint first = 0; // the first row that ends here, from 1
#pragma unroll
  for (uint k = 0; k < S_ITEMS; k++) {
    sum = M_ADD(sum, product[k]);
    if (mark[k]) {
      if (first)
        products[mark[k] - 1] = sum;
      else
        head = sum, first = mark[k];
      sum = M_ZERO;
    }
  }
  for (uint i = id; empty; i += S_BLOCK, empty >>= 1)
    if (empty & 1) products[i] = M_ZERO;

  // sums of the elements behind the last row end, over work-items
  uint from = 0;
  uchar flag = first > 0;
  scan[id] = sum;
  flags[id] = flag;
#pragma unroll
  for (uint step = 1; step < S_BLOCK; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id >= step) {
      if (!flag) sum = M_ADD(scan[from + id - step], sum);
      flag |= flags[from + id - step];
    }
    from ^= S_BLOCK;
    scan[from + id] = sum;
    flags[from + id] = flag;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (first) products[first - 1] = id > 0 ? M_ADD(scan[from + id - 1], head) : head;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = id; i < t.rows; i += S_BLOCK) {
    if (i == 0 && t.begins_inside)
      heads[number] = products[0];
    else
      weft_matmul_store(M_ARGUMENTS, place, t.row + i, 0, products[i]);
  }
  if (number < args.split && id == S_BLOCK - 1) tails[number] = sum;
}

typedef WEFT_PACK(M_B, S_V, S_RAW) x_chunk;

static inline void load_x(__private M_ACC *to, __global const M_B *restrict from) {
  x_chunk chunk;
  WEFT_SPLIT(S_RAW, chunk.word, *(__global const S_RAW *)from)
#pragma unroll
  for (uint v = 0; v < S_V; v++) to[v] = M_LOAD_B(chunk.e[v]);
}

/// Stores a lane's columns of a row.
static inline void store_columns(M_PARAMETERS, const weft_matmul_place place, ulong row, ulong column,
                                 const __private M_ACC *sum) {
#if M_CHUNK == S_V
  weft_matmul_store_chunk(M_ARGUMENTS, place, row, column, sum);
#else
  for (uint v = 0; v < S_V; v++) weft_matmul_store(M_ARGUMENTS, place, row, column + v, sum[v]);
#endif
}

/// Multiplies with a matrix, a tile and SLOTS columns for each work-group. Each team of lanes has a part of the tile's
/// items.
__kernel __attribute__((reqd_work_group_size(S_BLOCK, 1, 1))) void weft_csr_matrix(S_PARAMETERS) {
  S_BEGIN
  __local ushort ends[S_TILE];
  __local M_ACC team_tails[TEAMS * SLOTS];
  __local uchar team_ends[TEAMS];
  const uint id = (uint)get_local_id(0), team = id / S_LANES, lane = id % S_LANES;
  const ulong number = get_group_id(0), part = get_group_id(1) + (ulong)get_group_id(2) * get_num_groups(1);
  const ulong column = part * SLOTS + lane * S_V;
  const weft_csr_tile t = weft_csr_tile_of(args, tiles, indptr, number);
  for (uint i = id; i < t.rows; i += S_BLOCK) ends[i] = (ushort)((ulong)indptr[t.row + i + 1] - t.element);
  barrier(CLK_LOCAL_MEM_FENCE);

  const uint items = t.rows + t.elements, share = (items + TEAMS - 1) / TEAMS;
  const uint from = min(team * share, items), to = min(from + share, items);
  uint row = rows_before(ends, t.rows, from), element = from - row;
  const uint first = row, rows = rows_before(ends, t.rows, to), elements = to - rows;
  M_ACC sum[S_V], head[S_V];
#pragma unroll
  for (uint v = 0; v < S_V; v++) sum[v] = head[v] = M_ZERO;
  const bool is_in = column < args.n; // all lanes reach the barrier
  while (is_in && (row < rows || element < elements)) {
    M_ACC factor[AHEAD][S_V], value[AHEAD];
#pragma unroll
    for (uint u = 0; u < AHEAD; u++) {
      if (element + u < elements) {
        const M_A stored = data[t.element + element + u];
        value[u] = M_LOAD_A(stored);
        load_x(factor[u], x + (ulong)indices[t.element + element + u] * args.n + column);
      }
    }
#pragma unroll
    for (uint u = 0; u <= AHEAD; u++) {
      while (row < rows && ends[row] == element) { // the ends of rows in front of element u
        if (row > first) store_columns(M_ARGUMENTS, place, t.row + row, column, sum);
#pragma unroll
        for (uint v = 0; v < S_V; v++) {
          if (row == first) head[v] = sum[v];
          sum[v] = M_ZERO;
        }
        row++;
      }
      if (u < AHEAD && element < elements) {
#pragma unroll
        for (uint v = 0; v < S_V; v++) sum[v] = M_FMA(value[u], factor[u][v], sum[v]);
        element++;
      }
    }
  }

  // the first row that ends in a team's part has the parts of the teams before, back to the last row end
#pragma unroll
  for (uint v = 0; v < S_V; v++) team_tails[team * SLOTS + lane * S_V + v] = sum[v];
  if (lane == 0) team_ends[team] = rows > first;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint back = team;
  while (back > 0 && !team_ends[back - 1]) back--;
  if (back > 0) back--;
  M_ACC before[S_V];
#pragma unroll
  for (uint v = 0; v < S_V; v++) before[v] = M_ZERO;
  for (; back < team; back++) {
#pragma unroll
    for (uint v = 0; v < S_V; v++) before[v] = M_ADD(before[v], team_tails[back * SLOTS + lane * S_V + v]);
  }
  if (!is_in) return;
#pragma unroll
  for (uint v = 0; v < S_V; v++) {
    head[v] = M_ADD(before[v], head[v]);
    if (rows == first) sum[v] = M_ADD(before[v], sum[v]);
    if (team == TEAMS - 1) tails[number * args.n + column + v] = sum[v];
    if (first == 0 && rows > 0 && t.begins_inside) heads[number * args.n + column + v] = head[v];
  }
  if (rows > first && !(first == 0 && t.begins_inside))
    store_columns(M_ARGUMENTS, place, t.row + first, column, head);
}
