// SPDX-License-Identifier: MIT
// A program with kernels of Weft's and one of its own, for cache.py. It prints its result and what the cache did. With
// a word it closes its context, else the process's end does.
#include <inttypes.h>
#include <stdio.h>
#include <weft/weft.h>

int main(int argc, char **argv) {
  weft_context *context = NULL;
  weft_kernel *twice = NULL;
  weft_array *x = NULL, *sum = NULL;
  weft_usage usage;
  weft_cache_info info;
  float got = 0;
  (void)argv;
  WEFT_CHECK(weft_context_default(&context));
  WEFT_CHECK(weft_arange(&x, context, WEFT_F32, 0, 100, 1));
  WEFT_CHECK(weft_kernel_create(&twice, context,
                                .source = "kernel void twice(global float *x) {\n"
                                          "  x[get_global_id(0)] *= 2;\n}\n"));
  WEFT_CHECK(weft_launch(twice, WEFT_DIM3(10), WEFT_DIM3(10), x));
  WEFT_CHECK(weft_sum(&sum, x, WEFT_ALL_AXES));
  WEFT_CHECK(weft_to_host(&got, sizeof got, sum));
  WEFT_CHECK(weft_usage_get(&usage, context));
  weft_release(&x, &sum, &twice);
  if (argc > 1)
    WEFT_CHECK(weft_context_close(&context));
  else
    weft_context_release(&context);
  WEFT_CHECK(weft_cache_get(&info));
  printf("{\"sum\": %g, \"builds\": %" PRIu64 ", \"cached\": %" PRIu64 ", \"hits\": %" PRIu64 ", \"packed\": %" PRIu64
         ", \"misses\": %" PRIu64 ", \"refused\": %" PRIu64 "}\n",
         (double)got, usage.builds, usage.cached_builds, info.hits, info.packed_hits, info.misses, info.refused);
  return 0;
}
