// SPDX-License-Identifier: MIT
// Einstein's summation, the text and the order of its steps: no crash, an error that points into the text, labels that
// fit the operands, a text that is written and read again is unchanged, and each operand is multiplied once.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fuzz.h"
#include "op/products/products.h"

const size_t fuzz_head = 6;
uint64_t fuzz_accepted;

/// Operands with about as many axes as the text has letters for them. A letter has the same length everywhere, except
/// where `odd` says otherwise.
static int make_shapes(weft_shape shape[WEFT__MAX_TERMS], const char *text, const uint8_t *head) {
  int count = 1;
  memset(shape, 0, WEFT__MAX_TERMS * sizeof *shape);
  for (const char *p = text; *p && !(p[0] == '-' && p[1] == '>'); p++) {
    weft_shape *s = &shape[count - 1];
    const uint8_t odd = head[1 + (count + s->ndim) % 5];
    const int axes = *p == '.' && strncmp(p, "...", 3) == 0 ? odd % 4 : isalpha((unsigned char)*p) ? 1 : 0;
    if (*p == ',' && count == WEFT__MAX_TERMS) break;
    count += *p == ',';
    for (int k = 0; k < axes && s->ndim < WEFT_MAX_NDIM; k++)
      s->dim[s->ndim++] = odd > 250 ? odd - 251 : axes > 1 ? 2 + k % 2 : 1 + *p % 5;
  }
  return head[0] < 250 ? count : head[0] - 250; /* not always as many as the text has */
}

static weft_status read_sum(weft__sum *sum, const char *text, int count, const weft_shape *shape) {
  weft_dtype dtype[WEFT__MAX_TERMS];
  for (int k = 0; k < WEFT__MAX_TERMS; k++) dtype[k] = WEFT_F32;
  weft__enter("weft_einsum", "fuzz");
  return weft__leave(weft__sum_read(sum, text, count, shape, dtype));
}

static void check_labels(const weft__sum *sum, const weft_shape *shape, const char *text) {
  uint64_t all = 0, seen = 0;
  for (int k = 0; k < sum->terms; k++) {
    const weft__labels *term = &sum->term[k];
    if (term->axes != shape[k].ndim) fuzz_fail("labels for another number of axes", text);
    for (int d = 0; d < term->axes; d++) {
      if (term->label[d] >= WEFT__LABELS) fuzz_fail("a number that is no label", text);
      if (shape[k].dim[d] != 1 && shape[k].dim[d] != sum->length[term->label[d]]) fuzz_fail("a label's length", text);
    }
    all |= weft__label_set(term);
  }
  if (sum->result.axes > WEFT_MAX_NDIM) fuzz_fail("too many axes in the result", text);
  for (int d = 0; d < sum->result.axes; d++) {
    const uint64_t one = WEFT__ONE(sum->result.label[d]);
    if (seen & one || !(all & one)) fuzz_fail("a label of the result twice, or of no operand", text);
    seen |= one;
  }
}

/// Adds the labels, with dots in the place of the axes without a letter.
static void add_part(weft__text *text, const weft__labels *labels) {
  weft__text part = {0};
  bool has_dots = false;
  weft__add_labels(&part, labels);
  for (const char *p = weft__text_chars(&part); *p; p++) {
    if (!isdigit((unsigned char)*p)) weft__text_fill(text, *p, 1);
    if (isdigit((unsigned char)*p) && !has_dots) weft__text_add(text, " ...");
    has_dots |= isdigit((unsigned char)*p) != 0;
  }
  weft__text_free(&part);
}

static void check_again(const weft__sum *sum, const weft_shape *shape, const char *text) {
  weft__text written = {0};
  weft__sum again;
  for (int k = 0; k < sum->terms; k++) {
    if (k > 0) weft__text_add(&written, ",");
    add_part(&written, &sum->term[k]);
  }
  weft__text_add(&written, "->");
  add_part(&written, &sum->result);
  if (read_sum(&again, weft__text_chars(&written), sum->terms, shape) != WEFT_OK ||
      memcmp(&again, sum, sizeof again) != 0)
    fuzz_fail("does not read what it writes", text);
  weft__text_free(&written);
}

static void check_path(const weft__sum *sum, const char *text) {
  weft__sum_step step[WEFT__MAX_TERMS];
  uint64_t used = 0;
  weft__enter("weft_einsum", "fuzz");
  const weft_status rc = weft__leave(weft__sum_path(step, sum));
  if (rc == WEFT_ERROR_SHAPE && sum->terms > 1) return; /* a step would have too many axes */
  if (rc != WEFT_OK) fuzz_fail("no order of the steps", text);
  for (int s = 0; s < sum->terms - 1; s++) {
    const uint64_t two = WEFT__ONE(step[s].first) | WEFT__ONE(step[s].second);
    if (step[s].first == step[s].second || used & two || two >> (sum->terms + s)) fuzz_fail("a wrong step", text);
    if (step[s].result.axes > WEFT_MAX_NDIM || !(step[s].products >= 0)) fuzz_fail("a wrong step's result", text);
    used |= two;
  }
  if (sum->terms > 1 && used != WEFT__ONE(2 * sum->terms - 2) - 1) fuzz_fail("a term that no step multiplies", text);
  if (sum->terms > 1 && weft__label_set(&step[sum->terms - 2].result) != weft__label_set(&sum->result))
    fuzz_fail("the last step has other labels than the result", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  weft_shape shape[WEFT__MAX_TERMS];
  weft__sum sum;
  if (size < fuzz_head) return 0;
  char *text = calloc(1, size - fuzz_head + 1);
  if (!text) return 0;
  memcpy(text, data + fuzz_head, size - fuzz_head);
  weft_error_clear();
  const weft_status rc = read_sum(&sum, text, make_shapes(shape, text, data), shape);
  if (rc == WEFT_OK) {
    fuzz_accepted++;
    check_labels(&sum, shape, text);
    check_again(&sum, shape, text);
    check_path(&sum, text);
  } else if (rc != WEFT_ERROR_EXPRESSION && rc != WEFT_ERROR_SHAPE && rc != WEFT_ERROR_ARGUMENT) {
    fuzz_fail("another error", text);
  } else if (strncmp(weft_error_last()->message,
                     rc == WEFT_ERROR_EXPRESSION ? "weft_einsum: subscripts:" : "weft_einsum: ",
                     rc == WEFT_ERROR_EXPRESSION ? 24 : 13) != 0) {
    fuzz_fail("the message does not point", weft_error_last()->message);
  }
  free(text);
  return 0;
}
