// SPDX-License-Identifier: MIT
/// The engine cuFFT, in contexts made with .cuda: long rows of complex numbers, where it is faster than Weft's kernels
/// and VkFFT by more than the way to CUDA's stream and back takes.
#include <stdlib.h>

#include "engine/cuda_step.h"
#include "op/fft/fft.h"

/* ---- the library ---- */

typedef struct functions {
  int (*create)(int *plan);
  int (*destroy)(int plan);
  int (*set_stream)(int plan, weft__cuda_stream stream);
  int (*set_allocation)(int plan, int is_automatic);
  int (*make)(int plan, int axes, long long *length, long long *in_length, long long in_stride, long long in_apart,
              long long *out_length, long long out_stride, long long out_apart, int type, long long batch,
              size_t *work_bytes);
  int (*set_work)(int plan, void *work);
  int (*run_c64)(int plan, void *from, void *to, int direction);
  int (*run_c128)(int plan, void *from, void *to, int direction);
} functions;

static functions api;
#define ONE(member, name) \
  { "cufft" name, offsetof(functions, member), false }
static const weft__engine_symbol symbols[] = {
    ONE(create, "Create"),       ONE(destroy, "Destroy"),      ONE(set_stream, "SetStream"),
    ONE(make, "MakePlanMany64"), ONE(set_work, "SetWorkArea"), ONE(set_allocation, "SetAutoAllocation"),
    ONE(run_c64, "ExecC2C"),     ONE(run_c128, "ExecZ2Z"),
};
static weft__engine_binding binding = WEFT__ENGINE_BINDING(WEFT__LIBRARY_CUFFT, symbols, &api);

/// cufftType and the directions of cuFFT.
enum { C2C = 0x29, Z2Z = 0x69, FORWARD = -1, INVERSE = 1 };

#define MOST_PLANS 8

typedef struct plan {
  int number, type;
  uint64_t length, batch;
  size_t work_bytes;
} plan;

/// What a context has of the library: the last plans, the newest first.
typedef struct plans {
  weft__cuda_stream stream;
  int count;
  plan plan[MOST_PLANS];
} plans;

static int create_plans(void **handle, weft__cuda_stream stream) {
  plans *p = calloc(1, sizeof *p);
  if (!p) return -1;
  p->stream = stream;
  *handle = p;
  return 0;
}

static void destroy_plans(void *handle) {
  plans *p = handle;
  for (int k = 0; k < p->count; k++) api.destroy(p->plan[k].number);
  free(p);
}

static const weft__cuda_engine engine = {&binding, create_plans, destroy_plans};

/* ---- plans ---- */

static int make_plan(plan *made, const plans *p, int type, uint64_t length, uint64_t batch) {
  long long n = (long long)length;
  *made = (plan){.type = type, .length = length, .batch = batch};
  int code = api.create(&made->number);
  if (code) return code;
  code = api.set_allocation(made->number, 0);
  if (!code) code = api.make(made->number, 1, &n, NULL, 1, n, NULL, 1, n, type, (long long)batch, &made->work_bytes);
  if (!code) code = api.set_stream(made->number, p->stream);
  if (code) api.destroy(made->number);
  return code;
}

/// Moves the plan to the front, or makes it; the oldest one leaves.
static int find_plan(plans *p, int type, uint64_t length, uint64_t batch) {
  plan found = {0};
  int at = 0;
  while (at < p->count && (p->plan[at].type != type || p->plan[at].length != length || p->plan[at].batch != batch))
    at++;
  if (at < p->count) {
    found = p->plan[at];
  } else {
    const int code = make_plan(&found, p, type, length, batch);
    if (code) return code;
    if (p->count < MOST_PLANS)
      p->count++;
    else
      api.destroy(p->plan[MOST_PLANS - 1].number);
    at = p->count - 1;
  }
  for (; at > 0; at--) p->plan[at] = p->plan[at - 1];
  p->plan[0] = found;
  return 0;
}

/* ---- the step ---- */

static int type_of(const weft__fft_step *step) {
  return step->to->dtype == WEFT_C128 ? Z2Z : C2C;
}

static int measure(weft__cuda_call *call, void *user) {
  const weft__fft_step *step = user;
  plans *p = call->handle;
  const int code = find_plan(p, type_of(step), step->length, step->batch);
  if (!code) call->device_bytes = p->plan[0].work_bytes;
  return code;
}

static int transform(const weft__cuda_call *call, void *user) {
  const weft__fft_step *step = user;
  const plan *found = &((const plans *)call->handle)->plan[0];
  const int direction = step->inverse ? INVERSE : FORWARD;
  const int code = found->work_bytes ? api.set_work(found->number, call->device_work) : 0;
  if (code) return code;
  return found->type == Z2Z ? api.run_c128(found->number, call->data[0], call->data[1], direction)
                            : api.run_c64(found->number, call->data[0], call->data[1], direction);
}

/// Measured on an H200 (docs/performance.md): lengths without a factor over 7, in f32 except for powers of two. Scaling
/// the result would be a pass more.
static bool is_faster(const weft__fft_step *step) {
  const uint64_t least_bytes = (uint64_t)128 << 20;
  const bool is_power = (step->length & (step->length - 1)) == 0;
  return (uint64_t)weft_array_size_bytes(step->to) >= least_bytes && step->scale == 1 && step->length >= 1024 &&
         (step->to->dtype == WEFT_C128 || !is_power) &&
         (uint64_t)weft__fft_good_length((int64_t)step->length) == step->length;
}

bool weft__fft_cufft_fits(const void *task) {
  const weft__fft_step *step = task;
  return step->kind == WEFT__FFT_COMPLEX && step->inner == 1 &&
         (is_faster(step) || !weft__engine_allowed(WEFT__ENGINE_OWN)) &&
         weft__cuda_engine_is_there(&engine, step->to->context);
}

weft_status weft__fft_cufft_run(bool *is_done, const void *of) {
  const weft__fft_step *step = of;
  weft__fft_step task = *step;
  const weft__cuda_use uses[] = {weft__cuda_use_of(step->from, false), weft__cuda_use_of(step->to, true)};
  WEFT__TRY_RETURN(weft__cuda_step(is_done, &(weft__cuda_work){.context = step->to->context,
                                                               .engine = &engine,
                                                               .uses = 2,
                                                               .use = uses,
                                                               .measure = measure,
                                                               .run = transform,
                                                               .user = &task,
                                                               .what = step->what,
                                                               .site = step->site}));
  return *is_done && step->scale != 1 ? weft__fft_scale(step->to, step->scale, step->site) : WEFT_OK;
}
