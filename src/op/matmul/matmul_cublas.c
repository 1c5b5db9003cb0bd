// SPDX-License-Identifier: MIT
/// The row `cublas`: large products by cuBLAS in contexts made with .cuda, where it is faster than Weft's kernels by
/// more than the way to CUDA's stream and back takes. Rows or columns of an operand may be apart; products with an
/// epilogue are Weft's.
#include <limits.h>

#include "op/matmul/cublas.h"
#include "op/matmul/tuning.h"

/* ---- the library ---- */

weft__cublas_functions weft__cublas_api;
#define ONE(member, name) \
  { "cublas" name, offsetof(weft__cublas_functions, member), false }
#define TRSM(at, name) \
  { "cublas" name, offsetof(weft__cublas_functions, trsm) + (at) * sizeof(void (*)(void)), false }
static const weft__engine_symbol symbols[] = {ONE(create, "Create_v2"),
                                              ONE(destroy, "Destroy_v2"),
                                              ONE(set_stream, "SetStream_v2"),
                                              ONE(gemm, "GemmStridedBatchedEx"),
                                              TRSM(0, "Strsm_v2"),
                                              TRSM(1, "Dtrsm_v2"),
                                              TRSM(2, "Ctrsm_v2"),
                                              TRSM(3, "Ztrsm_v2")};
static weft__engine_binding binding = WEFT__ENGINE_BINDING(WEFT__LIBRARY_CUBLAS, symbols, &weft__cublas_api);

static void destroy_handle(void *handle) {
  weft__cublas_api.destroy(handle);
}

static int create_handle(void **handle, weft__cuda_stream stream) {
  int code = weft__cublas_api.create(handle);
  if (code) return code;
  if ((code = weft__cublas_api.set_stream(*handle, stream))) destroy_handle(*handle);
  return code;
}

const weft__cuda_engine weft__cublas = {&binding, create_handle, destroy_handle};

/* ---- the choice ---- */

/// From this number of multiply-adds on cuBLAS is faster, measured on an H200 with the way there and back
/// (docs/performance.md). Products of real numbers are as fast here.
static int64_t least_work(const weft__matmul_task *t) {
  if (t->product == WEFT_C128) return WEFT__MATMUL_CUBLAS_C128_WORK;
  return t->product == WEFT_C64 ? WEFT__MATMUL_CUBLAS_C64_WORK : INT64_MAX;
}

/// Rows or columns are runs, one after the other or apart.
static bool has_runs(const weft__matmul_matrix *x, int64_t rows, int64_t columns) {
  const bool by_rows = (columns == 1 || x->column == 1) && (rows == 1 || x->row >= columns) && x->row <= INT_MAX;
  const bool by_columns = (rows == 1 || x->row == 1) && (columns == 1 || x->column >= rows) && x->column <= INT_MAX;
  return by_rows || by_columns;
}

static bool is_large(const weft__matmul_task *t) {
  return (double)t->m * (double)t->n * (double)t->k * (double)t->batches >= (double)least_work(t);
}

bool weft__matmul_cublas_fits(const void *task) {
  const weft__matmul_task *t = task;
  const bool is_one = weft__matmul_is_of(t, WEFT_F32) || weft__matmul_is_of(t, WEFT_F64) ||
                      weft__matmul_is_of(t, WEFT_C64) || weft__matmul_is_of(t, WEFT_C128);
  if (!is_one || t->out.dtype != t->product || t->epilogue || weft__matmul_scales_by_zero(t) || t->axes > 1 ||
      t->m > INT_MAX || t->n > INT_MAX || t->k > INT_MAX || t->batches > INT_MAX ||
      (!is_large(t) && weft__engine_allowed(WEFT__ENGINE_OWN)))
    return false;
  const bool is_out_in_rows = (t->n == 1 || t->out.column == 1) && t->out.row >= t->n && t->out.row <= INT_MAX;
  return is_out_in_rows && has_runs(&t->a, t->m, t->k) && has_runs(&t->b, t->k, t->n) &&
         weft__cuda_engine_is_there(&weft__cublas, t->context);
}

/* ---- the product ---- */

/// A row-major operand is the transposed one to cuBLAS, which is column-major: the product is transposed(out) =
/// transposed(b) @ transposed(a).
typedef struct side {
  int op, lead;
  long long step;
} side;

static side side_of(const weft__matmul_matrix *x, int64_t rows, int64_t columns) {
  const bool by_rows = (columns == 1 || x->column == 1) && (rows == 1 || x->row >= columns);
  const int64_t lead = by_rows ? rows == 1 ? columns : x->row : columns == 1 ? rows : x->column;
  return (side){by_rows ? WEFT__CUBLAS_PLAIN : WEFT__CUBLAS_TRANSPOSED, (int)(lead > 0 ? lead : 1), x->batch[0]};
}

static bool is_wide(const weft__matmul_task *t) {
  return t->accumulator == WEFT_F64 || t->accumulator == WEFT_C128;
}

const void *weft__cublas_scale(const weft__matmul_task *t) {
  static const float one_f32[2] = {1, 0};
  static const double one_f64[2] = {1, 0};
  if (t->has_scale) return t->scale;
  return is_wide(t) ? (const void *)one_f64 : one_f32;
}

const void *weft__cublas_accumulate(const weft__matmul_task *t) {
  static const uint64_t none[2] = {0, 0};
  return t->has_accumulate ? t->accumulate : none;
}

static int multiply(const weft__cuda_call *call, void *user) {
  const weft__matmul_task *t = user;
  const side a = side_of(&t->a, t->m, t->k), b = side_of(&t->b, t->k, t->n);
  const int type = weft__cuda_data_type(t->product);
  const int computed = is_wide(t)                            ? WEFT__CUBLAS_COMPUTE_64F
                       : t->precision == WEFT_PRECISION_TF32 ? WEFT__CUBLAS_COMPUTE_TF32
                                                             : WEFT__CUBLAS_COMPUTE_32F;
  const int64_t lead = t->m == 1 ? t->n : t->out.row;
  return weft__cublas_api.gemm(call->handle, b.op, a.op, (int)t->n, (int)t->m, (int)t->k, weft__cublas_scale(t),
                               call->data[1], type, b.lead, b.step, call->data[0], type, a.lead, a.step,
                               weft__cublas_accumulate(t), call->data[2], type, (int)lead, t->out.batch[0],
                               (int)t->batches, computed, -1);
}

static weft__cuda_use use_of(const weft__matmul_matrix *x, bool writes) {
  return (weft__cuda_use){x->storage, x->offset_bytes, writes};
}

weft_status weft__matmul_cublas_run(bool *done, const void *of) {
  const weft__matmul_task *task = of;
  weft__matmul_task t = *task;
  const weft__cuda_use uses[] = {use_of(&t.a, false), use_of(&t.b, false), use_of(&t.out, true)};
  return weft__cuda_step(done, &(weft__cuda_work){.context = t.context,
                                                  .engine = &weft__cublas,
                                                  .uses = 3,
                                                  .use = uses,
                                                  .run = multiply,
                                                  .user = &t,
                                                  .what = "matmul",
                                                  .site = t.site});
}
