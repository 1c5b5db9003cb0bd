// SPDX-License-Identifier: MIT
/// A piece to another GPU's window, or within this GPU, by a kernel of few work-groups (cl/dist/piece_copy.cl): the
/// driver's own copies and Weft's kernels of many work-groups hold up the work of other streams, and are held up by it.
#include <stdio.h>

#include "dist/dist_kernels.h"
#include "dist/transport.h"
#include "piece_copy_source.h"

/* They reach the link's rate beside copies within the GPU (docs/performance.md, "Two GPUs"). */
enum { GROUPS = 64, BLOCK = 512, CPU_BLOCK = 64 };
/* Bytes that a thread loads at once. */
enum { WIDE = 16, NARROW = 4 };

/// Runs of bytes at equal distances, from byte `first` of an array's memory on.
typedef struct runs {
  int64_t first, bytes, count, stride;
} runs;

/// Whether the part of an array is such runs.
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
  return r->stride >= 0;
}

/// Gives both sides runs of the same length: what is one run is many runs without gaps too.
static bool match(runs *a, runs *b) {
  runs *one = a->count == 1 ? a : b, *other = a->count == 1 ? b : a;
  if (one->count == 1) *one = (runs){one->first, other->bytes, other->count, other->bytes};
  return a->count == b->count && a->bytes == b->bytes;
}

static bool are_chunks(const runs *r, int chunk) {
  return (r->first | r->bytes | r->stride) % chunk == 0 && r->bytes / chunk * r->count < INT32_MAX;
}

/// Whether an array can be a kernel's argument as it is: not a view, of which the launch would make a sub-buffer, that
/// memory of CUDA's may not have.
static bool can_be_argument(const weft_array *x) {
  size_t offset;
  weft_array_cl_mem(x, &offset);
  return weft_array_is_contiguous(x) && offset == 0;
}

static weft_status get_kernel(const weft__dist_kernel **kernel, weft_dist *grid, int chunk) {
  static const char name[] = "weft_copy_piece";
  char block[24];
  const char *const defines[] = {block, chunk == WIDE ? "CHUNK=uint4" : "CHUNK=uint", NULL};
  if ((*kernel = weft__dist_kernel_find(grid, name, (uint64_t)chunk))) return WEFT_OK;
  snprintf(block, sizeof block, "BLOCK=%d", grid->is_cpu ? CPU_BLOCK : BLOCK);
  return weft__dist_kernel_add(
      kernel, grid, (uint64_t)chunk,
      &(weft_kernel_params){
          .source = piece_copy_source, .name = name, .defines = defines, .source_name = "dist/piece_copy.cl"});
}

weft_status weft__dist_copy_piece(bool *is_pushed, weft_dist *grid, weft_array *whole, const weft_array *part,
                                  const weft_array *from_whole, const weft_array *from) {
  const weft__dist_kernel *kernel;
  runs to, of;
  *is_pushed = can_be_argument(whole) && can_be_argument(from_whole) && find_runs(&to, part) && find_runs(&of, from) &&
               match(&to, &of) && are_chunks(&to, NARROW) && are_chunks(&of, NARROW);
  if (!*is_pushed) return WEFT_OK;
  const int chunk = are_chunks(&to, WIDE) && are_chunks(&of, WIDE) ? WIDE : NARROW;
  WEFT__TRY_RETURN(get_kernel(&kernel, grid, chunk));
  return weft_launch(kernel->kernel, WEFT_DIM3(GROUPS), kernel->block, whole, from_whole, (uint64_t)to.first,
                     (uint64_t)to.stride, (uint64_t)of.first, (uint64_t)of.stride, (uint32_t)(of.bytes / chunk),
                     (uint32_t)of.count);
}
