// SPDX-License-Identifier: MIT
/// Handles of any types released in one call.
///
///     weft_release(&sum, &x, &kernel, &stream, &context);
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_RELEASE_H
#define WEFT_RELEASE_H

#include <weft/event.h>
#include <weft/image.h>
#include <weft/kernel.h>
#include <weft/map.h>
#include <weft/memory.h>
#include <weft/npy.h>
#include <weft/npz.h>
#include <weft/random.h>
#include <weft/record.h>
#include <weft/sparse.h>
#include <weft/stream.h>
#include <weft/ufunc.h>

WEFT_BEGIN_DECLS

/// weft_release(&a, &b, ...): calls the release function of each handle, in this order; each handle becomes NULL, and
/// NULL handles are ignored. Other pointers do not compile. The function takes `count` addresses of handles.
WEFT_API void weft_release(int count, void *const *handles);

/* ---- behind the functions ---- */

WEFT_API void weft__release_at(int count, void *const *handles, const char *site);

WEFT_END_DECLS

#define WEFT__HANDLE_TYPES(X) \
  X(weft_array)               \
  X(weft_context)             \
  X(weft_csr)                 \
  X(weft_event)               \
  X(weft_image)               \
  X(weft_kernel)              \
  X(weft_npy) X(weft_npz) X(weft_recording) X(weft_rng) X(weft_sampler) X(weft_snapshot) X(weft_stream) X(weft_timer) X(weft_ufunc)

#ifdef __cplusplus
#define WEFT__RELEASE_OVERLOAD(type)            \
  inline void weft__release_of(type **handle) { \
    type##_release(handle);                     \
  }
WEFT__HANDLE_TYPES(WEFT__RELEASE_OVERLOAD)
#undef WEFT__RELEASE_OVERLOAD
#define WEFT__RELEASE(handle) weft__release_of(handle)
#else
#define WEFT__NO_HANDLE "Weft: not the address of a handle: pass &x"
WEFT__REFUSING_BEGINS
void weft__no_handle_pass_its_address(WEFT__A_POINTER) WEFT__REFUSED(WEFT__NO_HANDLE);
void weft__no_handle_pass_its_address(WEFT__ANYTHING) WEFT__REFUSED(WEFT__NO_HANDLE);
WEFT__REFUSING_ENDS
#define WEFT__RELEASE_CASE(type) type ** : type##_release,
#define WEFT__RELEASE(handle) \
  _Generic((handle), WEFT__HANDLE_TYPES(WEFT__RELEASE_CASE) default : weft__no_handle_pass_its_address)(handle)
#endif
#define weft_release(...) (WEFT__MAP(WEFT__RELEASE, __VA_ARGS__))

#endif
