// SPDX-License-Identifier: MIT
/// Sums of the elements of equal places, on the host: each in the elements' order, rounded each time.
#include "base/float_bits.h"
#include "op/sparse/csr.h"

/// What a recording keeps.
typedef struct summing {
  int64_t runs, elements, shares;
  int32_t dtype, unused;
} summing;

typedef struct runs_work {
  const summing *t;
  const int64_t *first; /* element of each run */
  const void *from;
  void *to;
  void (*add)(void *to, const void *from, int64_t run, int64_t i, int64_t end);
} runs_work;

/// to[run] is the sum of elements i to before `end`.
typedef void add_run(void *to, const void *from, int64_t run, int64_t i, int64_t end);

#define ADD_RUN(NAME, T, ADD)                                                         \
  static void NAME(void *to, const void *from, int64_t run, int64_t i, int64_t end) { \
    const T *x = from;                                                                \
    T sum = x[i];                                                                     \
    while (++i < end) sum = ADD(sum, x[i]);                                           \
    ((T *)to)[run] = sum;                                                             \
  }
#define EITHER(a, b) ((a) | (b))
#define WRAPPED_8(a, b) (uint8_t)((a) + (b))
#define WRAPPED_16(a, b) (uint16_t)((a) + (b))
#define SUM(a, b) ((a) + (b))
#define SUM_F16(a, b) weft__f16_of_f32(weft__f32_of_f16(a) + weft__f32_of_f16(b))
#define OF_BF16(x) weft__f32_of_bits((uint32_t)(x) << 16)
#define SUM_BF16(a, b) weft__bf16_of_f32(OF_BF16(a) + OF_BF16(b))
#define SUM_C64(a, b) ((weft_c64){(a).re + (b).re, (a).im + (b).im})
#define SUM_C128(a, b) ((weft_c128){(a).re + (b).re, (a).im + (b).im})
ADD_RUN(runs_bool, uint8_t, EITHER)
ADD_RUN(runs_8, uint8_t, WRAPPED_8)
ADD_RUN(runs_16, uint16_t, WRAPPED_16)
ADD_RUN(runs_32, uint32_t, SUM)
ADD_RUN(runs_64, uint64_t, SUM)
ADD_RUN(runs_f16, uint16_t, SUM_F16)
ADD_RUN(runs_bf16, uint16_t, SUM_BF16)
ADD_RUN(runs_f32, float, SUM)
ADD_RUN(runs_f64, double, SUM)
ADD_RUN(runs_c64, weft_c64, SUM_C64)
ADD_RUN(runs_c128, weft_c128, SUM_C128)

static void *share_runs(void *user) {
  const weft__share *share = user;
  const runs_work *w = share->all;
  const int64_t number = (int64_t)share->number, runs = w->t->runs, shares = w->t->shares;
  for (int64_t run = runs * number / shares; run < runs * (number + 1) / shares; run++)
    w->add(w->to, w->from, run, w->first[run], run + 1 < runs ? w->first[run + 1] : w->t->elements);
  return NULL;
}

static int run_sums(void *const *data, const void *task) {
  static add_run *const loops[] = {
      [WEFT_BOOL] = runs_bool, [WEFT_I8] = runs_8,    [WEFT_U8] = runs_8,      [WEFT_I16] = runs_16,
      [WEFT_U16] = runs_16,    [WEFT_I32] = runs_32,  [WEFT_U32] = runs_32,    [WEFT_I64] = runs_64,
      [WEFT_U64] = runs_64,    [WEFT_F16] = runs_f16, [WEFT_BF16] = runs_bf16, [WEFT_F32] = runs_f32,
      [WEFT_F64] = runs_f64,   [WEFT_C64] = runs_c64, [WEFT_C128] = runs_c128};
  const summing *t = task;
  const runs_work w = {.t = t, .to = data[0], .from = data[1], .first = data[2], .add = loops[t->dtype]};
  weft__run_shares((int)t->shares, share_runs, &w);
  return 0;
}

const weft__host_function weft__host_csr_sums = {"csr_sums", WEFT__LIBRARY_NONE, sizeof(summing), run_sums, NULL, NULL};

weft_status weft__csr_sums_host(weft_array *to, const weft_array *from, const weft_array *first, const char *site) {
  const summing t = {.runs = first->size,
                     .elements = from->size,
                     .shares = weft__csr_shares(to->context, (uint64_t)from->size / WEFT__CSR_SHARE_RUNS),
                     .dtype = (int32_t)from->dtype};
  const weft__host_use use[] = {
      {.array = to, .writes = true}, {.array = from, .reads = true}, {.array = first, .reads = true}};
  return weft__host_run(to->context, &weft__host_csr_sums, &t, 3, use, "csr sums", site);
}
