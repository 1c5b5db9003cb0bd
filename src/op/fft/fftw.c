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

/// From SHARED_SIZE elements of the result on rows with a large prime factor are shared among threads, and from
/// SHARED_BYTES on all transforms. Threads cost one 8 us (FFTW 3.3.10, an EPYC of 2024) to 50 us (a Xeon with 2
/// virtual cores, where a row of 10^5 floats took 155 us on one thread and 200 on two).
#define SHARED_BYTES (512 << 10)
#define SHARED_SIZE 32768

/// Elements of a column that are a multiple of a large power of two apart share sets of the first cache, which hold 8
/// to 12 each. From CROWD elements for a set on, columns are transformed in a copy whose rows have PADDING_BYTES more:
/// 2^20 c64 in columns of 1024 took 20 ms, and take 1.3; 10^5 c64 in columns of 390, 2 KiB apart, 1.4 and 0.25.
#define CACHE_WAY_BYTES 4096
#define CROWD 32
#define PADDING_BYTES 64

typedef struct task {
  const weft__fft_step *step;
  const weft_array *padded; /* in which the step is done in place; NULL: in its own arrays */
  ptrdiff_t pitch;          /* elements from one of a column to the next */
  ptrdiff_t from_pitch;     /* of `from`, if it has columns and `to` rows; else 0 */
  precision *fftw;
  int threads;
} task;

static void *make_plan(const task *t, void *from, void *to) {
  const weft__fft_step *s = t->step;
  const ptrdiff_t n = (ptrdiff_t)s->length, half = n / 2 + 1, inner = (ptrdiff_t)s->inner;
  const ptrdiff_t from_length = s->kind == WEFT__FFT_TO_REAL ? half : n;
  const ptrdiff_t to_length = s->kind == WEFT__FFT_TO_COMPLEX ? half : n;
  const dimension along = {n, t->pitch, t->pitch};
  const dimension strip = {n, t->from_pitch, 1}, beside = {(ptrdiff_t)s->batch, 1, n};
  const dimension many[] = {{(ptrdiff_t)s->batch, from_length * t->pitch, to_length * t->pitch}, {inner, 1, 1}};
  precision *fftw = t->fftw;
  const functions *call = &fftw->call;
  if (!fftw->was_begun) {
    fftw->was_begun = true;
    fftw->has_threads = call->init_threads && call->plan_with_threads && call->init_threads();
  }
  if (fftw->has_threads) call->plan_with_threads(t->threads);
  if (s->kind == WEFT__FFT_TO_COMPLEX) return call->to_complex(1, &along, 2, many, from, to, ESTIMATE | PRESERVE_INPUT);
  if (s->kind == WEFT__FFT_TO_REAL) return call->to_real(1, &along, 2, many, from, to, ESTIMATE | PRESERVE_INPUT);
  if (t->from_pitch) return call->complex(1, &strip, 1, &beside, from, to, s->inverse ? BACKWARD : FORWARD, ESTIMATE);
  return call->complex(1, &along, 2, many, from, to, s->inverse ? BACKWARD : FORWARD, ESTIMATE);
}

static void key_of(plan_key *key, const task *t, const void *from, const void *to) {
  const weft__fft_step *s = t->step;
  memset(key, 0, sizeof *key); /* keys are compared as bytes */
  key->length = (ptrdiff_t)s->length;
  key->batch = (ptrdiff_t)s->batch;
  key->inner = (ptrdiff_t)s->inner;
  key->pitch = t->pitch;
  key->from_pitch = t->from_pitch;
  key->kind = (int)s->kind;
  key->threads = t->threads;
  key->inverse = s->inverse;
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
  const functions *call = &t->fftw->call;
  if (t->step->kind == WEFT__FFT_TO_COMPLEX)
    call->execute_to_complex(plan, from, to);
  else if (t->step->kind == WEFT__FFT_TO_REAL)
    call->execute_to_real(plan, from, to);
  else
    call->execute_complex(plan, from, to);
}

/// The plan of a task, kept or new; NULL: FFTW has none.
static void *get_plan(plan_key *key, const task *t, void *from, void *to) {
  key_of(key, t, from, to);
  pthread_mutex_lock(&planner);
  void *plan = take_plan(t->fftw, key);
  if (!plan) plan = make_plan(t, from, to);
  pthread_mutex_unlock(&planner);
  return plan;
}

static void put_plan(const task *t, const plan_key *key, void *plan) {
  pthread_mutex_lock(&planner);
  keep_plan(t->fftw, key, plan);
  pthread_mutex_unlock(&planner);
}

static int transform(void *const *data, void *user) {
  const task *t = user;
  void *to = data[0], *from = t->padded || weft__arrays_same(t->step->from, t->step->to) ? to : data[1];
  plan_key key;
  void *plan = get_plan(&key, t, from, to);
  if (!plan) return 1;
  execute(t, plan, from, to);
  put_plan(t, &key, plan);
  return 0;
}

/* ---- threads ---- */

enum { THREAD_SIZE = 16384 };

/* ---- rows of many values ---- */

/// For a length with a prime factor from 17 on, FFTW's plans without measurements leave all rows to one thread: 1024
/// rows of 97 floats take 0.94 ms on two. Each thread gets a multiple of ROWS rows, which begin as aligned as the
/// first.
enum { ROWS = 16 };

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

/// The rows that the threads share, and the rest of them.
static int transform_rows(void *const *data, void *user) {
  const task *t = user;
  const weft__fft_step *s = t->step;
  const uint64_t half = s->length / 2 + 1, each = s->batch / (uint64_t)t->threads / ROWS * ROWS;
  const size_t from_row = (s->kind == WEFT__FFT_TO_REAL ? half : s->length) * weft_dtype_size_bytes(s->from->dtype);
  const size_t to_row = (s->kind == WEFT__FFT_TO_COMPLEX ? half : s->length) * weft_dtype_size_bytes(s->to->dtype);
  const uint64_t shared = each * (uint64_t)t->threads, rows[2] = {each, s->batch - shared};
  weft__fft_step part[2];
  task one[2];
  row_shares r[2];
  plan_key key[2];
  int plans = 0, code = 0;
  for (int k = 0; k < 2 && rows[k] && !code; k++) { /* both before a row is transformed */
    part[k] = *s;
    part[k].batch = rows[k];
    one[k] = (task){.step = &part[k], .pitch = 1, .fftw = t->fftw, .threads = 1};
    r[k] = (row_shares){.t = t, .to = data[0], .from_bytes = each * from_row, .to_bytes = each * to_row};
    r[k].from = weft__arrays_same(s->from, s->to) ? data[0] : data[1];
    r[k].from += k ? shared * from_row : 0;
    r[k].to += k ? shared * to_row : 0;
    r[k].plan = get_plan(&key[k], &one[k], r[k].from, r[k].to);
    plans += r[k].plan != NULL;
    code = r[k].plan == NULL;
  }
  for (int k = 0; k < plans; k++) {
    if (!code) weft__run_shares(k ? 1 : t->threads, transform_rows_share, &r[k]);
    put_plan(&one[k], &key[k], r[k].plan);
  }
  return code;
}

static bool goes_by_rows(const weft__fft_step *s, int threads) {
  static const uint64_t factor[] = {2, 3, 5, 7, 11, 13};
  uint64_t rest = s->length;
  for (int k = 0; k < 6; k++)
    while (rest % factor[k] == 0) rest /= factor[k];
  return rest > 1 && threads > 1 && s->inner == 1 && s->batch / (uint64_t)threads >= ROWS;
}

/* ---- columns ---- */

/// Columns of two lines of a cache are transformed as rows of a room, which the second cache holds: 10^5 c64 in columns
/// of 390 take 0.23 ms on a thread, in FFTW's own order 1.2 ms, and 0.31 if the elements of a column are apart by a
/// padded row. FFTW itself reads the columns where they do not share sets of the cache: 390 of 129 take a fifth less.
#define STRIP_BYTES 128
enum { LEAST_COLUMN = 128, MOST_COLUMN = 4096, TURNED = 16 };

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
  const weft__fft_step *s = t->step;
  const bool is_f64 = t->fftw == &f64;
  const size_t element = is_f64 ? 16 : 8, n = (size_t)s->length, inner = (size_t)s->inner;
  char *room = c->room + part->number * c->room_bytes;
  for (size_t k = part->number; k < c->strips * s->batch; k += (size_t)t->threads) {
    const size_t column = k % c->strips * c->wide, wide = inner - column < c->wide ? inner - column : c->wide;
    const size_t at = (k / c->strips * n * inner + column) * element;
    if (c->read && wide == c->wide) {
      t->fftw->call.execute_complex(c->read, c->from + at, room);
    } else {
      (is_f64 ? copy_c128 : copy_c64)(room, c->from + at, n, inner, wide, false);
      t->fftw->call.execute_complex(c->plan, room, room);
    }
    if (s->scale != 1) scale_room(room, is_f64, wide * n, s->scale);
    (is_f64 ? copy_c128 : copy_c64)(room, c->to + at, n, inner, wide, true);
  }
  return NULL;
}

static bool shares_sets(const weft__fft_step *step) {
  const uint64_t apart_bytes = step->inner * weft_dtype_size_bytes(step->to->dtype);
  const uint64_t power = apart_bytes & -apart_bytes, sets_bytes = power < CACHE_WAY_BYTES ? power : CACHE_WAY_BYTES;
  return step->inner > 1 && step->length * sets_bytes / CACHE_WAY_BYTES >= CROWD;
}

/// Whether FFTW reads the columns itself: all strips begin as aligned as the first one.
static bool reads_columns(const weft__fft_step *s, size_t element) {
  return !shares_sets(s) && (s->batch == 1 || s->length * s->inner * element % 64 == 0);
}

static int transform_columns(void *const *data, void *user) {
  const task *t = user;
  const weft__fft_step *s = t->step;
  const size_t element = t->fftw == &f64 ? 16 : 8;
  columns c = {.t = t, .to = data[0], .wide = STRIP_BYTES / element};
  c.from = weft__arrays_same(s->from, s->to) ? data[0] : data[1];
  c.strips = weft_ceil_div(s->inner, c.wide);
  c.room_bytes = weft_ceil_div(s->length * STRIP_BYTES, 64) * 64;
  c.room = aligned_alloc(64, c.room_bytes * (size_t)t->threads);
  if (!c.room) return 1;
  /* the last strip may be narrower: its room's other rows have any numbers */
  memset(c.room, 0, c.room_bytes * (size_t)t->threads);
  const weft__fft_step rows = {.inverse = s->inverse, .batch = c.wide, .length = s->length, .inner = 1};
  const task one = {.step = &rows, .pitch = 1, .fftw = t->fftw, .threads = 1};
  const task strip = {.step = &rows, .pitch = 1, .from_pitch = (ptrdiff_t)s->inner, .fftw = t->fftw, .threads = 1};
  plan_key key, read_key;
  c.plan = get_plan(&key, &one, c.room, c.room);
  if (c.plan && reads_columns(s, element)) c.read = get_plan(&read_key, &strip, c.from, c.room);
  if (c.plan) weft__run_shares(t->threads, transform_share, &c);
  if (c.plan) put_plan(&one, &key, c.plan);
  if (c.read) put_plan(&strip, &read_key, c.read);
  free(c.room);
  return c.plan ? 0 : 1;
}

static bool goes_by_strips(const weft__fft_step *s, size_t element) {
  const size_t wide = STRIP_BYTES / element;
  return s->kind == WEFT__FFT_COMPLEX && (s->inner % wide == 0 || s->inner >= 4 * wide) && s->length >= LEAST_COLUMN &&
         s->length <= MOST_COLUMN;
}

/* ---- rows of reals as complex rows of half the length ---- */

/// FFTW has vectors for complex numbers only: 390 real rows of 256 floats take it 111 us, and complex ones of 128 take
/// 44. Some lengths have better plans of reals. Many rows are transformed in groups, which a cache holds; long ones to
/// reals in two steps that all threads share.
enum { LONGEST_GROUPED = 8192, GROUP_SIZE = 8192 };

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
  const weft__fft_step *s = h->t->step;
  char *room = h->room + part->number * h->room_bytes;
  for (uint64_t row = part->number * h->group; row < s->batch; row += (uint64_t)h->t->threads * h->group) {
    const uint64_t rows = s->batch - row < h->group ? s->batch - row : h->group;
    void *plan = h->plan[rows < h->group];
    char *from = h->from + row * h->from_row, *to = h->to + row * h->to_row;
    if (s->kind == WEFT__FFT_TO_REAL) {
      weft__halves_run(&h->halves, to, from, (size_t)rows, 0, weft__halves_blocks(&h->halves));
      h->t->fftw->call.execute_complex(plan, to, to);
      if (s->scale != 1) scale_room(to, h->halves.is_f64, (size_t)(rows * s->length / 2), s->scale);
    } else {
      h->t->fftw->call.execute_complex(plan, from, room);
      weft__halves_run(&h->halves, to, room, (size_t)rows, 0, weft__halves_blocks(&h->halves));
    }
  }
  return NULL;
}

static void *begin_long_share(void *user) {
  const weft__share *part = user;
  const halves *h = part->all;
  const size_t blocks = weft__halves_blocks(&h->halves), threads = (size_t)h->t->threads;
  weft__halves_run(&h->halves, h->to, h->from, (size_t)h->t->step->batch, blocks * part->number / threads,
                   blocks * (part->number + 1) / threads);
  return NULL;
}

static bool is_grouped(const weft__fft_step *s) {
  return s->length <= LONGEST_GROUPED;
}

static void begin_halves(halves *h, const task *t, void *const *data) {
  const weft__fft_step *s = t->step;
  const size_t element = t->fftw == &f64 ? 16 : 8, half = (size_t)s->length / 2;
  const bool to_real = s->kind == WEFT__FFT_TO_REAL;
  *h = (halves){.t = t, .to = data[0], .from = data[1], .group = ROWS};
  while (h->group * s->length < GROUP_SIZE) h->group *= 2;
  h->from_row = (half + to_real) * element;
  h->to_row = (half + !to_real) * element;
  h->room_bytes = to_real ? 0 : (size_t)h->group * half * element;
  weft__halves_begin(&h->halves, (size_t)s->length, t->fftw == &f64, to_real, to_real ? 1 : s->scale);
}

static int transform_halves(void *const *data, void *user) {
  const task *t = user;
  const weft__fft_step *s = t->step;
  halves h;
  plan_key key[2];
  weft__fft_step part[2];
  task one[2];
  begin_halves(&h, t, data);
  const bool to_real = s->kind == WEFT__FFT_TO_REAL;
  const uint64_t last = s->batch % h.group, rows[2] = {is_grouped(s) ? h.group : s->batch, last};
  int code = 0;
  if (h.room_bytes) h.room = aligned_alloc(64, h.room_bytes * (size_t)t->threads);
  if (h.room_bytes && !h.room) return 1;
  for (int k = 0; k < (is_grouped(s) ? 2 : 1); k++) {
    if (!rows[k] || s->batch < rows[k]) continue;
    part[k] = (weft__fft_step){.inverse = to_real, .batch = rows[k], .length = s->length / 2, .inner = 1};
    one[k] = (task){.step = &part[k], .pitch = 1, .fftw = t->fftw, .threads = is_grouped(s) ? 1 : t->threads};
    h.plan[k] = get_plan(&key[k], &one[k], to_real ? h.to : h.from, to_real ? h.to : h.room);
    code = code || !h.plan[k];
  }
  if (!code && is_grouped(s)) weft__run_shares(t->threads, transform_groups, &h);
  if (!code && !is_grouped(s)) {
    weft__run_shares(t->threads, begin_long_share, &h);
    t->fftw->call.execute_complex(h.plan[0], h.to, h.to);
  }
  for (int k = 0; k < 2; k++)
    if (h.plan[k]) put_plan(&one[k], &key[k], h.plan[k]);
  free(h.room);
  return code;
}

static bool goes_by_halves(const weft__fft_step *s) {
  if (s->kind == WEFT__FFT_COMPLEX || s->length % 8 || (s->length % 32 && s->length < 1000)) return false;
  return is_grouped(s) || s->kind == WEFT__FFT_TO_REAL;
}

/* ---- steps ---- */

static weft_status run(int *code, const task *t, weft__host_function *function) {
  const weft__fft_step *step = t->step;
  const bool in_place = t->padded || weft__arrays_same(step->from, step->to);
  const weft__host_use uses[] = {{.array = t->padded ? t->padded : step->to, .writes = true, .reads = in_place},
                                 {.array = step->from, .reads = true}};
  return weft__host_step(code, &(weft__host_work){.context = step->to->context,
                                                  .uses = in_place ? 1 : 2,
                                                  .use = uses,
                                                  .function = function,
                                                  .user = (void *)t,
                                                  .library = t->fftw->binding.library,
                                                  .what = step->what,
                                                  .site = step->site});
}

/// Transforms columns in a padded copy.
static weft_status run_padded(int *code, task *t) {
  const weft__fft_step *step = t->step;
  const weft_shape rows = WEFT_SHAPE((int64_t)(step->batch * step->length), (int64_t)step->inner);
  const int64_t element = (int64_t)weft_dtype_size_bytes(step->to->dtype);
  weft_array *copy = NULL, from = weft__array_flat(step->from), to = weft__array_flat(step->to);
  weft_status rc;
  t->pitch += PADDING_BYTES / element;
  WEFT__TRY(
      weft__fft_scratch(&copy, step->to, step->to->dtype, step->batch * step->length * (uint64_t)t->pitch, step->site));
  weft_array view = weft__array_borrow(copy);
  weft__set_contiguous(&view, rows);
  view.stride_bytes[0] = element * t->pitch;
  weft__set_contiguous(&from, rows);
  weft__set_contiguous(&to, rows);
  t->padded = &view;
  WEFT__TRY(weft__cast_into(&view, &from, view.dtype, step->site));
  WEFT__TRY(run(code, t, transform));
  rc = *code == 0 ? weft__cast_into(&to, &view, to.dtype, step->site) : WEFT_OK;
done:
  weft_array_release(&copy);
  return rc;
}

weft_status weft__fft_fftw(bool *done, const weft__fft_step *step) {
  weft_context *context = step->to->context;
  task t = {.step = step,
            .pitch = (ptrdiff_t)step->inner,
            .fftw = weft__needs_fp64(step->to->dtype) ? &f64 : &f32,
            .threads = 1};
  int code;
  *done = false;
  if (!weft__engine_find(&t.fftw->binding)) return WEFT_OK;
  *done = weft__fft_is_product(step);
  if (*done) return weft__fft_by_product(step);
  const bool is_large = step->to->size >= SHARED_SIZE, by_halves = goes_by_halves(step),
             by_strips = goes_by_strips(step, weft_dtype_size_bytes(step->to->dtype));
  const int units = (int)context->core.device->info.compute_units;
  const int64_t shares = step->to->size / THREAD_SIZE;
  const bool by_rows = is_large && goes_by_rows(step, units);
  weft__host_function *const own = by_halves ? transform_halves : by_strips ? transform_columns : transform_rows;
  if (by_rows || weft_array_size_bytes(step->to) >= SHARED_BYTES) t.threads = units;
  if (by_halves || by_strips || by_rows) {
    if (t.threads > WEFT__MOST_SHARES) t.threads = WEFT__MOST_SHARES;
    if (t.threads > shares) t.threads = shares > 1 ? (int)shares : 1;
    WEFT__TRY_RETURN(run(&code, &t, own));
  } else {
    WEFT__TRY_RETURN(is_large && shares_sets(step) ? run_padded(&code, &t) : run(&code, &t, transform));
  }
  *done = code == 0;
  const bool is_scaled = step->scale == 1 || by_strips || (by_halves && is_grouped(step));
  return *done && !is_scaled ? weft__fft_scale(step->to, step->scale, step->site) : WEFT_OK;
}
