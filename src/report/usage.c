// SPDX-License-Identifier: MIT
/// The trace's switch, and a context's usage so far.
#include <weft/trace.h>
#include <weft/usage.h>

#include "base/trace.h"
#include "context/context.h"

void weft_trace(bool on) {
  weft__trace_set(on);
}

weft_status weft_usage_get(weft_usage *usage, const weft_context *context) {
  weft_status rc;
  weft__enter("weft_usage_get", NULL);
  WEFT__NEED(usage);
  WEFT__TRY(weft__context_check_readable(context));
  weft__core *core = (weft__core *)&context->core;
  weft__counters_read(usage, &core->usage);
  usage->launches = atomic_load(&core->launch_log.next);
done:
  return weft__leave(rc);
}
