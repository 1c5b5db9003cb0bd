// SPDX-License-Identifier: MIT
/// .npy files as mapped memory; arrays are loaded and saved through the mapping.
#include <weft/npy.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "array/array.h"
#include "base/file.h"
#include "context/leaks.h"
#include "io/elements.h"

struct weft_npy {
  weft__object object;
  bool writable;
  weft__new_file file; /* of a new .npy, until it is complete */
  weft__npy_header header;
  char *map;
  size_t map_bytes;
  weft__ledger_entry entry; /* listed if the user holds the handle */
};

/// Passes the mapping to the user and lists it in the ledger.
static void hand_out(weft_npy **out, weft_npy *npy, const char *site) {
  weft__ledger_add(weft__leaks_ledger(), &npy->entry, WEFT__LEDGER_NPY, npy, npy->map_bytes, site);
  *out = npy;
}

static weft_status fail_system(const char *call, const char *file, int why) {
  return weft__fail(WEFT_ERROR_FILE, "file", "cannot %s `%s`: %s", call, file, weft__file_error(why));
}

static weft_status check_file(const char *file) {
  if (!file) return weft__fail(WEFT_ERROR_ARGUMENT, "file", "`file` is NULL");
  return file[0] ? WEFT_OK : weft__fail(WEFT_ERROR_ARGUMENT, "file", "`file` is empty; expected a path");
}

static weft_status map(weft_npy *npy, int descriptor, const char *file) {
  void *memory =
      mmap(NULL, npy->map_bytes, npy->writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return fail_system("map", file, errno);
  npy->map = memory;
  return WEFT_OK;
}

static void destroy(weft_npy *npy) {
  if (!npy) return;
  weft__ledger_remove(weft__leaks_ledger(), &npy->entry);
  if (npy->map) munmap(npy->map, npy->map_bytes);
  weft__new_file_drop(&npy->file);
  weft__object_free(&npy->object);
}

static weft_npy *make(void) {
  weft_npy *npy = weft__new(sizeof *npy);
  if (!npy) return NULL;
  weft__object_begin(&npy->object, WEFT__MAGIC_NPY, WEFT__ANY_PROCESS);
  npy->file = WEFT__NO_NEW_FILE;
  return npy;
}

/* ---- reading ---- */

static weft_status fail_no_file(const char *file) {
  return weft__fail(WEFT_ERROR_FILE, "file", "`%s` is no file; expected one that can be mapped", file);
}

static weft_status map_existing(weft_npy *npy, int descriptor, off_t size_bytes, const char *file) {
  if ((uint64_t)size_bytes > SIZE_MAX)
    return weft__fail(WEFT_ERROR_OVERFLOW, "file", "`%s` does not fit the address space", file);
  npy->map_bytes = (size_t)size_bytes;
  /* an empty file cannot be mapped; weft__npy_read refuses it */
  if (npy->map_bytes) WEFT__TRY_RETURN(map(npy, descriptor, file));
  return weft__npy_read(&npy->header, npy->map, npy->map_bytes, npy->map_bytes, file);
}

/// The caller destroys *out, even on failure.
static weft_status open_existing(weft_npy **out, const char *file) {
  struct stat about;
  int descriptor;
  WEFT__TRY_RETURN(check_file(file));
  const int why = weft__file_open(&descriptor, &about, AT_FDCWD, file, 0);
  if (why) return why == WEFT__NOT_A_FILE ? fail_no_file(file) : fail_system("open", file, why);
  *out = make();
  const weft_status rc = *out ? map_existing(*out, descriptor, about.st_size, file) : WEFT_ERROR_HOST_MEMORY;
  close(descriptor);
  return rc;
}

/// Refuses a file whose order of axes or bytes is not the host's.
static weft_status check_mappable(const weft__npy_header *h, const char *file) {
  if (h->is_swapped)
    return weft__fail(WEFT_ERROR_DTYPE, "file",
                      "`%s` has the most significant byte of each number first; host memory has the least significant "
                      "one first. weft_npy_load makes an array of it, x.astype('%s') in NumPy another file",
                      file, weft__dtype(h->dtype)->typestr);
  if (h->is_fortran)
    return weft__fail(WEFT_ERROR_LAYOUT, "file",
                      "`%s` is in Fortran's order, its first axis fastest; host memory has the last axis fastest. "
                      "weft_npy_load makes an array of it, numpy.ascontiguousarray another file",
                      file);
  return WEFT_OK;
}

weft_status weft__npy_open_at(weft_npy **out, const char *file, const char *site) {
  weft_npy *npy = NULL;
  weft_status rc;
  weft__enter("weft_npy_open", site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(open_existing(&npy, file));
  WEFT__TRY(check_mappable(&npy->header, file));
  hand_out(out, npy, site);
done:
  if (rc) destroy(npy);
  return weft__leave(rc);
}

weft_status weft_npy_get(weft_npy_info *info, const char *file) {
  weft_npy *npy = NULL;
  weft_status rc;
  weft__enter("weft_npy_get", NULL);
  if (!info) WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "info", "`info` is NULL"));
  WEFT__TRY(open_existing(&npy, file));
  const weft__npy_header *h = &npy->header;
  *info = (weft_npy_info){.dtype = h->dtype,
                          .shape = h->shape,
                          .is_fortran = h->is_fortran,
                          .is_swapped = h->is_swapped,
                          .version = h->version,
                          .offset_bytes = h->offset_bytes,
                          .size_bytes = h->size_bytes};
done:
  destroy(npy);
  return weft__leave(rc);
}

/* ---- writing ---- */

static weft_status fail_new(const weft_npy *npy, const char *file, int why) {
  return fail_system(npy->file.step, file, why);
}

static weft_status fill_new(weft_npy *npy, const char *file) {
  char front[WEFT__NPY_LONGEST];
  size_t length = weft__npy_write(front, npy->header.dtype, npy->header.shape);
  const int why = weft__new_file_reserve(&npy->file, length + npy->header.size_bytes);
  if (why) return fail_new(npy, file, why);
  npy->header.offset_bytes = length;
  npy->map_bytes = length + (size_t)npy->header.size_bytes;
  WEFT__TRY_RETURN(map(npy, npy->file.descriptor, file));
  memcpy(npy->map, front, length);
  return WEFT_OK;
}

/// Maps the new file under its temporary name; finish() renames it. The caller destroys *out, even on failure.
static weft_status create_new(weft_npy **out, const char *file, weft_dtype dtype, weft_shape shape) {
  int64_t size;
  weft_npy *npy;
  WEFT__TRY_RETURN(check_file(file));
  if (!weft__dtype(dtype))
    return weft__fail(WEFT_ERROR_DTYPE, "dtype", "`dtype` is %d, which is no weft_dtype", (int)dtype);
  WEFT__TRY_RETURN(weft__shape_check(&size, shape, dtype, "shape"));
  if (!(*out = npy = make())) return WEFT_ERROR_HOST_MEMORY;
  npy->writable = true;
  npy->header =
      (weft__npy_header){.dtype = dtype, .shape = shape, .size_bytes = (uint64_t)size * weft_dtype_size_bytes(dtype)};
  const int why = weft__new_file_begin(&npy->file, AT_FDCWD, file, WEFT__FILES_ONLY);
  if (why) return why == WEFT__NOT_A_FILE ? fail_no_file(file) : fail_new(npy, file, why);
  return fill_new(npy, file);
}

static weft_status finish(weft_npy *npy, const char *file) {
  const int why = weft__new_file_end(&npy->file, true);
  return why ? fail_new(npy, file, why) : WEFT_OK;
}

weft_status weft__npy_create_at(weft_npy **out, const char *file, weft_dtype dtype, weft_shape shape,
                                const char *site) {
  weft_npy *npy = NULL;
  weft_status rc;
  weft__enter("weft_npy_create", site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(create_new(&npy, file, dtype, shape));
  WEFT__TRY(finish(npy, file));
  hand_out(out, npy, site);
done:
  if (rc) destroy(npy);
  return weft__leave(rc);
}

weft_status weft_npy_flush(weft_npy *npy) {
  int result;
  weft_status rc;
  weft__enter("weft_npy_flush", NULL);
  WEFT__TRY(weft__handle_check(npy, WEFT__MAGIC_NPY, "npy"));
  do result = npy->writable ? msync(npy->map, npy->map_bytes, MS_SYNC) : 0;
  while (result != 0 && errno == EINTR);
  if (result != 0) rc = weft__fail(WEFT_ERROR_FILE, "npy", "cannot write to the disk: %s", strerror(errno));
done:
  return weft__leave(rc);
}

WEFT__DEFINE_RELEASE(weft_npy, WEFT__MAGIC_NPY, destroy)

/* ---- properties ---- */

weft_dtype weft_npy_dtype(const weft_npy *npy) {
  return weft__handle_is(npy, WEFT__MAGIC_NPY) ? npy->header.dtype : WEFT_DTYPE_NONE;
}

weft_shape weft_npy_shape(const weft_npy *npy) {
  return weft__handle_is(npy, WEFT__MAGIC_NPY) ? npy->header.shape : WEFT_SHAPE_0D;
}

void *weft_npy_data(const weft_npy *npy) {
  return weft__handle_is(npy, WEFT__MAGIC_NPY) ? npy->map + npy->header.offset_bytes : NULL;
}

/* the data is NULL, which every call refuses, for an invalid handle and for a read-only result */

weft_host weft_npy_operand(const weft_npy *npy) {
  if (!weft__handle_is(npy, WEFT__MAGIC_NPY)) return WEFT_HOST(NULL, WEFT_U8, WEFT_SHAPE(1));
  return WEFT_HOST(weft_npy_data(npy), npy->header.dtype, npy->header.shape);
}

weft_host_out weft_npy_result(weft_npy *npy) {
  if (!weft__handle_is(npy, WEFT__MAGIC_NPY)) return WEFT_HOST_OUT(NULL, WEFT_U8, WEFT_SHAPE(1));
  return WEFT_HOST_OUT(npy->writable ? weft_npy_data(npy) : NULL, npy->header.dtype, npy->header.shape);
}

/* ---- whole arrays ---- */

/// The file holds the elements of the transposed array in C order.
static weft_status load_fortran(weft_array **out, weft_context *context, const weft_npy *npy, const char *site) {
  weft_array *transposed = NULL;
  weft_status rc;
  WEFT__TRY(weft__array_of(&transposed, context, npy->header.dtype, weft__elements_shape(&npy->header),
                           weft_npy_data(npy), site));
  rc = weft__elements_place(out, &npy->header, transposed, site);
done:
  weft_array_release(&transposed);
  return rc;
}

/// The source of elements that is the mapped file; `user` is the place of the next one.
static weft_status copy_mapped(void *user, void *bytes, size_t count) {
  const char **next = user;
  memcpy(bytes, *next, count);
  *next += count;
  return WEFT_OK;
}

static weft_status load_swapped(weft_array **out, weft_context *context, const weft_npy *npy, const char *site) {
  const char *next = weft_npy_data(npy);
  return weft__elements_read(out, context, &npy->header, copy_mapped, &next, site);
}

weft_status weft__npy_load_at(weft_array **out, weft_context *context, const char *file, const char *site) {
  weft_npy *npy = NULL;
  weft_status rc;
  weft__enter("weft_npy_load", site);
  WEFT__NEED(out);
  WEFT__TRY(weft__array_context(&context, context, out));
  WEFT__TRY(open_existing(&npy, file));
  if (npy->header.is_swapped)
    rc = load_swapped(out, context, npy, site);
  else if (npy->header.is_fortran)
    rc = load_fortran(out, context, npy, site);
  else
    rc = weft__from_host_at(out, context, npy->header.dtype, npy->header.shape, weft_npy_data(npy), site);
done:
  destroy(npy);
  return weft__leave(weft__while(rc, "loading `%s`", file ? file : "NULL"));
}

weft_status weft__npy_save_at(const char *file, const weft_array *x, const char *site) {
  weft_npy *npy = NULL;
  weft_status rc;
  weft__enter("weft_npy_save", site);
  WEFT__TRY(weft__array_check(x, "x"));
  WEFT__TRY(create_new(&npy, file, x->dtype, weft__array_shape(x)));
  WEFT__TRY(weft__to_host_at(weft_npy_data(npy), (size_t)npy->header.size_bytes, x, site));
  rc = finish(npy, file);
done:
  destroy(npy);
  return weft__leave(rc);
}
