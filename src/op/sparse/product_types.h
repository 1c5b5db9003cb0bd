// SPDX-License-Identifier: MIT
/// The functions of product_loops.h for all dtypes, for product_host.c. Define before including: TARGET, INDEX and
/// IS_VECTOR, as there; TYPED(name), the functions' names; and BYTES, of a vector. Signed integers are computed as
/// unsigned ones, whose lowest bits they have, and narrow floats as f32.
#define T uint8_t
#define A uint32_t
#define LOAD(x) ((uint32_t)((x) != 0))
#define STORE(sum) (uint8_t)(sum)
#define PLUS(a, b) ((a) | (b))
#define TIMES(a, b) ((a) & (b))
#define VECTOR_BYTES BYTES
#define NAME(name) TYPED(bool_##name)
#include "op/sparse/product_loops.h"
#define T uint8_t
#define A uint32_t
#define LOAD(x) ((uint32_t)(x))
#define STORE(sum) (uint8_t)(sum)
#define VECTOR_BYTES BYTES
#define NAME(name) TYPED(u8_##name)
#include "op/sparse/product_loops.h"
#define T uint16_t
#define A uint32_t
#define LOAD(x) ((uint32_t)(x))
#define STORE(sum) (uint16_t)(sum)
#define VECTOR_BYTES BYTES
#define NAME(name) TYPED(u16_##name)
#include "op/sparse/product_loops.h"
#define T uint32_t
#define VECTOR_BYTES BYTES
#define NAME(name) TYPED(u32_##name)
#include "op/sparse/product_loops.h"
#define T uint64_t
#define VECTOR_BYTES BYTES
#define NAME(name) TYPED(u64_##name)
#include "op/sparse/product_loops.h"
#define T float
#define VECTOR_BYTES BYTES
#define NAME(name) TYPED(f32_##name)
#include "op/sparse/product_loops.h"
#define T double
#define VECTOR_BYTES BYTES
#define NAME(name) TYPED(f64_##name)
#include "op/sparse/product_loops.h"
#define T weft_c64
#define PLUS(a, b) weft__csr_plus_c64(a, b)
#define TIMES(a, b) weft__csr_times_c64(a, b)
#define NAME(name) TYPED(c64_##name)
#include "op/sparse/product_loops.h"
#define T weft_c128
#define PLUS(a, b) weft__csr_plus_c128(a, b)
#define TIMES(a, b) weft__csr_times_c128(a, b)
#define NAME(name) TYPED(c128_##name)
#include "op/sparse/product_loops.h"

static const weft__csr_loops TYPED(csr_loops)[] = {
    [WEFT_BOOL] = {TYPED(bool_tiles), TYPED(bool_join)}, [WEFT_I8] = {TYPED(u8_tiles), TYPED(u8_join)},
    [WEFT_U8] = {TYPED(u8_tiles), TYPED(u8_join)},       [WEFT_I16] = {TYPED(u16_tiles), TYPED(u16_join)},
    [WEFT_U16] = {TYPED(u16_tiles), TYPED(u16_join)},    [WEFT_I32] = {TYPED(u32_tiles), TYPED(u32_join)},
    [WEFT_U32] = {TYPED(u32_tiles), TYPED(u32_join)},    [WEFT_I64] = {TYPED(u64_tiles), TYPED(u64_join)},
    [WEFT_U64] = {TYPED(u64_tiles), TYPED(u64_join)},    [WEFT_F32] = {TYPED(f32_tiles), TYPED(f32_join)},
    [WEFT_F64] = {TYPED(f64_tiles), TYPED(f64_join)},    [WEFT_C64] = {TYPED(c64_tiles), TYPED(c64_join)},
    [WEFT_C128] = {TYPED(c128_tiles), TYPED(c128_join)},
};
