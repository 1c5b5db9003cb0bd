// SPDX-License-Identifier: MIT
/// What guard mode finds, and how it is told.
#ifndef WEFT_MEM_GUARD_REPORT_H
#define WEFT_MEM_GUARD_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define WEFT__OVERRUN_RUNS 4

/// Bytes that were changed, one behind the other. Places count from the array's first byte.
typedef struct weft__overrun_run {
  int64_t at;
  uint64_t size_bytes;
} weft__overrun_run;

/// An index that WEFT_AT refused.
typedef struct weft__overrun_index {
  int64_t index;
  uint32_t element_bytes; /* 0: there was none */
  uint32_t thread[3], block[3];
  unsigned line;
  bool follows_line; /* `line` is one of `file`, else of the whole text that the driver got */
  char file[80];
} weft__overrun_index;

/// About one array. All zero: nothing.
typedef struct weft__overrun {
  const char *site; /* that made the array */
  const char *what; /* "f32[1000]"; "" where it is not known */
  uint64_t size_bytes, element_bytes;
  bool released; /* the bytes changed after the array was released */
  uint64_t runs; /* all of them, of which the first few are kept */
  weft__overrun_run run[WEFT__OVERRUN_RUNS];
  weft__overrun_index refused;
} weft__overrun;

static inline bool weft__overrun_is_any(const weft__overrun *overrun) {
  return overrun->runs > 0 || overrun->refused.element_bytes > 0;
}

/// Looks for bytes that are not `expected`; `at` is the place of the first one. Bytes that differ with less than four
/// others between them are one run.
void weft__overrun_compare(weft__overrun *overrun, const unsigned char *bytes, const unsigned char *expected,
                           uint64_t count, int64_t at);

/// Adds "wrote 4 bytes starting right behind the end of `y`, f32[1000] made at main.c:12, where element 1000 would be"
/// (or "accessed element 1024 of ..."): the first thing. `name` is the kernel's for the array; NULL where it has none.
void weft__overrun_report(weft__text *text, const weft__overrun *overrun, const char *name);
/// Adds lines with the rest; nothing where the first was all.
void weft__overrun_report_rest(weft__text *text, const weft__overrun *overrun, const char *name);

#endif
