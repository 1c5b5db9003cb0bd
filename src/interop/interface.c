// SPDX-License-Identifier: MIT
/// The array as a dictionary in the format of __cuda_array_interface__, which is specified at
/// https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html
#include <weft/dlpack.h>

#include <inttypes.h>

#include "array/array.h"

/// Appends a Python tuple, with a comma after a single item.
static void add_tuple(weft__text *text, const int64_t *items, int count) {
  weft__text_add(text, "(");
  for (int i = 0; i < count; i++) weft__text_add(text, "%s%" PRId64, i ? ", " : "", items[i]);
  weft__text_add(text, count == 1 ? ",)" : ")");
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
  weft__text_add(&dict, ",\n 'typestr': '%s',\n 'descr': [('', '%s')],\n 'data': (%" PRIuPTR ", %s)", typestr, typestr,
                 (uintptr_t)x->storage->mem, weft_array_is_read_only(x) ? "True" : "False");
  if (x->offset_bytes) weft__text_add(&dict, ",\n 'offset': %" PRId64, x->offset_bytes);
  if (!weft__is_contiguous(x)) {
    weft__text_add(&dict, ",\n 'strides': ");
    add_tuple(&dict, x->stride_bytes, x->ndim);
  }
  weft__text_add(&dict, ",\n 'version': 0}");
  if (!(*text = weft__text_take(&dict))) rc = weft__fail_host_memory(1);
done:
  return weft__leave(rc);
}
