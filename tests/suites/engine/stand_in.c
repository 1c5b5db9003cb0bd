// SPDX-License-Identifier: MIT
/// A library in the place of an engine's, built once for each name and case (tests/meson.build). A program that loads
/// it by its path gets it again from dlopen("libopenblas.so.0"), because its own name (SONAME) is that. CASE says what
/// it is: EMPTY has no functions; OLD is an OpenBLAS that is too old; REFERENCE does not tell what it is; SERVING is an
/// OpenBLAS whose sgemm is a loop that counts its calls, and whose dpotrf fails in the middle of its work.
#include <stdio.h>
#include <stdlib.h>

#define EMPTY 0
#define OLD 1
#define REFERENCE 2
#define SERVING 3

#if CASE != EMPTY

int stand_in_calls;

enum { TRANSPOSED = 112 };

/* no header declares these functions here */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* row-major matrices alone */
void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc) {
  (void)order;
  stand_in_calls++;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int l = 0; l < k; l++)
        sum += (transpose_a == TRANSPOSED ? a[l * lda + i] : a[i * lda + l]) *
               (transpose_b == TRANSPOSED ? b[j * ldb + l] : b[l * ldb + j]);
      c[i * ldc + j] = alpha * sum + (beta == 0 ? 0 : beta * c[i * ldc + j]);
    }
}

/* Must be there, and must not be called: the tests call sgemm alone. */
#define NEVER_CALLED(name) \
  void name(void) {        \
    abort();               \
  }
NEVER_CALLED(cblas_dgemm)
NEVER_CALLED(cblas_cgemm)
NEVER_CALLED(cblas_zgemm)
NEVER_CALLED(cblas_sgemv)
NEVER_CALLED(cblas_dgemv)
NEVER_CALLED(cblas_cgemv)
NEVER_CALLED(cblas_zgemv)

#if CASE == OLD
const char *openblas_get_config(void) {
  return "OpenBLAS 0.2.20 NO_LAPACKE DYNAMIC_ARCH Haswell";
}
#elif CASE == SERVING
const char *openblas_get_config(void) {
  return "OpenBLAS 9.8.7 DYNAMIC_ARCH StandIn";
}
#endif

/* A code for memory that ran out, after a part of the work. */
void dpotrf_(const char *half, const int *n, double *a, const int *lda, int *info) {
  (void)half, (void)lda;
  stand_in_calls++;
  for (int i = 0; i < *n; i++) a[i] = -1;
  *info = -1010;
}
void zgesdd_(void) {
  abort();
}

#endif
