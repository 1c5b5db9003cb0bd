// SPDX-License-Identifier: MIT
/// The engine FFTW, on the arrays' own memory of CPU devices. The last plans are kept: FFTW remembers how it computes a
/// transform (its wisdom), but a plan made again computes its roots of unity again, for 2^20 real numbers 1.4 to 1.9 ms
/// of 5.
#include <stdlib.h>
#include <string.h>

#include "engine/host_step.h"
#include "engine/shares.h"
#include "map/cast.h"
#include "op/fft/fft.h"
#include "op/fft/halves.h"
#include "op/fft/tuning.h"

/// As FFTW's fftw_iodim64.
typedef struct dimension {
  ptrdiff_t length, from_stride, to_stride;
} dimension;

typedef struct functions {
  void *(*complex)(int, const dimension *, int, const dimension *, void *, void *, int, unsigned);
  void *(*to_complex)(int, const dimension *, int, const dimension *, void *, void *, unsigned);
  void *(*to_real)(int, const dimension *, int, const dimension *, void *, void *, unsigned);
  void (*execute_complex)(void *, void *, void *);
  void (*execute_to_complex)(void *, void *, void *);
  void (*execute_to_real)(void *, void *, void *);
  void (*destroy)(void *);
  int (*init_threads)(void);
  void (*plan_with_threads)(int);
} functions;

#define SYMBOLS(prefix)                                                              \
  {                                                                                  \
    {prefix "_plan_guru64_dft", offsetof(functions, complex), false},                \
        {prefix "_plan_guru64_dft_r2c", offsetof(functions, to_complex), false},     \
        {prefix "_plan_guru64_dft_c2r", offsetof(functions, to_real), false},        \
        {prefix "_execute_dft", offsetof(functions, execute_complex), false},        \
        {prefix "_execute_dft_r2c", offsetof(functions, execute_to_complex), false}, \
        {prefix "_execute_dft_c2r", offsetof(functions, execute_to_real), false},    \
        {prefix "_destroy_plan", offsetof(functions, destroy), false},               \
        {prefix "_init_threads", offsetof(functions, init_threads), true}, {         \
      prefix "_plan_with_nthreads", offsetof(functions, plan_with_threads), true     \
    }                                                                                \
  }

/// What a plan depends on. `phase`: where the arrays begin within 64 bytes.
typedef struct plan_key {
  ptrdiff_t length, batch, inner, pitch, from_pitch;
  int kind, threads;
  bool inverse, in_place;
  uint8_t from_phase, to_phase;
} plan_key;

/// Plans, as many as four transforms along three axes need; a plan's length: it needs up to 16 bytes for each value.
enum { KEPT = 12, LONGEST_KEPT = 1 << 22 };

/// A plan that no thread uses.
typedef struct kept_plan {
  void *plan;
  plan_key key;
} kept_plan;

/// FFTW for one precision.
typedef struct precision {
  weft__engine_binding binding;
  functions call;
  bool has_threads; /* guarded by `planner` */
  bool was_begun;
  kept_plan kept[KEPT]; /* guarded by `planner` */
  int oldest;
} precision;

static const weft__engine_symbol f64_symbols[] = SYMBOLS("fftw"), f32_symbols[] = SYMBOLS("fftwf");
static precision f64 = {.binding = WEFT__ENGINE_BINDING(WEFT__LIBRARY_FFTW_F64, f64_symbols, &f64.call)},
                 f32 = {.binding = WEFT__ENGINE_BINDING(WEFT__LIBRARY_FFTW_F32, f32_symbols, &f32.call)};

/// FFTW's planner, and its number of threads, are global.
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

enum { FORWARD = -1, BACKWARD = 1, ESTIMATE = 1 << 6, PRESERVE_INPUT = 1 << 4 };

/// How a task goes about its rows.
typedef enum way { WHOLE, BY_ROWS, BY_STRIPS, BY_HALVES } way;

/// The task of a host step, or a part of it that has a plan.
typedef struct task {
  uint64_t batch, length, inner; /* as weft__fft_step's */
  double scale;
  ptrdiff_t pitch;      /* elements from one of a column to the next */
  ptrdiff_t from_pitch; /* of `from`, if it has columns and `to` rows; else 0 */
  weft__fft_kind kind;
  way way;
  int threads;
  bool inverse, in_place, is_f64;
} task;

static precision *precision_of(const task *t) {
  return t->is_f64 ? &f64 : &f32;
}

static void *make_plan(const task *t, void *from, void *to) {
  const ptrdiff_t n = (ptrdiff_t)t->length, half = n / 2 + 1, inner = (ptrdiff_t)t->inner;
  const ptrdiff_t from_length = t->kind == WEFT__FFT_TO_REAL ? half : n;
  const ptrdiff_t to_length = t->kind == WEFT__FFT_TO_COMPLEX ? half : n;
  const dimension along = {n, t->pitch, t->pitch};
  const dimension strip = {n, t->from_pitch, 1}, beside = {(ptrdiff_t)t->batch, 1, n};
  const dimension many[] = {{(ptrdiff_t)t->batch, from_length * t->pitch, to_length * t->pitch}, {inner, 1, 1}};
  precision *fftw = precision_of(t);
  const functions *call = &fftw->call;
  if (!fftw->was_begun) {
    fftw->was_begun = true;
    fftw->has_threads = call->init_threads && call->plan_with_threads && call->init_threads();
  }
  if (fftw->has_threads) call->plan_with_threads(t->threads);
  if (t->kind == WEFT__FFT_TO_COMPLEX) return call->to_complex(1, &along, 2, many, from, to, ESTIMATE | PRESERVE_INPUT);
  if (t->kind == WEFT__FFT_TO_REAL) return call->to_real(1, &along, 2, many, from, to, ESTIMATE | PRESERVE_INPUT);
  if (t->from_pitch) return call->complex(1, &strip, 1, &beside, from, to, t->inverse ? BACKWARD : FORWARD, ESTIMATE);
  return call->complex(1, &along, 2, many, from, to, t->inverse ? BACKWARD : FORWARD, ESTIMATE);
}

static void key_of(plan_key *key, const task *t, const void *from, const void *to) {
  memset(key, 0, sizeof *key); /* keys are compared as bytes */
  key->length = (ptrdiff_t)t->length;
  key->batch = (ptrdiff_t)t->batch;
  key->inner = (ptrdiff_t)t->inner;
  key->pitch = t->pitch;
  key->from_pitch = t->from_pitch;
  key->kind = (int)t->kind;
  key->threads = t->threads;
  key->inverse = t->inverse;
  key->in_place = from == to;
  key->from_phase = (uint8_t)((uintptr_t)from % 64);
  key->to_phase = (uint8_t)((uintptr_t)to % 64);
}

/// Takes the kept plan of a key out of the list, or NULL.
static void *take_plan(precision *fftw, const plan_key *key) {
  for (int k = 0; k < KEPT; k++) {
    void *plan = fftw->kept[k].plan;
    if (!plan || memcmp(&fftw->kept[k].key, key, sizeof *key) != 0) continue;
    fftw->kept[k].plan = NULL;
    return plan;
  }
  return NULL;
}

/// Keeps a plan in the place of the oldest one, unless it is large.
static void keep_plan(precision *fftw, const plan_key *key, void *plan) {
  void *left = plan;
  if (key->length <= LONGEST_KEPT) {
    kept_plan *place = &fftw->kept[fftw->oldest];
    for (int k = 0; k < KEPT && place->plan; k++)
      if (!fftw->kept[k].plan) place = &fftw->kept[k];
    left = place->plan;
    if (left) fftw->oldest = (fftw->oldest + 1) % KEPT;
    *place = (kept_plan){.plan = plan};
    memcpy(&place->key, key, sizeof *key);
  }
  if (left) fftw->call.destroy(left);
}

static void execute(const task *t, void *plan, void *from, void *to) {
  const functions *call = &precision_of(t)->call;
  if (t->kind == WEFT__FFT_TO_COMPLEX)
    call->execute_to_complex(plan, from, to);
  else if (t->kind == WEFT__FFT_TO_REAL)
    call->execute_to_real(plan, from, to);
  else
    call->execute_complex(plan, from, to);
}

/// The plan of a task, kept or new; NULL: FFTW has none.
static void *get_plan(plan_key *key, const task *t, void *from, void *to) {
  key_of(key, t, from, to);
  pthread_mutex_lock(&planner);
  void *plan = take_plan(precision_of(t), key);
  if (!plan) plan = make_plan(t, from, to);
  pthread_mutex_unlock(&planner);
  return plan;
}

static void put_plan(const task *t, const plan_key *key, void *plan) {
  pthread_mutex_lock(&planner);
  keep_plan(precision_of(t), key, plan);
  pthread_mutex_unlock(&planner);
}

/// Where a task's numbers are.
static char *from_of(const task *t, void *const *data) {
  return data[!t->in_place];
}

static int transform(const task *t, void *const *data) {
  void *to = data[0], *from = from_of(t, data);
  plan_key key;
  void *plan = get_plan(&key, t, from, to);
  if (!plan) return WEFT__HOST_REFUSED;
  execute(t, plan, from, to);
  put_plan(t, &key, plan);
  return 0;
}

/* ---- rows of many values ---- */

/// For a length with a prime factor from 17 on, FFTW's plans without measurements leave all rows to one thread: 1024
/// rows of 97 floats take 0.94 ms on two. Each thread gets a multiple of WEFT__FFTW_ROWS rows, which begin as aligned
/// as the first.
typedef struct row_shares {
  const task *t;
  void *plan;
  char *from, *to;
  size_t from_bytes, to_bytes; /* of a share */
} row_shares;

static void *transform_rows_share(void *user) {
  const weft__share *part = user;
  const row_shares *r = part->all;
  execute(r->t, r->plan, r->from + part->number * r->from_bytes, r->to + part->number * r->to_bytes);
  return NULL;
}

static size_t complex_bytes(const task *t) {
  return t->is_f64 ? 16 : 8;
}

/// The rows that the threads share, and the rest of them.
static int transform_rows(const task *t, void *const *data) {
  const uint64_t half = t->length / 2 + 1, each = t->batch / (uint64_t)t->threads / WEFT__FFTW_ROWS * WEFT__FFTW_ROWS;
  const size_t complex = complex_bytes(t);
  const size_t from_row =
      (t->kind == WEFT__FFT_TO_REAL ? half : t->length) * (t->kind == WEFT__FFT_TO_COMPLEX ? complex / 2 : complex);
  const size_t to_row =
      (t->kind == WEFT__FFT_TO_COMPLEX ? half : t->length) * (t->kind == WEFT__FFT_TO_REAL ? complex / 2 : complex);
  const uint64_t shared = each * (uint64_t)t->threads, rows[2] = {each, t->batch - shared};
  task one[2];
  row_shares r[2];
  plan_key key[2];
  int plans = 0, code = 0;
  for (int k = 0; k < 2 && rows[k] && !code; k++) { /* both before a row is transformed */
    one[k] = *t;
    one[k].batch = rows[k];
    one[k].pitch = one[k].threads = 1;
    r[k] = (row_shares){.t = t, .to = data[0], .from_bytes = each * from_row, .to_bytes = each * to_row};
    r[k].from = from_of(t, data);
    r[k].from += k ? shared * from_row : 0;
    r[k].to += k ? shared * to_row : 0;
    r[k].plan = get_plan(&key[k], &one[k], r[k].from, r[k].to);
    plans += r[k].plan != NULL;
    code = r[k].plan ? 0 : WEFT__HOST_REFUSED;
  }
  for (int k = 0; k < plans; k++) {
    if (!code) weft__run_shares(k ? 1 : t->threads, transform_rows_share, &r[k]);
    put_plan(&one[k], &key[k], r[k].plan);
  }
  return code;
}

static bool goes_by_rows(const task *t, int threads) {
  static const uint64_t factor[] = {2, 3, 5, 7, 11, 13};
  uint64_t rest = t->length;
  for (int k = 0; k < 6; k++)
    while (rest % factor[k] == 0) rest /= factor[k];
  return rest > 1 && threads > 1 && t->inner == 1 && t->batch / (uint64_t)threads >= WEFT__FFTW_ROWS;
}

/* ---- columns ---- */

/// Columns of two lines of a cache are transformed as rows of a room, which the second cache holds: 10^5 c64 in columns
/// of 390 take 0.23 ms on a thread, in FFTW's own order 1.2 ms, and 0.31 if the elements of a column are apart by a
/// padded row. FFTW itself reads the columns where they do not share sets of the cache: 390 of 129 take a fifth less.
enum { TURNED = 16 };

typedef struct columns {
  const task *t;
  void *plan; /* of the room's rows, in place */
  void *read; /* of columns of `from` to the room's rows; NULL: they are copied */
  char *from, *to;
  size_t wide, strips; /* columns of a strip; strips of a [length, inner] */
  char *room;          /* of all threads */
  size_t room_bytes;   /* of a thread */
} columns;

#define COPY_COLUMNS(NAME, T)                                                                               \
  static void NAME(char *restrict room_bytes, char *restrict at_bytes, size_t n, size_t inner, size_t wide, \
                   bool back) {                                                                             \
    T *restrict room = (T *)(void *)room_bytes, *restrict at = (T *)(void *)at_bytes;                       \
    for (size_t r = 0; r < n && back; r++)                                                                  \
      for (size_t k = 0; k < wide; k++) at[r * inner + k] = room[k * n + r];                                \
    for (size_t r = 0; r < n && !back; r += TURNED)                                                         \
      for (size_t k = 0; k < wide; k++)                                                                     \
        for (size_t i = r; i < n && i < r + TURNED; i++) room[k * n + i] = at[i * inner + k];               \
  }

typedef struct two_floats {
  float part[2];
} two_floats;
typedef struct two_doubles {
  double part[2];
} two_doubles;

COPY_COLUMNS(copy_c64, two_floats)
COPY_COLUMNS(copy_c128, two_doubles)

static void scale_room(char *room, bool is_f64, size_t elements, double scale) {
  double *wide = (double *)(void *)room;
  float *narrow = (float *)(void *)room;
  for (size_t k = 0; k < 2 * elements && is_f64; k++) wide[k] *= scale;
  for (size_t k = 0; k < 2 * elements && !is_f64; k++) narrow[k] *= (float)scale;
}

static void *transform_share(void *user) {
  const weft__share *part = user;
  const columns *c = part->all;
  const task *t = c->t;
  const functions *call = &precision_of(t)->call;
  const size_t element = complex_bytes(t), n = (size_t)t->length, inner = (size_t)t->inner;
  char *room = c->room + part->number * c->room_bytes;
  for (size_t k = part->number; k < c->strips * t->batch; k += (size_t)t->threads) {
    const size_t column = k % c->strips * c->wide, wide = inner - column < c->wide ? inner - column : c->wide;
    const size_t at = (k / c->strips * n * inner + column) * element;
    if (c->read && wide == c->wide) {
      call->execute_complex(c->read, c->from + at, room);
    } else {
      (t->is_f64 ? copy_c128 : copy_c64)(room, c->from + at, n, inner, wide, false);
      call->execute_complex(c->plan, room, room);
    }
    if (t->scale != 1) scale_room(room, t->is_f64, wide * n, t->scale);
    (t->is_f64 ? copy_c128 : copy_c64)(room, c->to + at, n, inner, wide, true);
  }
  return NULL;
}

/// `element`: bytes of one of the result.
static bool shares_sets(const task *t, size_t element) {
  const uint64_t apart_bytes = t->inner * element;
  const uint64_t power = apart_bytes & -apart_bytes,
                 sets_bytes = power < WEFT__FFTW_WAY_BYTES ? power : WEFT__FFTW_WAY_BYTES;
  return t->inner > 1 && t->length * sets_bytes / WEFT__FFTW_WAY_BYTES >= WEFT__FFTW_CROWD;
}

/// Whether FFTW reads the columns itself: all strips begin as aligned as the first one.
static bool reads_columns(const task *t, size_t element) {
  return !shares_sets(t, element) && (t->batch == 1 || t->length * t->inner * element % 64 == 0);
}

static int transform_columns(const task *t, void *const *data) {
  const size_t element = complex_bytes(t);
  columns c = {.t = t, .to = data[0], .from = from_of(t, data), .wide = WEFT__FFTW_STRIP_BYTES / element};
  c.strips = weft_ceil_div(t->inner, c.wide);
  c.room_bytes = weft_ceil_div(t->length * WEFT__FFTW_STRIP_BYTES, 64) * 64;
  c.room = aligned_alloc(64, c.room_bytes * (size_t)t->threads);
  if (!c.room) return WEFT__HOST_NO_MEMORY;
  /* the last strip may be narrower: its room's other rows have any numbers */
  memset(c.room, 0, c.room_bytes * (size_t)t->threads);
  const task one = {.inverse = t->inverse,
                    .batch = c.wide,
                    .length = t->length,
                    .inner = 1,
                    .pitch = 1,
                    .is_f64 = t->is_f64,
                    .threads = 1};
  task strip = one;
  strip.from_pitch = (ptrdiff_t)t->inner;
  plan_key key, read_key;
  c.plan = get_plan(&key, &one, c.room, c.room);
  if (c.plan && reads_columns(t, element)) c.read = get_plan(&read_key, &strip, c.from, c.room);
  if (c.plan) weft__run_shares(t->threads, transform_share, &c);
  if (c.plan) put_plan(&one, &key, c.plan);
  if (c.read) put_plan(&strip, &read_key, c.read);
  free(c.room);
  return c.plan ? 0 : WEFT__HOST_REFUSED;
}

static bool goes_by_strips(const task *t) {
  const size_t wide = WEFT__FFTW_STRIP_BYTES / complex_bytes(t);
  return t->kind == WEFT__FFT_COMPLEX && (t->inner % wide == 0 || t->inner >= 4 * wide) &&
         t->length >= WEFT__FFTW_LEAST_COLUMN && t->length <= WEFT__FFTW_MOST_COLUMN;
}

/* ---- rows of reals as complex rows of half the length ---- */

/// FFTW has vectors for complex numbers only: 390 real rows of 256 floats take it 111 us, and complex ones of 128 take
/// 44. Some lengths have better plans of reals. Many rows are transformed in groups, which a cache holds; long ones to
/// reals in two steps that all threads share.

typedef struct halves {
  const task *t;
  weft__halves halves;
  uint64_t group; /* rows */
  void *plan[2];  /* of a group, and of the last rows */
  char *from, *to, *room;
  size_t from_row, to_row, room_bytes; /* of a row, of a thread */
} halves;

static void *transform_groups(void *user) {
  const weft__share *part = user;
  const halves *h = part->all;
  const task *s = h->t;
  const functions *call = &precision_of(s)->call;
  char *room = h->room + part->number * h->room_bytes;
  for (uint64_t row = part->number * h->group; row < s->batch; row += (uint64_t)s->threads * h->group) {
    const uint64_t rows = s->batch - row < h->group ? s->batch - row : h->group;
    void *plan = h->plan[rows < h->group];
    char *from = h->from + row * h->from_row, *to = h->to + row * h->to_row;
    if (s->kind == WEFT__FFT_TO_REAL) {
      weft__halves_run(&h->halves, to, from, (size_t)rows, 0, weft__halves_blocks(&h->halves));
      call->execute_complex(plan, to, to);
      if (s->scale != 1) scale_room(to, h->halves.is_f64, (size_t)(rows * s->length / 2), s->scale);
    } else {
      call->execute_complex(plan, from, room);
      weft__halves_run(&h->halves, to, room, (size_t)rows, 0, weft__halves_blocks(&h->halves));
    }
  }
  return NULL;
}

static void *begin_long_share(void *user) {
  const weft__share *part = user;
  const halves *h = part->all;
  const size_t blocks = weft__halves_blocks(&h->halves), threads = (size_t)h->t->threads;
  weft__halves_run(&h->halves, h->to, h->from, (size_t)h->t->batch, blocks * part->number / threads,
                   blocks * (part->number + 1) / threads);
  return NULL;
}

static bool is_grouped(const task *t) {
  return t->length <= WEFT__FFTW_LONGEST_GROUPED;
}

static void begin_halves(halves *h, const task *t, void *const *data) {
  const size_t element = complex_bytes(t), half = (size_t)t->length / 2;
  const bool to_real = t->kind == WEFT__FFT_TO_REAL;
  *h = (halves){.t = t, .to = data[0], .from = data[1], .group = WEFT__FFTW_ROWS};
  while (h->group * t->length < WEFT__FFTW_GROUP_SIZE) h->group *= 2;
  h->from_row = (half + to_real) * element;
  h->to_row = (half + !to_real) * element;
  h->room_bytes = to_real ? 0 : (size_t)h->group * half * element;
  weft__halves_begin(&h->halves, (size_t)t->length, t->is_f64, to_real, to_real ? 1 : t->scale);
}

static int transform_halves(const task *t, void *const *data) {
  halves h;
  plan_key key[2];
  task one[2];
  begin_halves(&h, t, data);
  const bool to_real = t->kind == WEFT__FFT_TO_REAL;
  const uint64_t last = t->batch % h.group, rows[2] = {is_grouped(t) ? h.group : t->batch, last};
  int code = 0;
  if (h.room_bytes) h.room = aligned_alloc(64, h.room_bytes * (size_t)t->threads);
  if (h.room_bytes && !h.room) return WEFT__HOST_NO_MEMORY;
  for (int k = 0; k < (is_grouped(t) ? 2 : 1); k++) {
    if (!rows[k] || t->batch < rows[k]) continue;
    one[k] = (task){.inverse = to_real,
                    .batch = rows[k],
                    .length = t->length / 2,
                    .inner = 1,
                    .pitch = 1,
                    .is_f64 = t->is_f64,
                    .threads = is_grouped(t) ? 1 : t->threads};
    h.plan[k] = get_plan(&key[k], &one[k], to_real ? h.to : h.from, to_real ? h.to : h.room);
    if (!h.plan[k]) code = WEFT__HOST_REFUSED;
  }
  if (!code && is_grouped(t)) weft__run_shares(t->threads, transform_groups, &h);
  if (!code && !is_grouped(t)) {
    weft__run_shares(t->threads, begin_long_share, &h);
    precision_of(t)->call.execute_complex(h.plan[0], h.to, h.to);
  }
  for (int k = 0; k < 2; k++)
    if (h.plan[k]) put_plan(&one[k], &key[k], h.plan[k]);
  free(h.room);
  return code;
}

static bool goes_by_halves(const task *t) {
  if (t->kind == WEFT__FFT_COMPLEX || t->length % 8 || (t->length % 32 && t->length < 1000)) return false;
  return is_grouped(t) || t->kind == WEFT__FFT_TO_REAL;
}

/* ---- steps ---- */

static int run_task(void *const *data, const void *of) {
  static int (*const run[])(const task *, void *const *) = {
      [WHOLE] = transform, [BY_ROWS] = transform_rows, [BY_STRIPS] = transform_columns, [BY_HALVES] = transform_halves};
  const task *t = of;
  return run[t->way](t, data);
}

static bool has_f32(void) {
  return weft__engine_find(&f32.binding);
}

static bool has_f64(void) {
  return weft__engine_find(&f64.binding);
}

const weft__host_function weft__host_fftw_f32 = {"fftw f32", WEFT__LIBRARY_FFTW_F32, sizeof(task), run_task, has_f32,
                                                 NULL},
                          weft__host_fftw_f64 = {"fftw f64", WEFT__LIBRARY_FFTW_F64, sizeof(task), run_task, has_f64,
                                                 NULL};

/// `to`, `from`: the step's arrays, or a copy that is transformed in place.
static weft_status run(int *code, const task *t, const weft_array *to, const weft_array *from,
                       const weft__fft_step *step) {
  const weft__host_use uses[] = {{.array = to, .writes = true, .reads = t->in_place}, {.array = from, .reads = true}};
  return weft__host_step(code, &(weft__host_work){.context = to->context,
                                                  .uses = t->in_place ? 1 : 2,
                                                  .use = uses,
                                                  .function = t->is_f64 ? &weft__host_fftw_f64 : &weft__host_fftw_f32,
                                                  .task = t,
                                                  .what = step->what,
                                                  .site = step->site});
}

/// Transforms columns in a padded copy.
static weft_status run_padded(int *code, task *t, const weft__fft_step *step) {
  const weft_shape rows = WEFT_SHAPE((int64_t)(step->batch * step->length), (int64_t)step->inner);
  const int64_t element = (int64_t)weft_dtype_size_bytes(step->to->dtype);
  weft_array *copy = NULL, from = weft__array_flat(step->from), to = weft__array_flat(step->to);
  weft_status rc;
  t->pitch += WEFT__FFTW_PADDING_BYTES / element;
  t->in_place = true;
  WEFT__TRY(
      weft__fft_scratch(&copy, step->to, step->to->dtype, step->batch * step->length * (uint64_t)t->pitch, step->site));
  weft_array view = weft__array_borrow(copy);
  weft__set_contiguous(&view, rows);
  view.stride_bytes[0] = element * t->pitch;
  weft__set_contiguous(&from, rows);
  weft__set_contiguous(&to, rows);
  WEFT__TRY(weft__cast_into(&view, &from, view.dtype, step->site));
  WEFT__TRY(run(code, t, &view, &view, step));
  rc = *code == 0 ? weft__cast_into(&to, &view, to.dtype, step->site) : WEFT_OK;
done:
  weft_array_release(&copy);
  return rc;
}

bool weft__fft_fftw_fits(const void *of) {
  const weft__fft_step *step = of;
  return weft__fft_is_for_host(step) && weft__engine_find(&(weft__needs_fp64(step->to->dtype) ? &f64 : &f32)->binding);
}

weft_status weft__fft_fftw_run(bool *is_done, const void *of) {
  const weft__fft_step *step = of;
  const size_t element = weft_dtype_size_bytes(step->to->dtype);
  task t = {.batch = step->batch,
            .length = step->length,
            .inner = step->inner,
            .scale = step->scale,
            .pitch = (ptrdiff_t)step->inner,
            .kind = step->kind,
            .threads = 1,
            .inverse = step->inverse,
            .in_place = weft__arrays_same(step->from, step->to),
            .is_f64 = weft__needs_fp64(step->to->dtype)};
  int code;
  *is_done = weft__fft_is_product(step);
  if (*is_done) return weft__fft_by_product(step);
  const bool is_large = step->to->size >= WEFT__FFTW_SHARED_SIZE;
  const int units = (int)step->to->context->core.device->info.compute_units;
  const int64_t shares = step->to->size / WEFT__FFTW_THREAD_SIZE;
  const bool by_rows = is_large && goes_by_rows(&t, units);
  t.way = goes_by_halves(&t) ? BY_HALVES : goes_by_strips(&t) ? BY_STRIPS : by_rows ? BY_ROWS : WHOLE;
  if (by_rows || weft_array_size_bytes(step->to) >= WEFT__FFTW_SHARED_BYTES) t.threads = units;
  if (t.way != WHOLE) {
    if (t.threads > WEFT__MOST_SHARES) t.threads = WEFT__MOST_SHARES;
    if (t.threads > shares) t.threads = shares > 1 ? (int)shares : 1;
  }
  const bool is_padded = t.way == WHOLE && is_large && shares_sets(&t, element);
  WEFT__TRY_RETURN(is_padded ? run_padded(&code, &t, step) : run(&code, &t, step->to, step->from, step));
  *is_done = code == 0;
  const bool is_scaled = step->scale == 1 || t.way == BY_STRIPS || (t.way == BY_HALVES && is_grouped(&t));
  return *is_done && !is_scaled ? weft__fft_scale(step->to, step->scale, step->site) : WEFT_OK;
}
