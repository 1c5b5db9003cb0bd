// SPDX-License-Identifier: MIT
#include "by_thread.h"

#include <stdio.h>

/// Whether the device's small calls are computed by the thread.
bool has_twins(void) {
  const char *quirks = getenv("WEFT_QUIRKS"), *twins = getenv("WEFT_TWINS"), *checks = getenv("WEFT_CHECKS");
  return strstr(device.platform, "Portable Computing Language") && device.type == WEFT_DEVICE_TYPE_CPU &&
         device.has_fp64 && !checks && !(quirks && strstr(quirks, "gpu_kernels")) &&
         !(twins && strcmp(twins, "off") == 0);
}

/// Bytes of one loop that the thread reads and writes, at most.
size_t most_bytes(void) {
  weft_device_info info;
  ok(weft_context_get_device(&info, ctx));
  return info.compute_units <= 4 ? 3 << 20 : 512 << 10;
}

uint64_t launches(void) {
  weft_memory_stats stats;
  ok(weft_memory_get(&stats, ctx));
  return stats.launches;
}

/// Random bits; of floats also numbers from -4 to 4, infinities, NaN, zeros and denormals.
void fill(void *elements, weft_dtype dtype, int n, harness_random *random) {
  static const double special[] = {0, -0.0, 1, -2.5, 0.5, 1e-310, -1e-40, 1e300, INFINITY, -INFINITY, NAN, 8388609.5};
  if (dtype == WEFT_C64 || dtype == WEFT_C128) {
    fill(elements, dtype == WEFT_C64 ? WEFT_F32 : WEFT_F64, 2 * n, random);
    return;
  }
  const size_t size = weft_dtype_size_bytes(dtype);
  for (int i = 0; i < n; i++) {
    uint64_t bits = harness_bits(random);
    if (dtype == WEFT_BOOL) bits &= 1;
    const double ordinary = (double)(bits >> 44) * 0x1p-17 - 4;
    const double value = bits >> 41 & 1 ? ordinary : special[bits % (sizeof special / sizeof *special)];
    const float narrow = (float)value;
    const void *from = &bits;
    if (bits >> 40 & 1 && dtype == WEFT_F64) from = &value;
    if (bits >> 40 & 1 && dtype == WEFT_F32) from = &narrow;
    memcpy((char *)elements + (size_t)i * size, from, size);
  }
}

static bool is_nan(weft_dtype dtype, const char *element) {
  double wide;
  float narrow;
  memcpy(&narrow, element, sizeof narrow);
  memcpy(&wide, element, dtype == WEFT_F64 ? sizeof wide : 0);
  return dtype == WEFT_F32 ? isnan(narrow) : dtype == WEFT_F64 && isnan(wide);
}

void check_same(const char *got, const char *wanted, weft_dtype dtype, int64_t n, const char *what) {
  const size_t size = weft_dtype_size_bytes(dtype);
  if (dtype == WEFT_C64 || dtype == WEFT_C128) {
    check_same(got, wanted, dtype == WEFT_C64 ? WEFT_F32 : WEFT_F64, 2 * n, what);
    return;
  }
  for (size_t i = 0; i < (size_t)n; i++) {
    const char *g = got + i * size, *w = wanted + i * size;
    if (is_nan(dtype, g) && is_nan(dtype, w)) continue;
    ck_assert_msg(memcmp(g, w, size) == 0, "%s: element %zu differs from the kernel's", what, i);
  }
  harness_count(1);
}
