// SPDX-License-Identifier: MIT
#include "dist/dist_leaves.h"

#include <stdio.h>

#include "dist/dist_kernels.h"
#include "leaves_source.h"

enum { COLUMNS_BLOCK = 64, DEFINES = 14 };

weft_dtype weft__dist_leaf_dtype(weft_dtype work) {
  return work == WEFT_F16 || work == WEFT_BF16 ? WEFT_F32 : work;
}

/// The kernels' GPU text runs on a CPU where WEFT_QUIRKS says so, as all others.
static weft_status is_for_cpu(bool *is_cpu, const weft_context *context) {
  weft_device_info device;
  WEFT__TRY_RETURN(weft_context_get_device(&device, context));
  *is_cpu = device.type == WEFT_DEVICE_TYPE_CPU && !weft__dist_tries_gpu_text();
  return WEFT_OK;
}

typedef struct kernel_key {
  const char *name;
  weft_dtype in, out, work;
  weft__dist_combine combine;
} kernel_key;

/// Adds what the kernels need to know of a chunk: at most 16 bytes, and EACH elements.
static void add_chunk(char text[2][32], const char *side, weft_dtype dtype) {
  const int size = (int)weft_dtype_size_bytes(dtype);
  snprintf(text[0], sizeof text[0], "%s_E=%d", side, size == 1 ? 8 : 16 / size);
  snprintf(text[1], sizeof text[1], "%s_RAW=%s", side, size == 1 ? "uint2" : size < 8 ? "uint4" : "ulong2");
}

static weft_status get_kernel(const weft__dist_kernel **kernel, weft_dist *grid, kernel_key key, const char *site) {
  const uint64_t dtypes = ((uint64_t)key.in * WEFT_DTYPE_COUNT + key.out) * WEFT_DTYPE_COUNT + key.work;
  const uint64_t variant = dtypes * (WEFT__DIST_MIN + 1) + key.combine;
  char text[DEFINES][32];
  const char *defines[DEFINES + 1] = {NULL};
  const char kind = weft_dtype_kind(key.work);
  bool is_cpu;
  if ((*kernel = weft__dist_kernel_find(grid, key.name, variant))) return WEFT_OK;
  WEFT__TRY_RETURN(is_for_cpu(&is_cpu, grid->context));
  int count = 0;
#define ADD(...) snprintf(text[count], sizeof text[0], __VA_ARGS__), defines[count] = text[count], count++
  ADD("IN=%s", weft__dist_type_of(key.in));
  ADD("OUT=%s", weft__dist_type_of(key.out));
  ADD("T=%s", weft__dist_type_of(key.work));
  ADD("TO_T=convert_%s", weft__dist_type_of(key.work));
  ADD("TO_OUT=convert_%s", weft__dist_type_of(key.out));
  ADD("DIST_OP=%d", (int)key.combine);
  ADD("DIST_COMPLEX=%d", kind == 'c');
  ADD("DIST_WHOLE=%d", kind != 'c' && kind != 'f');
  ADD("DIST_CPU=%d", is_cpu);
  ADD("WARP_WORDS=%d", weft_dtype_size_bytes(key.work) < 4 ? 1 : (int)weft_dtype_size_bytes(key.work) / 4);
  add_chunk(text + count, "IN", key.in);
  add_chunk(text + count + 2, "OUT", key.out);
  for (int k = 0; k < 4; k++, count++) defines[count] = text[count];
#undef ADD
  return weft__dist_kernel_add(kernel, grid, variant,
                               &(weft_kernel_params){.source = leaves_source,
                                                     .name = key.name,
                                                     .defines = defines,
                                                     .source_name = "dist/leaves.cl",
                                                     .site = site});
}

/// x as a kernel can take it: of a dtype that the kernels know, at a place that is aligned.
static weft_status take_input(weft_array **out, const weft_array *x, const char *site) {
  weft_device_info device;
  size_t offset;
  const weft_dtype dtype = weft__dist_leaf_dtype(weft_array_dtype(x));
  if (dtype != weft_array_dtype(x)) return weft__cast_at(out, x, dtype, site);
  WEFT__TRY_RETURN(weft_context_get_device(&device, weft_array_context(x)));
  weft_array_cl_mem(x, &offset);
  if (offset % device.address_align_bytes) return weft__copy_at(out, x, &(weft_copy_params){.site = site});
  *out = weft_array_retain((weft_array *)x);
  return WEFT_OK;
}

/// Gives `made` away, cast if it has another dtype.
static weft_status give(weft_array **out, weft_array **made, weft_dtype dtype, const char *site) {
  if (weft_array_dtype(*made) != dtype) return weft__cast_at(out, *made, dtype, site);
  *out = *made;
  *made = NULL;
  return WEFT_OK;
}

weft_status weft__dist_leaf_totals(weft_array **out, weft_dist *grid, const weft_array *x, int64_t first, int64_t count,
                                   int64_t leaf, weft__dist_leaf_kind kind, const char *site) {
  const int64_t leaves = (count + leaf - 1) / leaf;
  const weft_dtype dtype = weft__dist_leaf_dtype(kind.work), to = weft__dist_leaf_dtype(kind.result);
  weft_array *input = NULL, *totals = NULL;
  const weft__dist_kernel *kernel;
  weft_status rc;
  WEFT__TRY(weft__empty_at(&totals, weft_array_context(x), to, WEFT_SHAPE(leaves), site));
  if (leaves > 0) {
    WEFT__TRY(take_input(&input, x, site));
    const kernel_key key = {"weft_leaf_totals", weft_array_dtype(input), to, dtype, kind.combine};
    WEFT__TRY(get_kernel(&kernel, grid, key, site));
    WEFT__TRY(weft_launch(kernel->kernel, WEFT_DIM3((uint64_t)leaves), kernel->block, totals, (const weft_array *)input,
                          (uint64_t)first, (uint64_t)count, (uint64_t)leaf));
  }
  rc = give(out, &totals, kind.result, site);
done:
  weft_release(&input, &totals);
  return rc;
}

/// Launches the scan of n rows, `others` elements each.
static weft_status launch_scan(const weft__dist_kernel *kernel, weft_array *y, const weft_array *x,
                               const weft_array *before, uint64_t others, uint64_t leaf, uint32_t is) {
  const uint64_t n = (uint64_t)weft_array_size(x) / others, leaves = (n + leaf - 1) / leaf;
  if (others == 1) return weft_launch(kernel->kernel, WEFT_DIM3(leaves), kernel->block, y, x, before, n, leaf, is);
  return weft_launch(kernel->kernel, WEFT_DIM3(weft_ceil_div(leaves * others, COLUMNS_BLOCK)), WEFT_DIM3(COLUMNS_BLOCK),
                     y, x, before, n, others, leaf, is);
}

weft_status weft__dist_leaf_scan(weft_array **out, weft_dist *grid, const weft_array *x, const weft_array *before,
                                 weft__dist_before is, int64_t leaf, weft__dist_leaf_kind kind, const char *site) {
  const int64_t others = weft_array_length(x, 1);
  const weft_dtype dtype = weft__dist_leaf_dtype(kind.work), to = weft__dist_leaf_dtype(kind.result);
  weft_array *input = NULL, *start = NULL, *y = NULL;
  const weft__dist_kernel *kernel;
  weft_status rc;
  WEFT__TRY(weft__empty_at(&y, weft_array_context(x), to, weft_array_shape(x), site));
  if (weft_array_size(x) > 0) {
    WEFT__TRY(take_input(&input, x, site));
    if (before)
      WEFT__TRY(take_input(&start, before, site));
    else
      WEFT__TRY(weft__empty_at(&start, weft_array_context(x), dtype, WEFT_SHAPE(1), site)); /* not read */
    const kernel_key key = {others == 1 ? "weft_leaf_scan" : "weft_leaf_scan_columns", weft_array_dtype(input), to,
                            dtype, kind.combine};
    WEFT__TRY(get_kernel(&kernel, grid, key, site));
    WEFT__TRY(launch_scan(kernel, y, input, start, (uint64_t)others, (uint64_t)leaf, (uint32_t)is));
  }
  rc = give(out, &y, kind.result, site);
done:
  weft_release(&input, &start, &y);
  return rc;
}
