// SPDX-License-Identifier: MIT
/// Shapes, grids and blocks: small structs passed by value.
///
///     rc = weft_zeros(&x, context, WEFT_F32, WEFT_SHAPE(3, 4));
///     weft_dim3 grid = WEFT_DIM3(weft_ceil_div(n, 256)), block = WEFT_DIM3(256);
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_SHAPE_H
#define WEFT_SHAPE_H

#include <weft/api.h>
#include <weft/map.h>

WEFT_BEGIN_DECLS

/// The most axes that an array can have.
#define WEFT_MAX_NDIM 8

/// The lengths of an array's axes, outermost first.
typedef struct weft_shape {
  int ndim; /* 0: a single element */
  int64_t dim[WEFT_MAX_NDIM];
} weft_shape;

/// Blocks in a grid or threads in a block. 64-bit: sizes over the limits are refused instead of wrapping around.
typedef struct weft_dim3 {
  uint64_t x, y, z;
} weft_dim3;

/// n / divisor rounded up: the number of blocks of `divisor` that cover `n` elements. 0 if divisor is 0. Never
/// overflows.
static inline uint64_t weft_ceil_div(uint64_t n, uint64_t divisor) {
  return divisor == 0 ? 0 : n / divisor + (n % divisor != 0);
}

static inline weft_dim3 weft__dim3(uint64_t x, uint64_t y, uint64_t z) {
  weft_dim3 d;
  d.x = x;
  d.y = y;
  d.z = z;
  return d;
}

static inline weft_shape weft__shape(int ndim, const int64_t *dim) {
  weft_shape s;
  int i;
  s.ndim = ndim;
  for (i = 0; i < WEFT_MAX_NDIM; i++) s.dim[i] = i < ndim ? dim[i] : 0;
  return s;
}

WEFT_END_DECLS

/// WEFT_DIM3(x), WEFT_DIM3(x, y) or WEFT_DIM3(x, y, z). Omitted ones are 1.
#define WEFT_DIM3(...) WEFT__DIM3_PICK(__VA_ARGS__, 1, 1, 1)
#define WEFT__DIM3_PICK(x, y, z, ...) weft__dim3((uint64_t)(x), (uint64_t)(y), (uint64_t)(z))

#ifdef __cplusplus
template <typename... Dims>
inline weft_shape weft__shape_of(Dims... dims) {
  const int64_t dim[] = {static_cast<int64_t>(dims | 0)..., 0}; /* the | refuses a non-integer */
  return weft__shape(static_cast<int>(sizeof...(dims)), dim);
}
#define WEFT_SHAPE(...) weft__shape_of(__VA_ARGS__)
#define WEFT_SHAPE_0D weft__shape_of()
#else
/// WEFT_SHAPE(3, 4): up to WEFT_MAX_NDIM lengths of any integer type. The call that gets the shape refuses more.
#define WEFT_SHAPE(...) \
  weft__shape((int)WEFT__COUNT(__VA_ARGS__), (const int64_t[]){WEFT__MAP(WEFT__LENGTH, __VA_ARGS__)})
/* the | makes a non-integer a compile error; the cast alone would accept it */
#define WEFT__LENGTH(x) (int64_t)((x) | 0)
/// The shape of an array of one element and no axes.
#define WEFT_SHAPE_0D weft__shape(0, NULL)
#endif

#endif
