// SPDX-License-Identifier: MIT
/// Arrays and host memory as text: fetches the shown elements of arrays and formats them.
#include <weft/print.h>

#include <stdlib.h>

#include "array/array.h"
#include "dtype/scalar.h"
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

/// The strides of elements in C order.
static void set_strides(int64_t stride_bytes[WEFT_MAX_NDIM], weft_dtype dtype, weft_shape shape) {
  int64_t stride = (int64_t)weft_dtype_size_bytes(dtype);
  for (int d = shape.ndim - 1; d >= 0; d--) {
    stride_bytes[d] = stride;
    stride *= shape.dim[d];
  }
}

/// Reads all elements of x in C order and sets the strides of that layout.
static weft_status read_all(void **data, int64_t stride_bytes[WEFT_MAX_NDIM], const weft_array *x) {
  set_strides(stride_bytes, x->dtype, weft__array_shape(x));
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

typedef void formatter(weft__text *, const weft__host_array *, const weft_print_params *);

static weft_status format_array(weft__text *text, const weft_array *x, const weft_print_params *params,
                                formatter *format) {
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
  format(text, &host, params);
done:
  free(data);
  weft_array_release(&edges);
  return rc;
}

static weft_status format_host(weft__text *text, const weft_host *x, const weft_print_params *params,
                               formatter *format) {
  int64_t size, stride_bytes[WEFT_MAX_NDIM];
  if (!weft__dtype(x->dtype))
    return weft__fail(WEFT_ERROR_DTYPE, "x", "`x` is host memory of dtype %d, which is no weft_dtype", (int)x->dtype);
  WEFT__TRY_RETURN(weft__shape_check(&size, x->shape, x->dtype, "x"));
  if (!x->data && size) return weft__fail(WEFT_ERROR_ARGUMENT, "x", "`x` is host memory at NULL");
  set_strides(stride_bytes, x->dtype, x->shape);
  format(text, &(weft__host_array){x->dtype, x->shape.ndim, x->shape.dim, stride_bytes, x->data, false}, params);
  return WEFT_OK;
}

static weft_status format_operand(weft__text *text, const weft_operand *x, const weft_print_params *params,
                                  formatter *format) {
  uint64_t element[2];
  WEFT__TRY_RETURN(check_params(params));
  switch (x->kind) {
    case WEFT_OPERAND_ARRAY:
      WEFT__TRY_RETURN(weft__array_check(x->as.array, "x"));
      WEFT__TRY_RETURN(format_array(text, x->as.array, params, format));
      break;
    case WEFT_OPERAND_HOST:
      WEFT__TRY_RETURN(format_host(text, &x->as.host, params, format));
      break;
    case WEFT_OPERAND_SCALAR:
      if (!weft__dtype(x->as.scalar.dtype))
        return weft__fail(WEFT_ERROR_ARGUMENT, "x", "`x` is a scalar of dtype %d, which is no weft_dtype",
                          (int)x->as.scalar.dtype);
      WEFT__TRY_RETURN(weft__element_bytes(element, x->as.scalar.dtype, x->as.scalar, "x"));
      WEFT__TRY_RETURN(format_host(text, &(weft_host){element, x->as.scalar.dtype, WEFT_SHAPE_0D}, params, format));
      break;
    default:
      return weft__fail(WEFT_ERROR_ARGUMENT, "x", "`x` is not a valid operand");
  }
  return text->failed ? weft__fail_host_memory(text->length) : WEFT_OK;
}

/// The text of an operand as the caller's own string.
static weft_status take_text(char **text, const weft_operand *x, const weft_print_params *params, formatter *format) {
  weft__text t = {0};
  weft_status rc;
  if (!text) return weft__fail(WEFT_ERROR_ARGUMENT, "text", "`text` is NULL");
  *text = NULL;
  WEFT__TRY(format_operand(&t, x, params, format));
  if (!(*text = weft__text_take(&t))) rc = weft__fail_host_memory(1);
done:
  weft__text_free(&t);
  return rc;
}

weft_status weft__array_to_text_at(char **text, weft_operand x, const weft_print_params *params) {
  const weft_print_params p = WEFT__PARAMS(params);
  weft__enter("weft_array_to_text", p.site);
  return weft__leave(take_text(text, &x, &p, weft__format_array));
}

weft_status weft__array_repr_at(char **text, weft_operand x, const weft_print_params *params) {
  const weft_print_params p = WEFT__PARAMS(params);
  weft__enter("weft_array_repr", p.site);
  return weft__leave(take_text(text, &x, &p, weft__format_repr));
}

weft_status weft__array_print_at(FILE *stream, weft_operand x, const weft_print_params *params) {
  weft__text t = {0};
  weft_status rc;
  const weft_print_params p = WEFT__PARAMS(params);
  weft__enter("weft_array_print", p.site);
  WEFT__NEED(stream);
  WEFT__TRY(format_operand(&t, &x, &p, weft__format_array));
  if (fprintf(stream, "%s\n", weft__text_chars(&t)) < 0)
    rc = weft__fail(WEFT_ERROR_FILE, "stream", "could not write to `stream`");
done:
  weft__text_free(&t);
  return weft__leave(rc);
}
