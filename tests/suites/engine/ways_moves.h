// SPDX-License-Identifier: MIT
/// Cases of the operations that move and write elements, for test_ways.c.
#include "ways_data.h"

/* ---- parts of arrays ---- */

/// A matrix, of whose elements also views are moved: turned, backwards, with gaps.
typedef struct moved {
  weft_dtype dtype;
  int rows, columns;
} moved;

static const moved moves[] = {{WEFT_F32, 7, 5},   {WEFT_U8, 400, 333},  {WEFT_C128, 60, 70}, {WEFT_F64, 30000, 3},
                              {WEFT_I16, 1, 1},   {WEFT_F32, 3, 90000}, {WEFT_BOOL, 1, 999}, {WEFT_F16, 640, 512},
                              {WEFT_C64, 300, 2}, {WEFT_I64, 17, 16},   {WEFT_I8, 70000, 5}, {WEFT_F32, 300, 1200}};

/// The matrix; its rows and columns exchanged; backwards, every second column.
static void make_views(weft_array *view[3], int number) {
  const moved *m = &moves[number];
  weft_array *wide = NULL, *matrix = NULL;
  ok(weft_arange(&wide, ctx, WEFT_I32, 1, m->rows * m->columns + 1, 1));
  ok(weft_remainder(&wide, wide, 127));
  ok(weft_reshape(&matrix, wide, WEFT_SHAPE(m->rows, m->columns)));
  ok(weft_cast(&view[0], matrix, m->dtype));
  ok(weft_transpose(&view[1], view[0], WEFT_AXES(1, 0)));
  ok(weft_view(&view[2], view[0], "::-1, ::-2"));
  weft_release(&wide, &matrix);
}

static void arrange_all(weft_array **y, int number) {
  static const weft_pad_mode modes[] = {WEFT_PAD_EDGE, WEFT_PAD_REFLECT, WEFT_PAD_SYMMETRIC, WEFT_PAD_WRAP};
  weft_array *view[3] = {NULL};
  if (!harness_has_dtype(moves[number].dtype)) return;
  make_views(view, number);
  const weft_array *x = view[number % 3], *other = view[(number + 1) % 3];
  ok(weft_roll(&y[0], x, 7, 1));
  ok(weft_roll(&y[1], other, WEFT_SHAPE(-3, 1), WEFT_AXES(0, 1)));
  ok(weft_tile(&y[2], x, WEFT_SHAPE(2, 2, 3)));
  ok(weft_repeat(&y[3], other, 3, 0));
  ok(weft_repeat(&y[4], x, 5, 1));
  ok(weft_pad(&y[5], x, WEFT_SHAPE(2, 3), WEFT_SHAPE(0, 5), .value = WEFT_SCALAR(1)));
  for (int k = 0; k < 4; k++)
    ok(weft_pad(&y[6 + k], k % 2 ? x : other, WEFT_SHAPE(1, 20), WEFT_SHAPE(9, 4), .mode = modes[k]));
  ok(weft_tril(&y[10], x, .k = 2));
  ok(weft_triu(&y[11], other, .k = -1));
  ok(weft_tri(&y[12], ctx, moves[number].dtype, 700, .columns = 600, .k = -4));
  ok(weft_resize(&y[13], x, WEFT_SHAPE(3, 50001)));
  weft_release(&view[0], &view[1], &view[2]);
}

static void join_all(weft_array **y, int number) {
  weft_array *view[3] = {NULL}, *many[40], *part = NULL;
  if (!harness_has_dtype(moves[number].dtype)) return;
  make_views(view, number);
  for (int k = 0; k < 40; k++) many[k] = view[0];
  ok(weft_view(&part, view[0], ":, 1:"));
  ok(weft_concatenate(&y[0], many, number % 5 + 2, 0));
  ok(weft_concatenate(&y[1], many, 40, 1));
  ok(weft_stack(&y[2], many, 3, 2));
  ok(weft_stack(&y[3], many, 2, 2));
  ok(weft_concatenate(&y[4], ((weft_array *[]){view[0], part, view[0], view[0]}), 4, 1));
  ok(weft_concatenate(&y[5], ((weft_array *[]){view[1], view[1], view[2]}), 3, WEFT_ALL_AXES));
  weft_release(&view[0], &view[1], &view[2], &part);
}

static void repeat_all(weft_array **y, int number) {
  const moved *m = &moves[number];
  weft_array *view[3] = {NULL}, *times = NULL;
  if (!harness_has_dtype(m->dtype)) return;
  make_views(view, number);
  for (int axis = 0; axis < 2; axis++) {
    ok(weft_arange(&times, ctx, WEFT_I32, 3, (axis ? m->columns : m->rows) + 3, 1));
    ok(weft_remainder(&times, times, 5));
    ok(weft_repeat(&y[axis], view[number % 2], times, number % 2 != axis));
    ok(weft_remainder(&times, times, 2));
    ok(weft_repeat(&y[2 + axis], view[0], times, axis));
    weft_array_release(&times);
  }
  weft_release(&view[0], &view[1], &view[2]);
}

static const moved bits[] = {{WEFT_U8, 7, 5},    {WEFT_BOOL, 400, 333}, {WEFT_U8, 1, 500001}, {WEFT_I16, 700, 64},
                             {WEFT_I32, 9, 999}, {WEFT_I64, 8, 5000},   {WEFT_U8, 30000, 3},  {WEFT_BOOL, 100, 8000}};

static void convert_bits(weft_array **y, int number) {
  const moved *m = &bits[number];
  weft_array *wide = NULL, *x = NULL, *bytes = NULL;
  ok(weft_arange(&wide, ctx, WEFT_I32, 1, m->rows * m->columns + 1, 1));
  ok(weft_remainder(&wide, wide, 5));
  ok(weft_reshape(&x, wide, WEFT_SHAPE(m->rows, m->columns)));
  ok(weft_cast(&bytes, x, WEFT_U8));
  ok(weft_multiply(&bytes, bytes, (uint8_t)51));
  weft_array_release(&wide);
  ok(weft_cast(&wide, x, m->dtype));
  for (int axis = 0; axis < 2; axis++) {
    ok(weft_packbits(&y[axis], wide, axis));
    ok(weft_packbits(&y[2 + axis], wide, axis, .little = true));
    ok(weft_unpackbits(&y[4 + axis], bytes, axis));
    ok(weft_unpackbits(&y[6 + axis], bytes, axis, .little = true, .count = -3));
    ok(weft_unpackbits(&y[8 + axis], bytes, axis, .count = 8 * (axis ? m->columns : m->rows) + 7));
  }
  weft_release(&wide, &x, &bytes);
}

/* ---- ranges ---- */

static const weft_dtype spaced[] = {WEFT_F32, WEFT_F64, WEFT_F16, WEFT_BF16, WEFT_I8,  WEFT_U8,
                                    WEFT_I16, WEFT_U16, WEFT_I32, WEFT_U32,  WEFT_I64, WEFT_U64};

static void space_all(weft_array **y, int number) {
  const weft_dtype dtype = spaced[number];
  const bool is_float = weft_dtype_kind(dtype) == 'f';
  if (!harness_has_dtype(dtype)) return;
  ok(weft_arange(&y[0], ctx, dtype, 3, 100, 2));
  ok(weft_arange(&y[1], ctx, dtype, 1, is_float ? 300001 : 127, 1));
  if (!is_float && weft_dtype_size_bytes(dtype) >= 4) ok(weft_arange(&y[2], ctx, dtype, 7, 70000000, 101));
  if (!is_float) return;
  ok(weft_arange(&y[2], ctx, dtype, 0.3, 8000.7, 0.013));
  ok(weft_linspace(&y[3], ctx, dtype, -3, 1, 100003));
  ok(weft_linspace(&y[4], ctx, dtype, 70000, -1e-6, 200001));
  ok(weft_linspace(&y[5], ctx, dtype, -1e-6, 2e-6, 90001, .exclude_stop = true));
  ok(weft_linspace(&y[6], ctx, dtype, 0, 1e-322, 7001)); /* whose steps are less than the least number */
  ok(weft_linspace(&y[7], ctx, dtype, 5, 6, 1));
}

/* ---- indices ---- */

static const struct {
  int64_t rows, columns, k;
} triangles[] = {{37, 50, 2}, {50, 37, -20}, {37, 30, -3},  {1, 1, 0},      {700, 600, 5},  {600, 700, -5},
                 {5, 5, 9},   {9, 4, -8},    {2, 90000, 3}, {90000, 2, -7}, {900, 900, 900}};

static void write_all(weft_array **y, int number) {
  const int64_t rows = triangles[number].rows, columns = triangles[number].columns, k = triangles[number].k;
  ok(weft_tril_indices(&y[0], &y[1], ctx, rows, .columns = columns, .k = k));
  ok(weft_triu_indices(&y[2], &y[3], ctx, rows, .columns = columns, .k = k));
  ok(weft_diag_indices(&y[4], &y[5], ctx, rows, .columns = columns, .k = k));
  ok(weft_indices(&y[6], ctx, WEFT_I64, WEFT_SHAPE(rows, columns)));
  ok(weft_indices(&y[7], ctx, WEFT_F32, WEFT_SHAPE(3, rows, 2)));
}

/* ---- elements by their indices ---- */

/// Of an array [rows, columns], at `count` indices.
typedef struct indexed {
  weft_dtype dtype, index;
  int rows, columns, count;
} indexed;

static const indexed indexings[] = {
    {WEFT_F32, WEFT_I64, 7, 1, 1},      {WEFT_F32, WEFT_I32, 70, 3, 900},       {WEFT_I8, WEFT_U32, 1000, 1, 3000},
    {WEFT_F16, WEFT_U64, 40, 16, 300},  {WEFT_BF16, WEFT_I64, 3, 300, 50},      {WEFT_C64, WEFT_I32, 300, 2, 900},
    {WEFT_C128, WEFT_I64, 5000, 1, 99}, {WEFT_BOOL, WEFT_I32, 50, 4, 700},      {WEFT_U16, WEFT_I64, 260, 5, 300},
    {WEFT_F64, WEFT_I64, 20, 2000, 40}, {WEFT_I64, WEFT_U32, 300000, 1, 40000},
};

/// Small integers from `low` on, as an array of the dtype.
static weft_array *small_integers(weft_dtype dtype, weft_shape shape, int low, int high, int seed) {
  weft_array *wide = NULL, *y = NULL;
  int64_t n = 1;
  for (int d = 0; d < shape.ndim; d++) n *= shape.dim[d];
  int32_t *data = malloc((size_t)n * sizeof *data);
  uint32_t state = (uint32_t)seed;
  for (int64_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    data[i] = low + (int32_t)((state >> 8) % (uint32_t)(high - low));
  }
  ok(weft_from_host(&wide, ctx, WEFT_I32, shape, data));
  make_elements(&y, wide, dtype);
  free(data);
  weft_array_release(&wide);
  return y;
}

static bool has_dtypes(const indexed *of) {
  return harness_has_dtype(of->dtype) && harness_has_dtype(of->index);
}

/// x, as it is and with its rows and columns in the other order, and the indices of rows and of columns.
static void make_indexed(const indexed *of, weft_array **x, weft_array **turned, weft_array **rows,
                         weft_array **columns) {
  const int sign = of->index == WEFT_I32 || of->index == WEFT_I64 ? -1 : 0;
  *x = small_integers(of->dtype, WEFT_SHAPE(of->rows, of->columns), 0, 2, 1);
  ok(weft_flip(turned, *x, WEFT_ALL_AXES));
  *rows = small_integers(of->index, WEFT_SHAPE(of->count), sign * of->rows, of->rows, 2);
  *columns = small_integers(of->index, WEFT_SHAPE(of->count), sign * of->columns, of->columns, 3);
}

static void take_all(weft_array **y, int number) {
  const indexed *of = &indexings[number];
  weft_array *x = NULL, *view = NULL, *rows = NULL, *columns = NULL, *along = NULL, *few = NULL;
  if (!has_dtypes(of)) return;
  make_indexed(of, &x, &view, &rows, &columns);
  along = small_integers(of->index, WEFT_SHAPE(of->rows, of->columns), 0, of->rows, 4);
  few = small_integers(of->index, WEFT_SHAPE(3), 0, of->columns, 7);
  ok(weft_take(&y[0], x, rows, 0));
  ok(weft_take(&y[1], view, few, 1));
  ok(weft_take(&y[2], x, rows, 0, .mode = WEFT_INDEX_CLIP));
  ok(weft_take(&y[3], view, columns, WEFT_ALL_AXES, .mode = WEFT_INDEX_WRAP));
  ok(weft_take_along_axis(&y[4], view, along, 0));
  ok(weft_at(&y[5], view, rows, columns));
  ok(weft_at(&y[6], x, rows));
  ok(weft_ravel_multi_index(&y[7], WEFT_SHAPE(of->rows, of->columns), rows, columns,
                            WEFT_INDEXING(.mode = WEFT_INDEX_CLIP)));
  weft_release(&x, &view, &rows, &columns, &along, &few);
}

static void take_many_all(weft_array **y, int number) {
  const indexed *of = &indexings[number];
  weft_array *x = NULL, *view = NULL, *rows = NULL, *columns = NULL, *z = NULL;
  if (!has_dtypes(of)) return;
  make_indexed(of, &x, &view, &rows, &columns);
  z = small_integers(WEFT_I16, WEFT_SHAPE(of->rows, of->columns), 0, 90, 5);
  ok(weft_take_many(y, ((const weft_array *const[]){x, view, z}), 3, rows));
  ok(weft_zeros(&y[3], ctx, of->dtype, WEFT_SHAPE(of->rows, of->columns)));
  ok(weft_put_many(((weft_array *[]){y[3]}), ((const weft_array *const[]){y[0]}), 1, rows, .deterministic = true));
  weft_release(&x, &view, &rows, &columns, &z);
}

static void scatter_all(weft_array **y, int number) {
  const indexed *of = &indexings[number];
  weft_array *x = NULL, *view = NULL, *rows = NULL, *columns = NULL, *values = NULL, *along = NULL, *few = NULL;
  if (!has_dtypes(of)) return;
  make_indexed(of, &x, &view, &rows, &columns);
  values = small_integers(of->dtype, WEFT_SHAPE(of->count, of->columns), 0, 2, 6);
  along = small_integers(of->index, WEFT_SHAPE(of->rows, of->columns), 0, of->rows, 4);
  few = small_integers(of->index, WEFT_SHAPE(3), 0, of->columns, 7);
  for (int k = 0; k < MOST_RESULTS; k++) ok(weft_copy(&y[k], k % 2 ? view : x));
  ok(weft_scatter(y[0], rows, values, 0, .deterministic = true));
  ok(weft_scatter_add(y[1], rows, values, 0));
  ok(weft_put(y[2], columns, WEFT_OPERAND(x), .mode = WEFT_INDEX_WRAP, .deterministic = true));
  ok(weft_scatter_add(y[3], few, 1, 1, .deterministic = true));
  ok(weft_put_along_axis(y[4], along, view, 0, .deterministic = true));
  ok(weft_scatter(y[5], few, 1, 1));
  if (weft_dtype_kind(of->dtype) != 'c') {
    ok(weft_scatter_min(y[6], rows, values, 0));
    ok(weft_scatter_max(y[7], rows, values, 0, .mode = WEFT_INDEX_CLIP));
  }
  weft_release(&x, &view, &rows, &columns, &values, &along, &few);
}
