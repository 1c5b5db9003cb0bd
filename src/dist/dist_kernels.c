// SPDX-License-Identifier: MIT
#include "dist/dist_kernels.h"

#include <stdlib.h>
#include <string.h>

const weft__dist_kernel *weft__dist_kernel_find(const weft_dist *grid, const char *name, uint64_t variant) {
  const weft__dist_kernel *entry = grid->kernels;
  while (entry && !(entry->variant == variant && strcmp(entry->name, name) == 0)) entry = entry->next;
  return entry;
}

weft_status weft__dist_kernel_add(const weft__dist_kernel **out, weft_dist *grid, uint64_t variant,
                                  const weft_kernel_params *params) {
  weft_kernel_info info;
  weft__dist_kernel *entry = weft__dist_new(1, sizeof *entry);
  weft_status rc;
  if (!entry) return WEFT_ERROR_HOST_MEMORY;
  WEFT__TRY(weft__kernel_create_at(&entry->kernel, grid->context, params));
  WEFT__TRY(weft_kernel_get(&info, entry->kernel));
  entry->name = params->name;
  entry->variant = variant;
  entry->block = WEFT_DIM3(info.required_block[0] > 0 ? info.required_block[0] : 1);
  entry->next = grid->kernels;
  *out = grid->kernels = entry;
  entry = NULL;
done:
  if (entry) weft_kernel_release(&entry->kernel);
  free(entry);
  return rc;
}

void weft__dist_kernels_free(weft_dist *grid) {
  for (weft__dist_kernel *entry = grid->kernels, *next; entry; entry = next) {
    next = entry->next;
    weft_kernel_release(&entry->kernel);
    free(entry);
  }
  grid->kernels = NULL;
}
