// SPDX-License-Identifier: MIT
#include "mem/out_of_memory.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/log.h"
#include "machine/reading.h"
#include "ocl/codes.h"

static void add_figure(weft__text *text, const char *what, uint64_t size_bytes) {
  weft__text_add(text, "  %s ", what);
  weft__text_add_size(text, size_bytes);
  weft__text_add(text, "\n");
}

weft_status weft__refuse(weft__core *core, const weft_memory_stats *stats, weft_status status, int cl_code,
                         uint64_t size_bytes, const char *why) {
  weft__text message = {0};
  weft__ledger_row *rows;
  size_t n;
  /* on failure the message is shorter */
  weft__ledger_sum(&core->ledger, WEFT__LEDGER_STORAGE, WEFT__LEDGER_STORAGE, &rows, &n);
  weft__text_add_size(&message, size_bytes);
  weft__text_add(&message, " asked; ");
  weft__text_add_size(&message, stats->active_bytes);
  weft__text_add(&message, " of ");
  weft__text_add_size(&message, stats->limit_bytes);
  weft__text_add(&message, " held");
  size_t most = 0;
  while (most < n && rows[most].foreign) most++;
  if (most < n) {
    weft__text_add(&message, ", most by %s (", rows[most].site);
    weft__text_add_size(&message, rows[most].size_bytes);
    weft__text_add(&message, ")");
  }
  weft__text_add(&message, "; %s", why);
  weft__fail_code(status, cl_code, cl_code ? weft__cl_code_name(cl_code) : "", "%s", weft__text_chars(&message));
  weft__text *detail = weft__detail();
  add_figure(detail, "in arrays:", stats->active_bytes);
  add_figure(detail, "kept by the pool:", stats->held_bytes);
  /* after the driver's refusal the rest counts as taken, by others or by the driver itself */
  add_figure(detail, cl_code ? "not of this context:" : "left:",
             stats->active_bytes < stats->limit_bytes ? stats->limit_bytes - stats->active_bytes : 0);
  for (size_t i = 0; i < n && i < 8; i++) {
    weft__text_add(detail, "  %s holds ", rows[i].site);
    weft__text_add_size(detail, rows[i].size_bytes);
    weft__text_add(detail, " in %llu storage%s%s\n", (unsigned long long)rows[i].count, rows[i].count == 1 ? "" : "s",
                   rows[i].foreign ? ", wrapped or adopted: not counted" : "");
  }
  free(rows);
  if (status == WEFT_ERROR_MEMORY) weft__memory_of_others(&core->device->info, detail);
  weft__text_free(&message);
  return status;
}

void weft__advise_reserve(uint64_t size_bytes, uint64_t times) {
  weft__text size = {0};
  weft__text_add_size(&size, size_bytes);
  weft__log(WEFT_LOG_WARNING,
            "%s (%s) requests %s from the driver. %" PRIu64
            " times memory was allocated again in sizes that the pool had released, because it holds at most 1.3 times "
            "the most that live arrays requested. To keep memory of recurring sizes, call weft_memory_reserve for them "
            "once, before, or reuse arrays. Further such allocations are only counted (driver_allocations of "
            "weft_memory_get)",
            weft__function(), weft__site(), weft__text_chars(&size), times);
  weft__text_free(&size);
}
