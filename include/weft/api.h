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

/* The default of a public macro's _Generic is an undefined function of any argument, whose call the compiler refuses
   with `text`. It is declared twice in each header, by name: clang adds a note for each macro on the way, and decides
   only at the call which one of two is meant. To GCC both are one function without a prototype. */
#if defined(__clang__)
#define WEFT__REFUSED(text) __attribute__((overloadable, unavailable(text)))
#define WEFT__A_POINTER const void *
#define WEFT__ANYTHING ...
#elif defined(__GNUC__)
#define WEFT__REFUSED(text) __attribute__((error(text)))
#else
#define WEFT__REFUSED(text)
#endif
#ifndef __clang__
#define WEFT__A_POINTER WEFT__ANYTHING
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L
#define WEFT__ANYTHING ...
#else
#define WEFT__ANYTHING
#endif
#endif
#if defined(__GNUC__) && !defined(__clang__)
#define WEFT__REFUSING_BEGINS                                                              \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wstrict-prototypes\"") \
      _Pragma("GCC diagnostic ignored \"-Wredundant-decls\"")
#define WEFT__REFUSING_ENDS _Pragma("GCC diagnostic pop")
#else
#define WEFT__REFUSING_BEGINS
#define WEFT__REFUSING_ENDS
#endif

#ifdef __cplusplus
template <typename T>
struct weft__never {
  static constexpr bool value = false;
};
constexpr bool weft__same_text(const char *a, const char *b) {
  return *a == *b && (*a == '\0' || weft__same_text(a + 1, b + 1));
}
#define WEFT_BEGIN_DECLS extern "C" {
#define WEFT_END_DECLS }
#else
#define WEFT_BEGIN_DECLS
#define WEFT_END_DECLS
#endif

#define WEFT_STRINGIFY_(x) #x
#define WEFT_STRINGIFY(x) WEFT_STRINGIFY_(x)

/// The caller's "file:line". Calls that may allocate or launch are functions and macros of one name. The macro passes
/// this place on, so that reports and errors can name the line. The string must live as long as the program; a literal
/// does.
#define WEFT_SITE (__FILE__ ":" WEFT_STRINGIFY(__LINE__))

#include <weft/options.h>

#endif
