// SPDX-License-Identifier: MIT
/// Products of matrices, internally. op/matmul/matmul.c checks a call and makes a task of it (op/matmul/layout.c). The
/// ways of op/matmul/ways.c are tried in order until one has done the task. A way runs its own kernels, whose text in
/// front op/matmul/matmul_source.c writes, or an engine.
#ifndef WEFT_OP_MATMUL_MATMUL_H
#define WEFT_OP_MATMUL_MATMUL_H

#include <weft/matmul.h>

#include "call/call.h"
#include "dtype/opencl.h"
#include "engine/host_step.h"
#include "engine/ways.h"
#include "map/function.h"
#include "store/kernel_set.h"

#define M_TAIL WEFT__MATMUL_WORDS(WEFT__MATMUL_SIDES, WEFT__MAX_SCALARS)
#include "cl/matmul/args.h"

/// A matrix for each product of a batch: one of the arrays of a task. Strides are in elements, and may be 0 or
/// negative.
typedef struct weft__matmul_matrix {
  weft__storage *storage;
  weft_dtype dtype;     /* as stored */
  int64_t offset_bytes; /* a multiple of the element's size */
  int64_t row, column;
  int64_t batch[WEFT__MATMUL_AXES];
} weft__matmul_matrix;

/// One call: out = epilogue(scale * a @ b + accumulate * out) for each product of a batch. The layout is normal: batch
/// axes of length 1 are gone, those that are one run in all arrays are merged, a batch that only lengthens `a` is part
/// of m; and `out` is row-major if it can be (a and b change places otherwise): |out.column| <= |out.row|. m, n, k and
/// batches are 1 or more; a call without elements never becomes a task.
typedef struct weft__matmul_task {
  weft_context *context;
  const char *site;
  weft_dtype product;     /* dtype of the product, in which NumPy would compute it */
  weft_dtype accumulator; /* U32, U64, F32, F64, C64 or C128. Integers wrap; of bool 1 is true, and + is or */
  weft_precision precision;
  int64_t m, n, k;
  int axes;        /* batch axes, the outermost first */
  int64_t batches; /* the product of `length` */
  int64_t length[WEFT__MATMUL_AXES];
  weft__matmul_matrix a, b, out;    /* a[m, k], b[k, n], out[m, n] */
  bool has_scale, has_accumulate;   /* else 1 and 0 */
  uint64_t scale[2], accumulate[2]; /* the bytes of an element of dtype `accumulator` */
  /* the epilogue: a formula whose input 0 is the value. It has the dtype of the product, or of the accumulator if this
     is a narrow float. */
  const weft__plan *epilogue; /* NULL: none */
  int sides;
  weft__matmul_matrix side[WEFT__MATMUL_SIDES]; /* the arrays of the epilogue, as many elements as `out` */
  int side_input[WEFT__MATMUL_SIDES];           /* the formula's input that each array is */
  uint64_t scalars[2 * WEFT__MAX_SCALARS];      /* of the formula, two words each */
  /* of a product split along k, see cl/matmul/args.h */
  int64_t k_all, split;
  weft__storage *work; /* NULL, or memory of the kernel's own: its last argument */
} weft__matmul_task;

/// The rows of the table of ways (op/matmul/ways.c).
WEFT__WAY_FUNCTIONS(matmul, inner);
WEFT__WAY_FUNCTIONS(matmul, blas);
WEFT__WAY_FUNCTIONS(matmul, cublas);
WEFT__WAY_FUNCTIONS(matmul, complex);
WEFT__WAY_FUNCTIONS(matmul, nvidia_panels);
WEFT__WAY_FUNCTIONS(matmul, split);
WEFT__WAY_FUNCTIONS(matmul, vector);
WEFT__WAY_FUNCTIONS(matmul, narrow);
WEFT__WAY_FUNCTIONS(matmul, nvidia_16);
WEFT__WAY_FUNCTIONS(matmul, nvidia_f32);
WEFT__WAY_FUNCTIONS(matmul, nvidia_f64);
WEFT__WAY_FUNCTIONS(matmul, cpu_vector);
WEFT__WAY_FUNCTION(matmul, cpu);
WEFT__WAY_FUNCTION(matmul, tile);
extern const weft__ways weft__matmul_ways;

/// The steps of the ways `blas` and `inner`.
extern const weft__host_function weft__host_matmul, weft__host_matmul_inner;
/// The range of its storage that a matrix of every product uses.
weft__host_use weft__matmul_use_of(const weft__matmul_task *t, const weft__matmul_matrix *x, int64_t rows,
                                   int64_t columns);

/// Runs the first way that does the task.
weft_status weft__matmul_run(const weft__matmul_task *task);

/// Whether the product and both operands have this dtype.
static inline bool weft__matmul_is_of(const weft__matmul_task *task, weft_dtype dtype) {
  return task->product == dtype && task->a.dtype == dtype && task->b.dtype == dtype;
}

/// Whether the product is multiplied with 0: 0 times NaN is NaN, and BLAS's libraries skip such a product.
static inline bool weft__matmul_scales_by_zero(const weft__matmul_task *task) {
  const uint64_t sign = UINT64_C(1) << 63 | UINT64_C(1) << 31;
  return task->has_scale && !((task->scale[0] | task->scale[1]) & ~sign);
}

/* ---- for calls that make a task of their own ---- */

/// The dtype in which products of this dtype are added.
weft_dtype weft__matmul_accumulator(weft_dtype dtype);
/// Sets scale and accumulation of a task, whose dtypes are set, and checks that `out`, the caller's result, can be
/// accumulated to. Errors: ARGUMENT, DTYPE, OVERFLOW.
weft_status weft__matmul_factors(weft__matmul_task *task, weft_scalar scale, weft_scalar accumulate,
                                 const weft_operand *out);
/// Whether kernels can read x: its elements begin at multiples of their size.
bool weft__matmul_is_aligned(const weft_array *x);
/// Puts the old elements of result 0 into its temporary.
weft_status weft__matmul_read_old(weft__call *c);

/* ---- kernels ---- */

#define WEFT__MATMUL_OPTIONS 12

/// The kernels of a row. Their text in front has the macros that cl/matmul/store.clh names, and those that `define`
/// adds for the options.
typedef struct weft__matmul_source {
  const char *file;          /* "matmul/tile.cl" */
  const char *const *kernel; /* their names, a static array */
  int kernels;
  bool is_for_90a; /* instructions for sm_90a only (kernel/ptx.h) */
  void (*define)(weft__text *text, const weft__matmul_task *task, const uint8_t *option); /* NULL: no macros */
  uint8_t option[WEFT__MATMUL_OPTIONS];                                                   /* the variant */
  int elements; /* M_CHUNK: elements of a vector store, a divisor of weft__matmul_store_elements; 0: 1 */
} weft__matmul_source;

/// Finds or builds the kernels of a task.
weft_status weft__matmul_kernels_get(weft__kernel **kernels, const weft__matmul_task *task,
                                     const weft__matmul_source *source);
/// Fills the arguments except `own`.
void weft__matmul_fill(weft__matmul_args *args, const weft__matmul_task *task);
/// Launches a kernel with the arguments and the buffers of a, b, out and the epilogue's arrays.
weft_status weft__matmul_launch(const weft__matmul_task *task, weft__kernel *kernel, weft_dim3 grid, weft_dim3 block,
                                const weft__matmul_args *args);

/// A grid of groups, which are numbered get_group_id(0) + get_group_id(1) * get_num_groups(0). It may have more groups
/// than asked for.
weft_dim3 weft__matmul_grid(uint64_t groups);

/// The bytes of the arguments, whose tail depends on the epilogue.
size_t weft__matmul_argument_bytes(const weft__matmul_task *task);

/// The number of elements of x that one vector access can have, 16 bytes at most. The offset of x, its batch strides
/// and `bits` are multiples of it; `bits` are the other strides and lengths, in elements, joined by |.
int weft__matmul_chunk(const weft__matmul_task *task, const weft__matmul_matrix *x, int64_t bits);
/// weft__matmul_chunk of a store of a row of `out`; 1 if out.column is not 1.
int weft__matmul_store_elements(const weft__matmul_task *task);

#endif
