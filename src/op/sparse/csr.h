// SPDX-License-Identifier: MIT
/// Sparse matrices internally. op/sparse/csr.c has the object, op/sparse/build.c makes matrices and converts them,
/// op/sparse/product.c multiplies, by the ways of ways.c.
#ifndef WEFT_OP_SPARSE_CSR_H
#define WEFT_OP_SPARSE_CSR_H

#include <weft/sparse.h>

#include "call/call.h"
#include "engine/host_step.h"
#include "op/matmul/matmul.h"
#include "op/sparse/tuning.h"

struct weft_csr {
  weft__object object;
  weft_context *context; /* retained */
  int64_t rows, columns;
  weft_array *indptr, *indices, *data; /* contiguous; their references are in no scope */
  weft_array *tiles; /* i64: the first row of each tile of a product, and the last one's end (sparse/common.clh); NULL
                        where the host computes */
  weft__ledger_entry entry;
};

/// The shares of a host step whose work pays for this number of them; one on a device of one core.
static inline int32_t weft__csr_shares(const weft_context *context, uint64_t paid) {
  const int32_t cores = weft__host_cores(context);
  return cores > 1 ? weft__shares_of(paid, WEFT__CSR_SHARES_OF_CORE * (uint64_t)cores) : 1;
}

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
/// As weft__csr_make, where the tiles are known, or NULL: takes them over as well.
weft_status weft__csr_make_tiled(weft_csr **out, int64_t rows, int64_t columns, weft_array **indptr,
                                 weft_array **indices, weft_array **data, weft_array **tiles, const char *site);
/// Makes a matrix from indptr (has_rows: the row of each element), indices and data, if the host computes, and they are
/// right, in order and of the matrix's indices' dtype; else *out stays NULL. Errors: as weft__host_step.
weft_status weft__csr_create_host(weft_csr **out, int64_t rows, int64_t columns, const weft_array *const given[3],
                                  bool has_rows, const char *site);
/// The dtype of the indices of a matrix.
weft_dtype weft__csr_index_dtype(int64_t rows, int64_t columns, int64_t count);

/// Makes `to` of sums of `from`, each from one of `first` up to the next, on the host.
weft_status weft__csr_sums_host(weft_array *to, const weft_array *from, const weft_array *first, const char *site);
extern const weft__host_function weft__host_csr_create, weft__host_csr_stored, weft__host_csr_sums;

/// Whether the host computes on this context's sparse matrices.
bool weft__csr_host_computes(const weft_context *context);

/// How a context's products divide a matrix into tiles.
typedef struct weft__csr_tiling {
  int tile;  /* items */
  int block; /* work-items of a work-group */
} weft__csr_tiling;
weft__csr_tiling weft__csr_tiling_of(const weft_context *context);
/// A reference to a matrix's tiles, which are made if it has none.
weft_status weft__csr_tiles_of(weft_array **tiles, const weft_csr *matrix, const char *site);

/* ---- the ways to transpose ---- */

/// Their task.
typedef struct weft__csr_transposing {
  const weft_csr *matrix;
  weft_csr **out;
  const char *site;
} weft__csr_transposing;

WEFT__WAY_FUNCTIONS(csr_transpose, host);
WEFT__WAY_FUNCTIONS(csr_transpose, words);
WEFT__WAY_FUNCTION(csr_transpose, keys);
extern const weft__ways weft__csr_transpose_ways;

#endif
