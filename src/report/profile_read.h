// SPDX-License-Identifier: MIT
#ifndef WEFT_REPORT_PROFILE_READ_H
#define WEFT_REPORT_PROFILE_READ_H

#include "context/context.h"

/// Copies the context's profile, after waiting for its work if the context is still usable. `measure`: also measures
/// the device's copy rate if it is unknown. After a failure there is nothing to free.
weft_status weft__profile_gather(weft__profile_copy *copy, weft_context *context, bool measure);

static inline bool weft__profile_is_command(weft_profile_kind kind) {
  return kind != WEFT_PROFILE_CALL && kind != WEFT_PROFILE_RANGE;
}

#endif
