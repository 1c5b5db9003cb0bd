// SPDX-License-Identifier: MIT
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else some loops are no vector code */
#endif
#include "map/twin_loops.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <weft/ufuncs.h>

#include "base/wide.h"
#include "map/twins.h"

/* ---- what the functions of cl/math/ need of OpenCL C ---- */

#define WEFT_CPU 1
#define WEFT_FP64 1
#define uchar uint8_t
#define ushort uint16_t
#define uint uint32_t
#define ulong uint64_t
#if __SIZEOF_LONG__ != 8
#define long int64_t
#endif
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define popcount(x) __builtin_popcountll(x)
#define nan(bits) NAN
#define OF_FLOATS(name, x) _Generic((x), float : name##f, default : name)
#define fabs(x) OF_FLOATS(fabs, x)(x)
#define floor(x) OF_FLOATS(floor, x)(x)
#define ceil(x) OF_FLOATS(ceil, x)(x)
#define trunc(x) OF_FLOATS(trunc, x)(x)
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
REINTERPRET(as_long, int64_t, double)
REINTERPRET(as_double, double, int64_t)

#define OWN(name, D) name##_##D

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function" /* powers and others */
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
/* the numbers of cl/math/float.clh by one instruction */
#define weft_rint_F32(x) rintf(x)
#define weft_rint_F64(x) rint(x)
#pragma GCC diagnostic pop

/* ---- the loops ---- */

#if defined(__clang__)
#define ELEMENTS_ARE_APART _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define ELEMENTS_ARE_APART _Pragma("GCC ivdep")
#else
#define ELEMENTS_ARE_APART
#endif

/// Operands that the function does not have are operand 0.
#define LOOP(TARGET, NAME, operands, A, T, R, text)                                                                    \
  TARGET static void NAME(void *to, const void *const from[WEFT__TWIN_OPERANDS], size_t n, unsigned repeated) {        \
    const int second = (operands) > 1 ? 1 : 0, last = (operands)-1;                                                    \
    const A *x = (const A *)from[0];                                                                                   \
    const T *x1 = (const T *)from[second], *x2 = (const T *)from[last];                                                \
    R *y = (R *)to;                                                                                                    \
    const size_t step = repeated & 1 ? 0 : WEFT__TWIN_BLOCK, step1 = repeated >> second & 1 ? 0 : WEFT__TWIN_BLOCK,    \
                 step2 = repeated >> last & 1 ? 0 : WEFT__TWIN_BLOCK;                                                  \
    for (const R *end = y + n; y < end; x += step, x1 += step1, x2 += step2, y += WEFT__TWIN_BLOCK) ELEMENTS_ARE_APART \
    for (size_t k = 0; k < WEFT__TWIN_BLOCK; k++) {                                                                    \
      const A a = x[k];                                                                                                \
      const T b = x1[k], c = x2[k];                                                                                    \
      y[k] = (R)(text);                                                                                                \
      (void)b, (void)c;                                                                                                \
    }                                                                                                                  \
  }

#define TWINS(X)                                   \
  WEFT__TWINS_BOOLS(X, BOOL, uint8_t)              \
  WEFT__TWINS_INTEGERS(X, I8, int8_t, uint32_t)    \
  WEFT__TWINS_INTEGERS(X, U8, uint8_t, uint32_t)   \
  WEFT__TWINS_INTEGERS(X, I16, int16_t, uint32_t)  \
  WEFT__TWINS_INTEGERS(X, U16, uint16_t, uint32_t) \
  WEFT__TWINS_INTEGERS(X, I32, int32_t, uint32_t)  \
  WEFT__TWINS_INTEGERS(X, U32, uint32_t, uint32_t) \
  WEFT__TWINS_INTEGERS(X, I64, int64_t, uint64_t)  \
  WEFT__TWINS_INTEGERS(X, U64, uint64_t, uint64_t) \
  WEFT__TWINS_FLOATS(X, F32, float)                \
  WEFT__TWINS_FLOATS(X, F64, double)

#define FUNCTION(ID, D, operands, A, T, R, text) WEFT__EACH(LOOP, twin_##ID##_##D, operands, A, T, R, text)
TWINS(FUNCTION)

/* From every dtype to one, from integers to one, and from floats to those that are cast alike everywhere. */
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
#define CASTS(X)                            \
  CASTS_OF_WHOLE(X, BOOL, uint8_t, a != 0)  \
  CASTS_OF_FLOATS(X, BOOL, uint8_t, a != 0) \
  CASTS_OF_WHOLE(X, I8, int8_t, a)          \
  CASTS_OF_WHOLE(X, U8, uint8_t, a)         \
  CASTS_OF_WHOLE(X, I16, int16_t, a)        \
  CASTS_OF_WHOLE(X, U16, uint16_t, a)       \
  CASTS_OF_WHOLE(X, I32, int32_t, a)        \
  CASTS_OF_FLOATS(X, I32, int32_t, a)       \
  CASTS_OF_WHOLE(X, U32, uint32_t, a)       \
  CASTS_OF_WHOLE(X, I64, int64_t, a)        \
  CASTS_OF_FLOATS(X, I64, int64_t, a)       \
  CASTS_OF_WHOLE(X, U64, uint64_t, a)       \
  CASTS_OF_WHOLE(X, F32, float, a)          \
  CASTS_OF_FLOATS(X, F32, float, a)         \
  CASTS_OF_WHOLE(X, F64, double, a)         \
  CASTS_OF_FLOATS(X, F64, double, a)

#define CAST(D, R, FROM, A, text) WEFT__EACH(LOOP, cast_##D##_##FROM, 1, A, A, R, text)
CASTS(CAST)

/* ---- which loop ---- */

typedef struct row {
  int what; /* the ufunc; of a cast the dtype of the result */
  weft_dtype type;
  weft__twin_loop *loop[3]; /* by WEFT__WIDTH */
} row;

#define FUNCTION_ROW(ID, D, operands, A, T, R, text) {WEFT_UFUNC_##ID, WEFT_##D, WEFT__ALL(twin_##ID##_##D)},
static const row functions[] = {TWINS(FUNCTION_ROW)};
#define CAST_ROW(D, R, FROM, A, text) {WEFT_##D, WEFT_##FROM, WEFT__ALL(cast_##D##_##FROM)},
static const row casts[] = {CASTS(CAST_ROW)};

static weft__twin_loop *find(const row *rows, size_t count, int what, weft_dtype type, int width) {
  for (size_t k = 0; k < count; k++)
    if (rows[k].what == what && rows[k].type == type) return rows[k].loop[width];
  return NULL;
}

weft__twin_loop *weft__twin_loop_of(int ufunc, weft_dtype type) {
  /* AVX-512 makes masks of bytes by three instructions for each vector of doubles */
  const int width = ufunc == WEFT_UFUNC_WHERE ? WEFT__IS_WIDE : WEFT__WIDTH;
  return find(functions, sizeof functions / sizeof *functions, ufunc, type, width);
}

weft__twin_loop *weft__twin_cast_of(weft_dtype to, weft_dtype from) {
  return find(casts, sizeof casts / sizeof *casts, (int)to, from, WEFT__WIDTH);
}
