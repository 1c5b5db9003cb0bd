// SPDX-License-Identifier: MIT
/// Memory for a call's large structures, in place of the stack, which some threads have little of. It is the thread's
/// own, kept from call to call until the thread ends, and given back in reverse order.
#ifndef WEFT_BASE_SCRATCH_H
#define WEFT_BASE_SCRATCH_H

#include <stddef.h>

/// Memory that is not zeroed, aligned to 64 bytes. NULL: HOST_MEMORY is recorded.
void *weft__scratch_begin(size_t size_bytes);
/// As weft__scratch_begin, with all bytes 0.
void *weft__scratch_begin_zeroed(size_t size_bytes);
/// Gives back the latest memory that was not given back yet. NULL is ignored.
void weft__scratch_end(void *memory);

#endif
