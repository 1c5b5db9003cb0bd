// SPDX-License-Identifier: MIT
/// The loops of formulas on the host (map/host_formula.h): functions and casts over consecutive elements. They have the
/// text of the kernels (map/host_ufuncs.h, cl/math/), and only operations that IEEE 754 or integers define: the same
/// bits, except of a NaN.
#ifndef WEFT_MAP_HOST_LOOPS_H
#define WEFT_MAP_HOST_LOOPS_H

#include <stddef.h>
#include <weft/dtype.h>

#define WEFT__HOST_FORMULA_OPERANDS 3
#define WEFT__HOST_FORMULA_BLOCK 32 /* elements: a loop of this constant length becomes vector code */

/// Computes `n` elements, a multiple of the block. `to` may be an operand. `repeated`: bit k: operand k is one block,
/// for every block.
typedef void weft__host_loop(void *to, const void *const from[WEFT__HOST_FORMULA_OPERANDS], size_t n,
                             unsigned repeated);

/// The loop of a ufunc whose T is `type`; NULL: it has no loop. Sets *most to the number of elements beyond which a
/// launch is faster.
weft__host_loop *weft__host_loop_of(size_t *most, int ufunc, weft_dtype type);
/// The loop of a cast, as above. Floats become i32 and i64 as by cl/math/saturate.clh; to other integers they have no
/// loop.
weft__host_loop *weft__host_cast_of(size_t *most, weft_dtype to, weft_dtype from);

#endif
