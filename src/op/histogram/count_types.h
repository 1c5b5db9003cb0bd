// SPDX-License-Identifier: MIT
/// The loops of count_loops.h for all types of values, of one width of vectors (base/each_width.h).
#define V int32_t
#define K int32_t
#define IS_FLOAT 0
#define NAME(name) WIDTH(count_i32_##name)
#include "op/histogram/count_loops.h"
#define V int64_t
#define K int64_t
#define IS_FLOAT 0
#define NAME(name) WIDTH(count_i64_##name)
#include "op/histogram/count_loops.h"
#define V float
#define K int32_t
#define IS_FLOAT 1
#define NAME(name) WIDTH(count_f32_##name)
#include "op/histogram/count_loops.h"
#define V double
#define K int64_t
#define IS_FLOAT 1
#define NAME(name) WIDTH(count_f64_##name)
#include "op/histogram/count_loops.h"

static const weft__count_loops WIDTH(count_loops)[] = {
    {WEFT_I32,
     WIDTH(count_i32_load),
     WIDTH(count_i32_widen),
     WIDTH(count_i32_end_range),
     WIDTH(count_i32_is_bad),
     {WIDTH(count_i32_direct), WIDTH(count_i32_even), WIDTH(count_i32_search)}},
    {WEFT_I64,
     WIDTH(count_i64_load),
     WIDTH(count_i64_widen),
     WIDTH(count_i64_end_range),
     WIDTH(count_i64_is_bad),
     {WIDTH(count_i64_direct), WIDTH(count_i64_even), WIDTH(count_i64_search)}},
    {WEFT_F32,
     WIDTH(count_f32_load),
     WIDTH(count_f32_widen),
     WIDTH(count_f32_end_range),
     WIDTH(count_f32_is_bad),
     {NULL, WIDTH(count_f32_even), WIDTH(count_f32_search)}},
    {WEFT_F64,
     WIDTH(count_f64_load),
     WIDTH(count_f64_widen),
     WIDTH(count_f64_end_range),
     WIDTH(count_f64_is_bad),
     {NULL, WIDTH(count_f64_even), WIDTH(count_f64_search)}},
};
