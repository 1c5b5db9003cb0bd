// SPDX-License-Identifier: MIT
/// What several ways to compute a transform use.
#include <weft/ufunc.h>

#include "array/axes.h"
#include "map/cast.h"
#include "op/fft/fft.h"

weft_status weft__fft_launch(const weft__fft_kernel *k, const weft_array *from, const weft_array *to, const char *what,
                             const char *site) {
  enum { MOST_THREADS = 128, CPU_GROUPS = 8 }; /* of a block: the kernels hold up to 13 complex numbers in registers */
  const uint64_t own = weft__own_block(&to->context->core);
  uint64_t block = own < MOST_THREADS ? own : MOST_THREADS;
  /* a work-group runs on one core of a CPU: rather many small groups */
  while (to->context->store.is_cpu && block > 1 && k->threads < CPU_GROUPS * block) block /= 2;
  weft__use use[2];
  int uses = 0;
  if (from) use[uses++] = (weft__use){from->storage, false};
  use[uses++] = (weft__use){to->storage, true};
  return weft__run_kernel(&(weft__kernel_run){.kernel = k->kernel,
                                              .grid = weft__own_grid(k->threads, block),
                                              .block = weft__dim3(block, 1, 1),
                                              .arguments = k->arguments,
                                              .argument_bytes = k->argument_bytes,
                                              .uses = uses,
                                              .use = use,
                                              .what = what,
                                              .site = site});
}

weft_status weft__fft_scale(weft_array *x, double factor, const char *site) {
  /* as real numbers: a complex product with a real number could make NaN of infinity */
  weft_array *real = NULL, *same = NULL;
  weft_status rc;
  const bool is_complex = weft_dtype_kind(x->dtype) == 'c';
  const int64_t size = is_complex ? 2 * x->size : x->size;
  WEFT__TRY(weft__array_view(&real, x, site));
  real->dtype = weft__real_dtype(x->dtype);
  weft__set_contiguous(real, WEFT_SHAPE(size));
  same = real;
  rc = weft_multiply(&same, real, factor);
done:
  weft_array_release(&real);
  return rc;
}

int64_t weft__fft_good_length(int64_t n) {
  static const int64_t factor[] = {2, 3, 5, 7};
  for (;; n++) {
    int64_t rest = n;
    for (int k = 0; k < 4; k++)
      while (rest % factor[k] == 0) rest /= factor[k];
    if (rest == 1) return n;
  }
}

weft_status weft__fft_scratch(weft_array **out, const weft_array *like, weft_dtype dtype, uint64_t elements,
                              const char *site) {
  return weft__array_create(out, like->context, dtype, WEFT_SHAPE((int64_t)elements), site);
}
