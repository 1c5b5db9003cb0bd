// SPDX-License-Identifier: MIT
/// A context's memory figures and budget.
#include <weft/memory.h>

#include <inttypes.h>
#include <stdlib.h>

#include "context/context.h"

void weft_free(void *memory) {
  free(memory);
}

weft_status weft_memory_get(weft_memory_stats *stats, const weft_context *context) {
  weft_status rc;
  weft__enter("weft_memory_get", NULL);
  WEFT__NEED(stats);
  WEFT__TRY(weft__context_check_readable(context));
  weft__pool_stats((weft__pool *)&context->pool, stats);
done:
  return weft__leave(rc);
}

weft_status weft__memory_reserve_at(weft_context *context, uint64_t size_bytes, const char *site) {
  weft_status rc;
  weft__enter("weft_memory_reserve", site);
  WEFT__TRY(weft__context_check(context));
  if (size_bytes > INT64_MAX)
    WEFT__TRY(
        weft__fail(WEFT_ERROR_OVERFLOW, "size_bytes", "`size_bytes` is %" PRIu64 ", more than 2^63-1", size_bytes));
  rc = weft__pool_reserve(&context->pool, size_bytes);
done:
  return weft__leave(rc);
}

weft_status weft_memory_trim(weft_context *context) {
  weft_status rc;
  weft__enter("weft_memory_trim", NULL);
  WEFT__TRY(weft__context_check(context));
  weft__pool_trim(&context->pool);
  weft__pinned_spare_drop(&context->pinned);
  /* the driver frees buffers only after the work on them is done */
  rc = weft__core_wait(&context->core);
done:
  return weft__leave(rc);
}

weft_status weft_memory_check(weft_context *context) {
  weft_status rc;
  weft__enter("weft_memory_check", NULL);
  WEFT__TRY(weft__context_check(context));
  WEFT__TRY(weft__core_wait(&context->core));
  if (context->core.guard) rc = weft__guard_check(context->core.guard);
done:
  return weft__leave(rc);
}

weft_status weft_memory_set_limit(weft_context *context, uint64_t limit_bytes) {
  weft_status rc;
  weft__enter("weft_memory_set_limit", NULL);
  WEFT__TRY(weft__context_check(context));
  weft__pool_set_limit(&context->pool, limit_bytes);
done:
  return weft__leave(rc);
}

weft_status weft_memory_tag(const char *tag) {
  const char *name = NULL;
  weft__enter("weft_memory_tag", NULL);
  /* "" means no tag as well, so that a tag from elsewhere can be passed on */
  if (tag && tag[0] && !(name = weft__intern(tag))) return weft__leave(WEFT_ERROR_HOST_MEMORY);
  weft__ledger_tag = name;
  return weft__leave(WEFT_OK);
}

const char *weft_memory_tag_used(void) {
  return weft__ledger_tag;
}
