// SPDX-License-Identifier: MIT
// Arrays joined side by side, many per launch (weft__join_args), for GPUs. A thread stores 16 aligned bytes of the
// result, from any pieces. Needs WEFT_SIZE, WEFT_WIDE and WEFT_BLOCK, as in arrange_gpu.cl, and:
//   WEFT_SOURCES(X)   X(0) X(1) ...: the pieces' buffers
// lint: -DWEFT_SIZE=4 -DWEFT_WIDE=0 -DWEFT_BLOCK=256 -DWEFT_SOURCES(X)=X(0)X(1)
// lint: -DWEFT_SIZE=8 -DWEFT_WIDE=1 -DWEFT_BLOCK=256 -DWEFT_SOURCES(X)=X(0)X(1)
#include "rearrange/chunk.clh"

#define PARAMETER(k) , __global const uchar *restrict x##k
#define CHOOSE(k) \
  if (piece == k) from = x##k;
// Sets `from` to the buffer of a piece: kernel parameters cannot be indexed.
#define BUFFER_OF(piece_)                  \
  {                                        \
    const int piece = (piece_);            \
    WEFT_SOURCES(CHOOSE)                   \
  }

// The piece at position p of a row.
static inline int weft_piece(const weft__join_args *a, weft_number p) {
  int low = 0, high = a->pieces - 1;
#pragma unroll 1
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (p >= (weft_number)a->first[middle])
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_join(const weft__join_args a, __global uchar *restrict to WEFT_SOURCES(PARAMETER)) {
  const ulong chunk = (ulong)get_group_id(0) * WEFT_BLOCK + get_local_id(0);
  if (chunk >= a.chunks) return;
  const long first = (long)(chunk * WEFT_E) - a.skew;
  const long begin = max(first, 0L), end = min(first + WEFT_E, (long)a.number);
  weft_number row = (weft_number)begin / (weft_number)a.width, p = (weft_number)begin - row * (weft_number)a.width;
  int k = weft_piece(&a, p);
  __global const uchar *from = x0;
  BUFFER_OF(k)
  long place = a.from_offset[k] + ((long)row * (a.first[k + 1] - a.first[k]) + ((long)p - a.first[k])) * WEFT_SIZE;
  long to_place = a.to_offset + ((long)row * a.pitch + (long)p) * WEFT_SIZE;
  const bool is_whole = a.is_whole && end - begin == WEFT_E;
  if (is_whole && (long)p + WEFT_E <= a.first[k + 1] && weft_can_load16(from, a.from_end[k], place)) {
    *(__global uint4 *)(to + to_place) = weft_load16(from + place);
    return;
  }
  weft_pair pair = {0, 0};
  __global uint4 *const chunk_place = (__global uint4 *)(to + to_place);
#pragma unroll 1
  for (long i = begin; i < end; i++) {
    const weft_word word = *(__global const weft_word *)(from + place);
    if (is_whole)
      weft_push(&pair, word);
    else
      *(__global weft_word *)(to + to_place) = word;
    place += WEFT_SIZE;
    to_place += WEFT_SIZE;
    if (++p < (weft_number)a.first[k + 1]) continue;
    /* the next piece, or the first piece's next row */
    if (p == (weft_number)a.width) {
      p = 0;
      row++;
      k = -1;
      to_place += (a.pitch - a.width) * WEFT_SIZE;
    }
    k++;
    BUFFER_OF(k)
    place = a.from_offset[k] + (long)row * (a.first[k + 1] - a.first[k]) * WEFT_SIZE;
  }
  if (is_whole) *chunk_place = weft_whole(pair);
}
