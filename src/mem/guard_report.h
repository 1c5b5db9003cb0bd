// SPDX-License-Identifier: MIT
/// The overruns that guard mode finds, and their messages.
#ifndef WEFT_MEM_GUARD_REPORT_H
#define WEFT_MEM_GUARD_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define WEFT__OVERRUN_RUNS 4

/// A run of changed bytes. Positions count from the array's first byte.
typedef struct weft__overrun_run {
  int64_t at;
  uint64_t size_bytes;
} weft__overrun_run;

/// An index that WEFT_AT refused.
typedef struct weft__overrun_index {
  int64_t index;
  uint32_t element_bytes; /* 0: no index was refused */
  uint32_t thread[3], block[3];
  unsigned line;
  bool follows_line; /* `line` counts in `file`, else in the expanded text */
  char file[80];
} weft__overrun_index;

/// The findings about one array. All zero: none.
typedef struct weft__overrun {
  const char *site; /* the line that made the array */
  const char *what; /* "f32[1000]"; "" if unknown */
  uint64_t size_bytes, element_bytes;
  bool released; /* the bytes changed after the array was released */
  uint64_t runs; /* number of runs; only the first few are kept */
  weft__overrun_run run[WEFT__OVERRUN_RUNS];
  weft__overrun_index refused;
} weft__overrun;

static inline bool weft__overrun_is_any(const weft__overrun *overrun) {
  return overrun->runs > 0 || overrun->refused.element_bytes > 0;
}

/// Finds bytes that differ from `expected`; `at` is the position of the first byte. Differing bytes with fewer than
/// four equal bytes between them form one run.
void weft__overrun_compare(weft__overrun *overrun, const unsigned char *bytes, const unsigned char *expected,
                           uint64_t count, int64_t at);

/// Adds the first finding: "wrote 4 bytes starting right behind the end of `y`, f32[1000] made at main.c:12, where
/// element 1000 would be" or "accessed element 1024 of ...". `name` is the array's name in the kernel; NULL if it has
/// none.
void weft__overrun_report(weft__text *text, const weft__overrun *overrun, const char *name);
/// Adds lines with the other findings, if there are any.
void weft__overrun_report_rest(weft__text *text, const weft__overrun *overrun, const char *name);

#endif
