// SPDX-License-Identifier: MIT
/// The ways to sort rows, to divide them by ranks, and to find their first elements.
#include "op/sort/rows.h"

static const weft__way ways[] = {
    WEFT__WAY(sort, single, ALL, KERNELS, "rows of one element, which are copied"),
    WEFT__WAY(sort, counted, CPUS, HOST, "long rows of keys of 2 bytes alone: each value is counted"),
    WEFT__WAY(sort, vectors, CPUS, HOST, "AVX-512: real keys alone, and keys of 4 bytes, by quicksort in vectors"),
    WEFT__WAY(sort, sides, CPUS, HOST,
              "rows of at most 256 elements, of up to 4 bytes 1024: side by side, or by merging"),
    WEFT__WAY(sort, short, GPUS, KERNELS, "rows of at most 32 elements, several in a block"),
    WEFT__WAY(sort, block, GPUS, KERNELS, "rows that a block holds"),
    WEFT__WAY(sort, tiles, GPUS, KERNELS, "blocks that can wait for each other: rows of a few blocks, in one launch"),
    WEFT__WAY(sort, sweep, GPUS, KERNELS, "blocks that can wait for each other: a launch for each digit"),
    WEFT__WAY(sort, passes, GPUS, KERNELS, "blocks with enough local memory: three launches for each digit"),
    WEFT__WAY_FOR_ALL(sort, digits, ALL, HOST, "all"),
};
const weft__ways weft__sort_ways = WEFT__EXACT_WAYS("sort", ways);

static const weft__way partition_ways[] = {
    WEFT__WAY(partition, host, CPUS, HOST, "real elements, rows of more than 1024"),
    WEFT__WAY(partition, each, GPUS, KERNELS, "real elements, few long rows: launches for each row"),
    WEFT__WAY(partition, rows, GPUS, KERNELS, "real elements, rows of more than 4096"),
    WEFT__WAY_FOR_ALL(partition, sort, ALL, KERNELS, "all: rows are sorted"),
};
const weft__ways weft__partition_ways = WEFT__WAYS("partition", partition_ways);

static const weft__way topk_ways[] = {
    WEFT__WAY(topk, host, CPUS, HOST, "real elements, at most an eighth of rows of 256 or more"),
    WEFT__WAY(topk, parts, GPUS, KERNELS, "real elements, at most 128 of rows of 2048 or more"),
    WEFT__WAY_FOR_ALL(topk, sort, ALL, KERNELS, "all: rows are sorted"),
};
const weft__ways weft__topk_ways = WEFT__EXACT_WAYS("topk", topk_ways);

weft_status weft__sort_run(const weft__sort *sort) {
  if (sort->rows == 0 || sort->length == 0) return WEFT_OK;
  return weft__ways_run(&weft__sort_ways, sort->context, sort);
}
