// SPDX-License-Identifier: MIT
/// The loops of vector_loop.h for both dtypes. vector_loops.c includes this for each width of vectors. To define before
/// including: TARGET, an attribute; WIDTH(name), the names of this width's loops.
#define T float
#define FUSED __builtin_fmaf
#define NAME(name) WIDTH(name##_f32)
#include "op/matmul/vector_loop.h"
#define T double
#define FUSED __builtin_fma
#define NAME(name) WIDTH(name##_f64)
#include "op/matmul/vector_loop.h"
#undef TARGET
#undef WIDTH
