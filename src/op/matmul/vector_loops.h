// SPDX-License-Identifier: MIT
/// A small matrix by a vector on one thread of the host: OpenBLAS shares even 2^14 multiplications among its threads,
/// which then wait for each other.
#ifndef WEFT_OP_MATMUL_VECTOR_LOOPS_H
#define WEFT_OP_MATMUL_VECTOR_LOOPS_H

#include <weft/dtype.h>

/// out[m] = a[m, k] x[k], without gaps in out and x. The rows of `a`, or the columns if it is transposed, have no gaps
/// and are `apart` elements from each other.
typedef void weft__vector_loop(void *out, const void *a, int64_t apart, const void *x, int64_t m, int64_t k);

/// The loop of a dtype; NULL: the dtype is neither f32 nor f64, or the processor has no fused multiplications.
weft__vector_loop *weft__vector_loop_of(weft_dtype dtype, bool is_transposed);

#endif
