// SPDX-License-Identifier: MIT
/// The text of Einstein's summation.
#include <inttypes.h>
#include <string.h>

#include "base/scratch.h"
#include "op/products/products.h"

#define SOURCE "subscripts" /* the text's name in messages */

typedef struct reader {
  const char *text;
  size_t next;
} reader;

/// One operand's part of the text, or the result's.
typedef struct part {
  size_t at; /* where it begins */
  int letters;
  uint8_t letter[WEFT__LETTERS];
  size_t letter_at[WEFT__LETTERS];
  bool has_rest; /* `...` */
  size_t rest_at;
  int rest; /* the number of letters in front of `...` */
} part;

/* ---- words ---- */

static int label_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return 26 + c - 'a';
  return -1;
}

static char letter_of(int label) {
  return (char)(label < 26 ? 'A' + label : 'a' + label - 26);
}

uint64_t weft__label_set(const weft__labels *labels) {
  uint64_t set = 0;
  for (int d = 0; d < labels->axes; d++) set |= WEFT__ONE(labels->label[d]);
  return set;
}

void weft__add_labels(weft__text *text, const weft__labels *labels) {
  for (int d = 0; d < labels->axes; d++) {
    const int label = labels->label[d];
    weft__text_fill(text, label < WEFT__LETTERS ? letter_of(label) : (char)('0' + label - WEFT__LETTERS), 1);
  }
}

/// The next character that is not white space; 0 at the end.
static char peek(reader *r) {
  while (r->text[r->next] && strchr(" \t\n\r\f\v", r->text[r->next])) r->next++;
  return r->text[r->next];
}

static weft_status fail(const reader *r, size_t at, const char *what) {
  weft__fail_at(WEFT_ERROR_EXPRESSION, "subscripts", SOURCE, r->text, at, "%s", what);
  return WEFT_ERROR_EXPRESSION;
}

static weft_status fail_label(const reader *r, size_t at, const char *what) {
  weft__fail_at(WEFT_ERROR_EXPRESSION, "subscripts", SOURCE, r->text, at, "`%c` %s", r->text[at], what);
  return WEFT_ERROR_EXPRESSION;
}

/// Reads labels up to a comma, "->" or the end.
static weft_status read_part(part *p, reader *r) {
  *p = (part){.at = r->next};
  for (char c = peek(r); c && c != ',' && !(c == '-' && r->text[r->next + 1] == '>'); c = peek(r)) {
    const int label = label_of(c);
    if (label >= 0) {
      if (p->letters == WEFT__LETTERS) return fail(r, r->next, "more labels than the 8 axes that an array can have");
      p->letter_at[p->letters] = r->next++;
      p->letter[p->letters++] = (uint8_t)label;
    } else if (strncmp(r->text + r->next, "...", 3) == 0) {
      if (p->has_rest) return fail(r, r->next, "a second `...`; one stands for all axes without a label");
      p->has_rest = true;
      p->rest_at = r->next;
      p->rest = p->letters;
      r->next += 3;
    } else {
      return fail(r, r->next, "expected a letter, `...`, `,` or `->`");
    }
  }
  return WEFT_OK;
}

/* ---- operands ---- */

typedef struct subscripts {
  reader r;
  weft__sum *sum;
  int parts;
  part part[WEFT__MAX_TERMS], result;
  bool has_result;
  int rest; /* the most axes that `...` has in an operand */
} subscripts;

static weft_status read_text(subscripts *s, int count) {
  reader *r = &s->r;
  int parts = 0;
  for (bool goes_on = true; goes_on; parts++) {
    part more;
    WEFT__TRY_RETURN(read_part(parts < count ? &s->part[parts] : &more, r));
    goes_on = peek(r) == ',';
    r->next += goes_on;
  }
  s->parts = parts;
  if (parts != count)
    return weft__fail(WEFT_ERROR_ARGUMENT, "operands", "%d operand%s given, and `%s` has labels of %d", count,
                      count == 1 ? " is" : "s are", r->text, parts);
  s->has_result = peek(r) == '-';
  if (!s->has_result) return WEFT_OK;
  r->next += 2;
  WEFT__TRY_RETURN(read_part(&s->result, r));
  return peek(r) ? fail(r, r->next, "expected the end behind the result's labels") : WEFT_OK;
}

/// Sets the length of an axis' label. A length of 1 is repeated.
static weft_status set_length(const subscripts *s, int operand, int axis, const weft_shape *shape) {
  weft__sum *sum = s->sum;
  const int label = sum->term[operand].label[axis];
  const int64_t length = shape->dim[axis];
  char name[4] = {label < WEFT__LETTERS ? letter_of(label) : '.', 0};
  if (label >= WEFT__LETTERS) memcpy(name, "...", 4);
  if (sum->length[label] < 0 || sum->length[label] == 1) sum->length[label] = length;
  if (sum->length[label] == length || length == 1) return WEFT_OK;
  const part *p = &s->part[operand];
  size_t at = p->rest_at;
  for (int k = 0; k < p->letters && label < WEFT__LETTERS; k++)
    if (p->letter[k] == label) at = p->letter_at[k];
  weft__fail_at(WEFT_ERROR_SHAPE, "operands", SOURCE, s->r.text, at,
                "`%s` has length %" PRId64 " in axis %d of operand %d, and %" PRId64 " before", name, length, axis,
                operand + 1, sum->length[label]);
  return WEFT_ERROR_SHAPE;
}

static weft_status check_diagonal(const subscripts *s, int operand, const weft_shape *shape) {
  const weft__labels *term = &s->sum->term[operand];
  for (int d = 0; d < term->axes; d++)
    for (int e = 0; e < d; e++)
      if (term->label[e] == term->label[d] && shape->dim[e] != shape->dim[d])
        return weft__fail(WEFT_ERROR_SHAPE, "operands",
                          "operand %d has length %" PRId64 " and %" PRId64
                          " in axes %d and %d, which have the same label; a diagonal needs equal lengths",
                          operand + 1, shape->dim[e], shape->dim[d], e, d);
  return WEFT_OK;
}

/// Gives the axes of an operand their labels.
static weft_status label_operand(subscripts *s, int operand, const weft_shape *shape, weft_dtype dtype) {
  const part *p = &s->part[operand];
  weft__labels *term = &s->sum->term[operand];
  const int rest = shape->ndim - p->letters;
  if (rest < 0 || (rest > 0 && !p->has_rest)) {
    weft__text what = {0};
    weft__add_shape(&what, dtype, *shape);
    weft__fail_at(WEFT_ERROR_SHAPE, "operands", SOURCE, s->r.text, p->at, "%d label%s for operand %d, which is %s%s",
                  p->letters, p->letters == 1 ? "" : "s", operand + 1, weft__text_chars(&what),
                  rest > 0 ? "; `...` stands for all other axes" : "");
    weft__text_free(&what);
    return WEFT_ERROR_SHAPE;
  }
  term->axes = 0;
  for (int k = 0; k <= p->letters; k++) {
    for (int d = 0; d < rest && p->has_rest && k == p->rest; d++)
      term->label[term->axes++] = (uint8_t)(WEFT__LABELS - rest + d);
    if (k < p->letters) term->label[term->axes++] = p->letter[k];
  }
  if (p->has_rest && rest > s->rest) s->rest = rest;
  WEFT__TRY_RETURN(check_diagonal(s, operand, shape));
  for (int d = 0; d < term->axes; d++) WEFT__TRY_RETURN(set_length(s, operand, d, shape));
  return WEFT_OK;
}

/* ---- the result ---- */

static weft_status too_many_axes(int axes) {
  return weft__fail(WEFT_ERROR_SHAPE, "subscripts", "the result would have %d axes; an array has at most %d", axes,
                    WEFT_MAX_NDIM);
}

/// The axes of `...`, then the labels that occur once, in alphabetical order.
static weft_status make_result(subscripts *s) {
  int times[WEFT__LETTERS] = {0}, axes = s->rest;
  weft__labels *result = &s->sum->result;
  for (int p = 0; p < s->parts; p++)
    for (int k = 0; k < s->part[p].letters; k++) times[s->part[p].letter[k]]++;
  for (int label = 0; label < WEFT__LETTERS; label++) axes += times[label] == 1;
  if (axes > WEFT_MAX_NDIM) return too_many_axes(axes);
  for (int d = 0; d < s->rest; d++) result->label[result->axes++] = (uint8_t)(WEFT__LABELS - s->rest + d);
  for (int label = 0; label < WEFT__LETTERS; label++)
    if (times[label] == 1) result->label[result->axes++] = (uint8_t)label;
  return WEFT_OK;
}

static weft_status label_result(subscripts *s) {
  const part *p = &s->result;
  weft__labels *result = &s->sum->result;
  if (!s->has_result) return make_result(s);
  const int axes = p->letters + (p->has_rest ? s->rest : 0);
  if (s->rest > 0 && !p->has_rest)
    return fail(&s->r, p->at,
                "the operands have axes of `...`, and the result does not; expected `...` among its labels");
  for (int k = 0; k < p->letters; k++) {
    for (int other = 0; other < k; other++)
      if (p->letter[other] == p->letter[k]) return fail_label(&s->r, p->letter_at[k], "is in the result already");
    if (s->sum->length[p->letter[k]] < 0)
      return fail_label(&s->r, p->letter_at[k], "is a label of the result that no operand has");
  }
  if (axes > WEFT_MAX_NDIM) return too_many_axes(axes);
  for (int k = 0; k <= p->letters; k++) {
    for (int d = 0; d < s->rest && p->has_rest && k == p->rest; d++)
      result->label[result->axes++] = (uint8_t)(WEFT__LABELS - s->rest + d);
    if (k < p->letters) result->label[result->axes++] = p->letter[k];
  }
  return WEFT_OK;
}

weft_status weft__sum_read(weft__sum *sum, const char *text, int count, const weft_shape *shape,
                           const weft_dtype *dtype) {
  weft_status rc;
  if (count < 1 || count > WEFT__MAX_TERMS)
    return weft__fail(WEFT_ERROR_ARGUMENT, "operands", "%d operands are given; expected 1 to %d", count,
                      WEFT__MAX_TERMS);
  *sum = (weft__sum){.terms = count};
  for (int label = 0; label < WEFT__LABELS; label++) sum->length[label] = -1;
  subscripts *s = weft__scratch_begin_zeroed(sizeof *s);
  if (!s) return WEFT_ERROR_HOST_MEMORY;
  s->r.text = text;
  s->sum = sum;
  WEFT__TRY(read_text(s, count));
  for (int k = 0; k < count; k++) WEFT__TRY(label_operand(s, k, &shape[k], dtype[k]));
  rc = label_result(s);
done:
  weft__scratch_end(s);
  return rc;
}
