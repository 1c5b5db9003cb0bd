// SPDX-License-Identifier: MIT
/// What every public header needs: linkage, attributes, and the caller's place in its source.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_API_H
#define WEFT_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Attributes of declarations: part of the library's interface; the result must be used; arguments as for printf. They
/// are empty for compilers that lack them.
#if defined(__GNUC__) || defined(__clang__)
#define WEFT_API __attribute__((visibility("default")))
#define WEFT_NODISCARD __attribute__((warn_unused_result))
#define WEFT_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define WEFT_API
#define WEFT_NODISCARD
#define WEFT_PRINTF(text, first)
#endif

/* The default of a public macro's _Generic is an undefined function of any argument; the compiler refuses a call of it
   with the message `text`. Each header declares the function twice and without a macro. Twice: clang chooses between
   the overloads only at the call, while GCC sees one function without a prototype. Without a macro: clang would add a
   note for each macro it expands. */
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

/// Around declarations in C, for C++.
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

/// x as a string, after macros in x are expanded.
#define WEFT_STRINGIFY_(x) #x
#define WEFT_STRINGIFY(x) WEFT_STRINGIFY_(x)

/// The caller's "file:line". A function that may allocate or launch is also a macro of the same name, which passes this
/// place on: reports and errors name the line. The string must live as long as the program; a literal does.
#define WEFT_SITE (__FILE__ ":" WEFT_STRINGIFY(__LINE__))

/* The place of a result that can only be an address: of a handle, or of a pointer to records. C converts any pointer to
   any other with a warning, C++ does not. */
#ifdef __cplusplus
#define WEFT__PLACE(type, out) (out)
#else
#define WEFT__NO_PLACE \
  "Weft: no place for a result: pass &y, with a handle of the right type that is NULL (weft_array *y = NULL)"
WEFT__REFUSING_BEGINS
void *weft__no_place_pass_an_address(WEFT__A_POINTER) WEFT__REFUSED(WEFT__NO_PLACE);
void *weft__no_place_pass_an_address(WEFT__ANYTHING) WEFT__REFUSED(WEFT__NO_PLACE);
WEFT__REFUSING_ENDS
static inline void *weft__place(void *out) {
  return out;
}
#define WEFT__PLACE(type, out) _Generic((out), type * * : weft__place, default : weft__no_place_pass_an_address)(out)
#endif

#include <weft/options.h>

#endif
