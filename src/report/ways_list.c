// SPDX-License-Identifier: MIT
/// The list of all tables of ways, for `weft ways`.
#include <weft/trace.h>

#include "engine/ways.h"
#include "op/create/range.h"
#include "op/fft/fft.h"
#include "op/filter/filter.h"
#include "op/histogram/histogram.h"
#include "op/index/gather.h"
#include "op/linalg/steps.h"
#include "op/matmul/matmul.h"
#include "op/normalize/normalize.h"
#include "op/rearrange/arrange.h"
#include "op/rearrange/bits.h"
#include "op/rearrange/join.h"
#include "op/rearrange/triangle.h"
#include "op/reduce/division.h"
#include "op/scan/scanning.h"
#include "op/search/unique.h"
#include "op/select/compact.h"
#include "op/sort/rows.h"
#include "op/sparse/sparse_product.h"
#include "op/statistics/quantile.h"
#include "op/statistics/rolling.h"

static const weft__ways *const tables[] = {
    &weft__arrange_ways,      &weft__at_ways,         &weft__bits_ways,
    &weft__choose_ways,       &weft__csr_matmul_ways, &weft__csr_transpose_ways,
    &weft__distance_ways,     &weft__extent_ways,     &weft__fft_ways,
    &weft__footprint_ways,    &weft__geqrf_ways,      &weft__gesdd_ways,
    &weft__getrf_ways,        &weft__getrs_ways,      &weft__histogram_ways,
    &weft__indices_ways,      &weft__is_sorted_ways,  &weft__join_ways,
    &weft__label_ways,        &weft__many_ways,       &weft__matmul_ways,
    &weft__merge_ways,        &weft__normalize_ways,  &weft__numbers_ways,
    &weft__partition_ways,    &weft__pass_ways,       &weft__passes_ways,
    &weft__potrf_ways,        &weft__quantile_ways,   &weft__range_ways,
    &weft__reduce_ways,       &weft__repeat_ways,     &weft__rolling_ways,
    &weft__scan_ways,         &weft__scatter_ways,    &weft__search_ways,
    &weft__select_ways,       &weft__sort_ways,       &weft__spline_ways,
    &weft__syevd_ways,        &weft__take_ways,       &weft__topk_ways,
    &weft__transform_ways,    &weft__triangle_ways,   &weft__trsm_ways,
    &weft__unique_flags_ways, &weft__unique_ways,
};

bool weft__way_at(weft__way_row *row, int number) {
  static const char *const by[] = {[WEFT__BY_KERNELS] = "kernels", [WEFT__BY_HOST] = "host", [WEFT__BY_CUDA] = "CUDA"};
  static const char *const on[] = {[WEFT__ON_ALL] = "all", [WEFT__ON_CPUS] = "CPUs", [WEFT__ON_GPUS] = "GPUs"};
  for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
    if (number < tables[k]->count) {
      const weft__way *way = &tables[k]->way[number];
      *row = (weft__way_row){tables[k]->operation, way->name, on[way->on], by[way->by], way->when};
      return true;
    }
    number -= tables[k]->count;
  }
  return false;
}

void weft__ways_read_at(void) {
  weft__ways_read();
}
