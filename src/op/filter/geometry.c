// SPDX-License-Identifier: MIT
/// Arrays at other places by splines: map_coordinates, affine_transform, zoom, shift, rotate.
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <weft/interpolate.h>
#include <weft/rearrange.h>

#include "cl/rearrange/args.h"
#include "dtype/opencl.h"
#include "map/cast.h"
#include "op/filter/filter.h"
#include "op/filter/tuning.h"

/* As in SciPy, cubic splines of a border of EDGE reach so far into elements that repeat the last one, and are symmetric
   there. */
#define MARGIN 12

static const char *const place_names[] = {"x", "coordinates"};
static const char *const number_names[3][2] = {{"x", "matrix"}, {"x", "zoom"}, {"x", "shift"}};

/// A transformation: element o of the result is x at matrix @ o + offset, or at places from an array.
typedef struct transform {
  weft__call call;
  weft_operand out, operand[2];
  const char *what;
  weft__edge edge;
  int taps; /* of the spline along an axis: 1, 2, 4 */
  double matrix[WEFT_MAX_NDIM][WEFT_MAX_NDIM + 1];
  uint32_t ends;    /* bit d: along axis d the last place is the last element */
  weft_shape shape; /* of the result */
  bool is_mapped, may_be_empty;
  bool takes_shape, may_keep_shape; /* the options */
  uint32_t plain;                   /* bit d: along axis d a place is the index */
} transform;

/* ---- the call ---- */

static weft_status open_transform(transform *t, const char *name, const char *const *names,
                                  const weft_transform_params *p) {
  static const int taps[] = {4, 1, 2, 4}; /* by weft_spline */
  weft__call *c = &t->call;
  weft__enter(name, p->site);
  weft__call_open(c, NULL, 1, &t->out, t->operand[1].kind ? 2 : 1, t->operand, names, p->site);
  WEFT__TRY_RETURN(weft__call_operands(c));
  for (int k = 0; k < c->inputs; k++)
    if (weft_dtype_kind(weft__call_dtype(c, k)) == 'c')
      return weft__fail(WEFT_ERROR_DTYPE, names[k], "`%s` is %s; expected real numbers", names[k],
                        weft_dtype_name(weft__call_dtype(c, k)));
  if ((int)p->order < 0 || p->order > WEFT_SPLINE_CUBIC)
    return weft__fail(WEFT_ERROR_ARGUMENT, "order", "`order` is %d, which is no weft_spline", (int)p->order);
  if (p->shape.ndim && !t->takes_shape)
    return weft__fail(WEFT_ERROR_ARGUMENT, "shape", "`shape` is given; only weft_affine_transform takes it");
  if (p->keeps_shape && !t->may_keep_shape)
    return weft__fail(WEFT_ERROR_ARGUMENT, "keeps_shape", "`keeps_shape` is given; only weft_rotate takes it");
  t->taps = taps[p->order];
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  const weft_array *x = c->array[1];
  if (x->ndim == 0 || (x->size == 0 && !t->may_be_empty)) {
    weft__text text = {0};
    weft__add_shape(&text, x->dtype, weft__array_shape(x));
    weft__fail(WEFT_ERROR_SHAPE, "x", "`x` is %s; expected axes and elements", weft__text_chars(&text));
    weft__text_free(&text);
    return WEFT_ERROR_SHAPE;
  }
  t->shape = weft__array_shape(x);
  return weft__edge_of(&t->edge, p->mode, p->value, WEFT_BORDER_CONSTANT, x->dtype);
}

static weft_status close_transform(transform *t, weft_status rc) {
  return weft__leave(weft__call_close(&t->call, rc));
}

static weft_dtype place_dtype(const weft_context *context) {
  return context->core.device->info.has_fp64 ? WEFT_F64 : WEFT_F32;
}

/* ---- splines ---- */

/// What distinguishes spline_tiles.cl (lanes > 0) and spline.cl.
typedef struct spline_key {
  uint8_t is_f32, lanes, step, warm;
  uint8_t lines; /* of a work-item of spline.cl */
} spline_key;

static void write_spline(weft__text *text, const void *data) {
  const spline_key *key = data;
  weft__text_add(text, "#define REAL %s\n#define LINES %d\n", key->is_f32 ? "float" : "double", key->lines);
  if (key->lanes)
    weft__text_add(text, "#define LANES %d\n#define PARTS %d\n#define STEP %d\n#define WARM %d\n", key->lanes,
                   WEFT__GPU_BLOCK / key->lanes, key->step, key->warm);
}

bool weft__spline_tiles_fits(const void *task) {
  const weft__spline_task *s = task;
  const weft_array *x = *s->spline;
  return !x->context->core.device->quirks.small_local && x->shape[s->axis] >= WEFT__SPLINE_LEAST;
}

static weft__spline_args spline_args(const weft__spline_task *s, const weft_array *to, const weft_array *from) {
  const weft__axis_split split = weft__split_at_axis(weft__array_shape(from), s->axis);
  return (weft__spline_args){.outer = (uint64_t)split.outer,
                             .length = (uint64_t)split.length,
                             .inner = (uint64_t)split.inner,
                             .to = (uint64_t)to->offset_bytes,
                             .from = (uint64_t)from->offset_bytes,
                             .border = s->border == WEFT__BORDER_EDGE ? WEFT__BORDER_SYMMETRIC : s->border,
                             .tiles = 1};
}

static weft_status run_spline(const weft__spline_task *s, const spline_key *key, const weft__spline_args *a,
                              weft_dim3 grid, uint64_t block, int uses, const weft__use *use) {
  static const char *const names[] = {"weft_spline"}, *const tile_names[] = {"weft_spline_tiles"};
  const weft__kernel_source source = {.name = s->what,
                                      .key = {.file = key->lanes ? "filter/spline_tiles.cl" : "filter/spline.cl",
                                              .kernel = key->lanes ? tile_names : names,
                                              .kernels = 1,
                                              WEFT__KEY_BYTES(spline_key, key)},
                                      .write = write_spline};
  weft__kernel *kernel;
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &(*s->spline)->context->store, &source));
  return weft__run_kernel(
      &(weft__kernel_run){kernel, grid, WEFT_DIM3(block), a, sizeof *a, uses, use, .what = s->what, .site = s->site});
}

/// Long lines in parts: 128 bytes of neighbouring lines and a few hundred elements of each, or 2304 elements of a line.
/// The pole to the power of `warm` is a tenth of the precision and less.
weft_status weft__spline_tiles_run(bool *is_done, const void *task) {
  const weft__spline_task *s = task;
  weft_array *from = *s->spline;
  const bool has_lanes = weft__split_at_axis(weft__array_shape(from), s->axis).inner >= 16;
  spline_key key = {.is_f32 = from->dtype == WEFT_F32};
  key.warm = key.is_f32 ? 20 : 36;
  key.lanes = !has_lanes ? 1 : key.is_f32 ? 32 : 16;
  key.step = !has_lanes ? 9 : key.is_f32 ? 37 : 20;
  const uint64_t tile = (uint64_t)WEFT__GPU_BLOCK / key.lanes * key.step;
  if (!*s->spare)
    WEFT__TRY_RETURN(weft__array_create(s->spare, from->context, from->dtype, weft__array_shape(from), s->site));
  weft_array *to = *s->spare;
  weft__spline_args a = spline_args(s, to, from);
  if (a.length > tile) a.tiles = (uint32_t)weft_ceil_div(a.length - key.warm, tile - key.warm);
  const weft__use use[] = {{to->storage, true}, {from->storage, false}};
  const weft_dim3 grid = weft__dim3(a.outer * weft_ceil_div(a.inner, key.lanes) * a.tiles, 1, 1);
  *is_done = true;
  WEFT__TRY_RETURN(run_spline(s, &key, &a, grid, WEFT__GPU_BLOCK, 2, use));
  *s->spare = from;
  *s->spline = to;
  return WEFT_OK;
}

weft_status weft__spline_lines_run(bool *is_done, const void *task) {
  const weft__spline_task *s = task;
  const weft_array *x = *s->spline;
  const weft__grain grain = weft__grain_of(&x->context->store, WEFT__SPLINE_LINES);
  const spline_key key = {.is_f32 = x->dtype == WEFT_F32, .lines = (uint8_t)grain.items};
  const weft__spline_args a = spline_args(s, x, x);
  const uint64_t items = a.inner == 1 ? weft_ceil_div(a.outer, key.lines) : a.outer * weft_ceil_div(a.inner, key.lines);
  const weft__use use = {x->storage, true};
  *is_done = true;
  return run_spline(s, &key, &a, weft__own_grid(items, grain.block), grain.block, 1, &use);
}

/// The coefficients of a cubic spline through x, with a margin for a border of EDGE.
static weft_status make_spline(weft_array **out, const transform *t) {
  const weft_array *x = t->call.array[1];
  const weft_dtype dtype = weft__filter_sum_dtype(x->context, x->dtype);
  weft_array *padded = NULL, *spline = NULL, *spare = NULL;
  weft_status rc;
  if (t->edge.border == WEFT__BORDER_EDGE) {
    weft_shape margin = {.ndim = x->ndim};
    for (int d = 0; d < x->ndim; d++) margin.dim[d] = t->plain >> d & 1 ? 0 : MARGIN;
    WEFT__TRY((weft_pad)(&padded, x, margin, margin, &(weft_pad_params){.mode = WEFT_PAD_EDGE, .site = t->call.site}));
  }
  WEFT__TRY(weft__cast(&spline, padded ? padded : x, dtype, t->call.site));
  for (int d = 0; d < x->ndim; d++)
    if (spline->shape[d] > 1 && !(t->plain >> d & 1))
      WEFT__TRY(weft__ways_run(&weft__spline_ways, x->context,
                               &(const weft__spline_task){&spline, &spare, d, t->edge.border, t->what, t->call.site}));
  *out = spline;
  spline = NULL;
  rc = WEFT_OK;
done:
  weft_array_release(&padded);
  weft_array_release(&spline);
  weft_array_release(&spare);
  return rc;
}

/* ---- the transformation ---- */

typedef struct transform_key {
  uint8_t dtype, from, is_f32, is_f32_place, axes, taps, is_mapped;
} transform_key;

static void write_transform(weft__text *text, const void *data) {
  const transform_key *key = data;
  weft__cl_define(text, (weft_dtype)key->dtype);
  weft__text_add(text, "#define T_BOOL %d\n#define REAL %s\n#define PLACE %s\n", key->dtype == WEFT_BOOL,
                 key->is_f32 ? "float" : "double", key->is_f32_place ? "float" : "double");
  weft__text_add(text, "#define AXES %d\n#define TAPS %d\n#define MAPPED %d\n#define FROM %s\n", key->axes, key->taps,
                 key->is_mapped, key->taps == 4 ? "REAL" : "T");
  weft__text_add(text, "#define LOAD(x) %s\n", key->taps == 4 ? "(x)" : "((REAL)T_LOAD(x))");
}

/// The matrix as the kernel's table.
static weft_status make_table(weft_array **table, const weft__transform_task *t) {
  weft_context *context = t->to->context;
  const int ndim = t->from->ndim;
  double number[WEFT__FILTER_NUMBERS];
  int count = 0;
  for (int d = 0; d < ndim; d++)
    for (int k = 0; k <= ndim; k++) number[count++] = t->matrix[d][k];
  return weft__filter_make(table, context, place_dtype(context), number, count, t->site);
}

weft_status weft__transform_kernels_run(bool *is_done, const void *task) {
  static const char *const names[] = {"weft_transform"};
  const weft__transform_task *t = task;
  const weft_array *to = t->to, *from = t->from;
  weft_context *context = to->context;
  weft_array *made = NULL;
  weft__kernel *kernel;
  weft_status rc;
  const transform_key key = {.dtype = (uint8_t)to->dtype,
                             .is_f32 = weft__filter_sum_dtype(context, to->dtype) == WEFT_F32,
                             .is_f32_place = place_dtype(context) == WEFT_F32,
                             .axes = (uint8_t)from->ndim,
                             .taps = (uint8_t)t->taps,
                             .is_mapped = t->places != NULL};
  const weft__kernel_source source = {
      .name = t->what,
      .key = {.file = "filter/transform.cl", .kernel = names, .kernels = 1, WEFT__KEY_BYTES(transform_key, &key)},
      .write = write_transform};
  *is_done = true;
  if (!t->places) WEFT__TRY(make_table(&made, t));
  const weft_array *table = made ? made : t->places;
  weft__transform_args a = t->args;
  a.to = (uint64_t)to->offset_bytes;
  a.from = (uint64_t)from->offset_bytes;
  a.table = (uint64_t)table->offset_bytes;
  WEFT__TRY(weft__kernels_get(&kernel, &context->store, &source));
  const weft__use use[] = {{to->storage, true}, {from->storage, false}, {table->storage, false}};
  rc = weft__run_kernel(&(weft__kernel_run){kernel, weft__own_grid(a.n, WEFT__GPU_BLOCK), WEFT_DIM3(WEFT__GPU_BLOCK),
                                            &a, sizeof a, 3, use, .what = t->what, .site = t->site});
done:
  weft_array_release(&made);
  return rc;
}

static weft_status run_transform(transform *t) {
  weft__call *c = &t->call;
  const weft_array *x = c->array[1];
  weft_array *spline = NULL;
  weft_status rc;
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, x->dtype, t->shape));
  if (c->array[0]->size == 0) return WEFT_OK;
  for (int d = 0; d < x->ndim && !t->is_mapped; d++) {
    bool is_plain = t->matrix[d][x->ndim] == 0;
    for (int k = 0; k < x->ndim; k++) is_plain = is_plain && t->matrix[d][k] == (k == d);
    if (is_plain) t->plain |= UINT32_C(1) << d;
  }
  if (t->taps == 4) WEFT__TRY(make_spline(&spline, t));
  weft__transform_task task = {.to = c->array[0],
                               .from = spline ? spline : x,
                               .places = t->is_mapped ? c->array[2] : NULL,
                               .matrix = (const double(*)[WEFT_MAX_NDIM + 1]) t->matrix,
                               .args = {.n = (uint64_t)c->array[0]->size,
                                        .margin = t->taps == 4 && t->edge.border == WEFT__BORDER_EDGE ? MARGIN : 0,
                                        .fill = t->edge.fill[0],
                                        .border = t->edge.border,
                                        .plain = t->plain,
                                        .ends = t->ends & ~t->plain},
                               .taps = t->taps,
                               .what = t->what,
                               .site = c->site};
  if (t->edge.border != WEFT__BORDER_CONSTANT) { /* a place that is NaN has NaN, or of integers 0 */
    uint64_t fill[2] = {0};
    if (weft_dtype_kind(x->dtype) == 'f') (void)weft__scalar_bytes(fill, x->dtype, WEFT_SCALAR(NAN));
    task.args.fill = fill[0];
  }
  for (int d = 0; d < x->ndim; d++) task.args.from_shape[d] = task.from->shape[d];
  for (int d = 0; d < x->ndim && !t->is_mapped; d++) task.args.to_shape[d] = t->shape.dim[d];
  rc = weft__ways_run(&weft__transform_ways, c->context, &task);
done:
  weft_array_release(&spline);
  return rc;
}

/* ---- places from an array ---- */

static weft_status map_coordinates(transform *t) {
  weft__call *c = &t->call;
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 1, place_dtype(c->context)));
  const weft_array *x = c->array[1], *places = c->array[2];
  if (places->ndim == 0 || places->shape[0] != x->ndim)
    return weft__call_fail_shapes(c, 0, 1, "the first axis of the coordinates has other than %d entries", x->ndim);
  t->is_mapped = true;
  t->shape = weft__shape(places->ndim - 1, places->shape + 1);
  return run_transform(t);
}

weft_status weft__map_coordinates_at(weft_operand out, weft_operand x, weft_operand coordinates,
                                     const weft_transform_params *params) {
  const weft_transform_params p = WEFT__PARAMS(params);
  transform t = {.out = out, .operand = {x, coordinates}, .what = "map coordinates"};
  weft_status rc = open_transform(&t, "weft_map_coordinates", place_names, &p);
  if (!rc) rc = map_coordinates(&t);
  return close_transform(&t, rc);
}

/* ---- places by numbers ---- */

/// Reads operand 1, at most WEFT__FILTER_NUMBERS finite ones, and its shape.
static weft_status read_numbers(double *number, weft_shape *shape, transform *t, const char *name) {
  weft__call *c = &t->call;
  *shape = weft__call_shape(c, 1);
  int64_t count = 1;
  if (weft__call_is_scalar(c, 1)) {
    number[0] = weft__scalar_real(c->operand[1].as.scalar);
  } else {
    count = c->array[2]->size;
    if (count > WEFT__FILTER_NUMBERS) return weft__call_fail_shapes(c, 0, 1, "`%s` has too many numbers", name);
    if (count == 0) return WEFT_OK;
    WEFT__TRY_RETURN(weft__filter_read(number, c));
  }
  for (int64_t k = 0; k < count; k++)
    if (!isfinite(number[k]))
      return weft__fail(WEFT_ERROR_ARGUMENT, name, "`%s` has %.9g; expected finite numbers", name, number[k]);
  return WEFT_OK;
}

static weft_status set_affine(transform *t, const double *number, const weft_shape *given, const weft_shape *shape) {
  const int ndim = t->call.array[1]->ndim;
  const int64_t columns = given->ndim == 2 ? given->dim[1] : 0;
  const bool is_diagonal = given->ndim == 1 && given->dim[0] == ndim;
  if (!is_diagonal && !(given->ndim == 2 && given->dim[0] == ndim && (columns == ndim || columns == ndim + 1)))
    return weft__call_fail_shapes(&t->call, 0, 1, "expected a matrix of %d rows and %d or %d columns, or %d numbers",
                                  ndim, ndim, ndim + 1, ndim);
  for (int d = 0; d < ndim; d++) {
    if (is_diagonal) t->matrix[d][d] = number[d];
    for (int k = 0; k < columns; k++) t->matrix[d][k] = number[d * columns + k];
  }
  if (!shape->ndim) return WEFT_OK;
  if (shape->ndim != ndim)
    return weft__fail(WEFT_ERROR_SHAPE, "shape", "`shape` has %d axes; expected x's %d", shape->ndim, ndim);
  int64_t size;
  WEFT__TRY_RETURN(weft__shape_check(&size, *shape, t->call.array[1]->dtype, "shape"));
  t->shape = *shape;
  return WEFT_OK;
}

static weft_status set_zoom(transform *t, int d, double zoom) {
  const int64_t length = t->shape.dim[d];
  const double wanted = rint((double)length * zoom);
  if (!(zoom > 0) || !(wanted < 0x1p62))
    return weft__fail(WEFT_ERROR_ARGUMENT, "zoom", "`zoom` has %.9g; expected a positive number", zoom);
  t->shape.dim[d] = (int64_t)wanted;
  t->matrix[d][d] = wanted > 1 ? (double)(length - 1) / (wanted - 1) : 1;
  if (wanted > 1) t->ends |= 1u << d;
  return WEFT_OK;
}

static weft_status transform_by(transform *t, weft__transform_form form, const weft_shape *shape) {
  const int ndim = t->call.array[1]->ndim;
  const char *name = number_names[form][1];
  double number[WEFT__FILTER_NUMBERS];
  weft_shape given;
  WEFT__TRY_RETURN(read_numbers(number, &given, t, name));
  if (form == WEFT__TRANSFORM_AFFINE) {
    WEFT__TRY_RETURN(set_affine(t, number, &given, shape));
    return run_transform(t);
  }
  if (given.ndim > 0 && (given.ndim != 1 || given.dim[0] != ndim))
    return weft__call_fail_shapes(&t->call, 0, 1, "expected a number, or %d for %d ax%cs", ndim, ndim,
                                  ndim == 1 ? 'i' : 'e');
  for (int d = 0; d < ndim; d++) {
    const double one = number[given.ndim ? d : 0];
    t->matrix[d][d] = 1;
    if (form == WEFT__TRANSFORM_SHIFT) t->matrix[d][ndim] = -one;
    if (form == WEFT__TRANSFORM_ZOOM) WEFT__TRY_RETURN(set_zoom(t, d, one));
  }
  int64_t size;
  WEFT__TRY_RETURN(weft__shape_check(&size, t->shape, t->call.array[1]->dtype, "zoom"));
  return run_transform(t);
}

weft_status weft__transform_at(weft_operand out, weft_operand x, weft_operand numbers, weft__transform_form form,
                               const weft_transform_params *params) {
  static const char *const functions[] = {"weft_affine_transform", "weft_zoom", "weft_shift"};
  static const char *const names[] = {"affine transform", "zoom", "shift"};
  const weft_transform_params p = WEFT__PARAMS(params);
  transform t = {.out = out,
                 .operand = {x, numbers},
                 .what = names[form],
                 .may_be_empty = form == WEFT__TRANSFORM_ZOOM,
                 .takes_shape = form == WEFT__TRANSFORM_AFFINE};
  weft_status rc = open_transform(&t, functions[form], number_names[form], &p);
  if (!rc) rc = transform_by(&t, form, &p.shape);
  return close_transform(&t, rc);
}

/* ---- rotation ---- */

/// Sine and cosine of degrees, exact for multiples of 90.
static void turn(double *sine, double *cosine, double degrees) {
  static const double quarter[] = {0, 1, 0, -1, 0};
  const double rest = fmod(degrees, 360), part = rest < 0 ? rest + 360 : rest;
  const double radians = part * 3.14159265358979323846 / 180;
  const int number = (int)(part / 90);
  const bool is_exact = part == 90.0 * number && number < 4;
  *sine = is_exact ? quarter[number] : sin(radians);
  *cosine = is_exact ? quarter[number + 1] : cos(radians);
}

static weft_status rotate(transform *t, double degrees, weft_axes axes, bool keeps_shape) {
  int axis[WEFT_MAX_NDIM], count;
  double sine, cosine;
  const int ndim = t->call.array[1]->ndim;
  if (!isfinite(degrees))
    return weft__fail(WEFT_ERROR_ARGUMENT, "degrees", "`degrees` is %.9g; expected a finite number", degrees);
  WEFT__TRY_RETURN(weft__view_axes(axis, &count, axes, ndim, "axes"));
  if (count != 2)
    return weft__fail(WEFT_ERROR_AXIS, "axes", "%d ax%cs given; expected two", count, count == 1 ? 'i' : 'e');
  const int y = axis[0] < axis[1] ? axis[0] : axis[1], x = axis[0] < axis[1] ? axis[1] : axis[0];
  const double rows = (double)t->shape.dim[y], columns = (double)t->shape.dim[x];
  turn(&sine, &cosine, degrees);
  double height = rows, width = columns;
  if (!keeps_shape) { /* the extent of the four corners, halves rounded up */
    height = floor(fabs(cosine) * rows + fabs(sine) * columns + 0.5);
    width = floor(fabs(sine) * rows + fabs(cosine) * columns + 0.5);
  }
  for (int d = 0; d < ndim; d++) t->matrix[d][d] = 1;
  t->matrix[y][y] = t->matrix[x][x] = cosine;
  t->matrix[y][x] = sine;
  t->matrix[x][y] = -sine;
  t->matrix[y][ndim] = (rows - 1) / 2 - (cosine * ((height - 1) / 2) + sine * ((width - 1) / 2));
  t->matrix[x][ndim] = (columns - 1) / 2 - (cosine * ((width - 1) / 2) - sine * ((height - 1) / 2));
  t->shape.dim[y] = (int64_t)height;
  t->shape.dim[x] = (int64_t)width;
  return run_transform(t);
}

weft_status weft__rotate_at(weft_operand out, weft_operand x, double degrees, weft_axes axes,
                            const weft_transform_params *params) {
  const weft_transform_params p = WEFT__PARAMS(params);
  transform t = {.out = out, .operand = {x}, .what = "rotate", .may_keep_shape = true};
  weft_status rc = open_transform(&t, "weft_rotate", place_names, &p);
  if (!rc) rc = rotate(&t, degrees, axes, p.keeps_shape);
  return close_transform(&t, rc);
}
