// SPDX-License-Identifier: MIT
/// Finds CUDA and C names in a source that does not compile, and suggests their OpenCL C equivalents.
#ifndef WEFT_KERNEL_CUDA_WORDS_H
#define WEFT_KERNEL_CUDA_WORDS_H

#include "base/text.h"

/// Adds a hint for each CUDA or C name in `source`, outside comments and strings, unless `expanded`, the text that was
/// built, includes the header that has it; and for names that only `log`, the compiler's, shows to be missing.
void weft__cuda_words_hint(weft__text *out, const char *source, const char *expanded, const char *log);

#endif
