// SPDX-License-Identifier: MIT
/// The public functions of the memory timeline, which src/mem records.
#include <weft/memory.h>

#include "context/context.h"
#include "mem/timeline.h"

weft_status weft_memory_timeline_start(weft_context *context, uint64_t event_limit) {
  weft_status rc;
  weft__enter("weft_memory_timeline_start", NULL);
  WEFT__TRY(weft__context_check(context));
  rc = weft__timeline_begin(&context->pool, event_limit);
done:
  return weft__leave(rc);
}

weft_status weft_memory_timeline_stop(weft_context *context) {
  weft_status rc;
  weft__enter("weft_memory_timeline_stop", NULL);
  WEFT__TRY(weft__context_check_readable(context));
  weft__timeline_end(&context->pool);
done:
  return weft__leave(rc);
}

weft_status weft_memory_timeline_write(weft_context *context, const char *file) {
  weft_status rc;
  weft__enter("weft_memory_timeline_write", NULL);
  WEFT__TRY(weft__context_check_readable(context));
  WEFT__NEED(file);
  rc = weft__timeline_write(&context->pool, file);
done:
  return weft__leave(rc);
}
