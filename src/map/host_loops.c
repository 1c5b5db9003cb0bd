// SPDX-License-Identifier: MIT
#if defined(__GNUC__) && !defined(__clang__)
/* in what the functions of cl/math/ compute of arguments that they find rare, integers overflow and negative ones are
   shifted */
#pragma GCC optimize("wrapv")
#ifdef __OPTIMIZE__ /* GCC 14 without optimization does not inline intrinsics into functions that have it */
/* else some loops are no vector code, or compute both of two quotients */
#pragma GCC optimize("O3", "no-thread-jumps")
#endif
#endif
#include "map/host_loops.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <weft/ufuncs.h>

#include "base/wide.h"
#include "map/host_ufuncs.h"
#include "map/tuning.h"
#ifdef WEFT__WIDEST_TARGET
#include <immintrin.h>
#endif

/* ---- what the functions of cl/math/ need of OpenCL C ---- */

/* without errno: loops of square roots become vector code */
#ifdef __GNUC__
extern float sqrtf(float) __attribute__((const));
extern double sqrt(double) __attribute__((const));
#endif

#define WEFT_CPU 1
#define WEFT_FP64 1
#define uchar uint8_t
#define ushort uint16_t
#define uint uint32_t
#define ulong uint64_t
#if __SIZEOF_LONG__ != 8
#define long int64_t
#endif
#define __private
#define __global
#define __constant static const
#define overloadable unused
#define cl_khr_fp64
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define popcount(x) __builtin_popcountll(x)
#define rsqrt(x) (1 / sqrt(x))
#define clamp(x, low, high) max(low, min(x, high))
__extension__ typedef unsigned __int128 twice_as_wide;
#define mul_hi(a, b) (ulong)((twice_as_wide)(a) * (b) >> 64)
#define nan(bits) NAN
#define OF_FLOATS(name, x) _Generic((x), float : name##f, default : name)
#define fabs(x) OF_FLOATS(fabs, x)(x)
#define floor(x) OF_FLOATS(floor, x)(x)
#define ceil(x) OF_FLOATS(ceil, x)(x)
#define trunc(x) OF_FLOATS(trunc, x)(x)
#define rint(x) OF_FLOATS(rint, x)(x)
#define sqrt(x) OF_FLOATS(sqrt, x)(x)
#define fmax(x, y) OF_FLOATS(fmax, x)(x, y)
#define copysign(x, y) OF_FLOATS(copysign, x)(x, y)
#define fmod(x, y) OF_FLOATS(fmod, x)(x, y)
#undef signbit /* the compiler's own is no vector code */
#define signbit(x) (_Generic((x), float : as_int, default : as_long)(x) < 0)
#define fma(x, y, z) OF_FLOATS(fma, x)(x, y, z)
#define remquo(x, y, quotient) OF_FLOATS(remquo, x)(x, y, quotient)

#define REINTERPRET(name, to, from)     \
  static inline to name(const from x) { \
    to y;                               \
    memcpy(&y, &x, sizeof y);           \
    return y;                           \
  }
REINTERPRET(as_int, int, float)
REINTERPRET(as_float, float, int)
REINTERPRET(as_uint, uint32_t, float)
REINTERPRET(as_long, int64_t, double)
REINTERPRET(as_double, double, int64_t)

#define OWN(name, D) name##_##D
#define OWN_FAST(name, D) name##_##D##_fast
#define PASTED(name, suffix, end) name##_##suffix##end
#define OF_SUFFIX(name, suffix, end) PASTED(name, suffix, end)
#define SUFFIX_F32 f32
#define SUFFIX_F64 f64
#define SUFFIX_C64 c64
#define SUFFIX_C128 c128
#define MATH(name, D) OF_SUFFIX(name, SUFFIX_##D, )
#define MATH_FAST(name, D) OF_SUFFIX(name, SUFFIX_##D, _fast)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function" /* powers and others */
#pragma GCC diagnostic ignored "-Wunknown-pragmas" /* OpenCL's */
#define T int8_t
#define NAME(x) OWN(x, I8)
#define BITS 8
#define U uint
#define IS_SIGNED 1
#include "cl/math/integer.clh"
#define T uchar
#define NAME(x) OWN(x, U8)
#define BITS 8
#define U uint
#define IS_SIGNED 0
#include "cl/math/integer.clh"
#define T int16_t
#define NAME(x) OWN(x, I16)
#define BITS 16
#define U uint
#define IS_SIGNED 1
#include "cl/math/integer.clh"
#define T ushort
#define NAME(x) OWN(x, U16)
#define BITS 16
#define U uint
#define IS_SIGNED 0
#include "cl/math/integer.clh"
#define T int32_t
#define NAME(x) OWN(x, I32)
#define BITS 32
#define U uint
#define IS_SIGNED 1
#include "cl/math/integer.clh"
#define T uint
#define NAME(x) OWN(x, U32)
#define BITS 32
#define U uint
#define IS_SIGNED 0
#include "cl/math/integer.clh"
#define T int64_t
#define NAME(x) OWN(x, I64)
#define BITS 64
#define U ulong
#define IS_SIGNED 1
#include "cl/math/integer.clh"
#define T ulong
#define NAME(x) OWN(x, U64)
#define BITS 64
#define U ulong
#define IS_SIGNED 0
#include "cl/math/integer.clh"
#define T float
#define NAME(x) OWN(x, F32)
#define BITS 32
#include "cl/math/float.clh"
#define T double
#define NAME(x) OWN(x, F64)
#define BITS 64
#include "cl/math/float.clh"
#include "cl/math/root.clh"
#define R float
#define C weft_c64
#define NAME(x) weft_c##x##_c64
#define K(x) x##f
#define BITS 32
#define W double
#define WIDE 1
#include "cl/math/complex_body.clh"
#define R double
#define C weft_c128
#define NAME(x) weft_c##x##_c128
#define K(x) x
#define BITS 64
#define W double
#define WIDE 0
#include "cl/math/complex_body.clh"

#include "cl/math/atan.clh"
#include "cl/math/atan_f64.clh"
#include "cl/math/hyperbolic.clh"
#include "cl/math/hyperbolic_f64.clh"
#include "cl/math/pow.clh"
#include "cl/math/pow_f64.clh"
#include "cl/math/root_f64.clh"
#include "cl/math/trig.clh"
#include "cl/math/trig_f64.clh"
/* the numbers of cl/math/float.clh by one instruction */
#define weft_rint_F32(x) rintf(x)
#define weft_rint_F64(x) rint(x)
#pragma GCC diagnostic pop

/* ---- the loops ---- */

/* A store waits for its line, if that is not in the first-level cache. floor of 10^5 floats: 7.7 us, without this 8.4,
   and where results are not aligned 10. Loops of bytes wait for less than this costs. */
#ifdef __GNUC__
#define AHEAD_BYTES 512
#define ASK_FOR(y)                                                                            \
  for (size_t at = 0; sizeof *(y) > 1 && at < sizeof *(y)*WEFT__HOST_FORMULA_BLOCK; at += 64) \
    __builtin_prefetch((const char *)(y) + AHEAD_BYTES + at, 1, 3);
#else
#define ASK_FOR(y)
#endif

/// Operands that the function does not have are operand 0.
#define LOOP_OF(PUT, TARGET, NAME, operands, A, T, R, text)                                                   \
  TARGET static void NAME(void *to, const void *const from[WEFT__HOST_FORMULA_OPERANDS], size_t n,            \
                          unsigned repeated) {                                                                \
    const int second = (operands) > 1 ? 1 : 0, last = (operands)-1;                                           \
    const A *x = (const A *)from[0];                                                                          \
    const T *x1 = (const T *)from[second], *x2 = (const T *)from[last];                                       \
    R *y = (R *)to;                                                                                           \
    const size_t step = repeated & 1 ? 0 : WEFT__HOST_FORMULA_BLOCK,                                          \
                 step1 = repeated >> second & 1 ? 0 : WEFT__HOST_FORMULA_BLOCK,                               \
                 step2 = repeated >> last & 1 ? 0 : WEFT__HOST_FORMULA_BLOCK;                                 \
    for (const R *end = y + n; y < end; x += step, x1 += step1, x2 += step2, y += WEFT__HOST_FORMULA_BLOCK) { \
      ASK_FOR(y)                                                                                              \
      WEFT__NO_OVERLAP for (size_t k = 0; k < WEFT__HOST_FORMULA_BLOCK; k++) {                                \
        const A a = x[k];                                                                                     \
        const T b = x1[k], c = x2[k];                                                                         \
        PUT(R, text);                                                                                         \
        (void)b, (void)c;                                                                                     \
      }                                                                                                       \
    }                                                                                                         \
  }
#define PUT_NUMBER(R, text) y[k] = (R)(text)
#define PUT_PARTS(R, text) \
  const R z = text;        \
  y[k].re = z.re;          \
  y[k].im = z.im
#define LOOP(TARGET, NAME, ...) LOOP_OF(PUT_NUMBER, TARGET, NAME, __VA_ARGS__)
#define COMPLEX_LOOP(TARGET, NAME, ...) LOOP_OF(PUT_PARTS, TARGET, NAME, __VA_ARGS__)

#ifdef WEFT__WIDEST_TARGET
#define VECTOR_BYTES(T) (sizeof(T) * WEFT__HOST_FORMULA_BLOCK < 64 ? sizeof(T) * WEFT__HOST_FORMULA_BLOCK : 64)

/* A vector's lanes as bits. Truth values: of lanes that are -1 or 0. */
#define TRUTH_I8(v) _mm256_movepi8_mask((__m256i)(v))
#define TRUTH_I16(v) _mm512_movepi16_mask((__m512i)(v))
#define TRUTH_I32(v) _mm512_movepi32_mask((__m512i)(v))
#define TRUTH_I64(v) _mm512_movepi64_mask((__m512i)(v))
#define TRUTH_U8 TRUTH_I8
#define TRUTH_U16 TRUTH_I16
#define TRUTH_U32 TRUTH_I32
#define TRUTH_U64 TRUTH_I64
#define TRUTH_F32 TRUTH_I32
#define TRUTH_F64 TRUTH_I64
#define CLASS_F32(v, classes) _mm512_fpclass_ps_mask((__m512)(v), classes)
#define CLASS_F64(v, classes) _mm512_fpclass_pd_mask((__m512d)(v), classes)
enum { QUIET_NAN = 0x01, INFINITE = 0x08, NEGATIVE_INFINITE = 0x10, SIGNALLING_NAN = 0x80 };
#define BITS_ISNAN(D, a) CLASS_##D(a, QUIET_NAN | SIGNALLING_NAN)
#define BITS_ISINF(D, a) CLASS_##D(a, INFINITE | NEGATIVE_INFINITE)
#define BITS_ISPOSINF(D, a) CLASS_##D(a, INFINITE)
#define BITS_ISNEGINF(D, a) CLASS_##D(a, NEGATIVE_INFINITE)
#define BITS_ISFINITE(D, a) ~CLASS_##D(a, QUIET_NAN | SIGNALLING_NAN | INFINITE | NEGATIVE_INFINITE)
#define BITS_SIGNBIT(D, a) TRUTH_##D(a)

/// Comparisons and tests of whole vectors, whose bits become bytes together: of single elements GCC makes more
/// instructions.
#define VECTOR_LOOP(TARGET, NAME, operands, T, bits)                                                   \
  TARGET static void NAME(void *to, const void *const from[WEFT__HOST_FORMULA_OPERANDS], size_t n,     \
                          unsigned repeated) {                                                         \
    typedef T vector __attribute__((vector_size(VECTOR_BYTES(T))));                                    \
    const T *x = (const T *)from[0], *x1 = (const T *)from[(operands)-1];                              \
    const size_t step = repeated & 1 ? 0 : WEFT__HOST_FORMULA_BLOCK,                                   \
                 step1 = repeated >> ((operands)-1) & 1 ? 0 : WEFT__HOST_FORMULA_BLOCK;                \
    const __m256i ones = _mm256_set1_epi8(1);                                                          \
    uint8_t *y = (uint8_t *)to;                                                                        \
    for (const uint8_t *end = y + n; y < end; x += step, x1 += step1, y += WEFT__HOST_FORMULA_BLOCK) { \
      enum { LANES = VECTOR_BYTES(T) / sizeof(T) };                                                    \
      uint32_t all = 0;                                                                                \
      for (int k = 0; k < WEFT__HOST_FORMULA_BLOCK; k += LANES) {                                      \
        vector a, b;                                                                                   \
        memcpy(&a, x + k, sizeof a);                                                                   \
        memcpy(&b, x1 + k, sizeof b);                                                                  \
        all |= ((uint32_t)(bits)&UINT32_MAX >> (32 - LANES)) << k;                                     \
        (void)b;                                                                                       \
      }                                                                                                \
      _mm256_storeu_si256((__m256i *)y, _mm256_maskz_mov_epi8(all, ones));                             \
    }                                                                                                  \
  }
#define COMPARISON_LOOP(NAME, D, operands, A, T, R, text) \
  WEFT__BOTH(LOOP, NAME##_##D, operands, A, T, R, text)   \
  VECTOR_LOOP(WEFT__WIDEST_TARGET, NAME##_##D##_widest, operands, T, TRUTH_##D(text))
#define TEST_LOOP(NAME, ID, D, operands, A, T, R, text) \
  WEFT__BOTH(LOOP, NAME##_##D, operands, A, T, R, text) \
  VECTOR_LOOP(WEFT__WIDEST_TARGET, NAME##_##D##_widest, operands, T, BITS_##ID(D, a))

/// Of vectors of 64 bytes, 10^5 products take 0.82 of the time. A fused multiplication by 1 rounds no product.
#define WIDEST(name) name##_widest /* packaging/onefile.py keeps names that macros make */
WEFT__WIDEST_TARGET static void WIDEST(host_MULTIPLY_C64)(void *to, const void *const from[WEFT__HOST_FORMULA_OPERANDS],
                                                          size_t n, unsigned repeated) {
  const weft_c64 *x = (const weft_c64 *)from[0], *x1 = (const weft_c64 *)from[1];
  const size_t step = repeated & 1 ? 0 : WEFT__HOST_FORMULA_BLOCK, step1 = repeated & 2 ? 0 : WEFT__HOST_FORMULA_BLOCK;
  const __m512 one = _mm512_set1_ps(1);
  weft_c64 *y = (weft_c64 *)to;
  for (const weft_c64 *end = y + n; y < end; x += step, x1 += step1, y += WEFT__HOST_FORMULA_BLOCK) {
    ASK_FOR(y)
    for (int k = 0; k < WEFT__HOST_FORMULA_BLOCK; k += 8) {
      const __m512 a = _mm512_loadu_ps(x + k), b = _mm512_loadu_ps(x1 + k);
      const __m512 crossed = _mm512_mul_ps(_mm512_movehdup_ps(a), _mm512_permute_ps(b, 0xb1));
      _mm512_storeu_ps(y + k, _mm512_fmaddsub_ps(_mm512_mul_ps(_mm512_moveldup_ps(a), b), one, crossed));
    }
  }
}
#else
#define COMPARISON_LOOP(NAME, D, ...) WEFT__EACH(LOOP, NAME##_##D, __VA_ARGS__)
#define TEST_LOOP(NAME, ID, D, ...) WEFT__EACH(LOOP, NAME##_##D, __VA_ARGS__)
#endif

/// One or two operands. The elements of one that is the result are kept meanwhile. TRIES computes a block.
#define FAST_LOOP_OF(TRIES, TARGET, NAME, operands, A, T, R, ...)                                  \
  TARGET static void NAME(void *to, const void *const from[WEFT__HOST_FORMULA_OPERANDS], size_t n, \
                          unsigned repeated) {                                                     \
    _Alignas(64) A kept[WEFT__HOST_FORMULA_FAST_ELEMENTS];                                         \
    _Alignas(64) T kept1[WEFT__HOST_FORMULA_FAST_ELEMENTS];                                        \
    const size_t most = repeated ? WEFT__HOST_FORMULA_BLOCK : WEFT__HOST_FORMULA_FAST_ELEMENTS;    \
    R *y = (R *)to;                                                                                \
    int any_rare = 0;                                                                              \
    for (size_t begin = 0, count; begin < n; begin += count, y += count) {                         \
      const A *x = (const A *)from[0] + (repeated & 1 ? 0 : begin);                                \
      const T *x1 = (const T *)from[(operands)-1] + (repeated >> ((operands)-1) & 1 ? 0 : begin);  \
      count = n - begin < most ? n - begin : most;                                                 \
      if ((const void *)x == y) x = memcpy(kept, x, count * sizeof *x);                            \
      if ((const void *)x1 == y) x1 = memcpy(kept1, x1, count * sizeof *x1);                       \
      TRIES(A, T, __VA_ARGS__)                                                                     \
    }                                                                                              \
  }
#define TRY(A, T, text)                                                                             \
  WEFT__NO_OVERLAP for (size_t k = 0; k < (count & ~(size_t)(WEFT__HOST_FORMULA_BLOCK - 1)); k++) { \
    const A a = x[k];                                                                               \
    const T b = x1[k];                                                                              \
    int rare = 0;                                                                                   \
    y[k] = text;                                                                                    \
    any_rare |= rare;                                                                               \
    (void)b;                                                                                        \
  }
#define TWO_TRIES(A, T, text, whole) \
  any_rare = 0;                      \
  TRY(A, T, text)                    \
  if (any_rare) TRY(A, T, whole)
/* the first one until it does not suffice */
#define THREE_TRIES(A, T, positive, text, whole) \
  if (!any_rare) TRY(A, T, positive)             \
  if (any_rare) {                                \
    TWO_TRIES(A, T, text, whole)                 \
    any_rare = 1;                                \
  }
#define FAST_LOOP(TARGET, NAME, ...) FAST_LOOP_OF(TWO_TRIES, TARGET, NAME, __VA_ARGS__)
#define POWER_LOOP(TARGET, NAME, ...) FAST_LOOP_OF(THREE_TRIES, TARGET, NAME, __VA_ARGS__)

#define UFUNCS(X)                                        \
  WEFT__HOST_UFUNCS_BOOLS(X, BOOL, uint8_t)              \
  WEFT__HOST_UFUNCS_INTEGERS(X, I8, int8_t, uint32_t)    \
  WEFT__HOST_UFUNCS_INTEGERS(X, U8, uint8_t, uint32_t)   \
  WEFT__HOST_UFUNCS_INTEGERS(X, I16, int16_t, uint32_t)  \
  WEFT__HOST_UFUNCS_INTEGERS(X, U16, uint16_t, uint32_t) \
  WEFT__HOST_UFUNCS_INTEGERS(X, I32, int32_t, uint32_t)  \
  WEFT__HOST_UFUNCS_INTEGERS(X, U32, uint32_t, uint32_t) \
  WEFT__HOST_UFUNCS_INTEGERS(X, I64, int64_t, uint64_t)  \
  WEFT__HOST_UFUNCS_INTEGERS(X, U64, uint64_t, uint64_t) \
  WEFT__HOST_UFUNCS_FLOATS(X, F32, float)                \
  WEFT__HOST_UFUNCS_FLOATS(X, F64, double)
#define COMPARISONS(X)                            \
  WEFT__HOST_UFUNCS_COMPARISONS(X, I8, int8_t)    \
  WEFT__HOST_UFUNCS_COMPARISONS(X, U8, uint8_t)   \
  WEFT__HOST_UFUNCS_COMPARISONS(X, I16, int16_t)  \
  WEFT__HOST_UFUNCS_COMPARISONS(X, U16, uint16_t) \
  WEFT__HOST_UFUNCS_COMPARISONS(X, I32, int32_t)  \
  WEFT__HOST_UFUNCS_COMPARISONS(X, U32, uint32_t) \
  WEFT__HOST_UFUNCS_COMPARISONS(X, I64, int64_t)  \
  WEFT__HOST_UFUNCS_COMPARISONS(X, U64, uint64_t) \
  WEFT__HOST_UFUNCS_COMPARISONS(X, F32, float)    \
  WEFT__HOST_UFUNCS_COMPARISONS(X, F64, double)
#define TESTS(X) WEFT__HOST_UFUNCS_TESTS(X, F32, float) WEFT__HOST_UFUNCS_TESTS(X, F64, double)
#define COMPUTED(X) WEFT__HOST_UFUNCS_COMPUTED(X, F32, float) WEFT__HOST_UFUNCS_COMPUTED(X, F64, double)
#define COMPLEX_UFUNCS(X)                       \
  WEFT__HOST_UFUNCS_COMPLEX(X, C64, weft_c64)   \
  WEFT__HOST_UFUNCS_COMPLEX(X, C128, weft_c128) \
  WEFT__HOST_UFUNCS_PRODUCT(X, C128, weft_c128)
/* As one integer: the parts of a number, computed in different ways, would be taken from vectors and put together. */
#ifdef __GNUC__
typedef __attribute__((may_alias, aligned(4))) uint64_t whole_c64; /* aligned as a float */
#else
typedef uint64_t whole_c64;
#endif
#define CONJ(a, D) CONJ_##D(a)
#define CONJ_C64(a) (a) ^ (uint64_t)1 << (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 63 : 31)
#define CONJ_C128(a) weft_cconj_c128(a)
#define MODULUS(X) WEFT__HOST_UFUNCS_MODULUS(X, C64, weft_c64, float)
#define FUSED_UFUNCS(X) WEFT__HOST_UFUNCS_FUSED(X, F32, float) WEFT__HOST_UFUNCS_FUSED(X, F64, double)
#define FAST_UFUNCS(X) WEFT__HOST_UFUNCS_FAST(X, F32, float) WEFT__HOST_UFUNCS_FAST(X, F64, double)
#define POWER_UFUNCS(X) WEFT__HOST_UFUNCS_POWER(X, F32, float) WEFT__HOST_UFUNCS_POWER(X, F64, double)

#define FUNCTION(ID, D, operands, A, T, R, text) WEFT__EACH_STORING(LOOP, host_##ID##_##D, operands, A, T, R, text)
UFUNCS(FUNCTION)
#define COMPUTED_FUNCTION(ID, D, operands, A, T, R, text) WEFT__EACH(LOOP, host_##ID##_##D, operands, A, T, R, text)
COMPUTED(COMPUTED_FUNCTION)
#define COMPARISON_FUNCTION(ID, D, ...) COMPARISON_LOOP(host_##ID, D, __VA_ARGS__)
COMPARISONS(COMPARISON_FUNCTION)
#define TEST_FUNCTION(ID, D, ...) TEST_LOOP(host_##ID, ID, D, __VA_ARGS__)
TESTS(TEST_FUNCTION)
/* without AVX-512, which has fused multiplications: GCC 12 makes vfmaddsub of products, whatever -ffp-contract says */
#define COMPLEX_FUNCTION(ID, D, operands, A, T, R, text) \
  WEFT__BOTH(COMPLEX_LOOP, host_##ID##_##D, operands, A, T, R, text)
COMPLEX_UFUNCS(COMPLEX_FUNCTION)
WEFT__HOST_UFUNCS_PRODUCT(COMPLEX_FUNCTION, C64, weft_c64)
WEFT__HOST_UFUNCS_CONJ(FUNCTION, C64, whole_c64)
WEFT__HOST_UFUNCS_CONJ(COMPLEX_FUNCTION, C128, weft_c128)
#define FUSED_FUNCTION(ID, D, operands, A, T, R, text) WEFT__EACH_FUSED(LOOP, host_##ID##_##D, operands, A, T, R, text)
FUSED_UFUNCS(FUSED_FUNCTION)
MODULUS(FUSED_FUNCTION)
#define FAST_FUNCTION(ID, D, ...) WEFT__EACH_FUSED(FAST_LOOP, host_##ID##_##D, __VA_ARGS__)
FAST_UFUNCS(FAST_FUNCTION)
#define POWER_FUNCTION(ID, D, ...) WEFT__EACH_FUSED(POWER_LOOP, host_##ID##_##D, __VA_ARGS__)
POWER_UFUNCS(POWER_FUNCTION)

/* As cl/math/saturate.clh, for signed integers. A step for each choice: nested ones become no vectors. */
#define HELD(T, NAME)                                   \
  static inline T NAME(T a, T least, T above, T most) { \
    T held = a > least ? a : least;                     \
    held = held < above ? held : most;                  \
    return a == a ? held : 0;                           \
  }
HELD(float, held_f32)
HELD(double, held_f64)
#define SATURATED(T, HELD_OF, ABOVE, MOST) a >= (ABOVE) ? (MOST) : (T)HELD_OF(a, -(ABOVE), ABOVE, 0)

/* From every dtype to one, from integers to one, and from floats to those that become vectors. */
#define CASTS_OF_WHOLE(X, D, R, text) \
  X(D, R, BOOL, uint8_t, text)        \
  X(D, R, I8, int8_t, text)           \
  X(D, R, U8, uint8_t, text)          \
  X(D, R, I16, int16_t, text)         \
  X(D, R, U16, uint16_t, text)        \
  X(D, R, I32, int32_t, text)         \
  X(D, R, U32, uint32_t, text)        \
  X(D, R, I64, int64_t, text)         \
  X(D, R, U64, uint64_t, text)
#define CASTS_OF_FLOATS(X, D, R, text) X(D, R, F32, float, text) X(D, R, F64, double, text)
#define CASTS(X)                                                                  \
  CASTS_OF_WHOLE(X, BOOL, uint8_t, a != 0)                                        \
  CASTS_OF_FLOATS(X, BOOL, uint8_t, a != 0)                                       \
  CASTS_OF_WHOLE(X, I8, int8_t, a)                                                \
  CASTS_OF_WHOLE(X, U8, uint8_t, a)                                               \
  CASTS_OF_WHOLE(X, I16, int16_t, a)                                              \
  CASTS_OF_WHOLE(X, U16, uint16_t, a)                                             \
  CASTS_OF_WHOLE(X, I32, int32_t, a)                                              \
  X(I32, int32_t, F32, float, SATURATED(int32_t, held_f32, 0x1p31F, INT32_MAX))   \
  X(I32, int32_t, F64, double, (int32_t)held_f64(a, -0x1p31, 0x1p31, 0x1p31 - 1)) \
  CASTS_OF_WHOLE(X, U32, uint32_t, a)                                             \
  CASTS_OF_WHOLE(X, I64, int64_t, a)                                              \
  X(I64, int64_t, F32, float, SATURATED(int64_t, held_f32, 0x1p63F, INT64_MAX))   \
  X(I64, int64_t, F64, double, SATURATED(int64_t, held_f64, 0x1p63, INT64_MAX))   \
  CASTS_OF_WHOLE(X, U64, uint64_t, a)                                             \
  CASTS_OF_WHOLE(X, F32, float, a)                                                \
  CASTS_OF_FLOATS(X, F32, float, a)                                               \
  CASTS_OF_WHOLE(X, F64, double, a)                                               \
  CASTS_OF_FLOATS(X, F64, double, a)

#define CAST(D, R, FROM, A, text) WEFT__EACH_STORING(LOOP, cast_##D##_##FROM, 1, A, A, R, text)
CASTS(CAST)

/* ---- which loop ---- */

typedef struct row {
  int what; /* the ufunc; of a cast the dtype of the result */
  weft_dtype type;
  weft__host_loop *loop[3]; /* by WEFT__WIDTH */
  size_t most;              /* elements */
} row;

/* PoCL 3.1 on two cores, 10^5 f32: by one thread logarithms take 11 to 17 us, launched 16 to 21, with more elements the
   launch is as fast; f64: cosh 43 and 46, tanh 87 and 73. logical_not of 2^20 bools: 20 and 24. pow: 54 by one thread,
   launched 84 of processor time, on two threads. */
#define MOST (1 << 18)
#define MOST_OF(T) (sizeof(T) == 1 ? 1 << 20 : MOST)
#define IS_LONG(ID) \
  (WEFT_UFUNC_##ID == WEFT_UFUNC_POW || WEFT_UFUNC_##ID == WEFT_UFUNC_POWR || WEFT_UFUNC_##ID == WEFT_UFUNC_ATAN2)
#define MOST_LONG(ID, D) (WEFT_##D == WEFT_F64 ? 1 << 12 : WEFT_UFUNC_##ID == WEFT_UFUNC_ATAN2 ? 1 << 15 : 1 << 17)
#define MOST_FAST(ID, D) (IS_LONG(ID) ? MOST_LONG(ID, D) : 1 << 17)
#define MOST_FUSED(D) (WEFT_##D == WEFT_F32 ? 1 << 17 : 1 << 15)

#define FUNCTION_ROW(ID, D, operands, A, T, R, text) \
  {WEFT_UFUNC_##ID, WEFT_##D, WEFT__ALL(host_##ID##_##D), MOST_OF(T)},
#define COMPLEX_ROW(ID, D, ...) {WEFT_UFUNC_##ID, WEFT_##D, WEFT__ALL_OF_PAIR(host_##ID##_##D), MOST},
#define FUSED_ROW(ID, D, ...) {WEFT_UFUNC_##ID, WEFT_##D, WEFT__ALL_FUSED(host_##ID##_##D), MOST_FUSED(D)},
#define MODULUS_ROW(ID, D, ...) {WEFT_UFUNC_##ID, WEFT_##D, WEFT__ALL_FUSED(host_##ID##_##D), MOST_FUSED(F32)},
#define FAST_ROW(ID, D, ...) {WEFT_UFUNC_##ID, WEFT_##D, WEFT__ALL_FUSED(host_##ID##_##D), MOST_FAST(ID, D)},
static const row functions[] = {
    UFUNCS(FUNCTION_ROW) COMPARISONS(FUNCTION_ROW) TESTS(FUNCTION_ROW) COMPUTED(FUNCTION_ROW)
        COMPLEX_UFUNCS(COMPLEX_ROW) WEFT__HOST_UFUNCS_PRODUCT(FUNCTION_ROW, C64, weft_c64)
            WEFT__HOST_UFUNCS_CONJ(FUNCTION_ROW, C64, whole_c64) WEFT__HOST_UFUNCS_CONJ(COMPLEX_ROW, C128, weft_c128)
                FUSED_UFUNCS(FUSED_ROW) MODULUS(MODULUS_ROW) FAST_UFUNCS(FAST_ROW) POWER_UFUNCS(FAST_ROW)};
#define CAST_ROW(D, R, FROM, A, text) {WEFT_##D, WEFT_##FROM, WEFT__ALL(cast_##D##_##FROM), MOST},
static const row casts[] = {CASTS(CAST_ROW)};

static const row *find(const row *rows, size_t count, int what, weft_dtype type) {
  for (size_t k = 0; k < count; k++)
    if (rows[k].what == what && rows[k].type == type) return &rows[k];
  return NULL;
}

static weft__host_loop *found(size_t *most, const row *r, int width) {
  if (!r || !r->loop[width] || (!r->loop[0] && !WEFT__HAS_FUSED)) return NULL;
  *most = r->most;
  return r->loop[width];
}

/// Whether AVX-512 is slower than AVX2: it makes masks of bytes by three instructions for each vector of doubles, and
/// quotients and roots of 16 floats take longer than two vectors of 8 (sqrt of 100 000 on a Xeon: 19.8 and 18.3 us).
static bool is_better_wide(int ufunc) {
  return ufunc == WEFT_UFUNC_WHERE || ufunc == WEFT_UFUNC_DIVIDE || ufunc == WEFT_UFUNC_RECIPROCAL ||
         ufunc == WEFT_UFUNC_SQRT || ufunc == WEFT_UFUNC_RSQRT;
}

weft__host_loop *weft__host_loop_of(size_t *most, int ufunc, weft_dtype type) {
  const int width = is_better_wide(ufunc) ? WEFT__IS_WIDE : WEFT__WIDTH;
  return found(most, find(functions, sizeof functions / sizeof *functions, ufunc, type), width);
}

weft__host_loop *weft__host_cast_of(size_t *most, weft_dtype to, weft_dtype from) {
  return found(most, find(casts, sizeof casts / sizeof *casts, (int)to, from), WEFT__WIDTH);
}
