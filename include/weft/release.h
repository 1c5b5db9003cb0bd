// SPDX-License-Identifier: MIT
/// Handles of any types released in one call.
///
///     weft_release(&sum, &x, &kernel, &stream, &context);
#ifndef WEFT_RELEASE_H
#define WEFT_RELEASE_H

#include <weft/event.h>
#include <weft/kernel.h>
#include <weft/map.h>
#include <weft/memory.h>
#include <weft/npy.h>
#include <weft/random.h>
#include <weft/stream.h>
#include <weft/ufunc.h>

#define WEFT__HANDLE_TYPES(X) \
  X(weft_array)               \
  X(weft_context)             \
  X(weft_event) X(weft_kernel) X(weft_npy) X(weft_rng) X(weft_snapshot) X(weft_stream) X(weft_timer) X(weft_ufunc)

/// weft_release(&a, &b, ...): the release function of each handle, in the order given; each becomes NULL, and NULL is
/// fine. Other pointers do not compile. A macro only: it is as many calls as there are handles. weft_context_close also
/// says what was forgotten.
#define weft_release(...) (WEFT__MAP(WEFT__RELEASE, __VA_ARGS__))

/* ---- behind the functions ---- */

#ifdef __cplusplus
#define WEFT__RELEASE_OVERLOAD(type)            \
  inline void weft__release_of(type **handle) { \
    type##_release(handle);                     \
  }
WEFT__HANDLE_TYPES(WEFT__RELEASE_OVERLOAD)
#undef WEFT__RELEASE_OVERLOAD
#define WEFT__RELEASE(handle) weft__release_of(handle)
#else
#define WEFT__RELEASE_CASE(type) , type ** : type##_release
#define WEFT__RELEASE(handle) _Generic((handle)WEFT__HANDLE_TYPES(WEFT__RELEASE_CASE))(handle)
#endif

#endif
