// SPDX-License-Identifier: MIT
/// Guard mode: adopted memory has no guard zones, so a user's kernel gets a shadow copy that has them. The kernel's
/// results are copied back.
#ifndef WEFT_LAUNCH_SHADOW_H
#define WEFT_LAUNCH_SHADOW_H

#include "array/array.h"

typedef struct weft__shadows {
  int count;
  struct {
    weft__storage *storage, *shadow;
  } pair[WEFT_MAX_KERNEL_ARGUMENTS];
} weft__shadows;

/// weft__shadow_get of memory that needs a shadow.
weft_status weft__shadow_make(weft__storage **storage, weft__shadows *shadows, const weft_array *x, int slot);
/// Sets *storage to the storage passed to a kernel on `slot` for x: a shadow copy that holds x's bytes, or x's own
/// storage if it needs no shadow. Errors: as weft__storage_create, DRIVER.
static inline weft_status weft__shadow_get(weft__storage **storage, weft__shadows *shadows, const weft_array *x,
                                           int slot) {
  *storage = x->storage;
  return x->storage->adopted && x->context->core.guard ? weft__shadow_make(storage, shadows, x, slot) : WEFT_OK;
}
/// Copies x's bytes back from its shadow copy, if it has one.
weft_status weft__shadow_copy_back(const weft__shadows *shadows, const weft_array *x, int slot);
void weft__shadows_release(weft__shadows *shadows);

#endif
