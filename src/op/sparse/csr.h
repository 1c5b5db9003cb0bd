// SPDX-License-Identifier: MIT
/// Sparse matrices internally. op/sparse/csr.c has the object, op/sparse/build.c makes matrices and converts them,
/// op/sparse/product.c multiplies, op/sparse/cusparse.c in contexts made with .cuda.
#ifndef WEFT_OP_SPARSE_CSR_H
#define WEFT_OP_SPARSE_CSR_H

#include <weft/sparse.h>

#include "call/call.h"
#include "op/matmul/matmul.h"

struct weft_csr {
  weft__object object;
  weft_context *context; /* retained */
  int64_t rows, columns;
  weft_array *indptr, *indices, *data; /* contiguous; their references are in no scope */
  weft_array *tiles; /* i64: the first row of each tile of a product, and the last one's end (sparse/common.clh) */
  weft__ledger_entry entry;
};

/// Checks that the matrix is live and its context can be used. Errors: HANDLE, CLOSED, FORKED, LOST.
weft_status weft__csr_check(const weft_csr *matrix);
/// Checks a matrix's shape, given by a caller. Errors: SHAPE, OVERFLOW.
weft_status weft__csr_check_shape(weft_shape shape);

/// Makes a matrix from three contiguous arrays, whose references it takes over: they become NULL, on failure they stay.
/// indptr and indices have one dtype, I32 or I64, and are checked.
weft_status weft__csr_make(weft_csr **out, int64_t rows, int64_t columns, weft_array **indptr, weft_array **indices,
                           weft_array **data, const char *site);
/// Makes the array of a matrix's tiles, without contents.
weft_status weft__csr_tiles_create(weft_array **tiles, weft_context *context, int64_t rows, int64_t count,
                                   const char *site);
/// As weft__csr_make, where the tiles are known: takes them over as well.
weft_status weft__csr_make_tiled(weft_csr **out, int64_t rows, int64_t columns, weft_array **indptr,
                                 weft_array **indices, weft_array **data, weft_array **tiles, const char *site);
/// Makes a matrix from indptr (has_rows: the row of each element), indices and data, if they are few, right and in
/// order, and the host may use their memory now; else *out stays NULL. Errors: MEMORY, HOST_MEMORY, DRIVER.
weft_status weft__csr_create_at_once(weft_csr **out, int64_t rows, int64_t columns, const weft_array *const given[3],
                                     bool has_rows, const char *site);
/// Finds the first rows of few tiles, and the last end, without a launch, unless *is_done is false then. Errors: as
/// weft__at_once.
weft_status weft__csr_tiles_at_once(bool *is_done, weft_array *first, const weft_array *indptr, int64_t tile);
/// The dtype of the indices of a matrix.
weft_dtype weft__csr_index_dtype(int64_t rows, int64_t columns, int64_t count);

/// How a context's products divide a matrix into tiles.
typedef struct weft__csr_tiling {
  int tile;  /* items */
  int block; /* work-items of a work-group */
} weft__csr_tiling;
weft__csr_tiling weft__csr_tiling_of(const weft_context *context);
/// The number of tiles of a matrix.
int64_t weft__csr_tile_count(const weft_csr *matrix);

/// The product of few elements and a vector, without a launch. *is_done is false if it did not. Errors: as
/// weft__at_once.
weft_status weft__csr_product_at_once(bool *is_done, const weft_csr *matrix, const weft__matmul_task *task);
/// The product by cuSPARSE. *done is false if it does not compute this one.
weft_status weft__csr_cusparse(bool *done, const weft_csr *matrix, const weft__matmul_task *task);

#endif
