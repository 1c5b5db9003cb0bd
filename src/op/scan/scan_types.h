// SPDX-License-Identifier: MIT
/// The loops of scan_loops.h for one type by all operations. Define before including: T and TYPED(name), the loops'
/// names; real types LANES, of a vector, and MASK, integers as wide, which comparisons give; complex types
/// IS_NONE(a), whether there is no factor yet; OVERFLOWS: no sums and products of this type.

#if defined(LANES) && defined(HAS_VECTORS)
typedef T TYPED(vector) __attribute__((vector_size(LANES * sizeof(T))));
typedef MASK TYPED(mask) __attribute__((vector_size(LANES * sizeof(T))));
#define VECTOR TYPED(vector)
#define PUSH_2(a, b) (b)
#define PUSH_4(a, b) (b)
#if LANES == 2
#define PUSH_1(a, b) __builtin_shufflevector(a, b, 1, 2)
#elif LANES == 4
#define PUSH_1(a, b) __builtin_shufflevector(a, b, 3, 4, 5, 6)
#undef PUSH_2
#define PUSH_2(a, b) __builtin_shufflevector(a, b, 2, 3, 4, 5)
#else
#define PUSH_1(a, b) __builtin_shufflevector(a, b, 7, 8, 9, 10, 11, 12, 13, 14)
#undef PUSH_2
#define PUSH_2(a, b) __builtin_shufflevector(a, b, 6, 7, 8, 9, 10, 11, 12, 13)
#undef PUSH_4
#define PUSH_4(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 8, 9, 10, 11)
#endif
#define CHOSEN(is_first, a, b) (VECTOR)(((TYPED(mask))(a) & (is_first)) | ((TYPED(mask))(b) & ~(is_first)))
#endif

#ifndef OVERFLOWS
#define NAME(name) TYPED(scan_##name##_sum)
#ifdef LANES
#define BOTH(a, b) ((a) + (b))
#define BOTH_OF(a, b) ((a) + (b))
#define SHOWN(a) ((a) == 0 ? 0 : (a))
#else
#define BOTH(a, b)                   \
  (T) {                              \
    (a).re + (b).re, (a).im + (b).im \
  }
#define SHOWN(a)                                       \
  (T) {                                                \
    (a).re == 0 ? 0 : (a).re, (a).im == 0 ? 0 : (a).im \
  }
#endif
#include "op/scan/scan_loops.h"

#define NAME(name) TYPED(scan_##name##_prod)
#ifdef LANES
#define BOTH(a, b) ((a) * (b))
#define BOTH_OF(a, b) ((a) * (b))
#define SHOWN(a) (a)
#else
#define BOTH(a, b) \
  (IS_NONE(a) ? (b) : IS_NONE(b) ? (a) : (T){(a).re * (b).re - (a).im * (b).im, (a).re * (b).im + (a).im * (b).re})
#define SHOWN(a) (IS_NONE(a) ? (T){1, 0} : (a))
#endif
#include "op/scan/scan_loops.h"
#endif

#define NAME(name) TYPED(scan_##name##_max)
#ifdef LANES
#define BOTH(a, b) ((a) >= (b) || (a) != (a) ? (a) : (b))
#define BOTH_OF(a, b) CHOSEN(((a) >= (b)) | ((a) != (a)), a, b)
#else
#define BOTH(a, b) (HAS_NAN(a) || IS_BEFORE(b, a) ? (a) : (b))
#endif
#define SHOWN(a) (a)
#include "op/scan/scan_loops.h"

#define NAME(name) TYPED(scan_##name##_min)
#ifdef LANES
#define BOTH(a, b) ((a) <= (b) || (a) != (a) ? (a) : (b))
#define BOTH_OF(a, b) CHOSEN(((a) <= (b)) | ((a) != (a)), a, b)
#else
#define BOTH(a, b) (HAS_NAN(a) || IS_BEFORE(a, b) ? (a) : (b))
#endif
#define SHOWN(a) (a)
#include "op/scan/scan_loops.h"

#undef T
#undef TYPED
#undef LANES
#undef MASK
#undef VECTOR
#undef PUSH_1
#undef PUSH_2
#undef PUSH_4
#undef CHOSEN
#undef IS_NONE
#undef OVERFLOWS
