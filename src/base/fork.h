// SPDX-License-Identifier: MIT
/// OpenCL drivers do not survive fork(): what was made before it cannot be used after it.
#ifndef WEFT_BASE_FORK_H
#define WEFT_BASE_FORK_H

/// How many forks lie between the first process that used Weft and this one. Objects remember the value and compare.
unsigned weft__fork_generation(void);

#endif
