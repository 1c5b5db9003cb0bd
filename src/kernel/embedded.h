// SPDX-License-Identifier: MIT
/// The texts of cl/, embedded into the library by cl/embed.py.
#ifndef WEFT_KERNEL_EMBEDDED_H
#define WEFT_KERNEL_EMBEDDED_H

typedef struct weft__embedded {
  const char *name; /* "weft/prelude.clh" */
  const char *text;
} weft__embedded;

/// Terminated by a row of NULLs.
extern const weft__embedded weft__embedded_sources[];

/// The text of this name; NULL if it does not exist.
const char *weft__embedded_find(const char *name);

#endif
