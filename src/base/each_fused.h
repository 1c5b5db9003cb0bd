// SPDX-License-Identifier: MIT
/// As base/each_width.h, for loops with fused multiplications and processors that have them (base/wide.h:
/// WEFT__EACH_FUSED). FUSED, if the source has defined it, is undone too.
#if defined(WEFT__WIDEST_TARGET)
#define TARGET WEFT__FUSED("avx2")
#define BYTES 32
#define WIDTH(name) name##_wide
#include LOOPS
#undef TARGET
#undef BYTES
#undef WIDTH
#define TARGET WEFT__WIDEST_FUSED_TARGET
#define BYTES 64
#define WIDTH(name) name##_widest
#include LOOPS
#undef TARGET
#undef BYTES
#undef WIDTH
#elif WEFT__HAS_FUSED
#define TARGET
#define BYTES 16
#define WIDTH(name) name
#include LOOPS
#undef TARGET
#undef BYTES
#undef WIDTH
#endif
#undef LOOPS
#undef T
#undef FUSED
#undef NAME
