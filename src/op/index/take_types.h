// SPDX-License-Identifier: MIT
/// The loops of take_loops.h for all sizes of elements, for index_loops.c, which includes this for each type of
/// indices. Define before including: T and IS_SIGNED, as there; LOOP(name), the names of this type's loops.
#define V uint8_t
#define NAME(name) LOOP(name##_1)
#include "op/index/take_loops.h"
#define V uint16_t
#define NAME(name) LOOP(name##_2)
#include "op/index/take_loops.h"
#define V uint32_t
#define NAME(name) LOOP(name##_4)
#include "op/index/take_loops.h"
#define V uint64_t
#define NAME(name) LOOP(name##_8)
#include "op/index/take_loops.h"
#define V weft__index_wide
#define NAME(name) LOOP(name##_16)
#include "op/index/take_loops.h"
static weft__index_take_loop *const LOOP(takes)[] = {LOOP(take_1), LOOP(take_2), LOOP(take_4), LOOP(take_8),
                                                     LOOP(take_16)};

#undef T
#undef IS_SIGNED
#undef LOOP
