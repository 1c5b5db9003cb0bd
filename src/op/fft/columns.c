// SPDX-License-Identifier: MIT
/// Columns in vectors, a lane for each.
#include <stdlib.h>
#include <string.h>

#include "engine/host_step.h"
#include "engine/shares.h"
#include "op/fft/fft.h"
#include "op/fft/lanes.h"

enum {
  LEAST_LENGTH = 128, /* FFTW is faster for some shorter ones: irfftn of 64 x 64 x 256, 1.97 ms and 2.20 */
  MOST_LENGTH = 4096, /* whose room the second cache holds */
  LEAST_COLUMNS = 8,
  SHARED_BYTES = 512 << 10, /* that are worth a thread */
};

typedef struct columns {
  const weft__fft_step *step;
  weft__lanes lanes;
  int threads;
  size_t wide, strips; /* columns of a strip; strips of a [length, inner] */
  size_t element;      /* bytes of a complex number */
  char *to, *from, *room;
} columns;

static void *transform_share(void *user) {
  const weft__share *part = user;
  const columns *c = part->all;
  const weft__fft_step *s = c->step;
  char *room = c->room + part->number * weft__lanes_room_bytes(&c->lanes);
  for (size_t k = part->number; k < c->strips * s->batch; k += (size_t)c->threads) {
    const size_t column = k % c->strips * c->wide, left = (size_t)s->inner - column;
    const size_t at = (k / c->strips * (size_t)(s->length * s->inner) + column) * c->element;
    weft__lanes_run(&c->lanes, room, c->to + at, c->from + at, (size_t)s->inner, left < c->wide ? left : c->wide,
                    s->scale);
  }
  return NULL;
}

static int transform(void *const *data, void *user) {
  columns *c = user;
  const size_t room_bytes = weft__lanes_room_bytes(&c->lanes) * (size_t)c->threads;
  c->to = data[0];
  c->from = weft__arrays_same(c->step->from, c->step->to) ? data[0] : data[1];
  c->room = aligned_alloc(WEFT__LANES_BYTES, room_bytes);
  if (!c->room) return 1;
  memset(c->room, 0, room_bytes); /* the last strip may be narrower: its other lanes have any numbers */
  weft__run_shares(c->threads, transform_share, c);
  free(c->room);
  return 0;
}

weft_status weft__fft_columns(bool *done, const weft__fft_step *s) {
  weft_context *context = s->to->context;
  const bool in_place = weft__arrays_same(s->from, s->to), is_f64 = weft__needs_fp64(s->to->dtype);
  const weft__host_use uses[] = {{.array = s->to, .writes = true, .reads = in_place},
                                 {.array = s->from, .reads = true}};
  columns c = {.step = s, .element = weft_dtype_size_bytes(s->to->dtype)};
  weft_status rc;
  int code;
  *done = false;
  if (s->kind != WEFT__FFT_COMPLEX || s->inner < LEAST_COLUMNS || s->length < LEAST_LENGTH || s->length > MOST_LENGTH ||
      !weft__engine_allowed(WEFT__ENGINE_OWN) || !weft__engine_allowed(WEFT__ENGINE_FFTW) ||
      !weft__lanes_fit(s->length))
    return WEFT_OK;
  c.wide = 2 * WEFT__LANES_BYTES / c.element;
  c.strips = weft_ceil_div(s->inner, c.wide);
  const size_t units = context->core.device->info.compute_units, strips = c.strips * (size_t)s->batch;
  const size_t most = units < WEFT__MOST_SHARES ? units : WEFT__MOST_SHARES;
  c.threads = weft_array_size_bytes(s->to) < SHARED_BYTES ? 1 : (int)(strips < most ? strips : most);
  if (!weft__lanes_begin(&c.lanes, s->length, is_f64, s->inverse)) return WEFT_ERROR_HOST_MEMORY;
  rc = weft__host_step(&code, &(weft__host_work){.context = context,
                                                 .uses = in_place ? 1 : 2,
                                                 .use = uses,
                                                 .function = transform,
                                                 .user = &c,
                                                 .library = WEFT__LIBRARY_NONE,
                                                 .what = s->what,
                                                 .site = s->site});
  *done = rc == WEFT_OK && code == 0;
  free(c.lanes.memory);
  return rc;
}
