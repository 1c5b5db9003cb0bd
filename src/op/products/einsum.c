// SPDX-License-Identifier: MIT
/// weft_einsum and weft_einsum_path.
#include "op/products/products.h"

#include <math.h>

static weft_status read_subscripts(weft__sum *sum, const weft__call *c, const char *subscripts) {
  weft_shape shape[WEFT__MAX_TERMS];
  weft_dtype dtype[WEFT__MAX_TERMS];
  for (int k = 0; k < c->inputs; k++) {
    shape[k] = weft__call_shape(c, k);
    dtype[k] = weft__call_dtype(c, k);
  }
  return weft__sum_read(sum, subscripts, c->inputs, shape, dtype);
}

static weft_status open(weft__call *c, const char *name[WEFT__MAX_TERMS], int results, const weft_operand *out,
                        int count, const weft_operand *operands, const char *site) {
  if (count < 1 || count > WEFT__MAX_TERMS)
    return weft__fail(WEFT_ERROR_ARGUMENT, "operands", "%d operands are given; expected 1 to %d", count,
                      WEFT__MAX_TERMS);
  static const char *const names[] = {
      "operand 1",  "operand 2",  "operand 3",  "operand 4",  "operand 5",  "operand 6",  "operand 7",  "operand 8",
      "operand 9",  "operand 10", "operand 11", "operand 12", "operand 13", "operand 14", "operand 15", "operand 16",
      "operand 17", "operand 18", "operand 19", "operand 20", "operand 21", "operand 22", "operand 23"};
  _Static_assert(sizeof names / sizeof names[0] == WEFT__MAX_TERMS, "a name for each operand");
  for (int k = 0; k < count; k++) name[k] = operands[k].name ? operands[k].name : names[k];
  weft__call_open(c, NULL, results, out, count, operands, name, site);
  return WEFT_OK;
}

static weft_status einsum(weft__call *c, const char *subscripts) {
  weft__sum sum;
  WEFT__TRY_RETURN(weft__call_check(c));
  WEFT__TRY_RETURN(read_subscripts(&sum, c, subscripts));
  return weft__call_sum(c, &sum);
}

weft_status weft__einsum_at(weft_operand out, const char *subscripts, int operand_count, const weft_operand *operands,
                            const char *site) {
  weft_status rc;
  weft__call c;
  const char *name[WEFT__MAX_TERMS];
  weft__enter("weft_einsum", site);
  WEFT__NEED(subscripts);
  WEFT__NEED(operands);
  WEFT__TRY(open(&c, name, 1, &out, operand_count, operands, site));
  rc = weft__call_close(&c, einsum(&c, subscripts));
done:
  return weft__leave(rc);
}

/* ---- the steps as text ---- */

static void add_step(weft__text *text, const weft__sum *sum, const weft__sum_step *step, int number) {
  weft__text labels = {0};
  const bool is_last = number == sum->terms - 2;
  const int term[2] = {step[number].first, step[number].second};
  for (int k = 0; k < 2; k++) {
    weft__add_labels(&labels, term[k] < sum->terms ? &sum->term[term[k]] : &step[term[k] - sum->terms].result);
    weft__text_add(&labels, k ? "->" : ",");
  }
  weft__add_labels(&labels, is_last ? &sum->result : &step[number].result);
  weft__text_add(text, "%4d  %-30s %12.4g\n", number + 1, weft__text_chars(&labels), step[number].products);
  weft__text_free(&labels);
}

static weft_status write_path(char **text, const weft__sum *sum) {
  weft__sum_step step[WEFT__MAX_TERMS];
  weft__text out = {0};
  double total = 0;
  uint64_t all = 0;
  WEFT__TRY_RETURN(weft__sum_path(step, sum));
  for (int k = 0; k < sum->terms; k++) all |= weft__label_set(&sum->term[k]);
  weft__text_add(&out, "step  product                         multiplications\n");
  for (int k = 0; k < sum->terms - 1; k++) {
    add_step(&out, sum, step, k);
    total += step[k].products;
  }
  const double without = sum->terms > 1 ? weft__label_products(sum, all) * (sum->terms - 1) : 0;
  weft__text_add(&out, "all steps %39.4g\n", total);
  if (isinf(without))
    weft__text_add(&out, "without steps %35s\n", "more than 1e308");
  else
    weft__text_add(&out, "without steps %35.4g\n", without);
  const size_t length = out.length;
  if (!(*text = weft__text_take(&out))) return weft__fail_host_memory(length);
  return WEFT_OK;
}

weft_status weft__einsum_path_at(char **text, const char *subscripts, int operand_count, const weft_operand *operands,
                                 const char *site) {
  weft_status rc;
  weft__call c;
  weft__sum sum;
  const char *name[WEFT__MAX_TERMS];
  weft__enter("weft_einsum_path", site);
  WEFT__NEED(text);
  WEFT__NEED(subscripts);
  WEFT__NEED(operands);
  WEFT__TRY(open(&c, name, 0, NULL, operand_count, operands, site));
  WEFT__TRY(weft__call_check(&c));
  WEFT__TRY(read_subscripts(&sum, &c, subscripts));
  rc = write_path(text, &sum);
done:
  return weft__leave(rc);
}
