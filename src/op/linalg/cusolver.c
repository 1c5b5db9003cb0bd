// SPDX-License-Identifier: MIT
/// Factorizations, eigenvalues and singular values by cuSOLVER, triangular solves by cuBLAS.
#include "op/linalg/cusolver.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <weft/rearrange.h>
#include <weft/reduce.h>
#include <weft/ufuncs.h>

#include "map/cast.h"
#include "op/linalg/block.h"
#include "op/matmul/cublas.h"

/* ---- the libraries ---- */

enum { UPPER = WEFT__CUBLAS_UPPER, VECTORS = 1, TYPES = WEFT__CUBLAS_TYPES };

/// One function per dtype, or one for all. Pointers to elements have no type here, since one call serves the four
/// dtypes.
typedef struct functions {
  int (*create)(void **handle);
  int (*destroy)(void *handle);
  int (*set_stream)(void *handle, weft__cuda_stream stream);
  int (*create_params)(void **params);
  int (*destroy_params)(void *params);
  int (*potrf_size)(void *handle, void *params, int uplo, int64_t n, int type, const void *a, int64_t lda, int computed,
                    size_t *device_bytes, size_t *host_bytes);
  int (*potrf)(void *handle, void *params, int uplo, int64_t n, int type, void *a, int64_t lda, int computed,
               void *device_work, size_t device_bytes, void *host_work, size_t host_bytes, int *info);
  int (*getrf_size)(void *handle, void *params, int64_t m, int64_t n, int type, const void *a, int64_t lda,
                    int computed, size_t *device_bytes, size_t *host_bytes);
  int (*getrf)(void *handle, void *params, int64_t m, int64_t n, int type, void *a, int64_t lda, int64_t *pivots,
               int computed, void *device_work, size_t device_bytes, void *host_work, size_t host_bytes, int *info);
  int (*geqrf_size)(void *handle, void *params, int64_t m, int64_t n, int type, const void *a, int64_t lda,
                    int tau_type, const void *tau, int computed, size_t *device_bytes, size_t *host_bytes);
  int (*geqrf)(void *handle, void *params, int64_t m, int64_t n, int type, void *a, int64_t lda, int tau_type,
               void *tau, int computed, void *device_work, size_t device_bytes, void *host_work, size_t host_bytes,
               int *info);
  int (*orgqr_size[TYPES])(void *handle, int m, int n, int k, const void *a, int lda, const void *tau, int *length);
  int (*orgqr[TYPES])(void *handle, int m, int n, int k, void *a, int lda, const void *tau, void *work, int length,
                      int *info);
  int (*syevd_size)(void *handle, void *params, int jobz, int uplo, int64_t n, int type, const void *a, int64_t lda,
                    int value_type, const void *w, int computed, size_t *device_bytes, size_t *host_bytes);
  int (*syevd)(void *handle, void *params, int jobz, int uplo, int64_t n, int type, void *a, int64_t lda,
               int value_type, void *w, int computed, void *device_work, size_t device_bytes, void *host_work,
               size_t host_bytes, int *info);
  int (*gesvdp_size)(void *handle, void *params, int jobz, int is_economic, int64_t m, int64_t n, int type,
                     const void *a, int64_t lda, int value_type, const void *s, int u_type, const void *u, int64_t ldu,
                     int v_type, const void *v, int64_t ldv, int computed, size_t *device_bytes, size_t *host_bytes);
  int (*gesvdp)(void *handle, void *params, int jobz, int is_economic, int64_t m, int64_t n, int type, void *a,
                int64_t lda, int value_type, void *s, int u_type, void *u, int64_t ldu, int v_type, void *v,
                int64_t ldv, int computed, void *device_work, size_t device_bytes, void *host_work, size_t host_bytes,
                int *info, double *perturbation);
  int (*gesvd_size)(void *handle, void *params, signed char jobu, signed char jobvt, int64_t m, int64_t n, int type,
                    const void *a, int64_t lda, int value_type, const void *s, int u_type, const void *u, int64_t ldu,
                    int vt_type, const void *vt, int64_t ldvt, int computed, size_t *device_bytes, size_t *host_bytes);
  int (*gesvd)(void *handle, void *params, signed char jobu, signed char jobvt, int64_t m, int64_t n, int type, void *a,
               int64_t lda, int value_type, void *s, int u_type, void *u, int64_t ldu, int vt_type, void *vt,
               int64_t ldvt, int computed, void *device_work, size_t device_bytes, void *host_work, size_t host_bytes,
               int *info);
} functions;

static functions api;
#define ONE(member, name) \
  { "cusolverDn" name, offsetof(functions, member), false }
#define TYPED(member, at, name) \
  { "cusolverDn" name, offsetof(functions, member) + (at) * sizeof(void (*)(void)), false }
static const weft__engine_symbol symbols[] = {ONE(create, "Create"),
                                              ONE(destroy, "Destroy"),
                                              ONE(set_stream, "SetStream"),
                                              ONE(create_params, "CreateParams"),
                                              ONE(destroy_params, "DestroyParams"),
                                              ONE(potrf_size, "Xpotrf_bufferSize"),
                                              ONE(potrf, "Xpotrf"),
                                              ONE(getrf_size, "Xgetrf_bufferSize"),
                                              ONE(getrf, "Xgetrf"),
                                              ONE(geqrf_size, "Xgeqrf_bufferSize"),
                                              ONE(geqrf, "Xgeqrf"),
                                              TYPED(orgqr_size, 0, "Sorgqr_bufferSize"),
                                              TYPED(orgqr_size, 1, "Dorgqr_bufferSize"),
                                              TYPED(orgqr_size, 2, "Cungqr_bufferSize"),
                                              TYPED(orgqr_size, 3, "Zungqr_bufferSize"),
                                              TYPED(orgqr, 0, "Sorgqr"),
                                              TYPED(orgqr, 1, "Dorgqr"),
                                              TYPED(orgqr, 2, "Cungqr"),
                                              TYPED(orgqr, 3, "Zungqr"),
                                              ONE(syevd_size, "Xsyevd_bufferSize"),
                                              ONE(syevd, "Xsyevd"),
                                              ONE(gesvdp_size, "Xgesvdp_bufferSize"),
                                              ONE(gesvdp, "Xgesvdp"),
                                              ONE(gesvd_size, "Xgesvd_bufferSize"),
                                              ONE(gesvd, "Xgesvd")};
static weft__engine_binding binding = WEFT__ENGINE_BINDING(WEFT__LIBRARY_CUSOLVER, symbols, &api);

typedef struct handle {
  void *solver, *params;
} handle;

static void destroy_handle(void *object) {
  handle *h = object;
  if (h->params) api.destroy_params(h->params);
  if (h->solver) api.destroy(h->solver);
  free(h);
}

static int create_handle(void **object, weft__cuda_stream stream) {
  handle *h = calloc(1, sizeof *h);
  if (!h) return -1;
  int code = api.create(&h->solver);
  if (!code) code = api.create_params(&h->params);
  if (!code) code = api.set_stream(h->solver, stream);
  if (code)
    destroy_handle(h);
  else
    *object = h;
  return code;
}

static const weft__cuda_engine solver = {&binding, create_handle, destroy_handle};

bool weft__cusolver_is_there(const weft_context *context) {
  return weft__cuda_engine_is_there(&solver, context);
}

bool weft__cublas_is_there(const weft_context *context) {
  return weft__cuda_engine_is_there(&weft__cublas, context);
}

/* ---- a call for each matrix of a batch ---- */

/// The arrays of a step are batches along their first axes. Sizes as the functions define them.
typedef struct task {
  int64_t batch, m, n, k;
  int type, real; /* cudaDataType_t of the matrices and of their real numbers */
  bool flag;      /* the function's own */
  bool waits;     /* the host reads a result at once */
  weft__triangle triangle;
  int uses;
  const weft_array *array[WEFT__CUDA_USES];
  bool is_input[WEFT__CUDA_USES]; /* only read */
  size_t length;                  /* of orgqr's workspace, in elements */
  double change, perturbation;    /* of singular values: of the last matrix, the largest of the batch */
} task;

/// The place of the matrices' dtype in tables of functions.
static int place(const task *t) {
  return weft__cublas_place(t->array[0]->dtype);
}

static task task_of(const weft_array *a, int64_t m, int64_t n) {
  return (task){.batch = a->shape[0],
                .m = m,
                .n = n,
                .type = weft__cuda_data_type(a->dtype),
                .real = weft__cuda_data_type(weft__real_dtype(a->dtype))};
}

/// The address of matrix `number` in array `use`.
static void *at(const weft__cuda_call *c, const task *t, int use, int64_t number) {
  return (char *)c->data[use] + number * t->array[use]->stride_bytes[0];
}

typedef int step_function(const weft__cuda_call *call, task *t, int64_t number);

/// A step's two functions: the workspaces' sizes, and one matrix.
typedef struct kind {
  const char *what;
  int (*measure)(weft__cuda_call *call, task *t);
  step_function *one;
} kind;

typedef struct work {
  const kind *kind;
  task *task;
} work;

static int measure_step(weft__cuda_call *call, void *user) {
  const work *w = user;
  return w->kind->measure(call, w->task);
}

static int run_step(const weft__cuda_call *call, void *user) {
  const work *w = user;
  for (int64_t number = 0; number < w->task->batch; number++) {
    /* the library may read the host's workspace until a matrix is done */
    if (number && call->host_bytes && weft__cuda_api.stream_wait(call->stream)) return -1;
    const int code = w->kind->one(call, w->task, number);
    if (code) return code;
  }
  return 0;
}

static weft_status run(bool *is_done, const kind *of, task *t, const weft__cuda_engine *engine, const char *site) {
  weft__cuda_use use[WEFT__CUDA_USES];
  for (int k = 0; k < t->uses; k++) use[k] = weft__cuda_use_of(t->array[k], !t->is_input[k]);
  return weft__cuda_step(is_done, &(weft__cuda_work){.context = t->array[0]->context,
                                                     .engine = engine,
                                                     .uses = t->uses,
                                                     .use = use,
                                                     .measure = of->measure ? measure_step : NULL,
                                                     .run = run_step,
                                                     .user = &(work){of, t},
                                                     .waits = t->waits,
                                                     .what = of->what,
                                                     .site = site});
}

#define SOLVER(call) ((handle *)(call)->handle)->solver, ((handle *)(call)->handle)->params
#define WORKSPACES(call) (call)->device_work, (call)->device_bytes, (call)->host_work, (call)->host_bytes

/// *are_finite: no element of a batch is NaN or infinite. Waits.
static weft_status check_finite(bool *are_finite, const weft_array *x, const char *site) {
  weft_array *bad = NULL;
  weft_status rc;
  unsigned char found;
  const weft_operand variables[] = {WEFT_NAMED("x", x), WEFT_REDUCTION(.op = WEFT_REDUCE_ANY)};
  WEFT__TRY(weft__reduce_at(WEFT_OPERAND(&bad), x->context, "not isfinite(x)", WEFT_ALL_AXES, 2, variables, site));
  WEFT__TRY(weft__array_read(&found, bad, true, site));
  *are_finite = !found;
done:
  weft_array_release(&bad);
  return rc;
}

/// A step of a function with the label `done`, before the library has changed an array: without memory for the copies
/// the matrix is the next row's.
#define TRY_ROOM(call)                              \
  do {                                              \
    rc = (call);                                    \
    if (weft__without_memory(&rc) || rc) goto done; \
  } while (0)

/* ---- Cholesky ---- */

static int measure_potrf(weft__cuda_call *c, task *t) {
  return api.potrf_size(SOLVER(c), UPPER, t->n, t->type, c->data[0], t->n, t->type, &c->device_bytes, &c->host_bytes);
}

/// The row-major lower triangle is the column-major upper one of conj(a) = adjoint(u) u, where u is transposed(l):
/// the row-major reading of u is l.
static int potrf_one(const weft__cuda_call *c, task *t, int64_t number) {
  return api.potrf(SOLVER(c), UPPER, t->n, t->type, at(c, t, 0, number), t->n, t->type, WORKSPACES(c),
                   at(c, t, 1, number));
}

weft_status weft__cuda_potrf(bool *is_done, weft_array *a, weft_array *info, const char *site) {
  static const kind cholesky = {"cholesky", measure_potrf, potrf_one};
  task t = task_of(a, a->shape[1], a->shape[2]);
  t.uses = 2;
  t.array[0] = a, t.array[1] = info;
  WEFT__TRY_RETURN(run(is_done, &cholesky, &t, &solver, site));
  if (!*is_done) return WEFT_OK;
  WEFT__TRY_RETURN(weft__find_broken_pivot(info, a, site)); /* only pivots <= 0 are found, not NaN */
  return weft__clear_upper(a, site);
}

/* ---- LU ---- */

static int measure_getrf(weft__cuda_call *c, task *t) {
  return api.getrf_size(SOLVER(c), t->m, t->n, t->type, c->data[0], t->m, t->type, &c->device_bytes, &c->host_bytes);
}

static int getrf_one(const weft__cuda_call *c, task *t, int64_t number) {
  return api.getrf(SOLVER(c), t->m, t->n, t->type, at(c, t, 0, number), t->m, at(c, t, 1, number), t->type,
                   WORKSPACES(c), at(c, t, 2, number));
}

/// Rows are exchanged, as for every LU, so the transposed problem does not help: the matrix is transposed.
weft_status weft__cuda_getrf(bool *is_done, weft_array *a, weft_array *pivots, weft_array *info, const char *site) {
  static const kind lu = {"lu", measure_getrf, getrf_one};
  weft_array *columns = NULL, *rows = NULL;
  weft_status rc;
  task t = task_of(a, a->shape[1], a->shape[2]);
  TRY_ROOM(weft__array_create(&rows, a->context, WEFT_I64, weft__array_shape(pivots), site));
  TRY_ROOM(weft__transposed_copy(&columns, a, site));
  t.uses = 3;
  t.array[0] = columns, t.array[1] = rows, t.array[2] = info;
  WEFT__TRY(run(is_done, &lu, &t, &solver, site));
  if (!*is_done) goto done;
  WEFT__TRY(weft__assign_transposed(a, columns, false, site));
  /* cuSOLVER's rows are counted from 1; it does not say what they are in a column of NaN */
  const weft_operand lowest[] = {WEFT_OPERAND(&rows), WEFT_OPERAND(rows), WEFT_OPERAND(1)};
  WEFT__TRY(weft__ufunc_apply_at(WEFT_UFUNC_MAXIMUM, 3, lowest, site));
  const weft_operand highest[] = {WEFT_OPERAND(&rows), WEFT_OPERAND(rows), WEFT_OPERAND(t.m)};
  WEFT__TRY(weft__ufunc_apply_at(WEFT_UFUNC_MINIMUM, 3, highest, site));
  const weft_operand minus_one[] = {WEFT_OPERAND(&rows), WEFT_OPERAND(rows), WEFT_OPERAND(1)};
  WEFT__TRY(weft__ufunc_apply_at(WEFT_UFUNC_SUBTRACT, 3, minus_one, site));
  rc = weft__cast_into(pivots, rows, WEFT_I32, site);
done:
  weft_array_release(&columns);
  weft_array_release(&rows);
  return rc;
}

/* ---- triangular solves ---- */

/// op(T) X = B is transposed(X) op(transposed(T)) = transposed(B): a solve from the right with the column-major
/// matrices. data: b, t.
static int trsm_one(const weft__cuda_call *c, task *t, int64_t number) {
  static const float one_f32[2] = {1, 0};
  static const double one_f64[2] = {1, 0};
  const weft__triangle of = t->triangle;
  const int op = !of.transposes ? WEFT__CUBLAS_PLAIN : of.conjugates ? WEFT__CUBLAS_ADJOINT : WEFT__CUBLAS_TRANSPOSED;
  return weft__cublas_api.trsm[place(t)](
      c->handle, WEFT__CUBLAS_RIGHT, of.is_upper ? WEFT__CUBLAS_LOWER : WEFT__CUBLAS_UPPER, op,
      of.is_unit ? WEFT__CUBLAS_UNIT : 0, (int)t->k, (int)t->n, place(t) % 2 ? (const void *)one_f64 : one_f32,
      at(c, t, 1, number), (int)t->n, at(c, t, 0, number), (int)t->k);
}

weft_status weft__cuda_trsm(bool *is_done, weft_array *b, const weft_array *t, weft__triangle triangle,
                            const char *site) {
  static const kind solve = {"triangular solve", NULL, trsm_one};
  task of = task_of(b, 0, t->shape[1]);
  *is_done = false;
  /* BLAS has no op that conjugates alone */
  const bool is_conjugated = triangle.conjugates && !triangle.transposes && weft_dtype_kind(b->dtype) == 'c';
  if (is_conjugated || of.n > INT_MAX || b->shape[2] > INT_MAX) return WEFT_OK;
  of.k = b->shape[2];
  of.triangle = triangle;
  of.uses = 2;
  of.array[0] = b, of.array[1] = t;
  of.is_input[1] = true;
  return run(is_done, &solve, &of, &weft__cublas, site);
}

/* ---- QR ---- */

static int measure_geqrf(weft__cuda_call *c, task *t) {
  size_t bytes = 0;
  int length = 0;
  int code = api.geqrf_size(SOLVER(c), t->m, t->n, t->type, c->data[0], t->m, t->type, c->data[1], t->type,
                            &c->device_bytes, &c->host_bytes);
  if (!code && t->flag) {
    const int64_t rank = t->m < t->n ? t->m : t->n;
    if (t->m * t->k > INT_MAX) return -1; /* orgqr counts in 32 bits */
    code = api.orgqr_size[place(t)](((handle *)c->handle)->solver, (int)t->m, (int)t->k, (int)rank, c->data[3],
                                    (int)t->m, c->data[1], &length);
    t->length = (size_t)length;
    bytes = t->length * weft_dtype_size_bytes(t->array[0]->dtype);
  }
  if (bytes > c->device_bytes) c->device_bytes = bytes;
  return code;
}

/// data: a, tau, info, and q with its columns, whose first ones get a's reflectors.
static int geqrf_one(const weft__cuda_call *c, task *t, int64_t number) {
  const int64_t rank = t->m < t->n ? t->m : t->n;
  const size_t element = weft_dtype_size_bytes(t->array[0]->dtype);
  int code = api.geqrf(SOLVER(c), t->m, t->n, t->type, at(c, t, 0, number), t->m, t->type, at(c, t, 1, number), t->type,
                       WORKSPACES(c), at(c, t, 2, number));
  if (code || !t->flag) return code;
  const size_t bytes = (size_t)(t->m * rank) * element;
  code = weft__cuda_api.copy_async((uint64_t)(uintptr_t)at(c, t, 3, number), (uint64_t)(uintptr_t)at(c, t, 0, number),
                                   bytes, c->stream);
  if (code) return code;
  return api.orgqr[place(t)](((handle *)c->handle)->solver, (int)t->m, (int)t->k, (int)rank, at(c, t, 3, number),
                             (int)t->m, at(c, t, 1, number), c->device_work, (int)t->length, at(c, t, 2, number));
}

weft_status weft__cuda_geqrf(bool *is_done, weft_array *q, weft_array *r, weft_array *a, const char *site) {
  static const kind qr = {"qr", measure_geqrf, geqrf_one};
  weft_array *columns = NULL, *tau = NULL, *info = NULL, *q_columns = NULL;
  weft_status rc;
  task t = task_of(a, a->shape[1], a->shape[2]);
  const int64_t rank = t.m < t.n ? t.m : t.n;
  TRY_ROOM(weft__array_create(&tau, a->context, a->dtype, WEFT_SHAPE(t.batch, rank), site));
  TRY_ROOM(weft__array_create(&info, a->context, WEFT_I32, WEFT_SHAPE(t.batch), site));
  TRY_ROOM(weft__transposed_copy(&columns, a, site));
  t.uses = 3;
  t.array[0] = columns, t.array[1] = tau, t.array[2] = info;
  if (q) {
    t.flag = true;
    t.k = q->shape[2];
    TRY_ROOM(weft__array_create(&q_columns, a->context, a->dtype, WEFT_SHAPE(t.batch, t.k, t.m), site));
    t.array[t.uses++] = q_columns;
  }
  WEFT__TRY(run(is_done, &qr, &t, &solver, site));
  if (!*is_done) goto done;
  const weft_array factored = weft__array_transposed(columns);
  WEFT__TRY(weft__take_upper(r, &factored, site));
  if (q) rc = weft__assign_transposed(q, q_columns, false, site);
done:
  weft_array_release(&columns);
  weft_array_release(&tau);
  weft_array_release(&info);
  weft_array_release(&q_columns);
  return rc;
}

/* ---- eigenvalues ---- */

static int measure_syevd(weft__cuda_call *c, task *t) {
  return api.syevd_size(SOLVER(c), t->flag ? VECTORS : 0, UPPER, t->n, t->type, c->data[0], t->n, t->real, c->data[1],
                        t->type, &c->device_bytes, &c->host_bytes);
}

static int syevd_one(const weft__cuda_call *c, task *t, int64_t number) {
  return api.syevd(SOLVER(c), t->flag ? VECTORS : 0, UPPER, t->n, t->type, at(c, t, 0, number), t->n, t->real,
                   at(c, t, 1, number), t->type, WORKSPACES(c), at(c, t, 2, number));
}

/// The column-major matrix is conj(a), with the same eigenvalues and conjugated vectors, which are the rows of the
/// row-major reading. A matrix with NaN is left to the next row.
weft_status weft__cuda_syevd(bool *is_done, weft_array *w, weft_array *a, bool wants_vectors, weft_array *info,
                             const char *site) {
  static const kind eigh = {"eigh", measure_syevd, syevd_one};
  weft_array *rows = NULL;
  weft_status rc;
  bool are_finite;
  task t = task_of(a, a->shape[1], a->shape[2]);
  *is_done = false;
  /* the upper triangle is not read, and may have NaN */
  TRY_ROOM(weft__tril_at(WEFT_OPERAND(&rows), WEFT_OPERAND(a), &(const weft_matrix_params){.site = site}));
  WEFT__TRY(check_finite(&are_finite, rows, site));
  if (!are_finite) goto done;
  t.flag = wants_vectors;
  t.waits = true; /* for info, mostly */
  t.uses = 3;
  t.array[0] = rows, t.array[1] = w, t.array[2] = info;
  WEFT__TRY(run(is_done, &eigh, &t, &solver, site));
  if (*is_done && wants_vectors) rc = weft__assign_transposed(a, rows, true, site);
done:
  weft_array_release(&rows);
  return rc;
}

/* ---- singular values ---- */

/// The decomposition of `columns`, column-major with at least as many rows as columns: it is a, or the transposed a,
/// which is the memory of a row-major a.
typedef struct svd {
  bool is_tall; /* a has at least as many rows as columns */
  weft_array *columns, *values, *left, *right;
  int64_t m, n, far; /* sides of `columns`; columns of u */
  bool wants_vectors;
} svd;

static void release(svd *f) {
  weft_array_release(&f->columns);
  weft_array_release(&f->values);
  weft_array_release(&f->left);
  weft_array_release(&f->right);
}

/// All in f64, also for f32, which costs little more. In f32 the polar decomposition is wrong from some 1000 rows on
/// (cuSOLVER 12.0.4).
static weft_status prepare(svd *f, const weft_array *u, const weft_array *vh, const weft_array *a, const char *site) {
  weft_context *context = a->context;
  const int64_t batch = a->shape[0];
  const weft_dtype dtype = weft_dtype_kind(a->dtype) == 'c' ? WEFT_C128 : WEFT_F64;
  const weft_shape none = WEFT_SHAPE(batch, 1);
  f->is_tall = a->shape[1] >= a->shape[2];
  f->wants_vectors = u != NULL;
  f->m = a->shape[f->is_tall ? 1 : 2];
  f->n = a->shape[f->is_tall ? 2 : 1];
  f->far = !u ? f->n : f->is_tall ? u->shape[2] : vh->shape[1];
  WEFT__TRY_RETURN(weft__array_create(&f->columns, context, dtype, WEFT_SHAPE(batch, f->n, f->m), site));
  WEFT__TRY_RETURN(weft__array_create(&f->values, context, WEFT_F64, WEFT_SHAPE(batch, f->n), site));
  WEFT__TRY_RETURN(weft__array_create(&f->left, context, dtype, u ? WEFT_SHAPE(batch, f->far, f->m) : none, site));
  return weft__array_create(&f->right, context, dtype, u ? WEFT_SHAPE(batch, f->n, f->n) : none, site);
}

/// Both algorithms overwrite the matrix.
static weft_status load(const svd *f, const weft_array *a, const char *site) {
  const weft_array x = f->is_tall ? weft__array_transposed(a) : weft__array_borrow(a);
  return weft__cast_into(f->columns, &x, f->columns->dtype, site);
}

static task task_of_svd(const svd *f, const weft_array *info) {
  task t = task_of(f->columns, f->m, f->n);
  t.flag = f->wants_vectors;
  t.waits = true;
  t.k = f->far;
  t.uses = 5;
  t.array[0] = f->columns, t.array[1] = f->values, t.array[2] = info, t.array[3] = f->left, t.array[4] = f->right;
  return t;
}

/* by the polar decomposition: u and v */

static int measure_gesvdp(weft__cuda_call *c, task *t) {
  return api.gesvdp_size(SOLVER(c), t->flag ? VECTORS : 0, t->k == t->n, t->m, t->n, t->type, c->data[0], t->m, t->real,
                         c->data[1], t->type, c->data[3], t->m, t->type, c->data[4], t->n, t->type, &c->device_bytes,
                         &c->host_bytes);
}

static int gesvdp_one(const weft__cuda_call *c, task *t, int64_t number) {
  t->change = 0;
  const int code = api.gesvdp(SOLVER(c), t->flag ? VECTORS : 0, t->k == t->n, t->m, t->n, t->type, at(c, t, 0, number),
                              t->m, t->real, at(c, t, 1, number), t->type, at(c, t, 3, number), t->m, t->type,
                              at(c, t, 4, number), t->n, t->type, WORKSPACES(c), at(c, t, 2, number), &t->change);
  if (!(t->change <= t->perturbation)) t->perturbation = isnan(t->perturbation) ? t->perturbation : t->change;
  return code;
}

/* by the QR iteration: u and adjoint(v) */

static int measure_gesvd(weft__cuda_call *c, task *t) {
  const signed char all = t->k == t->n ? 'S' : 'A';
  return api.gesvd_size(SOLVER(c), t->flag ? all : 'N', t->flag ? 'S' : 'N', t->m, t->n, t->type, c->data[0], t->m,
                        t->real, c->data[1], t->type, c->data[3], t->m, t->type, c->data[4], t->n, t->type,
                        &c->device_bytes, &c->host_bytes);
}

static int gesvd_one(const weft__cuda_call *c, task *t, int64_t number) {
  const signed char all = t->k == t->n ? 'S' : 'A';
  return api.gesvd(SOLVER(c), t->flag ? all : 'N', t->flag ? 'S' : 'N', t->m, t->n, t->type, at(c, t, 0, number), t->m,
                   t->real, at(c, t, 1, number), t->type, at(c, t, 3, number), t->m, t->type, at(c, t, 4, number), t->n,
                   t->type, WORKSPACES(c), at(c, t, 2, number));
}

/// Whether cuSOLVER, which removes small singular values for the polar decomposition, changed none by more than the
/// dtype's rounding. Waits.
static weft_status check_changes(bool *are_small, const svd *f, weft_dtype real, double changed, const char *site) {
  const double limit = real == WEFT_F32 ? 1e-8 : 4e-16;
  const int64_t batch = f->values->shape[0];
  weft_array first = weft__array_part(f->values, 1, 0, 1), *largest = NULL;
  double *value = weft__new((size_t)batch * sizeof *value);
  weft_status rc;
  WEFT__TRY(value ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(weft__cast(&largest, &first, WEFT_F64, site));
  WEFT__TRY(weft__array_read(value, largest, true, site));
  *are_small = true;
  for (int64_t b = 0; b < batch; b++)
    if (!(changed <= limit * value[b])) *are_small = false;
done:
  weft_array_release(&largest);
  free(value);
  return rc;
}

/// Sets out to x, or the transposed x, of another precision, conjugated or not.
static weft_status take(weft_array *out, const weft_array *x, bool turns, bool conjugates, const char *site) {
  const weft_array from = turns ? weft__array_transposed(x) : weft__array_borrow(x);
  WEFT__TRY_RETURN(weft__cast_into(out, &from, out->dtype, site));
  return conjugates && weft_dtype_kind(out->dtype) == 'c' ? weft__conjugate(out, site) : WEFT_OK;
}

/// The polar decomposition takes a third of the time of the QR iteration.
weft_status weft__cuda_gesdd(bool *is_done, weft_array *u, weft_array *s, weft_array *vh, weft_array *a,
                             weft_array *info, const char *site) {
  static const kind polar = {"svd", measure_gesvdp, gesvdp_one}, iteration = {"svd", measure_gesvd, gesvd_one};
  svd f = {0};
  weft_status rc;
  bool is_usable, is_polar = true;
  *is_done = false;
  if (!u) return WEFT_OK; /* gesvdp without vectors fails (status 6, cuSOLVER 12.0.4) */
  WEFT__TRY(check_finite(&is_usable, a, site));
  if (!is_usable) goto done;
  TRY_ROOM(prepare(&f, u, vh, a, site));
  WEFT__TRY(load(&f, a, site));
  task t = task_of_svd(&f, info);
  WEFT__TRY(run(is_done, &polar, &t, &solver, site));
  if (!*is_done) goto done;
  WEFT__TRY(check_changes(&is_polar, &f, s->dtype, t.perturbation, site));
  if (!is_polar) {
    WEFT__TRY(load(&f, a, site));
    WEFT__TRY(run(is_done, &iteration, &t, &solver, site));
    if (!*is_done) goto done;
  }
  WEFT__TRY(weft__cast_into(s, f.values, s->dtype, site));
  if (!u) goto done;
  WEFT__TRY(take(f.is_tall ? u : vh, f.left, f.is_tall, false, site));
  rc = take(f.is_tall ? vh : u, f.right, f.is_tall ? !is_polar : is_polar, is_polar, site);
done:
  release(&f);
  return rc;
}
