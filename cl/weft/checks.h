// SPDX-License-Identifier: MIT
/// The memory around every array in guard mode (WEFT_CHECKS=1). The host and the kernels share this file.
///
///     ... spare bytes | header | known bytes | the array | known bytes ...
#ifndef WEFT_CL_WEFT_CHECKS_H
#define WEFT_CL_WEFT_CHECKS_H

#include "shared.h"

#define WEFT__GUARD_MAGIC 0x9d57f3c2a86be1b4UL
#define WEFT__GUARD_ALIGN 128  /* arrays begin at multiples of it */
#define WEFT__GUARD_BEFORE 256 /* from the header to the array: the header, then known bytes */
#define WEFT__GUARD_SPARE 1024 /* bytes in front of the header, for out-of-range accesses */
#define WEFT__GUARD_FILE 80

/// The first thread with an index out of range writes `state` and the members after it.
typedef struct weft__guard_header {
  WEFT__U64 magic;
  WEFT__U64 size_bytes; /* of the array */
  WEFT__I64 index;
  WEFT__U32 state;         /* 0: no index was out of range */
  WEFT__U32 element_bytes; /* element size in the kernel */
  WEFT__U32 thread[3], block[3];
  WEFT__I32 line;
  WEFT__U32 follows_line; /* 1: the compiler obeys #line */
  char file[WEFT__GUARD_FILE];
} weft__guard_header;
WEFT__SHARED_SIZE(weft__guard_header, 8 * 3 + 4 * 10 + WEFT__GUARD_FILE);

#endif
