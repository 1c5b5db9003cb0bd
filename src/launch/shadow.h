// SPDX-License-Identifier: MIT
/// Guard mode: memory that was adopted has no guards around it, so that user's kernels get a copy of it that has. What
/// they wrote is copied back.
#ifndef WEFT_LAUNCH_SHADOW_H
#define WEFT_LAUNCH_SHADOW_H

#include "array/array.h"

typedef struct weft__shadows {
  int count;
  struct {
    weft__storage *storage, *shadow;
  } pair[WEFT_MAX_KERNEL_ARGUMENTS];
} weft__shadows;

/// *storage becomes what a kernel on `slot` gets for x: the shadow of x's storage, with x's bytes in it, or the storage
/// itself where it needs none. Errors: as weft__storage_create, DRIVER.
weft_status weft__shadow_get(weft__storage **storage, weft__shadows *shadows, const weft_array *x, int slot);
/// Copies x's bytes back from its shadow, if it has one.
weft_status weft__shadow_copy_back(const weft__shadows *shadows, const weft_array *x, int slot);
void weft__shadows_release(weft__shadows *shadows);

#endif
