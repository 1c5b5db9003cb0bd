// SPDX-License-Identifier: MIT
/// The ways to compute a transform along one axis.
#include "engine/engine.h"
#include "op/fft/fft.h"
#include "op/fft/tuning.h"

/// Short rows and columns, of which Weft's kernels load few elements in a run, or far apart. For few elements launches
/// count, of which VkFFT has some more for factors and real results.
static bool vkfft_short_fits(const void *task) {
  const weft__fft_step *step = task;
  return step->to->size > WEFT__VKFFT_FEW && (step->length < 256 || (step->inner > 1 && step->length <= 1024)) &&
         weft__fft_vkfft_fits(task);
}

static const weft__way ways[] = {
    WEFT__WAY(fft, columns, ALL, HOST, "CPUs: columns of a length of small factors, by Weft's loops"),
    WEFT__WAY(fft, fftw, ALL, HOST, "CPUs with FFTW"),
    WEFT__WAY(fft, cufft, ALL, CUDA, "contexts with .cuda: long rows of complex numbers"),
    {"vkfft_short", WEFT__ON_ALL, WEFT__BY_KERNELS, "short rows and columns of many elements", vkfft_short_fits,
     weft__fft_vkfft_run, false},
    WEFT__WAY(fft, local, ALL, KERNELS, "powers of 2, in local memory"),
    WEFT__WAY(fft, vkfft, ALL, KERNELS, "lengths that VkFFT takes"),
    WEFT__WAY_FOR_ALL(fft, own, ALL, KERNELS, "all"),
};
const weft__ways weft__fft_ways = WEFT__WAYS("fft", ways);

weft_status weft__fft_run(const weft__fft_step *step) {
  WEFT__TRY_RETURN(weft__engine_check());
  return weft__ways_run(&weft__fft_ways, step->to->context, step);
}
