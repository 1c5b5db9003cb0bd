// SPDX-License-Identifier: MIT
/// Elements moved between places with strides by the calling thread (mem/at_once.h). Where two axes change places,
/// blocks of 16 x 16 elements are turned in vectors.
#ifndef WEFT_ARRAY_STRIDED_MOVE_H
#define WEFT_ARRAY_STRIDED_MOVE_H

#include "array/strides.h"

/// Moves `count` elements of `size` bytes, which do not overlap their targets.
void weft__move_run(char *to, int64_t to_stride, const char *from, int64_t from_stride, size_t size, int64_t count);
/// Writes `length` copies of each of `rows` elements, one after the other.
void weft__repeat_elements(char *to, const char *from, int64_t from_stride, size_t size, int64_t rows, int64_t length);
/// Writes `count` pairs of an element of x and one of z.
void weft__pair_elements(char *to, const char *x, const char *z, size_t size, int64_t count);
/// Moves the elements of a layout's array 1 to its array 0, which begin at from and to; they do not overlap.
void weft__move_elements(char *to, const char *from, const weft__layout *layout, size_t size);
/// Moves rows of elements of `size` bytes that lie beside each other at their target; at least one of each. Strides in
/// bytes.
void weft__move_rows(char *to, int64_t to_row, const char *from, int64_t from_row, int64_t from_stride, int64_t size,
                     int64_t rows, int64_t columns);
/// Stores an element in each place of rows, which may be none.
void weft__fill_rows(char *to, int64_t to_row, const void *element, int64_t size, int64_t rows, int64_t columns);

#endif
