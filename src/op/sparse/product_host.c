// SPDX-License-Identifier: MIT
/// Products on the host. Rows and elements make one list, which is cut into tiles as for GPUs (cl/sparse/common.clh):
/// threads have ranges of tiles, and sums of a row's parts are added in the order of the tiles, however many threads
/// there are.
#include <string.h>

#include "base/scratch.h"
#include "base/wide.h"
#include "map/cast.h"
#include "op/sparse/sparse_product.h"

enum {
  CSR_SCALES = 1,
  CSR_ACCUMULATES = 2,
};

/// What a recording keeps.
typedef struct weft__csr_product {
  int64_t rows, count, n, to_row, to_column; /* elements; columns of x; strides of the result, in elements */
  uint64_t scale[2], accumulate[2];
  int32_t dtype, index, flags, shares;
} weft__csr_product;

typedef struct weft__csr_work {
  const weft__csr_product *t;
  char *to;
  const char *x, *data, *indptr, *column;
  int64_t tiles;
  int64_t *head_row;   /* of each tile: the row that ends there and began in another tile; -1: none */
  char *heads, *tails; /* of each tile, for each column: sums of that row, and of the row that does not end there */
  const struct weft__csr_loops *loops;
} weft__csr_work;

typedef struct weft__csr_loops {
  void (*tiles)(const weft__csr_work *w, int64_t tile, int64_t end_tile);
  void (*join)(const weft__csr_work *w, int64_t tiles);
} weft__csr_loops;

static inline int64_t weft__csr_index(const weft__csr_work *w, const char *p, int64_t k) {
  return w->t->index == WEFT_I64 ? ((const int64_t *)(const void *)p)[k] : ((const int32_t *)(const void *)p)[k];
}

/// The number of rows that end in front of an item.
static int64_t weft__csr_rows_before(const weft__csr_work *w, int64_t item) {
  int64_t low = 0, high = w->t->rows;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (weft__csr_index(w, w->indptr, middle + 1) + middle < item)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* ---- loops ---- */

static inline weft_c64 weft__csr_plus_c64(weft_c64 a, weft_c64 b) {
  return (weft_c64){a.re + b.re, a.im + b.im};
}
static inline weft_c64 weft__csr_times_c64(weft_c64 a, weft_c64 b) {
  return (weft_c64){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline weft_c128 weft__csr_plus_c128(weft_c128 a, weft_c128 b) {
  return (weft_c128){a.re + b.re, a.im + b.im};
}
static inline weft_c128 weft__csr_times_c128(weft_c128 a, weft_c128 b) {
  return (weft_c128){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* functions of a lower level of optimization than this are inlined: those above and of headers */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O2") /* with O3 the sums of a row are kept in other vectors, and take twice as long */
#endif
#define TARGET
#define BYTES 16
#define IS_VECTOR 1
#define TYPED(name) csr_vector_i32_##name
#define INDEX(p, k) (((const int32_t *)(const void *)(p))[k])
#include "op/sparse/product_types.h"
#undef TYPED
#undef INDEX
#define TYPED(name) csr_vector_i64_##name
#define INDEX(p, k) (((const int64_t *)(const void *)(p))[k])
#include "op/sparse/product_types.h"
#undef TARGET
#undef BYTES
#undef IS_VECTOR
#undef TYPED
#undef INDEX
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else sums of columns are not kept in vectors */
#endif
#define IS_VECTOR 0
#define TYPED(name) WIDTH(csr_matrix_##name)
#define INDEX(p, k) weft__csr_index(w, p, k)
#define LOOPS "op/sparse/product_types.h"
#include "base/each_width.h"
static const weft__csr_loops *const matrix_loops[] = WEFT__ALL(csr_matrix_csr_loops);

/* ---- the step ---- */

static void *share_tiles(void *user) {
  const weft__share *share = user;
  const weft__csr_work *w = share->all;
  const int64_t number = (int64_t)share->number, shares = w->t->shares;
  w->loops->tiles(w, w->tiles * number / shares, w->tiles * (number + 1) / shares);
  return NULL;
}

static int run_product(void *const *data, const void *task) {
  const weft__csr_product *t = task;
  const bool has_elements = t->count > 0; /* else there are two arrays, and nothing of the others is read */
  weft__csr_work w = {.t = t,
                      .to = data[0],
                      .indptr = data[1],
                      .x = data[has_elements ? 2 : 0],
                      .data = data[has_elements ? 3 : 0],
                      .column = data[has_elements ? 4 : 0]};
  w.tiles = (t->rows + t->count + WEFT__CSR_HOST_TILE - 1) / WEFT__CSR_HOST_TILE;
  const size_t sum = weft_dtype_size_bytes(weft__matmul_accumulator((weft_dtype)t->dtype));
  const size_t parts = (size_t)(w.tiles * t->n) * sum;
  if (!(w.heads = weft__scratch_begin(2 * parts + (size_t)w.tiles * sizeof *w.head_row))) return WEFT__HOST_NO_MEMORY;
  w.tails = w.heads + parts;
  w.head_row = (int64_t *)(void *)(w.tails + parts);
  w.loops = t->n > 1               ? &matrix_loops[WEFT__WIDTH][t->dtype]
            : t->index == WEFT_I64 ? &csr_vector_i64_csr_loops[t->dtype]
                                   : &csr_vector_i32_csr_loops[t->dtype];
  weft__run_shares(t->shares, share_tiles, &w);
  w.loops->join(&w, w.tiles);
  weft__scratch_end(w.heads);
  return 0;
}

const weft__host_function weft__host_csr_product = {
    "csr_product", WEFT__LIBRARY_NONE, sizeof(weft__csr_product), run_product, NULL, NULL};

static int32_t shares_of(const weft__csr_product *t, const weft_context *context) {
  const uint64_t items = (uint64_t)(t->rows + t->count), tiles = items / WEFT__CSR_HOST_TILE + 1;
  const uint64_t paid = items * (t->n < 4 ? 1 : (uint64_t)t->n / 4) / WEFT__CSR_SHARE_PRODUCTS;
  return weft__csr_shares(context, paid < tiles ? paid : tiles);
}

/// The product of arrays of one dtype.
static weft_status run_step(const weft__sparse_product *p, weft_array *out, const weft_array *x,
                            const weft_array *data) {
  const weft__matmul_task *t = &p->task;
  const weft_csr *m = p->matrix;
  const int64_t size = (int64_t)weft_dtype_size_bytes(out->dtype);
  weft__csr_product task = {.rows = m->rows,
                            .count = data->size,
                            .n = t->n,
                            .to_row = out->stride_bytes[0] / size,
                            .to_column = out->ndim > 1 ? out->stride_bytes[1] / size : 0,
                            .scale = {t->scale[0], t->scale[1]},
                            .accumulate = {t->accumulate[0], t->accumulate[1]},
                            .dtype = (int32_t)out->dtype,
                            .index = (int32_t)m->indptr->dtype};
  task.flags = (t->has_scale ? CSR_SCALES : 0) | (t->has_accumulate ? CSR_ACCUMULATES : 0);
  task.shares = shares_of(&task, t->context);
  const weft__host_use use[] = {{.array = out, .reads = t->has_accumulate, .writes = true},
                                {.array = m->indptr, .reads = true},
                                {.array = x, .reads = true},
                                {.array = data, .reads = true},
                                {.array = m->indices, .reads = true}};
  return weft__host_run(t->context, &weft__host_csr_product, &task, task.count > 0 ? 5 : 2, use, "csr matmul", t->site);
}

weft_status weft__csr_matmul_host_run(bool *is_done, const void *task) {
  const weft__sparse_product *p = *(weft__sparse_product *const *)task;
  weft_array *const out = p->call.array[0], *const x = p->call.array[1], *const data = p->matrix->data;
  const weft_dtype product = p->task.product;
  weft_array *sums = NULL, *values = NULL, *factors = NULL;
  weft_status rc;
  *is_done = true;
  if (out->dtype == product && data->dtype == product && !weft__is_narrow(product)) return run_step(p, out, x, data);
  const weft_dtype computed = weft__computed_dtype(product);
  WEFT__TRY(weft__cast(&values, data, computed, p->task.site));
  WEFT__TRY(weft__cast(&factors, x, computed, p->task.site));
  if (p->task.has_accumulate)
    WEFT__TRY(weft__cast(&sums, out, computed, p->task.site));
  else
    WEFT__TRY(weft__array_create(&sums, p->task.context, computed, weft__array_shape(out), p->task.site));
  WEFT__TRY(run_step(p, sums, factors, values));
  rc = weft__cast_into(out, sums, out->dtype, p->task.site);
done:
  weft_array_release(&sums);
  weft_array_release(&values);
  weft_array_release(&factors);
  return rc;
}
