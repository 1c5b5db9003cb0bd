// SPDX-License-Identifier: MIT
/// Finds CUDA and C names in a source that does not compile, and suggests their OpenCL C equivalents.
#ifndef WEFT_KERNEL_CUDA_WORDS_H
#define WEFT_KERNEL_CUDA_WORDS_H

#include "base/text.h"

/// Adds a hint for each CUDA or C name in `source`, outside comments and strings. `has_prelude`: the source includes
/// weft/prelude.clh.
void weft__cuda_words_hint(weft__text *out, const char *source, bool has_prelude);

#endif
