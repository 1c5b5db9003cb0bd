// SPDX-License-Identifier: MIT
/// The object of a sparse matrix, and its parts.
#include "op/sparse/csr.h"

#include <inttypes.h>

#include "cl/sparse/args.h"
#include "dtype/opencl.h"
#include "op/sparse/tuning.h"
#include "store/kernel_set.h"

/* ---- sizes ---- */

weft_status weft__csr_check(const weft_csr *matrix) {
  WEFT__TRY_RETURN(weft__handle_check(matrix, WEFT__MAGIC_CSR, "matrix"));
  return weft__context_check(matrix->context);
}

weft_status weft__csr_check_shape(weft_shape shape) {
  if (shape.ndim != 2)
    return weft__fail(WEFT_ERROR_SHAPE, "shape", "`shape` has %d %s; expected 2, rows and columns: WEFT_SHAPE(m, n)",
                      shape.ndim, shape.ndim == 1 ? "axis" : "axes");
  for (int d = 0; d < 2; d++)
    if (shape.dim[d] < 0)
      return weft__fail(WEFT_ERROR_SHAPE, "shape", "`shape` has length %" PRId64 " in axis %d; expected 0 or more",
                        shape.dim[d], d);
  if (shape.dim[1] > 0 && shape.dim[0] > (INT64_MAX - 1) / shape.dim[1])
    return weft__fail(WEFT_ERROR_OVERFLOW, "shape",
                      "`shape` has %" PRId64 " rows of %" PRId64 " elements; expected less than 2^63 - 1 in all",
                      shape.dim[0], shape.dim[1]);
  if (shape.dim[0] == INT64_MAX)
    return weft__fail(WEFT_ERROR_OVERFLOW, "shape", "`shape` has 2^63 - 1 rows; `indptr` would have 2^63 elements");
  return WEFT_OK;
}

weft_dtype weft__csr_index_dtype(int64_t rows, int64_t columns, int64_t count) {
  return rows < INT32_MAX && columns <= INT32_MAX && count <= INT32_MAX ? WEFT_I32 : WEFT_I64;
}

/* ---- tiles ---- */

weft__csr_tiling weft__csr_tiling_of(const weft_context *context) {
  const weft_device_info *device = &context->core.device->info;
  const bool is_small =
      device->type == WEFT_DEVICE_TYPE_CPU || device->local_memory_bytes < WEFT__CSR_SMALL_LOCAL_BYTES;
  const int block = is_small ? WEFT__CSR_SMALL_BLOCK : WEFT__GPU_BLOCK;
  return (weft__csr_tiling){WEFT__CSR_ITEMS * block, block};
}

bool weft__csr_host_computes(const weft_context *context) {
  return context->store.is_cpu;
}

static void write_index(weft__text *text, const void *data) {
  weft__text_add(text, "#define S_INDEX %s\n", weft__cl_stored((weft_dtype) * (const uint8_t *)data));
}

weft_status weft__csr_tiles_create(weft_array **tiles, weft_context *context, int64_t rows, int64_t count,
                                   const char *site) {
  const uint64_t tile = (uint64_t)weft__csr_tiling_of(context).tile;
  return weft__array_create(tiles, context, WEFT_I64,
                            WEFT_SHAPE((int64_t)weft_ceil_div((uint64_t)rows + (uint64_t)count, tile) + 1), site);
}

static weft_status find_tiles(weft_array *tiles, const weft_array *indptr, const char *site) {
  static const char *const names[] = {"weft_csr_tiles"};
  const weft__csr_tiling tiling = weft__csr_tiling_of(indptr->context);
  const uint8_t index = (uint8_t)indptr->dtype;
  const weft__csr_args args = {.first = (uint64_t)tiles->offset_bytes,
                               .indptr = (uint64_t)indptr->offset_bytes,
                               .rows = (uint64_t)indptr->size - 1,
                               .tiles = (uint64_t)tiles->size - 1,
                               .tile = (uint64_t)tiling.tile};
  weft__kernel *kernel;
  WEFT__TRY_RETURN(weft__kernels_get(
      &kernel, &indptr->context->store,
      &(weft__kernel_source){
          .name = "sparse",
          .key = {.file = "sparse/tiles.cl", .kernel = names, .kernels = 1, WEFT__KEY_BYTES(uint8_t, &index)},
          .write = write_index}));
  const weft__use use[] = {{tiles->storage, true}, {indptr->storage, false}};
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(weft_ceil_div(args.tiles + 1, WEFT__GPU_BLOCK)),
                                              WEFT_DIM3(WEFT__GPU_BLOCK), &args, sizeof args, 2, use,
                                              .what = "csr tiles", .site = site});
}

weft_status weft__csr_tiles_of(weft_array **tiles, const weft_csr *matrix, const char *site) {
  if (matrix->tiles) {
    *tiles = weft_array_retain(matrix->tiles);
    return WEFT_OK;
  }
  WEFT__TRY_RETURN(weft__csr_tiles_create(tiles, matrix->context, matrix->rows, matrix->data->size, site));
  return find_tiles(*tiles, matrix->indptr, site);
}

/* ---- the object ---- */

static void destroy(weft_csr *m) {
  weft__ledger_remove(&m->context->core.ledger, &m->entry);
  weft_array_release(&m->tiles);
  weft_array_release(&m->indptr);
  weft_array_release(&m->indices);
  weft_array_release(&m->data);
  weft_context_release(&m->context);
  weft__object_free(&m->object);
}

WEFT__DEFINE_COUNTED(weft_csr, WEFT__MAGIC_CSR, destroy)

weft_status weft__csr_make(weft_csr **out, int64_t rows, int64_t columns, weft_array **indptr, weft_array **indices,
                           weft_array **data, const char *site) {
  weft_array *tiles = NULL;
  weft_status rc;
  if (!weft__csr_host_computes((*data)->context)) {
    WEFT__TRY(weft__csr_tiles_create(&tiles, (*data)->context, rows, (*data)->size, site));
    WEFT__TRY(find_tiles(tiles, *indptr, site));
  }
  rc = weft__csr_make_tiled(out, rows, columns, indptr, indices, data, &tiles, site);
done:
  weft_array_release(&tiles);
  return rc;
}

weft_status weft__csr_make_tiled(weft_csr **out, int64_t rows, int64_t columns, weft_array **indptr,
                                 weft_array **indices, weft_array **data, weft_array **tiles, const char *site) {
  static const char indices_of[] = "it has the places of a sparse matrix's elements";
  weft_csr *m = weft__new(sizeof *m);
  if (!m) return WEFT_ERROR_HOST_MEMORY;
  weft__object_begin(&m->object, WEFT__MAGIC_CSR, (*data)->context->object.generation);
  m->context = weft_context_retain((*data)->context);
  m->rows = rows;
  m->columns = columns;
  weft_array **given[] = {indptr, indices, data, tiles}, **part[] = {&m->indptr, &m->indices, &m->data, &m->tiles};
  for (int k = 0; k < 4; k++) {
    *part[k] = *given[k];
    *given[k] = NULL;
    if (*part[k]) weft__scope_leave(*part[k]);
  }
  weft__ledger_add(&m->context->core.ledger, &m->entry, WEFT__LEDGER_CSR, m, 0, site);
  m->indptr->storage->read_only = m->indices->storage->read_only = indices_of;
  *out = m;
  return WEFT_OK;
}

weft_status weft_csr_get(weft_csr_info *info, const weft_csr *matrix) {
  weft_status rc;
  weft__enter("weft_csr_get", NULL);
  WEFT__NEED(info);
  WEFT__TRY(weft__handle_check(matrix, WEFT__MAGIC_CSR, "matrix"));
  *info =
      (weft_csr_info){matrix->rows, matrix->columns, matrix->data->size, matrix->data->dtype, matrix->indices->dtype};
done:
  return weft__leave(rc);
}

weft_status weft__csr_parts_at(weft_array **indptr, weft_array **indices, weft_array **data, const weft_csr *matrix,
                               const char *site) {
  static const char *const names[] = {"indptr", "indices", "data"};
  weft_array **const out[] = {indptr, indices, data};
  weft_array *part[3] = {NULL};
  weft_status rc;
  weft__enter("weft_csr_parts", site);
  WEFT__TRY(weft__csr_check(matrix));
  for (int k = 0; k < 3; k++) {
    if (out[k] && *out[k]) WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, names[k], "`*%s` " WEFT__NOT_NULL, names[k]));
    for (int other = 0; other < k; other++)
      if (out[k] && out[k] == out[other])
        WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, names[k], "`%s` and `%s` are the same handle; expected two",
                             names[other], names[k]));
  }
  const weft_array *const own[] = {matrix->indptr, matrix->indices, matrix->data};
  for (int k = 0; k < 3; k++)
    if (out[k]) WEFT__TRY(weft__array_view(&part[k], own[k], site));
  for (int k = 0; k < 3; k++) {
    if (out[k]) *out[k] = part[k];
    part[k] = NULL;
  }
done:
  for (int k = 0; k < 3; k++) weft_array_release(&part[k]);
  return weft__leave(rc);
}
