// SPDX-License-Identifier: MIT
/// The way `blas`: on CPU devices a CBLAS multiplies in the arrays' own memory. Transposed operands and rows that are
/// apart are passed as they are; an operand with other strides is packed. An epilogue is
/// computed as a call on the result is, by the calling thread if elements are few.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "engine/host_step.h"
#include "engine/shares.h"
#include "map/run.h"
#include "op/matmul/matmul.h"
#include "op/matmul/matrix_loops.h"
#include "op/matmul/tuning.h"
#include "op/matmul/vector_loops.h"

/* ---- the library ---- */

/// CBLAS's constants.
enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 };

typedef void gemm_f32(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
typedef void gemm_f64(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *,
                      int);
typedef void gemm_complex(int, int, int, int, int, int, const void *, const void *, int, const void *, int,
                          const void *, void *, int);
typedef void gemv_f32(int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
typedef void gemv_f64(int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
typedef void gemv_complex(int, int, int, int, const void *, const void *, int, const void *, int, const void *, void *,
                          int);

typedef struct functions {
  gemm_f32 *sgemm;
  gemm_f64 *dgemm;
  gemm_complex *cgemm, *zgemm;
  gemv_f32 *sgemv;
  gemv_f64 *dgemv;
  gemv_complex *cgemv, *zgemv;
  char *(*corename)(void); /* OpenBLAS's */
} functions;

static functions blas;
#define SYMBOL(name) \
  { "cblas_" #name, offsetof(functions, name), false }
static const weft__engine_symbol symbols[] = {
    SYMBOL(sgemm), SYMBOL(dgemm), SYMBOL(cgemm),
    SYMBOL(zgemm), SYMBOL(sgemv), SYMBOL(dgemv),
    SYMBOL(cgemv), SYMBOL(zgemv), {"openblas_get_corename", offsetof(functions, corename), true}};
static weft__engine_binding binding = WEFT__ENGINE_BINDING(WEFT__LIBRARY_CBLAS, symbols, &blas);

/* ---- operands ---- */

/// Where the elements of a matrix lie, in elements.
typedef struct layout {
  int64_t row, column, batch[WEFT__MATMUL_AXES];
} layout;

/// A matrix or a vector as CBLAS takes it.
typedef struct operand {
  const layout *matrix;
  int64_t rows, columns;
  bool is_transposed; /* its columns are runs */
  bool is_packed;     /* a copy with rows as runs */
  int64_t apart;      /* elements from a run to the next, or between elements of a vector */
  int64_t first;      /* of a vector: CBLAS counts from the element with the lowest address */
  void *copy;
} operand;

static operand operand_of(const layout *x, int64_t rows, int64_t columns) {
  operand o = {.matrix = x, .rows = rows, .columns = columns};
  const int64_t row = rows == 1 ? columns : x->row, column = columns == 1 ? rows : x->column;
  if ((columns == 1 || x->column == 1) && row >= columns) {
    o.apart = row;
  } else if ((rows == 1 || x->row == 1) && column >= rows) {
    o.is_transposed = true;
    o.apart = column;
  } else {
    o.is_packed = true;
    o.apart = columns;
  }
  return o;
}

/// A column, with any distance between its elements but 0.
static operand vector_of(const layout *x, int64_t length) {
  operand o = {.matrix = x, .rows = length, .columns = 1, .apart = length == 1 ? 1 : x->row};
  if (o.apart < 0) o.first = (length - 1) * o.apart;
  if (o.apart == 0) {
    o.is_packed = true;
    o.apart = 1;
  }
  return o;
}

/// The operand's elements for CBLAS, which begin at `from` in the array.
static const void *elements_of(operand *o, const char *from, size_t size) {
  const layout *x = o->matrix;
  char *to = o->copy;
  if (!o->is_packed) return from + o->first * (int64_t)size;
  for (int64_t r = 0; r < o->rows; r++)
    for (int64_t c = 0; c < o->columns; c++, to += size)
      memcpy(to, from + (r * x->row + c * x->column) * (int64_t)size, size);
  return o->copy;
}

/* ---- one product ---- */

/// A factor in the accumulator's dtype. CBLAS takes a real one by value and a complex one by its address.
typedef union factor {
  float f32;
  double f64;
  uint64_t words[2];
} factor;

/// A weft__matmul_task without its memory and epilogue: the task of a host step.
typedef struct host_task {
  weft_dtype product;
  int axes, cores;
  bool has_factors;
  int64_t m, n, k, batches, length[WEFT__MATMUL_AXES];
  layout a, b, out;
  factor scale, accumulate;
} host_task;

/// The product of a task that is being computed.
typedef struct product {
  const host_task *task;
  operand a, b, out;
  weft__vector_loop *loop; /* n is 1; NULL: CBLAS computes it, or: */
  weft__matrix_loop *matrix_loop;
  void *room; /* of the matrix loop */
} product;

#define SHAPE(p)                                                                                                      \
  ROW_MAJOR, (p)->a.is_transposed ? TRANSPOSED : PLAIN, (p)->b.is_transposed ? TRANSPOSED : PLAIN, (int)(p)->task->m, \
      (int)(p)->task->n, (int)(p)->task->k
/// A matrix by a vector: a transposed operand is row-major with its sides exchanged.
#define VECTOR_SHAPE(p)                                                                                            \
  ROW_MAJOR, (p)->a.is_transposed ? TRANSPOSED : PLAIN, (int)((p)->a.is_transposed ? (p)->task->k : (p)->task->m), \
      (int)((p)->a.is_transposed ? (p)->task->m : (p)->task->k)
#define A(p) a, (int)(p)->a.apart
#define B(p) b, (int)(p)->b.apart
#define OUT(p) out, (int)(p)->out.apart

typedef void multiply(const product *, const void *, const void *, void *);

static void multiply_here(const product *p, const void *a, const void *b, void *out) {
  const host_task *t = p->task;
  p->matrix_loop(&(weft__matrix_product){.out = out,
                                         .a = a,
                                         .b = b,
                                         .m = t->m,
                                         .n = t->n,
                                         .k = t->k,
                                         .out_row = p->out.apart,
                                         .a_row = p->a.apart,
                                         .b_row = p->b.apart,
                                         .room = p->room});
}

/// The function of a dtype. FACTOR makes the argument of a factor.
#define MULTIPLY(dtype, gemm, gemv, FACTOR)                                                                \
  static void multiply_##dtype(const product *p, const void *a, const void *b, void *out) {                \
    if (p->loop)                                                                                           \
      p->loop(out, a, p->a.apart, b, p->task->m, p->task->k);                                              \
    else if (p->matrix_loop)                                                                               \
      multiply_here(p, a, b, out);                                                                         \
    else if (p->task->n == 1)                                                                              \
      blas.gemv(VECTOR_SHAPE(p), FACTOR(p->task->scale), A(p), B(p), FACTOR(p->task->accumulate), OUT(p)); \
    else                                                                                                   \
      blas.gemm(SHAPE(p), FACTOR(p->task->scale), A(p), B(p), FACTOR(p->task->accumulate), OUT(p));        \
  }
#define AS_F32(factor) (factor).f32
#define AS_F64(factor) (factor).f64
#define AS_COMPLEX(factor) &(factor)

MULTIPLY(f32, sgemm, sgemv, AS_F32)
MULTIPLY(f64, dgemm, dgemv, AS_F64)
MULTIPLY(c64, cgemm, cgemv, AS_COMPLEX)
MULTIPLY(c128, zgemm, zgemv, AS_COMPLEX)

static multiply *function_of(weft_dtype dtype) {
  switch (dtype) {
    case WEFT_F32:
      return multiply_f32;
    case WEFT_F64:
      return multiply_f64;
    case WEFT_C64:
      return multiply_c64;
    case WEFT_C128:
      return multiply_c128;
    default:
      return NULL;
  }
}

/* ---- all products of a task ---- */

static layout layout_of(const weft__matmul_matrix *x) {
  layout l = {.row = x->row, .column = x->column};
  memcpy(l.batch, x->batch, sizeof l.batch);
  return l;
}

static void task_of(host_task *to, const weft__matmul_task *t) {
  memset(to, 0, sizeof *to); /* its bytes may become a file's */
  to->product = t->product;
  to->axes = t->axes;
  to->cores = (int)t->context->core.device->info.compute_units;
  to->has_factors = t->has_scale || t->has_accumulate;
  to->m = t->m;
  to->n = t->n;
  to->k = t->k;
  to->batches = t->batches;
  memcpy(to->length, t->length, sizeof to->length);
  to->a = layout_of(&t->a);
  to->b = layout_of(&t->b);
  to->out = layout_of(&t->out);
  if (t->product == WEFT_F32 || t->product == WEFT_C64)
    to->scale.f32 = 1;
  else
    to->scale.f64 = 1;
  if (t->has_scale) memcpy(&to->scale, t->scale, sizeof to->scale);
  if (t->has_accumulate) memcpy(&to->accumulate, t->accumulate, sizeof to->accumulate);
}

/// Whether Weft's loops compute the products, each on one thread. OpenBLAS shares a product of over 2^18
/// multiplications among its threads, which wait for it: few products take less time so. OpenBLAS is also faster where
/// rows do not fill vectors and where operands are transposed.
static bool is_for_loops(const product *p) {
  enum { VECTOR_BYTES = 64 };
  const host_task *t = p->task;
  const double one = (double)t->m * (double)t->n * (double)t->k;
  const int64_t row_bytes = t->n * (int64_t)weft_dtype_size_bytes(t->product);
  const bool is_many = t->batches >= WEFT__MATMUL_MANY * (int64_t)t->cores;
  return t->batches > 1 && one <= (is_many ? WEFT__MATMUL_LOOP_WORK_OF_MANY : WEFT__MATMUL_LOOP_WORK) &&
         t->m >= WEFT__MATMUL_LOOP_ROWS && !p->a.is_transposed && !p->b.is_transposed &&
         (row_bytes % VECTOR_BYTES == 0 || row_bytes >= 4 * VECTOR_BYTES);
}

static void describe(product *p, const host_task *t) {
  *p = (product){.task = t,
                 .a = operand_of(&t->a, t->m, t->k),
                 .b = t->n == 1 ? vector_of(&t->b, t->k) : operand_of(&t->b, t->k, t->n),
                 .out = t->n == 1 ? vector_of(&t->out, t->m) : operand_of(&t->out, t->m, t->n)};
  const bool is_small = t->m * t->k * (int64_t)weft_dtype_size_bytes(t->product) <= WEFT__MATMUL_VECTOR_LOOP_BYTES;
  if (t->has_factors) return;
  if (t->n == 1 && is_small && p->b.apart == 1 && p->out.apart == 1)
    p->loop = weft__vector_loop_of(t->product, p->a.is_transposed);
  if (is_for_loops(p)) p->matrix_loop = weft__matrix_loop_of(t->product);
}

/// The distance in elements from a matrix of product 0 to the matrix of product `batch`.
static int64_t batch_offset(const host_task *t, const layout *x, int64_t batch) {
  int64_t offset = 0;
  for (int d = t->axes - 1; d > 0; d--, batch /= t->length[d + 1]) offset += batch % t->length[d] * x->batch[d];
  return t->axes > 0 ? offset + batch * x->batch[0] : offset;
}

/// The products of a task, divided among threads.
typedef struct shared {
  product product;
  void *const *data; /* out, a, b */
  int threads;
  char *room; /* of each thread: the loop's, the copies of a and b; NULL: none is needed */
  size_t room_bytes, a_bytes, b_bytes;
} shared;

/// A weft__run_shares function.
static void *multiply_share(void *user) {
  const weft__share *share = user;
  const shared *s = share->all;
  const host_task *t = s->product.task;
  const int64_t size = (int64_t)weft_dtype_size_bytes(t->product), number = (int64_t)share->number;
  multiply *one = function_of(t->product);
  product p = s->product;
  if (s->room) {
    p.room = s->room + s->room_bytes * share->number;
    p.b.copy = (char *)p.room + s->room_bytes - s->b_bytes;
    p.a.copy = (char *)p.b.copy - s->a_bytes;
  }
  for (int64_t i = t->batches * number / s->threads; i < t->batches * (number + 1) / s->threads; i++) {
    const char *a = (const char *)s->data[1] + batch_offset(t, &t->a, i) * size;
    const char *b = (const char *)s->data[2] + batch_offset(t, &t->b, i) * size;
    char *out = (char *)s->data[0] + batch_offset(t, &t->out, i) * size;
    one(&p, elements_of(&p.a, a, (size_t)size), elements_of(&p.b, b, (size_t)size), out + p.out.first * size);
  }
  return NULL;
}

/// Threads that share a task: another one pays if it saves more than its start takes.
static int threads_of(const product *p) {
  const host_task *t = p->task;
  const double all = (double)t->m * (double)t->n * (double)t->k * (double)t->batches;
  const int64_t most = t->cores < t->batches ? t->cores : t->batches;
  int threads = 1;
  while (p->matrix_loop && threads < most && threads < WEFT__MOST_SHARES &&
         (double)WEFT__MATMUL_SHARE_WORK * threads * (threads + 1) <= all)
    threads++;
  return threads;
}

/// Bytes of a packed copy, a multiple of 64.
static size_t copy_bytes(const operand *o, size_t size) {
  return o->is_packed ? (size_t)weft_ceil_div((uint64_t)(o->rows * o->columns) * size, 64) * 64 : 0;
}

/// data: out, a, b.
static int run_all(void *const *data, const void *of) {
  const host_task *t = of;
  const size_t size = weft_dtype_size_bytes(t->product);
  shared s = {.data = data};
  const product *p = &s.product;
  describe(&s.product, t);
  s.threads = threads_of(p);
  s.a_bytes = copy_bytes(&p->a, size);
  s.b_bytes = copy_bytes(&p->b, size);
  s.room_bytes = (p->matrix_loop ? WEFT__MATRIX_LOOP_BYTES : 0) + s.a_bytes + s.b_bytes;
  if (s.room_bytes && !(s.room = aligned_alloc(64, s.room_bytes * (size_t)s.threads))) return WEFT__HOST_NO_MEMORY;
  weft__run_shares(s.threads, multiply_share, &s);
  free(s.room);
  return 0;
}

static bool is_there(void) {
  return weft__engine_find(&binding);
}

const weft__host_function weft__host_matmul = {"matmul", WEFT__LIBRARY_CBLAS, sizeof(host_task), run_all, is_there,
                                               NULL};

weft__host_use weft__matmul_use_of(const weft__matmul_task *t, const weft__matmul_matrix *x, int64_t rows,
                                   int64_t columns) {
  const int64_t size = (int64_t)weft_dtype_size_bytes(x->dtype);
  weft__host_use use = {.storage = x->storage, .at_bytes = x->offset_bytes};
  int64_t low = 0, high = 0, elements = rows * columns;
  for (int d = -2; d < t->axes; d++) {
    const int64_t length = d < 0 ? (d == -2 ? rows : columns) : t->length[d];
    const int64_t reach = (length - 1) * (d < 0 ? (d == -2 ? x->row : x->column) : x->batch[d]);
    *(reach < 0 ? &low : &high) += reach;
    if (d >= 0) elements *= length;
  }
  use.begin_bytes = x->offset_bytes + low * size;
  use.end_bytes = x->offset_bytes + (high + 1) * size;
  use.has_gaps = high + 1 - low > elements;
  return use;
}

/* ---- the row ---- */

/// Whether the bytes of a packed copy can be counted.
static bool has_size(const operand *o, size_t size) {
  uint64_t elements, bytes;
  return !o->is_packed || (weft__multiply_u64(&elements, (uint64_t)o->rows, (uint64_t)o->columns) &&
                           weft__multiply_u64(&bytes, elements, size) && bytes <= PTRDIFF_MAX);
}

static bool is_int(int64_t x) {
  return x <= INT_MAX;
}

/// Whether an array of the epilogue may have been the result before the product was stored there.
static bool epilogue_reads_result(const weft__matmul_task *t) {
  for (int s = 0; s < t->sides; s++) {
    const weft__storage *side = t->side[s].storage, *out = t->out.storage;
    if (side->mem == out->mem || (side->host && out->host)) return true;
  }
  return false;
}

/// Whether OpenBLAS took this processor for one with vectors of 256 bits, and it has 512. PoCL's compiler does not make
/// this mistake. OpenBLAS 0.3.21 on a processor of 2024 (2 cores, f32, 2048^3): 219 GFLOP/s, cl/matmul/cpu.cl 321.
static bool has_half_vectors(void) {
#if defined(__x86_64__) && defined(__GNUC__)
  static const char *const narrow[] = {"Haswell", "Zen", "Excavator", "Sandybridge", "Nehalem", "Prescott"};
  const char *core = blas.corename ? blas.corename() : "";
  if (!__builtin_cpu_supports("avx512f")) return false;
  for (size_t k = 0; k < sizeof narrow / sizeof *narrow; k++)
    if (strcmp(core, narrow[k]) == 0) return true;
#endif
  return false;
}

/// Whether the kernel of the row `cpu` is faster, by more than its build takes in the long run: for all but small
/// products if OpenBLAS does not know the processor (f32, f64 and c64 of 2^22 to 2^27 multiplications take 0.5 to 0.7
/// of OpenBLAS's processor time, and no wait), and for many small ones on many cores, because OpenBLAS computes a
/// product of up to 2^18 multiplications on one core. The kernel copies a transposed `a` element by element: 256^3 take
/// 0.48 ms then, OpenBLAS 0.32, and 0.23 and 0.31 if it is not transposed.
static bool is_slower_than_own(const weft__matmul_task *t, bool turns_a) {
  enum { LEAST_SIDE = 48, SMALL_PRODUCT = 1 << 18, MANY_CORES = 4 };
  const double one = (double)t->m * (double)t->n * (double)t->k, all = one * (double)t->batches;
  const bool has_sides = t->m >= LEAST_SIDE && t->n >= LEAST_SIDE && t->k >= LEAST_SIDE;
  const bool is_many = one <= SMALL_PRODUCT && t->context->core.device->info.compute_units >= MANY_CORES;
  return has_sides && all >= 0x1p22 && weft__engine_allowed(WEFT__ENGINE_OWN) &&
         ((is_many && all >= 0x1p29) || (!turns_a && has_half_vectors()));
}

bool weft__matmul_blas_fits(const void *task) {
  const weft__matmul_task *t = task;
  const weft_dtype dtype = t->product;
  if (t->k == 0 || epilogue_reads_result(t)) return false;
  if (!function_of(dtype) || !weft__matmul_is_of(t, dtype) || t->out.dtype != dtype || weft__matmul_scales_by_zero(t))
    return false;
  const size_t size = weft_dtype_size_bytes(dtype);
  product p;
  host_task of;
  task_of(&of, t);
  describe(&p, &of);
  return !p.out.is_packed && !p.out.is_transposed && is_int(t->m) && is_int(t->n) && is_int(t->k) &&
         is_int(p.a.apart) && is_int(llabs(p.b.apart)) && is_int(llabs(p.out.apart)) && has_size(&p.a, size) &&
         has_size(&p.b, size) && is_there() && !is_slower_than_own(t, p.a.is_transposed);
}

/// A matrix of the task as a handle that nobody owns.
static weft_array array_of(const weft__matmul_task *t, const weft__matmul_matrix *x) {
  const int64_t size = (int64_t)weft_dtype_size_bytes(x->dtype);
  weft_array array = {.context = t->context,
                      .storage = x->storage,
                      .dtype = x->dtype,
                      .ndim = t->axes + 2,
                      .offset_bytes = x->offset_bytes,
                      .size = t->batches * t->m * t->n};
  for (int d = 0; d < t->axes; d++) {
    array.shape[d] = t->length[d];
    array.stride_bytes[d] = x->batch[d] * size;
  }
  array.shape[t->axes] = t->m;
  array.stride_bytes[t->axes] = x->row * size;
  array.shape[t->axes + 1] = t->n;
  array.stride_bytes[t->axes + 1] = x->column * size;
  return array;
}

/// Computes the epilogue of the result in place, as a call after the product would.
static weft_status finish(const weft__matmul_task *t) {
  weft_array handle[1 + WEFT__MATMUL_SIDES], *array[2 + WEFT__MATMUL_SIDES] = {handle, handle};
  handle[0] = array_of(t, &t->out);
  for (int s = 0; s < t->sides; s++) {
    handle[1 + s] = array_of(t, &t->side[s]);
    array[2 + s] = &handle[1 + s];
  }
  return weft__plan_run(t->epilogue, weft__array_shape(handle), array, t->scalars, NULL, t->site);
}

weft_status weft__matmul_blas_run(bool *done, const void *task) {
  const weft__matmul_task *t = task;
  host_task of;
  int code;
  task_of(&of, t);
  weft__host_use use[] = {weft__matmul_use_of(t, &t->out, t->m, t->n), weft__matmul_use_of(t, &t->a, t->m, t->k),
                          weft__matmul_use_of(t, &t->b, t->k, t->n)};
  use[0].reads = t->has_accumulate;
  use[0].writes = use[1].reads = use[2].reads = true;
  const weft__host_work work = {.context = t->context,
                                .uses = 3,
                                .use = use,
                                .function = &weft__host_matmul,
                                .task = &of,
                                .what = "matmul",
                                .site = t->site};
  WEFT__TRY_RETURN(weft__host_step(&code, &work));
  if (code) return weft__host_failed(code, &work);
  *done = true;
  return t->epilogue ? finish(t) : WEFT_OK;
}
