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
/// Does so for few elements without a launch, unless *is_done is false then. Errors: as weft__at_once.
weft_status weft__csr_dense_at_once(bool *is_done, weft_array *to, const weft__csr_elements *m);
/// Sets indptr and indices from ascending keys, row * columns + column; on CPUs, where there are keys.
weft_status weft__csr_split(weft_array *indptr, weft_array *indices, const weft_array *keys, int64_t columns,
                            const char *site);

/// Whether weft__csr_turn can be used, and is faster than sorting keys.
bool weft__csr_counting_pays(const weft_context *context, int64_t rows, int64_t columns, int64_t count);
/// Makes out->indptr, indices and data, the transposed matrix, whose rows are in the order of m's elements. Method:
/// sorting by counting, a table of counts for each of a few chunks.
weft_status weft__csr_turn(weft__csr_elements *out, const weft__csr_elements *m, int64_t columns, const char *site);
/// Does so for few elements without a launch, unless *is_done is false then. out's arrays are there. Errors: as
/// weft__at_once_waiting, MEMORY.
weft_status weft__csr_turn_at_once(bool *is_done, const weft__csr_elements *out, const weft__csr_elements *m,
                                   const char *site);

#endif
