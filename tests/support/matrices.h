// SPDX-License-Identifier: MIT
/// Stacks of matrices in plain C, in long double, against which linear algebra is tested.
#ifndef WEFT_TESTS_MATRICES_H
#define WEFT_TESTS_MATRICES_H

#include <complex.h>

#include "harness.h"

typedef long double complex number;

/// The difference between 1 and the next number of f32 (also for c64) or f64; f32 or f64.
double number_epsilon(weft_dtype dtype);
weft_dtype number_real(weft_dtype dtype);
/// An element of f32, f64, c64 or c128.
void number_write(weft_dtype dtype, void *to, number value);
number number_read(weft_dtype dtype, const void *from);

/// [batch, m, n], row-major. The caller frees `at`.
typedef struct matrix {
  int64_t batch, m, n;
  number *at;
} matrix;

/// All 0.
matrix matrix_make(int64_t batch, int64_t m, int64_t n);
/// Between -1 and 1, exact in the dtype; complex if the dtype is.
matrix matrix_random(harness_random *random, weft_dtype dtype, int64_t batch, int64_t m, int64_t n);
number *matrix_at(const matrix *x, int64_t b, int64_t i, int64_t j);
matrix matrix_multiply(const matrix *a, const matrix *b);
matrix matrix_adjoint(const matrix *a);

/// The largest difference; NaN counts as infinite.
double matrix_distance(const matrix *a, const matrix *b);
/// The largest absolute value.
double matrix_largest(const matrix *a);
/// The distance of adjoint(q) q from the identity.
double matrix_from_orthonormal(const matrix *q);

weft_array *matrix_upload(const matrix *x, weft_dtype dtype);
/// An array full of 77.
weft_array *matrix_empty(weft_dtype dtype, weft_shape shape);
/// From an array of 2 or 3 axes; of 2, n is 1.
matrix matrix_download(const weft_array *array);
void integers_download(int32_t *to, const weft_array *array);

#endif
