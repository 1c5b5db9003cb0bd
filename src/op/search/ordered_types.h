// SPDX-License-Identifier: MIT
/// The loops of ordered_loops.h for all dtypes, of one width of vectors (base/each_width.h).
#define KIND WHOLE
#define T uint8_t
#define KEY uint32_t
#define NAME(name) WIDTH(ordered_##name##_u8)
#include "op/search/ordered_loops.h"
#define KIND WHOLE
#define T uint16_t
#define KEY uint32_t
#define NAME(name) WIDTH(ordered_##name##_u16)
#include "op/search/ordered_loops.h"
#define KIND WHOLE
#define T uint32_t
#define KEY uint32_t
#define NAME(name) WIDTH(ordered_##name##_u32)
#include "op/search/ordered_loops.h"
#define KIND WHOLE
#define T uint64_t
#define KEY uint64_t
#define NAME(name) WIDTH(ordered_##name##_u64)
#include "op/search/ordered_loops.h"
#define KIND NUMBERED
#define T uint16_t
#define KEY int32_t
#define LOAD(x) weft__half_key((uint16_t)(x), (int32_t)form) /* form: the bits of infinity */
#define NAME(name) WIDTH(ordered_##name##_f16)
#include "op/search/ordered_loops.h"
#define KIND COMPLEX
#define T weft_c64
#define KEY weft_c64
#define NAME(name) WIDTH(ordered_##name##_c64)
#include "op/search/ordered_loops.h"
#define KIND REAL
#define T float
#define KEY float
#define NAME(name) WIDTH(ordered_##name##_f32)
#include "op/search/ordered_loops.h"
#define KIND REAL
#define T double
#define KEY double
#define NAME(name) WIDTH(ordered_##name##_f64)
#include "op/search/ordered_loops.h"
#define KIND COMPLEX
#define T weft_c128
#define KEY weft_c128
#define NAME(name) WIDTH(ordered_##name##_c128)
#include "op/search/ordered_loops.h"

static const weft__ordered_loops *const WIDTH(all_ordered_loops)[] = {
    &WIDTH(ordered_loops_u8),  &WIDTH(ordered_loops_u16), &WIDTH(ordered_loops_u32),
    &WIDTH(ordered_loops_u64), &WIDTH(ordered_loops_f16), &WIDTH(ordered_loops_f32),
    &WIDTH(ordered_loops_f64), &WIDTH(ordered_loops_c64), &WIDTH(ordered_loops_c128),
};
