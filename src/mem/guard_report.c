// SPDX-License-Identifier: MIT
#include "mem/guard_report.h"

#include <inttypes.h>

#define GAP 4

static void add_run(weft__overrun *overrun, int64_t at, uint64_t size_bytes) {
  uint64_t n = overrun->runs;
  weft__overrun_run *last = n > 0 && n <= WEFT__OVERRUN_RUNS ? &overrun->run[n - 1] : NULL;
  int64_t end = last ? last->at + (int64_t)last->size_bytes : 0;
  if (last && at >= end && at - end < GAP) {
    last->size_bytes = (uint64_t)(at - last->at) + size_bytes;
    return;
  }
  if (n < WEFT__OVERRUN_RUNS) overrun->run[n] = (weft__overrun_run){at, size_bytes};
  overrun->runs++;
}

void weft__overrun_compare(weft__overrun *overrun, const unsigned char *bytes, const unsigned char *expected,
                           uint64_t count, int64_t at) {
  for (uint64_t i = 0; i < count;) {
    if (bytes[i] == expected[i]) {
      i++;
      continue;
    }
    uint64_t end = i + 1;
    for (uint64_t k = end; k < count && k - end < GAP; k++)
      if (bytes[k] != expected[k]) end = k + 1;
    add_run(overrun, at + (int64_t)i, end - i);
    i = end;
  }
}

static void add_array(weft__text *text, const weft__overrun *overrun, const char *name) {
  if (name) weft__text_add(text, "`%s`, ", name);
  if (overrun->what[0])
    weft__text_add(text, "%s made at %s", overrun->what, overrun->site);
  else
    weft__text_add(text, "an array of %" PRIu64 " bytes made at %s", overrun->size_bytes, overrun->site);
}

static void add_distance(weft__text *text, uint64_t distance, const char *where) {
  if (distance == 0)
    weft__text_add(text, " starting right %s the end of ", where);
  else
    weft__text_add(text, " starting %" PRIu64 " byte%s %s", distance, distance == 1 ? "" : "s", where);
}

static void tell_run(weft__text *text, const weft__overrun *overrun, const weft__overrun_run *run, const char *name) {
  int64_t element = (int64_t)overrun->element_bytes;
  int64_t number = element ? (run->at - (run->at < 0 ? element - 1 : 0)) / element : 0;
  weft__text_add(text, "wrote %" PRIu64 " byte%s", run->size_bytes, run->size_bytes == 1 ? "" : "s");
  if (overrun->released) {
    weft__text_add(text, ", from byte %" PRId64 " on, into the memory of ", run->at);
    add_array(text, overrun, name);
    weft__text_add(text, " and released");
    if (element) weft__text_add(text, ", where element %" PRId64 " was", number);
    return;
  }
  if (run->at < 0) {
    add_distance(text, (uint64_t)-run->at, "before the beginning of ");
  } else {
    uint64_t distance = (uint64_t)run->at - overrun->size_bytes;
    add_distance(text, distance, distance ? "behind the end of " : "behind");
  }
  add_array(text, overrun, name);
  if (element) weft__text_add(text, ", where element %" PRId64 " would be", number);
}

static void tell_index(weft__text *text, const weft__overrun *overrun, const char *name) {
  const weft__overrun_index *r = &overrun->refused;
  weft__text_add(text, "accessed element %" PRId64, r->index);
  if (r->element_bytes != overrun->element_bytes) weft__text_add(text, " (of %u bytes)", r->element_bytes);
  weft__text_add(text, " of ");
  add_array(text, overrun, name);
  weft__text_add(text, ", in %s:%u, thread (%u,%u,%u) of block (%u,%u,%u)", r->file, r->line, r->thread[0],
                 r->thread[1], r->thread[2], r->block[0], r->block[1], r->block[2]);
}

void weft__overrun_report(weft__text *text, const weft__overrun *overrun, const char *name) {
  if (overrun->refused.element_bytes)
    tell_index(text, overrun, name);
  else
    tell_run(text, overrun, &overrun->run[0], name);
}

void weft__overrun_report_rest(weft__text *text, const weft__overrun *overrun, const char *name) {
  uint64_t first = overrun->refused.element_bytes ? 0 : 1;
  for (uint64_t i = first; i < overrun->runs && i < WEFT__OVERRUN_RUNS; i++) {
    weft__text_add(text, "  also ");
    tell_run(text, overrun, &overrun->run[i], name);
    weft__text_add(text, "\n");
  }
  if (overrun->runs > WEFT__OVERRUN_RUNS)
    weft__text_add(text, "  and in %" PRIu64 " more places nearby\n", overrun->runs - WEFT__OVERRUN_RUNS);
}
