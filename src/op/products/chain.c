// SPDX-License-Identifier: MIT
/// The product of a chain of matrices, in the order with the least multiplications (Cormen, Leiserson, Rivest, Stein,
/// "Introduction to Algorithms", 15.2).
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <weft/matmul.h>

#include "op/products/products.h"

#define MOST_MATRICES 500 /* the search looks at n^3 / 6 orders */

typedef struct chain {
  weft_array *const *array;
  int count;
  const char *site;
  int64_t *length; /* count + 1 of them: matrix k is [length[k], length[k + 1]] */
  double *price;   /* of the product of matrices first to last, at [first * count + last] */
  int *split;      /* its first factor ends here */
} chain;

static weft_status fail_lengths(const chain *t, int k) {
  weft__text text = {0};
  for (int j = k - 1; j <= k; j++) {
    weft__text_add(&text, "%sarrays[%d] is ", j == k ? ", " : "", j);
    weft__add_shape(&text, t->array[j]->dtype, weft__array_shape(t->array[j]));
  }
  weft__fail(WEFT_ERROR_SHAPE, "arrays", "%s: their inner lengths differ", weft__text_chars(&text));
  weft__text_free(&text);
  return WEFT_ERROR_SHAPE;
}

static weft_status read_matrix(chain *t, int k) {
  const weft_array *x = t->array[k];
  const bool is_end = k == 0 || k == t->count - 1;
  if (!x) return weft__fail(WEFT_ERROR_HANDLE, "arrays", "arrays[%d] is NULL; expected a weft_array", k);
  WEFT__TRY_RETURN(weft__while(weft__array_check(x, "arrays"), "looking at arrays[%d]", k));
  if (x->context != t->array[0]->context)
    return weft__fail(WEFT_ERROR_CONTEXT, "arrays",
                      "arrays[%d] belongs to another context than arrays[0]" WEFT__COPY_HINT, k);
  if (x->ndim != 2 && !(is_end && x->ndim == 1))
    return weft__fail(WEFT_ERROR_SHAPE, "arrays", "arrays[%d] has %d %s; expected 2%s", k, x->ndim,
                      x->ndim == 1 ? "axis" : "axes", is_end ? ", or 1 for a vector" : "");
  const int64_t rows = x->ndim == 2 ? x->shape[0] : k == 0 ? 1 : x->shape[0];
  if (k > 0 && rows != t->length[k]) return fail_lengths(t, k);
  t->length[k] = rows;
  t->length[k + 1] = x->ndim == 2 ? x->shape[1] : k == 0 ? x->shape[0] : 1;
  return WEFT_OK;
}

static void find_order(chain *t) {
  const int n = t->count;
  for (int size = 2; size <= n; size++)
    for (int first = 0; first + size <= n; first++) {
      const int last = first + size - 1;
      double best = INFINITY;
      for (int split = first; split < last; split++) {
        const double price = t->price[first * n + split] + t->price[(split + 1) * n + last] +
                             (double)t->length[first] * (double)t->length[split + 1] * (double)t->length[last + 1];
        if (price >= best) continue;
        best = price;
        t->split[first * n + last] = split;
      }
      t->price[first * n + last] = best;
    }
}

/// Multiplies matrices first to last, two or more, into `out`.
static weft_status multiply(weft_operand out, const chain *t, int first, int last) {
  weft_status rc;
  weft_array *made[2] = {NULL, NULL};
  const int split = t->split[first * t->count + last];
  const int begin[2] = {first, split + 1}, end[2] = {split, last};
  const weft_array *factor[2];
  const weft_matmul_params params = {.site = t->site};
  for (int k = 0; k < 2; k++) {
    if (begin[k] < end[k]) WEFT__TRY(multiply(WEFT_OPERAND(&made[k]), t, begin[k], end[k]));
    factor[k] = made[k] ? made[k] : t->array[begin[k]];
  }
  rc = weft__matmul_at(out, WEFT_OPERAND(factor[0]), WEFT_OPERAND(factor[1]), &params);
done:
  for (int k = 0; k < 2; k++) weft_array_release(&made[k]);
  return rc;
}

static weft_status multiply_chain(weft_operand out, chain *t) {
  weft_status rc;
  const size_t pairs = (size_t)t->count * (size_t)t->count;
  t->length = weft__new((size_t)(t->count + 1) * sizeof *t->length);
  t->price = weft__new(pairs * sizeof *t->price);
  t->split = weft__new(pairs * sizeof *t->split);
  if (!t->length || !t->price || !t->split) WEFT__TRY(WEFT_ERROR_HOST_MEMORY);
  for (int k = 0; k < t->count; k++) WEFT__TRY(read_matrix(t, k));
  find_order(t);
  rc = multiply(out, t, 0, t->count - 1);
done:
  free(t->length);
  free(t->price);
  free(t->split);
  return rc;
}

weft_status weft__multi_dot_at(weft_operand out, weft_array *const *arrays, int64_t count, const char *site) {
  weft_status rc;
  chain t = {.array = arrays, .count = (int)count, .site = site};
  weft__enter("weft_multi_dot", site);
  WEFT__NEED(arrays);
  if (count < 2 || count > MOST_MATRICES)
    WEFT__TRY(
        weft__fail(WEFT_ERROR_ARGUMENT, "count", "`count` is %" PRId64 "; expected 2 to %d", count, MOST_MATRICES));
  rc = multiply_chain(out, &t);
done:
  return weft__leave(rc);
}
