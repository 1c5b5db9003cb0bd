// SPDX-License-Identifier: MIT
/// .npy files by MPI-IO: each rank reads or writes its part.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dist/dist_array.h"

/* MPI counts in ints. */
#define PIECE_BYTES ((int64_t)1 << 30)

static weft_status file_failed(int code, const char *call, const char *file) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return weft__dist_fail(WEFT_ERROR_FILE, "file", "%s: %s: %s", file, call, text);
}

/// The rows of `axis` in the file are runs of bytes, one for each index of the axes before it.
typedef struct layout {
  int64_t runs, run_bytes;       /* of this rank's part */
  int64_t apart_bytes, at_bytes; /* from run to run in the file; of the first one */
} layout;

static layout layout_of(weft_dtype dtype, weft_shape shape, int axis, int64_t first, int64_t count) {
  layout l = {.runs = 1};
  int64_t below = (int64_t)weft_dtype_size_bytes(dtype);
  if (axis == WEFT_DIST_WHOLE) {
    for (int d = 0; d < shape.ndim; d++) below *= shape.dim[d];
    l.run_bytes = l.apart_bytes = below;
    return l;
  }
  for (int d = axis + 1; d < shape.ndim; d++) below *= shape.dim[d];
  for (int d = 0; d < axis; d++) l.runs *= shape.dim[d];
  l.run_bytes = count * below;
  l.apart_bytes = shape.dim[axis] * below;
  l.at_bytes = first * below;
  return l;
}

/// Reads or writes this rank's runs. Not collective calls: ranks may have different numbers of pieces.
static int transfer(MPI_File file, const layout *l, uint64_t offset_bytes, char *data, bool writes) {
  for (int64_t k = 0; k < l->runs; k++)
    for (int64_t at = 0; at < l->run_bytes; at += PIECE_BYTES) {
      const int64_t left = l->run_bytes - at;
      const int bytes = (int)(left < PIECE_BYTES ? left : PIECE_BYTES);
      const MPI_Offset place = (MPI_Offset)offset_bytes + k * l->apart_bytes + l->at_bytes + at;
      MPI_Status status;
      int got = 0;
      const int code = writes ? MPI_File_write_at(file, place, data + k * l->run_bytes + at, bytes, MPI_BYTE, &status)
                              : MPI_File_read_at(file, place, data + k * l->run_bytes + at, bytes, MPI_BYTE, &status);
      if (code) return code;
      MPI_Get_count(&status, MPI_BYTE, &got);
      if (got != bytes) return MPI_ERR_IO;
    }
  return 0;
}

/// Moves this rank's part. Each rank opens the file for itself, as nothing here is to wait for a rank that fails: to
/// open, sync and close a file of several ranks, all have to come.
static weft_status move_part(weft_dist *grid, const weft__dist_call *call, const char *file, const layout *l,
                             uint64_t offset_bytes, weft_array *local, bool writes) {
  weft__dist_bytes bytes = {0};
  MPI_File handle = MPI_FILE_NULL;
  weft_status rc = weft__dist_bytes_begin(&bytes, grid, local, !writes);
  WEFT__TRY(weft__dist_rendezvous(grid, call, rc));
  int code =
      MPI_File_open(MPI_COMM_SELF, (char *)file, writes ? MPI_MODE_WRONLY : MPI_MODE_RDONLY, MPI_INFO_NULL, &handle);
  rc = code ? file_failed(code, "MPI_File_open", file) : WEFT_OK;
  WEFT__TRY(weft__dist_rendezvous(grid, call, rc));
  if (bytes.data && (code = transfer(handle, l, offset_bytes, bytes.data, writes)))
    rc = file_failed(code, writes ? "MPI_File_write_at" : "MPI_File_read_at", file);
  if (rc == WEFT_OK && writes && (code = MPI_File_sync(handle))) rc = file_failed(code, "MPI_File_sync", file);
  if ((code = MPI_File_close(&handle)) && rc == WEFT_OK) rc = file_failed(code, "MPI_File_close", file);
  rc = weft__dist_rendezvous(grid, call, rc);
done:
  if (handle != MPI_FILE_NULL) MPI_File_close(&handle);
  return weft__dist_bytes_end(&bytes, rc);
}

/// The shape and the place of the rows to read, in place of the whole file.
static weft_status choose_rows(weft_npy_info *info, const char *file, const weft_dist_load_params *p) {
  int64_t row_bytes = (int64_t)weft_dtype_size_bytes(info->dtype);
  if (p->first == 0 && p->count == 0) return WEFT_OK;
  const int64_t rows = info->shape.ndim > 0 ? info->shape.dim[0] : 0;
  if (p->first < 0 || p->count < 0 || p->first > rows || p->count > rows - p->first)
    return weft__dist_fail(WEFT_ERROR_INDEX, "first", "`.first` is %lld and `.count` %lld; %s has %lld rows",
                           (long long)p->first, (long long)p->count, file, (long long)rows);
  for (int d = 1; d < info->shape.ndim; d++) row_bytes *= info->shape.dim[d];
  info->shape.dim[0] = p->count ? p->count : rows - p->first;
  info->offset_bytes += (uint64_t)(p->first * row_bytes);
  return WEFT_OK;
}

/// An array for the file's part, and where it stands in the file.
static weft_status prepare_load(weft_dist_array **x, weft_npy_info *info, weft_dist *grid, const char *file, int axis,
                                const weft_dist_load_params *p) {
  if (!file) return weft__dist_fail(WEFT_ERROR_ARGUMENT, "file", "`file` is NULL");
  WEFT__TRY_RETURN(weft_npy_get(info, file));
  if (info->is_fortran || info->is_swapped)
    return weft__dist_fail(WEFT_ERROR_UNSUPPORTED, "file",
                           "%s has %s; expected C's order and this machine's: numpy.save of "
                           "numpy.ascontiguousarray(x).astype(x.dtype.newbyteorder('='))",
                           file, info->is_fortran ? "Fortran's order" : "swapped bytes");
  WEFT__TRY_RETURN(choose_rows(info, file, p));
  WEFT__TRY_RETURN(weft__dist_check_axis(&axis, info->shape, true));
  return weft__dist_new_array(x, grid, info->dtype, info->shape, axis, p->site);
}

weft_status weft__dist_load_at(weft_dist_array **out, weft_dist *grid, const char *file, int axis,
                               const weft_dist_load_params *params) {
  const weft_dist_load_params p = params ? *params : (weft_dist_load_params){0};
  weft__dist_call call = {.function = "weft_dist_load",
                          .site = p.site,
                          .numbers = {axis, p.first, p.count},
                          .text = file,
                          .has_files = true};
  weft_npy_info info = {0};
  weft_dist_array *x = NULL;
  weft_status rc;
  weft__dist_enter("weft_dist_load", p.site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check_grid(grid));
  rc = prepare_load(&x, &info, grid, file, axis, &p);
  call.dtype = info.dtype;
  call.shape = info.shape;
  WEFT__TRY(weft__dist_rendezvous(grid, &call, rc));
  const layout l = layout_of(info.dtype, info.shape, x->axis, x->first, x->count);
  WEFT__TRY(move_part(grid, &call, file, &l, info.offset_bytes, x->local, false));
  *out = x;
  x = NULL;
done:
  weft_dist_array_release(&x);
  return weft__dist_leave(rc);
}

/// On rank 0: a file of the right size with its header, for all ranks to write to.
static weft_status make_file(const char *file, weft_dtype dtype, weft_shape shape) {
  weft_npy *npy = NULL;
  WEFT__TRY_RETURN(weft_npy_create(&npy, file, dtype, shape));
  const weft_status rc = weft_npy_flush(npy);
  weft_npy_release(&npy);
  return rc;
}

weft_status weft__dist_save_at(const char *file, const weft_dist_array *x, const char *site) {
  weft_npy_info info = {0};
  char *part = NULL;
  bool is_made = false;
  weft_status rc;
  weft__dist_enter("weft_dist_save", site);
  WEFT__TRY(weft__dist_check(x, "x"));
  weft_dist *grid = x->grid;
  weft__dist_call call = weft__dist_call_of("weft_dist_save", site, x);
  call.text = file;
  call.has_files = true;
  const size_t length = file ? strlen(file) + 8 : 1;
  part = weft__dist_new(length, 1);
  rc = !part ? WEFT_ERROR_HOST_MEMORY : file ? WEFT_OK : weft__dist_fail(WEFT_ERROR_ARGUMENT, "file", "`file` is NULL");
  if (rc == WEFT_OK) snprintf(part, length, "%s.part", file);
  if (rc == WEFT_OK && grid->rank == 0) {
    rc = make_file(part, weft_array_dtype(x->local), x->shape);
    is_made = rc == WEFT_OK;
  }
  WEFT__TRY(weft__dist_rendezvous(grid, &call, rc));
  rc = weft_npy_get(&info, part);
  WEFT__TRY(weft__dist_rendezvous(grid, &call, rc));
  const bool is_mine = x->axis != WEFT_DIST_WHOLE || grid->rank == 0; /* of a whole array rank 0 writes all */
  layout l = layout_of(info.dtype, x->shape, x->axis, x->first, x->count);
  if (!is_mine) l.runs = 0;
  WEFT__TRY(move_part(grid, &call, part, &l, info.offset_bytes, x->local, true));
  if (grid->rank == 0 && rename(part, file))
    rc = weft__dist_fail(WEFT_ERROR_FILE, "file", "%s cannot be renamed to %s", part, file);
  is_made = is_made && rc;
  rc = weft__dist_rendezvous(grid, &call, rc);
done:
  if (is_made && rc) unlink(part);
  free(part);
  return weft__dist_leave(rc);
}
