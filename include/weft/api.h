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

/// Declares the default of a public macro's _Generic: an undefined function, whose call the compiler refuses with
/// `text`. For a struct the compiler reports the parameter's type instead, with this function's name: so the name gives
/// the hint.
#if defined(__clang__)
#define WEFT__REFUSE(type, name, text)                                                                                        \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wgcc-compat\"") type name(const void *value)          \
      __attribute__((diagnose_if(sizeof(value) != 0, text, "error"))); /* not 1: that would refuse the name, chosen or not */ \
  _Pragma("clang diagnostic pop")
#elif defined(__GNUC__)
#define WEFT__REFUSE(type, name, text) type name(const void *value) __attribute__((error(text)));
#else
#define WEFT__REFUSE(type, name, text) type name(const void *value);
#endif
/// For C++ overloads: refuses pointers to other types (which would convert to bool) and types without a conversion.
#define WEFT__REFUSE_OVERLOADS(type, name, text)                    \
  template <typename T>                                             \
  inline type name(const volatile T *) {                            \
    static_assert(weft__never<T>::value, text);                     \
    return type();                                                  \
  }                                                                 \
  template <typename... Nothing>                                    \
  inline type name(...) {                                           \
    static_assert(sizeof...(Nothing) != 0, text); /* it is empty */ \
    return type();                                                  \
  }
#define WEFT__REFUSE_NULL(type, name, text) \
  template <bool Never = false>             \
  inline type name(decltype(nullptr)) {     \
    static_assert(Never, text);             \
    return type();                          \
  }

#ifdef __cplusplus
template <typename T>
struct weft__never {
  static constexpr bool value = false;
};
#define WEFT_BEGIN_DECLS extern "C" {
#define WEFT_END_DECLS }
#else
#define WEFT_BEGIN_DECLS
#define WEFT_END_DECLS
#endif

#define WEFT_STRINGIFY_(x) #x
#define WEFT_STRINGIFY(x) WEFT_STRINGIFY_(x)

/// The caller's "file:line". Calls that may allocate or launch are functions and macros of one name. The macro passes this
/// place on, so that reports and errors can name the line. The string must live as long as the program; a literal does.
#define WEFT_SITE (__FILE__ ":" WEFT_STRINGIFY(__LINE__))

/* The last positional argument of a call and the options behind it: -1 and .descending = true of
   weft_sort(&y, x, -1, .descending = true). WEFT__OPTIONS is the address of a struct of the options and the caller's place;
   WEFT__STRUCT that of a struct of members as written (in C++17 of the struct that is given). */
#define WEFT__FIRST(...) WEFT__FIRST_(__VA_ARGS__, 0)
#define WEFT__FIRST_(first, ...) first
#define WEFT__REST(...) WEFT__REST_(__VA_ARGS__, .site = WEFT_SITE)
#define WEFT__REST_(first, ...) __VA_ARGS__

#ifdef __cplusplus
template <typename T>
inline const T *weft__address(const T &value) { /* it lives to the end of the call that it is made for */
  return &value;
}
#if __cplusplus >= 202002L
#include <weft/options.h>
#else
template <typename T, typename First>
inline T weft__options(const char *site, const First &, T options = T()) {
  options.site = site;
  return options;
}
#define WEFT__OPTIONS(type, ...) weft__address(weft__options<type>(WEFT_SITE, __VA_ARGS__))
#define WEFT__STRUCT(type, ...) weft__address<type>(__VA_ARGS__)
#endif
#else
#define WEFT__OPTIONS(type, ...) (&(const type){WEFT__REST(__VA_ARGS__)})
#define WEFT__STRUCT(type, ...) (&(const type){__VA_ARGS__})
#endif

#endif
