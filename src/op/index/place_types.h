// SPDX-License-Identifier: MIT
/// The loops of place_loops.h for all types of indices, of one width of vectors (base/each_width.h).
#define T int32_t
#define IS_SIGNED 1
#define NAME(name) WIDTH(index_i32_##name)
#include "op/index/place_loops.h"
#define T uint32_t
#define IS_SIGNED 0
#define NAME(name) WIDTH(index_u32_##name)
#include "op/index/place_loops.h"
#define T int64_t
#define IS_SIGNED 1
#define NAME(name) WIDTH(index_i64_##name)
#include "op/index/place_loops.h"
#define T uint64_t
#define IS_SIGNED 0
#define NAME(name) WIDTH(index_u64_##name)
#include "op/index/place_loops.h"

/* by the mode; indices are skipped as errors are found */
#define OF_TYPE(type) \
  { WIDTH(index_##type##_find), WIDTH(index_##type##_clip), WIDTH(index_##type##_wrap), WIDTH(index_##type##_find) }
static weft__index_find *const WIDTH(index_finders)[][4] = {OF_TYPE(i32), OF_TYPE(u32), OF_TYPE(i64), OF_TYPE(u64)};

#undef OF_TYPE
