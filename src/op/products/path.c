// SPDX-License-Identifier: MIT
/// The order of the steps of a sum of products: the cheapest for few terms, by dynamic programming over sets of terms;
/// for more, the cheapest next step.
#include <math.h>
#include <string.h>

#include "op/products/products.h"

#define MOST_EXACT 8 /* terms of the exact search, which looks at 3^8 pairs of sets */

double weft__label_products(const weft__sum *sum, uint64_t labels) {
  double products = 1;
  for (int label = 0; label < WEFT__LABELS && labels >> label; label++)
    if (labels & WEFT__ONE(label)) {
      if (sum->length[label] == 0) return 0; /* the other lengths may have an infinite product */
      products *= (double)sum->length[label];
    }
  return products;
}

static int count_labels(uint64_t labels) {
  int count = 0;
  for (; labels; labels &= labels - 1) count++;
  return count;
}

/// The price of a step: its multiplications; too high to be chosen if the result has too many axes. A chosen step has
/// at most 2 * WEFT_MAX_NDIM labels, whose product is below 2^1008, so it is finite.
static double price(const weft__sum *sum, uint64_t operands, uint64_t result) {
  return count_labels(result) > WEFT_MAX_NDIM ? INFINITY : weft__label_products(sum, operands);
}

static void set_labels(weft__labels *labels, uint64_t set) {
  labels->axes = 0;
  for (int label = 0; label < WEFT__LABELS && set >> label; label++)
    if (set & WEFT__ONE(label) && labels->axes < WEFT_MAX_NDIM) labels->label[labels->axes++] = (uint8_t)label;
}

static weft_status too_many_axes(void) {
  return weft__fail(WEFT_ERROR_SHAPE, "subscripts",
                    "in every order of the products a step's result would have more than %d axes", WEFT_MAX_NDIM);
}

/* ---- few terms ---- */

typedef struct subset {
  uint64_t labels; /* of the product of these terms */
  double price;    /* of all steps that make it */
  int split;       /* a subset: the last step multiplies it with the others */
} subset;

/// Writes the steps that make a subset; returns its term.
static int write_steps(weft__sum_step *step, int *steps, const weft__sum *sum, const subset *all, int set) {
  if ((set & (set - 1)) == 0) {
    int term = 0;
    while (set >> (term + 1)) term++;
    return term;
  }
  const int split = all[set].split;
  const int first = write_steps(step, steps, sum, all, split);
  const int second = write_steps(step, steps, sum, all, set & ~split);
  weft__sum_step *s = &step[*steps];
  *s = (weft__sum_step){.first = first, .second = second};
  s->products = weft__label_products(sum, all[split].labels | all[set & ~split].labels);
  set_labels(&s->result, all[set].labels);
  return sum->terms + (*steps)++;
}

static weft_status find_cheapest(weft__sum_step *step, const weft__sum *sum) {
  subset all[1 << MOST_EXACT];
  const int whole = (1 << sum->terms) - 1;
  int steps = 0;
  for (int set = 1; set <= whole; set++) {
    uint64_t inside = 0, outside = weft__label_set(&sum->result);
    for (int k = 0; k < sum->terms; k++) *(set >> k & 1 ? &inside : &outside) |= weft__label_set(&sum->term[k]);
    const bool is_one = (set & (set - 1)) == 0;
    all[set] = (subset){.labels = is_one ? inside : inside & outside, .price = is_one ? 0 : INFINITY};
    /* a subset and the others are one split: the subset has the lowest term */
    for (int split = (set - 1) & set; split > 0; split = (split - 1) & set) {
      const int others = set & ~split;
      if (!(split & (set & -set))) continue;
      const double total =
          all[split].price + all[others].price + price(sum, all[split].labels | all[others].labels, all[set].labels);
      if (total < all[set].price) {
        all[set].price = total;
        all[set].split = split;
      }
    }
  }
  if (isinf(all[whole].price)) return too_many_axes();
  write_steps(step, &steps, sum, all, whole);
  return WEFT_OK;
}

/* ---- many terms ---- */

static weft_status find_next_cheapest(weft__sum_step *step, const weft__sum *sum) {
  uint64_t labels[2 * WEFT__MAX_TERMS], left = 0;
  for (int k = 0; k < sum->terms; k++) {
    labels[k] = weft__label_set(&sum->term[k]);
    left |= WEFT__ONE(k);
  }
  for (int s = 0; s < sum->terms - 1; s++) {
    const int next = sum->terms + s;
    double best = INFINITY;
    for (int a = 0; a < next; a++)
      for (int b = a + 1; b < next; b++) {
        uint64_t later = weft__label_set(&sum->result);
        if (!(left & WEFT__ONE(a)) || !(left & WEFT__ONE(b))) continue;
        for (int k = 0; k < next; k++)
          if (k != a && k != b && left & WEFT__ONE(k)) later |= labels[k];
        const uint64_t both = labels[a] | labels[b];
        const double products = price(sum, both, both & later);
        if (products >= best) continue;
        best = products;
        step[s] = (weft__sum_step){.first = a, .second = b, .products = products};
        labels[next] = both & later;
      }
    if (isinf(best)) return too_many_axes();
    set_labels(&step[s].result, labels[next]);
    left = (left & ~WEFT__ONE(step[s].first) & ~WEFT__ONE(step[s].second)) | WEFT__ONE(next);
  }
  return WEFT_OK;
}

weft_status weft__sum_path(weft__sum_step step[WEFT__MAX_TERMS], const weft__sum *sum) {
  return sum->terms <= MOST_EXACT ? find_cheapest(step, sum) : find_next_cheapest(step, sum);
}
