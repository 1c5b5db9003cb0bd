// SPDX-License-Identifier: MIT
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else loops over few lanes are no vector code */
#endif
#include <math.h>

#include "base/wide.h"
#include "op/filter/window_host.h"
#include "op/rearrange/border.h"

#define TARGET
#define WIDTH(name) name
#include "op/filter/window_types.h"
#ifdef WEFT__WIDEST_TARGET
#define TARGET WEFT__WIDE_TARGET
#define WIDTH(name) name##_wide
#include "op/filter/window_types.h"
#define TARGET WEFT__WIDEST_TARGET
#define WIDTH(name) name##_widest
#include "op/filter/window_types.h"
#endif

const weft__element_loops *weft__element_loops_of(weft_dtype dtype) {
  static const weft__element_loops *const loops[3] = WEFT__ALL(element_loops);
  return &loops[WEFT__WIDTH][dtype];
}
