// SPDX-License-Identifier: MIT
/// The distributed array: made, described, released; new arrays; split and collected.
#include "dist/dist_array.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC 0x57644172u /* "WdAr" */

weft_status weft__dist_check(const weft_dist_array *x, const char *name) {
  if (!x || x->magic != MAGIC)
    return weft__dist_fail(WEFT_ERROR_HANDLE, name, "`%s` is %s; expected a distributed array", name,
                           x ? "no live distributed array" : "NULL");
  return weft__dist_check_grid(x->grid);
}

weft_status weft__dist_check_rows(const weft_dist_array *x, const char *name, int axes) {
  WEFT__TRY_RETURN(weft__dist_check(x, name));
  if (x->axis == 0 && (axes == 0 || x->shape.ndim == axes)) return WEFT_OK;
  return weft__dist_fail(WEFT_ERROR_LAYOUT, name,
                         "`%s` has %d axes and is split along axis %d; expected %s that is split along axis 0: "
                         "weft_dist_resplit(&r, %s, 0)",
                         name, x->shape.ndim, x->axis, axes == 1 ? "one axis" : "an array", name);
}

weft_status weft__dist_check_out(const void *out, const void *handle) {
  if (out && !handle) return WEFT_OK;
  return weft__dist_fail(WEFT_ERROR_ARGUMENT, "out", "`out` is %s; expected the address of a NULL handle",
                         out ? "the address of a live handle" : "NULL");
}

weft_status weft__dist_check_axis(int *axis, weft_shape shape, bool allows_whole) {
  const int given = *axis;
  if (allows_whole && given == WEFT_DIST_WHOLE) return WEFT_OK;
  if (given >= 0 && given < shape.ndim) return WEFT_OK;
  return weft__dist_fail(WEFT_ERROR_AXIS, "axis", "`axis` is %d; the array has %d axes, which count from 0%s", given,
                         shape.ndim, allows_whole ? "; WEFT_DIST_WHOLE splits none" : "");
}

weft_status weft__dist_one_axis(int *axis, weft_axes axes, weft_shape shape) {
  if (axes.count == WEFT__EVERY_AXIS) {
    *axis = WEFT_DIST_WHOLE;
    return WEFT_OK;
  }
  if (axes.count != 1)
    return weft__dist_fail(WEFT_ERROR_AXIS, "axis", "`axis` names %d axes; expected one, or WEFT_ALL_AXES", axes.count);
  const int given = axes.axis[0];
  *axis = given < 0 ? given + shape.ndim : given;
  if (*axis < 0 || *axis >= shape.ndim)
    return weft__dist_fail(WEFT_ERROR_AXIS, "axis", "`axis` is %d; the array has %d axes", given, shape.ndim);
  return WEFT_OK;
}

void weft__dist_part(int64_t *first, weft_shape *part, const weft_dist *grid, weft_shape shape, int axis) {
  *first = 0;
  *part = shape;
  if (axis == WEFT_DIST_WHOLE) return;
  *first = weft__dist_first(grid, shape.dim[axis], grid->rank);
  part->dim[axis] = weft__dist_first(grid, shape.dim[axis], grid->rank + 1) - *first;
}

weft_status weft__dist_wrap(weft_dist_array **out, weft_dist *grid, weft_shape shape, int axis, weft_array *local) {
  weft_shape part;
  weft_dist_array *x = weft__dist_new(1, sizeof *x);
  if (!x) {
    weft_array_release(&local);
    return WEFT_ERROR_HOST_MEMORY;
  }
  x->magic = MAGIC;
  x->grid = weft__dist_retain(grid);
  x->shape = shape;
  x->axis = axis;
  x->local = local;
  weft__dist_part(&x->first, &part, grid, shape, axis);
  x->count = axis == WEFT_DIST_WHOLE ? 0 : part.dim[axis];
  *out = x;
  return WEFT_OK;
}

weft_status weft__dist_finish(weft_dist_array **out, weft_dist *grid, const weft__dist_call *call, weft_shape shape,
                              int axis, weft_array **local, weft_status rc) {
  WEFT__TRY_RETURN(weft__dist_rendezvous(grid, call, rc));
  rc = weft__dist_wrap(out, grid, shape, axis, *local);
  *local = NULL;
  return rc;
}

weft_status weft__dist_new_array(weft_dist_array **out, weft_dist *grid, weft_dtype dtype, weft_shape shape, int axis,
                                 const char *site) {
  int64_t first;
  weft_shape part;
  weft_array *local = NULL;
  weft__dist_part(&first, &part, grid, shape, axis);
  WEFT__TRY_RETURN(weft__empty_at(&local, grid->context, dtype, part, site));
  return weft__dist_wrap(out, grid, shape, axis, local);
}

weft__dist_call weft__dist_call_of(const char *function, const char *site, const weft_dist_array *x) {
  return (weft__dist_call){
      .function = function, .site = site, .dtype = weft_array_dtype(x->local), .shape = x->shape, .numbers = {x->axis}};
}

/* ---- what a rank sees ---- */

weft_status weft_dist_array_get(weft_dist_array_info *info, const weft_dist_array *x) {
  weft_status rc;
  weft__dist_enter("weft_dist_array_get", NULL);
  if (!info) WEFT__TRY(weft__dist_fail(WEFT_ERROR_ARGUMENT, "info", "`info` is NULL"));
  WEFT__TRY(weft__dist_check(x, "x"));
  *info = (weft_dist_array_info){.dtype = weft_array_dtype(x->local),
                                 .shape = x->shape,
                                 .axis = x->axis,
                                 .first = x->first,
                                 .count = x->count,
                                 .grid = x->grid};
done:
  return weft__dist_leave(rc);
}

weft_array *weft_dist_local(const weft_dist_array *x) {
  return x && x->magic == MAGIC ? x->local : NULL;
}

void weft_dist_array_release(weft_dist_array **x) {
  if (!x || !*x) return;
  if ((*x)->magic == MAGIC) {
    (*x)->magic = 0;
    weft_array_release(&(*x)->local);
    weft_dist_release(&(*x)->grid);
    free(*x);
  }
  *x = NULL;
}

/* ---- new arrays ---- */

/// Nothing moves: a rank that fails does so alone, unless the ranks meet.
weft_status weft__dist_full_at(weft_dist_array **out, weft_dist *grid, weft_dtype dtype, weft_shape shape, int axis,
                               weft_scalar value, const char *site) {
  const weft__dist_call call = {
      .function = "weft_dist_full", .site = site, .dtype = dtype, .shape = shape, .numbers = {axis}};
  weft_array *local = NULL;
  weft_shape part;
  int64_t first;
  weft_status rc;
  weft__dist_enter("weft_dist_full", site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check_grid(grid));
  rc = weft__dist_check_axis(&axis, shape, true);
  if (rc == WEFT_OK) {
    weft__dist_part(&first, &part, grid, shape, axis);
    rc = weft__full_at(&local, grid->context, dtype, part, value, site);
  }
  rc = weft__dist_finish(out, grid, &call, shape, axis, &local, rc);
done:
  weft_array_release(&local);
  return weft__dist_leave(rc);
}

static int64_t arange_length(int64_t start, int64_t stop, int64_t step) {
  if (step == 0 || (step > 0 ? stop <= start : stop >= start)) return 0;
  const uint64_t span = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
  const uint64_t width = step > 0 ? (uint64_t)step : (uint64_t)0 - (uint64_t)step;
  return (int64_t)weft_ceil_div(span, width);
}

weft_status weft__dist_arange_at(weft_dist_array **out, weft_dist *grid, weft_dtype dtype, int64_t start, int64_t stop,
                                 int64_t step, const char *site) {
  const weft_shape shape = WEFT_SHAPE(arange_length(start, stop, step));
  const weft__dist_call call = {
      .function = "weft_dist_arange", .site = site, .dtype = dtype, .shape = shape, .numbers = {start, step}};
  weft_array *numbers = NULL;
  weft_shape part;
  int64_t first;
  weft_status rc;
  weft__dist_enter("weft_dist_arange", site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check_grid(grid));
  weft__dist_part(&first, &part, grid, shape, 0);
  if (step == 0)
    rc = weft__dist_fail(WEFT_ERROR_ARGUMENT, "step", "`step` is 0");
  else
    rc = weft__arange_at(&numbers, grid->context, dtype, WEFT_SCALAR(start + first * step),
                         WEFT_SCALAR(start + (first + part.dim[0]) * step), WEFT_SCALAR(step), site);
  rc = weft__dist_finish(out, grid, &call, shape, 0, &numbers, rc);
done:
  weft_array_release(&numbers);
  return weft__dist_leave(rc);
}

/* ---- in and out ---- */

/// The ranks' lengths along the axis, as first rows.
static weft_status add_lengths(int64_t *from, weft_dist *grid, int64_t length) {
  WEFT__TRY_RETURN(weft__dist_all_numbers(grid, from + 1, &length, 1));
  from[0] = 0;
  for (int r = 0; r < grid->ranks; r++) from[r + 1] += from[r];
  return WEFT_OK;
}

/// This rank's rows, with the axis in front.
static weft_status take_local(weft_array **rows, int *axis, const weft_array *local, const char *site) {
  if (!local)
    return weft__dist_fail(WEFT_ERROR_HANDLE, "local", "`local` is NULL; expected an array, of length 0 if empty");
  WEFT__TRY_RETURN(weft__dist_check_axis(axis, weft_array_shape(local), false));
  return weft__dist_turn(rows, local, *axis, 0, site);
}

weft_status weft__dist_join(weft_dist_array **out, weft_dist *grid, const weft__dist_call *call, const weft_array *rows,
                            weft_shape shape, int axis, weft_status rc) {
  weft_array *moved = NULL, *mine = NULL;
  int64_t *from = weft__dist_new((size_t)grid->ranks + 1, sizeof *from);
  if (!rc && !from) rc = WEFT_ERROR_HOST_MEMORY;
  WEFT__TRY(weft__dist_rendezvous(grid, call, rc));
  WEFT__TRY(add_lengths(from, grid, weft_array_length(rows, 0)));
  shape.dim[axis] = from[grid->ranks];
  WEFT__TRY(weft__dist_move_to_shares(&moved, grid, call, rows, from, WEFT_OK));
  rc = weft__dist_turn(&mine, moved, 0, axis, call->site);
  rc = weft__dist_finish(out, grid, call, shape, axis, &mine, rc);
done:
  free(from);
  weft_release(&moved, &mine);
  return rc;
}

weft_status weft__dist_from_local_at(weft_dist_array **out, weft_dist *grid, const weft_array *local, int axis,
                                     const char *site) {
  weft__dist_call call = {.function = "weft_dist_from_local", .site = site, .numbers = {axis}};
  weft_array *rows = NULL;
  weft_status rc;
  weft__dist_enter("weft_dist_from_local", site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check_grid(grid));
  rc = take_local(&rows, &axis, local, site);
  call.dtype = weft_array_dtype(local);
  call.shape = weft_array_shape(local);
  if (!rc) call.shape.dim[axis] = 0; /* may differ */
  rc = weft__dist_join(out, grid, &call, rows, call.shape, axis, rc);
done:
  weft_array_release(&rows);
  return weft__dist_leave(rc);
}

/// The dtype and shape of the root's array, on every rank. A failure of the root comes to all.
static weft_status announce(weft_dtype *dtype, weft_shape *shape, weft_dist *grid, const weft_array *x, int root) {
  int64_t own[2 + WEFT_MAX_NDIM] = {0};
  int64_t *all = weft__dist_new((size_t)grid->ranks, sizeof own);
  if (!all) return WEFT_ERROR_HOST_MEMORY;
  if (grid->rank == root) {
    own[0] = weft_array_dtype(x);
    own[1] = weft_array_ndim(x);
    for (int d = 0; d < weft_array_ndim(x); d++) own[2 + d] = weft_array_length(x, d);
  }
  const weft_status rc = weft__dist_all_numbers(grid, all, own, 2 + WEFT_MAX_NDIM);
  const int64_t *of_root = all + (size_t)root * (2 + WEFT_MAX_NDIM);
  *dtype = (weft_dtype)of_root[0];
  *shape = (weft_shape){.ndim = (int)of_root[1]};
  memcpy(shape->dim, of_root + 2, sizeof shape->dim);
  free(all);
  return rc;
}

static weft_status check_root(const weft_dist *grid, int root) {
  if (root >= 0 && root < grid->ranks) return WEFT_OK;
  return weft__dist_fail(WEFT_ERROR_ARGUMENT, "root", "`root` is %d; the grid has ranks 0 to %d", root,
                         grid->ranks - 1);
}

/// The rows of the root's array, on the root; no rows elsewhere.
static weft_status rows_of_root(weft_array **rows, const weft_dist *grid, const weft_array *x, int root,
                                weft_dtype dtype, weft_shape shape, int axis, const char *site) {
  if (grid->rank == root) return weft__dist_turn(rows, x, axis, 0, site);
  memmove(shape.dim + 1, shape.dim, (size_t)axis * sizeof shape.dim[0]);
  shape.dim[0] = 0;
  return weft__empty_at(rows, grid->context, dtype, shape, site);
}

weft_status weft__dist_scatter_at(weft_dist_array **out, weft_dist *grid, const weft_array *x, int root, int axis,
                                  const char *site) {
  weft__dist_call call = {.function = "weft_dist_scatter", .site = site, .numbers = {axis, root}};
  weft_array *rows = NULL, *moved = NULL, *mine = NULL;
  int64_t *from = NULL;
  weft_dtype dtype;
  weft_shape shape;
  weft_status rc;
  weft__dist_enter("weft_dist_scatter", site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check_grid(grid));
  rc = check_root(grid, root);
  if (rc == WEFT_OK && grid->rank == root && !x)
    rc = weft__dist_fail(WEFT_ERROR_HANDLE, "x", "`x` is NULL on rank %d, the root; expected an array", root);
  WEFT__TRY(weft__dist_rendezvous(grid, &call, rc));
  WEFT__TRY(announce(&dtype, &shape, grid, x, root));
  WEFT__TRY(weft__dist_check_axis(&axis, shape, false)); /* fails on all ranks or on none */
  from = weft__dist_new((size_t)grid->ranks + 1, sizeof *from);
  rc = from ? rows_of_root(&rows, grid, x, root, dtype, shape, axis, site) : WEFT_ERROR_HOST_MEMORY;
  for (int r = root; r < grid->ranks && from; r++) from[r + 1] = shape.dim[axis];
  call.dtype = dtype;
  call.shape = shape;
  WEFT__TRY(weft__dist_move_to_shares(&moved, grid, &call, rows, from, rc));
  rc = weft__dist_turn(&mine, moved, 0, axis, site);
  rc = weft__dist_finish(out, grid, &call, shape, axis, &mine, rc);
done:
  free(from);
  weft_release(&rows, &moved, &mine);
  return weft__dist_leave(rc);
}

weft_status weft__dist_gather_at(weft_array **out, const weft_dist_array *x, int root, const char *site) {
  weft_array *rows = NULL, *moved = NULL, *whole = NULL;
  int64_t *from = NULL, *to = NULL;
  weft_status rc;
  weft__dist_enter("weft_dist_gather", site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check(x, "x"));
  weft_dist *grid = x->grid;
  weft__dist_call call = weft__dist_call_of("weft_dist_gather", site, x);
  call.numbers[1] = root;
  rc = check_root(grid, root);
  if (x->axis == WEFT_DIST_WHOLE) {
    if (rc == WEFT_OK && grid->rank == root) rc = weft__copy_at(&whole, x->local, &(weft_copy_params){.site = site});
    WEFT__TRY(weft__dist_rendezvous(grid, &call, rc));
  } else {
    from = weft__dist_shares(grid, x->shape.dim[x->axis]);
    to = weft__dist_new((size_t)grid->ranks + 1, sizeof *to);
    if (!rc) rc = from && to ? weft__dist_turn(&rows, x->local, x->axis, 0, site) : WEFT_ERROR_HOST_MEMORY;
    for (int r = root; r < grid->ranks && to && r >= 0; r++) to[r + 1] = x->shape.dim[x->axis];
    WEFT__TRY(weft__dist_move(&moved, grid, &call, rows, from, to, rc));
    if (grid->rank == root) rc = weft__dist_turn(&whole, moved, 0, x->axis, site);
    WEFT__TRY(weft__dist_rendezvous(grid, &call, rc));
  }
  *out = whole;
  whole = NULL;
done:
  free(from);
  free(to);
  weft_release(&rows, &moved, &whole);
  return weft__dist_leave(rc);
}
