// SPDX-License-Identifier: MIT
/// The cache folder through which PoCL builds every program. If PoCL cannot write there, it lists no device, fails
/// without a message or ends the process, so Weft checks the folder first.
#ifndef WEFT_CORE_POCL_CACHE_H
#define WEFT_CORE_POCL_CACHE_H

#include <limits.h>

#include "base/text.h"

/// The name of the platforms that need the folder.
#define WEFT__CACHE_PLATFORM "Portable Computing Language"

/// The folder's path, chosen as PoCL 3.1 to 6.0 choose it. False if the path is too long, which PoCL also rejects.
bool weft__cache_folder(char path[PATH_MAX]);

/// Whether PoCL can build; creates the folder as PoCL does. If not, `why` names the folder, the problem and the remedy.
bool weft__cache_works(weft__text *why);

/// Whether PoCL fails an assertion, which ends the process, as soon as its devices are listed. With several platforms
/// ocl-icd lists them first.
bool weft__cache_is_fatal(void);

#endif
