// SPDX-License-Identifier: MIT
/// Includes the loops of the header LOOPS for each width of vectors (base/wide.h: WEFT__EACH). It finds TARGET, an
/// attribute; BYTES, of a vector; WIDTH(name), the names of this width's loops; and what the source has defined, of
/// which T and NAME are undone here. WIDER_ALONE: not for vectors of 16 bytes, if there are wider ones.
#if !defined(WIDER_ALONE) || !defined(WEFT__WIDEST_TARGET)
#define TARGET
#define BYTES 16
#define WIDTH(name) name
#include LOOPS
#undef TARGET
#undef BYTES
#undef WIDTH
#endif
#ifdef WEFT__WIDEST_TARGET
#define TARGET WEFT__WIDE_TARGET
#define BYTES 32
#define WIDTH(name) name##_wide
#include LOOPS
#undef TARGET
#undef BYTES
#undef WIDTH
#define TARGET WEFT__WIDEST_TARGET
#define BYTES 64
#define WIDTH(name) name##_widest
#include LOOPS
#undef TARGET
#undef BYTES
#undef WIDTH
#endif
#undef LOOPS
#undef T
#undef NAME
