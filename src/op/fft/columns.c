// SPDX-License-Identifier: MIT
/// Columns in vectors, a lane for each.
#include <stdlib.h>
#include <string.h>

#include "engine/host_step.h"
#include "engine/shares.h"
#include "op/fft/fft.h"
#include "op/fft/lanes.h"
#include "op/fft/tuning.h"

/// The task of a host step.
typedef struct task {
  uint64_t batch, length, inner;
  double scale;
  size_t wide, strips; /* columns of a strip; strips of a [length, inner] */
  size_t element;      /* bytes of a complex number */
  int threads;
  bool is_f64, inverse, in_place;
} task;

typedef struct columns {
  const task *task;
  weft__lanes lanes;
  char *to, *from, *room;
} columns;

static void *transform_share(void *user) {
  const weft__share *part = user;
  const columns *c = part->all;
  const task *t = c->task;
  char *room = c->room + part->number * weft__lanes_room_bytes(&c->lanes);
  for (size_t k = part->number; k < t->strips * t->batch; k += (size_t)t->threads) {
    const size_t column = k % t->strips * t->wide, left = (size_t)t->inner - column;
    const size_t at = (k / t->strips * (size_t)(t->length * t->inner) + column) * t->element;
    weft__lanes_run(&c->lanes, room, c->to + at, c->from + at, (size_t)t->inner, left < t->wide ? left : t->wide,
                    t->scale);
  }
  return NULL;
}

static int transform(void *const *data, const void *of) {
  const task *t = of;
  columns c = {.task = t, .to = data[0], .from = data[!t->in_place]};
  if (!weft__lanes_fit(t->length)) return WEFT__HOST_REFUSED; /* a recording of another processor */
  if (!weft__lanes_begin(&c.lanes, t->length, t->is_f64, t->inverse)) return WEFT__HOST_NO_MEMORY;
  const size_t room_bytes = weft__lanes_room_bytes(&c.lanes) * (size_t)t->threads;
  c.room = aligned_alloc(WEFT__LANES_BYTES, room_bytes);
  if (c.room) {
    memset(c.room, 0, room_bytes); /* the last strip may be narrower: its other lanes have any numbers */
    weft__run_shares(t->threads, transform_share, &c);
  }
  free(c.lanes.memory);
  free(c.room);
  return c.room ? 0 : WEFT__HOST_NO_MEMORY;
}

const weft__host_function weft__host_columns = {"fft columns", WEFT__LIBRARY_NONE, sizeof(task), transform, NULL, NULL};

bool weft__fft_columns_fits(const void *step) {
  const weft__fft_step *s = step;
  return weft__fft_is_for_host(s) && s->kind == WEFT__FFT_COMPLEX && s->inner >= WEFT__COLUMNS_LEAST &&
         s->length >= WEFT__COLUMNS_LEAST_LENGTH && s->length <= WEFT__COLUMNS_MOST_LENGTH &&
         weft__engine_allowed(WEFT__ENGINE_OWN) && weft__engine_allowed(WEFT__ENGINE_FFTW) &&
         weft__lanes_fit(s->length);
}

weft_status weft__fft_columns_run(bool *is_done, const void *step) {
  const weft__fft_step *s = step;
  weft_context *context = s->to->context;
  const bool in_place = weft__arrays_same(s->from, s->to), is_f64 = weft__needs_fp64(s->to->dtype);
  const weft__host_use uses[] = {{.array = s->to, .writes = true, .reads = in_place},
                                 {.array = s->from, .reads = true}};
  task t = {.batch = s->batch,
            .length = s->length,
            .inner = s->inner,
            .scale = s->scale,
            .element = weft_dtype_size_bytes(s->to->dtype),
            .is_f64 = is_f64,
            .inverse = s->inverse,
            .in_place = in_place};
  int code;
  t.wide = 2 * WEFT__LANES_BYTES / t.element;
  t.strips = weft_ceil_div(s->inner, t.wide);
  const bool is_small = weft_array_size_bytes(s->to) < WEFT__COLUMNS_SHARE_BYTES;
  t.threads = weft__shares_of(is_small ? 1 : t.strips * (uint64_t)s->batch, (uint64_t)weft__host_cores(context));
  WEFT__TRY_RETURN(weft__host_step(&code, &(weft__host_work){.context = context,
                                                             .uses = in_place ? 1 : 2,
                                                             .use = uses,
                                                             .function = &weft__host_columns,
                                                             .task = &t,
                                                             .what = s->what,
                                                             .site = s->site}));
  *is_done = code == 0;
  return WEFT_OK;
}
