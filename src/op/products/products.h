// SPDX-License-Identifier: MIT
/// Products over labelled axes, internally: the text of Einstein's summation (op/products/subscripts.c), the order of
/// its steps (op/products/path.c), and the steps (op/products/contract.c).
#ifndef WEFT_OP_PRODUCTS_PRODUCTS_H
#define WEFT_OP_PRODUCTS_PRODUCTS_H

#include <weft/products.h>

#include "call/call.h"

/// Labels are numbers, in alphabetical order: the 52 letters, capitals first, then the axes of `...`, the outermost
/// first.
#define WEFT__LETTERS 52
#define WEFT__LABELS (WEFT__LETTERS + WEFT_MAX_NDIM)
#define WEFT__MAX_TERMS 23
/// A set of labels, or of operands.
#define WEFT__ONE(number) (UINT64_C(1) << (number))

/// The labels of the axes of an array.
typedef struct weft__labels {
  int axes;
  uint8_t label[WEFT_MAX_NDIM];
} weft__labels;

/// A sum of products.
typedef struct weft__sum {
  int terms;
  weft__labels term[WEFT__MAX_TERMS];
  weft__labels result;
  int64_t length[WEFT__LABELS];
} weft__sum;

/// The set of the labels.
uint64_t weft__label_set(const weft__labels *labels);
/// Writes letters; an axis of `...` as a digit.
void weft__add_labels(weft__text *text, const weft__labels *labels);

/// Reads the text for operands of these shapes. Errors: EXPRESSION, SHAPE, ARGUMENT.
weft_status weft__sum_read(weft__sum *sum, const char *subscripts, int count, const weft_shape *shape,
                           const weft_dtype *dtype);

/// A step multiplies two terms. The result of step s is term `terms` + s of the sum.
typedef struct weft__sum_step {
  int first, second;
  weft__labels result; /* of the last step: in any order */
  double products;
} weft__sum_step;

/// The order of the steps, terms - 1 of them. Errors: SHAPE (a step's result would have more than 8 axes).
weft_status weft__sum_path(weft__sum_step step[WEFT__MAX_TERMS], const weft__sum *sum);
/// The product of the lengths of these labels.
double weft__label_products(const weft__sum *sum, uint64_t labels);

/// Writes the sum into `out`, whose shape is the result's. The terms' arrays may have any strides. Sums are computed in
/// `dtype`. `out` shares no memory with them.
weft_status weft__sum_run(weft_array *out, const weft__sum *sum, weft_array *const *array, weft_dtype dtype,
                          const char *site);

/// Makes the operands' arrays and result 0, with the shape of the sum's result, and computes the sum.
weft_status weft__call_sum(weft__call *c, const weft__sum *sum);
/// Makes result 0, in memory that overlaps no operand. It may have another dtype: weft__result_check.
weft_status weft__call_apart_result(weft__call *c, weft_dtype dtype, weft_shape shape);

#endif
