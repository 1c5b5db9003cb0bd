// SPDX-License-Identifier: MIT
/// Softmax, its logarithm, logarithms of sums, rows of mean 0 and deviation 1. Rows along the last axes that are not
/// too long are computed by one kernel that reads them once; others by an expression.
#include <weft/normalize.h>

#include <weft/eval.h>
#include <weft/release.h>
#include <weft/view.h>

#include "array/axes.h"
#include "call/call.h"
#include "cl/normalize/args.h"
#include "dtype/opencl.h"
#include "dtype/scalar.h"
#include "op/reduce/reduce.h"
#include "store/kernel_set.h"

/* Elements of a row that a thread of a GPU keeps in registers, of 4 bytes. */
#define MOST_ELEMENTS 32
/* Chunks that a thread has before a row gets more threads. */
#ifndef LEAST_ITEMS
#define LEAST_ITEMS 2
#endif
/* Threads of a long row. */
#ifndef MOST_THREADS
#define MOST_THREADS 512
#endif
/* Longer rows on CPUs leave the first caches, and a few of them would keep few cores busy. */
#define LONGEST_ON_CPU 65536
/* Elements of a work-item on CPUs. */
#define CPU_SHARE 16384

typedef struct normalize_call {
  weft__call call;
  uint8_t function; /* WEFT__NORMALIZE_... */
  weft_axes axes;
  int64_t ddof;
  double epsilon;
  bool along[WEFT_MAX_NDIM];
  uint64_t rows, length;
  weft_shape result;
  weft_dtype dtype, work; /* of the result; computed in */
} normalize_call;

static bool gives_rows(const normalize_call *t) {
  return t->function != WEFT__NORMALIZE_LOGSUMEXP;
}

/* ---- in one kernel ---- */

typedef struct normalize_key {
  uint8_t dtype, function;
  uint8_t parts, items, each, aligned; /* of GPUs: warps of a row; chunks of a thread; elements of a chunk */
} normalize_key;

/// The type that moves a chunk.
static const char *raw_type(size_t bytes, size_t element_bytes) {
  if (bytes < 8) return bytes == 2 ? "ushort" : "uint";
  if (bytes == 8) return element_bytes == 8 ? "ulong" : "uint2";
  return element_bytes == 8 ? "ulong2" : "uint4";
}

static void write_defines(weft__text *text, const void *data) {
  const normalize_key *key = data;
  const size_t bytes = weft_dtype_size_bytes((weft_dtype)key->dtype);
  weft__cl_define(text, (weft_dtype)key->dtype);
  weft__text_add(text, "#define FUNCTION %d\n", key->function);
  if (!key->items) return;
  weft__text_add(text, "#define WIDTH %d\n#define ITEMS %d\n#define EACH %d\n#define ALIGNED %d\n#define RAW %s\n",
                 32 * key->parts, key->items, key->each, key->aligned, raw_type(bytes * key->each, bytes));
}

/// Threads of a row, from a warp to a block, and the chunks of each.
static void divide_row(normalize_key *key, uint64_t length, uint64_t most_threads) {
  const uint64_t most = 16 / weft_dtype_size_bytes((weft_dtype)key->dtype);
  uint64_t each = 1, width = 32, items = 1;
  while (each < most && length % (2 * each) == 0 && 64 * each <= length) each *= 2;
  while (width < most_threads && width * LEAST_ITEMS * each < length) width *= 2;
  while (width * items * each < length) items *= 2;
  key->parts = (uint8_t)(width / 32);
  key->items = (uint8_t)items;
  key->each = (uint8_t)each;
}

/// Whether the rows lie one behind the other in x, and are not too long for the kernel.
static bool fits_kernel(const normalize_call *t) {
  const bool is_cpu = t->call.context->store.is_cpu;
  const int ndim = weft__call_shape(&t->call, 0).ndim;
  const uint64_t most = MOST_ELEMENTS * 4 / weft_dtype_size_bytes(t->work);
  for (int d = 1; d < ndim; d++)
    if (t->along[d - 1] && !t->along[d]) return false;
  return t->length <= (is_cpu ? LONGEST_ON_CPU : WEFT__NORMALIZE_BLOCK * most);
}

static uint64_t bits_of(double value, weft_dtype dtype) {
  uint64_t bits[2] = {0};
  const weft_status rc = weft__element_bytes(bits, dtype, WEFT_SCALAR(value), "epsilon");
  (void)rc; /* every double has a float */
  return bits[0];
}

/// The most threads of a row. Sums of reproducible contexts are grouped in the same way on every device.
static uint64_t most_threads(const weft_context *context) {
  const bool has_many = context->core.device->info.max_block_threads >= MOST_THREADS;
  return has_many && !context->core.reproducible ? MOST_THREADS : WEFT__NORMALIZE_BLOCK;
}

static weft_status run_kernel(normalize_call *t) {
  static const char *const names[] = {"weft_normalize_rows"};
  weft__call *c = &t->call;
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, t->dtype));
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, t->dtype, t->result));
  const bool is_cpu = c->context->store.is_cpu;
  const weft_array *to = c->array[0], *from = c->array[1];
  normalize_key key = {.dtype = (uint8_t)t->dtype, .function = t->function};
  if (!is_cpu) {
    divide_row(&key, t->length, most_threads(c->context));
    const int64_t bytes = key.each * (int64_t)weft_dtype_size_bytes(t->dtype);
    key.aligned = from->offset_bytes % bytes == 0 && (!gives_rows(t) || to->offset_bytes % bytes == 0);
  }
  const weft__kernel_source source = {.name = "normalize",
                                      .key = {.file = is_cpu ? "normalize/cpu.cl" : "normalize/gpu.cl",
                                              .kernel = names,
                                              .kernels = 1,
                                              WEFT__KEY_BYTES(normalize_key, &key)},
                                      .write = write_defines};
  weft__kernel *kernel;
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &c->context->store, &source));
  const double freedom = (double)t->length - (double)t->ddof; /* as weft_var */
  const uint64_t width = 32u * key.parts, block = width > WEFT__NORMALIZE_BLOCK ? width : WEFT__NORMALIZE_BLOCK;
  const uint64_t share = is_cpu ? weft_ceil_div(CPU_SHARE, t->length) : block / width;
  const weft__normalize_args args = {.rows = t->rows,
                                     .length = t->length,
                                     .share = share,
                                     .to = (uint64_t)to->offset_bytes,
                                     .from = (uint64_t)from->offset_bytes,
                                     .divisor = bits_of(freedom > 0 ? freedom : 0, t->work),
                                     .epsilon = bits_of(t->epsilon, t->work)};
  const weft__use use[] = {{to->storage, true}, {from->storage, false}};
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(weft_ceil_div(t->rows, share)),
                                              WEFT_DIM3(is_cpu ? 1 : block), &args, sizeof args, 2, use,
                                              .what = "normalize", .site = c->site});
}

/* ---- by an expression ---- */

/// What each function computes of x, where @ stands for the axes, ? for ddof, and s is the shift of its row.
#define SHIFT "m = max(x@); s = m if isfinite(m) else 0; "
static const char *const expressions[] = {
    [WEFT__NORMALIZE_SOFTMAX] = "p = exp(x - max(x@)); p / sum(p@)",
    [WEFT__NORMALIZE_LOG_SOFTMAX] = SHIFT "x - s - log(sum(exp(x - s)@))",
    [WEFT__NORMALIZE_LOGSUMEXP] = SHIFT "s + log(sum(exp(x - s)@))",
    /* the mean of equal elements may be rounded, but their variance is 0 */
    [WEFT__NORMALIZE_STANDARDIZE] = "v = var(x@?); (x - mean(x@) if v != 0 else x - x) / sqrt(v + epsilon)",
};
#undef SHIFT

static void add_axes(weft__text *text, const normalize_call *t) {
  weft__text_add(text, ", axis=(");
  for (int d = 0; d < weft__call_shape(&t->call, 0).ndim; d++)
    if (t->along[d]) weft__text_add(text, "%d,", d);
  weft__text_add(text, ")");
}

/// Computes result 0, whose array is made.
static weft_status run_expression(normalize_call *t) {
  weft__call *c = &t->call;
  weft__text text = {0};
  weft_array *kept = NULL, *flat = NULL;
  weft_status rc;
  for (const char *from = expressions[t->function]; *from; from++)
    if (*from == '@')
      add_axes(&text, t);
    else if (*from == '?')
      weft__text_add(&text, ", ddof=%lld", (long long)t->ddof);
    else
      weft__text_add_bytes(&text, from, 1);
  if (text.failed) WEFT__TRY(weft__fail_host_memory(text.length));
  const weft_operand parts[] = {WEFT_NAMED("x", c->array[1]), WEFT_NAMED("epsilon", t->epsilon)};
  const weft_operand out = gives_rows(t) ? WEFT_OPERAND(&c->array[0]) : WEFT_OPERAND(&kept);
  WEFT__TRY(weft__eval_at(out, c->context, weft__text_chars(&text), t->function == WEFT__NORMALIZE_STANDARDIZE ? 2 : 1,
                          parts, c->site));
  if (!kept) goto done;
  WEFT__TRY(weft__reshape_at(&flat, kept, t->result, c->site)); /* an expression keeps the axes */
  weft__call_replace(c, 0, weft_array_retain(flat));
done:
  weft_release(&kept, &flat);
  weft__text_free(&text);
  return rc;
}

/// Rows of one element; where it is not finite the result is NaN.
static weft_status run_single(normalize_call *t) {
  weft__call *c = &t->call;
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, t->dtype));
  WEFT__TRY_RETURN(weft__call_result(c, 0, t->dtype, t->result));
  const weft_operand part[] = {WEFT_NAMED("x", c->array[1])};
  return weft__eval_at(WEFT_OPERAND(&c->array[0]), c->context,
                       t->function == WEFT__NORMALIZE_SOFTMAX ? "x - x + 1" : "x - x", 1, part, c->site);
}

/* ---- the call ---- */

static weft_status find_rows(normalize_call *t) {
  weft__call *c = &t->call;
  WEFT__TRY_RETURN(weft__call_check(c));
  const weft_dtype dtype = weft__call_dtype(c, 0);
  const weft_shape shape = weft__call_shape(c, 0);
  if (weft_dtype_kind(dtype) == 'c')
    return weft__fail(WEFT_ERROR_DTYPE, "x", "`x` is %s; expected real numbers", weft_dtype_name(dtype));
  WEFT__TRY_RETURN(weft__axes_resolve(t->along, t->axes, shape.ndim));
  t->dtype = weft_dtype_kind(dtype) == 'f' ? dtype : WEFT_F64;
  t->work = weft__is_narrow(t->dtype) ? WEFT_F32 : t->dtype;
  WEFT__TRY_RETURN(weft__dtype_check(t->dtype, c->context));
  t->rows = t->length = 1;
  for (int d = 0; d < shape.ndim; d++) *(t->along[d] ? &t->length : &t->rows) *= (uint64_t)shape.dim[d];
  t->result = gives_rows(t) ? shape : weft__axes_reduced(shape, t->along, t->axes.keepdims);
  if (t->length == 0 && t->rows > 0 && !gives_rows(t))
    return weft__fail(WEFT_ERROR_SHAPE, "x", "the rows of `x` have no elements; expected one or more");
  return weft__call_upload(c);
}

static weft_status normalize(normalize_call *t) {
  weft__call *c = &t->call;
  WEFT__TRY_RETURN(find_rows(t));
  WEFT__TRY_RETURN(weft__ddof_check((double)t->ddof));
  if (t->rows == 0 || t->length == 0) return weft__call_result(c, 0, t->dtype, t->result);
  if (t->length == 1 && (t->function == WEFT__NORMALIZE_SOFTMAX || t->function == WEFT__NORMALIZE_LOG_SOFTMAX))
    return run_single(t);
  if (fits_kernel(t)) return run_kernel(t);
  /* one conversion costs less than one in every pass */
  if (weft__call_dtype(c, 0) != t->work) WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, t->work));
  WEFT__TRY_RETURN(weft__call_result(c, 0, t->dtype, t->result));
  return run_expression(t);
}

static weft_status call(const char *name, normalize_call *t, weft_operand out, weft_operand x, const char *site) {
  static const char *const names[] = {"x"};
  weft__enter(name, site);
  weft__call_open(&t->call, NULL, 1, &out, 1, &x, names, site);
  return weft__leave(weft__call_close(&t->call, normalize(t)));
}

weft_status weft__softmax_at(weft__normalize_id id, weft_operand out, weft_operand x, weft_axes axes,
                             const char *site) {
  static const char *const names[] = {"weft_softmax", "weft_log_softmax", "weft_logsumexp"};
  normalize_call t = {.function = (uint8_t)id, .axes = axes};
  return call(names[id], &t, out, x, site);
}

weft_status weft__standardize_at(weft_operand out, weft_operand x, weft_axes axes,
                                 const weft_standardize_params *params) {
  const weft_standardize_params p = WEFT__PARAMS(params);
  normalize_call t = {.function = WEFT__NORMALIZE_STANDARDIZE, .axes = axes, .ddof = p.ddof, .epsilon = p.epsilon};
  return call("weft_standardize", &t, out, x, p.site);
}
