// SPDX-License-Identifier: MIT
/// The engine FFTW, on the arrays' own memory of CPU devices. FFTW keeps what it learned about a plan (its wisdom), so
/// that a plan made again takes microseconds.
#include "engine/host_step.h"
#include "op/fft/fft.h"

/// As FFTW's fftw_iodim64.
typedef struct dimension {
  ptrdiff_t length, from_stride, to_stride;
} dimension;

typedef struct functions {
  void *(*complex)(int, const dimension *, int, const dimension *, void *, void *, int, unsigned);
  void *(*to_complex)(int, const dimension *, int, const dimension *, void *, void *, unsigned);
  void *(*to_real)(int, const dimension *, int, const dimension *, void *, void *, unsigned);
  void (*execute)(void *);
  void (*destroy)(void *);
  int (*init_threads)(void);
  void (*plan_with_threads)(int);
} functions;

#define SYMBOLS(prefix)                                                          \
  {                                                                              \
    {prefix "_plan_guru64_dft", offsetof(functions, complex), false},            \
        {prefix "_plan_guru64_dft_r2c", offsetof(functions, to_complex), false}, \
        {prefix "_plan_guru64_dft_c2r", offsetof(functions, to_real), false},    \
        {prefix "_execute", offsetof(functions, execute), false},                \
        {prefix "_destroy_plan", offsetof(functions, destroy), false},           \
        {prefix "_init_threads", offsetof(functions, init_threads), true}, {     \
      prefix "_plan_with_nthreads", offsetof(functions, plan_with_threads), true \
    }                                                                            \
  }

/// FFTW for one precision.
typedef struct precision {
  weft__engine_binding binding;
  functions call;
  bool has_threads; /* guarded by `planner` */
  bool was_begun;
} precision;

static const weft__engine_symbol f64_symbols[] = SYMBOLS("fftw"), f32_symbols[] = SYMBOLS("fftwf");
static precision f64 = {.binding = WEFT__ENGINE_BINDING(WEFT__LIBRARY_FFTW_F64, f64_symbols, &f64.call)},
                 f32 = {.binding = WEFT__ENGINE_BINDING(WEFT__LIBRARY_FFTW_F32, f32_symbols, &f32.call)};

/// FFTW's planner, and its number of threads, are global.
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

enum { FORWARD = -1, BACKWARD = 1, ESTIMATE = 1 << 6, PRESERVE_INPUT = 1 << 4 };

/// From this many elements on a transform is shared among threads. Threads cost it 8 us (FFTW 3.3.10, an EPYC of 2024);
/// on one thread f32 takes 17 us for this many elements in rows of 256, and 95 us for one row.
#define SHARED_SIZE 32768

typedef struct task {
  const weft__fft_step *step;
  precision *fftw;
  int threads;
} task;

static void *plan_of(const task *t, void *from, void *to) {
  const weft__fft_step *s = t->step;
  const ptrdiff_t n = (ptrdiff_t)s->length, half = n / 2 + 1, inner = (ptrdiff_t)s->inner;
  const ptrdiff_t from_length = s->kind == WEFT__FFT_TO_REAL ? half : n;
  const ptrdiff_t to_length = s->kind == WEFT__FFT_TO_COMPLEX ? half : n;
  const dimension along = {n, inner, inner};
  const dimension many[] = {{(ptrdiff_t)s->batch, from_length * inner, to_length * inner}, {inner, 1, 1}};
  const functions *call = &t->fftw->call;
  if (s->kind == WEFT__FFT_TO_COMPLEX) return call->to_complex(1, &along, 2, many, from, to, ESTIMATE | PRESERVE_INPUT);
  if (s->kind == WEFT__FFT_TO_REAL) return call->to_real(1, &along, 2, many, from, to, ESTIMATE | PRESERVE_INPUT);
  return call->complex(1, &along, 2, many, from, to, s->inverse ? BACKWARD : FORWARD, ESTIMATE);
}

static int transform(void *const *data, void *user) {
  const task *t = user;
  precision *fftw = t->fftw;
  void *to = data[0], *from = weft__arrays_same(t->step->from, t->step->to) ? to : data[1];
  pthread_mutex_lock(&planner);
  if (!fftw->was_begun) {
    fftw->was_begun = true;
    fftw->has_threads = fftw->call.init_threads && fftw->call.plan_with_threads && fftw->call.init_threads();
  }
  if (fftw->has_threads) fftw->call.plan_with_threads(t->threads);
  void *plan = plan_of(t, from, to);
  pthread_mutex_unlock(&planner);
  if (!plan) return 1;
  fftw->call.execute(plan);
  pthread_mutex_lock(&planner);
  fftw->call.destroy(plan);
  pthread_mutex_unlock(&planner);
  return 0;
}

weft_status weft__fft_fftw(bool *done, const weft__fft_step *step) {
  weft_context *context = step->to->context;
  task t = {.step = step, .fftw = weft__needs_fp64(step->to->dtype) ? &f64 : &f32, .threads = 1};
  int code;
  *done = false;
  if (!weft__engine_find(&t.fftw->binding)) return WEFT_OK;
  if (step->to->size >= SHARED_SIZE) t.threads = (int)context->core.device->info.compute_units;
  const bool in_place = weft__arrays_same(step->from, step->to);
  const weft__host_use uses[] = {{.array = step->to, .writes = true, .reads = in_place},
                                 {.array = step->from, .reads = true}};
  WEFT__TRY_RETURN(weft__host_step(&code, &(weft__host_work){.context = context,
                                                             .uses = in_place ? 1 : 2,
                                                             .use = uses,
                                                             .function = transform,
                                                             .user = &t,
                                                             .library = t.fftw->binding.library,
                                                             .what = step->what,
                                                             .site = step->site}));
  *done = code == 0;
  return *done && step->scale != 1 ? weft__fft_scale(step->to, step->scale, step->site) : WEFT_OK;
}
