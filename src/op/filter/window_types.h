// SPDX-License-Identifier: MIT
/// The functions of window_loops.h for all real dtypes, and of transform_places.h for both of sums, for one width of
/// vectors (base/each_width.h).
#define S float
#define NAME(name) WIDTH(spline_f32_##name)
#include "op/filter/transform_places.h"
#define S double
#define NAME(name) WIDTH(spline_f64_##name)
#include "op/filter/transform_places.h"
#define T uint8_t
#define SHOWN(x) (fabs(x) >= 1)
#define NEAREST(x) (2 * (x))
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
#define NEAREST(x) (x)
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
#define NEAREST(x) (x)
#define NAME(name) WIDTH(window_bf16_##name)
#include "op/filter/window_loops.h"
#define S float
#define T float
#define SHOWN(x) (x)
#define O int32_t
#define ORDERED(n) weft__window_order_f32(n)
#define NUMBER(o) weft__window_number_f32(o)
#define NEAREST(x) (x)
#define NAME(name) WIDTH(window_f32_##name)
#include "op/filter/window_loops.h"
#define T double
#define SHOWN(x) (x)
#define O int64_t
#define ORDERED(n) weft__window_order_f64(n)
#define NUMBER(o) weft__window_number_f64(o)
#define NEAREST(x) (x)
#define NAME(name) WIDTH(window_f64_##name)
#include "op/filter/window_loops.h"

#define ELEMENT(name, sum)                                                                                          \
  {                                                                                                                 \
    WIDTH(window_##name##_window), WIDTH(window_##name##_take), WIDTH(window_##name##_show), {                      \
      WIDTH(spline_##sum##_walk), WIDTH(spline_##sum##_find), WIDTH(spline_##sum##_join), WIDTH(spline_##sum##_add) \
    }                                                                                                               \
  }
static const weft__element_loops WIDTH(element_loops)[] = {
    [WEFT_BOOL] = ELEMENT(bool, f64), [WEFT_I8] = ELEMENT(i8, f64),     [WEFT_U8] = ELEMENT(u8, f64),
    [WEFT_I16] = ELEMENT(i16, f64),   [WEFT_U16] = ELEMENT(u16, f64),   [WEFT_I32] = ELEMENT(i32, f64),
    [WEFT_U32] = ELEMENT(u32, f64),   [WEFT_I64] = ELEMENT(i64, f64),   [WEFT_U64] = ELEMENT(u64, f64),
    [WEFT_F16] = ELEMENT(f16, f32),   [WEFT_BF16] = ELEMENT(bf16, f32), [WEFT_F32] = ELEMENT(f32, f32),
    [WEFT_F64] = ELEMENT(f64, f64),
};
#undef ELEMENT
