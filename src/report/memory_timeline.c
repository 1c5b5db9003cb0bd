// SPDX-License-Identifier: MIT
/// The memory timeline's public face: what src/mem records, as a file.
#include <weft/memory.h>

#include "context/context.h"
#include "mem/timeline.h"

weft_status weft_memory_timeline_start(weft_context *context, uint64_t event_limit) {
  weft__enter("weft_memory_timeline_start", NULL);
  weft_status rc = weft__context_check(context);
  if (rc == WEFT_OK) rc = weft__timeline_begin(&context->pool, event_limit);
  return weft__leave(rc);
}

weft_status weft_memory_timeline_stop(weft_context *context) {
  weft__enter("weft_memory_timeline_stop", NULL);
  weft_status rc = weft__context_check_readable(context);
  if (rc == WEFT_OK) weft__timeline_end(&context->pool);
  return weft__leave(rc);
}

weft_status weft_memory_timeline_write(weft_context *context, const char *file) {
  weft__enter("weft_memory_timeline_write", NULL);
  weft_status rc = weft__context_check_readable(context);
  if (rc) return weft__leave(rc);
  WEFT__NEED(file);
  return weft__leave(weft__timeline_write(&context->pool, file));
}
