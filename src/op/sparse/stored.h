// SPDX-License-Identifier: MIT
/// Rows and columns of a sparse matrix's elements. All arrays are contiguous; indptr and indices have one dtype, I32 or
/// I64.
#ifndef WEFT_OP_SPARSE_STORED_H
#define WEFT_OP_SPARSE_STORED_H

#include "call/call.h"

/// Elements in the order of their rows, or in any order.
typedef struct weft__csr_elements {
  weft_array *indptr; /* NULL: in any order */
  weft_array *rows;   /* of each element, if there is no indptr; of the indices' dtype */
  weft_array *indices, *data;
} weft__csr_elements;

/// Sets to[i], of indptr's dtype, to the row of element i.
weft_status weft__csr_rows_into(weft_array *to, const weft_array *indptr, const char *site);
/// Does so for `rows`, and copies m's indices and data to columns and values, in one launch. Not for CPUs.
weft_status weft__csr_coo_into(weft_array *rows, weft_array *columns, weft_array *values, const weft__csr_elements *m,
                               const char *site);
/// Whether the columns of each row ascend, none of them twice. Waits.
weft_status weft__csr_is_ordered(bool *is_ordered, const weft_array *indptr, const weft_array *indices,
                                 const char *site);
/// A matrix's arrays, in the making.
typedef struct weft__csr_copies {
  weft_array *indptr, *indices, *data, *tiles;
} weft__csr_copies;

/// Copies indptr, indices (of any integers) and data, and finds the tiles, in one launch. *is_matrix: they are a matrix
/// of `columns` columns; *is_ordered: weft__csr_is_ordered. Waits. Not for CPUs.
weft_status weft__csr_copy_checked(bool *is_matrix, bool *is_ordered, const weft__csr_copies *to,
                                   weft_array *const given[3], int64_t columns, const char *site);
/// Puts the elements into a matrix of zeros.
weft_status weft__csr_dense_into(weft_array *to, const weft__csr_elements *m, const char *site);
/// Sets indptr and indices from ascending keys, row * columns + column, of which there are some. On the host.
weft_status weft__csr_split(weft_array *indptr, weft_array *indices, const weft_array *keys, int64_t columns,
                            const char *site);

/// Whether weft__csr_turn can be used, and is faster than sorting keys.
bool weft__csr_counting_pays(const weft_context *context, int64_t rows, int64_t columns, int64_t count);
/// Makes out->indptr, indices and data, the transposed matrix, whose rows are in the order of m's elements. On the
/// host, by sorting by counting, with a table of counts for each thread.
weft_status weft__csr_turn(weft__csr_elements *out, const weft__csr_elements *m, int64_t columns, const char *site);
/* ---- steps on the host, of at least one element ---- */

weft_status weft__csr_rows_host(weft_array *to, const weft_array *indptr, const char *site);
/// *falls, of I32, becomes 1 or 0.
weft_status weft__csr_order_host(weft_array *falls, const weft_array *indptr, const weft_array *indices,
                                 const char *site);
weft_status weft__csr_dense_host(weft_array *to, const weft__csr_elements *m, const char *site);

#endif
