// SPDX-License-Identifier: MIT
/// The ways to sort rows.
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

weft_status weft__sort_run(const weft__sort *sort) {
  if (sort->rows == 0 || sort->length == 0) return WEFT_OK;
  return weft__ways_run(&weft__sort_ways, &sort->context->core, sort);
}
