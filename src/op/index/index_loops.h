// SPDX-License-Identifier: MIT
/// Loops of takes and scatters on the host: from indices to places, and elements between places and a dense array.
#ifndef WEFT_OP_INDEX_INDEX_LOOPS_H
#define WEFT_OP_INDEX_INDEX_LOOPS_H

#include "op/index/gather.h"

/// An axis that indices count along. Recordings keep its bytes.
typedef struct weft__indexed_axis {
  int64_t length, stride;
  int32_t dtype; /* of the indices: i32, u32, i64 or u64 */
  int32_t mode;  /* weft_index_mode, or WEFT__INDEX_SKIP */
} weft__indexed_axis;

/// A place that no element has.
#define WEFT__INDEX_NOWHERE INT64_MIN

/// Finds the distance of the elements of n indices from the first one: index times stride. `adds`: to the places.
/// False: an index is out of range, or skipped, and its place is not one.
typedef bool weft__index_find(int64_t *restrict place, const void *indices, int64_t n, const weft__indexed_axis *axis,
                              bool adds);
weft__index_find *weft__index_finder(const weft__indexed_axis *axis);
/// As a weft__index_find that adds, one index after the other: an index without an element gives the place NOWHERE,
/// which stays one. Returns the number of the first such index; n: there is no such.
int64_t weft__index_find_each(int64_t *place, const void *indices, int64_t n, const weft__indexed_axis *axis);
/// The index number k, as its bits.
uint64_t weft__index_bits(const void *indices, int64_t k, int32_t dtype);

/// Moves n rows of `bytes` bytes between their places and a dense array, in which they begin `step` bytes apart.
typedef void weft__index_move(char *restrict dense, char *restrict indexed, const int64_t *place, int64_t n,
                              size_t bytes, size_t step);
weft__index_move *weft__index_mover(size_t bytes, size_t step, bool puts);

/// Puts one value, of `size` bytes: 1, 2, 4, 8 or 16.
void weft__index_put_one(char *indexed, const char *value, const int64_t *place, int64_t n, size_t size);
/// Puts the values of these numbers, elements of `size` bytes: 1, 2, 4, 8 or 16.
void weft__index_put_numbered(char *indexed, const char *values, const int64_t *number, const int64_t *place, int64_t n,
                              size_t size);

typedef struct weft__index_combining {
  /// Combines n adjacent elements with as many values, or one.
  void (*run)(char *to, const char *from, int64_t n, bool repeats, int32_t operation);
  /// Combines n values, in order, with the elements at their places. `number`: which values; NULL: the first n.
  void (*scatter)(char *indexed, const char *values, const int64_t *number, const int64_t *place, int64_t n,
                  int32_t operation);
} weft__index_combining;
const weft__index_combining *weft__index_combining_of(weft_dtype dtype);

#endif
