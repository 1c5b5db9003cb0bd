// SPDX-License-Identifier: MIT
/// The version of these headers. This file is the only place where it is written; the build reads it back.
/// docs/conventions.md has what all headers share.
#ifndef WEFT_VERSION_H
#define WEFT_VERSION_H

#include <weft/api.h>

/// The version of the headers: three numbers; a string such as "0.1.0"; one number to compare, such as 1000 for 0.1.0.
#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 1
#define WEFT_VERSION_PATCH 0
#define WEFT_VERSION_STRING \
  WEFT_STRINGIFY(WEFT_VERSION_MAJOR) "." WEFT_STRINGIFY(WEFT_VERSION_MINOR) "." WEFT_STRINGIFY(WEFT_VERSION_PATCH)
#define WEFT_VERSION_NUMBER (WEFT_VERSION_MAJOR * 1000000 + WEFT_VERSION_MINOR * 1000 + WEFT_VERSION_PATCH)

WEFT_BEGIN_DECLS

/// The version of the library that is linked, such as "0.1.0". Thread: any.
WEFT_API const char *weft_version(void);

WEFT_END_DECLS

#endif
