// SPDX-License-Identifier: MIT
/// Indices of the elements of triangles and diagonals, and of all elements, and the ways to write them (ways.c).
#ifndef WEFT_OP_REARRANGE_TRIANGLE_H
#define WEFT_OP_REARRANGE_TRIANGLE_H

#include "array/array.h"
#include "engine/host_step.h"
#include "engine/ways.h"

typedef enum weft__index_part { WEFT__INDEX_LOWER, WEFT__INDEX_UPPER, WEFT__INDEX_DIAGONAL } weft__index_part;

/// A lower triangle: empty rows, `steep` rows of `first`, first + 1 ... elements, and rows of all columns. An upper one
/// is a lower one whose elements, rows and columns are numbered from the end. A diagonal begins behind `empty` rows and
/// `first` columns.
typedef struct weft__index_triangle {
  int64_t rows, columns;
  int64_t empty, steep, first;
  int64_t before; /* elements in the steep rows */
  int64_t total;
} weft__index_triangle;

/// The task of the ways to write the rows and columns of a triangle's elements, which are some.
typedef struct weft__triangle_task {
  weft_array *rows, *columns;
  const weft__index_triangle *triangle;
  weft__index_part part;
  const char *site;
} weft__triangle_task;
extern const weft__ways weft__triangle_ways;
extern const weft__host_function weft__host_triangle;
WEFT__WAY_FUNCTIONS(triangle, host);
WEFT__WAY_FUNCTION(triangle, formula);

/// The task of the ways to write the indices of all elements, which are some.
typedef struct weft__indices_task {
  weft_array *out; /* [axes, ...] */
  weft_dtype dtype;
  const char *site;
} weft__indices_task;
extern const weft__ways weft__indices_ways;
WEFT__WAY_FUNCTIONS(indices, copies);
bool weft__indices_large_fits(const void *task);
WEFT__WAY_FUNCTION(indices, formula);

#endif
