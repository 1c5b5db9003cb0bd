// SPDX-License-Identifier: MIT
#include <string.h>

#include <weft/release.h>

#include "base/object.h"

/// Like each type's own release function, ignores anything that is not a live object.
void weft__release_at(int count, void *const *handles, const char *site) {
  (void)site;
  for (int i = 0; handles && i < count; i++) {
    void *object = NULL; /* of a type to be found out: a copy, as no pointer type may read all of them */
    if (handles[i]) memcpy(&object, handles[i], sizeof object);
    if (!weft__is_address(object)) continue;
    switch (*(const uint32_t *)object - weft__magic_word(0)) {
#define CASE(type, kind)                 \
  case kind:                             \
    type##_release((type **)handles[i]); \
    break;
      CASE(weft_context, WEFT__MAGIC_CONTEXT)
      CASE(weft_stream, WEFT__MAGIC_STREAM)
      CASE(weft_timer, WEFT__MAGIC_TIMER)
      CASE(weft_kernel, WEFT__MAGIC_KERNEL)
      CASE(weft_array, WEFT__MAGIC_ARRAY)
      CASE(weft_ufunc, WEFT__MAGIC_UFUNC)
      CASE(weft_rng, WEFT__MAGIC_RNG)
      CASE(weft_event, WEFT__MAGIC_EVENT)
      CASE(weft_snapshot, WEFT__MAGIC_SNAPSHOT)
      CASE(weft_npy, WEFT__MAGIC_NPY)
      CASE(weft_npz, WEFT__MAGIC_NPZ)
      CASE(weft_csr, WEFT__MAGIC_CSR)
      CASE(weft_recording, WEFT__MAGIC_RECORDING)
      CASE(weft_image, WEFT__MAGIC_IMAGE)
      CASE(weft_sampler, WEFT__MAGIC_SAMPLER)
#undef CASE
      default:
        break;
    }
  }
}
