// SPDX-License-Identifier: MIT
/// Distributions of rows of numbers: Dirichlet, multinomial, multivariate normal.
#include <inttypes.h>
#include <weft/eval.h>
#include <weft/linalg.h>
#include <weft/matmul.h>
#include <weft/ufuncs.h>

#include "dtype/opencl.h"
#include "map/cast.h"
#include "op/linalg/solver.h"
#include "op/random/random.h"
#include "op/random/tuning.h"

/// The result's shape: `shape`, then an axis of `columns`. Errors: SHAPE.
static weft_status add_axis(weft_shape *shape, int64_t columns) {
  if (shape->ndim >= WEFT_MAX_NDIM)
    return weft__fail(WEFT_ERROR_SHAPE, "shape", "`shape` has %d axes; expected at most %d, as the result has one more",
                      shape->ndim, WEFT_MAX_NDIM - 1);
  shape->dim[shape->ndim++] = columns;
  return WEFT_OK;
}

/// Checks that operand k has one axis.
static weft_status check_vector(const weft__call *c, int k) {
  const int ndim = weft__call_shape(c, k).ndim;
  if (ndim == 1) return WEFT_OK;
  return weft__fail(WEFT_ERROR_SHAPE, weft__call_operand_name(c, k), "`%s` has %d axes; expected one",
                    weft__call_operand_name(c, k), ndim);
}

/* ---- by one kernel ---- */

typedef struct rows_key {
  uint8_t wide, dtype, is_dirichlet, is_long, is_coarse;
} rows_key;

static void write_rows(weft__text *text, const void *data) {
  const rows_key *key = data;
  weft__cl_define(text, (weft_dtype)key->dtype);
  weft__text_add(text, "#define WEFT_WIDE %d\n#define WEFT_DIRICHLET %d\n#define WEFT_LONG %d\n#define WEFT_ITEM %d\n",
                 key->wide, key->is_dirichlet, key->is_long, key->is_coarse ? WEFT__ROW_DRAWS_CPU_ROWS : 1);
}

/// Fills `x` (contiguous), whose last axis has a column for each of the parameters.
static weft_status run_rows(weft_array *x, weft_rng_state *state, const weft_array *parameters, rows_key key,
                            uint64_t trials, const char *site) {
  static const char *const names[] = {"weft_draw_rows"};
  const uint64_t columns = (uint64_t)parameters->size;
  const weft__grain grain = weft__grain_of(&x->context->store, WEFT__ROW_DRAWS_CPU_ROWS);
  weft__rng_words words;
  weft__rows_args a = {.columns = columns,
                       .from_offset = (uint64_t)parameters->offset_bytes,
                       .offset = (uint64_t)x->offset_bytes,
                       .trials = trials};
  const char *what = key.is_dirichlet ? "dirichlet" : "multinomial";
  key.wide = state->generator == WEFT_PHILOX4X64;
  key.dtype = (uint8_t)x->dtype;
  key.is_coarse = weft__is_coarse(grain);
  weft__rng_stream(&a.stream, state);
  WEFT__TRY_RETURN(weft__rng_take(&words, state, WEFT__TAKES_EIGHT, (uint64_t)x->size));
  if (x->size == 0) return WEFT_OK;
  a.n = (uint64_t)x->size / columns;
  a.base = words.base;
  const weft__kernel_source source = {
      .name = what,
      .key = {.file = "random/rows.cl", .kernel = names, .kernels = 1, WEFT__KEY_BYTES(rows_key, &key)},
      .write = write_rows};
  const weft__use use[] = {{parameters->storage, false}, {x->storage, true}};
  weft__kernel *kernel;
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &x->context->store, &source));
  return weft__run_kernel(&(weft__kernel_run){kernel, weft__grain_grid(grain, a.n), WEFT_DIM3(grain.block), &a,
                                              sizeof a, 2, use, .what = what, .site = site});
}

/// The rest of a call whose columns have the parameters of operand 0.
static weft_status draw_rows(weft__call *c, const weft__drawing *w, weft_rng_state *after, rows_key key,
                             uint64_t trials) {
  weft_shape shape = w->shape;
  WEFT__TRY_RETURN(weft__rng_begin(after, c, w->rng));
  WEFT__TRY_RETURN(weft__call_check(c));
  WEFT__TRY_RETURN(weft__dtype_check(w->dtype, c->context));
  if (key.is_long) WEFT__TRY_RETURN(weft__dtype_check(WEFT_F64, c->context));
  WEFT__TRY_RETURN(check_vector(c, 0));
  WEFT__TRY_RETURN(weft__call_upload(c));
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, key.is_long ? WEFT_F64 : WEFT_F32));
  WEFT__TRY_RETURN(add_axis(&shape, weft__call_shape(c, 0).dim[0]));
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, w->dtype, shape));
  return run_rows(c->array[0], after, c->array[1], key, trials, w->site);
}

weft_status weft__dirichlet_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, weft_operand alpha,
                               const char *site) {
  static const char *const names[] = {"alpha"};
  weft__drawing w = {"weft_dirichlet", &out, rng, dtype, shape, site};
  weft__distribution d = {0};
  weft__call c;
  weft_rng_state after;
  weft_status rc;
  weft__enter(w.function, site);
  weft__call_open(&c, NULL, 1, &out, 1, &alpha, names, site);
  WEFT__TRY(weft__draw_float(&d, &w));
  w.dtype = d.dtype;
  rc = draw_rows(&c, &w, &after, (rows_key){.is_dirichlet = true, .is_long = d.is_long}, 0);
done:
  return weft__leave(weft__rng_close(rng, &after, &c, rc));
}

weft_status weft__multinomial_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape, int64_t n,
                                 weft_operand weights, const char *site) {
  static const char *const names[] = {"weights"};
  weft__drawing w = {"weft_multinomial", &out, rng, dtype, shape, site};
  weft__call c;
  weft_rng_state after;
  weft_status rc;
  weft__enter(w.function, site);
  weft__call_open(&c, NULL, 1, &out, 1, &weights, names, site);
  WEFT__TRY(weft__draw_integer(&w.dtype, &w));
  WEFT__TRY(weft__draw_trials(w.dtype, n));
  rc = draw_rows(&c, &w, &after, (rows_key){.is_long = true}, (uint64_t)n);
done:
  return weft__leave(weft__rng_close(rng, &after, &c, rc));
}

/* ---- multivariate normal ---- */

/// Columns that are computed one at a time, each from all columns before it.
#define FEW_COLUMNS 4

/// A column of a matrix, or of a vector its element j, with no axis.
static weft_array column_of(const weft_array *x, int64_t row, int64_t j) {
  weft_array part = weft__array_part(x, x->ndim - 1, j, 1);
  if (row < 0) return part;
  part = weft__array_part(&part, 0, row, 1);
  weft__set_contiguous(&part, WEFT_SHAPE_0D);
  return part;
}

/// Column j of mean + z L^T: a row of L has zeros behind its diagonal.
static weft_status transform_column(weft_array *to, const weft_array *z, const weft_array *mean,
                                    const weft_array *factor, int64_t j, const char *site) {
  static const char *const text[FEW_COLUMNS] = {
      "z0 * l0 + m", "fma(z1, l1, z0 * l0) + m", "fma(z2, l2, fma(z1, l1, z0 * l0)) + m",
      "fma(z3, l3, fma(z2, l2, fma(z1, l1, z0 * l0))) + m"};
  static const char *const z_name[FEW_COLUMNS] = {"z0", "z1", "z2", "z3"},
                           *const l_name[FEW_COLUMNS] = {"l0", "l1", "l2", "l3"};
  weft_array column[FEW_COLUMNS], element[FEW_COLUMNS], of_mean = weft__array_part(mean, 0, j, 1);
  weft_array result = column_of(to, -1, j), *given = &result;
  weft_operand part[2 * FEW_COLUMNS + 1];
  int parts = 0;
  weft__set_contiguous(&of_mean, WEFT_SHAPE_0D);
  part[parts++] = WEFT_NAMED("m", &of_mean);
  for (int k = 0; k <= j; k++) {
    column[k] = column_of(z, -1, k);
    element[k] = column_of(factor, j, k);
    part[parts++] = WEFT_NAMED(z_name[k], &column[k]);
    part[parts++] = WEFT_NAMED(l_name[k], &element[k]);
  }
  return weft__eval_at(WEFT_OPERAND(&given), z->context, text[j], parts, part, site);
}

/// mean + z L^T in the dtype of `z`, the rows of standard normal numbers; L is the covariance's Cholesky factor.
static weft_status transform(weft_array **out, const weft_array *z, const weft_array *mean,
                             const weft_array *covariance, const char *site) {
  const weft_hermitian_params lower = {.site = site};
  const weft_matmul_params product = {.site = site};
  weft_array *factor = NULL, *spread = NULL;
  weft_status rc;
  WEFT__TRY(weft__cholesky_at(WEFT_OPERAND(&factor), WEFT_OPERAND(covariance), &lower));
  if (z->shape[1] <= FEW_COLUMNS) { /* a product of matrices so narrow takes longer */
    WEFT__TRY(weft__array_create(out, z->context, z->dtype, weft__array_shape(z), site));
    for (int64_t j = 0; j < z->shape[1]; j++) WEFT__TRY(transform_column(*out, z, mean, factor, j, site));
    rc = WEFT_OK;
    goto done;
  }
  const weft_array turned = weft__array_transposed(factor);
  WEFT__TRY(weft__matmul_at(WEFT_OPERAND(&spread), WEFT_OPERAND(z), WEFT_OPERAND(&turned), &product));
  const weft_operand sum[] = {WEFT_OPERAND(out), WEFT_OPERAND(spread), WEFT_OPERAND(mean)};
  rc = weft__ufunc_apply_at(WEFT_UFUNC_ADD, 3, sum, site);
done:
  weft_array_release(&factor);
  weft_array_release(&spread);
  return rc;
}

static weft_status check_moments(const weft__call *c) {
  WEFT__TRY_RETURN(check_vector(c, 0));
  const int64_t k = weft__call_shape(c, 0).dim[0];
  const weft_shape matrix = weft__call_shape(c, 1);
  if (matrix.ndim == 2 && matrix.dim[0] == k && matrix.dim[1] == k) return WEFT_OK;
  return weft__call_fail_shapes(c, 0, 1, "expected a `covariance` of [%" PRId64 ", %" PRId64 "]", k, k);
}

weft_status weft__multivariate_normal_at(weft_operand out, weft_rng *rng, weft_dtype dtype, weft_shape shape,
                                         weft_operand mean, weft_operand covariance, const char *site) {
  static const char *const names[] = {"mean", "covariance"};
  const weft_operand operand[] = {mean, covariance};
  const weft__drawing w = {"weft_multivariate_normal", &out, rng, dtype, shape, site};
  weft__distribution d = {.name = "normal", .kind = WEFT__DRAW_NORMAL, .parameters = 2, .parameter = {0, 1}};
  weft__call c;
  weft_array *z = NULL, *drawn = NULL;
  weft_rng_state after;
  weft_status rc;
  weft__enter(w.function, site);
  weft__call_open(&c, NULL, 1, &out, 2, operand, names, site);
  WEFT__TRY(weft__draw_float(&d, &w));
  const weft_dtype result = d.dtype;
  if (!d.is_long) d.dtype = WEFT_F32;
  WEFT__TRY(weft__rng_begin(&after, &c, rng));
  WEFT__TRY(weft__call_check(&c));
  WEFT__TRY(weft__dtype_check(result, c.context));
  WEFT__TRY(check_moments(&c));
  WEFT__TRY(weft__call_upload(&c));
  for (int k = 0; k < 2; k++) WEFT__TRY(weft__call_contiguous_operand(&c, k, d.dtype));
  const int64_t columns = c.array[1]->shape[0];
  weft_shape whole = shape;
  WEFT__TRY(add_axis(&whole, columns));
  WEFT__TRY(weft__call_contiguous_result(&c, 0, result, whole));
  WEFT__TRY(weft__array_create(&z, c.context, d.dtype, whole, site));
  WEFT__TRY(weft__draw_into(z, &after, &d, site));
  weft__set_contiguous(z, WEFT_SHAPE(columns ? z->size / columns : 0, columns));
  WEFT__TRY(transform(&drawn, z, c.array[1], c.array[2], site));
  weft__set_contiguous(drawn, whole);
  rc = weft__cast_into(c.array[0], drawn, result, site);
done:
  weft_array_release(&z);
  weft_array_release(&drawn);
  return weft__leave(weft__rng_close(rng, &after, &c, rc));
}
