// SPDX-License-Identifier: MIT
/// Loops over rows on the host (op/reduce/row_loops.c), and what they leave of a row or a part of one.
#ifndef WEFT_OP_REDUCE_ROW_LOOPS_H
#define WEFT_OP_REDUCE_ROW_LOOPS_H

#include "engine/host_step.h"
#include "op/reduce/division.h"

#define WEFT__ROW_LANES 64 /* R_WIDE of cl/reduce/cpu.cl; of compensated sums half as many */

enum {
  WEFT__ROW_ANY,
  WEFT__ROW_ALL,
  WEFT__ROW_MIN,
  WEFT__ROW_MAX,
  WEFT__ROW_NANMIN,
  WEFT__ROW_NANMAX,
  WEFT__ROW_ARGMIN,
  WEFT__ROW_ARGMAX,
  WEFT__ROW_COUNT,
  WEFT__ROW_SUM,
  WEFT__ROW_SQUARES,
  WEFT__ROW_DOT,
  WEFT__ROW_MAGNITUDES,
  WEFT__ROW_PROD,
  WEFT__ROW_VARIANCE,
  WEFT__ROW_EQUAL,
  WEFT__ROW_LEAST_SIZE, /* of magnitudes */
  WEFT__ROW_MOST_SIZE,
  WEFT__ROW_NUMBERS, /* the elements that are no NaNs, counted; then the forms that leave NaNs out */
  WEFT__ROW_NANSUM,
  WEFT__ROW_NANPROD,
  WEFT__ROW_NANARGMIN,
  WEFT__ROW_NANARGMAX,
  WEFT__ROW_NANVARIANCE,
  WEFT__ROW_LOOPS /* none */
};

/// The integers: X(NAME, type, least, greatest).
#define WEFT__ROW_INTEGERS(X)           \
  X(I8, int8_t, INT8_MIN, INT8_MAX)     \
  X(U8, uint8_t, 0, UINT8_MAX)          \
  X(I16, int16_t, INT16_MIN, INT16_MAX) \
  X(U16, uint16_t, 0, UINT16_MAX)       \
  X(I32, int32_t, INT32_MIN, INT32_MAX) \
  X(U32, uint32_t, 0, UINT32_MAX)       \
  X(I64, int64_t, INT64_MIN, INT64_MAX) \
  X(U64, uint64_t, 0, UINT64_MAX)

/// Mean and sum of squared distances from it; `origin`: what the mean is the distance from.
typedef struct weft__row_variance {
  double mean, origin, squares;
  uint64_t n;
} weft__row_variance;

/// What a loop leaves.
typedef union weft__row_part {
  double pair[2]; /* a sum of floats, and its rounding error */
  weft__row_variance variance;
  struct {
    union {
      char bytes[8]; /* an element, a byte for any and all, a sum of integers, a product of 8 bytes */
      int64_t place;
    } value;
    char most[8];  /* of ranges: value is the least element */
    int64_t place; /* of places: value is the element there; of means without NaNs the count of the others */
  };
} weft__row_part;

/// Reduces n elements of one array or two to *to. `stride`: by one accumulator, the elements this far apart; 0: by
/// lanes, the elements without gaps.
typedef void weft__row_loop(void *to, const void *const from[2], size_t n, size_t stride);

/// Which loop computes the reduction of elements of the dtype; WEFT__ROW_LOOPS: none.
int weft__row_loop_id(const weft__reduce_what *what, weft_dtype dtype);
/// Combines the variances of two sets of elements (Chan, Golub and LeVeque, 1979), as cl/reduce/ops.clh.
void weft__row_join_variances(weft__row_variance *a, const weft__row_variance *b);
/// Adds an element.
void weft__row_vary(weft__row_variance *a, double v, bool is_shifted);
/// The dtype whose loop has the same bits: signs make no difference to truths, counts and equality.
static inline weft_dtype weft__row_loop_dtype(int id, weft_dtype dtype) {
  const bool is_truth = id == WEFT__ROW_ANY || id == WEFT__ROW_ALL || id == WEFT__ROW_COUNT || id == WEFT__ROW_EQUAL;
  return is_truth && dtype >= WEFT_I8 && dtype <= WEFT_I64 ? dtype + (WEFT_U8 - WEFT_I8) : dtype;
}
/// NULL: no loop computes this.
weft__row_loop *weft__row_loop_find(int id, weft_dtype dtype);
/// The loop of a reduction; NULL: no loop computes it.
static inline weft__row_loop *weft__row_loop_of(const weft__reduce_what *what, weft_dtype dtype) {
  return weft__row_loop_find(weft__row_loop_id(what, dtype), dtype);
}
/// Reduces n elements, at least one, by the reduction's loop.
void weft__row_reduce(weft__row_part *part, weft__row_loop *loop, const weft__reduce_what *what, weft_dtype dtype,
                      const void *const from[2], size_t n, size_t stride);
/// Combines `count` parts, which are `apart` parts apart, into the first, in their order.
void weft__row_join(weft__row_part *part, const weft__reduce_what *what, weft_dtype dtype, size_t count, size_t apart);
/// Adds to a place that was found among the elements from `first` on.
void weft__row_move_place(weft__row_part *part, const weft__reduce_what *what, int64_t first);
/// The elements of a result: `rows` rows of n elements. Rows and elements are `apart` and `stride` elements apart.
typedef struct weft__row_elements {
  const void *from;
  int64_t rows, apart, n, stride;
} weft__row_elements;
/// Stores the result of the elements, which the part has.
void weft__row_store(char *to, const weft__reduce_what *what, weft_dtype dtype, const weft__row_part *part,
                     const weft__row_elements *of, int64_t ddof);
/// Stores the results of n parts, each of `length` elements, if these need no more than the parts; false: they do.
bool weft__row_store_values(char *to, const weft__reduce_what *what, weft_dtype dtype, const weft__row_part *part,
                            size_t n, double length, int64_t ddof);
/// A reduction without pointers: recordings keep it.
typedef struct weft__row_sharing {
  weft__reduce_what what;
  int32_t dtype, stored, shares; /* dtypes of the loops' elements and of the array's */
  bool are_columns;
  weft__strided_split s;
  int64_t each, splits, per, ddof; /* rows of a result; parts of a row or column, and elements of a part */
} weft__row_sharing;
/// Reduces rows without gaps that begin at `from`.
void weft__row_reduce_rows(char *to, const weft__row_sharing *sharing, const char *const from[2], int64_t rows);

/// Whether elements that are side by side for the loops are elsewhere, or of another dtype.
static inline bool weft__row_is_moved(const weft__row_sharing *t, int64_t count, int64_t stride) {
  return t->stored != t->dtype || (stride != 1 && count > 1);
}
/// Moves rows of n elements to be side by side, in the loops' dtype. Strides in elements.
void weft__row_load(char *to, const weft__row_sharing *sharing, const char *from, int64_t row_stride, int64_t stride,
                    int64_t rows, int64_t n);

/* ---- columns: op/reduce/column_loops.c ---- */

bool weft__columns_work(const weft__reduce_what *what, weft_dtype dtype);
/// Sets splits, per and shares for up to `wanted` threads. `grouping_units`: weft__grouping_units.
void weft__columns_divide(weft__row_sharing *sharing, uint64_t units, uint64_t grouping_units, uint64_t wanted);
/// Returns 0 or WEFT__HOST_NO_MEMORY.
int weft__columns_reduce(char *to, const char *from, const weft__row_sharing *sharing);

extern const weft__host_function weft__host_reduce;

#endif
