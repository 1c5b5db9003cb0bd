// SPDX-License-Identifier: MIT
/// Makes host memory run out. fault_heap.c is linked with -Wl,--wrap=malloc and its like (malloc, calloc, realloc,
/// strdup, strndup, free) against the static library, so that the library's calls arrive here and the driver's do not.
#ifndef FAULT_HEAP_H
#define FAULT_HEAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct fault_heap_record {
  long calls;  /* allocations asked for since fault_heap_begin */
  long failed; /* of these, answered with NULL */
  size_t size; /* of the first that failed */
} fault_heap_record;

typedef struct fault_heap_hooks {
  /// Counts from here on; allocation number `call` (from 1) fails, with `onwards` all that follow too. 0: none.
  void (*begin)(fault_heap_record *record, long call, bool onwards);
  void (*end)(void);
  /// Blocks that are alive now.
  long (*alive)(void);
} fault_heap_hooks;

extern const fault_heap_hooks fault_heap;

#endif
