// SPDX-License-Identifier: MIT
/// The functions of softmax_loops.h for all dtypes, for one width of vectors (base/each_width.h).
#define T uint16_t
#define N float
#define LOAD(x) weft__f32_of_f16(x)
#define STORE(x) weft__f16_of_f32(x)
#define ROOT sqrtf
#define NAME(name) WIDTH(normalize_f16_##name)
#include "op/normalize/softmax_loops.h"
#define T uint16_t
#define N float
#define LOAD(x) weft__f32_of_bits((uint32_t)(x) << 16)
#define STORE(x) weft__bf16_of_f32(x)
#define ROOT sqrtf
#define NAME(name) WIDTH(normalize_bf16_##name)
#include "op/normalize/softmax_loops.h"
#define T float
#define N float
#define LOAD(x) (x)
#define STORE(x) (x)
#define ROOT sqrtf
#define NAME(name) WIDTH(normalize_f32_##name)
#include "op/normalize/softmax_loops.h"
#define T double
#define N double
#define LOAD(x) (x)
#define STORE(x) (x)
#define ROOT sqrt
#define NAME(name) WIDTH(normalize_f64_##name)
#include "op/normalize/softmax_loops.h"

static const weft__normalize_loops WIDTH(normalize_loops)[] = {
    {WEFT_F16, WIDTH(normalize_f16_by_powers), WIDTH(normalize_f16_standardize)},
    {WEFT_BF16, WIDTH(normalize_bf16_by_powers), WIDTH(normalize_bf16_standardize)},
    {WEFT_F32, WIDTH(normalize_f32_by_powers), WIDTH(normalize_f32_standardize)},
    {WEFT_F64, WIDTH(normalize_f64_by_powers), WIDTH(normalize_f64_standardize)},
};
