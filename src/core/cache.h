// SPDX-License-Identifier: MIT
/// The folder of files through which PoCL builds every program. Where it cannot write there, it finds no device, fails without a word or ends the
/// process, by when it happens: so Weft looks first.
#ifndef WEFT_CORE_CACHE_H
#define WEFT_CORE_CACHE_H

#include "base/text.h"

/// What platforms are called that need it.
#define WEFT__CACHE_PLATFORM "Portable Computing Language"

/// Whether PoCL can build, with the folder made as PoCL makes it. If not, `why` is a sentence that says which folder, what is wrong and what
/// would do.
bool weft__cache_works(weft__text *why);

/// Whether PoCL ends the process, in an assertion, as soon as it is asked for its devices. With several platforms ocl-icd itself asks before.
bool weft__cache_is_fatal(void);

#endif
