// SPDX-License-Identifier: MIT
/// NumPy's .npy files: loaded and saved whole, or mapped as host memory of any size for operands and results. Source of
/// the format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
///
///     weft_npy *in = NULL, *out = NULL;
///     rc = weft_npy_open(&in, "temperature.npy");
///     if (rc == WEFT_OK) rc = weft_npy_create(&out, "kelvin.npy", WEFT_F32, weft_npy_shape(in));
///     if (rc == WEFT_OK) rc = weft_add(weft_npy_result(out), weft_npy_operand(in), 273.15f);
///
/// Versions 1.0, 2.0 and 3.0 are read, 1.0 is written; elements are of Weft's dtypes (any other: WEFT_ERROR_DTYPE).
/// Chunks, and how files are replaced: docs/guide.md, "More than the device holds".
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_NPY_H
#define WEFT_NPY_H

#include <weft/operand.h>

WEFT_BEGIN_DECLS

/// A file mapped into memory. It belongs to no context. If another program shortens the file while it is mapped, access
/// ends the process with SIGBUS, as with every mapping.
typedef struct weft_npy weft_npy;

/// Maps `file` for reading. Errors: WEFT_ERROR_FILE (cannot be read, not a .npy file, or shorter than its header says),
/// WEFT_ERROR_DTYPE (also for numbers with the most significant byte first), WEFT_ERROR_SHAPE (more axes than
/// WEFT_MAX_NDIM), WEFT_ERROR_OVERFLOW, WEFT_ERROR_LAYOUT (in Fortran's order). weft_npy_load reads files in either
/// order of axes and of bytes.
WEFT_API WEFT_NODISCARD weft_status weft_npy_open(weft_npy **out, const char *file);

/// Makes or replaces `file` with `shape` elements of `dtype`, all 0, and maps it for writing. Disk blocks are allocated
/// at once, so a full disk is an error here and not a signal later. On failure the old file is unchanged. To keep the
/// old file until the new elements are written, use another name and rename() the file after weft_npy_flush. Errors:
/// WEFT_ERROR_FILE, WEFT_ERROR_DTYPE, WEFT_ERROR_SHAPE, WEFT_ERROR_OVERFLOW.
WEFT_API WEFT_NODISCARD weft_status weft_npy_create(weft_npy **out, const char *file, weft_dtype dtype,
                                                    weft_shape shape);

/// Blocks until all written elements are on the disk. Without it the system writes them later, even after the release;
/// other programs see them at once. Errors: WEFT_ERROR_FILE.
WEFT_API WEFT_NODISCARD weft_status weft_npy_flush(weft_npy *npy);
/// Unmaps the file and sets *npy to NULL. NULL is allowed. No call may be using the file.
WEFT_API void weft_npy_release(weft_npy **npy);

/* ---- properties ----
   These cannot fail: for NULL or any other object they return WEFT_DTYPE_NONE, no axes, or a NULL address. */

/// The dtype and the shape of the array in the file.
WEFT_API weft_dtype weft_npy_dtype(const weft_npy *npy);
WEFT_API weft_shape weft_npy_shape(const weft_npy *npy);
/// The first element. Elements of a file from weft_npy_open must not be written.
WEFT_API void *weft_npy_data(const weft_npy *npy);
/// The elements as an operand, as WEFT_HOST. In expressions: WEFT_NAMED("t", weft_npy_operand(in)).
WEFT_API weft_host weft_npy_operand(const weft_npy *npy);
/// The elements as a result, as WEFT_HOST_OUT. The file must come from weft_npy_create; calls refuse any other.
WEFT_API weft_host_out weft_npy_result(weft_npy *npy);

/* ---- a look at a file ---- */

/// What the header of an .npy file says.
typedef struct weft_npy_info {
  weft_dtype dtype;
  weft_shape shape;
  bool is_fortran;       /* the first axis varies fastest, and at least two axes are longer than 1 */
  bool is_swapped;       /* the most significant byte of each number is first */
  int version;           /* of the format: 1, 2 or 3 */
  uint64_t offset_bytes; /* of the first element in the file */
  uint64_t size_bytes;   /* of all elements */
} weft_npy_info;

/// Describes `file`, also if weft_npy_open refuses it for its order of axes or bytes. Needs no device. Errors: as for
/// weft_npy_load.
WEFT_API WEFT_NODISCARD weft_status weft_npy_get(weft_npy_info *info, const char *file);

/* ---- whole arrays ---- */

/// Reads the elements of `file` into an array, in either order of axes and of bytes. If the file is in Fortran's order,
/// a new array is a view with Fortran's strides. Blocks until the elements are read. Errors: as for weft_npy_open,
/// except WEFT_ERROR_LAYOUT.
WEFT_API WEFT_NODISCARD weft_status weft_npy_load(weft_array **out, weft_context *context, const char *file);
/// Waits for `x` and writes it to `file`, outermost axis first. The new file is complete and on the disk before it
/// replaces the old one; on failure the old file is unchanged. Errors: WEFT_ERROR_FILE; others as for weft_to_host.
WEFT_API WEFT_NODISCARD weft_status weft_npy_save(const char *file, const weft_array *x);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__npy_open_at(weft_npy **out, const char *file, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__npy_create_at(weft_npy **out, const char *file, weft_dtype dtype,
                                                        weft_shape shape, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__npy_load_at(weft_array **out, weft_context *context, const char *file,
                                                      const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__npy_save_at(const char *file, const weft_array *x, const char *site);

#define weft_npy_open(out, file) weft__npy_open_at(WEFT__PLACE(weft_npy, out), (file), WEFT_SITE)
#define weft_npy_create(out, file, dtype, ...) \
  weft__npy_create_at(WEFT__PLACE(weft_npy, out), (file), (dtype), (__VA_ARGS__), WEFT_SITE)
#define weft_npy_load(out, context, file) weft__npy_load_at(WEFT__PLACE(weft_array, out), (context), (file), WEFT_SITE)
#define weft_npy_save(file, x) weft__npy_save_at((file), (x), WEFT_SITE)

WEFT_END_DECLS

#endif
