// SPDX-License-Identifier: MIT
/// The loops of number_loops.h for all real types, of one width of vectors (base/each_width.h).
#define KEY uint8_t
#define NUMBER uint32_t
#define IS_FLOAT 0
#define NAME(name) WIDTH(sort_##name##_u8)
#include "op/sort/number_loops.h"
#define KEY uint16_t
#define NUMBER uint32_t
#define IS_FLOAT 0
#define NAME(name) WIDTH(sort_##name##_u16)
#include "op/sort/number_loops.h"
#define KEY uint32_t
#define NUMBER uint32_t
#define IS_FLOAT 0
#define NAME(name) WIDTH(sort_##name##_u32)
#include "op/sort/number_loops.h"
#define KEY uint64_t
#define NUMBER uint64_t
#define IS_FLOAT 0
#define NAME(name) WIDTH(sort_##name##_u64)
#include "op/sort/number_loops.h"
#define KEY uint16_t
#define NUMBER uint32_t
#define IS_FLOAT 1
#define NAME(name) WIDTH(sort_##name##_f16)
#include "op/sort/number_loops.h"
#define KEY uint32_t
#define NUMBER uint32_t
#define IS_FLOAT 1
#define NAME(name) WIDTH(sort_##name##_f32)
#include "op/sort/number_loops.h"
#define KEY uint64_t
#define NUMBER uint64_t
#define IS_FLOAT 1
#define NAME(name) WIDTH(sort_##name##_f64)
#include "op/sort/number_loops.h"
