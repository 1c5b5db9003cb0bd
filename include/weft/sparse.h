// SPDX-License-Identifier: MIT
/// Sparse matrices in compressed rows (CSR), and their products with vectors and matrices.
///
///     weft_csr *a = NULL;
///     rc = weft_csr_from_coo(&a, context, rows, columns, values, WEFT_SHAPE(3, 4));  duplicates are summed
///     rc = weft_csr_matmul(&y, a, x);                                                y = a @ x
///     rc = weft_csr_matmul(&y, a, x, .scale = WEFT_SCALAR(-1), .accumulate = WEFT_SCALAR(1));    y = y - a @ x
///     weft_csr_release(&a);
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_SPARSE_H
#define WEFT_SPARSE_H

#include <weft/matmul.h>

WEFT_BEGIN_DECLS

/* ---- sparse matrices ----
   A weft_csr holds the stored elements of a matrix of m rows and n columns, row by row, in three arrays: `data` and
   `indices`, the elements and their columns, and `indptr`, of m + 1 numbers: row i has the elements indptr[i] up to,
   but without, indptr[i + 1]. The columns of a row are in ascending order and none occurs twice. A stored element may
   be 0. Elements have any dtype. Indices are i32 if m, n and the number of elements fit, else i64.

   A weft_csr does not change after it was made, except that weft_csr_parts gives access to its elements. The functions
   that make one copy their operands. They wait for the device, because the checks of the indices and the number of
   elements decide what follows; weft_csr_transpose waits on CPU devices alone. Their scratch is about three times the
   operands' memory. m * n is below 2^63 - 1 (WEFT_ERROR_OVERFLOW). */

/// A sparse matrix in compressed rows.
typedef struct weft_csr weft_csr;

/// What a sparse matrix is.
typedef struct weft_csr_info {
  int64_t rows, columns;
  int64_t count;          /* stored elements */
  weft_dtype dtype;       /* of the elements */
  weft_dtype index_dtype; /* i32 or i64 */
} weft_csr_info;

/// Makes a matrix of m rows and n columns, WEFT_SHAPE(m, n), from elements in any order: values[k] in row rows[k] and
/// column columns[k]. The three operands have one axis and the same length. Values at one place are added in their
/// order; of bools the sum is or. `context` may be NULL: the operands' context, else the default one. *out must be
/// NULL. Errors: WEFT_ERROR_SHAPE, WEFT_ERROR_DTYPE (rows or columns are no integers), WEFT_ERROR_INDEX (outside of the
/// matrix; the message names the first one).
WEFT_API WEFT_NODISCARD weft_status weft_csr_from_coo(weft_csr **out, weft_context *context, const weft_array *rows,
                                                      const weft_array *columns, const weft_array *values,
                                                      weft_shape shape);
/// Makes a matrix from the three arrays of another library's, with the same meaning; columns of a row may be in any
/// order and occur several times. `context` and *out: as for weft_csr_from_coo. Errors: WEFT_ERROR_SHAPE,
/// WEFT_ERROR_DTYPE, WEFT_ERROR_INDEX (columns outside of the matrix; an `indptr` that does not rise from 0 to the
/// number of elements).
WEFT_API WEFT_NODISCARD weft_status weft_csr_create(weft_csr **out, weft_context *context, const weft_array *indptr,
                                                    const weft_array *indices, const weft_array *data,
                                                    weft_shape shape);
/// Makes a matrix of the nonzero elements of `x`, which has two axes (WEFT_ERROR_SHAPE). `context` and *out: as for
/// weft_csr_from_coo.
WEFT_API WEFT_NODISCARD weft_status weft_csr_from_dense(weft_csr **out, weft_context *context, const weft_array *x);
/// Adds a reference and returns its argument. NULL is allowed.
WEFT_API weft_csr *weft_csr_retain(weft_csr *matrix);
/// Drops a reference and sets *matrix to NULL. NULL is allowed.
WEFT_API void weft_csr_release(weft_csr **matrix);

/// Reads shape, number of elements and dtypes. Makes no OpenCL call.
WEFT_API WEFT_NODISCARD weft_status weft_csr_get(weft_csr_info *info, const weft_csr *matrix);
/// The matrix's arrays, as new handles: `indptr` and `indices` are read-only, `data` may be written. The results must
/// be NULL, and different handles; the address of one that is not wanted may be NULL.
WEFT_API WEFT_NODISCARD weft_status weft_csr_parts(weft_array **indptr, weft_array **indices, weft_array **data,
                                                   const weft_csr *matrix);
/// The matrix as an array of m by n elements.
WEFT_API WEFT_NODISCARD weft_status weft_csr_to_dense(weft_array **out, const weft_csr *matrix);
/// Rows and columns (of the matrix's index dtype) and values of the elements, in the matrix's order. The address of a
/// result that is not wanted may be NULL.
WEFT_API WEFT_NODISCARD weft_status weft_csr_to_coo(weft_array **rows, weft_array **columns, weft_array **values,
                                                    const weft_csr *matrix);
/// Makes the transposed matrix, in rows again. *out must be NULL.
WEFT_API WEFT_NODISCARD weft_status weft_csr_transpose(weft_csr **out, const weft_csr *matrix);

/// Options of weft_csr_matmul, with the meaning that they have for weft_matmul.
typedef struct weft_csr_matmul_params {
  weft_scalar scale;      /* the product is multiplied with it; without a dtype: 1 */
  weft_scalar accumulate; /* the old result, multiplied with it, is added; without a dtype: 0, the result is not read */
  const char *site;       /* set by the macro */
} weft_csr_matmul_params;

/// The product scale * matrix @ x + accumulate * out. `x` is a vector of n elements, and the result one of m, or a
/// matrix of n rows, and the result has m rows (WEFT_ERROR_SHAPE). Dtypes are as for weft_matmul: the product has the
/// dtype to which both promote, integers wrap, f16 and bf16 are added in f32. The order of additions depends on the
/// places of the elements, the dtypes, the device and the engine only: every run gives the same bits. A result that is
/// an operand or overlaps one costs a temporary array, and so does an x of another dtype than the product, or that is
/// not contiguous. Method: Merrill and Garland, "Merge-based parallel sparse matrix-vector multiplication" (2016).
WEFT_API WEFT_NODISCARD weft_status weft_csr_matmul(weft_array **out, const weft_csr *matrix, const weft_array *x,
                                                    const weft_csr_matmul_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__csr_from_coo_at(weft_csr **out, weft_context *context, weft_operand rows,
                                                          weft_operand columns, weft_operand values, weft_shape shape,
                                                          const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__csr_create_at(weft_csr **out, weft_context *context, weft_operand indptr,
                                                        weft_operand indices, weft_operand data, weft_shape shape,
                                                        const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__csr_from_dense_at(weft_csr **out, weft_context *context, weft_operand x,
                                                            const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__csr_parts_at(weft_array **indptr, weft_array **indices, weft_array **data,
                                                       const weft_csr *matrix, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__csr_to_dense_at(weft_operand out, const weft_csr *matrix, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__csr_to_coo_at(weft_operand rows, weft_operand columns, weft_operand values,
                                                        const weft_csr *matrix, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__csr_transpose_at(weft_csr **out, const weft_csr *matrix, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__csr_matmul_at(weft_operand out, const weft_csr *matrix, weft_operand x,
                                                        const weft_csr_matmul_params *params);

#define weft_csr_from_coo(out, context, rows, columns, values, shape)                                       \
  weft__csr_from_coo_at(WEFT__PLACE(weft_csr, out), (context), WEFT__OPERAND(rows), WEFT__OPERAND(columns), \
                        WEFT__OPERAND(values), (shape), WEFT_SITE)
#define weft_csr_create(out, context, indptr, indices, data, shape)                                         \
  weft__csr_create_at(WEFT__PLACE(weft_csr, out), (context), WEFT__OPERAND(indptr), WEFT__OPERAND(indices), \
                      WEFT__OPERAND(data), (shape), WEFT_SITE)
#define weft_csr_from_dense(out, context, x) \
  weft__csr_from_dense_at(WEFT__PLACE(weft_csr, out), (context), WEFT__OPERAND(x), WEFT_SITE)
#define weft_csr_parts(indptr, indices, data, matrix) \
  weft__csr_parts_at((indptr), (indices), (data), (matrix), WEFT_SITE)
#define weft_csr_to_dense(out, matrix) weft__csr_to_dense_at(WEFT__RESULT(out), (matrix), WEFT_SITE)
#define weft_csr_to_coo(rows, columns, values, matrix)                                                         \
  weft__csr_to_coo_at(WEFT__RESULT_OR_NULL(rows), WEFT__RESULT_OR_NULL(columns), WEFT__RESULT_OR_NULL(values), \
                      (matrix), WEFT_SITE)
#define weft_csr_transpose(out, matrix) weft__csr_transpose_at(WEFT__PLACE(weft_csr, out), (matrix), WEFT_SITE)
#define weft_csr_matmul(out, matrix, ...)                                                   \
  weft__csr_matmul_at(WEFT__RESULT(out), (matrix), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                      WEFT__OPTIONS(weft_csr_matmul_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
