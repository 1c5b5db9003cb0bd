// SPDX-License-Identifier: MIT
#include "record/host_functions.h"

#include <string.h>

#include "op/create/range.h"
#include "op/fft/fft.h"
#include "op/filter/filter.h"
#include "op/histogram/histogram.h"
#include "op/index/gather.h"
#include "op/linalg/lapack.h"
#include "op/linalg/solver.h"
#include "op/matmul/matmul.h"
#include "op/normalize/normalize.h"
#include "op/rearrange/arrange.h"
#include "op/rearrange/bits.h"
#include "op/rearrange/join.h"
#include "op/rearrange/triangle.h"
#include "op/reduce/row_loops.h"
#include "op/scan/scan_host.h"
#include "op/search/unique.h"
#include "op/select/compact.h"
#include "op/sort/host.h"
#include "op/sparse/sparse_product.h"
#include "op/statistics/centred.h"
#include "op/statistics/quantile.h"

static const weft__host_function *const functions[] = {
    &weft__host_arrange,      &weft__host_bits,       &weft__host_centred,     &weft__host_columns,
    &weft__host_count,        &weft__host_csr_create, &weft__host_csr_product, &weft__host_csr_stored,
    &weft__host_csr_sums,     &weft__host_distance,   &weft__host_divide,      &weft__host_fftw_f32,
    &weft__host_fftw_f64,     &weft__host_index,      &weft__host_is_sorted,   &weft__host_join,
    &weft__host_label,        &weft__host_lapack,     &weft__host_matmul,      &weft__host_matmul_inner,
    &weft__host_merge,        &weft__host_normalize,  &weft__host_quantile,    &weft__host_range,
    &weft__host_reduce,       &weft__host_repeat,     &weft__host_scan,        &weft__host_scan_columns,
    &weft__host_scan_totals,  &weft__host_search,     &weft__host_select,      &weft__host_solved,
    &weft__host_sort,         &weft__host_transform,  &weft__host_triangle,    &weft__host_unique,
    &weft__host_unique_flags, &weft__host_window,
};

const weft__host_function *weft__host_function_find(const char *name) {
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
    if (strcmp(functions[k]->name, name) == 0) return functions[k];
  return NULL;
}
