// SPDX-License-Identifier: MIT
#include "primitive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const call_row *const call_subjects[CALL_SUBJECTS] = {
    calls_of_reduce,      calls_of_scan,   calls_of_sort,     calls_of_search,     calls_of_index, calls_of_rearrange,
    calls_of_matmul,      calls_of_linalg, calls_of_products, calls_of_sparse,     calls_of_fft,   calls_of_statistics,
    calls_of_elementwise, calls_of_group,  calls_of_create,   calls_of_polynomial, calls_of_filter};

/* ---- parameters ---- */

static param *param_of(primitive *p, int k, const char *letters) {
  if (k >= p->params || !strchr(letters, p->param[k].letter)) {
    fprintf(stderr, "%s %s: parameter %d is not one of kind %s\n", p->t.name, p->t.label, k, letters);
    exit(EXIT_FAILURE);
  }
  return &p->param[k];
}

int64_t int_of(primitive *p, int k) {
  return param_of(p, k, "i")->n[0];
}
double float_of(primitive *p, int k) {
  const param *one = param_of(p, k, "if");
  return one->letter == 'i' ? (double)one->n[0] : one->f;
}
const char *text_of(primitive *p, int k) {
  return param_of(p, k, "t")->text;
}
const param *list_of(primitive *p, int k) {
  return param_of(p, k, "l");
}
weft_scalar scalar_of(primitive *p, int k) {
  return param_of(p, k, "s")->scalar;
}
weft_shape shape_of(primitive *p, int k) {
  const param *one = param_of(p, k, "l");
  return weft__shape(one->count, one->n);
}
weft_axes axes_of(primitive *p, int k) { /* flags for all axes and keepdims, then the axes */
  const param *one = param_of(p, k, "l");
  int axis[MAX_NUMBERS];
  for (int i = 2; i < one->count; i++) axis[i - 2] = (int)one->n[i];
  weft_axes axes = one->n[0] ? WEFT_ALL_AXES : weft__axes(one->count - 2, axis);
  return one->n[1] ? weft_keepdims(axes) : axes;
}

static void read_param(param *one) {
  one->letter = (char)read_u8();
  switch (one->letter) {
    case 'i':
      one->n[0] = read_i64();
      break;
    case 'f':
      one->f = read_f64();
      break;
    case 't':
      read_text(one->text, sizeof one->text);
      break;
    case 's':
      one->scalar.dtype = (weft_dtype)read_u8();
      memcpy(one->scalar.value.c, take(16), 16);
      break;
    default:
      one->count = read_u8();
      for (int i = 0; i < one->count; i++) one->n[i % MAX_NUMBERS] = read_i64();
  }
}

void describe_primitive(const test_case *t, const weft_shape *shape, int64_t element, char *text, size_t room) {
  const primitive *p = (const primitive *)t; /* the struct's first member */
  (void)shape, (void)element;
  snprintf(text, room, "parameters");
  for (int k = 0; k < p->params; k++) {
    const param *one = &p->param[k];
    size_t used = strlen(text);
    if (one->letter == 't') snprintf(text + used, room - used, " \"%s\"", one->text);
    if (one->letter == 'f') snprintf(text + used, room - used, " %g", one->f);
    if (one->letter == 'i') snprintf(text + used, room - used, " %lld", (long long)one->n[0]);
    if (one->letter == 's') snprintf(text + used, room - used, " scalar");
    if (one->letter != 'l') continue;
    for (int i = 0; i < one->count; i++) {
      used = strlen(text);
      snprintf(text + used, room - used, "%s%lld%s", i ? "," : " (", (long long)one->n[i],
               i + 1 == one->count ? ")" : "");
    }
  }
  for (int k = 0; k < t->operands; k++) { /* the operands' layouts */
    char *view = NULL;
    size_t used = strlen(text);
    if (t->operand[k].kind != PLACE_VIEW || weft_array_describe(&view, t->operand[k].view)) continue;
    snprintf(text + used, room - used, "; %s", view);
    weft_free(view);
  }
}

/* ---- cases ---- */

const call_row *call_row_of(const char *name) {
  for (size_t s = 0; s < CALL_SUBJECTS; s++)
    for (const call_row *row = call_subjects[s]; row->name; row++)
      if (strcmp(row->name, name) == 0) return row;
  return NULL;
}

uint32_t read_head(primitive *p) {
  test_case *t = &p->t;
  memset(p, 0, sizeof *p);
  read_text(t->name, sizeof t->name);
  read_text(t->label, sizeof t->label);
  uint32_t group = read_u32();
  t->status = (int)read_u32();
  t->needs_fp64 = read_u8();
  t->function = function_number(t->name);
  return group;
}

void read_rest(primitive *p) {
  test_case *t = &p->t;
  p->params = read_u8();
  for (int k = 0; k < p->params; k++) read_param(&p->param[k % MAX_PARAMS]);
  t->results = read_u8();
  for (int k = 0; k < t->results; k++) {
    t->tolerance[k].ulps = read_f32();
    t->tolerance[k].any_zero = read_u8();
    t->tolerance[k].absolute = read_f64();
  }
  t->operands = read_u8();
  t->storages = read_u8();
  read_places(t);
}
