// SPDX-License-Identifier: MIT
// Elements of several arrays taken or put by the same indices: each index is read and checked once, by a thread of its
// own. Needs the macros of index/place.clh, and:
//   WEFT_UNIT     an element: uchar, ushort, uint, ulong, uint4
//   WEFT_ARRAYS   number of arrays, 1 to WEFT_INDEX_MANY
//   WEFT_PUT      1: from the dense arrays to the indexed ones
// lint: -DWEFT_INDEX=int -DWEFT_INDEX_SIGNED=1 -DWEFT_MODE=0 -DWEFT_UNIT=uint -DWEFT_ARRAYS=4 -DWEFT_PUT=0
// lint: -DWEFT_INDEX=ulong -DWEFT_INDEX_SIGNED=0 -DWEFT_MODE=1 -DWEFT_UNIT=uint4 -DWEFT_ARRAYS=2 -DWEFT_PUT=1
#define WEFT_ALONG 0
#define WEFT_SIMPLE 1
#define WEFT_WIDE 1
#include "index/place.clh"

#define PARAMETER(k) , __global uchar *restrict dense##k, __global uchar *restrict indexed##k
#define DENSE(k) ((__global WEFT_UNIT *)(dense##k + args.dense_offset[k]))[at]
#define INDEXED(k) ((__global WEFT_UNIT *)(indexed##k + args.indexed_offset[k]))[j * args.stride[k]]
#if WEFT_PUT
#define MOVE(k) if (!bad) INDEXED(k) = DENSE(k);
#else
#define MOVE(k) DENSE(k) = bad ? (WEFT_UNIT)(0) : INDEXED(k);
#endif
#if WEFT_ARRAYS == 1
#define EACH_ARRAY(X) X(0)
#elif WEFT_ARRAYS == 2
#define EACH_ARRAY(X) X(0) X(1)
#elif WEFT_ARRAYS == 3
#define EACH_ARRAY(X) X(0) X(1) X(2)
#else
#define EACH_ARRAY(X) X(0) X(1) X(2) X(3)
#endif

__kernel void weft_many(const weft__index_many_args args, __global const uchar *restrict indices,
                        __global weft__deferred_record *records EACH_ARRAY(PARAMETER)) {
  const ulong at = (ulong)get_global_id(0);
  if (at >= args.total) return;
  const WEFT_INDEX index = ((__global const WEFT_INDEX *)(indices + args.index_offset))[at];
  bool bad = false;
  const long j = weft_resolve(index, args.length, &bad);
  EACH_ARRAY(MOVE)
  if (bad) weft_report(records, args.record, args.epoch, at, (ulong)index);
}
