// SPDX-License-Identifier: MIT
/// A program with more rights than its user (set-user-ID, set-group-ID, capabilities) must not do what the user's
/// environment says: every variable is read here, and every library loaded.
#ifndef WEFT_BASE_SECURE_H
#define WEFT_BASE_SECURE_H

#include <weft/api.h>

/// Whether the process has more rights than its user, as the kernel said when it began (AT_SECURE).
bool weft__is_privileged(void);
/// getenv; NULL in a privileged process.
const char *weft__getenv(const char *name);
/// The text of a variable; NULL if it is unset or empty.
const char *weft__getenv_filled(const char *name);
/// The text of a variable that a driver or its loader reads, also in a privileged process, to know what they do. NULL:
/// it is unset.
const char *weft__getenv_of_driver(const char *name);
/// All variables ("NAME=text"), with NULL behind them; none in a privileged process.
char *const *weft__getenv_all(void);
/// dlopen; in a privileged process only by name, from the system's folders. NULL: dlerror says why, if it is not NULL.
void *weft__library_open(const char *name, int flags);

#endif
