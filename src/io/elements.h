// SPDX-License-Identifier: MIT
/// Elements of arrays that are read from files and written to them in pieces, so that the host needs no memory for all
/// of them.
#ifndef WEFT_IO_ELEMENTS_H
#define WEFT_IO_ELEMENTS_H

#include "array/array.h"
#include "io/npy_header.h"

/// Reads the next `count` bytes of the elements.
typedef weft_status (*weft__elements_source)(void *user, void *bytes, size_t count);
/// Takes the next `count` bytes of the elements.
typedef weft_status (*weft__elements_sink)(void *user, const void *bytes, size_t count);

/// Makes an array of the header's dtype and shape, or fills *out, from the elements that `source` delivers in the
/// file's order. Swapped bytes are put in order. On failure *out is unchanged.
weft_status weft__elements_read(weft_array **out, weft_context *context, const weft__npy_header *header,
                                weft__elements_source source, void *user, const char *site);
/// Waits for `x` and passes its elements to `sink`, outermost axis first.
weft_status weft__elements_write(const weft_array *x, weft__elements_sink sink, void *user, const char *site);
/// Gives *out an array in a file's order: one of the header's shape or, in Fortran's order, of the reversed shape. A
/// result given by the caller is copied to.
weft_status weft__elements_place(weft_array **out, const weft__npy_header *header, weft_array *in_file_order,
                                 const char *site);
/// The shape that elements in the file's order have in C order.
weft_shape weft__elements_shape(const weft__npy_header *header);

#endif
