// SPDX-License-Identifier: MIT
/// Options of a call, by name behind the last positional argument: weft_sort(&y, x, -1, .descending = true). weft/api.h
/// includes this file.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_OPTIONS_H
#define WEFT_OPTIONS_H

#if defined(__cplusplus) && __cplusplus >= 202002L && defined(__GNUC__) && !defined(__clang__)
#pragma GCC system_header /* GCC warns about every omitted option */
#endif

/* WEFT__FIRST is the last positional argument of a call, WEFT__REST the options behind it: -1 and .descending = true of
   weft_sort(&y, x, -1, .descending = true). WEFT__OPTIONS is the address of a struct with the options and the caller's
   site; WEFT__STRUCT is the address of a struct with the given members (in C++17: of the given struct). */
#define WEFT__FIRST(...) WEFT__FIRST_(__VA_ARGS__, 0)
#define WEFT__FIRST_(first, ...) first
#define WEFT__REST(first, ...) __VA_ARGS__ /* includes the site: another macro would add a compiler note */
#define WEFT__TEXT(...) WEFT__TEXT_(__VA_ARGS__)
#define WEFT__TEXT_(...) #__VA_ARGS__
#if !defined(__cplusplus) || __cplusplus >= 202002L
#define WEFT__NO_OPTION "Weft: options have names: weft_sort(&y, x, -1, .descending = true)"
#else
#define WEFT__NO_OPTION \
  "Weft: options are a struct before C++20: weft_sort_params p = {}; p.descending = true; weft_sort(&y, x, -1, p)"
#endif

#ifdef __cplusplus
#include <type_traits>
template <typename T>
inline const T *weft__address(const T &value) { /* the temporary lives until the call's full expression ends */
  return &value;
}
#if __cplusplus >= 202002L
template <typename T>
inline T weft__with_site(T options, const char *site) {
  options.site = site;
  return options;
}
/* options by name, or one struct of them as in C++17 */
template <bool IsNamed>
inline const char *weft__site_of(const char *site) {
  static_assert(IsNamed, WEFT__NO_OPTION);
  return site;
}
constexpr bool weft__begins_with_a_name(const char *text) { /* of a member or a struct */
  return *text == '\0' || *text == '.' || *text == '_' || (*text >= 'a' && *text <= 'z') ||
         (*text >= 'A' && *text <= 'Z');
}
/* clang 19 and later warn about every omitted option */
#ifdef __has_warning
#if __has_warning("-Wmissing-designated-field-initializers")
#define WEFT__SILENT \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wmissing-designated-field-initializers\"")
#define WEFT__AUDIBLE _Pragma("clang diagnostic pop")
#endif
#endif
#ifndef WEFT__SILENT
#define WEFT__SILENT
#define WEFT__AUDIBLE
#endif
#define WEFT__OPTIONS(type, ...)                                                 \
  weft__address(                                                                 \
      weft__with_site(WEFT__SILENT type{WEFT__REST(__VA_ARGS__)} WEFT__AUDIBLE, \
                      weft__site_of<weft__begins_with_a_name(WEFT__TEXT(WEFT__REST(__VA_ARGS__)))>(WEFT_SITE)))
#define WEFT__STRUCT(type, ...) weft__address(WEFT__SILENT type{__VA_ARGS__} WEFT__AUDIBLE)
#else
template <typename T>
inline T weft__options_of(const T &options) {
  return options;
}
template <typename T>
inline T weft__options_of(...) {
  return T();
}
template <typename T, typename First, typename Given = T>
inline T weft__options(const char *site, const First &, const Given &given = Given()) {
  static_assert(std::is_convertible<Given, T>::value, WEFT__NO_OPTION);
  T options = weft__options_of<T>(given);
  options.site = site;
  return options;
}
#define WEFT__OPTIONS(type, ...) weft__address(weft__options<type>(WEFT_SITE, __VA_ARGS__))
#define WEFT__STRUCT(type, ...) weft__address<type>(__VA_ARGS__)
#endif
#else
/* By position a value would become whichever option is the first member. The condition is constant, also to compilers
   that do not optimise: no code is made of it. */
#if defined(__GNUC__) && __has_attribute(error)
void weft__no_option(void) __attribute__((error(WEFT__NO_OPTION)));
/* __extension__: the text may be longer than the 4095 characters that C promises */
#define WEFT__NAMED(...) \
  (__extension__ __builtin_strncmp(WEFT__TEXT(__VA_ARGS__), ".", 1) == 0 ? (void)0 : weft__no_option())
#else
#define WEFT__NAMED(...) (void)0
#endif
#define WEFT__OPTIONS(type, ...) \
  (WEFT__NAMED(WEFT__REST(__VA_ARGS__, .site)), &(const type){WEFT__REST(__VA_ARGS__, .site = WEFT_SITE)})
#define WEFT__STRUCT(type, ...) (&(const type){__VA_ARGS__})
#endif

#endif
