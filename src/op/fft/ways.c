// SPDX-License-Identifier: MIT
/// The ways to compute a transform along one axis.
#include "engine/engine.h"
#include "op/fft/fft.h"

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
  enum { FEW = 1 << 16 };
  const weft__fft_step *step = task;
  return step->to->size > FEW && (step->length < 256 || (step->inner > 1 && step->length <= 1024)) && vkfft_fits(task);
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
    {"columns", "CPUs: columns of a length of small factors, by Weft's loops", WEFT__BY_HOST, is_cpu, columns_run,
     false},
    {"fftw", "CPUs with FFTW", WEFT__BY_HOST, is_cpu, fftw_run, false},
    {"cufft", "contexts with .cuda: long rows of complex numbers", WEFT__BY_CUDA, NULL, cufft_run, false},
    {"vkfft_short", "short rows and columns of many elements", WEFT__BY_KERNELS, vkfft_short_fits, vkfft_run, false},
    {"local", "powers of 2, in local memory", WEFT__BY_KERNELS, NULL, local_run, false},
    {"vkfft", "lengths that VkFFT takes", WEFT__BY_KERNELS, vkfft_fits, vkfft_run, false},
    {"own", "all", WEFT__BY_KERNELS, NULL, own_run, false},
};
const weft__ways weft__fft_ways = WEFT__WAYS("fft", ways);

weft_status weft__fft_run(const weft__fft_step *step) {
  WEFT__TRY_RETURN(weft__engine_check());
  return weft__ways_run(&weft__fft_ways, &step->to->context->core, step);
}
