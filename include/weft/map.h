// SPDX-License-Identifier: MIT
/// WEFT__MAP(m, a, b, c) is m(a), m(b), m(c), for up to 33 arguments: a block and 32 kernel arguments. Not for direct use.
#ifndef WEFT_MAP_H
#define WEFT_MAP_H

// clang-format off
#define WEFT__COUNT(...) WEFT__COUNT_(__VA_ARGS__, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define WEFT__COUNT_(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, _18, _19, _20, _21, _22, _23, _24, _25, _26, _27, _28, _29, _30, _31, _32, _33, n, ...) n
#define WEFT__CONCAT_(a, b) a##b
#define WEFT__CONCAT(a, b) WEFT__CONCAT_(a, b)
#define WEFT__MAP(m, ...) WEFT__CONCAT(WEFT__MAP_, WEFT__COUNT(__VA_ARGS__))(m, __VA_ARGS__)
#define WEFT__MAP_1(m, x) m(x)
#define WEFT__MAP_2(m, x, ...) m(x), WEFT__MAP_1(m, __VA_ARGS__)
#define WEFT__MAP_3(m, x, ...) m(x), WEFT__MAP_2(m, __VA_ARGS__)
#define WEFT__MAP_4(m, x, ...) m(x), WEFT__MAP_3(m, __VA_ARGS__)
#define WEFT__MAP_5(m, x, ...) m(x), WEFT__MAP_4(m, __VA_ARGS__)
#define WEFT__MAP_6(m, x, ...) m(x), WEFT__MAP_5(m, __VA_ARGS__)
#define WEFT__MAP_7(m, x, ...) m(x), WEFT__MAP_6(m, __VA_ARGS__)
#define WEFT__MAP_8(m, x, ...) m(x), WEFT__MAP_7(m, __VA_ARGS__)
#define WEFT__MAP_9(m, x, ...) m(x), WEFT__MAP_8(m, __VA_ARGS__)
#define WEFT__MAP_10(m, x, ...) m(x), WEFT__MAP_9(m, __VA_ARGS__)
#define WEFT__MAP_11(m, x, ...) m(x), WEFT__MAP_10(m, __VA_ARGS__)
#define WEFT__MAP_12(m, x, ...) m(x), WEFT__MAP_11(m, __VA_ARGS__)
#define WEFT__MAP_13(m, x, ...) m(x), WEFT__MAP_12(m, __VA_ARGS__)
#define WEFT__MAP_14(m, x, ...) m(x), WEFT__MAP_13(m, __VA_ARGS__)
#define WEFT__MAP_15(m, x, ...) m(x), WEFT__MAP_14(m, __VA_ARGS__)
#define WEFT__MAP_16(m, x, ...) m(x), WEFT__MAP_15(m, __VA_ARGS__)
#define WEFT__MAP_17(m, x, ...) m(x), WEFT__MAP_16(m, __VA_ARGS__)
#define WEFT__MAP_18(m, x, ...) m(x), WEFT__MAP_17(m, __VA_ARGS__)
#define WEFT__MAP_19(m, x, ...) m(x), WEFT__MAP_18(m, __VA_ARGS__)
#define WEFT__MAP_20(m, x, ...) m(x), WEFT__MAP_19(m, __VA_ARGS__)
#define WEFT__MAP_21(m, x, ...) m(x), WEFT__MAP_20(m, __VA_ARGS__)
#define WEFT__MAP_22(m, x, ...) m(x), WEFT__MAP_21(m, __VA_ARGS__)
#define WEFT__MAP_23(m, x, ...) m(x), WEFT__MAP_22(m, __VA_ARGS__)
#define WEFT__MAP_24(m, x, ...) m(x), WEFT__MAP_23(m, __VA_ARGS__)
#define WEFT__MAP_25(m, x, ...) m(x), WEFT__MAP_24(m, __VA_ARGS__)
#define WEFT__MAP_26(m, x, ...) m(x), WEFT__MAP_25(m, __VA_ARGS__)
#define WEFT__MAP_27(m, x, ...) m(x), WEFT__MAP_26(m, __VA_ARGS__)
#define WEFT__MAP_28(m, x, ...) m(x), WEFT__MAP_27(m, __VA_ARGS__)
#define WEFT__MAP_29(m, x, ...) m(x), WEFT__MAP_28(m, __VA_ARGS__)
#define WEFT__MAP_30(m, x, ...) m(x), WEFT__MAP_29(m, __VA_ARGS__)
#define WEFT__MAP_31(m, x, ...) m(x), WEFT__MAP_30(m, __VA_ARGS__)
#define WEFT__MAP_32(m, x, ...) m(x), WEFT__MAP_31(m, __VA_ARGS__)
#define WEFT__MAP_33(m, x, ...) m(x), WEFT__MAP_32(m, __VA_ARGS__)
// clang-format on

#endif
