// SPDX-License-Identifier: MIT
/// NumPy's .npy files: loaded and saved whole, or mapped into memory, where calls over host memory take them as
/// operands and results, however much larger than the device's memory they are.
///
///     weft_npy *in = NULL, *out = NULL;
///     rc = weft_npy_open(&in, "temperature.npy");
///     if (rc == WEFT_OK) rc = weft_npy_create(&out, "kelvin.npy", WEFT_F32, weft_npy_shape(in));
///     if (rc == WEFT_OK) rc = weft_add(weft_npy_result(out), weft_npy_operand(in), 273.15f);
///     weft_npy_release(&out);
///     weft_npy_release(&in);
///
/// A file of 100 GB is worked on in chunks, as all host memory that is large (weft/operand.h); what is read and written
/// of it passes through the system's page cache. In expressions WEFT_NAMED gives it a name: WEFT_NAMED("t",
/// weft_npy_operand(in)). A file is written under a temporary name in the same folder (".weft-..."; a killed process
/// may leave it there). Once complete, it replaces the old file and takes over its mode and owner. Until then, and
/// after any failure, the old file is unchanged. The disk needs room for both. Processes that have the old file open or
/// mapped keep it. A symbolic link is followed if the user or root owns it; of a hard-linked file only this name is
/// replaced. Versions 1.0, 2.0 and 3.0 of the format; elements of Weft's dtypes, the least significant byte first.
/// Others (structures, texts, the most significant byte first) are WEFT_ERROR_DTYPE. Files are written in version 1.0,
/// with the bytes that NumPy writes.
/// Errors of all: WEFT_ERROR_ARGUMENT, WEFT_ERROR_HANDLE, WEFT_ERROR_HOST_MEMORY, and WEFT_ERROR_FILE: the file cannot
/// be opened, read or made, is no .npy file, or is shorter than it says. Source:
/// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#ifndef WEFT_NPY_H
#define WEFT_NPY_H

#include <weft/operand.h>

WEFT_BEGIN_DECLS

/// A file mapped into memory. It belongs to no context. A file that others make shorter while it is mapped ends the
/// process with SIGBUS, as with every mapping.
typedef struct weft_npy weft_npy;

/// Maps `file`, to be read only. Errors besides: WEFT_ERROR_DTYPE, WEFT_ERROR_SHAPE (more axes than WEFT_MAX_NDIM),
/// WEFT_ERROR_OVERFLOW, WEFT_ERROR_LAYOUT (in Fortran's order, which host memory cannot have: weft_npy_load). Thread:
/// any.
WEFT_API WEFT_NODISCARD weft_status weft_npy_open(weft_npy **out, const char *file);

/// Makes `file`, or makes it anew if it is there, with room for `shape` elements of `dtype`, and maps it for writing.
/// The elements are 0 until they are written. The disk's blocks are taken at once, so that a full disk is an error here
/// and not a signal later. On success the new file has replaced the old one; on failure the old one is still there. To
/// keep the old one until the new elements are written, create the file under another name and rename() it after
/// weft_npy_flush. Other errors: WEFT_ERROR_DTYPE, WEFT_ERROR_SHAPE, WEFT_ERROR_OVERFLOW. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_npy_create(weft_npy **out, const char *file, weft_dtype dtype,
                                                    weft_shape shape);

/// Blocks until what was written is on the disk. Without it the system writes it in its own time, also after the
/// release; other programs see it at once. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_npy_flush(weft_npy *npy);
/// Ends the mapping and sets *npy to NULL. NULL is fine. Thread: any, and no call may be using it.
WEFT_API void weft_npy_release(weft_npy **npy);

/* ---- what it is ----
   These cannot fail: for NULL or something that is no weft_npy they answer NONE, no axes, NULL. Thread: any. */

WEFT_API weft_dtype weft_npy_dtype(const weft_npy *npy);
WEFT_API weft_shape weft_npy_shape(const weft_npy *npy);
/// The first element. Of a file that was opened it must not be written.
WEFT_API void *weft_npy_data(const weft_npy *npy);
/// The elements as an operand, as WEFT_HOST.
WEFT_API weft_host weft_npy_operand(const weft_npy *npy);
/// The elements as a place for a result, as WEFT_HOST_OUT, of a file that was made by weft_npy_create. Of another one
/// it is no place for a result, and the call that gets it says so.
WEFT_API weft_host_out weft_npy_result(weft_npy *npy);

/* ---- whole arrays ---- */

/// The elements of `file` as an array, or in *out, of the same dtype and shape. In Fortran's order a new array is a
/// view with such strides. Blocks until they are read. Errors besides: those of weft_npy_open but LAYOUT, and of
/// weft_from_host. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_npy_load(weft_array **out, weft_context *context, const char *file);
/// Waits for `x` and writes it to `file`, outermost axis first. The new file is complete and on disk before it replaces
/// the old one; on failure the old one is still there.
/// Errors besides: those of weft_to_host. Thread: the array's.
WEFT_API WEFT_NODISCARD weft_status weft_npy_save(const char *file, const weft_array *x);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__npy_open_at(weft_npy **out, const char *file, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__npy_create_at(weft_npy **out, const char *file, weft_dtype dtype,
                                                        weft_shape shape, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__npy_load_at(weft_array **out, weft_context *context, const char *file,
                                                      const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__npy_save_at(const char *file, const weft_array *x, const char *site);

#define weft_npy_open(out, file) weft__npy_open_at((out), (file), WEFT_SITE)
#define weft_npy_create(out, file, dtype, ...) weft__npy_create_at((out), (file), (dtype), (__VA_ARGS__), WEFT_SITE)
#define weft_npy_load(out, context, file) weft__npy_load_at((out), (context), (file), WEFT_SITE)
#define weft_npy_save(file, x) weft__npy_save_at((file), (x), WEFT_SITE)

WEFT_END_DECLS

#endif
