// SPDX-License-Identifier: MIT
/// Copies between contexts: weft_copy with another context, and weft_copy_way.
#include "op/create/context_copy.h"

#include "array/strides.h"
#include "call/call.h"
#include "map/cast.h"
#include "mem/recorder.h"
#include "mem/relay.h"

/* ---- the ways ---- */

typedef struct route {
  const char *name;
  bool (*serves)(weft__core *to, weft__core *from);
  weft_status (*copy)(const weft__relay *relay);
} route;

static bool is_one_context(weft__core *to, weft__core *from) {
  return to->cl == from->cl && to->device == from->device;
}

static bool is_at_host(weft__core *to, weft__core *from) {
  return weft__host_reaches(to) || weft__host_reaches(from);
}

static bool has_window(weft__core *to, weft__core *from) {
  return weft__cuda_reaches(from, to); /* the window is the target's */
}

static bool always(weft__core *to, weft__core *from) {
  (void)to;
  (void)from;
  return true;
}

/// The first way that serves two contexts is used.
static const route ways[] = {
    {"on the device", is_one_context, weft__relay_within},
    {"in place", is_at_host, weft__relay_in_place},
    {"peer window", has_window, weft__relay_by_window},
    {"pinned ring", always, weft__relay_through_ring},
};

static const route *find_way(weft__core *to, weft__core *from) {
  const route *w = ways;
  while (!w->serves(to, from)) w++;
  return w;
}

weft_status weft_copy_way(const char **way, const weft_context *to, const weft_context *from) {
  weft_status rc;
  weft__enter("weft_copy_way", NULL);
  WEFT__NEED(way);
  *way = NULL;
  WEFT__TRY(weft__context_check(to));
  WEFT__TRY(weft__context_check(from));
  *way = find_way((weft__core *)&to->core, (weft__core *)&from->core)->name;
done:
  return weft__leave(rc);
}

/* ---- the copy ---- */

/// Whether the arrays of two contexts are on the same bytes: one foreign buffer, or one piece of host memory.
static bool may_overlap(const weft_array *to, const weft_array *from) {
  const weft__storage *a = to->storage, *b = from->storage;
  return a->mem == b->mem ||
         (a->host && b->host && weft__bytes_overlap(a->host, a->size_bytes, b->host, b->size_bytes));
}

/// `to` and `from` are contiguous and have one dtype and size.
static weft_status carry(weft_array *to, const weft_array *from) {
  weft__core *target = &to->context->core, *source = &from->context->core;
  static const char why[] = "it copies between contexts";
  WEFT__TRY_RETURN(weft__recorder_refuse(target, why));
  WEFT__TRY_RETURN(weft__recorder_refuse(source, why));
  const route *w = find_way(target, source);
  if (from->size == 0) return WEFT_OK;
  weft_status rc = w->copy(&(weft__relay){.to = to->storage,
                                          .from = from->storage,
                                          .to_slot = weft__slot_now(target),
                                          .from_slot = weft__slot_now(source),
                                          .to_offset_bytes = (uint64_t)to->offset_bytes,
                                          .from_offset_bytes = (uint64_t)from->offset_bytes,
                                          .size_bytes = (uint64_t)weft_array_size_bytes(from)});
  return weft__while(rc, "copying an array between contexts, %s", w->name);
}

/// Makes or checks the result. *is_new: it was made.
static weft_status open_result(weft_array **out, bool *is_new, weft_context *context, const weft_array *x,
                               const char *site) {
  const weft_shape shape = weft__array_shape(x);
  if (!out) return weft__fail(WEFT_ERROR_ARGUMENT, "out", "`out` is NULL");
  *is_new = !*out;
  if (*is_new) return weft__array_create(out, context, x->dtype, shape, site);
  WEFT__TRY_RETURN(weft__array_check_writable(*out, "out"));
  return weft__result_check("out", (*out)->dtype, weft__array_shape(*out), x->dtype, shape);
}

weft_status weft__context_copy(weft_array **out, weft_context *context, const weft_array *x, const char *site) {
  const weft_device_info *target = &context->core.device->info;
  weft_array *plain = NULL, *landed = NULL; /* x without gaps in its context; in the target's, what *out is made of */
  bool is_new = false;
  weft_status rc;
  weft__call_about("x");
  WEFT__TRY(weft__dtype_check(x->dtype, context));
  rc = weft__while(open_result(out, &is_new, context, x, site), "copying to the context of device %d (%s)",
                   target->index, target->name);
  WEFT__TRY(rc);
  weft_array *to = *out;
  if (!weft__is_contiguous(to) || to->dtype != x->dtype) {
    WEFT__TRY(weft__array_create(&landed, context, x->dtype, weft__array_shape(x), site));
    to = landed;
  }
  if (!weft__is_contiguous(x) || may_overlap(to, x)) WEFT__TRY(weft__cast(&plain, x, x->dtype, site));
  WEFT__TRY(carry(to, plain ? plain : x));
  if (landed) WEFT__TRY(weft__cast_into(*out, landed, x->dtype, site));
done:
  if (rc && is_new) weft_array_release(out);
  weft_array_release(&plain);
  weft_array_release(&landed);
  return rc;
}
