// SPDX-License-Identifier: MIT
/// Memory of one context in another one, for copies between them. An import takes longer than a copy of some MiB, so
/// the last ones are kept for the next copies.
#ifndef WEFT_CUDA_ABROAD_H
#define WEFT_CUDA_ABROAD_H

#include "cuda/cuda.h"

/// The buffer of `memory`, made by `owner`'s context, in another context, of the same device or of another GPU that
/// reaches it. The caller releases *mem. Any thread.
weft__cuda_failure weft__abroad_get(weft__cl_mem *mem, const weft__core *to, const weft__cuda_memory *memory,
                                    const weft__core *owner);
/// The memory is about to be freed.
void weft__abroad_drop(const weft__cuda_memory *memory, const weft__core *owner);
/// The context is about to be closed: drops its memory in others, and the others' in it.
void weft__abroad_leave(const weft__core *core);

#endif
