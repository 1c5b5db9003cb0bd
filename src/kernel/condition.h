// SPDX-License-Identifier: MIT
/// Replaces macros in a directive, and evaluates conditions, as far as the macros are known.
#ifndef WEFT_KERNEL_CONDITION_H
#define WEFT_KERNEL_CONDITION_H

#include "kernel/macros.h"

/// Adds the text with its macros replaced, as C11 6.10.3 says. False if a macro is in it of which nothing is known, or
/// not its text.
bool weft__macros_replace(weft__text *out, weft__macros *macros, const char *text);

/// The condition of a directive #if, #ifdef, #ifndef or #elif.
weft__condition weft__condition_read(weft__macros *macros, const char *directive);

#endif
