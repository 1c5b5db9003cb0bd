// SPDX-License-Identifier: MIT
/// Arrays in use: computed with, copied to and from the host, checked.
#include <string.h>

#include "soak.h"

static int64_t item_bytes(weft_dtype dtype) {
  return dtype == WEFT_U8 ? 1 : 4;
}

/// Whether an operand is common enough for device operations. Each dtype and layout needs a kernel, which takes 0.1 s
/// or more to build, so these operations do not use all of them.
static bool is_plain(const weft_array *x) {
  return weft_array_ndim(x) <= 2 && (weft_array_is_contiguous(x) || weft_array_dtype(x) == WEFT_I32);
}

/// An array with known content that fits in the scratch buffer; NULL: none was found.
static slot *known_slot(worker *w) {
  for (int k = 0; k < 8; k++) {
    slot *s = full_slot(w);
    if (s && s->of->known && weft_array_size_bytes(s->x) <= SCRATCH_BYTES && is_plain(s->x)) return s;
  }
  return NULL;
}

void look(worker *w) {
  slot *s = full_slot(w);
  if (!s) return;
  weft_shape shape = weft_array_shape(s->x);
  bool same = weft_array_ndim(s->x) == shape.ndim && weft_array_size(s->x) == shape_size(shape) &&
              weft_array_size_bytes(s->x) == shape_size(shape) * item_bytes(weft_array_dtype(s->x)) &&
              weft_array_context(s->x) == all.context;
  if (!same) fail(w, "an array's shape", "is not what its size says");
}

void read_back(worker *w) {
  slot *s = known_slot(w);
  if (!s) return;
  int64_t n = weft_array_size(s->x);
  weft_status rc;
  CALL(w, rc, weft_to_host(w->scratch, (size_t)weft_array_size_bytes(s->x), s->x));
  if (is_made(w, rc, "weft_to_host"))
    check_content(w, w->scratch, weft_array_dtype(s->x), n, s->of->value, "weft_to_host");
}

/// Writes another value to a part, and back; the surroundings must not change.
void write_part(worker *w) {
  slot *s = full_slot(w);
  if (!s) return;
  if (weft_array_is_read_only(s->x)) {
    expect(w, weft_fill(s->x, 1), WEFT_ERROR_LAYOUT, "weft_fill of a broadcast view");
    return;
  }
  bool whole = weft_array_size(s->x) == s->of->size;
  int value = s->of->known && !whole ? s->of->value : (int)draw_below(w, 100);
  if (!whole && s->of->known && !is_ok(w, weft_fill(s->x, value + 1), "weft_fill of a part")) return;
  if (!is_ok(w, weft_fill(s->x, value), "weft_fill")) return;
  if (!whole) return;
  s->of->known = true;
  s->of->value = value;
}

void add_one(worker *w) {
  slot *s = full_slot(w), *to = free_slot(w);
  if (!s || !s->x || !weft_array_is_contiguous(s->x) || weft_array_size(s->x) > MOST_ELEMENTS || s->of->value > 200)
    return;
  bool known = s->of->known;
  int value = s->of->value;
  weft_array *y = NULL;
  if (is_made(w, weft_add(&y, s->x, 1), "weft_add")) fill_slot(to, y, known, value + 1);
}

void add_in_place(worker *w) {
  slot *s = full_slot(w);
  if (!s || !is_plain(s->x) || weft_array_size(s->x) != s->of->size || weft_array_is_read_only(s->x) ||
      s->of->value > 200)
    return;
  family *f = s->of;
  weft_array *y = s->x;
  f->references++; /* a refusal releases some slots, perhaps this one */
  weft_array_retain(y);
  if (is_made(w, weft_add(&y, y, 1), "weft_add in place")) f->value++;
  weft_array_release(&y);
  if (--f->references == 0) free(f);
}

void reduce(worker *w) {
  slot *s = known_slot(w);
  if (!s || !weft_array_is_contiguous(s->x)) return;
  weft_dtype dtype = weft_array_dtype(s->x);
  int64_t n = weft_array_size(s->x), value = s->of->value;
  union {
    int64_t i;
    int32_t i4;
    float f;
    uint8_t u1;
  } got = {0};
  weft_status rc;
  if (draw_below(w, 2)) {
    if (dtype == WEFT_F32)
      CALL(w, rc, weft_sum(WEFT_HOST_OUT(&got.f, WEFT_F32, WEFT_SHAPE_0D), s->x, WEFT_ALL_AXES));
    else
      CALL(w, rc,
           weft_sum(WEFT_HOST_OUT(&got.i, dtype == WEFT_U8 ? WEFT_U64 : WEFT_I64, WEFT_SHAPE_0D), s->x, WEFT_ALL_AXES));
    if (!is_made(w, rc, "weft_sum")) return;
    if (dtype == WEFT_F32 ? got.f != (float)(n * value) : got.i != n * value) fail(w, "weft_sum", "is wrong");
  } else {
    CALL(w, rc, weft_max(WEFT_HOST_OUT(&got, dtype, WEFT_SHAPE_0D), s->x, WEFT_ALL_AXES));
    if (n == 0) {
      expect(w, rc, WEFT_ERROR_SHAPE, "weft_max of no elements");
      return;
    }
    if (!is_made(w, rc, "weft_max")) return;
    int64_t most = dtype == WEFT_F32 ? (int64_t)got.f : dtype == WEFT_U8 ? got.u1 : got.i4;
    if (most != value) fail(w, "weft_max", "is wrong");
  }
  w->checks++;
}

void copy(worker *w) {
  slot *s = full_slot(w), *to = free_slot(w);
  if (!s || !s->x || !is_plain(s->x) || weft_array_size(s->x) > MOST_ELEMENTS) return;
  bool known = s->of->known;
  int value = s->of->value;
  weft_array *y = NULL;
  if (is_made(w, weft_copy(&y, s->x), "weft_copy")) fill_slot(to, y, known, value);
}

/// A user kernel, on any of the streams.
void step(worker *w) {
  slot *s = full_slot(w), *to = free_slot(w);
  if (!s || !s->x || weft_array_dtype(s->x) != WEFT_I32 || weft_array_size(s->x) != s->of->size ||
      !weft_array_is_contiguous(s->x))
    return;
  int64_t n = weft_array_size(s->x);
  if (n == 0 || n > MOST_ELEMENTS || s->of->value > 200) return;
  weft_array *y = NULL, *x = weft_array_retain(s->x);
  bool known = s->of->known;
  int value = s->of->value;
  if (is_made(w, weft_empty(&y, all.context, WEFT_I32, WEFT_SHAPE(n)), "weft_empty for a launch")) {
    weft_stream *on = draw_below(w, 2) ? w->side[draw_below(w, SIDES)] : NULL;
    int64_t groups = (n + 63) / 64;
    if (is_ok(w, weft_launch_on(all.step, on, WEFT_DIM3((uint64_t)groups), WEFT_DIM3(64), y, (const weft_array *)x, n),
              "weft_launch"))
      fill_slot(to, y, known, value + 1);
    else
      weft_array_release(&y);
  }
  weft_array_release(&x);
}

/// Rows with gaps between them on the host.
void strided(worker *w) {
  slot *s = known_slot(w);
  if (!s || weft_array_ndim(s->x) < 1 || weft_array_ndim(s->x) > 2) return;
  bool plane = weft_array_ndim(s->x) == 2;
  int64_t rows = plane ? weft_array_length(s->x, 0) : 1, columns = weft_array_length(s->x, -1);
  int64_t item = item_bytes(weft_array_dtype(s->x)), pitch = columns * item + 12;
  if (rows * pitch > SCRATCH_BYTES / 4) return;
  int64_t strides[2] = {plane ? pitch : item, item};
  char *data = w->scratch;
  weft_status rc;
  memset(data, 0x55, (size_t)(rows * pitch));
  CALL(w, rc, weft_read_strided(data, strides, s->x));
  if (!is_made(w, rc, "weft_read_strided")) return;
  for (int64_t r = 0; r < rows; r++) {
    check_content(w, data + r * pitch, weft_array_dtype(s->x), columns, s->of->value, "weft_read_strided");
    check_content(w, data + r * pitch + columns * item, WEFT_U8, 12, 0x55,
                  "the room between rows of weft_read_strided");
  }
  if (weft_array_is_read_only(s->x)) return;
  family *f = s->of;
  bool whole = weft_array_size(s->x) == f->size;
  int value = whole ? (int)draw_below(w, 100) : f->value;
  for (int64_t r = 0; r < rows; r++) fill_host(data + r * pitch, weft_array_dtype(s->x), columns, value);
  f->references++;
  CALL(w, rc, weft_write_strided(s->x, data, strides));
  if (is_made(w, rc, "weft_write_strided")) f->value = value;
  if (--f->references == 0) free(f);
}

/* ---- asynchronous copies, events ---- */

void settle_lane(worker *w, lane *l) {
  weft_status rc;
  if (!l->busy) return;
  CALL(w, rc, weft_event_wait(l->event));
  if (is_ok(w, rc, "weft_event_wait") && l->count && l->known)
    check_content(w, l->data, l->dtype, l->count, l->value, "weft_read_async to pinned memory");
  l->busy = false;
  l->count = 0;
}

static void mark_lane(worker *w, lane *l, weft_stream *stream) {
  if (is_ok(w, weft_event_record(&l->event, all.context, stream), "weft_event_record")) l->busy = true;
}

static weft_stream *draw_stream(worker *w) {
  int64_t k = draw_below(w, SIDES + 1);
  return k < SIDES ? w->side[k] : NULL;
}

void write_lane(worker *w) {
  slot *s = full_slot(w);
  if (!s || weft_array_size_bytes(s->x) > LANE_BYTES || weft_array_is_read_only(s->x)) return;
  lane *l = &w->lane[draw_below(w, LANES)];
  family *f = s->of;
  bool whole = weft_array_size(s->x) == f->size, pageable = draw_below(w, 4) == 0;
  int value = whole || !f->known ? (int)draw_below(w, 100) : f->value;
  weft_stream *stream = draw_stream(w);
  void *data = pageable ? w->scratch : l->data;
  size_t size_bytes = (size_t)weft_array_size_bytes(s->x);
  weft_status rc;
  if (!pageable) settle_lane(w, l);
  fill_host(data, weft_array_dtype(s->x), weft_array_size(s->x), value);
  f->references++;
  CALL(w, rc, weft_write_async(s->x, data, size_bytes, stream));
  if (is_made(w, rc, "weft_write_async")) {
    if (pageable)
      memset(data, 0xee, size_bytes);
    else
      mark_lane(w, l, stream);
    if (whole) f->known = true;
    f->value = value;
  }
  if (--f->references == 0) free(f);
}

void read_lane(worker *w) {
  slot *s = full_slot(w);
  if (!s || weft_array_size_bytes(s->x) > LANE_BYTES) return;
  lane *l = &w->lane[draw_below(w, LANES)];
  bool pageable = draw_below(w, 4) == 0, known = s->of->known;
  int value = s->of->value;
  weft_dtype dtype = weft_array_dtype(s->x);
  int64_t n = weft_array_size(s->x);
  weft_stream *stream = draw_stream(w);
  weft_status rc;
  if (!pageable) settle_lane(w, l);
  CALL(w, rc, weft_read_async(pageable ? w->scratch : l->data, (size_t)weft_array_size_bytes(s->x), s->x, stream));
  if (!is_made(w, rc, "weft_read_async")) return;
  if (pageable) {
    if (known) check_content(w, w->scratch, dtype, n, value, "weft_read_async");
    return;
  }
  mark_lane(w, l, stream);
  l->count = n;
  l->dtype = dtype;
  l->known = known;
  l->value = value;
}

void events(worker *w) {
  lane *l = &w->lane[draw_below(w, LANES)];
  bool done = false;
  weft_status rc;
  weft_event *event = NULL;
  switch (draw_below(w, 4)) {
    case 0:
      settle_lane(w, l);
      return;
    case 1:
      if (l->event) is_ok(w, weft_event_is_done(&done, l->event), "weft_event_is_done");
      return;
    case 2:
      if (l->event) is_ok(w, weft_stream_after(draw_stream(w), l->event), "weft_stream_after");
      return;
    default:
      if (!is_ok(w, weft_event_record(&event, all.context, draw_stream(w)), "weft_event_record")) return;
      if (draw_below(w, 4) == 0) {
        CALL(w, rc, weft_event_wait(event));
        if (is_ok(w, rc, "weft_event_wait") && is_ok(w, weft_event_is_done(&done, event), "weft_event_is_done") &&
            !done)
          fail(w, "weft_event_is_done", "says no after weft_event_wait");
      }
      weft_event_release(&event);
  }
}

/* ---- maps ---- */

void map(worker *w) {
  slot *s = full_slot(w);
  if (!s || !weft_array_is_contiguous(s->x) || weft_array_size(s->x) == 0 || weft_array_is_read_only(s->x)) return;
  weft_dtype dtype = weft_array_dtype(s->x);
  int64_t n = weft_array_size(s->x);
  family *f = s->of;
  weft_array *x = weft_array_retain(s->x);
  bool whole = n == f->size, writes = draw_below(w, 2);
  int value = whole ? (int)draw_below(w, 100) : f->value;
  void *data = NULL;
  weft_status rc;
  f->references++;
  CALL(w, rc, weft_map(&data, x, WEFT_MAP_READ | (writes ? WEFT_MAP_WRITE : 0)));
  if (is_made(w, rc, "weft_map")) {
    if (f->known) check_content(w, data, dtype, n, f->value, "weft_map");
    expect(w, weft_fill(x, 1), WEFT_ERROR_ARGUMENT, "weft_fill of a mapped array");
    if (writes && (whole || f->known)) {
      fill_host(data, dtype, n, value);
      if (whole) f->known = true;
      f->value = value;
    }
    is_ok(w, weft_unmap(x), "weft_unmap");
  }
  weft_array_release(&x);
  if (--f->references == 0) free(f);
}
