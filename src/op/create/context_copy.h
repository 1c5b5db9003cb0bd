// SPDX-License-Identifier: MIT
/// Copies of arrays between contexts, and the table of the ways to make them.
#ifndef WEFT_OP_CREATE_CONTEXT_COPY_H
#define WEFT_OP_CREATE_CONTEXT_COPY_H

#include "array/array.h"

/// Copies x to `context`, which is not x's own: into a new contiguous array, or into *out of that context, which has
/// x's shape and a dtype that x's is cast to. Errors as weft_copy.
weft_status weft__context_copy(weft_array **out, weft_context *context, const weft_array *x, const char *site);

#endif
