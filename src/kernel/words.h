// SPDX-License-Identifier: MIT
/// Words of CUDA and C in a source that does not compile, and what OpenCL C has for them.
#ifndef WEFT_KERNEL_WORDS_H
#define WEFT_KERNEL_WORDS_H

#include "base/text.h"

/// Adds a line for each such word of `source` (comments and strings aside). `has_prelude`: weft/prelude.clh is included.
void weft__words_hint(weft__text *out, const char *source, bool has_prelude);

#endif
