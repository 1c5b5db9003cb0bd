// SPDX-License-Identifier: MIT
/// The loops of scan_types.h for all real types. Define before including: TARGET, an attribute; BYTES, of a vector;
/// WIDTH(name), the names of this width's loops.
#define T uint64_t
#define LANES (BYTES / 8)
#define MASK int64_t
#define TYPED(name) WIDTH(name##_u64)
#include "op/scan/scan_types.h"
#define T int64_t
#define OVERFLOWS
#define LANES (BYTES / 8)
#define MASK int64_t
#define TYPED(name) WIDTH(name##_i64)
#include "op/scan/scan_types.h"
#define T int32_t
#define OVERFLOWS
#define LANES (BYTES / 4)
#define MASK int32_t
#define TYPED(name) WIDTH(name##_i32)
#include "op/scan/scan_types.h"
#define T uint32_t
#define OVERFLOWS
#define LANES (BYTES / 4)
#define MASK int32_t
#define TYPED(name) WIDTH(name##_u32)
#include "op/scan/scan_types.h"
#define T float
#define LANES (BYTES / 4)
#define MASK int32_t
#define TYPED(name) WIDTH(name##_f32)
#include "op/scan/scan_types.h"
#define T double
#define LANES (BYTES / 8)
#define MASK int64_t
#define TYPED(name) WIDTH(name##_f64)
#include "op/scan/scan_types.h"
#undef TARGET
#undef BYTES
#undef WIDTH
