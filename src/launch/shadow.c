// SPDX-License-Identifier: MIT
#include "launch/shadow.h"

static weft__storage *find(const weft__shadows *shadows, const weft__storage *storage) {
  for (int i = 0; i < shadows->count; i++)
    if (shadows->pair[i].storage == storage) return shadows->pair[i].shadow;
  return NULL;
}

weft_status weft__shadow_make(weft__storage **storage, weft__shadows *shadows, const weft_array *x, int slot) {
  weft__storage *shadow = find(shadows, x->storage);
  if (!shadow) {
    WEFT__TRY_RETURN(
        weft__while(weft__storage_create(&shadow, &x->context->pool, x->storage->size_bytes, x->storage->entry.site),
                    "making a guarded copy of adopted memory"));
    shadows->pair[shadows->count].storage = x->storage;
    shadows->pair[shadows->count++].shadow = shadow;
    WEFT__TRY_RETURN(weft__array_name_storage(x, shadow));
  }
  *storage = shadow;
  return weft__transfer_copy(shadow, (uint64_t)x->offset_bytes, x->storage, (uint64_t)x->offset_bytes, slot,
                             (uint64_t)weft_array_size_bytes(x));
}

weft_status weft__shadow_copy_back(const weft__shadows *shadows, const weft_array *x, int slot) {
  weft__storage *shadow = find(shadows, x->storage);
  if (!shadow || x->storage->read_only) return WEFT_OK;
  return weft__transfer_copy(x->storage, (uint64_t)x->offset_bytes, shadow, (uint64_t)x->offset_bytes, slot,
                             (uint64_t)weft_array_size_bytes(x));
}

void weft__shadows_release(weft__shadows *shadows) {
  while (shadows->count > 0) weft__storage_release(shadows->pair[--shadows->count].shadow);
}
