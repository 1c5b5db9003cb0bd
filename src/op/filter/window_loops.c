// SPDX-License-Identifier: MIT
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else loops over few lanes are no vector code */
#endif
#include <math.h>

#include "base/wide.h"
#include "op/filter/window_host.h"
#include "op/rearrange/border.h"

#define LOOPS "op/filter/window_types.h"
#include "base/each_width.h"

const weft__element_loops *weft__element_loops_of(weft_dtype dtype) {
  static const weft__element_loops *const loops[3] = WEFT__ALL(element_loops);
  return &loops[WEFT__WIDTH][dtype];
}
