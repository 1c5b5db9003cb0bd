// SPDX-License-Identifier: MIT
/// Element types, and C scalars as values.
///
///     weft_scalar two = WEFT_SCALAR(2.0f);
///     weft_bf16 half = weft_bf16_from_double(0.5);
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_DTYPE_H
#define WEFT_DTYPE_H

#include <weft/api.h>

WEFT_BEGIN_DECLS

/// The element types. bool is one byte, 0 or 1. f16 (IEEE binary16) and bf16 (the upper half of an f32) are narrow
/// floats: stored in two bytes, computed in f32. c64 and c128 are pairs (real, imaginary) of f32 and f64. f64 and c128
/// need a device with fp64.
typedef enum weft_dtype {
  WEFT_DTYPE_NONE = 0,
  WEFT_BOOL,
  WEFT_I8,
  WEFT_I16,
  WEFT_I32,
  WEFT_I64,
  WEFT_U8,
  WEFT_U16,
  WEFT_U32,
  WEFT_U64,
  WEFT_F16,
  WEFT_F32,
  WEFT_F64,
  WEFT_C64,
  WEFT_C128,
  WEFT_BF16,
} weft_dtype;

#define WEFT_DTYPE_COUNT (WEFT_BF16 + 1) /* valid values are 1 to WEFT_DTYPE_COUNT - 1 */

/// The dtype's name, such as "f32"; "none" for any other value.
WEFT_API const char *weft_dtype_name(weft_dtype dtype);
/// Bytes per element; 0 for any other value.
WEFT_API size_t weft_dtype_size_bytes(weft_dtype dtype);
/// NumPy's letter: 'b' bool, 'i' signed, 'u' unsigned, 'f' float, 'c' complex; 0 for any other value.
WEFT_API char weft_dtype_kind(weft_dtype dtype);

/// Half precision on the host, as bits: C11 has no type for it.
typedef struct weft_f16 {
  uint16_t bits;
} weft_f16;

/// Rounds to the nearest half, ties to even; overflow gives infinity.
WEFT_API weft_f16 weft_f16_from_double(double value);
/// Converts exactly.
WEFT_API double weft_f16_to_double(weft_f16 value);

/// bfloat16 on the host, as bits: the upper half of an f32.
typedef struct weft_bf16 {
  uint16_t bits;
} weft_bf16;

/// Rounds to the nearest bfloat16, ties to even; overflow gives infinity.
WEFT_API weft_bf16 weft_bf16_from_double(double value);
/// Converts exactly.
WEFT_API double weft_bf16_to_double(weft_bf16 value);

/// Complex numbers on the host, laid out as C's `float _Complex` and C++'s std::complex<float>.
typedef struct weft_c64 {
  float re, im;
} weft_c64;
/// Complex numbers on the host, laid out as C's `double _Complex` and C++'s std::complex<double>.
typedef struct weft_c128 {
  double re, im;
} weft_c128;

/// A C scalar with its type, passed by value. WEFT_SCALAR(x) makes it.
typedef struct weft_scalar {
  union {
    double f;    /* floats; the first member, so that a number given in place of a weft_scalar is found */
    int64_t i;   /* i8 to i64 */
    uint64_t u;  /* bool, u8 to u64 */
    double c[2]; /* c64, c128: real, imaginary */
  } value;
  weft_dtype dtype; /* WEFT_DTYPE_NONE: no value */
} weft_scalar;

#define WEFT__SCALAR_TYPES(X)                \
  X(bool, bool, WEFT_BOOL, u)                \
  X(schar, signed char, WEFT_I8, i)          \
  X(short, short, WEFT_I16, i)               \
  X(int, int, WEFT_I32, i)                   \
  X(long, long, WEFT_I64, i)                 \
  X(llong, long long, WEFT_I64, i)           \
  X(uchar, unsigned char, WEFT_U8, u)        \
  X(ushort, unsigned short, WEFT_U16, u)     \
  X(uint, unsigned int, WEFT_U32, u)         \
  X(ulong, unsigned long, WEFT_U64, u)       \
  X(ullong, unsigned long long, WEFT_U64, u) \
  X(float, float, WEFT_F32, f)               \
  X(double, double, WEFT_F64, f)

/// Scalar types whose conversions are written out below.
#define WEFT__OTHER_SCALAR_TYPES(X) \
  X(char, char, WEFT_I8)            \
  X(f16, weft_f16, WEFT_F16)        \
  X(c64, weft_c64, WEFT_C64)        \
  X(c128, weft_c128, WEFT_C128)     \
  X(bf16, weft_bf16, WEFT_BF16)

#define WEFT__DEFINE_SCALAR(name, type, dtype_, field)        \
  static inline weft_scalar weft__scalar_##name(type value) { \
    weft_scalar s;                                            \
    s.value.c[0] = 0;                                         \
    s.value.c[1] = 0;                                         \
    s.dtype = dtype_;                                         \
    s.value.field = value;                                    \
    return s;                                                 \
  }
WEFT__SCALAR_TYPES(WEFT__DEFINE_SCALAR)
#undef WEFT__DEFINE_SCALAR

static inline weft_scalar weft__scalar_char(char value) {
  return weft__scalar_schar((signed char)value);
}
static inline weft_scalar weft__scalar_f16(weft_f16 value) {
  weft_scalar s = weft__scalar_double(weft_f16_to_double(value));
  s.dtype = WEFT_F16;
  return s;
}
static inline weft_scalar weft__scalar_bf16(weft_bf16 value) {
  weft_scalar s = weft__scalar_double(weft_bf16_to_double(value));
  s.dtype = WEFT_BF16;
  return s;
}
static inline weft_scalar weft__scalar_c128(weft_c128 value) {
  weft_scalar s = weft__scalar_double(value.re);
  s.dtype = WEFT_C128;
  s.value.c[1] = value.im;
  return s;
}
static inline weft_scalar weft__scalar_c64(weft_c64 value) {
  weft_c128 wide = {value.re, value.im};
  weft_scalar s = weft__scalar_c128(wide);
  s.dtype = WEFT_C64;
  return s;
}
static inline weft_scalar weft__scalar_self(weft_scalar value) {
  return value;
}

WEFT_END_DECLS

#define WEFT__NO_SCALAR "Weft: expected a number here: any C number, weft_f16, weft_bf16, weft_c64 or weft_c128"

#ifdef __cplusplus
#define WEFT__OVERLOAD_SCALAR(name, type, ...)     \
  inline weft_scalar weft__scalar_of(type value) { \
    return weft__scalar_##name(value);             \
  }
WEFT__SCALAR_TYPES(WEFT__OVERLOAD_SCALAR)
WEFT__OTHER_SCALAR_TYPES(WEFT__OVERLOAD_SCALAR)
WEFT__OVERLOAD_SCALAR(self, weft_scalar, )
#undef WEFT__OVERLOAD_SCALAR
/* These overloads refuse other types with a message: pointers, which would convert to bool; types without a conversion;
   nullptr. They are written out because a macro would add a compiler note. */
template <typename T>
inline weft_scalar weft__scalar_of(const volatile T *) {
  static_assert(weft__never<T>::value, WEFT__NO_SCALAR);
  return weft_scalar();
}
template <typename... Nothing>
inline weft_scalar weft__scalar_of(...) {
  static_assert(sizeof...(Nothing) != 0, WEFT__NO_SCALAR); /* it is empty */
  return weft_scalar();
}
template <bool Never = false>
inline weft_scalar weft__scalar_of(decltype(nullptr)) {
  static_assert(Never, WEFT__NO_SCALAR);
  return weft_scalar();
}
#define WEFT_SCALAR(x) weft__scalar_of(x)
#else
WEFT__REFUSING_BEGINS
weft_scalar weft__no_scalar(WEFT__A_POINTER) WEFT__REFUSED(WEFT__NO_SCALAR);
weft_scalar weft__no_scalar(WEFT__ANYTHING) WEFT__REFUSED(WEFT__NO_SCALAR);
WEFT__REFUSING_ENDS
#define WEFT__SCALAR_CASE(name, type, ...) \
  type:                                    \
  weft__scalar_##name,
/// Converts a C number, weft_f16, weft_bf16, weft_c64 or weft_c128 to a weft_scalar. Other types do not compile.
#define WEFT_SCALAR(x)                                                                                        \
  _Generic((x), WEFT__SCALAR_TYPES(WEFT__SCALAR_CASE) WEFT__OTHER_SCALAR_TYPES(WEFT__SCALAR_CASE) weft_scalar \
           : weft__scalar_self, default                                                                       \
           : weft__no_scalar)(x)
#endif

#endif
