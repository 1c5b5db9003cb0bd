// SPDX-License-Identifier: MIT
/// The functions of window_loops.h for all real dtypes, for one width of vectors (base/each_width.h).
#define T uint8_t
#define SHOWN(x) (fabs(x) >= 1)
#define NAME(name) WIDTH(window_bool_##name)
#include "op/filter/window_loops.h"
#define T int8_t
#define SHOWN(x) (int32_t) weft__window_limited(x, INT8_MIN, INT8_MAX)
#define NAME(name) WIDTH(window_i8_##name)
#include "op/filter/window_loops.h"
#define T uint8_t
#define SHOWN(x) (int32_t) weft__window_limited(x, 0, UINT8_MAX)
#define NAME(name) WIDTH(window_u8_##name)
#include "op/filter/window_loops.h"
#define T int16_t
#define SHOWN(x) (int32_t) weft__window_limited(x, INT16_MIN, INT16_MAX)
#define NAME(name) WIDTH(window_i16_##name)
#include "op/filter/window_loops.h"
#define T uint16_t
#define SHOWN(x) (int32_t) weft__window_limited(x, 0, UINT16_MAX)
#define NAME(name) WIDTH(window_u16_##name)
#include "op/filter/window_loops.h"
#define T int32_t
#define SHOWN(x) (int32_t) weft__window_limited((x) == (x) ? (x) : 0, INT32_MIN, INT32_MAX)
#define NAME(name) WIDTH(window_i32_##name)
#include "op/filter/window_loops.h"
#define T uint32_t
#define SHOWN(x) (int64_t) weft__window_limited(x, 0, UINT32_MAX)
#define NAME(name) WIDTH(window_u32_##name)
#include "op/filter/window_loops.h"
#define T int64_t
#define SHOWN(x) ((x) >= 0x1p63 ? INT64_MAX : (x) > -0x1p63 ? (int64_t)(x) : (x) == (x) ? INT64_MIN : 0)
#define NAME(name) WIDTH(window_i64_##name)
#include "op/filter/window_loops.h"
#define T uint64_t
#define SHOWN(x) ((x) >= 0x1p64 ? UINT64_MAX : (x) > 0 ? (uint64_t)(x) : 0)
#define NAME(name) WIDTH(window_u64_##name)
#include "op/filter/window_loops.h"
#define S float
#define T uint16_t
#define N float
#define LOAD(x) weft__f32_of_f16(x)
#define STORE(x) weft__f16_of_f32(x)
#define SHOWN STORE
#define O int32_t
#define ORDERED(n) weft__window_order_f32(n)
#define NUMBER(o) weft__window_number_f32(o)
#define NAME(name) WIDTH(window_f16_##name)
#include "op/filter/window_loops.h"
#define S float
#define T uint16_t
#define N float
#define LOAD(x) weft__f32_of_bits((uint32_t)(x) << 16)
#define STORE(x) weft__bf16_of_f32(x)
#define SHOWN STORE
#define O int32_t
#define ORDERED(n) weft__window_order_f32(n)
#define NUMBER(o) weft__window_number_f32(o)
#define NAME(name) WIDTH(window_bf16_##name)
#include "op/filter/window_loops.h"
#define S float
#define T float
#define SHOWN(x) (x)
#define O int32_t
#define ORDERED(n) weft__window_order_f32(n)
#define NUMBER(o) weft__window_number_f32(o)
#define NAME(name) WIDTH(window_f32_##name)
#include "op/filter/window_loops.h"
#define T double
#define SHOWN(x) (x)
#define O int64_t
#define ORDERED(n) weft__window_order_f64(n)
#define NUMBER(o) weft__window_number_f64(o)
#define NAME(name) WIDTH(window_f64_##name)
#include "op/filter/window_loops.h"

static weft__window_loop *const WIDTH(window_loops)[] = {
    [WEFT_BOOL] = WIDTH(window_bool_window), [WEFT_I8] = WIDTH(window_i8_window),
    [WEFT_U8] = WIDTH(window_u8_window),     [WEFT_I16] = WIDTH(window_i16_window),
    [WEFT_U16] = WIDTH(window_u16_window),   [WEFT_I32] = WIDTH(window_i32_window),
    [WEFT_U32] = WIDTH(window_u32_window),   [WEFT_I64] = WIDTH(window_i64_window),
    [WEFT_U64] = WIDTH(window_u64_window),   [WEFT_F16] = WIDTH(window_f16_window),
    [WEFT_BF16] = WIDTH(window_bf16_window), [WEFT_F32] = WIDTH(window_f32_window),
    [WEFT_F64] = WIDTH(window_f64_window),
};
