// SPDX-License-Identifier: MIT
/// The header of an .npy file. The format is specified at
/// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#ifndef WEFT_IO_NPY_HEADER_H
#define WEFT_IO_NPY_HEADER_H

#include <weft/dtype.h>
#include <weft/shape.h>

#include "base/error.h"

#define WEFT__NPY_ALIGNMENT 64 /* of the first element in the file, as in NumPy's files */
#define WEFT__NPY_LONGEST 512  /* the most bytes that weft__npy_write needs */

typedef struct weft__npy_header {
  weft_dtype dtype;
  weft_shape shape;
  bool is_fortran;       /* the first axis varies fastest, and at least two axes are longer than 1 */
  bool is_swapped;       /* the most significant byte of each number is first */
  int version;           /* of the format: 1, 2 or 3 */
  uint64_t offset_bytes; /* of the first element */
  uint64_t size_bytes;   /* of all elements */
} weft__npy_header;

/// Parses the header from the first `size_bytes` bytes of a file of `file_bytes` bytes (which may be more). `name` is
/// the file's name, for messages; they quote text of the file. Errors: FILE (no .npy file, or a truncated one), DTYPE,
/// SHAPE (more axes than Weft has), OVERFLOW.
weft_status weft__npy_read(weft__npy_header *header, const void *bytes, uint64_t size_bytes, uint64_t file_bytes,
                           const char *name);
/// Writes a header of version 1.0 and returns its length. The shape must have been checked.
size_t weft__npy_write(char bytes[WEFT__NPY_LONGEST], weft_dtype dtype, weft_shape shape);

#endif
