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

/// Work without a table to run: mem/at_once.h chooses.
static const weft__way element_ways[] = {
    {.name = "thread",
     .on = WEFT__ON_CPUS,
     .by = WEFT__BY_HOST,
     .when = "formulas, fills and copies of few elements of arrays that no command uses: the calling thread"},
    {.name = "commands", .on = WEFT__ON_ALL, .by = WEFT__BY_KERNELS, .when = "all"},
};
static const weft__ways weft__elements_ways = WEFT__WAYS("elements", element_ways);

static const weft__ways *const tables[] = {
#define TABLE(operation) &weft__##operation##_ways,
    WEFT__OPERATIONS(TABLE)};

bool weft__way_at(weft__way_row *row, int number) {
  static const char *const by[] = {[WEFT__BY_KERNELS] = "kernels", [WEFT__BY_HOST] = "host", [WEFT__BY_CUDA] = "CUDA"};
  static const char *const on[] = {[WEFT__ON_ALL] = "all", [WEFT__ON_CPUS] = "CPUs", [WEFT__ON_GPUS] = "GPUs"};
  for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
    if (number < tables[k]->count) {
      const weft__way *way = &tables[k]->way[number];
      *row =
          (weft__way_row){tables[k]->operation, way->name, on[way->on], by[way->by], way->when, weft__way_why_not(way)};
      return true;
    }
    number -= tables[k]->count;
  }
  return false;
}

void weft__ways_read_at(void) {
  weft__ways_read();
}

void weft__ways_watch_at(bool on) {
  weft__ways_watch(on);
}
