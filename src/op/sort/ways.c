// SPDX-License-Identifier: MIT
/// The ways to sort rows, to divide them by ranks, and to find their first elements.
#include "engine/ways.h"
#include "op/sort/rows.h"

#define WAY(name, by, when) \
  { #name, when, by, weft__sort_##name##_fits, weft__sort_##name##_run, false }

static const weft__way ways[] = {
    WAY(single, WEFT__BY_KERNELS, "rows of one element, which are copied"),
    WAY(counted, WEFT__BY_HOST, "CPUs: long rows of keys of 2 bytes alone: each value is counted"),
    WAY(vectors, WEFT__BY_HOST, "CPUs with AVX-512: real keys alone, and keys of 4 bytes, by quicksort in vectors"),
    WAY(sides, WEFT__BY_HOST, "CPUs: rows of at most 256 elements, of up to 4 bytes 1024: side by side, or by merging"),
    WAY(short, WEFT__BY_KERNELS, "GPUs: rows of at most 32 elements, several in a block"),
    WAY(block, WEFT__BY_KERNELS, "GPUs: rows that a block holds"),
    WAY(tiles, WEFT__BY_KERNELS, "GPUs whose blocks can wait for each other: rows of a few blocks, in one launch"),
    WAY(sweep, WEFT__BY_KERNELS, "GPUs whose blocks can wait for each other: a launch for each digit"),
    WAY(passes, WEFT__BY_KERNELS, "GPUs: three launches for each digit"),
    {"digits", "all", WEFT__BY_HOST, NULL, weft__sort_digits_run, false},
};
const weft__ways weft__sort_ways = WEFT__WAYS("sort", ways);

static const weft__way partition_ways[] = {
    {"host", "CPUs: real elements, rows of more than 1024", WEFT__BY_HOST, weft__partition_host_fits,
     weft__partition_host_run, false},
    {"each", "GPUs: real elements, few long rows: launches for each row", WEFT__BY_KERNELS, weft__partition_each_fits,
     weft__partition_each_run, false},
    {"rows", "GPUs: real elements, rows of more than 4096", WEFT__BY_KERNELS, weft__partition_rows_fits,
     weft__partition_rows_run, false},
    {"sort", "all: rows are sorted", WEFT__BY_KERNELS, NULL, weft__partition_sort_run, false},
};
const weft__ways weft__partition_ways = WEFT__WAYS("partition", partition_ways);

static const weft__way topk_ways[] = {
    {"host", "CPUs: real elements, at most an eighth of rows of 256 or more", WEFT__BY_HOST, weft__topk_host_fits,
     weft__topk_host_run, false},
    {"parts", "GPUs: real elements, at most 128 of rows of 2048 or more", WEFT__BY_KERNELS, weft__topk_parts_fits,
     weft__topk_parts_run, false},
    {"sort", "all: rows are sorted", WEFT__BY_KERNELS, NULL, weft__topk_sort_run, false},
};
const weft__ways weft__topk_ways = WEFT__WAYS("topk", topk_ways);

weft_status weft__sort_run(const weft__sort *sort) {
  if (sort->rows == 0 || sort->length == 0) return WEFT_OK;
  return weft__ways_run(&weft__sort_ways, &sort->context->core, sort);
}
