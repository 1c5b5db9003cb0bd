// SPDX-License-Identifier: MIT
/// Casts: the formula is the operand, cast to another dtype.
#include "map/cast.h"

#include "map/function.h"
#include "map/run.h"
#include "map/tuning.h"

#define SPARE_BYTES (64 << 10) /* memory that a part keeps without need, if it has less than a quarter */

static weft_status build_cast(weft__formula *f, const weft__elementwise *function) {
  const weft_dtype *dtype = function->data;
  weft__text why = {0};
  int node = weft__formula_cast(f, weft__formula_input(f, 0), *dtype, &why);
  bool done = weft__formula_add_result(f, node, &why);
  weft_status rc = done || f->failed ? WEFT_OK : weft__fail(WEFT_ERROR_DTYPE, "dtype", "%s", weft__text_chars(&why));
  weft__text_free(&why);
  return rc;
}

weft_status weft__cast_into(weft_array *to, const weft_array *from, weft_dtype dtype, const char *site) {
  const uint8_t key = (uint8_t)dtype;
  const weft__elementwise function = {.name = "cast",
                                      .kind = WEFT__KIND_CAST,
                                      .key = &key,
                                      .key_size = sizeof key,
                                      .results = 1,
                                      .inputs = 1,
                                      .build = build_cast,
                                      .data = &dtype};
  const weft__input input = {.dtype = from->dtype};
  weft_array *array[] = {to, (weft_array *)from};
  weft__plan_use use;
  if (to->size == 0) return WEFT_OK;
  /* most contiguous copies need no kernel; without kernels the driver copies every layout */
  if (to->dtype == dtype && from->dtype == dtype &&
      (!weft__driver->runs_kernels ||
       (weft__is_contiguous(to) && weft__is_contiguous(from) && !weft__arrays_overlap(to, from) &&
        !(to->context->store.is_cpu && weft_array_size_bytes(to) > WEFT__CAST_ONE_THREAD_BYTES))))
    return weft__assign(to, from, site);
  WEFT__TRY_RETURN(weft__plan_get(&use, &function, to->context, &input));
  return weft__plan_run(use.plan, weft__array_shape(to), array, use.own_numbers, NULL, site);
}

weft_status weft__cast(weft_array **out, const weft_array *x, weft_dtype dtype, const char *site) {
  WEFT__TRY_RETURN(weft__array_create(out, x->context, dtype, weft__array_shape(x), site));
  weft_status rc = weft__cast_into(*out, x, dtype, site);
  if (rc) weft_array_release(out);
  return rc;
}

/// Whether `part` of `all` elements stay in the memory for all. In guard mode a result has exactly its memory.
static bool keeps_room(const weft_array *room, int64_t part, int64_t all) {
  const int64_t spare_bytes = (all - part) * (int64_t)weft_dtype_size_bytes(room->dtype);
  return !room->storage->guarded && (part >= all / 4 || spare_bytes <= SPARE_BYTES);
}

weft_status weft__keep_part(weft_array **out, weft_array **room, weft_shape shape, const char *site) {
  const int64_t all = (*room)->size;
  weft__set_contiguous(*room, shape);
  if (!keeps_room(*room, (*room)->size, all)) return weft__cast(out, *room, (*room)->dtype, site);
  *out = *room;
  *room = NULL;
  return WEFT_OK;
}
