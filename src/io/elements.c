// SPDX-License-Identifier: MIT
#include "io/elements.h"

#include <stdlib.h>

#include <weft/view.h>

#define PIECE ((size_t)8 << 20)

weft_shape weft__elements_shape(const weft__npy_header *h) {
  weft_shape shape = h->shape;
  for (int d = 0; h->is_fortran && d < shape.ndim; d++) shape.dim[d] = h->shape.dim[shape.ndim - 1 - d];
  return shape;
}

weft_status weft__elements_place(weft_array **out, const weft__npy_header *h, weft_array *in_file_order,
                                 const char *site) {
  weft_array *view = NULL;
  weft_status rc;
  if (h->is_fortran)
    WEFT__TRY(weft__transpose_at(&view, in_file_order, WEFT_ALL_AXES, site));
  else
    view = weft_array_retain(in_file_order);
  if (*out) {
    rc = weft__copy_at(out, view, &(weft_copy_params){.site = site});
  } else {
    *out = view;
    view = NULL;
    rc = WEFT_OK;
  }
done:
  weft_array_release(&view);
  return rc;
}

/* ---- pieces ---- */

/// The elements of a piece, fewer for small arrays, and at least 1.
static int64_t piece_of(const weft_array *x) {
  const int64_t most = (int64_t)(PIECE / weft_dtype_size_bytes(x->dtype));
  return x->size > most ? most : x->size > 1 ? x->size : 1;
}

static weft_array part_of(const weft_array *contiguous, int64_t first, int64_t most) {
  const weft_array flat = weft__array_flat(contiguous);
  return weft__array_part(&flat, 0, first, flat.size - first < most ? flat.size - first : most);
}

/* ---- reading ---- */

static void swap_numbers(unsigned char *bytes, size_t size_bytes, size_t number_bytes) {
  for (unsigned char *number = bytes; number < bytes + size_bytes; number += number_bytes)
    for (size_t i = 0; i < number_bytes / 2; i++) {
      const unsigned char byte = number[i];
      number[i] = number[number_bytes - 1 - i];
      number[number_bytes - 1 - i] = byte;
    }
}

/// Fills the contiguous array x.
static weft_status fill(weft_array *x, const weft__npy_header *h, weft__elements_source source, void *user,
                        const char *site) {
  const size_t element_bytes = weft_dtype_size_bytes(h->dtype);
  const int64_t piece = piece_of(x);
  unsigned char *room = weft__new((size_t)piece * element_bytes);
  weft_status rc = room ? WEFT_OK : WEFT_ERROR_HOST_MEMORY;
  for (int64_t first = 0; first < x->size && rc == WEFT_OK; first += piece) {
    weft_array part = part_of(x, first, piece);
    const size_t size_bytes = (size_t)part.size * element_bytes;
    WEFT__TRY(source(user, room, size_bytes));
    if (h->is_swapped) swap_numbers(room, size_bytes, weft_dtype_size_bytes(weft__real_dtype(h->dtype)));
    rc = weft__array_write(&part, room, true, site);
  }
done:
  free(room);
  return rc;
}

weft_status weft__elements_read(weft_array **out, weft_context *context, const weft__npy_header *h,
                                weft__elements_source source, void *user, const char *site) {
  weft_array *made = NULL;
  weft_status rc;
  WEFT__TRY(weft__empty_at(&made, context, h->dtype, weft__elements_shape(h), site));
  WEFT__TRY(fill(made, h, source, user, site));
  rc = weft__elements_place(out, h, made, site);
done:
  weft_array_release(&made);
  return rc;
}

/* ---- writing ---- */

weft_status weft__elements_write(const weft_array *x, weft__elements_sink sink, void *user, const char *site) {
  const int64_t piece = piece_of(x);
  const size_t element_bytes = weft_dtype_size_bytes(x->dtype);
  weft_array *contiguous = NULL;
  weft_status rc;
  unsigned char *room = weft__new((size_t)piece * element_bytes);
  if (!room) return WEFT_ERROR_HOST_MEMORY;
  WEFT__TRY(weft__ravel_at(&contiguous, x, site));
  for (int64_t first = 0; first < x->size; first += piece) {
    const weft_array part = part_of(contiguous, first, piece);
    WEFT__TRY(weft__array_read(room, &part, true, site));
    WEFT__TRY(sink(user, room, (size_t)part.size * element_bytes));
  }
  rc = WEFT_OK;
done:
  weft_array_release(&contiguous);
  free(room);
  return rc;
}
