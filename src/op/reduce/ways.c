// SPDX-License-Identifier: MIT
/// The ways to reduce arrays. (Expressions of rows that fit a block are computed whole before: op/reduce/whole.c.)
#include "op/reduce/division.h"

#define WAY(name, by, when) \
  { #name, when, by, weft__reduce_##name##_fits, weft__reduce_##name##_run, false }

static const weft__way ways[] = {
    WAY(host, WEFT__BY_HOST, "CPUs: integers, f32 and f64 in rows, and in columns of 64 or more"),
    WAY(short, WEFT__BY_KERNELS, "GPUs: rows of up to 4 KiB, by a warp at most"),
    WAY(rows, WEFT__BY_KERNELS, "GPUs: rows without gaps"),
    WAY(columns, WEFT__BY_KERNELS, "GPUs: along other axes, and with gaps"),
    {"cpu", "all: a work-item has many accumulators side by side", WEFT__BY_KERNELS, NULL, weft__reduce_cpu_run, false},
};
const weft__ways weft__reduce_ways = WEFT__WAYS("reduce", ways);

weft_status weft__reduce_division_run(weft__division *division) {
  return weft__ways_run(&weft__reduce_ways, &division->call->context->core, &division);
}
