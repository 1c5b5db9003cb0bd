// SPDX-License-Identifier: MIT
/// Puts the headers of a source in the places of its #include lines.
#ifndef WEFT_KERNEL_SPLICE_H
#define WEFT_KERNEL_SPLICE_H

#include "kernel/source.h"

/// Appends source->text with its headers. From `begin` on, `out` already has the lines in front of it, which define
/// macros. Errors: as of weft__source_expand.
weft_status weft__splice(weft__text *out, size_t begin, const weft__source *source);

#endif
