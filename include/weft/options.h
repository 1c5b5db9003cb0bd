// SPDX-License-Identifier: MIT
/// Options in C++20: weft/api.h includes this file. It is a system header to GCC, which else warns of every option left out.
#ifndef WEFT_OPTIONS_H
#define WEFT_OPTIONS_H

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC system_header
#endif

#define WEFT__OPTIONS(type, ...) weft__address(type{WEFT__REST(__VA_ARGS__)})
#define WEFT__STRUCT(type, ...) weft__address(type{__VA_ARGS__})

#endif
