// SPDX-License-Identifier: MIT
/// Filters by the order of elements: minima, maxima, medians and ranks, and morphology, grey and binary.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/scratch.h"
#include "op/filter/filter.h"

#define CROSS_MOST 6561 /* 3 to the power of WEFT_MAX_NDIM */
_Static_assert(WEFT_MAX_NDIM == 8, "CROSS_MOST is for 8 axes");

static const char *const order_names[] = {"x", "footprint"};
static const char *const binary_names[] = {"x", "structure"};

/// The window of a filter: a box, or the elements of one that it keeps.
typedef struct order_window {
  int64_t size[WEFT_MAX_NDIM], elements; /* all of the box */
  const uint8_t *keeps;                  /* NULL: all */
  uint8_t *read;                         /* from the footprint */
  const weft_shape *origin;
} order_window;

/// One filter after another: an opening has two.
typedef struct order_stage {
  int op;
  bool is_reversed;
  double rank;
} order_stage;

static weft_status check_footprint(const weft__filtering *t, const char *name) {
  const weft_array *f = t->call.array[2];
  if (f->ndim == t->axes && f->size > 0) return WEFT_OK;
  weft__text text = {0};
  weft__add_shape(&text, f->dtype, weft__array_shape(f));
  weft__fail(WEFT_ERROR_SHAPE, name, "`%s` is %s; expected %d ax%cs and at least one element", name,
             weft__text_chars(&text), t->axes, t->axes == 1 ? 'i' : 'e');
  weft__text_free(&text);
  return WEFT_ERROR_SHAPE;
}

/// The window that operand 1 describes.
static weft_status read_footprint(order_window *w, weft__filtering *t, const char *name) {
  weft__call *c = &t->call;
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 1, WEFT_BOOL));
  WEFT__TRY_RETURN(check_footprint(t, name));
  const weft_array *f = c->array[2];
  for (int k = 0; k < t->axes; k++) w->size[k] = f->shape[k];
  w->elements = f->size;
  w->read = malloc((size_t)f->size);
  if (!w->read) return weft__fail_host_memory((size_t)f->size);
  WEFT__TRY_RETURN(weft__array_read(w->read, f, true, c->site));
  int64_t kept = 0;
  for (int64_t i = 0; i < f->size; i++) kept += w->read[i] != 0;
  if (kept == 0) return weft__fail(WEFT_ERROR_SHAPE, name, "`%s` has no nonzero element", name);
  if (kept < f->size) w->keeps = w->read;
  return WEFT_OK;
}

static weft_status find_befores(int64_t before[], const weft__filtering *t, const order_window *w, bool is_reversed) {
  for (int k = 0; k < t->axes; k++)
    WEFT__TRY_RETURN(weft__filter_before(&before[k], t, w->origin, k, w->size[k], is_reversed));
  return WEFT_OK;
}

/// Minima or maxima over boxes, along one axis after the other.
static weft_status run_boxes(weft__filtering *t, const order_window *w, const order_stage *stage, int stages) {
  weft__line *line = calloc((size_t)(stages * t->axes) + 1, sizeof *line);
  int lines = 0;
  weft_status rc;
  if (!line) return weft__fail_host_memory(((size_t)(stages * t->axes) + 1) * sizeof *line);
  for (int s = 0; s < stages; s++) {
    int64_t before[WEFT_MAX_NDIM];
    WEFT__TRY(find_befores(before, t, w, stage[s].is_reversed));
    for (int k = 0; k < t->axes; k++)
      if (w->size[k] > 1)
        line[lines++] = (weft__line){.axis = t->axis[k], .op = stage[s].op, .taps = w->size[k], .before = before[k]};
  }
  rc = weft__filter_passes(t, line, lines);
done:
  free(line);
  return rc;
}

static weft_status run_stage(const weft__filtering *t, weft_array *to, const weft_array *from, const order_window *w,
                             const order_stage *stage) {
  int64_t *offset = NULL, before[WEFT_MAX_NDIM];
  weft_status rc;
  WEFT__TRY_RETURN(find_befores(before, t, w, stage->is_reversed));
  const int64_t taps = weft__footprint_offsets(&offset, t, w->size, before, stage->is_reversed, w->keeps);
  if (taps < 0) return weft__fail_host_memory((size_t)w->elements * sizeof *offset);
  const int64_t rank = stage->rank < 0 ? taps + (int64_t)stage->rank : (int64_t)stage->rank;
  if (stage->op == WEFT__FILTER_RANK && (rank < 0 || rank >= taps))
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "rank", "`rank` is %.0f, in a window of %" PRId64 " elements",
                         stage->rank, taps));
  rc = to->size == 0
           ? WEFT_OK
           : weft__filter_footprint(t, to, from,
                                    &(weft__footprint){.op = stage->op, .taps = taps, .offset = offset, .rank = rank});
done:
  free(offset);
  return rc;
}

static weft_status run_stages(weft__filtering *t, const order_window *w, const order_stage *stage, int stages) {
  weft__call *c = &t->call;
  weft_array *to = c->array[0], *spare = NULL;
  const weft_array *from = c->array[1];
  weft_status rc;
  if (t->axes == 0 || (!w->keeps && stage[0].op != WEFT__FILTER_RANK)) return run_boxes(t, w, stage, stages);
  if (stages > 1) WEFT__TRY_RETURN(weft__array_create(&spare, c->context, to->dtype, weft__array_shape(to), c->site));
  for (int s = 0; s < stages; s++) {
    weft_array *next = (stages - 1 - s) % 2 == 0 ? to : spare;
    WEFT__TRY(run_stage(t, next, from, w, &stage[s]));
    from = next;
  }
  rc = WEFT_OK;
done:
  weft_array_release(&spare);
  return rc;
}

/* ---- elements in order and grey morphology ---- */

/// The wanted rank; of a percentile once the number of elements is known.
static weft_status find_rank(double *rank, weft__order_form form, double number, const order_window *w) {
  int64_t taps = w->elements;
  for (int64_t i = 0; w->keeps && i < w->elements; i++) taps -= !w->keeps[i];
  *rank = number;
  if (form == WEFT__ORDER_MEDIAN) *rank = (double)(taps / 2);
  if (form != WEFT__ORDER_PERCENTILE) return WEFT_OK;
  if (!(fabs(number) <= 100))
    return weft__fail(WEFT_ERROR_ARGUMENT, "percentile", "`percentile` is %.9g; expected -100 to 100", number);
  if (number < 0) number += 100;
  *rank = number == 100 ? (double)(taps - 1) : floor((double)taps * number / 100);
  return WEFT_OK;
}

/// An erosion and a dilation for each iteration, in the form's order. Returns their number.
static int64_t add_morphology(order_stage *stage, weft__order_form form, int64_t iterations) {
  const order_stage erosion = {.op = WEFT__FILTER_LEAST}, dilation = {.op = WEFT__FILTER_GREATEST, .is_reversed = true};
  const bool has_both = form == WEFT__ORDER_OPENING || form == WEFT__ORDER_CLOSING;
  const bool erodes_first = form == WEFT__ORDER_EROSION || form == WEFT__ORDER_OPENING;
  for (int64_t k = 0; k < iterations; k++) {
    stage[k] = erodes_first ? erosion : dilation;
    if (has_both) stage[iterations + k] = erodes_first ? dilation : erosion;
  }
  return has_both ? 2 * iterations : iterations;
}

static weft_status run_order(weft__filtering *t, order_window *w, const weft_shape *size, weft__order_form form,
                             double number) {
  order_stage stage[2] = {{0}};
  int stages = 1;
  if (t->operand[1].kind && size->ndim)
    return weft__fail(WEFT_ERROR_ARGUMENT, "size", "a size and a footprint were given; expected one of them");
  if (t->operand[1].kind) {
    WEFT__TRY_RETURN(read_footprint(w, t, "footprint"));
  } else {
    WEFT__TRY_RETURN(weft__filter_check_size(t, size));
    w->elements = 1;
    for (int k = 0; k < t->axes; k++) {
      w->size[k] = weft__filter_number(size, k);
      if (w->elements > INT32_MAX / w->size[k])
        return weft__fail(WEFT_ERROR_ARGUMENT, "size", "a window of this size has 2^31 elements or more");
      w->elements *= w->size[k];
    }
  }
  if (form >= WEFT__ORDER_EROSION) {
    stages = (int)add_morphology(stage, form, 1);
  } else if (form <= WEFT__ORDER_MAXIMUM) {
    stage[0].op = form == WEFT__ORDER_MINIMUM ? WEFT__FILTER_LEAST : WEFT__FILTER_GREATEST;
  } else {
    stage[0].op = WEFT__FILTER_RANK;
    WEFT__TRY_RETURN(find_rank(&stage[0].rank, form, number, w));
  }
  return run_stages(t, w, stage, stages);
}

weft_status weft__order_filter_at(weft_operand out, weft_operand x, double number, weft_shape size, weft_axes axes,
                                  weft__order_form form, const weft_window_params *params) {
  static const struct {
    const char *function, *what;
  } names[] = {
      [WEFT__ORDER_MINIMUM] = {"weft_minimum_filter", "minimum filter"},
      [WEFT__ORDER_MAXIMUM] = {"weft_maximum_filter", "maximum filter"},
      [WEFT__ORDER_MEDIAN] = {"weft_median_filter", "median filter"},
      [WEFT__ORDER_RANK] = {"weft_rank_filter", "rank filter"},
      [WEFT__ORDER_PERCENTILE] = {"weft_percentile_filter", "percentile filter"},
      [WEFT__ORDER_EROSION] = {"weft_grey_erosion", "grey erosion"},
      [WEFT__ORDER_DILATION] = {"weft_grey_dilation", "grey dilation"},
      [WEFT__ORDER_OPENING] = {"weft_grey_opening", "grey opening"},
      [WEFT__ORDER_CLOSING] = {"weft_grey_closing", "grey closing"},
  };
  const weft_window_params p = WEFT__PARAMS(params);
  weft__filtering t = {.out = out, .operand = {x}, .what = names[form].what};
  order_window w = {.origin = &p.origin};
  if (p.footprint) t.operand[1] = WEFT_OPERAND(p.footprint);
  weft_status rc = weft__filter_open(&t, names[form].function, order_names, axes, p.mode, p.value, p.site);
  if (!rc) rc = run_order(&t, &w, &size, form, number);
  free(w.read);
  return weft__filter_close(&t, rc);
}

/* ---- binary morphology ---- */

/// Whether element i of a box of 3 along each axis is the middle one or beside it.
static bool is_in_cross(int64_t i, int ndim) {
  int apart = 0;
  for (int d = 0; d < ndim; d++, i /= 3) apart += i % 3 != 1;
  return apart <= 1;
}

/// `cross`: room for CROSS_MOST elements.
static weft_status run_binary(weft__filtering *t, order_window *w, weft__order_form form, int64_t iterations,
                              uint8_t *cross) {
  weft_status rc;
  if (iterations < 0)
    return weft__fail(WEFT_ERROR_ARGUMENT, "iterations", "`iterations` is %" PRId64 "; expected 1 or more", iterations);
  if (iterations == 0) iterations = 1;
  if (t->operand[1].kind) {
    WEFT__TRY_RETURN(read_footprint(w, t, "structure"));
  } else {
    w->elements = 1;
    for (int d = 0; d < t->axes; d++) {
      w->size[d] = 3;
      w->elements *= 3;
    }
    for (int64_t i = 0; i < w->elements; i++) cross[i] = is_in_cross(i, t->axes);
    w->keeps = cross;
  }
  order_stage *stage = calloc(2 * (size_t)iterations, sizeof *stage);
  if (!stage) return weft__fail_host_memory(2 * (size_t)iterations * sizeof *stage);
  rc = run_stages(t, w, stage, (int)add_morphology(stage, form, iterations));
  free(stage);
  return rc;
}

weft_status weft__binary_at(weft_operand out, weft_operand x, weft__order_form form, const weft_binary_params *params) {
  static const struct {
    const char *function, *what;
  } names[] = {
      [WEFT__ORDER_EROSION] = {"weft_binary_erosion", "binary erosion"},
      [WEFT__ORDER_DILATION] = {"weft_binary_dilation", "binary dilation"},
      [WEFT__ORDER_OPENING] = {"weft_binary_opening", "binary opening"},
      [WEFT__ORDER_CLOSING] = {"weft_binary_closing", "binary closing"},
  };
  const weft_binary_params p = WEFT__PARAMS(params);
  uint8_t *cross = weft__scratch_begin(CROSS_MOST);
  weft__filtering t = {.out = out, .operand = {x}, .what = names[form].what, .dtype = WEFT_BOOL};
  order_window w = {.origin = &p.origin};
  if (p.structure) t.operand[1] = WEFT_OPERAND(p.structure);
  weft_status rc = weft__filter_open(&t, names[form].function, binary_names, WEFT_ALL_AXES, WEFT_BORDER_CONSTANT,
                                     WEFT_SCALAR(p.border_value), p.site);
  if (!rc) rc = cross ? run_binary(&t, &w, form, p.iterations, cross) : WEFT_ERROR_HOST_MEMORY;
  weft__scratch_end(cross);
  free(w.read);
  return weft__filter_close(&t, rc);
}
