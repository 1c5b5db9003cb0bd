// SPDX-License-Identifier: MIT
/// The profile that the environment asks for, as a follower of contexts.
#ifndef WEFT_REPORT_PROFILE_CONTROL_H
#define WEFT_REPORT_PROFILE_CONTROL_H

#include "context/context.h"

/// Profiles a new context where WEFT_PROFILE asks for it. Errors: HOST_MEMORY.
weft_status weft__profile_request(weft_context *context);
/// Prints the profile that the environment asked for, once.
void weft__profile_end(weft_context *context);
void weft__profile_at_exit(weft_context *context);

#endif
