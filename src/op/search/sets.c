// SPDX-License-Identifier: MIT
/// Arrays as sets of their elements.
#include <weft/eval.h>
#include <weft/select.h>
#include <weft/sort.h>

#include "expr/overload.h"
#include "map/cast.h"
#include "op/group/group.h"
#include "op/search/search.h"

/// *sorted: the second operand as one axis, sorted.
static weft_status sort_second(weft_array **sorted, const weft__call *c) {
  const weft_array set = weft__array_flat(c->array[c->results + 1]);
  return weft__sort_at(WEFT_OPERAND(sorted), WEFT_OPERAND(&set), WEFT__AXES(0),
                       &(const weft_sort_params){.site = c->site});
}

weft_status weft__isin_at(weft_operand out, weft_operand x, weft_operand set, const weft_isin_params *params) {
  static const char *const names[] = {"x", "set"};
  const weft_operand operand[] = {x, set};
  const weft_isin_params p = WEFT__PARAMS(params);
  weft_array *sorted = NULL, *outside = NULL;
  weft__call c;
  weft__enter("weft_isin", p.site);
  weft__call_open(&c, NULL, 1, &out, 2, operand, names, p.site);
  weft_status rc;
  WEFT__TRY(weft__search_take(&outside, &c, 1));
  WEFT__TRY(sort_second(&sorted, &c));
  WEFT__TRY(weft__call_contiguous_result(&c, 0, WEFT_BOOL, weft__call_shape(&c, 0)));
  WEFT__TRY(weft__search_run(c.array[0], sorted, c.array[1], WEFT__SEARCH_IN, p.invert, p.site));
  rc = weft__search_settle(c.array[0], &outside, p.invert, p.site);
done:
  weft_array_release(&outside);
  weft_array_release(&sorted);
  return weft__leave(weft__call_close(&c, rc));
}

/// The unique elements of a that are in b, or with `invert` those not in b.
static weft_status pick(weft_operand out, weft_operand a, weft_operand b, bool invert, const char *site) {
  const weft_operand operand[] = {a, b};
  weft_array *sorted = NULL, *unique = NULL, *mask = NULL, *held = NULL, *outside = NULL, *picked = NULL, *wide = NULL;
  bool mixed;
  weft__call c;
  weft__call_open(&c, NULL, 1, &out, 2, operand, NULL, site); /* the result gives the context; weft_compress fills it */
  weft_status rc;
  WEFT__TRY(weft__search_take_exact(&mixed, &c));
  WEFT__TRY(sort_second(&sorted, &c));
  WEFT__TRY(
      weft__unique_at(WEFT_OPERAND(&unique), WEFT_OPERAND(c.array[1]), &(const weft_unique_params){.site = site}));
  WEFT__TRY(weft__array_create(&mask, c.context, WEFT_BOOL, WEFT_SHAPE(unique->size), site));
  if (mixed) WEFT__TRY(weft__search_hold(&held, &outside, unique, sorted->dtype, site));
  WEFT__TRY(weft__search_run(mask, sorted, mixed ? held : unique, WEFT__SEARCH_IN, invert, site));
  WEFT__TRY(weft__search_settle(mask, &outside, invert, site));
  WEFT__TRY(weft__compress_at(mixed ? WEFT_OPERAND(&picked) : out, WEFT_OPERAND(mask), WEFT_OPERAND(unique),
                              WEFT_ALL_AXES, &(const weft_compress_params){.site = site}));
  if (mixed) WEFT__TRY(weft__cast(&wide, picked, weft__promote(WEFT_U64, WEFT_I64), site));
  rc = mixed ? weft__call_take_result(&c, 0, &wide) : WEFT_OK;
done:
  weft_array_release(&wide);
  weft_array_release(&picked);
  weft_array_release(&outside);
  weft_array_release(&held);
  weft_array_release(&mask);
  weft_array_release(&unique);
  weft_array_release(&sorted);
  return weft__call_close(&c, rc);
}

weft_status weft__intersect1d_at(weft_operand out, weft_operand a, weft_operand b, const char *site) {
  weft__enter("weft_intersect1d", site);
  return weft__leave(pick(out, a, b, false, site));
}

weft_status weft__setdiff1d_at(weft_operand out, weft_operand a, weft_operand b, const char *site) {
  weft__enter("weft_setdiff1d", site);
  return weft__leave(pick(out, a, b, true, site));
}

/// By one sort of both operands' elements.
weft_status weft__union1d_at(weft_operand out, weft_operand a, weft_operand b, const char *site) {
  const weft_operand operand[] = {a, b};
  weft_array *both = NULL, *unique = NULL;
  weft__call c;
  weft__enter("weft_union1d", site);
  weft__call_open(&c, NULL, 1, &out, 2, operand, NULL, site);
  weft_status rc;
  WEFT__TRY(weft__search_take_both(&c));
  const weft_array a_flat = weft__array_flat(c.array[1]), b_flat = weft__array_flat(c.array[2]);
  WEFT__TRY(weft__array_create(&both, c.context, a_flat.dtype, WEFT_SHAPE(a_flat.size + b_flat.size), site));
  weft_array first = weft__array_part(both, 0, 0, a_flat.size),
             second = weft__array_part(both, 0, a_flat.size, b_flat.size);
  WEFT__TRY(weft__assign(&first, &a_flat, site));
  WEFT__TRY(weft__assign(&second, &b_flat, site));
  WEFT__TRY(weft__unique_at(WEFT_OPERAND(&unique), WEFT_OPERAND(both), &(const weft_unique_params){.site = site}));
  rc = weft__call_take_result(&c, 0, &unique);
done:
  weft_array_release(&both);
  weft_array_release(&unique);
  return weft__leave(weft__call_close(&c, rc));
}

/// The elements of only one of the operands, u64 and i64.
static weft_status differ_exactly(weft_operand out, const weft__call *c) {
  weft_array *only[2] = {NULL, NULL};
  weft_status rc;
  for (int k = 0; k < 2; k++)
    WEFT__TRY(
        pick(WEFT_OPERAND(&only[k]), WEFT_OPERAND(c->array[1 + k]), WEFT_OPERAND(c->array[2 - k]), true, c->site));
  rc = weft__merge_at(out, WEFT_OPERAND(only[0]), WEFT_OPERAND(only[1]), c->site);
done:
  weft_array_release(&only[0]);
  weft_array_release(&only[1]);
  return rc;
}

/// Merges the different elements of a and of b, and keeps those that no neighbour equals.
weft_status weft__setxor1d_at(weft_operand out, weft_operand a, weft_operand b, const char *site) {
  const weft_operand operand[] = {a, b};
  weft_array *unique[2] = {NULL, NULL}, *both = NULL, *begins = NULL, *keep = NULL;
  bool mixed;
  weft__call c;
  weft__enter("weft_setxor1d", site);
  weft__call_open(&c, NULL, 1, &out, 2, operand, NULL, site); /* the result gives the context; weft_compress fills it */
  weft_status rc;
  WEFT__TRY(weft__search_take_exact(&mixed, &c));
  if (mixed) {
    rc = differ_exactly(out, &c);
    goto done;
  }
  for (int k = 0; k < 2; k++)
    WEFT__TRY(weft__unique_at(WEFT_OPERAND(&unique[k]), WEFT_OPERAND(c.array[1 + k]),
                              &(const weft_unique_params){.site = site}));
  WEFT__TRY(weft__merge_at(WEFT_OPERAND(&both), WEFT_OPERAND(unique[0]), WEFT_OPERAND(unique[1]), site));
  WEFT__TRY(weft__group_flags(&begins, both, true, site));
  WEFT__TRY(weft__array_create(&keep, c.context, WEFT_BOOL, WEFT_SHAPE(both->size), site));
  WEFT__TRY(weft__assign(keep, begins, site));
  if (both->size > 1) {
    weft_array front = weft__array_part(keep, 0, 0, both->size - 1), *to = &front;
    const weft_array next = weft__array_part(begins, 0, 1, both->size - 1);
    const weft_operand parts[] = {WEFT_NAMED("a", &front), WEFT_NAMED("b", &next)};
    WEFT__TRY(weft__eval_at(WEFT_OPERAND(&to), c.context, "a and b", 2, parts, site));
  }
  WEFT__TRY(weft__compress_at(out, WEFT_OPERAND(keep), WEFT_OPERAND(both), WEFT_ALL_AXES,
                              &(const weft_compress_params){.site = site}));
done:
  weft_array_release(&keep);
  weft_array_release(&begins);
  weft_array_release(&both);
  weft_array_release(&unique[0]);
  weft_array_release(&unique[1]);
  return weft__leave(weft__call_close(&c, rc));
}
