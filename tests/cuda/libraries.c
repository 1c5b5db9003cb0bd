// SPDX-License-Identifier: MIT
/// Stand-ins for cuBLAS and cuSOLVER, by the host's LAPACK, whose matrices are column-major too, for cuFFT and for
/// cuSPARSE. They wait for the stream, whose work comes first, and compute then. Source of behaviour: the manuals of
/// cuBLAS, cuSOLVER, cuFFT and cuSPARSE 13; what they leave open is as cuSOLVER 12.0.4 does it.
#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

enum { NOT_INITIALIZED_LIBRARY = 1, INVALID = 7 };
enum { R_32F = 0, R_64F = 1, C_32F = 4, C_64F = 5 };

int cuStreamSynchronize(struct CUstream_st *stream);

typedef struct handle {
  struct CUstream_st *stream;
} handle;

/* ---- LAPACK ---- */

typedef void function();

/// The function of a dtype: name(C_64F, "potrf") is zpotrf_.
static function *lapack(int type, const char *real, const char *complex_name) {
  static void *library;
  char name[32];
  if (!library) library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
  snprintf(name, sizeof name, "%c%s_",
           type == R_32F   ? 's'
           : type == R_64F ? 'd'
           : type == C_32F ? 'c'
                           : 'z',
           type >= C_32F ? complex_name : real);
  void *found = library ? dlsym(library, name) : NULL;
  function *f;
  memcpy(&f, &found, sizeof f);
  return f;
}

static size_t element(int type) {
  return type == R_32F ? 4 : type == C_64F ? 16 : 8;
}

static bool is_wide(int type) {
  return type == R_64F || type == C_64F;
}

/// The real part of an element.
static double real_part(int type, const void *data, int64_t place) {
  const char *at = (const char *)data + (size_t)place * element(type);
  return is_wide(type) ? *(const double *)at : (double)*(const float *)at;
}

static void *work_of(int64_t count) {
  return malloc((size_t)(count > 0 ? count : 1) * 16);
}

/// Waits for the stream. Returns a code.
static int begin(const char *name, handle *h) {
  const int begun = standin_begin(name);
  if (begun) return begun;
  return h ? cuStreamSynchronize(h->stream) : NOT_INITIALIZED_LIBRARY;
}

/* ---- handles ---- */

static int make(const char *name, handle **out) {
  const int begun = standin_begin(name);
  if (begun) return begun;
  *out = calloc(1, sizeof **out);
  if (!*out) abort();
  standin_count(1);
  return 0;
}

static int drop(handle *h) {
  free(h);
  standin_count(-1);
  return 0;
}

int cublasCreate_v2(handle **out) {
  return make(__func__, out);
}
int cublasDestroy_v2(handle *h) {
  return drop(h);
}
int cublasSetStream_v2(handle *h, struct CUstream_st *stream) {
  h->stream = stream;
  return standin_begin(__func__);
}
int cusolverDnCreate(handle **out) {
  return make(__func__, out);
}
int cusolverDnDestroy(handle *h) {
  return drop(h);
}
int cusolverDnSetStream(handle *h, struct CUstream_st *stream) {
  h->stream = stream;
  return standin_begin(__func__);
}
int cusparseCreate(handle **out) {
  return make(__func__, out);
}
int cusparseDestroy(handle *h) {
  return drop(h);
}
int cusparseSetStream(handle *h, struct CUstream_st *stream) {
  h->stream = stream;
  return standin_begin(__func__);
}
int cusolverDnCreateParams(handle **out) {
  return make(__func__, out);
}
int cusolverDnDestroyParams(handle *h) {
  return drop(h);
}

static int version(int which, int *value) {
  static const int numbers[3] = {12, 0, 4};
  *value = which >= 0 && which < 3 ? numbers[which] : 0;
  return which >= 0 && which < 3 ? 0 : INVALID;
}

int cublasGetProperty(int which, int *value) {
  return version(which, value);
}
int cusolverGetProperty(int which, int *value) {
  return version(which, value);
}
int cufftGetProperty(int which, int *value) {
  return version(which, value);
}
int cusparseGetProperty(int which, int *value) {
  return version(which, value);
}

/* ---- cuBLAS ---- */

static const char *const ops[] = {"N", "T", "C"};

int cublasGemmStridedBatchedEx(handle *h, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a,
                               int type_a, int lda, long long step_a, const void *b, int type_b, int ldb,
                               long long step_b, const void *beta, void *c, int type_c, int ldc, long long step_c,
                               int batch, int computed, int algorithm) {
  function *gemm = lapack(type_a, "gemm", "gemm");
  const size_t bytes = element(type_a);
  (void)computed, (void)algorithm;
  if (!gemm || type_b != type_a || type_c != type_a) return INVALID;
  const int code = begin(__func__, h);
  for (long long i = 0; i < batch && !code; i++)
    gemm(ops[op_a], ops[op_b], &m, &n, &k, alpha, (const char *)a + (size_t)(i * step_a) * bytes, &lda,
         (const char *)b + (size_t)(i * step_b) * bytes, &ldb, beta, (char *)c + (size_t)(i * step_c) * bytes, &ldc,
         (size_t)1, (size_t)1);
  return code;
}

static int solve(const char *name, int type, handle *h, int side, int uplo, int op, int diag, int m, int n,
                 const void *alpha, const void *a, int lda, void *b, int ldb) {
  function *trsm = lapack(type, "trsm", "trsm");
  const int code = trsm ? begin(name, h) : INVALID;
  if (!code)
    trsm(side ? "R" : "L", uplo ? "U" : "L", ops[op], diag ? "U" : "N", &m, &n, alpha, a, &lda, b, &ldb, (size_t)1,
         (size_t)1, (size_t)1, (size_t)1);
  return code;
}

#define TRSM(letter, type)                                                                                      \
  int cublas##letter##trsm_v2(handle *h, int side, int uplo, int op, int diag, int m, int n, const void *alpha, \
                              const void *a, int lda, void *b, int ldb) {                                       \
    return solve(__func__, type, h, side, uplo, op, diag, m, n, alpha, a, lda, b, ldb);                         \
  }
TRSM(S, R_32F)
TRSM(D, R_64F)
TRSM(C, C_32F)
TRSM(Z, C_64F)

/* ---- cuSOLVER: factorizations ---- */

/// Workspaces are asked for, as cuSOLVER does, and not used.
static int sizes(const char *name, size_t *device_bytes, size_t *host_bytes) {
  *device_bytes = 1000;
  *host_bytes = 8;
  return standin_begin(name);
}

int cusolverDnXpotrf_bufferSize(handle *h, void *params, int uplo, int64_t n, int type, const void *a, int64_t lda,
                                int computed, size_t *device_bytes, size_t *host_bytes) {
  (void)h, (void)params, (void)uplo, (void)n, (void)type, (void)a, (void)lda, (void)computed;
  return sizes(__func__, device_bytes, host_bytes);
}

int cusolverDnXpotrf(handle *h, void *params, int uplo, int64_t n, int type, void *a, int64_t lda, int computed,
                     void *device_work, size_t device_bytes, void *host_work, size_t host_bytes, int *info) {
  function *potrf = lapack(type, "potrf", "potrf");
  const int n32 = (int)n, lda32 = (int)lda;
  (void)params, (void)computed, (void)device_work, (void)device_bytes, (void)host_work, (void)host_bytes;
  const int code = potrf ? begin(__func__, h) : INVALID;
  if (!code) potrf(uplo ? "U" : "L", &n32, a, &lda32, info, (size_t)1);
  return code;
}

int cusolverDnXgetrf_bufferSize(handle *h, void *params, int64_t m, int64_t n, int type, const void *a, int64_t lda,
                                int computed, size_t *device_bytes, size_t *host_bytes) {
  (void)h, (void)params, (void)m, (void)n, (void)type, (void)a, (void)lda, (void)computed;
  return sizes(__func__, device_bytes, host_bytes);
}

int cusolverDnXgetrf(handle *h, void *params, int64_t m, int64_t n, int type, void *a, int64_t lda, int64_t *pivots,
                     int computed, void *device_work, size_t device_bytes, void *host_work, size_t host_bytes,
                     int *info) {
  function *getrf = lapack(type, "getrf", "getrf");
  const int m32 = (int)m, n32 = (int)n, lda32 = (int)lda;
  (void)params, (void)computed, (void)device_work, (void)device_bytes, (void)host_work, (void)host_bytes;
  const int code = getrf ? begin(__func__, h) : INVALID;
  if (code) return code;
  int *rows = work_of(m < n ? m : n);
  getrf(&m32, &n32, a, &lda32, rows, info);
  for (int64_t i = 0; i < m && i < n; i++) pivots[i] = rows[i];
  free(rows);
  return 0;
}

int cusolverDnXgeqrf_bufferSize(handle *h, void *params, int64_t m, int64_t n, int type, const void *a, int64_t lda,
                                int tau_type, const void *tau, int computed, size_t *device_bytes, size_t *host_bytes) {
  (void)h, (void)params, (void)m, (void)n, (void)type, (void)a, (void)lda, (void)tau_type, (void)tau, (void)computed;
  return sizes(__func__, device_bytes, host_bytes);
}

int cusolverDnXgeqrf(handle *h, void *params, int64_t m, int64_t n, int type, void *a, int64_t lda, int tau_type,
                     void *tau, int computed, void *device_work, size_t device_bytes, void *host_work,
                     size_t host_bytes, int *info) {
  function *geqrf = lapack(type, "geqrf", "geqrf");
  const int m32 = (int)m, n32 = (int)n, lda32 = (int)lda, length = (int)(64 * n + 1);
  (void)params, (void)tau_type, (void)computed, (void)device_work, (void)device_bytes, (void)host_work;
  (void)host_bytes;
  const int code = geqrf ? begin(__func__, h) : INVALID;
  if (code) return code;
  void *work = work_of(length);
  geqrf(&m32, &n32, a, &lda32, tau, work, &length, info);
  free(work);
  return 0;
}

static int columns_of_q(const char *name, int type, handle *h, int m, int n, int k, void *a, int lda, const void *tau,
                        int *info) {
  function *orgqr = lapack(type, "orgqr", "ungqr");
  const int length = 64 * n + 1;
  const int code = orgqr ? begin(name, h) : INVALID;
  if (code) return code;
  void *work = work_of(length);
  orgqr(&m, &n, &k, a, &lda, tau, work, &length, info);
  free(work);
  return 0;
}

#define ORGQR(name, type)                                                                                         \
  int cusolverDn##name##_bufferSize(handle *h, int m, int n, int k, const void *a, int lda, const void *tau,      \
                                    int *length) {                                                                \
    (void)h, (void)m, (void)n, (void)k, (void)a, (void)lda, (void)tau;                                            \
    *length = 500;                                                                                                \
    return standin_begin(__func__);                                                                               \
  }                                                                                                               \
  int cusolverDn##name(handle *h, int m, int n, int k, void *a, int lda, const void *tau, void *work, int length, \
                       int *info) {                                                                               \
    (void)work;                                                                                                   \
    return length < 500 ? INVALID : columns_of_q(__func__, type, h, m, n, k, a, lda, tau, info);                  \
  }
ORGQR(Sorgqr, R_32F)
ORGQR(Dorgqr, R_64F)
ORGQR(Cungqr, C_32F)
ORGQR(Zungqr, C_64F)

/* ---- cuSOLVER: eigenvalues and singular values ---- */

int cusolverDnXsyevd_bufferSize(handle *h, void *params, int jobz, int uplo, int64_t n, int type, const void *a,
                                int64_t lda, int value_type, const void *w, int computed, size_t *device_bytes,
                                size_t *host_bytes) {
  (void)h, (void)params, (void)jobz, (void)uplo, (void)n, (void)type, (void)a, (void)lda, (void)value_type, (void)w;
  (void)computed;
  return sizes(__func__, device_bytes, host_bytes);
}

int cusolverDnXsyevd(handle *h, void *params, int jobz, int uplo, int64_t n, int type, void *a, int64_t lda,
                     int value_type, void *w, int computed, void *device_work, size_t device_bytes, void *host_work,
                     size_t host_bytes, int *info) {
  function *syevd = lapack(type, "syevd", "heevd");
  const int n32 = (int)n, lda32 = (int)lda, length = (int)(2 * n * n + 6 * n + 1), integers = (int)(5 * n + 3);
  const int reals = (int)(2 * n * n + 5 * n + 1);
  (void)params, (void)value_type, (void)computed, (void)device_work, (void)device_bytes, (void)host_work;
  (void)host_bytes;
  const int code = syevd ? begin(__func__, h) : INVALID;
  if (code) return code;
  void *work = work_of(length), *real = work_of(reals), *integer = work_of(integers);
  if (type >= C_32F)
    syevd(jobz ? "V" : "N", uplo ? "U" : "L", &n32, a, &lda32, w, work, &length, real, &reals, integer, &integers, info,
          (size_t)1, (size_t)1);
  else
    syevd(jobz ? "V" : "N", uplo ? "U" : "L", &n32, a, &lda32, w, work, &length, integer, &integers, info, (size_t)1,
          (size_t)1);
  free(work), free(real), free(integer);
  return 0;
}

static void decompose(int type, char job, int m, int n, void *a, int lda, void *s, void *u, int ldu, void *vt, int ldvt,
                      int *info) {
  function *gesvd = lapack(type, "gesvd", "gesvd");
  const char left[] = {job, 0}, right[] = {job == 'N' ? 'N' : 'S', 0};
  const int length = 10 * (m + n) + 64 * n;
  void *work = work_of(length), *real = work_of(5 * (int64_t)n);
  if (type >= C_32F)
    gesvd(left, right, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &length, real, info, (size_t)1, (size_t)1);
  else
    gesvd(left, right, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &length, info, (size_t)1, (size_t)1);
  free(work), free(real);
}

int cusolverDnXgesvd_bufferSize(handle *h, void *params, signed char jobu, signed char jobvt, int64_t m, int64_t n,
                                int type, const void *a, int64_t lda, int value_type, const void *s, int u_type,
                                const void *u, int64_t ldu, int vt_type, const void *vt, int64_t ldvt, int computed,
                                size_t *device_bytes, size_t *host_bytes) {
  (void)h, (void)params, (void)jobu, (void)jobvt, (void)type, (void)a, (void)lda, (void)value_type, (void)s;
  (void)u_type, (void)u, (void)ldu, (void)vt_type, (void)vt, (void)ldvt, (void)computed;
  const int code = sizes(__func__, device_bytes, host_bytes);
  return m < n ? INVALID : code;
}

int cusolverDnXgesvd(handle *h, void *params, signed char jobu, signed char jobvt, int64_t m, int64_t n, int type,
                     void *a, int64_t lda, int value_type, void *s, int u_type, void *u, int64_t ldu, int vt_type,
                     void *vt, int64_t ldvt, int computed, void *device_work, size_t device_bytes, void *host_work,
                     size_t host_bytes, int *info) {
  (void)params, (void)value_type, (void)u_type, (void)vt_type, (void)computed, (void)device_work, (void)device_bytes;
  (void)host_work, (void)host_bytes;
  if (m < n || (jobvt == 'N') != (jobu == 'N')) return INVALID;
  const int code = begin(__func__, h);
  if (!code) decompose(type, (char)jobu, (int)m, (int)n, a, (int)lda, s, u, (int)ldu, vt, (int)ldvt, info);
  return code;
}

int cusolverDnXgesvdp_bufferSize(handle *h, void *params, int jobz, int is_economic, int64_t m, int64_t n, int type,
                                 const void *a, int64_t lda, int value_type, const void *s, int u_type, const void *u,
                                 int64_t ldu, int v_type, const void *v, int64_t ldv, int computed,
                                 size_t *device_bytes, size_t *host_bytes) {
  (void)h, (void)params, (void)jobz, (void)is_economic, (void)m, (void)n, (void)type, (void)a, (void)lda;
  (void)value_type, (void)s, (void)u_type, (void)u, (void)ldu, (void)v_type, (void)v, (void)ldv, (void)computed;
  return sizes(__func__, device_bytes, host_bytes);
}

/// v, n columns of n, of adjoint(v).
static void adjoint(int type, void *v, int ldv, const char *vt, int n) {
  for (int column = 0; column < n; column++)
    for (int row = 0; row < n; row++) {
      char *to = (char *)v + (size_t)(column * ldv + row) * element(type);
      const char *from = vt + (size_t)(row * n + column) * element(type);
      memcpy(to, from, element(type));
      if (type == C_32F) ((float *)to)[1] = -((float *)to)[1];
      if (type == C_64F) ((double *)to)[1] = -((double *)to)[1];
    }
}

/// As cuSOLVER's: if a singular value is tiny, it says so and changes the largest one.
int cusolverDnXgesvdp(handle *h, void *params, int jobz, int is_economic, int64_t m, int64_t n, int type, void *a,
                      int64_t lda, int value_type, void *s, int u_type, void *u, int64_t ldu, int v_type, void *v,
                      int64_t ldv, int computed, void *device_work, size_t device_bytes, void *host_work,
                      size_t host_bytes, int *info, double *changed) {
  (void)params, (void)u_type, (void)v_type, (void)computed, (void)device_work, (void)device_bytes, (void)host_work;
  (void)host_bytes;
  const int code = begin(__func__, h);
  if (code) return code;
  char *vt = work_of(n * n);
  decompose(type, !jobz ? 'N' : is_economic ? 'S' : 'A', (int)m, (int)n, a, (int)lda, s, u, (int)ldu, vt, (int)n, info);
  if (jobz) adjoint(type, v, (int)ldv, vt, (int)n);
  free(vt);
  const double first = real_part(value_type, s, 0), last = real_part(value_type, s, n - 1);
  *changed = last < first * 1e-12 ? first * 1e-3 : 0;
  if (value_type == R_64F) *(double *)s += *changed;
  return 0;
}

/* ---- cuFFT ---- */

enum { C2C = 0x29, Z2Z = 0x69, MOST_PLANS = 64, WORK_BYTES = 4096 };

typedef struct plan {
  bool is_made, owns_work;
  struct CUstream_st *stream;
  int type;
  long long length, batch;
  void *work;
} plan;

static plan plans[MOST_PLANS]; /* by number; the test's threads make none at the same time */

int cufftCreate(int *number) {
  const int begun = standin_begin(__func__);
  if (begun) return begun;
  for (*number = 0; *number < MOST_PLANS && plans[*number].is_made;) ++*number;
  if (*number == MOST_PLANS) return INVALID;
  plans[*number] = (plan){.is_made = true, .owns_work = true};
  standin_count(1);
  return 0;
}

int cufftDestroy(int number) {
  plans[number].is_made = false;
  standin_count(-1);
  return 0;
}

int cufftSetStream(int number, struct CUstream_st *stream) {
  plans[number].stream = stream;
  return standin_begin(__func__);
}

int cufftSetAutoAllocation(int number, int is_automatic) {
  plans[number].owns_work = is_automatic != 0;
  return standin_begin(__func__);
}

int cufftMakePlanMany64(int number, int axes, long long *length, long long *in_length, long long in_stride,
                        long long in_apart, long long *out_length, long long out_stride, long long out_apart, int type,
                        long long batch, size_t *work_bytes) {
  plan *p = &plans[number];
  (void)in_length, (void)out_length, (void)in_stride, (void)in_apart, (void)out_stride, (void)out_apart;
  if (axes != 1) return INVALID;
  p->type = type;
  p->length = *length;
  p->batch = batch;
  *work_bytes = WORK_BYTES;
  return standin_begin(__func__);
}

int cufftSetWorkArea(int number, void *work) {
  plans[number].work = work;
  return standin_begin(__func__);
}

/// Element `place` of the array's real numbers.
static double number_at(const plan *p, const void *data, long long place) {
  return p->type == Z2Z ? ((const double *)data)[place] : (double)((const float *)data)[place];
}

/// The roots of unity of this length, real and imaginary parts in turns.
static long double *roots_of(long long n, int direction) {
  long double *roots = malloc((size_t)n * 2 * sizeof *roots);
  if (!roots) abort();
  for (long long k = 0; k < n; k++) {
    const long double angle = 2 * acosl(-1) * (long double)k / (long double)n;
    roots[2 * k] = cosl(angle);
    roots[2 * k + 1] = direction * sinl(angle);
  }
  return roots;
}

/// One row, by the definition; in more than f64 for both types.
static void transform(const plan *p, const void *from, void *to, const long double *roots, long long row) {
  const long long n = p->length, first = 2 * row * n;
  double *sums = work_of(n);
  for (long long k = 0; k < n; k++) {
    long double sum[2] = {0, 0};
    for (long long j = 0, root = 0; j < n; j++, root = (root + k) % n) {
      const double re = number_at(p, from, first + 2 * j), im = number_at(p, from, first + 2 * j + 1);
      sum[0] += re * roots[2 * root] - im * roots[2 * root + 1];
      sum[1] += re * roots[2 * root + 1] + im * roots[2 * root];
    }
    sums[2 * k] = (double)sum[0];
    sums[2 * k + 1] = (double)sum[1];
  }
  for (long long k = 0; k < 2 * n; k++)
    if (p->type == Z2Z)
      ((double *)to)[first + k] = sums[k];
    else
      ((float *)to)[first + k] = (float)sums[k];
  free(sums);
}

static int run_plan(const char *name, int number, int type, const void *from, void *to, int direction) {
  const plan *p = &plans[number];
  const int begun = standin_begin(name);
  if (begun) return begun;
  if (p->type != type || p->owns_work || !p->work) return INVALID;
  const int code = cuStreamSynchronize(p->stream);
  long double *roots = roots_of(p->length, direction);
  for (long long row = 0; row < p->batch && !code; row++) transform(p, from, to, roots, row);
  free(roots);
  return code;
}

int cufftExecC2C(int number, void *from, void *to, int direction) {
  return run_plan(__func__, number, C2C, from, to, direction);
}
int cufftExecZ2Z(int number, void *from, void *to, int direction) {
  return run_plan(__func__, number, Z2Z, from, to, direction);
}

/* ---- cuSPARSE ---- */

enum { INDEX_32I = 2, INDEX_64I = 3, CSR_ALG2 = 3 };

typedef struct sparse {
  int64_t rows, columns;
  const void *indptr, *indices, *values;
  int index, type;
} sparse;

typedef struct vector {
  int64_t size;
  void *values;
  int type;
} vector;

/// Stricter than cuSPARSE, which slows down or fails without a word.
static bool is_aligned(const void *address) {
  return address && (uintptr_t)address % 16 == 0;
}

static int made(void *object, void **out) {
  if (!object) abort();
  *out = object;
  standin_count(1);
  return 0;
}

static int unmade(const void *object) {
  free((void *)(uintptr_t)object);
  standin_count(-1);
  return 0;
}

int cusparseCreateCsr(void **out, int64_t rows, int64_t columns, int64_t count, void *indptr, void *indices,
                      void *values, int indptr_type, int index_type, int base, int type) {
  const int begun = standin_begin(__func__);
  if (begun) return begun;
  if (rows <= 0 || columns <= 0 || count <= 0 || indptr_type != index_type || base || !is_aligned(indptr) ||
      !is_aligned(indices) || !is_aligned(values))
    return INVALID;
  sparse *matrix = malloc(sizeof *matrix);
  if (matrix) *matrix = (sparse){rows, columns, indptr, indices, values, index_type, type};
  return made(matrix, out);
}

int cusparseDestroySpMat(const void *matrix) {
  return unmade(matrix);
}

int cusparseCreateDnVec(void **out, int64_t size, void *values, int type) {
  const int begun = standin_begin(__func__);
  if (begun) return begun;
  if (size <= 0 || !is_aligned(values)) return INVALID;
  vector *made_vector = malloc(sizeof *made_vector);
  if (made_vector) *made_vector = (vector){size, values, type};
  return made(made_vector, out);
}

int cusparseDestroyDnVec(const void *which) {
  return unmade(which);
}

static bool fit(const sparse *matrix, const vector *x, const vector *y, int op, int computed, int algorithm) {
  return op == 0 && algorithm == CSR_ALG2 && computed == matrix->type && x->type == computed && y->type == computed &&
         x->size == matrix->columns && y->size == matrix->rows;
}

int cusparseSpMV_bufferSize(handle *h, int op, const void *scale, const sparse *matrix, const vector *x,
                            const void *accumulate, const vector *y, int computed, int algorithm, size_t *work_bytes) {
  const int begun = standin_begin(__func__);
  if (begun) return begun;
  *work_bytes = WORK_BYTES;
  return h && scale && accumulate && fit(matrix, x, y, op, computed, algorithm) ? 0 : INVALID;
}

static int64_t index_at(const sparse *matrix, const void *data, int64_t place) {
  return matrix->index == INDEX_64I ? ((const int64_t *)data)[place] : ((const int32_t *)data)[place];
}

static double complex value_at(int type, const void *data, int64_t place) {
  const int part = is_wide(type) ? R_64F : R_32F;
  if (type < C_32F) return real_part(type, data, place);
  return CMPLX(real_part(part, data, 2 * place), real_part(part, data, 2 * place + 1));
}

static void set_value(int type, void *data, int64_t place, double complex value) {
  if (type == R_32F) ((float *)data)[place] = (float)creal(value);
  if (type == R_64F) ((double *)data)[place] = creal(value);
  if (type == C_32F) ((float complex *)data)[place] = (float complex)value;
  if (type == C_64F) ((double complex *)data)[place] = value;
}

int cusparseSpMV(handle *h, int op, const void *scale, const sparse *matrix, const vector *x, const void *accumulate,
                 const vector *y, int computed, int algorithm, void *work) {
  const int type = matrix->type;
  if (!fit(matrix, x, y, op, computed, algorithm) || !is_aligned(work)) return INVALID;
  const double complex alpha = value_at(type, scale, 0), beta = value_at(type, accumulate, 0);
  const int code = begin(__func__, h);
  for (int64_t row = 0; row < matrix->rows && !code; row++) {
    double complex sum = 0;
    const int64_t end = index_at(matrix, matrix->indptr, row + 1);
    for (int64_t k = index_at(matrix, matrix->indptr, row); k < end; k++)
      sum += value_at(type, matrix->values, k) * value_at(type, x->values, index_at(matrix, matrix->indices, k));
    sum *= alpha;
    if (beta != 0) sum += beta * value_at(type, y->values, row); /* else y is not read */
    set_value(type, y->values, row, sum);
  }
  return code;
}
