// SPDX-License-Identifier: MIT
/// Running out of memory: what is said then, the budget, and what the pool can do about it.
#ifndef WEFT_MEM_OUT_OF_MEMORY_H
#define WEFT_MEM_OUT_OF_MEMORY_H

#include "mem/pool.h"

/// A command answered `code`. Where that is a shortage of memory and the pool holds some, it is given back and waited
/// for: then *again is true, and the command may be tried once more. Errors: of the wait.
weft_status weft__out_of_memory_help(bool *again, weft__pool *pool, int code);

/// Records that `size_bytes` were refused, and `why`: who holds the memory, the largest holder in the message, more of
/// them in the detail. `cl_code` 0: the driver was not asked.
weft_status weft__refuse(weft__pool *pool, weft_status status, int cl_code, uint64_t size_bytes, const char *why);

/// Logs, to whoever listens, that the pool's bound costs a program something, and what helps.
void weft__advise_reserve(uint64_t size_bytes, uint64_t times);

#endif
