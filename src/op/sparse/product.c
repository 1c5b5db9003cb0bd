// SPDX-License-Identifier: MIT
/// Products of sparse matrices with vectors and matrices.
#include "array/strides.h"
#include "engine/engine.h"
#include "op/sparse/sparse_product.h"

enum { INDEX, LANES, CHUNK }; /* the option bytes of cl/sparse/gpu.cl */

static const char *const x_name[] = {"x"};

/* ---- the caller's arguments ---- */

static weft_status check_shape(weft__sparse_product *p) {
  const weft_shape x = weft__call_shape(&p->call, 0);
  weft__matmul_task *t = &p->task;
  if (x.ndim >= 1 && x.ndim <= 2 && x.dim[0] == p->matrix->columns) {
    p->has_columns = x.ndim == 2;
    t->m = p->matrix->rows;
    t->k = p->matrix->columns;
    t->n = p->has_columns ? x.dim[1] : 1;
    return WEFT_OK;
  }
  weft__text text = {0};
  weft__text_add(&text, "`matrix` has %lld rows and %lld columns, `x` is ", (long long)p->matrix->rows,
                 (long long)p->matrix->columns);
  weft__add_shape(&text, weft__call_dtype(&p->call, 0), x);
  weft__fail(WEFT_ERROR_SHAPE, "x", "%s; expected a vector of %lld elements, or a matrix of as many rows",
             weft__text_chars(&text), (long long)p->matrix->columns);
  weft__text_free(&text);
  return WEFT_ERROR_SHAPE;
}

static weft_status check_numbers(weft__sparse_product *p, const weft_csr_matmul_params *params) {
  weft__matmul_task *t = &p->task;
  t->product = weft__promote(p->matrix->data->dtype, weft__call_dtype(&p->call, 0));
  WEFT__TRY_RETURN(weft__dtype_check(t->product, p->call.context));
  t->accumulator = weft__matmul_accumulator(t->product);
  return weft__matmul_factors(t, params->scale, params->accumulate, p->call.result);
}

/* ---- the result ---- */

static weft_status make_result(weft__sparse_product *p) {
  weft__call *c = &p->call;
  const weft__matmul_task *t = &p->task;
  const weft_shape shape = p->has_columns ? WEFT_SHAPE(t->m, t->n) : WEFT_SHAPE(t->m);
  WEFT__TRY_RETURN(weft__call_result(c, 0, t->product, shape));
  const weft_array *x = c->array[0];
  if (!weft__matmul_is_aligned(x) || weft__arrays_overlap(x, c->array[1]) || weft__arrays_overlap(x, p->matrix->data))
    WEFT__TRY_RETURN(weft__call_temporary(c, 0, x->dtype, shape));
  return c->temporary[0] && t->has_accumulate ? weft__matmul_read_old(c) : WEFT_OK;
}

static weft__matmul_matrix matrix_of(const weft_array *x, int64_t row, int64_t column) {
  return (weft__matmul_matrix){x->storage, x->dtype, x->offset_bytes, row, column, {0}};
}

static void describe(weft__sparse_product *p) {
  weft__matmul_task *t = &p->task;
  const weft_array *x = p->call.array[1], *out = p->call.array[0];
  const int64_t size = (int64_t)weft_dtype_size_bytes(out->dtype);
  t->context = p->call.context;
  t->site = p->call.site;
  t->batches = 1;
  t->a = matrix_of(p->matrix->data, 0, 1);
  t->b = matrix_of(x, t->n, 1);
  t->out = matrix_of(out, out->stride_bytes[0] / size, p->has_columns ? out->stride_bytes[1] / size : 1);
}

/* ---- kernels ---- */

/// The matrix's tiles, and the work-items of a work-group: half as many for accumulators of 16 bytes, whose scan would
/// not fit in 48 KiB of local memory besides the tile.
static weft__csr_tiling tiling_of(const weft__matmul_task *t) {
  weft__csr_tiling tiling = weft__csr_tiling_of(t->context);
  if (weft_dtype_size_bytes(t->accumulator) > 8) tiling.block /= 2;
  return tiling;
}

static void write_options(weft__text *text, const weft__matmul_task *t, const uint8_t *option) {
  const weft__csr_tiling tiling = tiling_of(t);
  weft__text_add(text, "#define S_INDEX %s\n#define S_TILE %d\n#define S_BLOCK %d\n#define S_ITEMS %d\n",
                 weft__cl_stored((weft_dtype)option[INDEX]), tiling.tile, tiling.block, tiling.tile / tiling.block);
  weft__text_add(text, "#define S_LANES %d\n#define S_V %d\n#define S_RAW %s\n", option[LANES], option[CHUNK],
                 weft__cl_chunk(option[CHUNK], t->b.dtype));
}

static weft_status get_kernels(weft__kernel *kernel[2], const weft__sparse_product *p, int *slots) {
  static const char *const vector[] = {"weft_csr_vector", "weft_csr_join"};
  static const char *const matrix[] = {"weft_csr_matrix", "weft_csr_join"};
  const weft__matmul_task *t = &p->task;
  const int chunk = p->has_columns ? weft__matmul_chunk(t, &t->b, t->n) : 1;
  int lanes = 1;
  while (p->has_columns && lanes < 32 && lanes * chunk < t->n) lanes *= 2;
  *slots = lanes * chunk;
  const int stored = weft__matmul_store_elements(t);
  const weft__matmul_source source = {
      .file = "sparse/gpu.cl",
      .kernel = p->has_columns ? matrix : vector,
      .kernels = 2,
      .define = write_options,
      .option = {[INDEX] = (uint8_t)p->matrix->indices->dtype, [LANES] = (uint8_t)lanes, [CHUNK] = (uint8_t)chunk},
      .elements = stored < chunk ? 1 : chunk};
  return weft__matmul_kernels_get(kernel, t, &source);
}

/* ---- launches ---- */

static weft_status launch(const weft__sparse_product *p, weft__kernel *kernel, weft_dim3 grid,
                          const weft__matmul_args *args, uint64_t bytes) {
  const weft__matmul_task *t = &p->task;
  const weft_csr *m = p->matrix;
  const weft__use use[] = {{t->a.storage, false},       {t->b.storage, false},        {t->out.storage, true},
                           {m->indptr->storage, false}, {m->indices->storage, false}, {p->first->storage, false},
                           {p->parts->storage, true}};
  return weft__run_kernel(&(weft__kernel_run){.kernel = kernel,
                                              .grid = grid,
                                              .block = WEFT_DIM3((uint64_t)p->tiling.block),
                                              .arguments = args,
                                              .argument_bytes = weft__matmul_argument_bytes(t),
                                              .uses = 7,
                                              .use = use,
                                              .what = "csr matmul",
                                              .site = t->site,
                                              .bytes = bytes});
}

/// Bytes that a product reads and writes at least.
static uint64_t bytes_of(const weft__sparse_product *p) {
  const weft_csr *m = p->matrix;
  const uint64_t index = weft_dtype_size_bytes(m->indices->dtype), count = (uint64_t)m->data->size;
  const uint64_t columns = (uint64_t)p->task.n;
  return count * (index + weft_dtype_size_bytes(m->data->dtype)) + (uint64_t)m->rows * index +
         columns * ((uint64_t)m->columns * weft_dtype_size_bytes(p->task.b.dtype) +
                    (uint64_t)m->rows * weft_dtype_size_bytes(p->task.out.dtype));
}

weft_status weft__csr_matmul_kernels_run(bool *is_done, const void *task) {
  weft__sparse_product *p = *(weft__sparse_product *const *)task;
  weft__matmul_task *t = &p->task;
  weft__kernel *kernel[2];
  weft__matmul_args args;
  int slots;
  *is_done = true;
  p->tiling = tiling_of(t);
  WEFT__TRY_RETURN(weft__csr_tiles_of(&p->first, p->matrix, t->site));
  p->tiles = p->first->size - 1;
  WEFT__TRY_RETURN(get_kernels(kernel, p, &slots));
  WEFT__TRY_RETURN(weft__array_create(&p->parts, t->context, t->accumulator, WEFT_SHAPE(2, p->tiles, t->n), t->site));
  weft__matmul_fill(&args, t);
  args.k_all = (uint64_t)p->matrix->data->size;
  args.split = (uint64_t)p->tiles;
  args.own[0] = (uint64_t)p->matrix->indptr->offset_bytes;
  args.own[1] = (uint64_t)p->matrix->indices->offset_bytes;
  args.own[2] = (uint64_t)p->first->offset_bytes;
  args.own[3] = (uint64_t)p->parts->offset_bytes;
  weft_dim3 grid = weft__matmul_grid((uint64_t)p->tiles);
  if (p->has_columns) {
    const uint64_t parts = weft_ceil_div((uint64_t)t->n, (uint64_t)slots);
    const uint64_t most = t->context->core.device->info.max_grid[1];
    grid = weft__dim3((uint64_t)p->tiles, parts < most ? parts : most, weft_ceil_div(parts, most));
  }
  WEFT__TRY_RETURN(launch(p, kernel[0], grid, &args, bytes_of(p)));
  return launch(p, kernel[1], weft__matmul_grid(weft_ceil_div((uint64_t)p->tiles, (uint64_t)p->tiling.block)), &args,
                2 * (uint64_t)p->parts->size * weft_dtype_size_bytes(t->accumulator));
}

static weft_status run(weft__sparse_product *p, const weft_csr_matmul_params *params) {
  weft__call *c = &p->call;
  WEFT__TRY_RETURN(weft__engine_check());
  WEFT__TRY_RETURN(weft__csr_check(p->matrix));
  c->context = p->matrix->context;
  c->context_owner = "matrix";
  WEFT__TRY_RETURN(weft__call_check(c));
  WEFT__TRY_RETURN(check_shape(p));
  WEFT__TRY_RETURN(check_numbers(p, params));
  WEFT__TRY_RETURN(weft__call_upload(c));
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, p->task.product));
  if (!weft__matmul_is_aligned(c->array[1])) WEFT__TRY_RETURN(weft__call_copy(c, 1, c->array[1], p->task.product));
  WEFT__TRY_RETURN(make_result(p));
  if (c->array[0]->size == 0) return WEFT_OK;
  describe(p);
  return weft__ways_run(&weft__csr_matmul_ways, c->context, &p);
}

weft_status weft__csr_matmul_at(weft_operand out, const weft_csr *matrix, weft_operand x,
                                const weft_csr_matmul_params *params) {
  const weft_csr_matmul_params given = WEFT__PARAMS(params);
  weft__sparse_product p = {.matrix = matrix};
  weft__enter("weft_csr_matmul", given.site);
  weft__call_open(&p.call, NULL, 1, &out, 1, &x, x_name, given.site);
  const weft_status rc = run(&p, &given);
  weft_array_release(&p.first);
  weft_array_release(&p.parts);
  return weft__leave(weft__call_close(&p.call, rc));
}
