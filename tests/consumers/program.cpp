// SPDX-License-Identifier: MIT
// program.c in C++.
#include <cstdio>
#include <cstring>

#include <weft/weft.hpp>

int main() {
  if (std::strcmp(weft_version(), WEFT_VERSION_STRING) != 0) return 1;
  std::printf("Weft %s\n", weft_version());
  try {
    weft::context context;
    weft_status rc = weft_context_create(context.out());
    if (rc == WEFT_ERROR_NO_DEVICE) return 0;
    weft::check(rc);
    float sums[4] = {};
    weft::array x;
    weft::check(weft_arange(x.out(), context, WEFT_F32, 0, 4, 1));
    weft::check(weft_add(WEFT_HOST_OUT(sums, WEFT_F32, WEFT_SHAPE(4)), x, x));
    std::printf("%g %g %g %g\n", double(sums[0]), double(sums[1]), double(sums[2]), double(sums[3]));
  } catch (const weft::error &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
  return 0;
}
