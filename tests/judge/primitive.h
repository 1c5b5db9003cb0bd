// SPDX-License-Identifier: MIT
/// A case of a primitive, and the small functions that turn it into a call (call_SUBJECT.c).
#ifndef WEFT_TESTS_JUDGE_PRIMITIVE_H
#define WEFT_TESTS_JUDGE_PRIMITIVE_H

#include "cases.h"

enum { MAX_PARAMS = 12, MAX_NUMBERS = 40 };

typedef struct param {
  char letter; /* i f l t s, as in record.py */
  int count;   /* of a list */
  int64_t n[MAX_NUMBERS];
  double f;
  char text[128];
  weft_scalar scalar;
} param;

typedef struct primitive {
  test_case t;
  int params;
  param param[MAX_PARAMS];
} primitive;

/* Return parameter k, and check its kind. */
int64_t int_of(primitive *p, int k);
double float_of(primitive *p, int k); /* accepts an integer too */
const char *text_of(primitive *p, int k);
const param *list_of(primitive *p, int k);
weft_scalar scalar_of(primitive *p, int k);
weft_shape shape_of(primitive *p, int k);
weft_axes axes_of(primitive *p, int k);
/// The number of parameters.
#define COUNT (p->params)

/// For call_SUBJECT.c: results, operands and parameters of the case `p`.
#define R(k) result_of(&p->t, (k))
#define X(k) operand_of(&p->t, (k))
#define I(k) int_of(p, (k))
#define AXIS(k) ((int)int_of(p, (k)))
#define U(k) ((unsigned)int_of(p, (k)))
#define F(k) float_of(p, (k))
#define AXES(k) axes_of(p, (k))
#define SHAPE(k) shape_of(p, (k))
/// The view itself, for functions that take only arrays.
#define VIEW(k) (p->t.operand[k].view)
#define INTO(k) (p->t.result[k].view)

/// X-macro rows of NAME, expression: each makes a function, and all a table.
typedef struct call_row {
  const char *name;
  weft_status (*call)(primitive *p);
} call_row;
#define DEFINE_CALL(name, ...)                   \
  static weft_status call_##name(primitive *p) { \
    return __VA_ARGS__;                          \
  }
#define CALL_ROW(name, ...) {#name, call_##name},

/// A row without a name ends each table.
extern const call_row calls_of_reduce[], calls_of_scan[], calls_of_sort[], calls_of_search[], calls_of_index[],
    calls_of_rearrange[], calls_of_matmul[], calls_of_linalg[], calls_of_products[], calls_of_sparse[], calls_of_fft[],
    calls_of_statistics[], calls_of_elementwise[], calls_of_group[], calls_of_create[], calls_of_polynomial[],
    calls_of_filter[];
enum { CALL_SUBJECTS = 17 };
extern const call_row *const call_subjects[CALL_SUBJECTS];
/// NULL for an unknown name.
const call_row *call_row_of(const char *name);

/// read_head reads a case up to its parameters and returns its group; read_rest reads the parameters and places.
uint32_t read_head(primitive *p);
void read_rest(primitive *p);
/// For judge_program: prints the parameters and the operands' layouts.
void describe_primitive(const test_case *t, const weft_shape *shape, int64_t element, char *text, size_t room);

#endif
