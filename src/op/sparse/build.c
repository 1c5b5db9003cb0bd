// SPDX-License-Identifier: MIT
/// Sparse matrices from elements, from the arrays of other libraries and from dense ones, and back. An element's key is
/// its number in the dense matrix, row * columns + column: sorted keys are the matrix's order.
#include <inttypes.h>

#include <weft/create.h>
#include <weft/eval.h>
#include <weft/index.h>
#include <weft/reduce.h>
#include <weft/select.h>
#include <weft/sort.h>
#include <weft/view.h>

#include "cl/sparse/args.h"
#include "dtype/opencl.h"
#include "map/cast.h"
#include "op/search/search.h"
#include "op/sparse/csr.h"
#include "op/sparse/stored.h"
#include "store/kernel_set.h"

/// Arrays of a call in progress.
typedef struct building {
  weft_context *context;
  const char *site;
  int64_t rows, columns;
  weft_array *keys; /* i64 */
  weft_array *data; /* the elements, in the order of the keys */
  weft_array *indptr, *indices;
  weft_array *tiles; /* if they are known */
  weft_array *scratch[4];
} building;

static void end(building *b) {
  weft_array **const arrays[] = {&b->keys,       &b->data,       &b->indptr,     &b->indices,   &b->tiles,
                                 &b->scratch[0], &b->scratch[1], &b->scratch[2], &b->scratch[3]};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) weft_array_release(arrays[k]);
}

static void release_elements(weft__csr_elements *e) {
  weft_array **const arrays[] = {&e->indptr, &e->rows, &e->indices, &e->data};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) weft_array_release(arrays[k]);
}

/* ---- keys ---- */

/// Sets b->keys for a matrix's arrays, or for its transpose, whose rows have `width` elements.
static weft_status find_keys(building *b, const weft_array *indptr, const weft_array *column, bool turns,
                             int64_t width) {
  weft_array *row = NULL;
  weft_status rc;
  WEFT__TRY(weft__array_create(&row, b->context, indptr->dtype, WEFT_SHAPE(column->size), b->site));
  WEFT__TRY(weft__csr_rows_into(row, indptr, b->site));
  rc = weft__eval_at(WEFT_OPERAND(&b->keys), b->context,
                     turns ? "i64(column) * width + row" : "i64(row) * width + i64(column)",
                     WEFT__NAMED_OPERANDS("", WEFT_VAR(row), WEFT_VAR(column), WEFT_VAR(width)), b->site);
done:
  weft_array_release(&row);
  return rc;
}

/// Makes the matrix of `rows` and `columns` from b->data and b->keys, which are in order and all different.
static weft_status make_from_keys(weft_csr **out, building *b, int64_t rows, int64_t columns) {
  const int64_t count = b->keys->size;
  const weft_dtype index = weft__csr_index_dtype(rows, columns, count);
  const weft_array *key = b->keys;
  weft_array **starts = &b->scratch[0], **places = &b->scratch[1];
  WEFT__TRY_RETURN(weft__array_create(&b->indices, b->context, index, WEFT_SHAPE(count), b->site));
  WEFT__TRY_RETURN(weft__array_create(&b->indptr, b->context, index, WEFT_SHAPE(rows + 1), b->site));
  if (count == 0) {
    WEFT__TRY_RETURN(weft__fill(b->indptr, WEFT_SCALAR(0), b->site));
    return weft__csr_make(out, rows, columns, &b->indptr, &b->indices, &b->data, b->site);
  }
  if (weft__csr_host_computes(b->context)) {
    WEFT__TRY_RETURN(weft__csr_split(b->indptr, b->indices, key, columns, b->site));
    return weft__csr_make(out, rows, columns, &b->indptr, &b->indices, &b->data, b->site);
  }
  WEFT__TRY_RETURN(weft__eval_at(WEFT_OPERAND(&b->indices), b->context, "key % columns",
                                 WEFT__NAMED_OPERANDS("", WEFT_VAR(key), WEFT_VAR(columns)), b->site));
  WEFT__TRY_RETURN(weft__arange_at(starts, b->context, WEFT_I64, WEFT_SCALAR(0), WEFT_SCALAR(rows * columns + 1),
                                   WEFT_SCALAR(columns), b->site));
  WEFT__TRY_RETURN(weft__array_create(places, b->context, WEFT_I64, WEFT_SHAPE(rows + 1), b->site));
  WEFT__TRY_RETURN(weft__search_run(*places, key, *starts, WEFT__SEARCH_LEFT, false, b->site));
  WEFT__TRY_RETURN(weft__cast_into(b->indptr, *places, index, b->site));
  return weft__csr_make(out, rows, columns, &b->indptr, &b->indices, &b->data, b->site);
}

static void write_runs(weft__text *text, const void *data) {
  const weft_dtype dtype = (weft_dtype) * (const uint8_t *)data;
  const bool is_complex = weft_dtype_kind(dtype) == 'c';
  weft__text_add(text, "#include \"math/complex.clh\"\n");
  weft__cl_define(text, dtype);
  weft__text_add(text, "#define S_BOOL %d\n#define S_COMPLEX %d\n", dtype == WEFT_BOOL, is_complex);
  if (is_complex) weft__text_add(text, "#define T_ADD(a, b) weft_cadd_%s((a), (b))\n", weft_dtype_name(dtype));
}

/// Makes *to of the sums of b->data, each from one of `first` up to the next.
static weft_status sum_runs(weft_array **to, const building *b, const weft_array *first) {
  static const char *const names[] = {"weft_csr_runs"};
  const uint8_t dtype = (uint8_t)b->data->dtype;
  weft__kernel *kernel;
  WEFT__TRY_RETURN(weft__array_create(to, b->context, b->data->dtype, WEFT_SHAPE(first->size), b->site));
  if (weft__csr_host_computes(b->context)) return weft__csr_sums_host(*to, b->data, first, b->site);
  WEFT__TRY_RETURN(weft__kernels_get(
      &kernel, &b->context->store,
      &(weft__kernel_source){
          .name = "sparse",
          .key = {.file = "sparse/runs.cl", .kernel = names, .kernels = 1, WEFT__KEY_BYTES(uint8_t, &dtype)},
          .write = write_runs}));
  const weft__csr_args args = {.first = (uint64_t)first->offset_bytes,
                               .sums = (uint64_t)(*to)->offset_bytes,
                               .values = (uint64_t)b->data->offset_bytes,
                               .runs = (uint64_t)first->size,
                               .elements = (uint64_t)b->data->size};
  const weft__use use[] = {{(*to)->storage, true}, {b->data->storage, false}, {first->storage, false}};
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(weft_ceil_div(args.runs, WEFT__GPU_BLOCK)),
                                              WEFT_DIM3(WEFT__GPU_BLOCK), &args, sizeof args, 3, use,
                                              .what = "csr sums", .site = b->site});
}

/// Adds the elements of equal keys, which are in order. Waits.
static weft_status sum_equal(building *b) {
  weft_array **flags = &b->scratch[0], **first = &b->scratch[1], **keys = &b->scratch[2], **data = &b->scratch[3];
  const char *site = b->site;
  WEFT__TRY_RETURN(weft__unique_flags(flags, b->keys, site));
  WEFT__TRY_RETURN(weft__flatnonzero_at(WEFT_OPERAND(first), WEFT_OPERAND(*flags), site));
  if ((*first)->size < b->keys->size) {
    WEFT__TRY_RETURN(weft__take_at(WEFT_OPERAND(keys), WEFT_OPERAND(b->keys), WEFT_OPERAND(*first), WEFT_ALL_AXES,
                                   &(const weft_index_params){.mode = WEFT_INDEX_CLIP, .site = site}));
    WEFT__TRY_RETURN(sum_runs(data, b, *first));
    weft_array_release(&b->keys);
    weft_array_release(&b->data);
    b->keys = *keys;
    b->data = *data;
    *keys = *data = NULL;
  }
  weft_array_release(flags);
  weft_array_release(first);
  return WEFT_OK;
}

/// Makes the matrix from b->keys and `values` in any order.
static weft_status make_from_any(weft_csr **out, building *b, const weft_array *values) {
  weft_array **sorted = &b->scratch[0];
  WEFT__TRY_RETURN(weft__sort_by_key_at(WEFT_OPERAND(sorted), WEFT_OPERAND(&b->data), WEFT_OPERAND(b->keys),
                                        WEFT_OPERAND(values), &(const weft_sort_params){.site = b->site}));
  weft_array_release(&b->keys);
  b->keys = *sorted;
  *sorted = NULL;
  if (b->keys->size > 0) WEFT__TRY_RETURN(sum_equal(b));
  return make_from_keys(out, b, b->rows, b->columns);
}

/// Makes the matrix from elements in any order, whose indices have the matrix's dtype, by two transpositions.
static weft_status make_by_counting(weft_csr **out, building *b, const weft__csr_elements *elements) {
  weft__csr_elements turned = {0}, sorted = {0};
  weft_status rc;
  bool is_ordered = false;
  WEFT__TRY(weft__csr_turn(&turned, elements, b->columns, b->site));
  WEFT__TRY(weft__csr_turn(&sorted, &turned, b->rows, b->site));
  WEFT__TRY(weft__csr_is_ordered(&is_ordered, sorted.indptr, sorted.indices, b->site));
  if (is_ordered) {
    rc = weft__csr_make(out, b->rows, b->columns, &sorted.indptr, &sorted.indices, &sorted.data, b->site);
    goto done;
  }
  WEFT__TRY(find_keys(b, sorted.indptr, sorted.indices, false, b->columns));
  weft_array **const old[] = {&b->indptr, &b->indices, &b->scratch[0], &b->scratch[1]}; /* `elements` */
  for (int k = 0; k < 4; k++) weft_array_release(old[k]);
  b->data = sorted.data;
  sorted.data = NULL;
  WEFT__TRY(sum_equal(b));
  rc = make_from_keys(out, b, b->rows, b->columns);
done:
  release_elements(&turned);
  release_elements(&sorted);
  return rc;
}

/* ---- checks ---- */

/// Checks that operand k has one axis, and integers if it is an index.
static weft_status check_axis(weft__call *c, int k, bool is_index) {
  const char *name = weft__call_operand_name(c, k);
  const weft_shape shape = weft__call_shape(c, k);
  if (shape.ndim == 0) return weft__fail(WEFT_ERROR_SHAPE, name, "`%s` has no axes; expected one", name);
  if (shape.ndim > 1) return weft__fail(WEFT_ERROR_SHAPE, name, "`%s` has %d axes; expected one", name, shape.ndim);
  const char kind = weft_dtype_kind(weft__call_dtype(c, k));
  if (is_index && kind != 'i' && kind != 'u')
    return weft__fail(WEFT_ERROR_DTYPE, name, "`%s` is %s; expected integers", name,
                      weft_dtype_name(weft__call_dtype(c, k)));
  return WEFT_OK;
}

static weft_status check_length(const weft__call *c, int k, int64_t length, const char *why) {
  const char *name = weft__call_operand_name(c, k);
  const int64_t given = weft__call_shape(c, k).dim[0];
  if (given == length) return WEFT_OK;
  return weft__fail(WEFT_ERROR_SHAPE, name, "`%s` has %" PRId64 " elements; expected %" PRId64 ", %s", name, given,
                    length, why);
}

/// The number at `position` of x, for a message.
static weft_status read_number(weft__text *text, const weft_array *x, int64_t position) {
  uint64_t bits[2] = {0};
  const weft_array one = weft__array_part(x, 0, position, 1);
  WEFT__TRY_RETURN(weft__array_read(bits, &one, true, NULL));
  const weft_scalar number = weft__scalar_read(x->dtype, bits);
  if (weft_dtype_kind(x->dtype) == 'u')
    weft__text_add(text, "%" PRIu64, number.value.u);
  else
    weft__text_add(text, "%" PRId64, number.value.i);
  return WEFT_OK;
}

/// The least result of an expression of x (and `limit`, or `next`), without axes. Waits.
static weft_status find_first(int64_t *first, building *b, const char *text, int count, const weft_operand *variables) {
  weft_array *least = NULL;
  weft_status rc;
  WEFT__TRY(weft__reduce_at(WEFT_OPERAND(&least), b->context, text, WEFT_ALL_AXES, count, variables, b->site));
  WEFT__TRY(weft__array_read(first, least, true, b->site));
done:
  weft_array_release(&least);
  return rc;
}

/// Checks that all indices are from 0 to limit - 1.
static weft_status check_range(building *b, const weft_array *x, int64_t limit, const char *name, const char *of) {
  int64_t first;
  weft__text text = {0};
  weft_status rc;
  if (x->size == 0) return WEFT_OK;
  WEFT__TRY(find_first(&first, b, "i if i64(x) < 0 or i64(x) >= limit else n",
                       WEFT__NAMED_OPERANDS("", WEFT_VAR(x), WEFT_VAR(limit), WEFT_REDUCTION(.op = WEFT_REDUCE_MIN))));
  if (first == x->size) return WEFT_OK;
  WEFT__TRY(read_number(&text, x, first));
  rc = weft__fail(WEFT_ERROR_INDEX, name, "index %s at position %" PRId64 " of `%s` is out of range for %" PRId64 " %s",
                  weft__text_chars(&text), first, name, limit, of);
done:
  weft__text_free(&text);
  return rc;
}

/// Checks that indptr rises from 0 to `count`.
static weft_status check_indptr(building *b, const weft_array *x, int64_t count) {
  weft__text text = {0};
  int64_t first = 0;
  weft_status rc;
  const int64_t ends[] = {0, x->size - 1}, expected[] = {0, count};
  for (int k = 0; k < 2; k++) {
    const weft_array one = weft__array_part(x, 0, ends[k], 1);
    uint64_t bits[2] = {0};
    WEFT__TRY(weft__array_read(bits, &one, true, b->site));
    const weft_scalar number = weft__scalar_read(x->dtype, bits);
    if (number.value.i == expected[k]) continue;
    WEFT__TRY(read_number(&text, x, ends[k]));
    WEFT__TRY(weft__fail(WEFT_ERROR_INDEX, "indptr", "`indptr` %s with %s; expected %" PRId64 "%s",
                         k ? "ends" : "begins", weft__text_chars(&text), expected[k],
                         k ? ", the number of elements" : ""));
  }
  if (x->size < 2) return WEFT_OK;
  const weft_array lower = weft__array_part(x, 0, 0, x->size - 1), upper = weft__array_part(x, 0, 1, x->size - 1);
  WEFT__TRY(find_first(&first, b, "i if i64(next) < i64(x) else n",
                       WEFT__NAMED_OPERANDS("", WEFT_NAMED("x", &lower), WEFT_NAMED("next", &upper),
                                            WEFT_REDUCTION(.op = WEFT_REDUCE_MIN))));
  if (first == x->size - 1) return WEFT_OK;
  WEFT__TRY(read_number(&text, x, first));
  weft__text_add(&text, " to ");
  WEFT__TRY(read_number(&text, x, first + 1));
  rc = weft__fail(WEFT_ERROR_INDEX, "indptr", "`indptr` falls from %s at position %" PRId64 "; expected that it rises",
                  weft__text_chars(&text), first);
done:
  weft__text_free(&text);
  return rc;
}

/* ---- makers ---- */

/// Whether b->keys ascend, none of them twice. Waits.
static weft_status keys_ascend(bool *ascend, building *b) {
  weft_array **answer = &b->scratch[0];
  *ascend = true;
  if (b->keys->size == 0) return WEFT_OK;
  WEFT__TRY_RETURN(weft__array_create(answer, b->context, WEFT_BOOL, WEFT_SHAPE_0D, b->site));
  WEFT__TRY_RETURN(weft__is_sorted_run(*answer, b->keys, false, true, b->site));
  WEFT__TRY_RETURN(weft__array_read(ascend, *answer, true, b->site));
  weft_array_release(answer);
  return WEFT_OK;
}

static void begin(building *b, const weft__call *c, weft_shape shape) {
  *b = (building){.context = c->context, .site = c->site, .rows = shape.dim[0], .columns = shape.dim[1]};
}

/// A function that makes a matrix of a call's operands. `shape`: the matrix's, of those that are given one.
typedef weft_status maker(weft_csr **out, building *b, weft__call *c, weft_shape shape);

static weft_status make(weft_csr **out, maker *from, weft_context *context, int count, const weft_operand *operand,
                        const char *const *names, weft_shape shape, const char *site) {
  building b = {0};
  weft__call c;
  WEFT__NEED_NULL_RESULT(out);
  weft__call_open(&c, context, 0, NULL, count, operand, names, site);
  const weft_status rc = from(out, &b, &c, shape);
  end(&b);
  return weft__leave(weft__call_close(&c, rc));
}

static weft_status from_coo(weft_csr **out, building *b, weft__call *c, weft_shape shape) {
  WEFT__TRY_RETURN(weft__csr_check_shape(shape));
  WEFT__TRY_RETURN(weft__call_check(c));
  begin(b, c, shape);
  for (int k = 0; k < 3; k++) WEFT__TRY_RETURN(check_axis(c, k, k < 2));
  for (int k = 1; k < 3; k++)
    WEFT__TRY_RETURN(check_length(c, k, weft__call_shape(c, 0).dim[0], "one for each element of `rows`"));
  WEFT__TRY_RETURN(weft__call_upload(c));
  for (int k = 0; k < 3; k++) WEFT__TRY_RETURN(weft__call_contiguous_operand(c, k, WEFT_DTYPE_NONE));
  const weft_array *row = c->array[0], *column = c->array[1];
  const int64_t width = b->columns;
  bool is_ordered = false;
  WEFT__TRY_RETURN(weft__csr_create_host(out, b->rows, width, (const weft_array *const *)c->array, true, b->site));
  if (*out) return WEFT_OK;
  WEFT__TRY_RETURN(check_range(b, row, b->rows, "rows", "rows"));
  WEFT__TRY_RETURN(check_range(b, column, width, "columns", "columns"));
  WEFT__TRY_RETURN(weft__eval_at(WEFT_OPERAND(&b->keys), b->context, "i64(row) * width + i64(column)",
                                 WEFT__NAMED_OPERANDS("", WEFT_VAR(row), WEFT_VAR(column), WEFT_VAR(width)), b->site));
  WEFT__TRY_RETURN(keys_ascend(&is_ordered, b));
  if (is_ordered) {
    WEFT__TRY_RETURN(weft__cast(&b->data, c->array[2], c->array[2]->dtype, b->site));
    return make_from_keys(out, b, b->rows, width);
  }
  if (!weft__csr_counting_pays(b->context, b->rows, width, row->size)) return make_from_any(out, b, c->array[2]);
  const weft_dtype index = weft__csr_index_dtype(b->rows, width, row->size);
  weft_array_release(&b->keys);
  WEFT__TRY_RETURN(weft__cast(&b->scratch[0], row, index, b->site));
  WEFT__TRY_RETURN(weft__cast(&b->scratch[1], column, index, b->site));
  return make_by_counting(out, b, &(const weft__csr_elements){NULL, b->scratch[0], b->scratch[1], c->array[2]});
}

weft_status weft__csr_from_coo_at(weft_csr **out, weft_context *context, weft_operand rows, weft_operand columns,
                                  weft_operand values, weft_shape shape, const char *site) {
  static const char *const names[] = {"rows", "columns", "values"};
  const weft_operand operand[] = {rows, columns, values};
  weft__enter("weft_csr_from_coo", site);
  return make(out, from_coo, context, 3, operand, names, shape, site);
}

/// Copies the three arrays of another library's, if they are a matrix. Waits.
static weft_status copy_checked(bool *is_matrix, bool *is_ordered, building *b, weft_array *const *given) {
  const weft_dtype index = weft__csr_index_dtype(b->rows, b->columns, given[1]->size);
  WEFT__TRY_RETURN(weft__array_create(&b->indptr, b->context, index, WEFT_SHAPE(b->rows + 1), b->site));
  WEFT__TRY_RETURN(weft__array_create(&b->indices, b->context, index, WEFT_SHAPE(given[1]->size), b->site));
  WEFT__TRY_RETURN(weft__array_create(&b->data, b->context, given[2]->dtype, WEFT_SHAPE(given[2]->size), b->site));
  WEFT__TRY_RETURN(weft__csr_tiles_create(&b->tiles, b->context, b->rows, given[1]->size, b->site));
  return weft__csr_copy_checked(is_matrix, is_ordered,
                                &(const weft__csr_copies){b->indptr, b->indices, b->data, b->tiles}, given, b->columns,
                                b->site);
}

/// copy_checked on CPUs, and for the messages.
static weft_status copy_and_check(bool *is_ordered, building *b, weft_array *const *given) {
  const weft_dtype index = weft__csr_index_dtype(b->rows, b->columns, given[1]->size);
  WEFT__TRY_RETURN(check_indptr(b, given[0], given[1]->size));
  WEFT__TRY_RETURN(check_range(b, given[1], b->columns, "indices", "columns"));
  WEFT__TRY_RETURN(weft__cast(&b->indptr, given[0], index, b->site));
  WEFT__TRY_RETURN(weft__cast(&b->indices, given[1], index, b->site));
  return weft__csr_is_ordered(is_ordered, b->indptr, b->indices, b->site);
}

static weft_status from_arrays(weft_csr **out, building *b, weft__call *c, weft_shape shape) {
  static const char per_row[] = "one more than `shape` has rows", per_element[] = "one for each element of `indices`";
  bool is_matrix = false, is_ordered = false;
  WEFT__TRY_RETURN(weft__csr_check_shape(shape));
  WEFT__TRY_RETURN(weft__call_check(c));
  begin(b, c, shape);
  for (int k = 0; k < 3; k++) WEFT__TRY_RETURN(check_axis(c, k, k < 2));
  WEFT__TRY_RETURN(check_length(c, 0, b->rows + 1, per_row));
  WEFT__TRY_RETURN(check_length(c, 2, weft__call_shape(c, 1).dim[0], per_element));
  WEFT__TRY_RETURN(weft__call_upload(c));
  for (int k = 0; k < 3; k++) WEFT__TRY_RETURN(weft__call_contiguous_operand(c, k, WEFT_DTYPE_NONE));
  weft_array *const data = c->array[2];
  WEFT__TRY_RETURN(
      weft__csr_create_host(out, b->rows, b->columns, (const weft_array *const *)c->array, false, b->site));
  if (*out) return WEFT_OK;
  if (!weft__csr_host_computes(b->context)) WEFT__TRY_RETURN(copy_checked(&is_matrix, &is_ordered, b, c->array));
  if (!is_matrix) WEFT__TRY_RETURN(copy_and_check(&is_ordered, b, c->array));
  if (!is_ordered && weft__csr_counting_pays(b->context, b->rows, b->columns, data->size))
    return make_by_counting(out, b, &(const weft__csr_elements){b->indptr, NULL, b->indices, data});
  if (!is_ordered) {
    WEFT__TRY_RETURN(find_keys(b, b->indptr, b->indices, false, b->columns));
    weft_array_release(&b->indptr);
    weft_array_release(&b->indices);
    weft_array_release(&b->data);
    return make_from_any(out, b, data);
  }
  if (b->tiles)
    return weft__csr_make_tiled(out, b->rows, b->columns, &b->indptr, &b->indices, &b->data, &b->tiles, b->site);
  WEFT__TRY_RETURN(weft__cast(&b->data, data, data->dtype, b->site));
  return weft__csr_make(out, b->rows, b->columns, &b->indptr, &b->indices, &b->data, b->site);
}

weft_status weft__csr_create_at(weft_csr **out, weft_context *context, weft_operand indptr, weft_operand indices,
                                weft_operand data, weft_shape shape, const char *site) {
  static const char *const names[] = {"indptr", "indices", "data"};
  const weft_operand operand[] = {indptr, indices, data};
  weft__enter("weft_csr_create", site);
  return make(out, from_arrays, context, 3, operand, names, shape, site);
}

static weft_status from_dense(weft_csr **out, building *b, weft__call *c, weft_shape shape) {
  WEFT__TRY_RETURN(weft__call_check(c));
  shape = weft__call_shape(c, 0);
  if (shape.ndim != 2)
    return weft__fail(WEFT_ERROR_SHAPE, "x", "`x` has %d %s; expected 2, rows and columns", shape.ndim,
                      shape.ndim == 1 ? "axis" : "axes");
  WEFT__TRY_RETURN(weft__csr_check_shape(shape));
  begin(b, c, shape);
  WEFT__TRY_RETURN(weft__call_upload(c));
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  const weft_array flat = weft__array_flat(c->array[0]);
  WEFT__TRY_RETURN(weft__flatnonzero_at(WEFT_OPERAND(&b->keys), WEFT_OPERAND(&flat), b->site));
  WEFT__TRY_RETURN(weft__take_at(WEFT_OPERAND(&b->data), WEFT_OPERAND(&flat), WEFT_OPERAND(b->keys), WEFT_ALL_AXES,
                                 &(const weft_index_params){.mode = WEFT_INDEX_CLIP, .site = b->site}));
  return make_from_keys(out, b, b->rows, b->columns);
}

weft_status weft__csr_from_dense_at(weft_csr **out, weft_context *context, weft_operand x, const char *site) {
  static const char *const names[] = {"x"};
  weft__enter("weft_csr_from_dense", site);
  return make(out, from_dense, context, 1, &x, names, WEFT_SHAPE_0D, site);
}

/* ---- conversions ---- */

static building building_of(const weft_csr *m, const char *site) {
  return (building){.context = m->context, .site = site, .rows = m->rows, .columns = m->columns};
}

/// Whether an element's row and value fit 8 bytes, which a sort of the columns alone then carries.
bool weft__csr_transpose_words_fits(const void *task) {
  const weft_csr *m = ((const weft__csr_transposing *)task)->matrix;
  return m->data->size > 0 && weft_dtype_size_bytes(m->data->dtype) == 4 && m->indices->dtype == WEFT_I32;
}

/// The transpose by a stable sort of the columns. The matrix's elements are in the order of their rows.
static weft_status transpose_words(weft_csr **out, building *b, const weft_csr *matrix) {
  weft_array *row = NULL, *value = NULL, *words = NULL, *word = NULL, *index = NULL, *bits = NULL;
  weft_array **const column = &b->scratch[0], **const starts = &b->scratch[1];
  const weft_sort_params sorting = {.site = b->site};
  weft_status rc;
  WEFT__TRY(weft__array_create(&row, b->context, WEFT_I32, WEFT_SHAPE(matrix->data->size), b->site));
  WEFT__TRY(weft__csr_rows_into(row, matrix->indptr, b->site));
  WEFT__TRY(weft__view_as_at(&value, matrix->data, WEFT_U32, b->site));
  WEFT__TRY(weft__eval_at(WEFT_OPERAND(&words), b->context, "i64(row) | i64(value) << 32",
                          WEFT__NAMED_OPERANDS("", WEFT_VAR(row), WEFT_VAR(value)), b->site));
  weft_array_release(&row);
  WEFT__TRY(weft__sort_by_key_at(WEFT_OPERAND(column), WEFT_OPERAND(&word), WEFT_OPERAND(matrix->indices),
                                 WEFT_OPERAND(words), &sorting));
  WEFT__TRY(weft__array_create(&b->data, b->context, matrix->data->dtype, WEFT_SHAPE(word->size), b->site));
  WEFT__TRY(weft__view_as_at(&bits, b->data, WEFT_U32, b->site));
  WEFT__TRY(weft__eval_all_at(b->context, "index = i32(word & 2147483647); bits = u32(word >> 32 & 4294967295)",
                              WEFT__NAMED_OPERANDS("", WEFT_VAR(&index), WEFT_VAR(&bits), WEFT_VAR(word)), b->site));
  WEFT__TRY(weft__arange_at(starts, b->context, WEFT_I32, WEFT_SCALAR(0), WEFT_SCALAR(matrix->columns + 1),
                            WEFT_SCALAR(1), b->site));
  WEFT__TRY(weft__array_create(&b->keys, b->context, WEFT_I64, WEFT_SHAPE(matrix->columns + 1), b->site));
  WEFT__TRY(weft__search_run(b->keys, *column, *starts, WEFT__SEARCH_LEFT, false, b->site));
  WEFT__TRY(weft__cast(&b->indptr, b->keys, WEFT_I32, b->site));
  rc = weft__csr_make(out, matrix->columns, matrix->rows, &b->indptr, &index, &b->data, b->site);
done:
  weft_array_release(&row);
  weft_array_release(&value);
  weft_array_release(&words);
  weft_array_release(&word);
  weft_array_release(&index);
  weft_array_release(&bits);
  return rc;
}

weft_status weft__csr_transpose_words_run(bool *is_done, const void *task) {
  const weft__csr_transposing *t = task;
  building b = building_of(t->matrix, t->site);
  *is_done = true;
  const weft_status rc = transpose_words(t->out, &b, t->matrix);
  end(&b);
  return rc;
}

bool weft__csr_transpose_host_fits(const void *task) {
  const weft_csr *m = ((const weft__csr_transposing *)task)->matrix;
  return weft__csr_counting_pays(m->context, m->rows, m->columns, m->data->size);
}

weft_status weft__csr_transpose_host_run(bool *is_done, const void *task) {
  const weft__csr_transposing *t = task;
  const weft_csr *m = t->matrix;
  weft__csr_elements turned = {0};
  weft_status rc;
  *is_done = true;
  WEFT__TRY(
      weft__csr_turn(&turned, &(const weft__csr_elements){m->indptr, NULL, m->indices, m->data}, m->columns, t->site));
  rc = weft__csr_make(t->out, m->columns, m->rows, &turned.indptr, &turned.indices, &turned.data, t->site);
done:
  release_elements(&turned);
  return rc;
}

weft_status weft__csr_transpose_keys_run(bool *is_done, const void *task) {
  const weft__csr_transposing *t = task;
  const weft_csr *m = t->matrix;
  building b = building_of(m, t->site);
  weft_status rc;
  *is_done = true;
  WEFT__TRY(find_keys(&b, m->indptr, m->indices, true, m->rows));
  WEFT__TRY(weft__sort_by_key_at(WEFT_OPERAND(&b.scratch[2]), WEFT_OPERAND(&b.data), WEFT_OPERAND(b.keys),
                                 WEFT_OPERAND(m->data), &(const weft_sort_params){.site = t->site}));
  weft_array_release(&b.keys);
  b.keys = b.scratch[2];
  b.scratch[2] = NULL;
  rc = make_from_keys(t->out, &b, m->columns, m->rows);
done:
  end(&b);
  return rc;
}

weft_status weft__csr_transpose_at(weft_csr **out, const weft_csr *matrix, const char *site) {
  weft_status rc;
  weft__enter("weft_csr_transpose", site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(weft__csr_check(matrix));
  const weft__csr_transposing t = {matrix, out, site};
  rc = weft__ways_run(&weft__csr_transpose_ways, matrix->context, &t);
done:
  return weft__leave(rc);
}

weft_status weft__csr_to_dense_at(weft_operand out, const weft_csr *matrix, const char *site) {
  building b = {0};
  weft__call c;
  weft_status rc;
  weft__enter("weft_csr_to_dense", site);
  weft__call_open(&c, NULL, 1, &out, 0, NULL, NULL, site);
  WEFT__TRY(weft__csr_check(matrix));
  b = building_of(matrix, site);
  c.context = matrix->context;
  c.context_owner = "matrix";
  WEFT__TRY(weft__call_check(&c));
  WEFT__TRY(weft__call_contiguous_result(&c, 0, matrix->data->dtype, WEFT_SHAPE(b.rows, b.columns)));
  WEFT__TRY(weft__fill(c.array[0], WEFT_SCALAR(0), site));
  const weft__csr_elements elements = {matrix->indptr, NULL, matrix->indices, matrix->data};
  rc = weft__csr_dense_into(c.array[0], &elements, site);
done:
  end(&b);
  return weft__leave(weft__call_close(&c, rc));
}

weft_status weft__csr_to_coo_at(weft_operand rows, weft_operand columns, weft_operand values, const weft_csr *matrix,
                                const char *site) {
  static const char *const names[] = {"rows", "columns", "values"};
  const weft_operand given[] = {rows, columns, values};
  weft_operand result[3];
  const char *name[3];
  int at[3], results = 0;
  building b = {0};
  weft__call c;
  weft_status rc;
  weft__enter("weft_csr_to_coo", site);
  for (int k = 0; k < 3; k++) {
    at[k] = -1;
    if (given[k].kind == WEFT_OPERAND_RESULT && !given[k].as.result) continue;
    at[k] = results;
    result[results] = given[k];
    name[results++] = names[k];
  }
  weft__call_open(&c, NULL, results, result, 0, NULL, NULL, site);
  c.result_name = name;
  WEFT__TRY(weft__csr_check(matrix));
  b = building_of(matrix, site);
  c.context = matrix->context;
  c.context_owner = "matrix";
  WEFT__TRY(weft__call_check(&c));
  const weft_array *const part[] = {NULL, matrix->indices, matrix->data};
  for (int k = 0; k < 3; k++)
    if (at[k] >= 0)
      WEFT__TRY(weft__call_contiguous_result(&c, at[k], k < 2 ? matrix->indices->dtype : matrix->data->dtype,
                                             WEFT_SHAPE(matrix->data->size)));
  if (results == 3 && !weft__csr_host_computes(b.context)) {
    WEFT__TRY(weft__csr_coo_into(c.array[0], c.array[1], c.array[2],
                                 &(const weft__csr_elements){matrix->indptr, NULL, matrix->indices, matrix->data},
                                 site));
    goto done;
  }
  if (at[0] >= 0) WEFT__TRY(weft__csr_rows_into(c.array[at[0]], matrix->indptr, site));
  for (int k = 1; k < 3; k++)
    if (at[k] >= 0) WEFT__TRY(weft__cast_into(c.array[at[k]], part[k], part[k]->dtype, site));
done:
  end(&b);
  return weft__leave(weft__call_close(&c, rc));
}
