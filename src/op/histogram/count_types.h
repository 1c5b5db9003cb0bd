// SPDX-License-Identifier: MIT
/// The loops of count_loops.h for all types of values, for count_host.c, which includes this for each width of vectors.
/// Define before including: TARGET, an attribute; LOOP(name), the names of this width's loops.
#define V int32_t
#define K int32_t
#define IS_FLOAT 0
#define NAME(name) LOOP(count_i32_##name)
#include "op/histogram/count_loops.h"
#define V int64_t
#define K int64_t
#define IS_FLOAT 0
#define NAME(name) LOOP(count_i64_##name)
#include "op/histogram/count_loops.h"
#define V float
#define K int32_t
#define IS_FLOAT 1
#define NAME(name) LOOP(count_f32_##name)
#include "op/histogram/count_loops.h"
#define V double
#define K int64_t
#define IS_FLOAT 1
#define NAME(name) LOOP(count_f64_##name)
#include "op/histogram/count_loops.h"

static const weft__count_loops LOOP(count_loops)[] = {
    {WEFT_I32,
     LOOP(count_i32_load),
     LOOP(count_i32_widen),
     LOOP(count_i32_end_range),
     LOOP(count_i32_is_bad),
     {LOOP(count_i32_direct), LOOP(count_i32_even), LOOP(count_i32_search)}},
    {WEFT_I64,
     LOOP(count_i64_load),
     LOOP(count_i64_widen),
     LOOP(count_i64_end_range),
     LOOP(count_i64_is_bad),
     {LOOP(count_i64_direct), LOOP(count_i64_even), LOOP(count_i64_search)}},
    {WEFT_F32,
     LOOP(count_f32_load),
     LOOP(count_f32_widen),
     LOOP(count_f32_end_range),
     LOOP(count_f32_is_bad),
     {NULL, LOOP(count_f32_even), LOOP(count_f32_search)}},
    {WEFT_F64,
     LOOP(count_f64_load),
     LOOP(count_f64_widen),
     LOOP(count_f64_end_range),
     LOOP(count_f64_is_bad),
     {NULL, LOOP(count_f64_even), LOOP(count_f64_search)}},
};

#undef TARGET
#undef LOOP
