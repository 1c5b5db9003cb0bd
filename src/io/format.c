// SPDX-License-Identifier: MIT
#include "io/format.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "dtype/dtype.h"
#include "io/format_number.h"

/* ---- the items shown ---- */

/* Print parameters with NumPy's defaults filled in. */
typedef struct options {
  int precision;
  int64_t threshold; /* negative: no threshold */
  int64_t edge_items;
  int64_t line_width;
  bool suppress;
} options;

static options resolve(const weft_print_params *params) {
  options o = {8, 1000, 3, 75, false};
  if (!params) return o;
  /* No float needs 1000 digits to be unique: a larger precision changes nothing, and the bound keeps lengths small. */
  if (params->precision) o.precision = params->precision < 0 ? 0 : params->precision < 1000 ? params->precision : 1000;
  if (params->threshold) o.threshold = params->threshold;
  if (params->edge_items > 0) o.edge_items = params->edge_items;
  if (params->line_width) o.line_width = params->line_width;
  o.suppress = params->suppress;
  return o;
}

static bool has_zero_length(int ndim, const int64_t *shape) {
  for (int axis = 0; axis < ndim; axis++)
    if (shape[axis] == 0) return true;
  return false;
}

bool weft__format_is_summarised(int ndim, const int64_t *shape, const weft_print_params *params) {
  int64_t threshold = resolve(params).threshold;
  if (threshold < 0 || has_zero_length(ndim, shape)) return false;
  /* Nothing guarantees that the product of the lengths fits; the division keeps it from overflowing. */
  int64_t size = 1;
  for (int axis = 0; axis < ndim; axis++) {
    if (size > threshold / shape[axis]) return true;
    size *= shape[axis];
  }
  return size > threshold;
}

int64_t weft__format_edge_items(const weft_print_params *params) {
  return resolve(params).edge_items;
}

typedef struct view {
  const weft__host_array *array;
  int64_t edge_items; /* INT64_MAX: all items are shown */
} view;

static bool is_cut(const view *v, int axis) {
  return v->array->shape[axis] / 2 >= v->edge_items && v->array->shape[axis] > 2 * v->edge_items;
}

static int64_t shown_length(const view *v, int axis) {
  return is_cut(v, axis) ? 2 * v->edge_items : v->array->shape[axis];
}

/* The n-th shown item along an axis. */
static const char *shown_item(const view *v, int axis, const char *first, int64_t n) {
  bool behind_gap = !v->array->edges_only && is_cut(v, axis) && n >= v->edge_items;
  int64_t index = behind_gap ? v->array->shape[axis] - 2 * v->edge_items + n : n;
  return first + index * v->array->stride_bytes[axis];
}

typedef void visitor(void *state, const char *item);

static void visit(const view *v, int axis, const char *first, visitor *call, void *state) {
  if (axis == v->array->ndim) {
    call(state, first);
    return;
  }
  int64_t length = shown_length(v, axis);
  for (int64_t n = 0; n < length; n++) visit(v, axis + 1, shown_item(v, axis, first, n), call, state);
}

/* ---- columns ----
   All elements of an array get the same width, which a first pass over the shown elements finds. */

typedef struct column {
  weft_dtype dtype; /* for complex: the dtype of the parts */
  char kind;
  int width;                  /* of bool and integers; 0 for a 0-d array, which is not padded */
  weft__float_format part[2]; /* of floats; for complex: real and imaginary */
} column;

static column column_of(const weft__dtype_row *row) {
  return (column){.dtype = weft__real_dtype(row->dtype), .kind = row->kind};
}

static int part_count(const column *c) {
  return c->kind == 'c' ? 2 : c->kind == 'f' ? 1 : 0;
}

/* Returns the number of decimal digits. */
static int read_integer(const column *c, const char *item, bool *negative, uint64_t *magnitude) {
  const weft_scalar value = weft__scalar_read(c->dtype, item);
  *negative = c->kind == 'i' && value.value.i < 0;
  *magnitude = *negative ? 0 - value.value.u : value.value.u;
  int digits = 1;
  for (uint64_t rest = *magnitude; rest >= 10; rest /= 10) digits++;
  return digits;
}

static void measure_integer(void *state, const char *item) {
  column *c = state;
  bool negative;
  uint64_t magnitude;
  int width = read_integer(c, item, &negative, &magnitude) + negative;
  if (width > c->width) c->width = width;
}

/* The values that determine the layout of a column of floats. Magnitudes are exact in double. */
typedef struct float_survey {
  const column *column;
  int part;
  weft__float_format *format;
  double largest, smallest; /* of the finite nonzero values; 0 if none */
  int exponent;             /* most exponent digits */
  bool any_finite, any_special, any_negative_infinity;
} float_survey;

static weft__float read_part(const column *c, int part, const char *item) {
  return weft__float_read(c->dtype, item + (size_t)part * weft_dtype_size_bytes(c->dtype));
}

static void survey_magnitude(void *state, const char *item) {
  float_survey *s = state;
  weft__float x = read_part(s->column, s->part, item);
  if (!x.finite) {
    s->any_special = true;
    if (!x.nan && x.negative) s->any_negative_infinity = true;
    return;
  }
  s->any_finite = true;
  double magnitude = weft__float_magnitude(&x);
  if (magnitude == 0) return;
  if (magnitude > s->largest) s->largest = magnitude;
  if (s->smallest == 0 || magnitude < s->smallest) s->smallest = magnitude;
}

static void survey_lengths(void *state, const char *item) {
  float_survey *s = state;
  weft__float x = read_part(s->column, s->part, item);
  if (!x.finite) return;
  weft__float_lengths lengths = weft__float_measure(&x, s->format);
  if (lengths.left > s->format->left) s->format->left = lengths.left;
  if (lengths.right > s->format->right) s->format->right = lengths.right;
  if (lengths.exponent > s->exponent) s->exponent = lengths.exponent;
}

static double power_of_ten(int exponent) {
  double power = 1;
  while (exponent-- > 0) power *= 10; /* exact up to 1e22 */
  return power;
}

/* NumPy's rule since 2.3: exponents are used if the largest number needs more digits than the dtype guarantees, or more
   than 8. NumPy compares in the array's own dtype, which rounds 0.0001 and the quotient. */
static bool needs_exponent(const float_survey *s, bool suppress) {
  if (s->largest == 0) return false;
  weft_dtype dtype = s->column->dtype;
  if (s->largest >= power_of_ten(weft__dtype(dtype)->digits < 8 ? weft__dtype(dtype)->digits : 8)) return true;
  if (suppress) return false;
  return s->smallest < weft__float_rounded(dtype, 0.0001) ||
         weft__float_rounded(dtype, s->largest / s->smallest) > 1000;
}

static void lay_out_floats(column *c, int part, const view *v, const options *o) {
  weft__float_format *format = &c->part[part];
  float_survey s = {.column = c, .part = part, .format = format};
  *format = (weft__float_format){
      .precision = o->precision, .exponent_digits = 2, .plus = part == 1, .point = WEFT__POINT_KEPT};
  visit(v, 0, v->array->data, survey_magnitude, &s);
  format->scientific = needs_exponent(&s, o->suppress);
  visit(v, 0, v->array->data, survey_lengths, &s);
  if (format->scientific) {
    /* All numbers get as many fraction digits as the longest fraction: true digits, not zeros. */
    format->fraction_digits = format->right;
    format->exponent_digits = s.exponent;
    format->right += 2 + s.exponent;
  }
  if (s.any_special) {
    int sign = format->plus || s.any_negative_infinity;
    int left = 3 + sign - (format->right + 1);
    if (left > format->left) format->left = left;
  }
}

static column lay_out(const view *v, const weft__dtype_row *row, const options *o) {
  column c = column_of(row);
  if (c.kind == 'b') c.width = 5;
  if (c.kind == 'i' || c.kind == 'u') visit(v, 0, v->array->data, measure_integer, &c);
  for (int part = 0; part < part_count(&c); part++) lay_out_floats(&c, part, v, o);
  return c;
}

/* A 0-d array is written like a NumPy scalar: floats have all digits that make them unique, and an exponent from 1e16
   on in f64. Print parameters have no effect. */
static column lay_out_scalar(const weft__host_array *array, const weft__dtype_row *row) {
  column c = column_of(row);
  const double limit = power_of_ten(weft__dtype(c.dtype)->digits);
  for (int part = 0; part < part_count(&c); part++) {
    weft__float x = read_part(&c, part, array->data);
    double magnitude = x.finite ? weft__float_magnitude(&x) : 0;
    c.part[part] = (weft__float_format){.precision = -1, .exponent_digits = 2, .point = WEFT__POINT_DROPPED};
    c.part[part].scientific = magnitude != 0 && (magnitude >= limit || magnitude < 1e-4);
    if (c.kind == 'f' && !c.part[part].scientific) c.part[part].point = WEFT__POINT_ZERO;
  }
  return c;
}

/* ---- elements ---- */

/* Puts the "j" before the blanks that fill the column. */
static void add_imaginary(weft__text *text, const weft__float *x, const weft__float_format *format) {
  weft__float_add(text, x, format);
  size_t blanks = 0;
  while (blanks < text->length && text->chars[text->length - 1 - blanks] == ' ') blanks++;
  weft__text_add_bytes(text, " ", 1);
  if (text->failed) return;
  text->chars[text->length - 1 - blanks] = 'j';
}

static void add_element(weft__text *text, const column *c, const char *item) {
  if (c->kind == 'b') {
    weft__text_add(text, "%*s", c->width, *item ? "True" : "False");
  } else if (c->kind == 'c') {
    weft__float re = read_part(c, 0, item), im = read_part(c, 1, item);
    weft__float_add(text, &re, &c->part[0]);
    add_imaginary(text, &im, &c->part[1]);
  } else if (c->kind == 'f') {
    weft__float x = read_part(c, 0, item);
    weft__float_add(text, &x, &c->part[0]);
  } else {
    bool negative;
    uint64_t magnitude;
    int digits = read_integer(c, item, &negative, &magnitude);
    int blanks = c->width - digits - negative;
    if (blanks > 0) weft__text_fill(text, ' ', (size_t)blanks);
    weft__text_add(text, "%s%" PRIu64, negative ? "-" : "", magnitude);
  }
}

static void add_scalar(weft__text *text, const weft__host_array *array, const weft__dtype_row *row) {
  column c = lay_out_scalar(array, row);
  if (c.kind != 'c') {
    add_element(text, &c, array->data);
    return;
  }
  /* NumPy omits a real part of +0, and then the parentheses too. */
  weft__float re = read_part(&c, 0, array->data), im = read_part(&c, 1, array->data);
  bool imaginary_only = re.finite && !re.mantissa && !re.negative;
  c.part[1].plus = !imaginary_only;
  if (!imaginary_only) {
    weft__text_add_bytes(text, "(", 1);
    weft__float_add(text, &re, &c.part[0]);
  }
  add_imaginary(text, &im, &c.part[1]);
  if (!imaginary_only) weft__text_add_bytes(text, ")", 1);
}

/* ---- rows and brackets ---- */

typedef struct writer {
  weft__text *text;
  weft__text word; /* measured before its line is chosen */
  const view *view;
  const column *column;
  int64_t line_width;
  int64_t line_length; /* of the current line, with its brackets or indent */
  int64_t margin;      /* columns in front of the first bracket */
  bool commas;         /* between elements; else blanks */
} writer;

static void add_separator(writer *w) {
  const size_t length = w->commas ? 2 : 1;
  weft__text_add_bytes(w->text, w->commas ? ", " : " ", length);
  w->line_length += (int64_t)length;
}

/// Ends a row of an axis, below which there are `below` others.
static void end_row(writer *w, int below) {
  if (w->commas) weft__text_add_bytes(w->text, ",", 1);
  weft__text_fill(w->text, '\n', (size_t)below);
}

static void start_line(writer *w, int64_t indent) {
  weft__text_fill(w->text, ' ', (size_t)indent);
  w->line_length = indent;
}

static void add_word(writer *w, int64_t indent, int64_t width) {
  int64_t length = (int64_t)w->word.length;
  /* A word too long for any line stays on the line it starts. */
  if (w->line_length + length > width && w->line_length > indent) {
    weft__text *text = w->text;
    while (text->length && text->chars[text->length - 1] == ' ') text->chars[--text->length] = 0;
    weft__text_add_bytes(text, "\n", 1);
    start_line(w, indent);
  }
  weft__text_add_bytes(w->text, weft__text_chars(&w->word), w->word.length);
  w->line_length += length;
  if (w->word.failed) w->text->failed = true;
  weft__text_clear(&w->word);
}

static void write_row(writer *w, int axis, const char *first) {
  int64_t indent = w->margin + axis + 1;
  /* Every line of a row keeps room for all brackets that may close at the row's end. */
  int64_t width = w->line_width - axis - 1;
  int64_t length = shown_length(w->view, axis);
  w->line_length = indent;
  for (int64_t n = 0; n < length; n++) {
    if (n == w->view->edge_items && is_cut(w->view, axis)) {
      weft__text_add_bytes(&w->word, "...", 3);
      add_word(w, indent, width);
      add_separator(w);
    }
    add_element(&w->word, w->column, shown_item(w->view, axis, first, n));
    add_word(w, indent, width);
    if (n + 1 < length) add_separator(w);
  }
}

static void write_axis(writer *w, int axis, const char *first) {
  int below = w->view->array->ndim - 1 - axis;
  weft__text_add_bytes(w->text, "[", 1);
  if (below == 0) {
    write_row(w, axis, first);
  } else {
    int64_t length = shown_length(w->view, axis);
    for (int64_t n = 0; n < length; n++) {
      if (n > 0) {
        end_row(w, below);
        start_line(w, w->margin + axis + 1);
      }
      if (n == w->view->edge_items && is_cut(w->view, axis)) {
        weft__text_add_bytes(w->text, "...", 3);
        end_row(w, below);
        start_line(w, w->margin + axis + 1);
      }
      write_axis(w, axis + 1, shown_item(w->view, axis, first, n));
    }
  }
  weft__text_add_bytes(w->text, "]", 1);
}

void weft__format_array(weft__text *text, const weft__host_array *array, const weft_print_params *params) {
  const weft__dtype_row *row = weft__dtype(array->dtype);
  if (!row) return;
  if (has_zero_length(array->ndim, array->shape)) {
    weft__text_add_bytes(text, "[]", 2);
    return;
  }
  if (array->ndim == 0) {
    add_scalar(text, array, row);
    return;
  }
  options o = resolve(params);
  view v = {array, weft__format_is_summarised(array->ndim, array->shape, params) ? o.edge_items : INT64_MAX};
  column c = lay_out(&v, row, &o);
  writer w = {.text = text, .view = &v, .column = &c, .line_width = o.line_width};
  write_axis(&w, 0, array->data);
  weft__text_free(&w.word);
}

/* ---- repr ---- */

#define REPR_BEGINS "array("
#define REPR_MARGIN ((int64_t)sizeof REPR_BEGINS - 1)

/// Appends the elements with commas, which NumPy writes for an array without axes too.
static void add_elements(weft__text *text, const weft__host_array *array, const weft__dtype_row *row,
                         const weft_print_params *params) {
  options o = resolve(params);
  view v = {array, weft__format_is_summarised(array->ndim, array->shape, params) ? o.edge_items : INT64_MAX};
  column c = lay_out(&v, row, &o);
  if (array->ndim == 0) {
    c.width = 0;
    add_element(text, &c, array->data);
    return;
  }
  /* one column is the closing parenthesis's */
  writer w = {
      .text = text, .view = &v, .column = &c, .line_width = o.line_width - 1, .margin = REPR_MARGIN, .commas = true};
  write_axis(&w, 0, array->data);
  weft__text_free(&w.word);
}

/// Appends ", shape=(0, 3)" and ", dtype=float32" where the elements do not show them.
static void add_extras(weft__text *extras, const weft__host_array *array, const weft__dtype_row *row,
                       const weft_print_params *params) {
  const bool is_empty = has_zero_length(array->ndim, array->shape);
  const bool is_plain = is_empty && array->ndim == 1;
  if ((is_empty && !is_plain) || weft__format_is_summarised(array->ndim, array->shape, params)) {
    weft__text_add(extras, "shape=(");
    for (int d = 0; d < array->ndim; d++) weft__text_add(extras, "%s%" PRId64, d ? ", " : "", array->shape[d]);
    weft__text_add(extras, "%s)", array->ndim == 1 ? "," : "");
  }
  const bool is_implied =
      row->dtype == WEFT_BOOL || row->dtype == WEFT_I64 || row->dtype == WEFT_F64 || row->dtype == WEFT_C128;
  if (is_implied && !is_empty) return;
  weft__text_add(extras, "%sdtype=%s", extras->length ? ", " : "", row->dtype == WEFT_BOOL ? "bool" : row->numpy);
}

/// The length of the last line from `begin` on.
static int64_t last_line(const weft__text *text, size_t begin) {
  size_t at = text->length;
  while (at > begin && text->chars[at - 1] != '\n') at--;
  return (int64_t)(text->length - at);
}

void weft__format_repr(weft__text *text, const weft__host_array *array, const weft_print_params *params) {
  const weft__dtype_row *row = weft__dtype(array->dtype);
  const size_t begin = text->length;
  weft__text extras = {0};
  if (!row) return;
  weft__text_add(text, REPR_BEGINS);
  if (has_zero_length(array->ndim, array->shape))
    weft__text_add(text, "[]");
  else
    add_elements(text, array, row, params);
  add_extras(&extras, array, row, params);
  if (extras.length) {
    weft__text_add(text, ",");
    const bool fits = last_line(text, begin) + 1 + (int64_t)extras.length + 1 <= resolve(params).line_width;
    weft__text_add_bytes(text, fits ? " " : "\n", 1);
    if (!fits) weft__text_fill(text, ' ', REPR_MARGIN);
    weft__text_add(text, "%s", weft__text_chars(&extras));
  }
  weft__text_add(text, ")");
  if (extras.failed) text->failed = true;
  weft__text_free(&extras);
}
