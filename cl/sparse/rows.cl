// SPDX-License-Identifier: MIT
// Rows and columns of stored elements (weft__csr_rows_args). A work-item has `chunk` elements, in order. Defined in
// the text in front:
//   S_INDEX   the type of `indptr` and `indices`: int or long
//   S_WIDE, S_RAW  how many of these have 16 bytes, and the vector type that moves them (chunk.clh)
//   S_UNIT    a type of an element's size
// lint: -DS_INDEX=int -DS_WIDE=4 -DS_RAW=uint4 -DS_UNIT=uint
#include "chunk.clh"
#include "sparse/args.h"
#define S_STARTS S_INDEX
#include "sparse/block.clh"

typedef WEFT_PACK(S_INDEX, S_WIDE, S_RAW) weft_indices;

#define ITEM (get_group_id(0) * get_local_size(0) + get_local_id(0))
#define BEGIN_ELEMENTS                         \
  const ulong begin = ITEM * args.chunk;       \
  const ulong end = min(begin + args.chunk, (ulong)args.elements); \
  if (begin >= end) return;

/// The row of element i, which is one of low .. high - 1.
static inline ulong weft_row_between(__global const S_INDEX *indptr, ulong low, ulong high, ulong i) {
  while (high - low > 1) {
    const ulong middle = low + (high - low) / 2;
    if ((ulong)indptr[middle] <= i)
      low = middle;
    else
      high = middle;
  }
  return low;
}
static inline ulong weft_row_of(__global const S_INDEX *indptr, ulong rows, ulong i) {
  return weft_row_between(indptr, 0, rows, i);
}

// Makes `row`, the row of the element before, the row of element i: rows may be empty.
#define NEXT_ROW(i) while ((ulong)indptr[row + 1] <= (i)) row++;

#define NEAR_ROWS 2048 // whose first elements a block keeps in local memory

/// How many of `rows` starts, which rise from 0, are below `at`.
static inline uint weft_start_before(__local const uint *start, uint rows, uint at) {
  uint low = 0;
  for (uint high = rows; low < high;) {
    const uint middle = (low + high) / 2;
    if (start[middle] < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
typedef struct {
  weft_found found;
  uint start[NEAR_ROWS + 1]; // of the block's rows, from its first element on
  uint marks[WORDS], before[WORDS]; // a bit for each element that begins a row, and the bits before a word
  uint has_empty;
} weft_near;

/// weft_csr_rows for a block, which has as many elements as its threads have chunks, between the rows of its first and
/// its last one; 16 bytes of rows in each thread. A row's number is a count of bits, if no row between is empty, and
/// searched for otherwise.
static inline __attribute__((always_inline)) // as WEFT_INLINE of warp.clh
void weft_block_expand(const weft__csr_rows_args *args, __local weft_near *near, __global S_INDEX *to,
                       __global const S_INDEX *indptr) {
  const uint thread = (uint)get_local_id(0), threads = (uint)get_local_size(0);
  const ulong begin = get_group_id(0) * threads * args->chunk;
  const ulong end = min(begin + threads * args->chunk, (ulong)args->elements);
  for (uint k = thread; k < WORDS; k += threads) near->marks[k] = 0;
  if (thread == 0) near->has_empty = 0;
  weft_block_rows(&near->found, indptr, args->rows, begin, end - 1);
  const ulong low = near->found.low[0], rows = near->found.low[1] + 1 - low;
  const bool is_near = rows <= NEAR_ROWS;
  for (uint k = thread; k <= rows && is_near; k += threads) {
    const uint at = (uint)(min(max((ulong)indptr[low + k], begin), end) - begin), mark = 1u << at % 32;
    near->start[k] = at;
    if (k < rows && (atomic_or(&near->marks[at / 32], mark) & mark)) near->has_empty = 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!is_near) {
    for (ulong i = begin + thread; i < end; i += threads) to[i] = (S_INDEX)weft_row_between(indptr, low, low + rows, i);
    return;
  }
  const bool is_even = ((ulong)(to + begin) & 15) == 0, counts = !near->has_empty;
  const uint count = (uint)(end - begin);
  for (uint k = thread; k < WORDS && counts; k += threads)
    near->before[k] = weft_start_before(near->start, (uint)rows, 32 * k);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = S_WIDE * thread; i < count; i += S_WIDE * threads) {
    weft_indices found_rows;
    const uint word = near->marks[i / 32] >> i % 32;
    uint row = near->before[i / 32];
    if (counts) {
      row += popcount(near->marks[i / 32] ^ word << i % 32);
#pragma unroll
      for (uint k = 0; k < S_WIDE; k++) {
        row += word >> k & 1;
        found_rows.e[k] = (S_INDEX)(low + row - 1);
      }
    } else {
      row = weft_start_before(near->start, (uint)rows, i + 1) - 1;
#pragma unroll
      for (uint k = 0; k < S_WIDE; k++) {
        while (i + k < count && near->start[row + 1] <= i + k) row++;
        found_rows.e[k] = (S_INDEX)(low + row);
      }
    }
    if (is_even && i + S_WIDE <= count) {
      *(__global S_RAW *)(to + begin + i) = WEFT_WHOLE(S_RAW, found_rows.word);
    } else {
#pragma unroll
      for (uint k = 0; k < S_WIDE; k++)
        if (i + k < count) to[begin + i + k] = found_rows.e[k];
    }
  }
}

/// weft_csr_rows, and copies of the indices and the values.
__kernel void weft_csr_coo(const weft__csr_rows_args args, __global uchar *to_bytes, __global uchar *to_indices_bytes,
                           __global uchar *to_values_bytes, __global const uchar *restrict indptr_bytes,
                           __global const uchar *restrict indices_bytes,
                           __global const uchar *restrict values_bytes) {
  __global S_INDEX *restrict to_indices = (__global S_INDEX *)(to_indices_bytes + args.to_indices);
  __global S_UNIT *restrict to_values = (__global S_UNIT *)(to_values_bytes + args.counts);
  __global const S_INDEX *restrict indices = (__global const S_INDEX *)(indices_bytes + args.indices);
  __global const S_UNIT *restrict values = (__global const S_UNIT *)(values_bytes + args.values);
  __local weft_near near;
  const uint thread = (uint)get_local_id(0), threads = (uint)get_local_size(0);
  const ulong begin = get_group_id(0) * threads * args.chunk;
  const ulong end = min(begin + threads * args.chunk, (ulong)args.elements);
  COPY_BLOCK(S_INDEX, to_indices, indices)
  COPY_BLOCK(S_UNIT, to_values, values)
  weft_block_expand(&args, &near, (__global S_INDEX *)(to_bytes + args.to),
                    (__global const S_INDEX *)(indptr_bytes + args.indptr));
}

/// Sets to[i] to the row of element i.
__kernel void weft_csr_rows(const weft__csr_rows_args args, __global uchar *to_bytes,
                            __global const uchar *restrict indptr_bytes) {
  __global S_INDEX *restrict to = (__global S_INDEX *)(to_bytes + args.to);
  __global const S_INDEX *restrict indptr = (__global const S_INDEX *)(indptr_bytes + args.indptr);
  __local weft_near near;
  weft_block_expand(&args, &near, to, indptr);
}

/// Sets *to to 1 if a row has a column that is not beyond the one before. A block marks its elements that begin a row.
__kernel void weft_csr_order(const weft__csr_rows_args args, __global uchar *to_bytes,
                             __global const uchar *restrict indptr_bytes,
                             __global const uchar *restrict indices_bytes) {
  __global const S_INDEX *restrict indptr = (__global const S_INDEX *)(indptr_bytes + args.indptr);
  __global const S_INDEX *restrict column = (__global const S_INDEX *)(indices_bytes + args.indices);
  int falls = 0;
  __local weft_found found;
  __local uint marks[WORDS];
  const uint thread = (uint)get_local_id(0), threads = (uint)get_local_size(0);
  const ulong begin = get_group_id(0) * threads * args.chunk;
  const ulong end = min(begin + threads * args.chunk, (ulong)args.elements);
  weft_block_marks(marks, &found, indptr, args.rows, begin, end);
  for (ulong i = begin + thread; i < end; i += threads)
    if (i > 0 && column[i - 1] >= column[i]) falls |= !(marks[(i - begin) / 32] >> (i - begin) % 32 & 1);
  if (falls) *(__global int *)(to_bytes + args.to) = 1;
}

/// Puts the elements into a dense matrix.
__kernel void weft_csr_dense(const weft__csr_rows_args args, __global uchar *to_bytes,
                             __global const uchar *restrict indptr_bytes, __global const uchar *restrict indices_bytes,
                             __global const uchar *restrict values_bytes) {
  __global S_UNIT *restrict to = (__global S_UNIT *)(to_bytes + args.to);
  __global const S_INDEX *restrict indptr = (__global const S_INDEX *)(indptr_bytes + args.indptr);
  __global const S_INDEX *restrict column = (__global const S_INDEX *)(indices_bytes + args.indices);
  __global const S_UNIT *restrict value = (__global const S_UNIT *)(values_bytes + args.values);
  BEGIN_ELEMENTS
  ulong row = weft_row_of(indptr, args.rows, begin);
  for (ulong i = begin; i < end; i++) {
    NEXT_ROW(i)
    to[row * args.columns + (ulong)column[i]] = value[i];
  }
}
