// SPDX-License-Identifier: MIT
/// The loops of place_loops.h for all types of indices, for index_loops.c, which includes this for each width of
/// vectors. Define before including: TARGET, an attribute; LOOP(name), the names of this width's loops.
#define T int32_t
#define IS_SIGNED 1
#define NAME(name) LOOP(index_i32_##name)
#include "op/index/place_loops.h"
#define T uint32_t
#define IS_SIGNED 0
#define NAME(name) LOOP(index_u32_##name)
#include "op/index/place_loops.h"
#define T int64_t
#define IS_SIGNED 1
#define NAME(name) LOOP(index_i64_##name)
#include "op/index/place_loops.h"
#define T uint64_t
#define IS_SIGNED 0
#define NAME(name) LOOP(index_u64_##name)
#include "op/index/place_loops.h"

/* by the mode; indices are skipped as errors are found */
#define OF_TYPE(type) \
  { LOOP(index_##type##_find), LOOP(index_##type##_clip), LOOP(index_##type##_wrap), LOOP(index_##type##_find) }
static weft__index_find *const LOOP(index_finders)[][4] = {OF_TYPE(i32), OF_TYPE(u32), OF_TYPE(i64), OF_TYPE(u64)};

#undef OF_TYPE
#undef TARGET
#undef LOOP
