// SPDX-License-Identifier: MIT
/// Reductions of one row of floats without gaps in vectors of 64 bytes, for processors with AVX-512: loops of
/// op/reduce/row_loops.c that compilers make of more instructions. The same results.
#ifndef WEFT_OP_REDUCE_ROW_VECTORS_H
#define WEFT_OP_REDUCE_ROW_VECTORS_H

#include <stddef.h>

#include "base/wide.h"

#ifdef WEFT__WIDEST_TARGET
/// Sums, sums of squares and sums of products, as doubles; of doubles with their rounding errors.
void weft__row_sum_f32(void *to, const void *const from[2], size_t n);
void weft__row_squares_f32(void *to, const void *const from[2], size_t n);
void weft__row_dot_f32(void *to, const void *const from[2], size_t n);
void weft__row_sum_f64(void *to, const void *const from[2], size_t n);
void weft__row_squares_f64(void *to, const void *const from[2], size_t n);
void weft__row_dot_f64(void *to, const void *const from[2], size_t n);
/// The place of the first of the best, or of the first NaN, as int64_t.
void weft__row_argmin_f32(void *to, const void *const from[2], size_t n);
void weft__row_argmax_f32(void *to, const void *const from[2], size_t n);
#endif

#endif
