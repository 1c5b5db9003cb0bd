// SPDX-License-Identifier: MIT
/// A call of a function over arrays in chunks (call/chunk.h).
#ifndef WEFT_OP_UFUNC_PIPELINE_H
#define WEFT_OP_UFUNC_PIPELINE_H

#include "call/chunk.h"
#include "map/run.h"

/// How many bytes of host memory a chunk has; 0: the call is done whole. *overlaps: it would be cut, if results in host
/// memory did not share a part of an operand's.
weft_status weft__apply_chunk_bytes(uint64_t *chunk_bytes, bool *overlaps, const weft__call *c, const weft__plan *plan,
                                    weft_shape shape);
/// The call, whose operands were checked and not gathered. Arrays on the device take part as they are. On failure
/// results may be written in part.
weft_status weft__apply_in_chunks(weft__call *c, weft__plan *plan, weft_shape shape, const uint64_t *scalars,
                                  uint64_t chunk_bytes);

#endif
