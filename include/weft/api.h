// SPDX-License-Identifier: MIT
/// What every public header needs: linkage, attributes, and the caller's place in its source.
#ifndef WEFT_API_H
#define WEFT_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define WEFT_API __attribute__((visibility("default")))
#define WEFT_NODISCARD __attribute__((warn_unused_result))
#define WEFT_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define WEFT_API
#define WEFT_NODISCARD
#define WEFT_PRINTF(text, first)
#endif

#ifdef __cplusplus
#define WEFT_BEGIN_DECLS extern "C" {
#define WEFT_END_DECLS }
#else
#define WEFT_BEGIN_DECLS
#define WEFT_END_DECLS
#endif

#define WEFT_STRINGIFY_(x) #x
#define WEFT_STRINGIFY(x) WEFT_STRINGIFY_(x)

/// The caller's "file:line". Calls that may allocate or launch are macros that pass it to the function behind them (`..._at`),
/// so that reports and errors can name the line. The string must live as long as the program; a literal does.
#define WEFT_SITE (__FILE__ ":" WEFT_STRINGIFY(__LINE__))

#endif
