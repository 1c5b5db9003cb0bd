// SPDX-License-Identifier: MIT
/// NumPy's .npz files: several arrays under names in one file, a zip archive of .npy files.
///
///     rc = weft_npz_save("model.npz", WEFT_VAR(weights), WEFT_NAMED("bias", b));
///     rc = weft_npz_load(ctx, "model.npz", WEFT_VAR(&weights), WEFT_NAMED("bias", &b));
///
/// numpy.savez, savez_compressed and load write and read the same files, of any size. Members are stored or deflated
/// (by zlib: without it in the build, WEFT_ERROR_UNSUPPORTED); elements are as in weft/npy.h. A damaged archive is
/// WEFT_ERROR_FILE. Sources of the formats: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT and
/// https://numpy.org/doc/stable/reference/generated/numpy.savez.html
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_NPZ_H
#define WEFT_NPZ_H

#include <weft/operand.h>
#include <weft/options.h>

WEFT_BEGIN_DECLS

/* ---- in one call ---- */

/// weft_npz_save(file, variables...) makes or replaces `file` with a member for each variable: an array, a C number or
/// host memory (WEFT_VAR(x) is `x`, WEFT_NAMED("y", x) is `y`). Waits for the arrays. The new file is complete and on
/// the disk before it replaces the old one; on failure the old file is unchanged. Errors: WEFT_ERROR_FILE.
WEFT_API WEFT_NODISCARD weft_status weft_npz_save(const char *file, int variable_count, const weft_operand *variables);
/// weft_npz_save_compressed(file, variables...) is weft_npz_save with deflated members. Errors: WEFT_ERROR_FILE,
/// WEFT_ERROR_UNSUPPORTED.
WEFT_API WEFT_NODISCARD weft_status weft_npz_save_compressed(const char *file, int variable_count,
                                                             const weft_operand *variables);
/// weft_npz_load(context, file, results...) reads the members that the results name: WEFT_VAR(&x) is member `x`,
/// WEFT_NAMED("y", &x) member `y`. Other members are ignored. `context` may be NULL. Blocks until all are read; on
/// failure no new array remains. Errors: as for weft_npz_open and weft_npz_read.
WEFT_API WEFT_NODISCARD weft_status weft_npz_load(weft_context *context, const char *file, int variable_count,
                                                  const weft_operand *variables);

/* ---- member by member ---- */

/// An archive, open for reading (weft_npz_open) or being written (weft_npz_create). It belongs to no context and to one
/// thread at a time. If another program shortens the file while it is read, access ends the process with SIGBUS.
typedef struct weft_npz weft_npz;

/// Options of weft_npz_create.
typedef struct weft_npz_params {
  bool compressed;  /* deflate the members */
  const char *site; /* set by the macro */
} weft_npz_params;

/// A member of an archive. `name` lives as long as the archive.
typedef struct weft_npz_member {
  const char *name;      /* without `.npy`; the whole name of a member that is no .npy file */
  weft_dtype dtype;      /* WEFT_DTYPE_NONE: weft_npz_read cannot read the member */
  weft_shape shape;      /* no axes if the dtype is WEFT_DTYPE_NONE */
  uint64_t size_bytes;   /* of the .npy file */
  uint64_t stored_bytes; /* of the .npy file in the archive */
  bool compressed;
} weft_npz_member;

/// Opens `file` and reads the list of its members. Errors: WEFT_ERROR_FILE (cannot be read, or no zip archive).
WEFT_API WEFT_NODISCARD weft_status weft_npz_open(weft_npz **out, const char *file);
/// The number of members. Cannot fail: 0 for anything but an archive open for reading.
WEFT_API int weft_npz_count(const weft_npz *npz);
/// Describes member `index`, from 0, in the order of the file. Errors: WEFT_ERROR_INDEX, WEFT_ERROR_FILE.
WEFT_API WEFT_NODISCARD weft_status weft_npz_get(weft_npz_member *member, const weft_npz *npz, int index);
/// Reads the member `name` into an array, as weft_npy_load reads a file. Blocks until the elements are read. Errors:
/// WEFT_ERROR_INDEX (no such member, or two), WEFT_ERROR_FILE (damaged, encrypted), WEFT_ERROR_UNSUPPORTED (a method
/// besides stored and deflated), and as for weft_npy_load.
WEFT_API WEFT_NODISCARD weft_status weft_npz_read(weft_array **out, weft_context *context, const weft_npz *npz,
                                                  const char *name);

/// Begins an archive that weft_npz_finish completes. Errors: WEFT_ERROR_FILE, WEFT_ERROR_UNSUPPORTED.
WEFT_API WEFT_NODISCARD weft_status weft_npz_create(weft_npz **out, const char *file, const weft_npz_params *params);
/// Adds `x` as the member `name`, which must be new and not empty. Waits for `x`. After WEFT_ERROR_FILE the archive can
/// only be released. Errors: WEFT_ERROR_FILE.
WEFT_API WEFT_NODISCARD weft_status weft_npz_write(weft_npz *npz, const char *name, const weft_array *x);
/// Completes the archive, waits until it is on the disk, and replaces the old file. Nothing can be added after it.
/// Errors: WEFT_ERROR_FILE.
WEFT_API WEFT_NODISCARD weft_status weft_npz_finish(weft_npz *npz);
/// Closes the archive and sets *npz to NULL. One that was begun and not finished is removed; the old file stays. NULL
/// is allowed.
WEFT_API void weft_npz_release(weft_npz **npz);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__npz_save_at(const char *file, int variable_count,
                                                      const weft_operand *variables, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__npz_save_compressed_at(const char *file, int variable_count,
                                                                 const weft_operand *variables, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__npz_load_at(weft_context *context, const char *file, int variable_count,
                                                      const weft_operand *variables, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__npz_open_at(weft_npz **out, const char *file, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__npz_read_at(weft_array **out, weft_context *context, const weft_npz *npz,
                                                      const char *name, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__npz_create_at(weft_npz **out, const char *file,
                                                        const weft_npz_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__npz_write_at(weft_npz *npz, const char *name, weft_operand x,
                                                       const char *site);

#define weft_npz_save(...) weft__npz_save_at(WEFT__FIRST(__VA_ARGS__), WEFT__NAMED_OPERANDS(__VA_ARGS__), WEFT_SITE)
#define weft_npz_save_compressed(...) \
  weft__npz_save_compressed_at(WEFT__FIRST(__VA_ARGS__), WEFT__NAMED_OPERANDS(__VA_ARGS__), WEFT_SITE)
#define weft_npz_load(context, ...) \
  weft__npz_load_at((context), WEFT__FIRST(__VA_ARGS__), WEFT__NAMED_OPERANDS(__VA_ARGS__), WEFT_SITE)
#define weft_npz_open(out, file) weft__npz_open_at(WEFT__PLACE(weft_npz, out), (file), WEFT_SITE)
#define weft_npz_read(out, context, npz, name) \
  weft__npz_read_at(WEFT__PLACE(weft_array, out), (context), (npz), (name), WEFT_SITE)
#define weft_npz_create(out, ...) \
  weft__npz_create_at(WEFT__PLACE(weft_npz, out), WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_npz_params, __VA_ARGS__))
#define weft_npz_write(npz, name, x) weft__npz_write_at((npz), (name), WEFT__OPERAND(x), WEFT_SITE)

WEFT_END_DECLS

#endif
