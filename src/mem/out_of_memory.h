// SPDX-License-Identifier: MIT
/// Running out of memory: the error and the advice.
#ifndef WEFT_MEM_OUT_OF_MEMORY_H
#define WEFT_MEM_OUT_OF_MEMORY_H

#include <weft/memory.h>

#include "core/core.h"

/// Records that `size_bytes` were refused, and `why`. The message names the largest holder of memory, the detail more
/// of them. `cl_code` 0: refused without a driver call.
weft_status weft__refuse(weft__core *core, const weft_memory_stats *stats, weft_status status, int cl_code,
                         uint64_t size_bytes, const char *why);

/// Logs that the pool's bound slows a program down, and how to avoid it.
void weft__advise_reserve(uint64_t size_bytes, uint64_t times);

#endif
