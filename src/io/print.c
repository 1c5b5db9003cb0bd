// SPDX-License-Identifier: MIT
/// Device arrays as text: fetches the shown elements and formats them.
#include <weft/print.h>

#include <stdlib.h>

#include "array/array.h"
#include "io/format.h"

/// Copies the two ends of every long axis of `x` side by side: only the elements that a summary shows.
static weft_status fetch_edges(weft_array **out, const weft_array *x, int64_t edge, const char *site) {
  weft_shape shape = weft__array_shape(x);
  for (int d = 0; d < shape.ndim; d++)
    if (shape.dim[d] > 2 * edge) shape.dim[d] = 2 * edge;
  WEFT__TRY_RETURN(weft__array_create(out, x->context, x->dtype, shape, site));
  /* each combination of ends is a corner of both arrays */
  for (unsigned corner = 0; corner < 1u << x->ndim; corner++) {
    weft_array from = weft__array_borrow(x), to = weft__array_borrow(*out);
    bool skip = false;
    for (int d = 0; d < x->ndim; d++) {
      bool cut = x->shape[d] > 2 * edge, tail = corner >> d & 1;
      if (!cut && tail) skip = true;
      if (!cut) continue;
      from.shape[d] = to.shape[d] = edge;
      from.offset_bytes += tail ? (x->shape[d] - edge) * x->stride_bytes[d] : 0;
      to.offset_bytes += tail ? edge * to.stride_bytes[d] : 0;
    }
    from.size = to.size = 1;
    for (int d = 0; d < x->ndim; d++) from.size = to.size *= to.shape[d];
    if (!skip) WEFT__TRY_RETURN(weft__assign(&to, &from, site));
  }
  return WEFT_OK;
}

/// Reads all elements of x in C order and sets the strides of that layout.
static weft_status read_all(void **data, int64_t stride_bytes[WEFT_MAX_NDIM], const weft_array *x) {
  int64_t stride = (int64_t)weft_dtype_size_bytes(x->dtype);
  for (int d = x->ndim - 1; d >= 0; d--) {
    stride_bytes[d] = stride;
    stride *= x->shape[d];
  }
  size_t size_bytes = (size_t)weft_array_size_bytes(x);
  if (!(*data = malloc(size_bytes ? size_bytes : 1))) return weft__fail_host_memory(size_bytes);
  return weft__array_read(*data, x, true, NULL);
}

static weft_status check_params(const weft_print_params *p) {
#define AT_LEAST(field, least)                                                                                       \
  if (p->field < (least))                                                                                            \
  return weft__fail(WEFT_ERROR_ARGUMENT, #field, "`." #field "` is %lld; expected at least %d", (long long)p->field, \
                    least)
  AT_LEAST(precision, -1);
  AT_LEAST(threshold, -1);
  AT_LEAST(edge_items, 0);
  AT_LEAST(line_width, 0);
#undef AT_LEAST
  return WEFT_OK;
}

static weft_status to_text(weft__text *text, const weft_array *x, const weft_print_params *params) {
  weft_array *edges = NULL;
  void *data = NULL;
  weft_shape shape = weft__array_shape(x);
  int64_t stride_bytes[WEFT_MAX_NDIM];
  bool summarised = weft__format_is_summarised(shape.ndim, shape.dim, params);
  weft_status rc;
  if (summarised) WEFT__TRY(fetch_edges(&edges, x, weft__format_edge_items(params), NULL));
  if (summarised) x = edges;
  WEFT__TRY(read_all(&data, stride_bytes, x));
  const weft__host_array host = {x->dtype, shape.ndim, shape.dim, stride_bytes, data, summarised};
  weft__format_array(text, &host, params);
  if (text->failed) rc = weft__fail_host_memory(text->length);
done:
  free(data);
  weft_array_release(&edges);
  return rc;
}

weft_status weft__array_to_text_at(char **text, const weft_array *x, const weft_print_params *params) {
  weft__text t = {0};
  weft_status rc;
  const weft_print_params p = WEFT__PARAMS(params);
  weft__enter("weft_array_to_text", p.site);
  WEFT__NEED(text);
  *text = NULL;
  WEFT__TRY(weft__array_check(x, "x"));
  WEFT__TRY(check_params(&p));
  WEFT__TRY(to_text(&t, x, &p));
  if (!(*text = weft__text_take(&t))) rc = weft__fail_host_memory(1);
done:
  weft__text_free(&t);
  return weft__leave(rc);
}

weft_status weft__array_print_at(FILE *stream, const weft_array *x, const weft_print_params *params) {
  weft__text t = {0};
  weft_status rc;
  const weft_print_params p = WEFT__PARAMS(params);
  weft__enter("weft_array_print", p.site);
  WEFT__NEED(stream);
  WEFT__TRY(weft__array_check(x, "x"));
  WEFT__TRY(check_params(&p));
  WEFT__TRY(to_text(&t, x, &p));
  if (fprintf(stream, "%s\n", weft__text_chars(&t)) < 0)
    rc = weft__fail(WEFT_ERROR_FILE, "stream", "could not write to `stream`");
done:
  weft__text_free(&t);
  return weft__leave(rc);
}
