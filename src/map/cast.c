// SPDX-License-Identifier: MIT
/// Copies and casts of whole arrays: the formula that is only its operand, in another dtype.
#include "map/cast.h"

#include "op/ufunc/apply.h"

static weft_status build_cast(weft__formula *f, const weft__map *map) {
  const weft_dtype *dtype = map->data;
  weft__text why = {0};
  int node = weft__formula_cast(f, weft__formula_input(f, 0), *dtype, &why);
  bool done = weft__formula_add_result(f, node, &why);
  weft_status rc = done || f->failed ? WEFT_OK : weft__fail(WEFT_ERROR_DTYPE, "dtype", "%s", weft__text_chars(&why));
  weft__text_free(&why);
  return rc;
}

/// *out has the dtype: unlike a ufunc's result it is not cast once more.
static weft_status check_result(weft_array *const *out, const weft_array *x, weft_dtype dtype) {
  if (!*out) return WEFT_OK;
  bool made;
  return weft__array_result((weft_array **)out, &made, x->context, dtype, weft__array_shape(x), NULL);
}

weft_status weft__cast(weft_array **out, const weft_array *x, weft_dtype dtype, const char *site) {
  weft_status rc = weft__array_check(x, "x");
  if (rc == WEFT_OK) rc = weft__dtype_check(dtype, x->context);
  if (rc == WEFT_OK) rc = check_result(out, x, dtype);
  if (rc) return rc;
  static const char *const names[] = {"x"};
  const uint8_t key = (uint8_t)dtype;
  const weft__map map = {.name = "cast",
                         .kind = WEFT__KIND_CAST,
                         .key = &key,
                         .key_size = sizeof key,
                         .results = 1,
                         .inputs = 1,
                         .build = build_cast,
                         .data = &dtype};
  const weft_operand result = WEFT_OPERAND(out), operand = WEFT_OPERAND(x);
  return weft__apply(&map, x->context, &result, &operand, NULL, names, site);
}

/// Contiguous to contiguous is left to the driver, which needs no kernel.
static bool is_plain(weft_array *const *out, const weft_array *x) {
  return weft__is_contiguous(x) && (!*out || (weft__is_contiguous(*out) && !weft__arrays_overlap(*out, x)));
}

static weft_status copy_plain(weft_array **out, const weft_array *x, const char *site) {
  bool made = false;
  weft_status rc = weft__array_result(out, &made, x->context, x->dtype, weft__array_shape(x), site);
  if (rc == WEFT_OK) rc = weft__assign(*out, x, site);
  if (rc && made) weft_array_release(out);
  return rc;
}

weft_status weft_copy_at(weft_array **out, const weft_array *x, const char *site) {
  weft__enter("weft_copy", site);
  WEFT__NEED(out);
  weft_status rc = weft__array_check(x, "x");
  if (rc == WEFT_OK && *out) rc = weft__handle_check(*out, WEFT__MAGIC_ARRAY, "weft_array", "out");
  if (rc == WEFT_OK) rc = is_plain(out, x) ? copy_plain(out, x, site) : weft__cast(out, x, x->dtype, site);
  return weft__leave(rc);
}

weft_status weft_cast_at(weft_array **out, const weft_array *x, weft_dtype dtype, const char *site) {
  weft__enter("weft_cast", site);
  WEFT__NEED(out);
  return weft__leave(weft__cast(out, x, dtype, site));
}
