// SPDX-License-Identifier: MIT
/// What stands in front of the elements in an .npy file. The form:
/// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#ifndef WEFT_IO_NPY_HEADER_H
#define WEFT_IO_NPY_HEADER_H

#include <weft/dtype.h>
#include <weft/shape.h>

#include "base/error.h"

#define WEFT__NPY_ALIGNMENT 64 /* of the first element in the file, as NumPy writes it */
#define WEFT__NPY_LONGEST 512  /* bytes that weft__npy_write needs at most */

typedef struct weft__npy_header {
  weft_dtype dtype;
  weft_shape shape;
  bool is_fortran;       /* the first axis runs fastest, and there are two axes or more that are longer than 1 */
  uint64_t offset_bytes; /* of the first element */
  uint64_t size_bytes;   /* of all elements */
} weft__npy_header;

/// Reads it out of the first `size_bytes` bytes of a file that has `file_bytes` (which may be more). `name` is the
/// file's, for messages; they give a text of the file as it is. Errors: FILE (no .npy file, or it is too short), DTYPE,
/// SHAPE (more axes than Weft has), OVERFLOW.
weft_status weft__npy_read(weft__npy_header *header, const void *bytes, uint64_t size_bytes, uint64_t file_bytes,
                           const char *name);
/// Writes one, of version 1.0; returns its length. The shape was checked.
size_t weft__npy_write(char bytes[WEFT__NPY_LONGEST], weft_dtype dtype, weft_shape shape);

#endif
