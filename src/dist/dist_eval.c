// SPDX-License-Identifier: MIT
/// Expressions over distributed arrays: each rank computes its part.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dist/dist_array.h"

typedef struct evaluation {
  weft_dist *grid;
  weft_shape shape; /* of the result */
  int axis;         /* of the result, or WEFT_DIST_WHOLE */
  int64_t first, count;
  const char *site;
} evaluation;

static const weft_dist_array *dist_of(const weft_operand *o) {
  return o->as.dist;
}

static const char *name_of(const weft_operand *o, char room[24], int place) {
  if (o->name) return o->name;
  snprintf(room, 24, "variable %d", place);
  return room;
}

/// The whole shape of an operand; 0 axes for a scalar.
static weft_shape shape_of(const weft_operand *o) {
  if (o->kind == WEFT_OPERAND_DIST) return dist_of(o)->shape;
  if (o->kind == WEFT_OPERAND_ARRAY) return weft_array_shape(o->as.array);
  if (o->kind == WEFT_OPERAND_HOST) return o->as.host.shape;
  return WEFT_SHAPE_0D;
}

static weft_status check_operand(const evaluation *e, const weft_operand *o, int place) {
  char room[24];
  if (o->kind == WEFT_OPERAND_DIST) {
    WEFT__TRY_RETURN(weft__dist_check(dist_of(o), name_of(o, room, place)));
    if (dist_of(o)->grid != e->grid)
      return weft__dist_fail(WEFT_ERROR_CONTEXT, name_of(o, room, place), "`%s` is of another grid",
                             name_of(o, room, place));
    return WEFT_OK;
  }
  if (o->kind == WEFT_OPERAND_ARRAY || o->kind == WEFT_OPERAND_SCALAR || o->kind == WEFT_OPERAND_HOST) return WEFT_OK;
  return weft__dist_fail(WEFT_ERROR_ARGUMENT, name_of(o, room, place),
                         "`%s` is no operand; expected a distributed array, an array or a scalar",
                         name_of(o, room, place));
}

/// The broadcast shape of all operands.
static weft_status broadcast(evaluation *e, int count, const weft_operand *operands) {
  char room[24];
  for (int k = 0; k < count; k++) {
    const weft_shape s = shape_of(&operands[k]);
    if (s.ndim > e->shape.ndim) {
      memmove(e->shape.dim + s.ndim - e->shape.ndim, e->shape.dim, (size_t)e->shape.ndim * sizeof s.dim[0]);
      for (int d = 0; d < s.ndim - e->shape.ndim; d++) e->shape.dim[d] = 1;
      e->shape.ndim = s.ndim;
    }
    for (int d = 1; d <= s.ndim; d++) {
      int64_t *length = &e->shape.dim[e->shape.ndim - d];
      const int64_t own = s.dim[s.ndim - d];
      if (*length == 1)
        *length = own;
      else if (own != 1 && own != *length)
        return weft__dist_fail(WEFT_ERROR_SHAPE, name_of(&operands[k], room, k),
                               "`%s` has %lld elements along its axis %d, the operands before have %lld",
                               name_of(&operands[k], room, k), (long long)own, s.ndim - d, (long long)*length);
    }
  }
  return WEFT_OK;
}

/// The axis of the result along which an operand is split.
static int axis_in_result(const evaluation *e, const weft_dist_array *x) {
  return x->axis == WEFT_DIST_WHOLE ? WEFT_DIST_WHOLE : x->axis + e->shape.ndim - x->shape.ndim;
}

static weft_status choose_split(evaluation *e, int count, const weft_operand *operands) {
  const char *chosen = NULL;
  char room[24], chosen_room[24];
  e->axis = WEFT_DIST_WHOLE;
  for (int k = 0; k < count; k++) {
    const weft_dist_array *x = operands[k].kind == WEFT_OPERAND_DIST ? dist_of(&operands[k]) : NULL;
    const int axis = x ? axis_in_result(e, x) : WEFT_DIST_WHOLE;
    if (axis == WEFT_DIST_WHOLE) continue;
    const char *name = name_of(&operands[k], room, k);
    if (x->shape.dim[x->axis] != e->shape.dim[axis])
      return weft__dist_fail(WEFT_ERROR_LAYOUT, name,
                             "`%s` is split along axis %d, which has 1 element and is broadcast; make it whole: "
                             "weft_dist_resplit(&w, %s, WEFT_DIST_WHOLE)",
                             name, x->axis, name);
    if (chosen && axis != e->axis)
      return weft__dist_fail(WEFT_ERROR_LAYOUT, name,
                             "`%s` is split along axis %d of the result and `%s` along axis %d; split one of them as "
                             "the other: weft_dist_resplit(&w, %s, %d)",
                             chosen, e->axis, name, axis, name, e->axis - (e->shape.ndim - x->shape.ndim));
    if (!chosen) {
      chosen = name_of(&operands[k], chosen_room, k);
      e->axis = axis;
    }
  }
  weft_shape part;
  weft__dist_part(&e->first, &part, e->grid, e->shape, e->axis);
  e->count = e->axis == WEFT_DIST_WHOLE ? 0 : part.dim[e->axis];
  return WEFT_OK;
}

/// The operand for this rank's part: a split array's part, and of a whole array the part that belongs to it. `*made`:
/// to release.
static weft_status local_operand(weft_operand *local, weft_array **made, const evaluation *e, const weft_operand *o) {
  const weft_shape s = shape_of(o);
  const int axis = e->axis - (e->shape.ndim - s.ndim);
  *local = *o;
  if (o->kind == WEFT_OPERAND_DIST) {
    local->kind = WEFT_OPERAND_ARRAY;
    local->as.array = dist_of(o)->local;
    if (dist_of(o)->axis != WEFT_DIST_WHOLE) return WEFT_OK;
  } else if (o->kind == WEFT_OPERAND_HOST) {
    WEFT__TRY_RETURN(weft__from_host_at(made, e->grid->context, o->as.host.dtype, s, o->as.host.data, e->site));
    local->kind = WEFT_OPERAND_ARRAY;
    local->as.array = *made;
  } else if (o->kind != WEFT_OPERAND_ARRAY) {
    return WEFT_OK;
  }
  if (e->axis == WEFT_DIST_WHOLE || axis < 0 || s.dim[axis] == 1) return WEFT_OK;
  weft_array *whole = *made;
  *made = NULL;
  const weft_status rc = weft__slice_at(made, local->as.array, weft__axes_int(axis), e->first, e->first + e->count,
                                        &(weft_slice_params){.site = e->site});
  weft_array_release(&whole);
  local->as.array = *made;
  return rc;
}

static weft_status check_given(const evaluation *e, const weft_dist_array *out) {
  if (!out) return WEFT_OK;
  WEFT__TRY_RETURN(weft__dist_check(out, "out"));
  if (out->grid == e->grid && out->axis == e->axis && out->shape.ndim == e->shape.ndim &&
      memcmp(out->shape.dim, e->shape.dim, (size_t)out->shape.ndim * sizeof out->shape.dim[0]) == 0)
    return WEFT_OK;
  return weft__dist_fail(WEFT_ERROR_SHAPE, "out",
                         "`out` is split along axis %d with %d axes; expected an array of the "
                         "result's shape, split along axis %d, or a NULL handle",
                         out->axis, out->shape.ndim, e->axis);
}

/* ---- indices ----
   `i`, `n`, `i0` ... count in the whole array: assignments before the text add what lies before this rank's part. */

static bool is_variable(const char *name, int count, const weft_operand *operands) {
  for (int k = 0; k < count; k++)
    if (operands[k].name && strcmp(operands[k].name, name) == 0) return true;
  return false;
}

/// Whether `name` is a word of the text, and no variable.
static bool has_word(const char *text, const char *name, int count, const weft_operand *operands) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  if (is_variable(name, count, operands)) return false;
  while (*text) {
    const size_t length = strspn(text, letters);
    if (length == strlen(name) && memcmp(text, name, length) == 0) return true;
    text += *text == '#' ? strcspn(text, "\n") : length ? length : 1;
  }
  return false;
}

/// Numbers of a text are arguments of its kernel, so that all ranks build one. Divisors are not: `i` is divided only
/// where a variable has the name of an axis's index.
static void add_indices(weft__text *before, const evaluation *e, const char *text, int count,
                        const weft_operand *operands) {
  char name[WEFT_MAX_NDIM][12];
  int64_t step[WEFT_MAX_NDIM + 1], whole;
  bool is_hidden = false;
  const int axes = e->shape.ndim;
  if (e->axis == WEFT_DIST_WHOLE || !text) return;
  step[axes] = 1;
  for (int d = axes - 1; d >= 0; d--) step[d] = step[d + 1] * e->shape.dim[d];
  whole = e->shape.dim[e->axis];
  for (int d = 0; d < axes; d++) {
    snprintf(name[d], sizeof name[d], "i%d", d);
    is_hidden |= is_variable(name[d], count, operands);
  }
  if (has_word(text, "n", count, operands))
    weft__text_add(before, "n = n + %" PRId64 "\n", whole ? step[0] / whole * (whole - e->count) : 0);
  if (has_word(text, "i", count, operands)) {
    weft__text_add(before, "i = %" PRId64, e->first * step[e->axis + 1]);
    if (e->axis == 0 || is_hidden) weft__text_add(before, " + i");
    if (e->axis > 0 && is_hidden && e->count)
      weft__text_add(before, " + i // %" PRId64 " * %" PRId64, e->count * step[e->axis + 1],
                     (whole - e->count) * step[e->axis + 1]);
    for (int d = 0; d < axes && e->axis > 0 && !is_hidden; d++)
      weft__text_add(before, " + %s * %" PRId64, name[d], step[d + 1]);
    weft__text_add(before, "\n");
  }
  if (has_word(text, name[e->axis], count, operands))
    weft__text_add(before, "%s = %s + %" PRId64 "\n", name[e->axis], name[e->axis], e->first);
}

/// The error of the text alone, with its own lines, after the text behind `before` has failed.
static weft_status explain(const evaluation *e, const char *text, int count, const weft_operand *own) {
  weft_array *none = NULL;
  const weft_status rc =
      weft__eval_elements_at(weft__operand_result(&none), e->grid->context, text, count, own, e->site);
  weft_array_release(&none);
  return rc ? rc
            : weft__dist_fail(WEFT_ERROR_EXPRESSION, "text",
                              "`text` is too long, or assigns too many names, for indices of the whole array");
}

static weft_status compute(weft_array **local, const evaluation *e, const char *text, int count,
                           const weft_operand *own) {
  weft__text whole = {0};
  weft_status rc;
  add_indices(&whole, e, text, count, own);
  const bool is_longer = whole.length > 0;
  if (is_longer) weft__text_add(&whole, "%s", text);
  if (whole.failed)
    rc = WEFT_ERROR_HOST_MEMORY;
  else
    rc = weft__eval_elements_at(weft__operand_result(local), e->grid->context,
                                is_longer ? weft__text_chars(&whole) : text, count, own, e->site);
  weft__text_free(&whole);
  return rc == WEFT_ERROR_EXPRESSION && is_longer ? explain(e, text, count, own) : rc;
}

static weft_status evaluate(weft_array **local, const evaluation *e, const char *text, int count,
                            const weft_operand *operands) {
  weft_operand *own = weft__dist_new((size_t)count, sizeof *own);
  weft_array **made = weft__dist_new((size_t)count, sizeof *made);
  weft_status rc;
  if (!own || !made) WEFT__TRY(WEFT_ERROR_HOST_MEMORY);
  for (int k = 0; k < count; k++) WEFT__TRY(local_operand(&own[k], &made[k], e, &operands[k]));
  rc = compute(local, e, text, count, own);
done:
  for (int k = 0; k < count && made; k++) weft_array_release(&made[k]);
  free(made);
  free(own);
  return rc;
}

/// This rank's part of the result, without the other ranks.
static weft_status eval_local(weft_array **local, evaluation *e, const weft_dist_array *out, const char *text,
                              int count, const weft_operand *operands) {
  if (count < 0 || (count > 0 && !operands))
    return weft__dist_fail(WEFT_ERROR_ARGUMENT, "variables", "no list of %d variables", count);
  for (int k = 0; k < count; k++) WEFT__TRY_RETURN(check_operand(e, &operands[k], k));
  WEFT__TRY_RETURN(broadcast(e, count, operands));
  WEFT__TRY_RETURN(choose_split(e, count, operands));
  WEFT__TRY_RETURN(check_given(e, out));
  if (out) *local = weft_array_retain(out->local);
  return evaluate(local, e, text, count, operands);
}

weft_status weft__dist_eval_at(weft_dist_array **out, weft_dist *grid, const char *text, int variable_count,
                               const weft_operand *variables, const char *site) {
  evaluation e = {.grid = grid, .axis = WEFT_DIST_WHOLE, .site = site};
  weft_array *local = NULL;
  weft_status rc;
  weft__dist_enter("weft_dist_eval", site);
  if (!out) WEFT__TRY(weft__dist_fail(WEFT_ERROR_ARGUMENT, "out", "`out` is NULL"));
  WEFT__TRY(weft__dist_check_grid(grid));
  rc = eval_local(&local, &e, *out, text, variable_count, variables);
  const weft_dtype dtype = local ? weft_array_dtype(local) : WEFT_DTYPE_NONE;
  const weft__dist_call call = {
      .function = "weft_dist_eval", .site = site, .dtype = dtype, .shape = e.shape, .numbers = {e.axis}, .text = text};
  if (*out)
    rc = weft__dist_rendezvous(grid, &call, rc);
  else
    rc = weft__dist_finish(out, grid, &call, e.shape, e.axis, &local, rc);
done:
  weft_array_release(&local);
  return weft__dist_leave(rc);
}
