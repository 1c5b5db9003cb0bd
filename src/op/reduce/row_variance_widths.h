// SPDX-License-Identifier: MIT
/// row_variance.h for each width of vectors (base/wide.h), for elements of type T; D: the dtype's name.
#define TARGET
#define NAME NAME_OF(variance, D)
#ifdef HAS_NANS
#define NUMBERS NAME_OF(nanvariance, D)
#endif
#include "op/reduce/row_variance.h"
#ifdef WEFT__WIDEST_TARGET
#define TARGET WEFT__WIDE_TARGET
#define NAME NAME_OF(NAME_OF(variance, D), wide)
#ifdef HAS_NANS
#define NUMBERS NAME_OF(NAME_OF(nanvariance, D), wide)
#endif
#include "op/reduce/row_variance.h"
#define TARGET WEFT__WIDEST_TARGET
#define NAME NAME_OF(NAME_OF(variance, D), widest)
#ifdef HAS_NANS
#define NUMBERS NAME_OF(NAME_OF(nanvariance, D), widest)
#endif
#include "op/reduce/row_variance.h"
#endif
#undef T
#undef D
