// SPDX-License-Identifier: MIT
/// The ways to reduce arrays. (Expressions of rows that fit a block are computed whole before: op/reduce/whole.c.)
#include "op/reduce/division.h"

static const weft__way ways[] = {
    /* its run asks: to describe the task in fits too would take 45 ns of the 670 of a short row's sum */
    {"host", WEFT__ON_CPUS, WEFT__BY_HOST,
     "reductions by name of real elements; of complex ones sums, means, norms and any; whether arrays are equal", NULL,
     weft__reduce_host_run, false},
    WEFT__WAY(reduce, values, CPUS, HOST, "formulas whose values are few, or true or false: block by block"),
    WEFT__WAY(reduce, short, GPUS, KERNELS, "rows of up to 4 KiB, by a warp at most"),
    WEFT__WAY(reduce, rows, GPUS, KERNELS, "rows without gaps"),
    WEFT__WAY_FOR_ALL(reduce, columns, GPUS, KERNELS, "all: along other axes, and with gaps"),
    WEFT__WAY_FOR_ALL(reduce, cpu, CPUS, KERNELS, "all: a work-item has many accumulators side by side"),
};
const weft__ways weft__reduce_ways = WEFT__WAYS("reduce", ways);

weft_status weft__reduce_division_run(weft__division *division) {
  return weft__ways_run(&weft__reduce_ways, division->call->context, &division);
}
