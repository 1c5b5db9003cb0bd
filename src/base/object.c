// SPDX-License-Identifier: MIT
#include "base/object.h"

_Alignas(64) const uint64_t weft__copy = 0;

static const char *name_of(uint32_t kind) {
  static const char *const names[] = {"weft_context", "weft_stream", "weft_timer",     "weft_kernel",   "weft_array",
                                      "weft_ufunc",   "weft_rng",    "weft_event",     "weft_snapshot", "weft_npy",
                                      "weft_npz",     "weft_csr",    "weft_recording", "weft_image",    "weft_sampler"};
  uint32_t number = kind - (uint32_t)WEFT__MAGIC_CONTEXT;
  return number < sizeof names / sizeof *names ? names[number] : NULL;
}

/// The type of an object of another copy of the library; NULL: it looks like none. The head may be no head, and end the
/// memory that can be read.
static const char *foreign_name(const void *handle) {
  const weft__object *object = handle;
  if ((uintptr_t)handle % 4096 > 4096 - sizeof *object) return NULL;
  return (object->magic - object->kind) % 64 == 0 ? name_of(object->kind) : NULL;
}

weft_status weft__handle_fail(const void *handle, weft__magic expected, const char *argument) {
  const char *type = name_of((uint32_t)expected);
  if (!handle)
    return weft__fail(WEFT_ERROR_HANDLE, argument, "`%s` is NULL; expected a %s%s", argument, type,
                      expected == WEFT__MAGIC_CONTEXT ? " (weft_context_default makes one)" : "");
  const bool is_address = weft__is_address(handle);
  const uint32_t magic = is_address ? *(const uint32_t *)handle : 0;
  const char *is = name_of(magic - weft__magic_word(0));
  if (is) return weft__fail(WEFT_ERROR_HANDLE, argument, "`%s` is a %s; expected a %s", argument, is, type);
  is = is_address && magic != WEFT__MAGIC_DEAD ? foreign_name(handle) : NULL;
  if (is)
    return weft__fail(WEFT_ERROR_HANDLE, argument,
                      "`%s` is a %s of another copy of Weft in this process: link one shared library", argument, is);
  return weft__fail(WEFT_ERROR_HANDLE, argument, "`%s` is not a live %s: %s", argument, type,
                    magic == WEFT__MAGIC_DEAD ? "it was released"
                    : is_address ? "it is uninitialised (begin with `= NULL`), was released, or its & is missing"
                                 : "it is uninitialised (begin with `= NULL`)");
}
