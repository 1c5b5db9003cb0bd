// SPDX-License-Identifier: MIT
#include "matrices.h"

#include <float.h>

double number_epsilon(weft_dtype dtype) {
  return dtype == WEFT_F32 || dtype == WEFT_C64 ? (double)FLT_EPSILON : DBL_EPSILON;
}
weft_dtype number_real(weft_dtype dtype) {
  return dtype == WEFT_F32 || dtype == WEFT_C64 ? WEFT_F32 : WEFT_F64;
}

matrix matrix_make(int64_t batch, int64_t m, int64_t n) {
  return (matrix){batch, m, n, calloc((size_t)(batch * m * n) + 1, sizeof(number))};
}
number *matrix_at(const matrix *x, int64_t b, int64_t i, int64_t j) {
  return x->at + (b * x->m + i) * x->n + j;
}

static double part(harness_random *random) {
  return (double)harness_between(random, -1000000, 1000000) / 1000000;
}

matrix matrix_random(harness_random *random, weft_dtype dtype, int64_t batch, int64_t m, int64_t n) {
  matrix x = matrix_make(batch, m, n);
  const bool is_complex = weft_dtype_kind(dtype) == 'c', is_single = number_real(dtype) == WEFT_F32;
  for (int64_t e = 0; e < batch * m * n; e++) {
    const double re = part(random), im = is_complex ? part(random) : 0;
    x.at[e] = is_single ? (long double)(float)re + (long double)(float)im * I : (long double)re + (long double)im * I;
  }
  return x;
}

void number_write(weft_dtype dtype, void *to, number value) {
  if (dtype == WEFT_F32) *(float *)to = (float)creall(value);
  if (dtype == WEFT_F64) *(double *)to = (double)creall(value);
  if (dtype == WEFT_C64) ((float *)to)[0] = (float)creall(value), ((float *)to)[1] = (float)cimagl(value);
  if (dtype == WEFT_C128) ((double *)to)[0] = (double)creall(value), ((double *)to)[1] = (double)cimagl(value);
}
number number_read(weft_dtype dtype, const void *from) {
  if (dtype == WEFT_F32) return *(const float *)from;
  if (dtype == WEFT_F64) return *(const double *)from;
  if (dtype == WEFT_C64) return ((const float *)from)[0] + ((const float *)from)[1] * (number)I;
  return ((const double *)from)[0] + ((const double *)from)[1] * (number)I;
}

weft_array *matrix_upload(const matrix *x, weft_dtype dtype) {
  const size_t size = weft_dtype_size_bytes(dtype);
  const int64_t count = x->batch * x->m * x->n;
  char *bytes = malloc((size_t)count * size + 1);
  weft_array *array = NULL;
  for (int64_t e = 0; e < count; e++) number_write(dtype, bytes + (size_t)e * size, x->at[e]);
  ok(weft_from_host(&array, ctx, dtype, WEFT_SHAPE(x->batch, x->m, x->n), bytes));
  free(bytes);
  return array;
}
weft_array *matrix_empty(weft_dtype dtype, weft_shape shape) {
  weft_array *array = NULL;
  ok(weft_full(&array, ctx, dtype, shape, 77));
  return array;
}
matrix matrix_download(const weft_array *array) {
  const weft_shape shape = weft_array_shape(array);
  const weft_dtype dtype = weft_array_dtype(array);
  matrix x = matrix_make(shape.dim[0], shape.dim[1], shape.ndim > 2 ? shape.dim[2] : 1);
  const size_t size = weft_dtype_size_bytes(dtype), bytes = (size_t)weft_array_size_bytes(array);
  char *data = malloc(bytes + 1);
  ok(weft_to_host(data, bytes, array));
  for (size_t e = 0; e < bytes / size; e++) x.at[e] = number_read(dtype, data + e * size);
  free(data);
  return x;
}
void integers_download(int32_t *to, const weft_array *array) {
  ok(weft_to_host(to, (uint64_t)weft_array_size_bytes(array), array));
}

matrix matrix_multiply(const matrix *a, const matrix *b) {
  matrix y = matrix_make(a->batch, a->m, b->n);
  for (int64_t s = 0; s < a->batch; s++)
    for (int64_t i = 0; i < a->m; i++)
      for (int64_t k = 0; k < a->n; k++) {
        const number left = *matrix_at(a, s, i, k);
        for (int64_t j = 0; j < b->n; j++) *matrix_at(&y, s, i, j) += left * *matrix_at(b, s, k, j);
      }
  return y;
}
matrix matrix_adjoint(const matrix *a) {
  matrix y = matrix_make(a->batch, a->n, a->m);
  for (int64_t s = 0; s < a->batch; s++)
    for (int64_t i = 0; i < a->m; i++)
      for (int64_t j = 0; j < a->n; j++) *matrix_at(&y, s, j, i) = conjl(*matrix_at(a, s, i, j));
  return y;
}

double matrix_distance(const matrix *a, const matrix *b) {
  double most = 0;
  ck_assert_int_eq(a->batch * a->m * a->n, b->batch * b->m * b->n);
  for (int64_t e = 0; e < a->batch * a->m * a->n; e++) {
    const double d = (double)cabsl(a->at[e] - b->at[e]);
    if (!(d <= most)) most = d == d ? d : INFINITY;
  }
  return most;
}
double matrix_largest(const matrix *a) {
  double most = 0;
  for (int64_t e = 0; e < a->batch * a->m * a->n; e++) most = fmax(most, (double)cabsl(a->at[e]));
  return most;
}
/// The distance of matrix_adjoint(q) q from the identity.
double matrix_from_orthonormal(const matrix *q) {
  matrix turned = matrix_adjoint(q), product = matrix_multiply(&turned, q), one = matrix_make(q->batch, q->n, q->n);
  for (int64_t s = 0; s < q->batch; s++)
    for (int64_t i = 0; i < q->n; i++) *matrix_at(&one, s, i, i) = 1;
  const double d = matrix_distance(&product, &one);
  free(turned.at);
  free(product.at);
  free(one.at);
  return d;
}
