// SPDX-License-Identifier: MIT
/// CUDA and C names in sources: suggestions where a source does not compile, and the type `long long`.
#ifndef WEFT_KERNEL_CUDA_WORDS_H
#define WEFT_KERNEL_CUDA_WORDS_H

#include "base/text.h"

/// CUDA's `long long` has 64 bits; OpenCL C reserves it, and clang gives it 128. If the expanded text includes
/// weft/cuda.clh, it becomes `long` and 1ull becomes 1ul, each with blanks that keep the columns.
void weft__cuda_words_shorten(char *text);

/// Adds a hint for each CUDA or C name in `text`, the expanded text that was built, outside comments, strings and
/// Weft's own files, unless `text` includes the header that has it; and for names that only `log`, the compiler's,
/// shows to be missing.
void weft__cuda_words_hint(weft__text *out, const char *text, const char *log);

#endif
