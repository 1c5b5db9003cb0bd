// SPDX-License-Identifier: MIT
/// Returns the collected profile to programs.
#include "report/profile_read.h"

#include <stdlib.h>

#include "core/bandwidth.h"

weft_status weft__profile_gather(weft__profile_copy *copy, weft_context *context, bool measure) {
  *copy = (weft__profile_copy){0};
  weft__calls_hide();
  WEFT__TRY_RETURN(weft__context_check_readable(context));
  weft__core *core = &context->core;
  if (!core->profile.frozen && !atomic_load(&core->closed) && !atomic_load(&core->lost)) {
    WEFT__TRY_RETURN(weft__core_wait(core));
    weft__profile_read_events(&core->profile, -1);
    if (measure) weft__copy_rate(core);
  }
  WEFT__TRY_RETURN(weft__profile_take_copy(copy, &core->profile));
  copy->totals.copy_bytes_per_second = atomic_load(&core->device->copy_rate);
  return WEFT_OK;
}

weft_status weft_profile_get(weft_profile_row **rows, uint64_t *count, weft_profile_totals *totals,
                             weft_context *context) {
  weft__profile_copy copy;
  weft_status rc;
  weft__enter("weft_profile_get", NULL);
  WEFT__NEED(rows);
  WEFT__NEED(count);
  *rows = NULL;
  *count = 0;
  WEFT__TRY(weft__profile_gather(&copy, context, totals != NULL));
  *rows = copy.row;
  *count = copy.rows;
  if (totals) *totals = copy.totals;
  copy.row = NULL;
  weft__profile_free_copy(&copy);
done:
  return weft__leave(rc);
}

weft_status weft_profile_get_events(weft_profile_event **events, uint64_t *count, weft_context *context) {
  weft__profile_copy copy;
  weft_status rc;
  weft__enter("weft_profile_get_events", NULL);
  WEFT__NEED(events);
  WEFT__NEED(count);
  *events = NULL;
  *count = 0;
  WEFT__TRY(weft__profile_gather(&copy, context, false));
  *events = copy.event;
  *count = copy.events;
  copy.event = NULL;
  weft__profile_free_copy(&copy);
done:
  return weft__leave(rc);
}
