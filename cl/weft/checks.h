// SPDX-License-Identifier: MIT
/// What stands in front of every array in guard mode (WEFT_CHECKS=1): one text, read by both compilers.
///
///     ... spare bytes | header | known bytes | the array | known bytes ...
#ifndef WEFT_CL_WEFT_CHECKS_H
#define WEFT_CL_WEFT_CHECKS_H

#include "shared.h"

#define WEFT__GUARD_MAGIC 0x9d57f3c2a86be1b4UL
#define WEFT__GUARD_ALIGN 128 /* an array begins at a multiple of it */
#define WEFT__GUARD_BEFORE \
  256                          /* from the header to the array: what lies just in front of the array is not the header
                                  */
#define WEFT__GUARD_SPARE 1024 /* bytes in front of the header, for accesses that were wrong */
#define WEFT__GUARD_FILE 80

/// `state` and what follows is written by the first thread whose index was out of range.
typedef struct weft__guard_header {
  WEFT__U64 magic;
  WEFT__U64 size_bytes; /* of the array */
  WEFT__I64 index;
  WEFT__U32 state;         /* 0: nothing was wrong */
  WEFT__U32 element_bytes; /* as the kernel sees it */
  WEFT__U32 thread[3], block[3];
  WEFT__I32 line;
  WEFT__U32 follows_line; /* the compiler counts lines as #line says */
  char file[WEFT__GUARD_FILE];
} weft__guard_header;
WEFT__SHARED_SIZE(weft__guard_header, 8 * 3 + 4 * 10 + WEFT__GUARD_FILE);

#endif
