// SPDX-License-Identifier: MIT
#ifndef WEFT_REPORT_PROFILE_READ_H
#define WEFT_REPORT_PROFILE_READ_H

#include "context/context.h"

/// What the context's profile has, after a wait where it can still be waited for. `measure`: the device's copy rate
/// too, if it is not known. On failure there is nothing to free.
weft_status weft__profile_gather(weft__profile_copy *copy, weft_context *context, bool measure);

static inline bool weft__profile_is_command(weft_profile_kind kind) {
  return kind != WEFT_PROFILE_CALL && kind != WEFT_PROFILE_RANGE;
}

#endif
