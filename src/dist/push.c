// SPDX-License-Identifier: MIT
/// A piece to another GPU's window, by a kernel of few work-groups (cl/dist/push.cl): the driver's own copies and
/// Weft's kernels of many work-groups hold up the work of other streams, and are held up by it.
#include <stdio.h>

#include "dist/dist_kernels.h"
#include "dist/transport.h"
#include "push_source.h"

/* They reach the link's rate beside copies within the GPU (docs/performance.md, "Two GPUs"). */
enum { GROUPS = 64, BLOCK = 512, CPU_BLOCK = 64, CHUNK = 16 };

/// Runs of bytes at equal distances, from byte `first` of an array's memory on.
typedef struct runs {
  int64_t first, bytes, count, stride;
} runs;

/// Whether the part of an array is such runs of whole chunks.
static bool find_runs(runs *r, const weft_array *part) {
  size_t offset;
  *r = (runs){.bytes = (int64_t)weft_dtype_size_bytes(weft_array_dtype(part)), .count = 1};
  weft_array_cl_mem(part, &offset);
  r->first = (int64_t)offset;
  for (int d = weft_array_ndim(part) - 1; d >= 0; d--) {
    const int64_t n = weft_array_length(part, d), stride = weft_array_stride_bytes(part, d);
    if (n == 1) continue;
    if (r->count == 1 && stride == r->bytes)
      r->bytes *= n;
    else if (r->count == 1)
      r->count = n, r->stride = stride;
    else if (stride == r->count * r->stride)
      r->count *= n;
    else
      return false;
  }
  return r->bytes % CHUNK == 0 && r->stride % CHUNK == 0 && r->stride >= 0 && r->bytes / CHUNK * r->count < INT32_MAX;
}

/// Whether an array can be a kernel's argument as it is. *offset: of its first byte in its memory.
static bool can_be_argument(size_t *offset, const weft_array *x, const weft_dist *grid) {
  weft_device_info device;
  if (weft_context_get_device(&device, grid->context)) return false;
  weft_array_cl_mem(x, offset);
  return weft_array_is_contiguous(x) && *offset % device.address_align_bytes == 0;
}

static weft_status get_kernel(const weft__dist_kernel **kernel, weft_dist *grid) {
  static const char name[] = "weft_push";
  char block[24];
  const char *const defines[] = {block, NULL};
  if ((*kernel = weft__dist_kernel_find(grid, name, 0))) return WEFT_OK;
  snprintf(block, sizeof block, "BLOCK=%d", grid->is_cpu ? CPU_BLOCK : BLOCK);
  return weft__dist_kernel_add(
      kernel, grid, 0,
      &(weft_kernel_params){.source = push_source, .name = name, .defines = defines, .source_name = "dist/push.cl"});
}

weft_status weft__dist_push(bool *is_pushed, weft_dist *grid, weft_array *window, int64_t place,
                            const weft_array *whole, const weft_array *part) {
  const weft__dist_kernel *kernel;
  size_t of_window, of_whole;
  runs r;
  *is_pushed = find_runs(&r, part) && place % CHUNK == 0 && can_be_argument(&of_window, window, grid) &&
               can_be_argument(&of_whole, whole, grid) && (r.first - (int64_t)of_whole) % CHUNK == 0;
  if (!*is_pushed) return WEFT_OK;
  WEFT__TRY_RETURN(get_kernel(&kernel, grid));
  return weft_launch(kernel->kernel, WEFT_DIM3(GROUPS), kernel->block, window, whole, (uint64_t)place,
                     (uint64_t)(r.first - (int64_t)of_whole), (uint64_t)r.stride, (uint32_t)(r.bytes / CHUNK),
                     (uint32_t)r.count);
}
