// SPDX-License-Identifier: MIT
/// Makes host memory run out. fault_heap.c is linked with -Wl,--wrap for malloc, calloc, realloc, strdup, strndup and
/// free, against the static library, so that it receives the library's calls but not the driver's.
#ifndef FAULT_HEAP_H
#define FAULT_HEAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct fault_heap_record {
  long calls;  /* allocations since fault_heap_begin */
  long failed; /* allocations that returned NULL */
  size_t size; /* of the first failed one */
} fault_heap_record;

typedef struct fault_heap_hooks {
  /// Starts counting; allocation number `call` (from 1) fails, with `onwards` all later ones too. 0: no failure.
  void (*begin)(fault_heap_record *record, long call, bool onwards);
  void (*end)(void);
  /// The number of blocks alive.
  long (*alive)(void);
} fault_heap_hooks;

extern const fault_heap_hooks fault_heap;

#endif
