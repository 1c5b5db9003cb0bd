// SPDX-License-Identifier: MIT
/// The functions of build_loops.h for all dtypes of indices, for one width of vectors (base/each_width.h).
#define T int32_t
#define U uint32_t
#define G int32_t
#define H uint32_t
#define NAME(name) WIDTH(csr_i32_##name)
#include "op/sparse/build_loops.h"
#define T int32_t
#define U uint32_t
#define G int64_t
#define H uint64_t
#define NAME(name) WIDTH(csr_of_i64_##name)
#include "op/sparse/build_loops.h"
#define T int64_t
#define U uint64_t
#define G int64_t
#define H uint64_t
#define NAME(name) WIDTH(csr_i64_##name)
#include "op/sparse/build_loops.h"

static const weft__csr_checks WIDTH(csr_checks)[] = {
    {WIDTH(csr_i32_columns), WIDTH(csr_i32_rows), WIDTH(csr_i32_places)},
    {WIDTH(csr_of_i64_columns), WIDTH(csr_of_i64_rows), WIDTH(csr_of_i64_places)},
    {WIDTH(csr_i64_columns), WIDTH(csr_i64_rows), WIDTH(csr_i64_places)},
};
