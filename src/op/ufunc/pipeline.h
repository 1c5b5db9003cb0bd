// SPDX-License-Identifier: MIT
/// A call of a function over arrays in chunks (call/chunk.h).
#ifndef WEFT_OP_UFUNC_PIPELINE_H
#define WEFT_OP_UFUNC_PIPELINE_H

#include "call/chunk.h"
#include "map/run.h"

/// Sets *chunk_bytes to the bytes of host memory per chunk; 0: the call is done whole. *overlaps: it is done whole only
/// because a result in host memory shares part of an operand's memory.
weft_status weft__apply_chunk_bytes(uint64_t *chunk_bytes, bool *overlaps, const weft__call *c, const weft__plan *plan,
                                    weft_shape shape);
/// Runs the call in chunks. Its operands were checked but not gathered. Arrays on the device are used in place. After a
/// failure, results may be partly written.
weft_status weft__apply_in_chunks(weft__call *c, weft__plan *plan, weft_shape shape, const uint64_t *scalars,
                                  uint64_t chunk_bytes);

#endif
