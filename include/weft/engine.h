// SPDX-License-Identifier: MIT
/// The engines: other libraries that compute a part of Weft's functions where they are installed, such as OpenBLAS for
/// matrix products on CPU devices. Weft loads them at run time and needs none of them; VkFFT is part of Weft if its
/// headers were there when Weft was built. WEFT_ENGINE lists those it may use: docs/linalg.md.
///
///     weft_engine_info info;
///     rc = weft_engine_get(&info, 0);
///     printf("%s: %s\n", info.name, info.is_found ? info.version : info.problem);
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_ENGINE_H
#define WEFT_ENGINE_H

#include <weft/status.h>

WEFT_BEGIN_DECLS

/// A library of an engine. The strings belong to Weft and live as long as the process; none is NULL.
typedef struct weft_engine_info {
  const char *name;    /* the engine's name in WEFT_ENGINE: "cblas" */
  const char *purpose; /* "matrix products on CPU devices" */
  bool is_found;       /* it is loaded, or part of Weft, and can be used */
  bool is_allowed;     /* WEFT_ENGINE allows it */
  const char *library; /* "libopenblas.so.0"; "" if it was not found */
  const char *path;    /* the library's file; "" if it was not found, and of VkFFT */
  const char *version; /* "OpenBLAS 0.3.21"; "" if it was not found or is unknown */
  const char *problem; /* why it cannot be used: "found no libopenblas.so.0, ..."; "" if it was found */
  const char *package; /* the Debian package to install: "libopenblas0" */
} weft_engine_info;

/// Writes the number of the engines' libraries.
WEFT_API WEFT_NODISCARD weft_status weft_engine_count(int *count);
/// Describes library `index`, and loads it if it was not looked for before. Errors: WEFT_ERROR_ARGUMENT (`index` is out
/// of range, or WEFT_ENGINE has an unknown name).
WEFT_API WEFT_NODISCARD weft_status weft_engine_get(weft_engine_info *info, int index);

WEFT_END_DECLS

#endif
