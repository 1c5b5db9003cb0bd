// SPDX-License-Identifier: MIT
/// The functions of host steps that a recording's file may name.
#ifndef WEFT_RECORD_HOST_FUNCTIONS_H
#define WEFT_RECORD_HOST_FUNCTIONS_H

#include "engine/host_step.h"

/// NULL: no function has this name.
const weft__host_function *weft__host_function_find(const char *name);

#endif
