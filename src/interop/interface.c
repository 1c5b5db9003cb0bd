// SPDX-License-Identifier: MIT
/// The array as a dictionary in the format of __cuda_array_interface__, which is specified at
/// https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html
#include <weft/dlpack.h>

#include <inttypes.h>

#include "interop/cuda_memory.h"

/// Appends a Python tuple, with a comma after a single item.
static void add_tuple(weft__text *text, const int64_t *items, int count) {
  weft__text_add(text, "(");
  for (int i = 0; i < count; i++) weft__text_add(text, "%s%" PRId64, i ? ", " : "", items[i]);
  weft__text_add(text, count == 1 ? ",)" : ")");
}

/// Version 3, for CUDA: an address, and a stream of CUDA's that waits for the work on the array.
static weft_status add_cuda(weft__text *dict, const weft_array *x, const char *read_only) {
  weft__cuda_stream stream;
  uint64_t address;
  weft__core *core = &x->context->core;
  WEFT__TRY_RETURN(weft__cuda_pointer_of(&address, x));
  WEFT__TRY_RETURN(weft__cuda_own_stream(&stream, core));
  WEFT__TRY_RETURN(weft__cuda_after(core, stream, WEFT__EVERY_SLOT));
  weft__text_add(dict, ",\n 'data': (%" PRIu64 ", %s),\n 'strides': ", address, read_only);
  if (weft__is_contiguous(x))
    weft__text_add(dict, "None");
  else
    add_tuple(dict, x->stride_bytes, x->ndim);
  weft__text_add(dict, ",\n 'stream': %" PRIuPTR ",\n 'version': 3}", (uintptr_t)stream);
  return WEFT_OK;
}

/// For OpenCL: the buffer's handle, and the offset in it.
static void add_opencl(weft__text *dict, const weft_array *x, const char *read_only) {
  x->storage->is_public = true;
  weft__text_add(dict, ",\n 'data': (%" PRIuPTR ", %s)", (uintptr_t)x->storage->mem, read_only);
  if (x->offset_bytes) weft__text_add(dict, ",\n 'offset': %" PRId64, x->offset_bytes);
  if (!weft__is_contiguous(x)) {
    weft__text_add(dict, ",\n 'strides': ");
    add_tuple(dict, x->stride_bytes, x->ndim);
  }
  weft__text_add(dict, ",\n 'version': 0}");
}

weft_status weft_array_interface(char **text, const weft_array *x) {
  weft__text dict = {0};
  weft_status rc;
  weft__enter("weft_array_interface", NULL);
  WEFT__NEED(text);
  *text = NULL;
  WEFT__TRY(weft__array_check(x, "x"));
  const char *typestr = weft__dtype(x->dtype)->typestr;
  weft__text_add(&dict, "{'shape': ");
  add_tuple(&dict, x->shape, x->ndim);
  const char *read_only = weft_array_is_read_only(x) ? "True" : "False";
  weft__text_add(&dict, ",\n 'typestr': '%s',\n 'descr': [('', '%s')]", typestr, typestr);
  if (x->storage->cuda_address)
    WEFT__TRY(add_cuda(&dict, x, read_only));
  else
    add_opencl(&dict, x, read_only);
  if (!(*text = weft__text_take(&dict))) rc = weft__fail_host_memory(1);
done:
  weft__text_free(&dict);
  return weft__leave(rc);
}
