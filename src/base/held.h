// SPDX-License-Identifier: MIT
/// Texts with one copy for equal ones, as long as somebody holds it. Two held texts are equal if their addresses are.
#ifndef WEFT_BASE_HELD_H
#define WEFT_BASE_HELD_H

/// Holds the copy of this text. NULL if the host has no memory (recorded).
const char *weft__hold_text(const char *string);
/// Holds a held text once more.
void weft__hold_again(const char *held);
/// Ends one hold; the last frees the text. NULL does nothing.
void weft__let_go(const char *held);

#endif
