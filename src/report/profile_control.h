// SPDX-License-Identifier: MIT
/// The profile that the environment requests, as a follower of contexts.
#ifndef WEFT_REPORT_PROFILE_CONTROL_H
#define WEFT_REPORT_PROFILE_CONTROL_H

#include "context/context.h"

/// Profiles a new context if WEFT_PROFILE requests it. Errors: HOST_MEMORY.
weft_status weft__profile_request(weft_context *context);
/// Prints the profile that the environment requested, once.
void weft__profile_end(weft_context *context);
void weft__profile_at_exit(weft_context *context);

#endif
