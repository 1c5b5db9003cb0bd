// SPDX-License-Identifier: MIT
#include "launch/shadow.h"

static weft__storage *find(const weft__shadows *twins, const weft__storage *storage) {
  for (int i = 0; i < twins->count; i++)
    if (twins->pair[i].storage == storage) return twins->pair[i].twin;
  return NULL;
}

weft_status weft__shadow_get(weft__storage **storage, weft__shadows *twins, const weft_array *x, int slot) {
  *storage = x->storage;
  if (!x->storage->adopted || !x->context->core.guard) return WEFT_OK;
  weft__storage *twin = find(twins, x->storage);
  if (!twin) {
    weft_status rc = weft__storage_create(&twin, &x->context->pool, x->storage->size_bytes, x->storage->entry.site);
    if (rc) return weft__while(rc, "making a guarded copy of adopted memory");
    twins->pair[twins->count].storage = x->storage;
    twins->pair[twins->count++].twin = twin;
    if ((rc = weft__array_name_storage(x, twin))) return rc;
  }
  *storage = twin;
  return weft__transfer_copy(twin, (uint64_t)x->offset_bytes, x->storage, (uint64_t)x->offset_bytes, slot,
                             (uint64_t)weft_array_size_bytes(x));
}

weft_status weft__shadow_copy_back(const weft__shadows *twins, const weft_array *x, int slot) {
  weft__storage *twin = find(twins, x->storage);
  if (!twin || x->storage->read_only) return WEFT_OK;
  return weft__transfer_copy(x->storage, (uint64_t)x->offset_bytes, twin, (uint64_t)x->offset_bytes, slot,
                             (uint64_t)weft_array_size_bytes(x));
}

void weft__shadows_release(weft__shadows *twins) {
  while (twins->count > 0) weft__storage_release(twins->pair[--twins->count].twin);
}
