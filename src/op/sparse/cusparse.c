// SPDX-License-Identifier: MIT
/// The row `cusparse`: products by one vector by cuSPARSE in contexts made with .cuda, where it is faster than Weft's
/// kernels by more than the way to CUDA's stream and back takes. Products with matrices of several columns are Weft's,
/// which takes a quarter to four fifths of cuSPARSE's time for them.
#include "op/matmul/cublas.h"
#include "op/sparse/sparse_product.h"

/* ---- the library ---- */

/// Descriptions of operands are the host's memory alone: they may be destroyed before the device's work is done.
typedef struct functions {
  int (*create)(void **handle);
  int (*destroy)(void *handle);
  int (*set_stream)(void *handle, weft__cuda_stream stream);
  int (*create_csr)(void **matrix, int64_t rows, int64_t columns, int64_t count, void *indptr, void *indices,
                    void *values, int indptr_type, int index_type, int base, int value_type);
  int (*destroy_csr)(const void *matrix);
  int (*create_vector)(void **vector, int64_t size, void *values, int value_type);
  int (*destroy_vector)(const void *vector);
  int (*multiply_size)(void *handle, int op, const void *scale, const void *matrix, const void *x,
                       const void *accumulate, void *y, int computed, int algorithm, size_t *work_bytes);
  int (*multiply)(void *handle, int op, const void *scale, const void *matrix, const void *x, const void *accumulate,
                  void *y, int computed, int algorithm, void *work);
} functions;

static functions api;
#define ONE(member, name) \
  { "cusparse" name, offsetof(functions, member), false }
static const weft__engine_symbol symbols[] = {
    ONE(create, "Create"),
    ONE(destroy, "Destroy"),
    ONE(set_stream, "SetStream"),
    ONE(create_csr, "CreateCsr"),
    ONE(destroy_csr, "DestroySpMat"),
    ONE(create_vector, "CreateDnVec"),
    ONE(destroy_vector, "DestroyDnVec"),
    ONE(multiply_size, "SpMV_bufferSize"),
    ONE(multiply, "SpMV"),
};
static weft__engine_binding binding = WEFT__ENGINE_BINDING(WEFT__LIBRARY_CUSPARSE, symbols, &api);

/// cusparseOperation_t, cusparseIndexBase_t, cusparseIndexType_t and cusparseSpMVAlg_t. The second algorithm for rows
/// is the one that gives the same bits in every run; the default one does not promise it.
enum { PLAIN = 0, FROM_ZERO = 0, INDEX_I32 = 2, INDEX_I64 = 3, SAME_BITS = 3 };

static void destroy_handle(void *handle) {
  api.destroy(handle);
}

static int create_handle(void **handle, weft__cuda_stream stream) {
  int code = api.create(handle);
  if (code) return code;
  if ((code = api.set_stream(*handle, stream))) destroy_handle(*handle);
  return code;
}

static const weft__cuda_engine engine = {&binding, create_handle, destroy_handle};

/* ---- the step ---- */

enum { INDPTR, INDICES, VALUES, VECTOR, RESULT, USES };

/// A product and cuSPARSE's descriptions of its operands; NULL: not made.
typedef struct spmv {
  const weft_csr *matrix;
  const weft__matmul_task *task;
  void *csr, *x, *y;
} spmv;

static void forget(spmv *p) {
  if (p->csr) api.destroy_csr(p->csr);
  if (p->x) api.destroy_vector(p->x);
  if (p->y) api.destroy_vector(p->y);
}

static int measure(weft__cuda_call *call, void *user) {
  spmv *p = user;
  const weft__matmul_task *t = p->task;
  const int type = weft__cuda_data_type(t->product);
  const int index = p->matrix->indices->dtype == WEFT_I32 ? INDEX_I32 : INDEX_I64;
  int code = api.create_csr(&p->csr, t->m, t->k, p->matrix->data->size, call->data[INDPTR], call->data[INDICES],
                            call->data[VALUES], index, index, FROM_ZERO, type);
  if (!code) code = api.create_vector(&p->x, t->k, call->data[VECTOR], type);
  if (!code) code = api.create_vector(&p->y, t->m, call->data[RESULT], type);
  if (code) return code;
  return api.multiply_size(call->handle, PLAIN, weft__cublas_scale(t), p->csr, p->x, weft__cublas_accumulate(t), p->y,
                           type, SAME_BITS, &call->device_bytes);
}

static int multiply_vector(const weft__cuda_call *call, void *user) {
  const spmv *p = user;
  const weft__matmul_task *t = p->task;
  return api.multiply(call->handle, PLAIN, weft__cublas_scale(t), p->csr, p->x, weft__cublas_accumulate(t), p->y,
                      weft__cuda_data_type(t->product), SAME_BITS, call->device_work);
}

/* ---- the choice ---- */

/// Measured on an H200, in us, Weft's kernels and cuSPARSE (docs/performance.md); the way to CUDA's stream and back
/// takes 50 us more:
///
///     rows x elements of each    f32 own  cuSPARSE    f64 own  cuSPARSE
///     2^22 x 16, random columns      567       574        963       697
///     2^22 x 16, a band              239       269        309       384
///     2^23 x 3, random columns       319       346        582       542
///     2^14 x 1024, random            194        89        168       134
///
/// The library is used for long rows, and in f64 for large matrices, whose columns are not known here: from twice the
/// size above on it wins more with random ones than it loses with a band. c64 and c128 were not measured; f32 and f64
/// decide for them.
static bool is_faster(const weft_csr *matrix, weft_dtype dtype) {
  const int64_t count = matrix->data->size, long_row = 512;
  const bool is_wide = dtype == WEFT_F64 || dtype == WEFT_C128;
  if (count / matrix->rows >= long_row) return count >= (int64_t)1 << (is_wide ? 25 : 24);
  return is_wide && count >= (int64_t)1 << 27;
}

/// The operands; false: one is not at a multiple of 16 bytes, which cuSPARSE reads and writes at once.
static bool find_uses(weft__cuda_use uses[USES], const weft__sparse_product *p) {
  const weft__matmul_task *t = &p->task;
  bool are_aligned = true;
  uses[INDPTR] = weft__cuda_use_of(p->matrix->indptr, false);
  uses[INDICES] = weft__cuda_use_of(p->matrix->indices, false);
  uses[VALUES] = weft__cuda_use_of(p->matrix->data, false);
  uses[VECTOR] = (weft__cuda_use){t->b.storage, t->b.offset_bytes, false};
  uses[RESULT] = (weft__cuda_use){t->out.storage, t->out.offset_bytes, true};
  for (int k = 0; k < USES; k++) are_aligned &= uses[k].offset_bytes % 16 == 0;
  return are_aligned;
}

bool weft__csr_matmul_cusparse_fits(const void *task) {
  const weft__sparse_product *p = *(weft__sparse_product *const *)task;
  const weft_csr *matrix = p->matrix;
  const weft__matmul_task *t = &p->task;
  weft__cuda_use uses[USES];
  const bool is_one = weft__matmul_is_of(t, WEFT_F32) || weft__matmul_is_of(t, WEFT_F64) ||
                      weft__matmul_is_of(t, WEFT_C64) || weft__matmul_is_of(t, WEFT_C128);
  return is_one && t->n == 1 && t->out.dtype == t->product && (t->m == 1 || t->out.row == 1) &&
         matrix->data->size > 0 && !weft__matmul_scales_by_zero(t) &&
         (is_faster(matrix, t->product) || !weft__engine_allowed(WEFT__ENGINE_OWN)) &&
         weft__cuda_engine_is_there(&engine, t->context) && find_uses(uses, p);
}

weft_status weft__csr_matmul_cusparse_run(bool *is_done, const void *task) {
  const weft__sparse_product *p = *(weft__sparse_product *const *)task;
  const weft_csr *matrix = p->matrix;
  const weft__matmul_task *t = &p->task;
  weft__cuda_use uses[USES];
  find_uses(uses, p);
  spmv product = {.matrix = matrix, .task = t};
  const weft_status rc = weft__cuda_step(is_done, &(weft__cuda_work){.context = t->context,
                                                                     .engine = &engine,
                                                                     .uses = USES,
                                                                     .use = uses,
                                                                     .measure = measure,
                                                                     .run = multiply_vector,
                                                                     .user = &product,
                                                                     .what = "csr matmul",
                                                                     .site = t->site});
  forget(&product);
  return rc;
}
