// SPDX-License-Identifier: MIT
/// The ways to compute a transform along one axis.
#include "engine/engine.h"
#include "op/fft/fft.h"
#include "op/fft/tuning.h"

static bool is_cpu(const void *task) {
  return ((const weft__fft_step *)task)->to->context->core.device->info.type == WEFT_DEVICE_TYPE_CPU;
}

/// On a CPU VkFFT's kernels take seconds to build, and are slower: only if WEFT_ENGINE asks for it.
static bool vkfft_fits(const void *task) {
  return weft__engine_allowed(WEFT__ENGINE_VKFFT) && (!is_cpu(task) || !weft__engine_allowed(WEFT__ENGINE_OWN));
}

/// Short rows and columns, of which Weft's kernels load few elements in a run, or far apart. For few elements launches
/// count, of which VkFFT has some more for factors and real results.
static bool vkfft_short_fits(const void *task) {
  const weft__fft_step *step = task;
  return step->to->size > WEFT__VKFFT_FEW && (step->length < 256 || (step->inner > 1 && step->length <= 1024)) &&
         vkfft_fits(task);
}

#define RUN(name)                                                  \
  static weft_status name##_run(bool *is_done, const void *task) { \
    return weft__fft_##name(is_done, task);                        \
  }
RUN(columns)
RUN(fftw)
RUN(cufft)
RUN(vkfft)
RUN(local)
RUN(own)

static const weft__way ways[] = {
    {"columns", WEFT__ON_ALL, WEFT__BY_HOST, "CPUs: columns of a length of small factors, by Weft's loops", is_cpu,
     columns_run, false},
    {"fftw", WEFT__ON_ALL, WEFT__BY_HOST, "CPUs with FFTW", is_cpu, fftw_run, false},
    {"cufft", WEFT__ON_ALL, WEFT__BY_CUDA, "contexts with .cuda: long rows of complex numbers", NULL, cufft_run, false},
    {"vkfft_short", WEFT__ON_ALL, WEFT__BY_KERNELS, "short rows and columns of many elements", vkfft_short_fits,
     vkfft_run, false},
    {"local", WEFT__ON_ALL, WEFT__BY_KERNELS, "powers of 2, in local memory", NULL, local_run, false},
    {"vkfft", WEFT__ON_ALL, WEFT__BY_KERNELS, "lengths that VkFFT takes", vkfft_fits, vkfft_run, false},
    {"own", WEFT__ON_ALL, WEFT__BY_KERNELS, "all", NULL, own_run, false},
};
const weft__ways weft__fft_ways = WEFT__WAYS("fft", ways);

weft_status weft__fft_run(const weft__fft_step *step) {
  WEFT__TRY_RETURN(weft__engine_check());
  return weft__ways_run(&weft__fft_ways, step->to->context, step);
}
