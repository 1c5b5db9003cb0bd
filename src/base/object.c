// SPDX-License-Identifier: MIT
#include "base/object.h"

static const char *name_of(uint32_t magic) {
  static const char *const names[] = {"weft_context", "weft_stream", "weft_timer",     "weft_kernel",   "weft_array",
                                      "weft_ufunc",   "weft_rng",    "weft_event",     "weft_snapshot", "weft_npy",
                                      "weft_npz",     "weft_csr",    "weft_recording", "weft_image",    "weft_sampler"};
  uint32_t number = magic - (uint32_t)WEFT__MAGIC_CONTEXT;
  return number < sizeof names / sizeof *names ? names[number] : NULL;
}

weft_status weft__handle_fail(const void *handle, weft__magic expected, const char *argument) {
  const char *type = name_of((uint32_t)expected);
  if (!handle)
    return weft__fail(WEFT_ERROR_HANDLE, argument, "`%s` is NULL; expected a %s%s", argument, type,
                      expected == WEFT__MAGIC_CONTEXT ? " (weft_context_default makes one)" : "");
  const bool is_address = weft__is_address(handle);
  const uint32_t magic = is_address ? *(const uint32_t *)handle : 0;
  const char *is = name_of(magic);
  if (is) return weft__fail(WEFT_ERROR_HANDLE, argument, "`%s` is a %s; expected a %s", argument, is, type);
  return weft__fail(WEFT_ERROR_HANDLE, argument, "`%s` is not a live %s: %s", argument, type,
                    magic == WEFT__MAGIC_DEAD ? "it was released"
                    : is_address ? "it is uninitialised (begin with `= NULL`), was released, or its & is missing"
                                 : "it is uninitialised (begin with `= NULL`)");
}
