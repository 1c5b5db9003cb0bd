// SPDX-License-Identifier: MIT
/// Parts of large matrices: launches, products, copies.
#include "op/linalg/block.h"

#include <weft/matmul.h>
#include <weft/rearrange.h>
#include <weft/ufuncs.h>

#include "map/cast.h"
#include "op/linalg/steps.h"
#include "op/linalg/tuning.h"
#include "store/kernel_set.h"

/* ---- launches ---- */

#define LOCAL_MOST (40u << 10) /* a block of 64 rows of f64 fits */
#define ROTATE_LESS (4u << 10) /* what the kernel that rotates rows has besides them */
#define REDUX_CAPABILITY 80 /* sm_80 */
#define BLOCK_NAMES 8       /* kernels of a file */

typedef struct block_key {
  unsigned char dtype, side, threads_by_16, each, of_x, width, has_redux;
} block_key;

void weft__define_number(weft__text *text, weft_dtype dtype) {
  const bool is_double = weft__real_dtype(dtype) == WEFT_F64;
  weft__text_add(text, "#define REAL %s\n#define DOUBLE %d\n#define COMPLEX %d\n", is_double ? "double" : "float",
                 is_double, weft_dtype_kind(dtype) == 'c');
}

static void write_defines(weft__text *text, const void *data) {
  const block_key *key = data;
  const unsigned threads = key->threads_by_16 ? key->threads_by_16 * 16u : 1u;
  weft__define_number(text, (weft_dtype)key->dtype);
  weft__text_add(text, "#define LA_SIDE %d\n#define WEFT_BLOCK %u\n#define LA_EACH %d\n#define LA_PANEL %d\n",
                 key->side, threads, key->each, (int)weft__block_panel((weft_dtype)key->dtype));
  if (key->of_x) weft__text_add(text, "#define LA_OF_X %d\n#define LA_WIDTH %d\n", key->of_x, key->width);
  if (key->has_redux) weft__text_add(text, "#define WEFT_REDUX 1\n");
}

/// The files' kernels, in the order of weft__block_kernel.
static const struct {
  const char *file;
  int first, kernels;
  const char *name[BLOCK_NAMES];
} files[] = {
    {"linalg/cholesky.cl", WEFT__BLOCK_CHOLESKY, 1, {"weft_cholesky_block"}},
    {"linalg/cholesky_step.cl",
     WEFT__BLOCK_CHOLESKY_COLUMNS,
     3,
     {"weft_cholesky_columns", "weft_cholesky_rest", "weft_cholesky_steps"}},
    {"linalg/triangle.cl", WEFT__BLOCK_SOLVE, 2, {"weft_triangle_solve", "weft_triangle_zero"}},
    {"linalg/triangle_chain.cl", WEFT__BLOCK_SOLVE_CHAIN, 1, {"weft_triangle_chain"}},
    {"linalg/lu.cl", WEFT__BLOCK_LU_PANEL, 2, {"weft_lu_panel", "weft_lu_swap"}},
    {"linalg/lu_grid.cl", WEFT__BLOCK_LU_GRID, 1, {"weft_lu_grid"}},
    {"linalg/lu_right.cl", WEFT__BLOCK_LU_RIGHT, 1, {"weft_lu_right"}},
    {"linalg/lu_invert.cl", WEFT__BLOCK_LU_INVERT, 2, {"weft_lu_invert", "weft_lu_columns"}},
    {"linalg/qr.cl", WEFT__BLOCK_QR_PANEL, 2, {"weft_qr_panel", "weft_qr_join"}},
    {"linalg/qr_rows.cl", WEFT__BLOCK_QR_ROWS, 1, {"weft_qr_rows"}},
    {"linalg/qr_apply.cl", WEFT__BLOCK_QR_APPLY, 1, {"weft_qr_apply"}},
    {"linalg/jacobi_start.cl", WEFT__BLOCK_JACOBI_PREPARE, 2, {"weft_jacobi_prepare", "weft_jacobi_shift"}},
    {"linalg/jacobi.cl",
     WEFT__BLOCK_JACOBI_QUOTIENTS,
     6,
     {"weft_jacobi_quotients", "weft_jacobi_rotate", "weft_jacobi_lengths", "weft_jacobi_order", "weft_jacobi_values",
      "weft_jacobi_sign"}},
    {"linalg/jacobi_rounds.cl", WEFT__BLOCK_JACOBI_ROUNDS, 1, {"weft_jacobi_rounds"}},
};

/// Jacobi rotations of a work-item are slower than LAPACK on a CPU from a side of 12 on: PoCL with OpenBLAS on 2 cores,
/// ms for 1000 matrices of 16 by 16, own and LAPACK: eigenvalues 104 and 39, singular values 136 and 37.
const weft__linalg_sizes *weft__linalg_sizes_of(const weft_context *context) {
  static const weft__linalg_sizes of_cpu = {.threads = 1,
                                            .solve_columns = 16,
                                            .lu_panel = 64,
                                            .lu_columns = 32,
                                            .qr_panel = 32,
                                            .rotated = 1,
                                            .spectrum = 12,
                                            .matrices = 1,
                                            .elements = 2048};
  static const weft__linalg_sizes of_gpu = {.threads = WEFT__LINALG_PANEL_THREADS,
                                            .solve_columns = 32, /* COLUMNS of triangle.cl */
                                            .lu_panel = 256,
                                            .lu_short = 2048,
                                            .qr_panel = WEFT__QR_PANEL,
                                            .rotated = 16,
                                            .spectrum = WEFT__SMALL_MATRIX,
                                            .matrices = 64};
  return context->store.is_cpu ? &of_cpu : &of_gpu;
}

/// Kernels that have a group for each matrix: it is as large as it can be.
uint64_t weft__block_threads(const weft_context *context, weft__block_kernel kernel) {
  const bool has_one = kernel == WEFT__BLOCK_QR_PANEL || kernel == WEFT__BLOCK_QR_JOIN ||
                       kernel == WEFT__BLOCK_JACOBI_PREPARE || kernel == WEFT__BLOCK_JACOBI_SHIFT;
  uint64_t threads = has_one ? WEFT__LINALG_PANEL_THREADS : WEFT__GPU_BLOCK;
  if (threads > weft__linalg_sizes_of(context)->threads) return weft__linalg_sizes_of(context)->threads;
  while (threads > context->core.device->info.max_block_threads) threads /= 2;
  return threads;
}

uint64_t weft__block_rows_each(const weft_context *context, weft_dtype dtype, uint64_t rows) {
  const uint64_t threads = weft__block_threads(context, WEFT__BLOCK_LU_GRID),
                 most = weft_dtype_size_bytes(dtype) > 8 ? 2 : 4;
  uint64_t each = 1;
  while (threads * each < rows && each < most) each *= 2;
  return each;
}

int64_t weft__block_panel(weft_dtype dtype) {
  return weft_dtype_size_bytes(dtype) > 4 ? 16 : 32;
}

/// Elements that weft_triangle_solve has in local memory, more than the other kernels: half of the block, right-hand
/// sides, inverses and what is known.
static uint64_t local_elements(uint64_t side) {
  const uint64_t step = 8, pitch = (side < 16 ? 8 : 32) + 1;
  return side * (side + 1) / 2 + (side + step) * pitch + side * step;
}

static uint64_t local_most(const weft_context *context) {
  const uint64_t local = context->core.device->info.local_memory_bytes;
  return local < LOCAL_MOST ? local * 7 / 8 : LOCAL_MOST;
}

uint64_t weft__block_rotating(const weft_context *context, uint64_t width) {
  const uint64_t least = weft__block_threads(context, WEFT__BLOCK_JACOBI_ROUNDS), threads = width * 32;
  return threads > least && threads <= context->core.device->info.max_block_threads ? threads : least;
}

uint64_t weft__block_row_part(uint64_t elements, uint64_t team) {
  return 2 * weft_ceil_div(elements, 2 * team);
}

bool weft__block_rows_fit(const weft_context *context, uint64_t threads, uint64_t each_bytes) {
  return threads * each_bytes + ROTATE_LESS <= local_most(context);
}

int64_t weft__block_side(const weft_context *context, weft_dtype dtype) {
  const uint64_t most = local_most(context);
  int64_t side = 64;
  while (side > 8 && local_elements((uint64_t)side) * weft_dtype_size_bytes(dtype) > most) side /= 2;
  return side;
}

uint64_t weft__block_chunks(const weft_context *context, uint64_t batches, uint64_t count, uint64_t per_group) {
  const uint64_t all = (uint64_t)context->core.device->info.compute_units * WEFT__LINALG_CHUNKS;
  const uint64_t most = all / batches ? all / batches : 1, wanted = weft_ceil_div(count, per_group);
  return wanted < most ? wanted : most;
}

weft_status weft__block_run(weft__block_launch *launch) {
  weft_context *context = launch->array[0]->context;
  weft__kernel *kernel[BLOCK_NAMES];
  weft__use use[4];
  size_t f = 0;
  while ((int)launch->kernel >= files[f].first + files[f].kernels) f++;
  const bool has_rows = launch->kernel == WEFT__BLOCK_LU_GRID || launch->kernel == WEFT__BLOCK_QR_ROWS;
  const bool rotates = launch->kernel == WEFT__BLOCK_JACOBI_ROUNDS;
  const uint64_t width = rotates ? launch->args.width : 1;
  const uint64_t threads =
      rotates ? weft__block_rotating(context, width) : weft__block_threads(context, launch->kernel);
  const uint64_t of_x = rotates ? weft__block_row_part(launch->args.n, threads / width) : 0;
  const uint64_t each = rotates    ? of_x + weft__block_row_part(launch->args.first, threads / width)
                        : has_rows ? weft__block_rows_each(context, launch->dtype, launch->args.m)
                                   : 1;
  const block_key key = {(unsigned char)launch->dtype,
                         (unsigned char)weft__block_side(context, launch->dtype),
                         (unsigned char)(threads / 16),
                         (unsigned char)each,
                         (unsigned char)of_x,
                         (unsigned char)width,
                         context->core.device->capability >= REDUX_CAPABILITY};
  WEFT__TRY_RETURN(weft__kernels_get(kernel, &context->store,
                                     &(weft__kernel_source){.name = "linalg",
                                                            .key = {.file = files[f].file,
                                                                    .kernel = files[f].name,
                                                                    .kernels = files[f].kernels,
                                                                    WEFT__KEY_BYTES(block_key, &key)},
                                                            .write = write_defines}));
  for (int k = 0; k < launch->arrays; k++) use[k] = (weft__use){launch->array[k]->storage, launch->writes[k]};
  if (launch->state) use[launch->arrays] = (weft__use){launch->state, true};
  if (launch->chunks == 0) launch->chunks = 1;
  launch->args.chunks = launch->chunks;
  return weft__run_kernel(&(weft__kernel_run){.kernel = kernel[(int)launch->kernel - files[f].first],
                                              .grid = WEFT_DIM3(launch->args.batches * launch->chunks),
                                              .block = WEFT_DIM3(threads),
                                              .arguments = &launch->args,
                                              .argument_bytes = sizeof launch->args,
                                              .uses = launch->arrays + (launch->state != NULL),
                                              .use = use,
                                              .what = launch->what,
                                              .site = launch->site});
}

/* ---- parts ---- */

weft__block_matrix weft__block_matrix_of(const weft_array *x) {
  const int64_t size = (int64_t)weft_dtype_size_bytes(x->dtype);
  return (weft__block_matrix){.offset = x->offset_bytes,
                              .batch = x->stride_bytes[0] / size,
                              .row = x->stride_bytes[1] / size,
                              .column = x->ndim > 2 ? x->stride_bytes[2] / size : 0};
}

weft_array weft__block_part(const weft_array *x, int64_t row, int64_t rows, int64_t column, int64_t columns) {
  const weft_array part = weft__array_part(x, 1, row, rows);
  return weft__array_part(&part, 2, column, columns);
}

/* ---- products ---- */

weft_status weft__block_subtract(weft_array *c, const weft_array *a, const weft_array *b, const char *site) {
  if (c->size == 0 || a->size == 0) return WEFT_OK;
  return weft__matmul_at(
      WEFT_OPERAND(&c), WEFT_OPERAND(a), WEFT_OPERAND(b),
      &(const weft_matmul_params){.scale = WEFT_SCALAR(-1.0), .accumulate = WEFT_SCALAR(1.0), .site = site});
}

weft_status weft__block_product(weft_array **out, const weft_array *a, const weft_array *b, const char *site) {
  return weft__matmul_at(WEFT_OPERAND(out), WEFT_OPERAND(a), WEFT_OPERAND(b),
                         &(const weft_matmul_params){.site = site});
}

/* ---- copies ---- */

static weft_status conjugate_into(weft_array **out, const weft_array *x, const char *site) {
  const weft_operand operands[] = {WEFT_OPERAND(out), WEFT_OPERAND(x)};
  return weft__ufunc_apply_at(WEFT_UFUNC_CONJ, 2, operands, site);
}

weft_status weft__block_conjugated(weft_array **out, const weft_array *x, const char *site) {
  return weft_dtype_kind(x->dtype) == 'c' ? conjugate_into(out, x, site) : WEFT_OK;
}

weft_status weft__conjugate(weft_array *x, const char *site) {
  return conjugate_into(&x, x, site);
}

weft_status weft__transposed_copy(weft_array **out, const weft_array *x, const char *site) {
  const weft_array t = weft__array_transposed(x);
  return weft__cast(out, &t, x->dtype, site);
}

weft_status weft__assign_transposed(weft_array *x, const weft_array *y, bool conjugates, const char *site) {
  const weft_array t = weft__array_transposed(y);
  return conjugates && weft_dtype_kind(x->dtype) == 'c' ? conjugate_into(&x, &t, site)
                                                        : weft__cast_into(x, &t, x->dtype, site);
}

/// Ones on the diagonal of each matrix of x.
static weft_status fill_diagonal(weft_array *x, const char *site) {
  weft_array diagonal = weft__array_borrow(x);
  const int last = x->ndim - 1;
  const int64_t rows = x->shape[last - 1], columns = x->shape[last], k = rows < columns ? rows : columns;
  if (x->size == 0) return WEFT_OK;
  diagonal.ndim = last;
  diagonal.shape[last - 1] = k;
  diagonal.stride_bytes[last - 1] += x->stride_bytes[last];
  diagonal.size = x->size / rows / columns * k;
  return weft__fill(&diagonal, WEFT_SCALAR(1), site);
}

weft_status weft__identity(weft_array *x, const char *site) {
  if (x->size > 0) WEFT__TRY_RETURN(weft__fill(x, WEFT_SCALAR(0), site));
  return fill_diagonal(x, site);
}

/* ---- triangles ---- */

weft_status weft__clear_upper(weft_array *x, const char *site) {
  return weft__tril_at(WEFT_OPERAND(&x), WEFT_OPERAND(x), &(const weft_matrix_params){.site = site});
}

weft_status weft__take_upper(weft_array *u, const weft_array *a, const char *site) {
  const weft_array top = weft__block_part(a, 0, u->shape[1], 0, a->shape[2]);
  return weft__triu_at(WEFT_OPERAND(&u), WEFT_OPERAND(&top), &(const weft_matrix_params){.site = site});
}

weft_status weft__take_unit_lower(weft_array *l, const weft_array *a, const char *site) {
  const weft_array left = weft__block_part(a, 0, a->shape[1], 0, l->shape[2]);
  WEFT__TRY_RETURN(weft__tril_at(WEFT_OPERAND(&l), WEFT_OPERAND(&left), &(const weft_matrix_params){.site = site}));
  return fill_diagonal(l, site);
}

static weft_status find_pivot(weft_array *info, const weft_array *t, uint32_t flags, const char *site) {
  return weft__block_run(&(weft__block_launch){.kernel = WEFT__BLOCK_FIND_ZERO,
                                               .dtype = t->dtype,
                                               .args = {.m = (uint64_t)t->shape[1],
                                                        .batches = (uint64_t)t->shape[0],
                                                        .x = weft__block_matrix_of(t),
                                                        .y = {.offset = info->offset_bytes},
                                                        .flags = flags},
                                               .arrays = 2,
                                               .array = {t, info},
                                               .writes = {false, true},
                                               .what = "zero pivot",
                                               .site = site});
}

weft_status weft__find_zero_pivot(weft_array *info, const weft_array *t, bool is_unit, const char *site) {
  if (is_unit || t->size == 0) return info->size ? weft__fill(info, WEFT_SCALAR(0), site) : WEFT_OK;
  return find_pivot(info, t, 0, site);
}

weft_status weft__find_broken_pivot(weft_array *info, const weft_array *t, const char *site) {
  return find_pivot(info, t, WEFT__BLOCK_BROKEN, site);
}

/* ---- exchanges of rows ---- */

weft_status weft__swap_rows(weft_array *b, const weft_array *pivots, const char *site) {
  return weft__swap_some_rows(b, pivots, 0, pivots->shape[1], site);
}

weft_status weft__swap_some_rows(weft_array *b, const weft_array *pivots, int64_t first, int64_t count,
                                 const char *site) {
  const uint64_t batches = (uint64_t)b->shape[0], columns = (uint64_t)b->shape[2];
  if (b->size == 0 || count == 0) return WEFT_OK;
  return weft__block_run(&(weft__block_launch){
      .kernel = WEFT__BLOCK_LU_SWAP,
      .dtype = b->dtype,
      .chunks = weft__block_chunks(b->context, batches, columns, 16),
      .args = {.m = (uint64_t)count,
               .n = columns,
               .batches = batches,
               .first = (uint64_t)first,
               .x = weft__block_matrix_of(b),
               .y = {.offset = pivots->offset_bytes + first * 4, .batch = pivots->stride_bytes[0] / 4}},
      .arrays = 2,
      .array = {b, pivots},
      .writes = {true, false},
      .what = "swap rows",
      .site = site});
}
