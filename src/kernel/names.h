// SPDX-License-Identifier: MIT
/// Names of kernels that a driver cannot take (quirk short_names). The driver is not asked for the names: NVIDIA's
/// damages the heap where one is too long.
#ifndef WEFT_KERNEL_NAMES_H
#define WEFT_KERNEL_NAMES_H

#include "kernel/program.h"

/// Checks all names of an expanded source. Errors: UNSUPPORTED.
weft_status weft__names_check_text(const weft__core *core, const char *text);
/// Checks the kernels' names in a file's head or a module of SPIR-V; `name` is the code's in messages. Errors:
/// UNSUPPORTED.
weft_status weft__names_check_code(const weft__core *core, const char *name, const weft__code *code);

#endif
