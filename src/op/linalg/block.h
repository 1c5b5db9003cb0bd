// SPDX-License-Identifier: MIT
/// What the ways for large matrices share: parts of matrices as kernel arguments, the launches, and small tasks that
/// several steps have.
#ifndef WEFT_OP_LINALG_BLOCK_H
#define WEFT_OP_LINALG_BLOCK_H

#include "array/array.h"
#include "cl/linalg/block_args.h"
#include "op/linalg/tuning.h"

typedef enum weft__block_kernel {
  WEFT__BLOCK_CHOLESKY = 0,
  WEFT__BLOCK_CHOLESKY_COLUMNS,
  WEFT__BLOCK_CHOLESKY_REST,
  WEFT__BLOCK_CHOLESKY_STEPS,
  WEFT__BLOCK_SOLVE,
  WEFT__BLOCK_FIND_ZERO,
  WEFT__BLOCK_SOLVE_CHAIN,
  WEFT__BLOCK_LU_PANEL,
  WEFT__BLOCK_LU_SWAP,
  WEFT__BLOCK_LU_GRID,
  WEFT__BLOCK_LU_RIGHT,
  WEFT__BLOCK_LU_INVERT,
  WEFT__BLOCK_LU_COLUMNS,
  WEFT__BLOCK_QR_PANEL,
  WEFT__BLOCK_QR_JOIN,
  WEFT__BLOCK_QR_ROWS,
  WEFT__BLOCK_QR_APPLY,
  WEFT__BLOCK_JACOBI_PREPARE,
  WEFT__BLOCK_JACOBI_SHIFT,
  WEFT__BLOCK_JACOBI_QUOTIENTS,
  WEFT__BLOCK_JACOBI_ROTATE,
  WEFT__BLOCK_JACOBI_LENGTHS,
  WEFT__BLOCK_JACOBI_ORDER,
  WEFT__BLOCK_JACOBI_VALUES,
  WEFT__BLOCK_JACOBI_SIGN,
  WEFT__BLOCK_JACOBI_ROUNDS,
} weft__block_kernel;

/// One launch. The arrays are the kernel's buffers, in its order.
typedef struct weft__block_launch {
  weft__block_kernel kernel;
  weft_dtype dtype;
  uint64_t chunks; /* groups for each matrix; 0: one */
  weft__block_args args;
  int arrays;
  const weft_array *array[3];
  bool writes[3];
  weft__storage *state; /* a fourth buffer; NULL: none */
  const char *what, *site;
} weft__block_launch;
weft_status weft__block_run(weft__block_launch *launch);

/// Sizes in which the devices differ.
typedef struct weft__linalg_sizes {
  uint64_t threads;       /* of a group, at most; 1: no threads share work */
  uint64_t solve_columns; /* of a group, of right-hand sides of triangles */
  int64_t lu_panel;       /* columns between exchanges of the whole rows */
  int64_t lu_columns;     /* of them a launch's; 0: weft__block_panel */
  int64_t lu_short;       /* rows up to which each panel of the kernel changes all other columns */
  int64_t qr_panel;       /* columns that the panel's kernel factors */
  uint64_t rotated;       /* rows of a block that rotations keep in registers, at most */
  int64_t spectrum;       /* side up to which the kernels of small matrices rotate, if LAPACK is there */
  uint8_t matrices;       /* of a group whose threads have a matrix each */
  uint64_t elements;      /* of all small matrices of a group, about; 0: a matrix for each team */
} weft__linalg_sizes;
const weft__linalg_sizes *weft__linalg_sizes_of(const weft_context *context);

/// Adds the macros of cl/linalg/number.clh for this dtype.
void weft__define_number(weft__text *text, weft_dtype dtype);

/// The greatest side of a diagonal block of this dtype on this device: 8, 16, 32 or 64.
int64_t weft__block_side(const weft_context *context, weft_dtype dtype);
/// Of the kernel that rotates blocks of `width` rows: the threads of a group; the elements that a thread has of a part
/// of a row, of which a team of threads has all; and whether there is room for this many bytes of a row in a thread.
uint64_t weft__block_rotating(const weft_context *context, uint64_t width);
uint64_t weft__block_row_part(uint64_t elements, uint64_t team);
bool weft__block_rows_fit(const weft_context *context, uint64_t threads, uint64_t each_bytes);
/// About half of n: a multiple of `side`.
static inline int64_t weft__block_half(int64_t n, int64_t side) {
  return (n / 2 + side - 1) / side * side;
}
/// Threads of a group of this kernel.
uint64_t weft__block_threads(const weft_context *context, weft__block_kernel kernel);
/// Rows of a thread in the panels' kernels that keep rows in registers: as many as are needed and have room.
uint64_t weft__block_rows_each(const weft_context *context, weft_dtype dtype, uint64_t rows);
/// The greatest number of columns of an LU panel whose rows are in registers.
int64_t weft__block_panel(weft_dtype dtype);
/// The groups for each matrix for `count` items, `per_group` each, on this device.
uint64_t weft__block_chunks(const weft_context *context, uint64_t batches, uint64_t count, uint64_t per_group);

/// A `[batch, m, n]` with any strides, as a kernel takes it.
weft__block_matrix weft__block_matrix_of(const weft_array *x);
/// Rows and columns of a `[batch, m, n]`, as a temporary copy.
weft_array weft__block_part(const weft_array *x, int64_t row, int64_t rows, int64_t column, int64_t columns);

/// c = c - a @ b. c shares no element with a or b.
weft_status weft__block_subtract(weft_array *c, const weft_array *a, const weft_array *b, const char *site);
/// Makes *out = a @ b.
weft_status weft__block_product(weft_array **out, const weft_array *a, const weft_array *b, const char *site);
/// Makes a conjugated copy if the dtype is complex; else *out stays NULL.
weft_status weft__block_conjugated(weft_array **out, const weft_array *x, const char *site);

/// Conjugates x in place.
weft_status weft__conjugate(weft_array *x, const char *site);
/// Makes a contiguous `[batch, n, m]` of a `[batch, m, n]`.
weft_status weft__transposed_copy(weft_array **out, const weft_array *x, const char *site);
/// Sets x to the transposed, or adjoint, y.
weft_status weft__assign_transposed(weft_array *x, const weft_array *y, bool conjugates, const char *site);
/// Sets x to identity matrices.
weft_status weft__identity(weft_array *x, const char *site);
/// Sets the elements above the diagonal to 0.
weft_status weft__clear_upper(weft_array *x, const char *site);
/// Sets u to the upper triangle of a's first rows, as many as u has.
weft_status weft__take_upper(weft_array *u, const weft_array *a, const char *site);
/// Sets l to the lower triangle of a's first columns, as many as l has, with a diagonal of 1.
weft_status weft__take_unit_lower(weft_array *l, const weft_array *a, const char *site);
/// Exchanges row i and row pivots[i] of b for i from 0 on.
weft_status weft__swap_rows(weft_array *b, const weft_array *pivots, const char *site);
/// Exchanges row i and row pivots[i] for i from `first` on, `count` times.
weft_status weft__swap_some_rows(weft_array *b, const weft_array *pivots, int64_t first, int64_t count,
                                 const char *site);
/// info: the place of the first zero on the diagonal of t, or 0.
weft_status weft__find_zero_pivot(weft_array *info, const weft_array *t, bool is_unit, const char *site);
/// info: where it is 0, the place of the first element on the diagonal of t that is not finite, or 0.
weft_status weft__find_broken_pivot(weft_array *info, const weft_array *t, const char *site);

#endif
