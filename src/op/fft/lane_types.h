// SPDX-License-Identifier: MIT
/// The passes of lanes.c for both dtypes and all radices, of one width of vectors (base/each_width.h).
#define T float
#define NAME(name) WIDTH(name##_f32)
#include "op/fft/lane_passes.h"
#define T double
#define NAME(name) WIDTH(name##_f64)
#include "op/fft/lane_passes.h"
#define BY_RADIX(dtype)                                                                    \
  {                                                                                        \
    [2] = WIDTH(pass_2_##dtype), [3] = WIDTH(pass_3_##dtype), [4] = WIDTH(pass_4_##dtype), \
    [5] = WIDTH(pass_5_##dtype), [7] = WIDTH(pass_7_##dtype), [8] = WIDTH(pass_8_##dtype), \
    [11] = WIDTH(pass_11_##dtype), [13] = WIDTH(pass_13_##dtype)                           \
  }
static const passes_by_radix WIDTH(passes)[] = {BY_RADIX(f32), BY_RADIX(f64)};
#undef BY_RADIX
