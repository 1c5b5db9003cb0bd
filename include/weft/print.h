// SPDX-License-Identifier: MIT
/// Arrays and host memory as text, in NumPy 2's format.
///
///     rc = weft_array_print(stdout, x, .precision = 3);
///     rc = weft_array_print(stdout, WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(3, 4)));
///     rc = weft_array_repr(&text, x);                                "array([0., 1., 2.], dtype=float32)"
///
/// `x` is an array, host memory or a C number; the last two are printed without a device.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_PRINT_H
#define WEFT_PRINT_H

#include <stdio.h>

#include <weft/operand.h>

WEFT_BEGIN_DECLS

/// Options of weft_array_to_text, weft_array_repr and weft_array_print: NumPy's print options, with NumPy's defaults.
typedef struct weft_print_params {
  int precision;     /* most digits after the point; default 8; -1: none */
  int64_t threshold; /* more elements than this are summarised; default 1000; -1: never */
  int edge_items;    /* elements at each end of a summarised axis; default 3 */
  int line_width;    /* in characters; default 75 */
  bool suppress;     /* small numbers are never written with an exponent */
  const char *site;  /* set by the macros */
} weft_print_params;

/// Writes the text of str(numpy_array), such as "[0. 1. 2.]", to *text: columns aligned, summarised above the
/// threshold. Waits for `x` and reads only the elements shown.
WEFT_API WEFT_NODISCARD weft_status weft_array_to_text(char **text, const weft_array *x,
                                                       const weft_print_params *params);

/// Writes the text of repr(numpy_array) to *text: as weft_array_to_text, with commas, and behind it shape and dtype
/// where NumPy names them: "array([], shape=(0, 3), dtype=float32)". bf16, which NumPy lacks, is dtype=bfloat16.
WEFT_API WEFT_NODISCARD weft_status weft_array_repr(char **text, const weft_array *x, const weft_print_params *params);

/// Writes the text of weft_array_to_text and a newline to `stream`. Waits for `x`: not for code that must be fast.
/// Errors: WEFT_ERROR_FILE (`stream` cannot be written).
WEFT_API WEFT_NODISCARD weft_status weft_array_print(FILE *stream, const weft_array *x,
                                                     const weft_print_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__array_to_text_at(char **text, weft_operand x,
                                                           const weft_print_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__array_repr_at(char **text, weft_operand x, const weft_print_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__array_print_at(FILE *stream, weft_operand x, const weft_print_params *params);

#define weft_array_to_text(text, ...) \
  weft__array_to_text_at((text), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), WEFT__OPTIONS(weft_print_params, __VA_ARGS__))
#define weft_array_repr(text, ...) \
  weft__array_repr_at((text), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), WEFT__OPTIONS(weft_print_params, __VA_ARGS__))
#define weft_array_print(stream, ...) \
  weft__array_print_at((stream), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), WEFT__OPTIONS(weft_print_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
