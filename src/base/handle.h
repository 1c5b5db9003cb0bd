// SPDX-License-Identifier: MIT
/// Every public object begins with a word that says what it is, so that a NULL, uninitialised or released handle is an error rather than
/// a crash where that can be seen.
#ifndef WEFT_BASE_HANDLE_H
#define WEFT_BASE_HANDLE_H

#include "base/error.h"

typedef enum weft__magic {
  WEFT__MAGIC_CONTEXT = 0x57454601,
  WEFT__MAGIC_STREAM,
  WEFT__MAGIC_TIMER,
  WEFT__MAGIC_KERNEL,
  WEFT__MAGIC_ARRAY,
  WEFT__MAGIC_UFUNC,
  WEFT__MAGIC_RNG,
  WEFT__MAGIC_EVENT,
  WEFT__MAGIC_SNAPSHOT,
  WEFT__MAGIC_NPY,
  WEFT__MAGIC_DEAD = 0x44454144,
} weft__magic;

/// "weft_array" for its magic word; NULL for any other.
static inline const char *weft__magic_name(uint32_t magic) {
  switch (magic) {
    case WEFT__MAGIC_CONTEXT:
      return "weft_context";
    case WEFT__MAGIC_STREAM:
      return "weft_stream";
    case WEFT__MAGIC_TIMER:
      return "weft_timer";
    case WEFT__MAGIC_KERNEL:
      return "weft_kernel";
    case WEFT__MAGIC_ARRAY:
      return "weft_array";
    case WEFT__MAGIC_UFUNC:
      return "weft_ufunc";
    case WEFT__MAGIC_RNG:
      return "weft_rng";
    case WEFT__MAGIC_EVENT:
      return "weft_event";
    case WEFT__MAGIC_SNAPSHOT:
      return "weft_snapshot";
    case WEFT__MAGIC_NPY:
      return "weft_npy";
    default:
      return NULL;
  }
}

/// Whether `handle` can be an object's address. Uninitialised handles often hold numbers that malloc never returns.
static inline bool weft__is_address(const void *handle) {
  uintptr_t address = (uintptr_t)handle;
#ifdef __x86_64__
  if (address >> 47) return false; /* reading there would crash */
#endif
  return address >= 4096 && address % sizeof(void *) == 0;
}

/// `handle` points to an object that begins with its magic word. `type` and `argument` are for the message.
static inline weft_status weft__handle_check(const void *handle, weft__magic expected, const char *type, const char *argument) {
  if (!handle) return weft__fail(WEFT_ERROR_HANDLE, argument, "`%s` is NULL; expected a %s", argument, type);
  uint32_t magic = weft__is_address(handle) ? *(const uint32_t *)handle : 0;
  if (magic == (uint32_t)expected) return WEFT_OK;
  const char *is = weft__magic_name(magic);
  if (is) return weft__fail(WEFT_ERROR_HANDLE, argument, "`%s` is a %s; expected a %s", argument, is, type);
  return weft__fail(WEFT_ERROR_HANDLE, argument, "`%s` is not a live %s: %s", argument, type,
                    magic == WEFT__MAGIC_DEAD  ? "it was released"
                    : weft__is_address(handle) ? "it is uninitialised (begin with `= NULL`) or was released"
                                               : "it is uninitialised (begin with `= NULL`)");
}

/// For calls that answer something neutral instead of failing.
static inline bool weft__handle_is(const void *handle, weft__magic expected) {
  return weft__is_address(handle) && *(const uint32_t *)handle == (uint32_t)expected;
}

/// Checks that a pointer argument is not NULL, and leaves the public function where it is.
#define WEFT__NEED(pointer)                                                                                  \
  do {                                                                                                       \
    if (!(pointer)) return weft__leave(weft__fail(WEFT_ERROR_ARGUMENT, #pointer, "`" #pointer "` is NULL")); \
  } while (0)

/// For a result that should be NULL: usually its initialisation was forgotten.
#define WEFT__NOT_NULL "is not NULL, but this call makes a new object: it is uninitialised (begin with `= NULL`), or still holds an old one"

/// The same for a result that must point to NULL.
#define WEFT__NEED_NULL_RESULT(out)                                                                       \
  do {                                                                                                    \
    WEFT__NEED(out);                                                                                      \
    if (*(out)) return weft__leave(weft__fail(WEFT_ERROR_ARGUMENT, #out, "`*" #out "` " WEFT__NOT_NULL)); \
  } while (0)

#endif
