// SPDX-License-Identifier: MIT
/// Includes the loops of the header DTYPE_LOOPS for integers, f32 and f64, of one width of vectors (base/each_width.h).
/// It finds T, the type of the elements; FLOAT_BITS, 0 of integers; SIGNED, 1 of signed integers; NAME(name), the names
/// of the loops; LEAST and MOST, the ends of the dtype; TRUTH, an integer of T's size. It undoes T and NAME.
#define FLOAT_BITS 0
#define MOST ((T)(UINT64_MAX >> (65 - 8 * sizeof(T) - ((T)-1 > 0))))
#define LEAST ((T)~MOST)
#define TRUTH T
#define SIGNED 1
#define T int8_t
#define NAME(name) WIDTH(name##_I8)
#include DTYPE_LOOPS
#define T int16_t
#define NAME(name) WIDTH(name##_I16)
#include DTYPE_LOOPS
#define T int32_t
#define NAME(name) WIDTH(name##_I32)
#include DTYPE_LOOPS
#define T int64_t
#define NAME(name) WIDTH(name##_I64)
#include DTYPE_LOOPS
#undef SIGNED
#define SIGNED 0
#define T uint8_t
#define NAME(name) WIDTH(name##_U8)
#include DTYPE_LOOPS
#define T uint16_t
#define NAME(name) WIDTH(name##_U16)
#include DTYPE_LOOPS
#define T uint32_t
#define NAME(name) WIDTH(name##_U32)
#include DTYPE_LOOPS
#define T uint64_t
#define NAME(name) WIDTH(name##_U64)
#include DTYPE_LOOPS
#undef FLOAT_BITS
#undef MOST
#undef LEAST
#define FLOAT_BITS 32
#undef TRUTH
#define TRUTH uint32_t
#define MOST ((T)INFINITY)
#define LEAST (-MOST)
#define T float
#define NAME(name) WIDTH(name##_F32)
#include DTYPE_LOOPS
#undef FLOAT_BITS
#define FLOAT_BITS 64
#undef TRUTH
#define TRUTH uint64_t
#define T double
#define NAME(name) WIDTH(name##_F64)
#include DTYPE_LOOPS
#undef FLOAT_BITS
#undef MOST
#undef LEAST
#undef SIGNED
#undef TRUTH
