// SPDX-License-Identifier: MIT
/// weft_compress and similar functions: checks of the arguments, and the calls.
#include <string.h>
#include <weft/eval.h>

#include "array/axes.h"
#include "base/scratch.h"
#include "call/call.h"
#include "expr/parser.h"
#include "map/function.h"
#include "op/select/compact.h"
#include "op/sort/rows.h"

static const char *const mask_names[] = {"mask", "x"}, *const into_names[] = {"out", "count"};

/* ---- masks ---- */

static weft_status check_mask(const weft__call *c) {
  weft_dtype dtype = weft__call_dtype(c, 0);
  if (dtype == WEFT_BOOL || dtype == WEFT_U8) return WEFT_OK;
  return weft__fail(WEFT_ERROR_DTYPE, "mask",
                    "`mask` is %s; expected bool or u8 (weft_not_equal(&mask, x, 0) makes one)",
                    weft_dtype_name(dtype));
}

static weft_status check_mask_shape(const weft__call *c) {
  weft_shape mask = weft__call_shape(c, 0), x = weft__call_shape(c, 1), both = x;
  int axis;
  if (weft__broadcast_shapes(&both, mask, &axis) && weft__same_shape(both, x)) return WEFT_OK;
  return weft__call_fail_shapes(c, 1, 0, "expected a mask of that shape, or one that broadcasts to it");
}

/// Makes operand 0 contiguous bytes of x's shape.
static weft_status broadcast_mask(weft__call *c) {
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  return weft__call_broadcast(c, c->results, weft__call_shape(c, 1));
}

/// Checks the operands `mask` and `x` of a call and makes them what the kernels need.
static weft_status take_masked(weft__selection *s, weft__call *c) {
  WEFT__TRY_RETURN(weft__call_check(c));
  WEFT__TRY_RETURN(check_mask(c));
  WEFT__TRY_RETURN(check_mask_shape(c));
  WEFT__TRY_RETURN(weft__call_upload(c));
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 1, WEFT_DTYPE_NONE));
  WEFT__TRY_RETURN(broadcast_mask(c));
  s->context = c->context;
  s->site = c->site;
  s->mask = s->bytes = c->array[c->results];
  s->x = c->array[c->results + 1];
  return WEFT_OK;
}

/* ---- results ---- */

/// Counts, makes the result and fills it. `columns`: the length of the result's second axis; negative: it has one axis.
static weft_status make_counted(weft__selection *s, weft__call *c, weft_dtype dtype, int columns) {
  int64_t count;
  if (weft__select_is_small(s, columns)) {
    weft_array *selected = NULL;
    WEFT__TRY_RETURN(weft__select_new(&selected, s, dtype, columns));
    const weft_status rc = weft__call_take_result(c, 0, &selected);
    weft_array_release(&selected);
    return rc;
  }
  WEFT__TRY_RETURN(weft__select_count(s, &count));
  WEFT__TRY_RETURN(
      weft__call_contiguous_result(c, 0, dtype, columns < 0 ? WEFT_SHAPE(count) : WEFT_SHAPE(count, columns)));
  return weft__select_write(s, c->array[0]);
}

/// Makes results 0 and 1 of a call that does not wait. The elements of `out` after the selected ones must not change,
/// so a temporary copy cannot replace `out`.
static weft_status make_into(weft__selection *s, weft__call *c) {
  if (c->result[0].kind == WEFT_OPERAND_HOST_RESULT)
    return weft__fail(WEFT_ERROR_ARGUMENT, "out",
                      "`out` is host memory; with `count` expected an array, where the result stays");
  WEFT__TRY_RETURN(weft__call_result(c, 0, s->x->dtype, WEFT_SHAPE(s->x->size)));
  const weft_array *out = c->array[0];
  if (out->dtype != s->x->dtype)
    return weft__fail(WEFT_ERROR_DTYPE, "out", "`out` is %s, `x` is %s; expected the same", weft_dtype_name(out->dtype),
                      weft_dtype_name(s->x->dtype));
  bool is_plain = !c->temporary[0] && weft__is_contiguous(out);
  for (int k = c->results; k < c->results + c->inputs && is_plain; k++)
    is_plain = !c->array[k] || !weft__arrays_overlap(out, c->array[k]);
  if (!is_plain)
    return weft__fail(WEFT_ERROR_LAYOUT, "out",
                      "`out` is not contiguous, or shares memory with an operand; expected memory of its own");
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 1, WEFT_I64, WEFT_SHAPE_0D));
  return weft__select_run(s, c->array[0], c->array[1]);
}

/// `count` NULL: waits for the count.
static weft_status compress(weft_operand out, weft_array **count, weft_operand mask, weft_operand x, const char *name,
                            const char *site) {
  const weft_operand operand[] = {mask, x}, result[] = {out, WEFT_OPERAND(count)};
  weft__selection s = {.what = WEFT__SELECT_VALUES, .name = name};
  weft__call c;
  weft__call_open(&c, NULL, count ? 2 : 1, result, 2, operand, mask_names, site);
  c.result_name = into_names;
  weft_status rc;
  WEFT__TRY(take_masked(&s, &c));
  WEFT__TRY(count ? make_into(&s, &c) : make_counted(&s, &c, s.x->dtype, -1));
done:
  weft__select_end(&s);
  return weft__call_close(&c, rc);
}

weft_status weft__partition_at(weft_operand out, weft_operand mask, weft_operand x,
                               const weft_compress_params *params) {
  const weft_compress_params p = WEFT__PARAMS(params);
  const weft_operand operand[] = {mask, x}, result[] = {out, WEFT_OPERAND(p.count)};
  weft__selection s = {.what = WEFT__SELECT_BOTH, .name = "partition"};
  weft__call c;
  weft__enter("weft_partition", p.site);
  weft__call_open(&c, NULL, p.count ? 2 : 1, result, 2, operand, mask_names, p.site);
  c.result_name = into_names;
  weft_status rc;
  WEFT__TRY(take_masked(&s, &c));
  WEFT__TRY(weft__call_contiguous_result(&c, 0, s.x->dtype, WEFT_SHAPE(s.x->size)));
  if (p.count) WEFT__TRY(weft__call_contiguous_result(&c, 1, WEFT_I64, WEFT_SHAPE_0D));
  WEFT__TRY(weft__select_run(&s, c.array[0], p.count ? c.array[1] : NULL));
done:
  weft__select_end(&s);
  return weft__leave(weft__call_close(&c, rc));
}

/* ---- nonzero ---- */

/// Sets `s` to select the numbers of the nonzero elements of x, which is contiguous.
static weft_status take_nonzero(weft__selection *s, weft__formula *f, const weft_array *x, const char *site) {
  static const char nonzero_of;
  weft__text why = {0};
  *f = (weft__formula){.has_fp64 = true, .inputs = 1, .input = {{.dtype = x->dtype}}};
  bool added = weft__formula_add_result(f, weft__formula_input(f, 0), &why);
  weft__text_free(&why);
  *s = (weft__selection){.what = WEFT__SELECT_NUMBERS,
                         .context = x->context,
                         .name = "nonzero",
                         .site = site,
                         .x = x,
                         .bytes = weft_dtype_size_bytes(x->dtype) == 1 ? x : NULL,
                         .predicate = f,
                         .is_nonzero = true,
                         .predicate_owner = &nonzero_of};
  return added ? WEFT_OK : weft__fail_host_memory(sizeof(weft__node));
}

static weft_status nonzero(weft_operand out, weft_operand x, bool is_flat, const char *site) {
  static const char *const x_name[] = {"x"};
  weft__selection s = {.state = NULL};
  weft__formula *f = weft__scratch_begin_zeroed(sizeof *f);
  weft__call c;
  weft__call_open(&c, NULL, 1, &out, 1, &x, x_name, site);
  weft_status rc;
  WEFT__TRY(f ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(weft__call_operands(&c));
  WEFT__TRY(weft__call_contiguous_operand(&c, 0, WEFT_DTYPE_NONE));
  WEFT__TRY(take_nonzero(&s, f, c.array[1], site));
  if (!is_flat) s.shape = weft__array_shape(c.array[1]);
  WEFT__TRY(make_counted(&s, &c, WEFT_I64, is_flat ? -1 : s.shape.ndim));
done:
  weft__select_end(&s);
  if (f) weft__formula_free(f);
  weft__scratch_end(f);
  return weft__call_close(&c, rc);
}

weft_status weft__nonzero_at(weft_operand out, weft_operand x, const char *site) {
  weft__enter("weft_nonzero", site);
  return weft__leave(nonzero(out, x, false, site));
}

weft_status weft__flatnonzero_at(weft_operand out, weft_operand x, const char *site) {
  weft__enter("weft_flatnonzero", site);
  return weft__leave(nonzero(out, x, true, site));
}

/* ---- slices ---- */

static weft_status check_slices(const weft__call *c, int *axis) {
  weft_shape mask = weft__call_shape(c, 0), x = weft__call_shape(c, 1);
  WEFT__TRY_RETURN(weft__axis_resolve(axis, x.ndim));
  if (mask.ndim == 1 && mask.dim[0] == x.dim[*axis]) return WEFT_OK;
  weft__text text = {0};
  weft__text_add(&text, "`mask` is ");
  weft__add_shape(&text, weft__call_dtype(c, 0), mask);
  weft__fail(WEFT_ERROR_SHAPE, "mask", "%s; axis %d of `x` has %lld: expected one axis as long",
             weft__text_chars(&text), *axis, (long long)x.dim[*axis]);
  weft__text_free(&text);
  return WEFT_ERROR_SHAPE;
}

static weft_status compress_slices(weft__call *c, int axis) {
  weft__selection s = {.state = NULL};
  weft__formula *f = weft__scratch_begin_zeroed(sizeof *f);
  weft_array *index = NULL;
  weft_status rc;
  WEFT__TRY(f ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(weft__call_check(c));
  WEFT__TRY(check_mask(c));
  WEFT__TRY(check_slices(c, &axis));
  WEFT__TRY(weft__call_upload(c));
  for (int k = 0; k < 2; k++) WEFT__TRY(weft__call_contiguous_operand(c, k, WEFT_DTYPE_NONE));
  if (c->array[2]->ndim == 1) { /* slices are elements */
    s = (weft__selection){.what = WEFT__SELECT_VALUES,
                          .context = c->context,
                          .name = "compress",
                          .site = c->site,
                          .x = c->array[2],
                          .mask = c->array[1],
                          .bytes = c->array[1]};
    rc = make_counted(&s, c, s.x->dtype, -1);
    goto done;
  }
  WEFT__TRY(take_nonzero(&s, f, c->array[1], c->site));
  WEFT__TRY(weft__select_new(&index, &s, WEFT_I64, -1));
  const weft_array *x = c->array[2];
  weft_shape shape = weft__array_shape(x);
  const weft__axis_split split = weft__split_at_axis(shape, axis);
  shape.dim[axis] = index->size;
  WEFT__TRY(weft__call_contiguous_result(c, 0, x->dtype, shape));
  WEFT__TRY(weft__gather_rows(c->array[0], x, index, split, "compress", c->site));
done:
  weft_array_release(&index);
  weft__select_end(&s);
  if (f) weft__formula_free(f);
  weft__scratch_end(f);
  return rc;
}

static weft_status compress_axis(weft_operand out, weft_operand mask, weft_operand x, int axis,
                                 const weft_compress_params *p) {
  const weft_operand operand[] = {mask, x};
  weft__call c;
  if (p->count)
    return weft__fail(WEFT_ERROR_ARGUMENT, "count",
                      "`count` is given with axis %d; expected WEFT_ALL_AXES, or no `count`", axis);
  weft__call_open(&c, NULL, 1, &out, 2, operand, mask_names, p->site);
  return weft__call_close(&c, compress_slices(&c, axis));
}

weft_status weft__compress_at(weft_operand out, weft_operand mask, weft_operand x, weft_axes axis,
                              const weft_compress_params *params) {
  const weft_compress_params p = WEFT__PARAMS(params);
  weft_status rc;
  int along;
  weft__enter("weft_compress", p.site);
  WEFT__TRY(weft__one_axis(&along, axis));
  rc = along == WEFT__EVERY_AXIS ? compress(out, p.count, mask, x, "compress", p.site)
                                 : compress_axis(out, mask, x, along, &p);
done:
  return weft__leave(rc);
}

/* ---- by an expression ---- */

/// A selection by an expression. Variables are in the caller's order; elements are selected from the first one.
typedef struct choice {
  const char *text;
  weft_array **count; /* NULL: waits for the count */
  int variables;
  weft_operand variable[WEFT_MAX_OPERANDS];
  const char *name[WEFT_MAX_OPERANDS];
  weft__plan_use plan;
} choice;

static weft_status sort_variables(choice *w, const char *text, int count, const weft_operand *items) {
  w->text = text;
  w->variables = 0;
  w->count = NULL;
  for (int k = 0; k < count; k++) w->variables += items[k].kind != WEFT_OPERAND_SELECTION;
  if (w->variables < 1 || w->variables > WEFT_MAX_OPERANDS - 2)
    return weft__fail(WEFT_ERROR_ARGUMENT, "variable_count", "%d variables given; expected 1 to %d", w->variables,
                      WEFT_MAX_OPERANDS - 2);
  for (int item = 0, k = 0; item < count; item++) {
    if (items[item].kind == WEFT_OPERAND_SELECTION) {
      if (items[item].as.selection) w->count = items[item].as.selection->count;
      continue;
    }
    w->variable[k] = items[item];
    if (!items[item].name && w->variables > 1)
      return weft__fail(WEFT_ERROR_ARGUMENT, "variable",
                        "argument %d after the text has no name; expected WEFT_VAR(x) or WEFT_NAMED(\"x\", ...)",
                        item + 1);
    w->name[k] = w->variable[k].name = items[item].name ? items[item].name : "x";
    k++;
  }
  if (w->variable[0].kind == WEFT_OPERAND_SCALAR)
    return weft__fail(WEFT_ERROR_ARGUMENT, w->name[0], "`%s` is a C scalar; expected the array that is selected from",
                      w->name[0]);
  return WEFT_OK;
}

static weft_status fail_not_bool(weft_dtype dtype) {
  return weft__fail(WEFT_ERROR_DTYPE, "text", "the expression is %s; expected a bool, as a comparison is",
                    weft_dtype_name(dtype));
}

static weft_status build_predicate(weft__formula *f, const weft__elementwise *function) {
  const choice *w = function->data;
  const weft__expression expression = {.text = w->text, .variable = w->name, .has_value = true, .results = 1};
  WEFT__TRY_RETURN(weft__parse(f, &expression));
  return f->failed || f->node[f->result[0]].dtype == WEFT_BOOL ? WEFT_OK : fail_not_bool(f->node[f->result[0]].dtype);
}

static weft_status find_plan(choice *w, const weft__call *c) {
  weft_status rc;
  weft__text text = {0};
  weft__input input[WEFT_MAX_OPERANDS];
  for (int k = 0; k < w->variables; k++) weft__text_add_bytes(&text, w->name[k], strlen(w->name[k]) + 1);
  weft__text_add(&text, "%s", w->text);
  if (text.failed) WEFT__TRY(weft__fail_host_memory(text.length));
  const weft__elementwise function = {.name = "select",
                                      .kind = WEFT__KIND_SELECT,
                                      .key = weft__text_chars(&text),
                                      .key_size = text.length,
                                      .inputs = w->variables,
                                      .build = build_predicate,
                                      .data = w};
  weft__call_inputs(input, c);
  rc = weft__plan_get(&w->plan, &function, c->context, input);
done:
  weft__text_free(&text);
  return rc;
}

static weft_status take_chosen(weft__selection *s, choice *w, weft__call *c) {
  const weft__formula *f = &w->plan.plan->formula;
  WEFT__TRY_RETURN(weft__call_scalars(s->scalar, c, f, WEFT_SHAPE_0D, w->plan.numbers));
  WEFT__TRY_RETURN(weft__call_upload(c));
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  s->context = c->context;
  s->site = c->site;
  s->x = c->array[c->results];
  s->predicate = f;
  s->predicate_owner = w->plan.plan;
  return WEFT_OK;
}

/// The task of weft__choose_ways. The call has made nothing yet.
typedef struct choosing {
  choice *choice;
  weft__call *call;
  weft_operand out;
} choosing;

/// Whether the kernel can compute the expression where it reads an element: it needs no other array and no element's
/// number.
bool weft__choose_fused_fits(const void *task) {
  const choice *w = ((const choosing *)task)->choice;
  for (int k = 1; k < w->variables; k++)
    if (w->variable[k].kind != WEFT_OPERAND_SCALAR) return false;
  const weft__formula *f = &w->plan.plan->formula;
  for (int k = 0; k < f->count; k++)
    if (f->node[k].kind == WEFT__NODE_INDEX || f->node[k].kind == WEFT__NODE_SIZE) return false;
  return true;
}

weft_status weft__choose_fused_run(bool *is_done, const void *task) {
  const choosing *t = task;
  choice *w = t->choice;
  weft__selection s = {.what = WEFT__SELECT_VALUES, .name = "select"};
  weft_status rc;
  *is_done = true;
  WEFT__TRY(take_chosen(&s, w, t->call));
  WEFT__TRY(w->count ? make_into(&s, t->call) : make_counted(&s, t->call, s.x->dtype, -1));
done:
  weft__select_end(&s);
  return rc;
}

/// By a separate call.
weft_status weft__choose_mask_run(bool *is_done, const void *task) {
  const choosing *t = task;
  const choice *w = t->choice;
  const char *site = t->call->site;
  weft_array *mask = NULL;
  weft_status rc;
  *is_done = true;
  WEFT__TRY(weft__eval_elements_at(WEFT_OPERAND(&mask), t->call->context, w->text, w->variables, w->variable, site));
  if (mask->dtype != WEFT_BOOL) WEFT__TRY(fail_not_bool(mask->dtype));
  WEFT__TRY(compress(t->out, w->count, WEFT_OPERAND(mask), w->variable[0], "select", site));
done:
  weft_array_release(&mask);
  return rc;
}

static weft_status choose(weft_operand out, weft_context *context, choice *w, const char *site) {
  const weft_operand result[] = {out, WEFT_OPERAND(w->count)};
  weft__call c;
  weft__call_open(&c, context, w->count ? 2 : 1, result, w->variables, w->variable, w->name, site);
  c.result_name = into_names;
  weft_status rc;
  WEFT__TRY(weft__call_check(&c));
  WEFT__TRY(find_plan(w, &c));
  rc = weft__ways_run(&weft__choose_ways, c.context, &(const choosing){w, &c, out});
done:
  return weft__call_close(&c, rc);
}

weft_status weft__select_at(weft_operand out, weft_context *context, const char *text, int variable_count,
                            const weft_operand *variables, const char *site) {
  choice *w = NULL;
  weft_status rc;
  weft__enter("weft_select", site);
  WEFT__NEED(text);
  WEFT__NEED(variables);
  WEFT__TRY((w = weft__scratch_begin(sizeof *w)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(sort_variables(w, text, variable_count, variables));
  rc = choose(out, context, w, site);
done:
  weft__scratch_end(w);
  return weft__leave(rc);
}
