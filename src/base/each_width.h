// SPDX-License-Identifier: MIT
/// Includes the loops of the header LOOPS for each width of vectors (base/wide.h: WEFT__EACH). It finds TARGET, an
/// attribute; BYTES, of a vector; WIDTH(name), the names of this width's loops; and what the source has defined, of
/// which T, NAME and FUSED are undone here. FUSED, if defined: the loops have fused multiplications, for processors
/// that have them (WEFT__EACH_FUSED). WIDER_ALONE: not for vectors of 16 bytes, if there are wider ones.
#ifdef WEFT__WIDEST_TARGET
#if !defined(WIDER_ALONE) && !defined(FUSED)
#define HAS_NARROW
#endif
#elif !defined(FUSED) || WEFT__HAS_FUSED
#define HAS_NARROW
#endif
#ifdef HAS_NARROW
#define TARGET
#define BYTES 16
#define WIDTH(name) name
#include LOOPS
#undef TARGET
#undef BYTES
#undef WIDTH
#undef HAS_NARROW
#endif
#ifdef WEFT__WIDEST_TARGET
#ifdef FUSED
#define TARGET WEFT__FUSED("avx2")
#else
#define TARGET WEFT__WIDE_TARGET
#endif
#define BYTES 32
#define WIDTH(name) name##_wide
#include LOOPS
#undef TARGET
#undef BYTES
#undef WIDTH
#ifdef FUSED
#define TARGET WEFT__WIDEST_FUSED_TARGET
#else
#define TARGET WEFT__WIDEST_TARGET
#endif
#define BYTES 64
#define WIDTH(name) name##_widest
#include LOOPS
#undef TARGET
#undef BYTES
#undef WIDTH
#endif
#undef LOOPS
#undef T
#undef FUSED
#undef NAME
