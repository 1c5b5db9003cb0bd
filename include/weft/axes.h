// SPDX-License-Identifier: MIT
/// The axes along which a function works: an int, WEFT_AXES(0, 2) or WEFT_ALL_AXES.
///
///     rc = weft_sum(&total, x, WEFT_ALL_AXES);
///     rc = weft_sort(&rows, x, -1);
///     rc = weft_mean(&plane, x, weft_keepdims(WEFT_AXES(0, 2)));
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_AXES_H
#define WEFT_AXES_H

#include <weft/shape.h>

#ifdef __cplusplus
#include <type_traits>
#endif

WEFT_BEGIN_DECLS

/// Axes count from 0, or from the end if negative. Each may be named once (WEFT_ERROR_AXIS).
typedef struct weft_axes {
  int count;     /* WEFT__EVERY_AXIS: all axes of the array */
  bool keepdims; /* the axes stay in the result, with length 1 */
  int axis[WEFT_MAX_NDIM];
} weft_axes;

#define WEFT__EVERY_AXIS INT32_MIN

static inline weft_axes weft__axes(int count, const int *axis) {
  weft_axes a;
  int i;
  a.count = count;
  a.keepdims = false;
  for (i = 0; i < WEFT_MAX_NDIM; i++) a.axis[i] = i < count ? axis[i] : 0;
  return a;
}
static inline weft_axes weft__axes_int(long long axis) {
  int only = axis < INT32_MIN ? INT32_MIN : axis > INT32_MAX ? INT32_MAX : (int)axis; /* out of range either way */
  return weft__axes(1, &only);
}
static inline weft_axes weft__axes_self(weft_axes axes) {
  return axes;
}
static inline weft_axes weft__keepdims(weft_axes axes) {
  axes.keepdims = true;
  return axes;
}

WEFT_END_DECLS

#define WEFT__NO_AXES \
  "Weft: not an axis: pass an integer, WEFT_AXES(0, 1), WEFT_ALL_AXES, or weft_keepdims of one of these"

/// All axes of the array.
#define WEFT_ALL_AXES weft__axes(WEFT__EVERY_AXIS, NULL)
#ifdef __cplusplus
template <typename... Axes>
inline weft_axes weft__axes_pack(Axes... axes) {
  const int axis[] = {static_cast<int>(axes | 0)..., 0}; /* the | refuses a non-integer */
  return weft__axes(static_cast<int>(sizeof...(axes)), axis);
}
#define WEFT_AXES(...) weft__axes_pack(__VA_ARGS__)
template <typename T>
struct weft__is_axis {
  static constexpr bool value = std::is_integral<T>::value || std::is_enum<T>::value;
};
template <typename T>
inline typename std::enable_if<weft__is_axis<T>::value, weft_axes>::type weft__axes_of(T axis) {
  return weft__axes_int(static_cast<long long>(axis));
}
template <typename T>
inline typename std::enable_if<!weft__is_axis<T>::value, weft_axes>::type weft__axes_of(T) {
  static_assert(weft__never<T>::value, WEFT__NO_AXES);
  return weft_axes();
}
inline weft_axes weft__axes_of(weft_axes axes) {
  return axes;
}
template <bool Never>
inline void weft__axes_not_null() {
  static_assert(!Never, WEFT__NO_AXES); /* NULL is a number to C++ */
}
#define WEFT__AXES(x) (weft__axes_not_null<weft__same_text(#x, "__null")>(), weft__axes_of(x))
#else
WEFT__REFUSING_BEGINS
weft_axes weft__no_axes_see_WEFT_AXES(WEFT__A_POINTER) WEFT__REFUSED(WEFT__NO_AXES);
weft_axes weft__no_axes_see_WEFT_AXES(WEFT__ANYTHING) WEFT__REFUSED(WEFT__NO_AXES);
WEFT__REFUSING_ENDS
/// WEFT_AXES(0, 2): up to WEFT_MAX_NDIM axes.
#define WEFT_AXES(...) weft__axes((int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)), (const int[]){__VA_ARGS__})
/// Every integer type, for _Generic.
// clang-format off
#define WEFT__INTEGERS(convert) \
  signed char : convert, short : convert, int : convert, long : convert, long long : convert, unsigned char : convert, \
  unsigned short : convert, unsigned : convert, unsigned long : convert, unsigned long long : convert
// clang-format on
/// Converts an argument that names axes.
#define WEFT__AXES(x) \
  _Generic((x), weft_axes : weft__axes_self, WEFT__INTEGERS(weft__axes_int), default : weft__no_axes_see_WEFT_AXES)(x)
#endif
/// Keeps the axes in the result, with length 1, so that it broadcasts against the operand.
#define weft_keepdims(axes) weft__keepdims(WEFT__AXES(axes))

#endif
