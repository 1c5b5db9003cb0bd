// SPDX-License-Identifier: MIT
/// The plain-C reference for views, and arrays in every layout.
///
/// A model has no strides: for every element of a view, in row-major order, it lists the element's position in the
/// base.
#ifndef WEFT_TESTS_VIEWS_H
#define WEFT_TESTS_VIEWS_H

#include "harness.h"

typedef struct model {
  weft_shape shape;
  int64_t count;
  int64_t *index; /* positions in the base */
} model;

int64_t shape_count(weft_shape shape);
/// The lengths of `order` as axes; of none all axes, reversed by weft_transpose.
weft_axes as_axes(weft_shape order);

/// Each makes a new model; `in` is unchanged. Arguments must be valid (axes not negative).
model model_base(weft_shape shape);
model model_slice(const model *in, int axis, int64_t start, int64_t stop, int64_t step);
model model_index(const model *in, int axis, int64_t index);
model model_transpose(const model *in, weft_shape axes);
model model_reshape(const model *in, weft_shape shape);
model model_broadcast(const model *in, weft_shape shape);
model model_squeeze(const model *in, int axis);
model model_expand(const model *in, int axis);
model model_flip(const model *in, int axis);
void model_free(model *m);

/// True if one stride per axis (in elements, 0 for axes of length 1 or less) reaches all elements in `shape`, which has
/// m->count elements.
bool model_strides(const model *m, weft_shape shape, int64_t *strides);

/* ---- elements ---- */

/// A random element with valid bits: any integer; floats of all sizes, occasionally a quiet NaN, an infinity or a
/// signed zero.
void element_random(harness_random *random, weft_dtype dtype, void *element);
void elements_random(harness_random *random, weft_dtype dtype, void *elements, int64_t count);
/// The element nearest to re + im i; integers by C's conversion.
void element_set(weft_dtype dtype, void *element, double re, double im);
/// The bits of the bfloat16 nearest to a number, ties to even, and the number of such bits: a reference independent of
/// the library.
uint16_t element_bf16(long double value);
float element_of_bf16(uint16_t value);

/// A real element; exact, except integers of 64 bits where long double is no wider than double.
long double element_get(weft_dtype dtype, const void *element);

/* ---- arrays in every layout ---- */

typedef enum layout {
  LAYOUT_CONTIGUOUS, /* 1-d */
  LAYOUT_SCALAR,     /* 0-d, in the middle of its base */
  LAYOUT_EMPTY,      /* an axis of length 0 */
  LAYOUT_INNER,      /* 2-d, rows contiguous, gaps between them */
  LAYOUT_STEP,       /* 1-d, every third element */
  LAYOUT_FLIPPED,    /* 1-d, backwards */
  LAYOUT_GENERAL,    /* 3-d, transposed, stepped and flipped */
  LAYOUT_BROADCAST,  /* 2-d, stride 0: cannot be written */
  LAYOUT_COUNT,
} layout;

extern const char *const LAYOUT_NAMES[LAYOUT_COUNT];

/// A view in some layout of a base with random contents, and the expected contents of the base.
typedef struct strided {
  weft_dtype dtype;
  weft_array *base, *view;
  model model;
  int64_t base_count;
  unsigned char *expected; /* the base's elements */
} strided;

/// Makes a view of about `n` elements.
void strided_make(strided *s, weft_dtype dtype, layout kind, int64_t n, harness_random *random);
/// The view's elements, in order, from `expected`; the caller frees them.
unsigned char *strided_values(const strided *s);
/// Sets element i of the view in `expected`.
void strided_expect(strided *s, int64_t i, const void *element);
/// Reads the whole base from the device and compares it with `expected`, bit by bit.
void strided_check(const strided *s, const char *what);
void strided_release(strided *s);

/// Reads `x` and compares it with `count` elements, bit by bit.
void check_elements(const weft_array *x, const void *elements, int64_t count, const char *what);

#endif
