// SPDX-License-Identifier: MIT
/// Running out of memory: the error, the budget, and the release of the pool's idle memory.
#ifndef WEFT_MEM_OUT_OF_MEMORY_H
#define WEFT_MEM_OUT_OF_MEMORY_H

#include "mem/pool.h"

/// Handles the code of a failed command. If device memory ran out and the pool holds idle memory, the idle memory is
/// released and waited for. Then *again is true, and the command may be tried once more. Errors: of the wait.
weft_status weft__out_of_memory_help(bool *again, weft__pool *pool, int code);

/// Records that `size_bytes` were refused, and `why`. The message names the largest holder of memory, the detail more
/// of them. `cl_code` 0: refused without a driver call.
weft_status weft__refuse(weft__pool *pool, weft_status status, int cl_code, uint64_t size_bytes, const char *why);

/// Logs that the pool's bound slows a program down, and how to avoid it.
void weft__advise_reserve(uint64_t size_bytes, uint64_t times);

#endif
