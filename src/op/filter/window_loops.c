// SPDX-License-Identifier: MIT
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else loops over few lanes are no vector code */
#endif
#include <math.h>

#include "base/wide.h"
#include "op/filter/window_host.h"

#define LOOPS "op/filter/window_types.h"
#include "base/each_width.h"

weft__window_loop *weft__window_loop_of(weft_dtype dtype) {
  static weft__window_loop *const *const loops[3] = WEFT__ALL(window_loops);
  return loops[WEFT__WIDTH][dtype];
}
