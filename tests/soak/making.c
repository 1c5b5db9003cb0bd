// SPDX-License-Identifier: MIT
/// Arrays that come and go: made, viewed, shared, passed between threads, released.
#include <stdlib.h>
#include <string.h>

#include "soak.h"

/* ---- slots ---- */

slot *free_slot(worker *w) {
  slot *s = &w->slot[draw_below(w, SLOTS)];
  for (int k = 0; k < 2 && s->x; k++) s = &w->slot[draw_below(w, SLOTS)];
  empty_slot(s);
  return s;
}

slot *full_slot(worker *w) {
  for (int k = 0; k < 8; k++) {
    slot *s = &w->slot[draw_below(w, SLOTS)];
    if (s->x) return s;
  }
  return NULL;
}

void empty_slot(slot *s) {
  if (!s->x) return;
  weft_array_release(&s->x);
  if (--s->of->references == 0) free(s->of);
  s->of = NULL;
}

void fill_slot(slot *s, weft_array *x, bool known, int value) {
  family *f = calloc(1, sizeof *f);
  if (!f) abort();
  *f = (family){.references = 1, .size = weft_array_size(x), .value = value, .known = known};
  *s = (slot){.x = x, .of = f};
}

weft_dtype draw_dtype(worker *w) {
  static const weft_dtype dtypes[] = {WEFT_I32, WEFT_I32, WEFT_F32, WEFT_U8};
  return dtypes[draw_below(w, 4)];
}

weft_shape draw_shape(worker *w, int bits) {
  int used = (int)draw_below(w, bits + 1);
  int64_t n = (INT64_C(1) << used) + (used < bits ? draw_below(w, INT64_C(1) << used) : 0);
  int64_t rows = INT64_C(1) << draw_below(w, used / 2 + 1);
  switch (draw_below(w, 8)) {
    case 0:
    case 1:
      return WEFT_SHAPE(rows, n / rows);
    case 2:
      return WEFT_SHAPE(rows, 2, (n + 2 * rows - 1) / (2 * rows));
    case 3:
      return draw_below(w, 64) ? WEFT_SHAPE(n) : WEFT_SHAPE(0);
    default:
      return WEFT_SHAPE(n);
  }
}

int64_t shape_size(weft_shape shape) {
  int64_t n = 1;
  for (int k = 0; k < shape.ndim; k++) n *= shape.dim[k];
  return n;
}

/* ---- new arrays ---- */

void make_empty(worker *w) {
  weft_shape shape = draw_shape(w, MOST_BITS);
  slot *s = free_slot(w);
  weft_array *x = NULL;
  if (is_made(w, weft_empty(&x, all.context, draw_dtype(w), shape), "weft_empty")) fill_slot(s, x, false, 0);
}

void make_full(worker *w) {
  int value = (int)draw_below(w, 100);
  weft_shape shape = draw_shape(w, MOST_BITS);
  slot *s = free_slot(w);
  weft_array *x = NULL;
  if (is_made(w, weft_full(&x, all.context, draw_dtype(w), shape, value), "weft_full")) fill_slot(s, x, true, value);
}

void make_from_host(worker *w) {
  int value = (int)draw_below(w, 100);
  weft_dtype dtype = draw_dtype(w);
  weft_shape shape = draw_shape(w, MOST_BITS - 2);
  slot *s = free_slot(w);
  weft_array *x = NULL;
  weft_status rc;
  fill_host(w->scratch, dtype, shape_size(shape), value);
  CALL(w, rc, weft_from_host(&x, all.context, dtype, shape, w->scratch));
  if (is_made(w, rc, "weft_from_host")) fill_slot(s, x, true, value);
}

/* ---- handles ---- */

static weft_status draw_view(worker *w, weft_array **out, const weft_array *x) {
  weft_shape shape = weft_array_shape(x);
  int axis = shape.ndim ? (int)draw_below(w, shape.ndim) : 0;
  int64_t length = weft_array_length(x, axis), at = length ? draw_below(w, length) : 0;
  switch (draw_below(w, shape.ndim ? 8 : 2)) {
    case 0:
      if (shape.ndim == WEFT_MAX_NDIM) return weft_flip(out, x, WEFT_ALL_AXES);
      return weft_expand(out, x, 0);
    case 1:
      if (weft_array_size(x) > 1000 || shape.ndim > 3) return weft_squeeze(out, x, WEFT_ALL_AXES);
      for (int k = shape.ndim; k > 0; k--) shape.dim[k] = shape.dim[k - 1];
      shape.dim[0] = 1 + draw_below(w, 8);
      shape.ndim++;
      return weft_broadcast(out, x, shape);
    case 2:
      return weft_flip(out, x, axis);
    case 3:
      return weft_transpose(out, x, WEFT_ALL_AXES);
    case 4:
      if (weft_array_is_contiguous(x) && weft_array_size(x)) return weft_reshape(out, x, WEFT_SHAPE(-1));
      return weft_slice(out, x, axis, 0, WEFT_END, .step = 2);
    case 5:
      if (length) return weft_pick(out, x, axis, at);
      return weft_flip(out, x, axis);
    default:
      return weft_slice(out, x, axis, at / 2, at + 1);
  }
}

void make_view(worker *w) {
  slot *from = full_slot(w), *to = free_slot(w);
  if (!from || !from->x) return;
  weft_array *x = NULL;
  if (!is_ok(w, draw_view(w, &x, from->x), "a view")) return;
  *to = (slot){.x = x, .of = from->of};
  to->of->references++;
}

void drop(worker *w) {
  slot *s = full_slot(w);
  if (s) empty_slot(s);
}

/// A second reference to the same handle.
void share(worker *w) {
  slot *from = full_slot(w), *to = free_slot(w);
  if (!from || !from->x) return;
  *to = (slot){.x = weft_array_retain(from->x), .of = from->of};
  to->of->references++;
}

/// Passes arrays to and from other threads: only whole storages, which one thread owns at a time.
void hand_over(worker *w) {
  slot *s = full_slot(w), *parcel = NULL;
  if (s && s->of->references == 1 && (parcel = malloc(sizeof *parcel))) {
    *parcel = *s;
    *s = (slot){0};
  }
  parcel = atomic_exchange(&all.mailbox[draw_below(w, MAILBOXES)], parcel);
  if (!parcel) return;
  *free_slot(w) = *parcel;
  free(parcel);
}

/* ---- scopes ---- */

/// Makes some temporaries in a scope; one is kept, another survives by its own reference.
void make_scope(worker *w) {
  weft_scope scope, inner;
  weft_array *x = NULL, *part = NULL, *kept = NULL, *mine = NULL, *retained = NULL;
  int64_t n = 2 + draw_below(w, 1000);
  bool nests = draw_below(w, 4) == 0, forgets = draw_below(w, 8) == 0;
  slot *s = free_slot(w);
  if (!is_ok(w, weft_scope_begin(&scope), "weft_scope_begin")) return;
  if (nests) is_ok(w, weft_scope_begin(&inner), "weft_scope_begin inside");
  if (is_made(w, weft_empty(&x, all.context, WEFT_I32, WEFT_SHAPE(n)), "weft_empty in a scope"))
    is_ok(w, weft_slice(&part, x, 0, 1, WEFT_END), "weft_slice in a scope");
  if (is_made(w, weft_empty(&mine, all.context, WEFT_U8, WEFT_SHAPE(n)), "weft_empty in a scope")) {
    if (draw_below(w, 2))
      retained = weft_array_retain(mine);
    else
      weft_array_release(&mine);
  }
  if (draw_below(w, 16) == 0 &&
      is_made(w, weft_full(&kept, all.context, WEFT_I32, WEFT_SHAPE(n), 7), "weft_full in a scope")) {
    is_ok(w, weft_scope_keep(kept), "weft_scope_keep");
    if (nests && !forgets) is_ok(w, weft_scope_end(&inner), "weft_scope_end of the inner one");
    if (nests && !forgets) is_ok(w, weft_scope_keep(kept), "weft_scope_keep once more");
    if (nests && forgets) weft_array_release(&kept); /* otherwise the outer scope releases it */
  } else if (nests && !forgets) {
    is_ok(w, weft_scope_end(&inner), "weft_scope_end of the inner one");
  }
  is_ok(w, weft_scope_end(&scope), "weft_scope_end");
  if (kept) fill_slot(s, kept, true, 7);
  if (retained && weft_array_length(retained, 0) != n)
    fail(w, "an array retained in a scope", "is another one after it");
  weft_array_release(&retained);
}

/* ---- host memory, and large arrays ---- */

static void give_back(void *block) {
  free(block);
  atomic_fetch_sub(&all.lent, 1);
}

void make_wrapped(worker *w) {
  int64_t n = 1 + draw_below(w, 5000);
  int value = (int)draw_below(w, 100);
  slot *s = free_slot(w);
  weft_array *x = NULL;
  void *block = aligned_alloc(4096, (size_t)(n * 4 + 4095) / 4096 * 4096);
  if (!block) abort();
  fill_host(block, WEFT_I32, n, value);
  atomic_fetch_add(&all.lent, 1);
  weft_status rc =
      weft_wrap_host(&x, all.context, WEFT_I32, WEFT_SHAPE(n), block, .give_back = give_back, .user = block);
  if (rc) give_back(block);
  if (!all.on_cpu)
    expect(w, rc, WEFT_ERROR_UNSUPPORTED, "weft_wrap_host on a device with memory of its own");
  else if (is_made(w, rc, "weft_wrap_host"))
    fill_slot(s, x, true, value);
}

/// Copies more than 1 MiB, through the staging ring if there is one.
void make_large(worker *w) {
  int64_t n = (INT64_C(1) << 20) + draw_below(w, INT64_C(8) << 20), half = n / 2;
  int value = (int)draw_below(w, 100);
  weft_array *x = NULL, *part = NULL;
  weft_status rc;
  uint8_t *block = malloc((size_t)n);
  if (!block) abort();
  memset(block, value, (size_t)n);
  CALL(w, rc, weft_from_host(&x, all.context, WEFT_U8, WEFT_SHAPE(n), block));
  if (is_made(w, rc, "weft_from_host of a large array")) {
    memset(block, 0, (size_t)n);
    CALL(w, rc, weft_to_host(block, (size_t)n, x));
    if (is_ok(w, rc, "weft_to_host of a large array"))
      check_content(w, block, WEFT_U8, n, value, "a large array read back");
    memset(block, value + 1, (size_t)half);
    if (is_ok(w, weft_slice(&part, x, 0, 0, half), "weft_slice of a large array")) {
      CALL(w, rc, weft_write_async(part, block, (size_t)half, draw_below(w, 2) ? w->side[0] : NULL));
      is_ok(w, rc, "weft_write_async to a part of a large array");
      memset(block, 0, (size_t)n);
      CALL(w, rc, weft_read_async(block, (size_t)n, x, draw_below(w, 2) ? w->side[1] : NULL));
      if (is_ok(w, rc, "weft_read_async of a large array")) {
        check_content(w, block, WEFT_U8, half, value + 1, "the first half of a large array");
        check_content(w, block + half, WEFT_U8, n - half, value, "the second half of a large array");
      }
    }
  }
  weft_array_release(&part);
  weft_array_release(&x);
  free(block);
}
