// SPDX-License-Identifier: MIT
/// OpenCL drivers do not survive fork(): objects made before it cannot be used after it.
#ifndef WEFT_BASE_FORK_H
#define WEFT_BASE_FORK_H

/// The number of forks between the first process that used Weft and this one. Objects store it and compare it later.
unsigned weft__fork_generation(void);

#endif
