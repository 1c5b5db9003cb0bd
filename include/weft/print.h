// SPDX-License-Identifier: MIT
/// Arrays as text, in NumPy 2's form.
#ifndef WEFT_PRINT_H
#define WEFT_PRINT_H

#include <stdio.h>

#include <weft/array.h>

WEFT_BEGIN_DECLS

/// Options of weft_array_to_text and weft_array_print: NumPy's print options, with NumPy's defaults.
typedef struct weft_print_params {
  int precision;     /* most digits after the point; 0: 8; -1: none */
  int64_t threshold; /* more elements than this are summarised; 0: 1000; -1: never */
  int edge_items;    /* elements at each end of a summarised axis; 0: 3 */
  int line_width;    /* 0: 75 */
  bool suppress;     /* never the exponent form for small numbers */
  const char *site;  /* set by the macros */
} weft_print_params;

/// The text of str(numpy_array): "[0. 1. 2.]", columns aligned, summarised beyond the threshold (only what is shown is
/// read). Waits for `x`. Free *text with weft_free. Thread: the array's.
WEFT_API WEFT_NODISCARD weft_status weft_array_to_text(char **text, const weft_array *x,
                                                       const weft_print_params *params);

/// Writes that text and a newline to `stream`. It waits for the device and reads from it, so it has no place in code
/// that must be fast.
WEFT_API WEFT_NODISCARD weft_status weft_array_print(FILE *stream, const weft_array *x,
                                                     const weft_print_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__array_to_text_at(char **text, const weft_array *x,
                                                           const weft_print_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__array_print_at(FILE *stream, const weft_array *x,
                                                         const weft_print_params *params);

#define weft_array_to_text(text, ...) \
  weft__array_to_text_at((text), WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_print_params, __VA_ARGS__))
#define weft_array_print(stream, ...) \
  weft__array_print_at((stream), WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_print_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
