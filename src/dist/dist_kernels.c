// SPDX-License-Identifier: MIT
#include "dist/dist_kernels.h"

#include <stdio.h>
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

const char *weft__dist_type_of(weft_dtype dtype) {
  static const char *const types[WEFT_DTYPE_COUNT] = {
      [WEFT_BOOL] = "uchar", [WEFT_I8] = "char",    [WEFT_I16] = "short",   [WEFT_I32] = "int",   [WEFT_I64] = "long",
      [WEFT_U8] = "uchar",   [WEFT_U16] = "ushort", [WEFT_U32] = "uint",    [WEFT_U64] = "ulong", [WEFT_F32] = "float",
      [WEFT_F64] = "double", [WEFT_C64] = "float2", [WEFT_C128] = "double2"};
  return types[dtype];
}

void weft__dist_key_macros(char text[][WEFT__DIST_MACRO_BYTES], weft_dtype dtype) {
  snprintf(text[0], sizeof text[0], "ELEMENT=%s", weft__dist_type_of(dtype));
  snprintf(text[1], sizeof text[1], "SORT_KEY_BYTES=%d", (int)weft_dtype_size_bytes(dtype));
  snprintf(text[2], sizeof text[2], "SORT_KIND=%d", weft_dtype_kind(dtype) == 'f');
}

uint32_t weft__dist_key_flip(weft_dtype dtype) {
  const int bits = 8 * (int)weft_dtype_size_bytes(dtype);
  return weft_dtype_kind(dtype) == 'i' ? UINT32_C(1) << (bits > 32 ? 31 : bits - 1) : 0;
}
