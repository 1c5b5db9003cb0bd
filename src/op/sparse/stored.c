// SPDX-License-Identifier: MIT
/// Rows and columns of a sparse matrix's elements: on GPUs cl/sparse/rows.cl, else steps of the host.
#include "op/sparse/stored.h"

#include <stdlib.h>

#include "cl/sparse/args.h"
#include "dtype/opencl.h"
#include "map/cast.h"
#include "op/sparse/csr.h"
#include "op/sparse/tuning.h"
#include "store/kernel_set.h"

enum { ROWS, COO, ORDER, DENSE };

typedef struct rows_key {
  uint8_t index, unit;
  uint8_t given, given_rows; /* dtypes, or NONE */
} rows_key;

static void write_key(weft__text *text, const void *data) {
  const rows_key *key = data;
  const bool is_long = key->index == WEFT_I64;
  weft__text_add(text, "#define S_INDEX %s\n#define S_WIDE %d\n#define S_RAW %s\n#define S_UNIT %s\n",
                 is_long ? "long" : "int", is_long ? 2 : 4, is_long ? "ulong2" : "uint4", weft__cl_raw(key->unit));
  if (key->given != WEFT_DTYPE_NONE)
    weft__text_add(text, "#define S_GIVEN %s\n#define S_STARTS %s\n", weft__cl_stored((weft_dtype)key->given),
                   weft__cl_stored((weft_dtype)key->given_rows));
}

/// Elements of a thread of a block (cl/sparse/block.clh).
static uint64_t gpu_chunk(uint64_t elements) {
  return elements < WEFT__CSR_MANY ? WEFT__CSR_CHUNK : 2 * WEFT__CSR_CHUNK;
}

/// Launches a kernel over args->elements; `unit`: the bytes of an element.
static weft_status run(int which, const weft_array *indptr, size_t unit, weft__csr_rows_args *args, int uses,
                       const weft__use *use, const char *site) {
  static const char *const names[] = {"weft_csr_rows", "weft_csr_coo", "weft_csr_order", "weft_csr_dense"};
  const rows_key key = {(uint8_t)indptr->dtype, (uint8_t)unit, WEFT_DTYPE_NONE, WEFT_DTYPE_NONE};
  weft_context *context = indptr->context;
  weft__kernel *kernel;
  args->chunk = which > ORDER ? 1 : gpu_chunk(args->elements);
  WEFT__TRY_RETURN(weft__kernels_get(
      &kernel, &context->store,
      &(weft__kernel_source){
          .name = "sparse",
          .key = {.file = "sparse/rows.cl", .kernel = &names[which], .kernels = 1, WEFT__KEY_BYTES(rows_key, &key)},
          .write = write_key}));
  const uint64_t items = weft_ceil_div(args->elements, args->chunk);
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(weft_ceil_div(items, WEFT__GPU_BLOCK)),
                                              WEFT_DIM3(WEFT__GPU_BLOCK), args, sizeof *args, uses, use,
                                              .what = "csr rows", .site = site});
}

static uint64_t offset_of(const weft_array *x) {
  return (uint64_t)x->offset_bytes;
}

weft_status weft__csr_rows_into(weft_array *to, const weft_array *indptr, const char *site) {
  weft__csr_rows_args args = {.indptr = offset_of(indptr),
                              .to = offset_of(to),
                              .rows = (uint64_t)indptr->size - 1,
                              .elements = (uint64_t)to->size};
  const weft__use use[] = {{to->storage, true}, {indptr->storage, false}};
  if (to->size > 0 && weft__csr_host_computes(to->context)) return weft__csr_rows_host(to, indptr, site);
  return to->size ? run(ROWS, indptr, 4, &args, 2, use, site) : WEFT_OK;
}

weft_status weft__csr_coo_into(weft_array *rows, weft_array *columns, weft_array *values, const weft__csr_elements *m,
                               const char *site) {
  if (values->size == 0) return WEFT_OK;
  weft__csr_rows_args args = {.indptr = offset_of(m->indptr),
                              .indices = offset_of(m->indices),
                              .values = offset_of(m->data),
                              .counts = offset_of(values),
                              .to = offset_of(rows),
                              .to_indices = offset_of(columns),
                              .rows = (uint64_t)m->indptr->size - 1,
                              .elements = (uint64_t)values->size};
  const weft__use use[] = {{rows->storage, true},       {columns->storage, true},     {values->storage, true},
                           {m->indptr->storage, false}, {m->indices->storage, false}, {m->data->storage, false}};
  return run(COO, m->indptr, weft_dtype_size_bytes(values->dtype), &args, 6, use, site);
}

/// Sets *falls to 1 if the indices of a row do not rise.
static weft_status find_falls(weft_array *falls, const weft_array *indptr, const weft_array *indices,
                              const char *site) {
  weft__csr_rows_args args = {.indptr = offset_of(indptr),
                              .indices = offset_of(indices),
                              .to = offset_of(falls),
                              .rows = (uint64_t)indptr->size - 1,
                              .elements = (uint64_t)indices->size};
  const weft__use use[] = {{falls->storage, true}, {indptr->storage, false}, {indices->storage, false}};
  WEFT__TRY_RETURN(weft__fill(falls, WEFT_SCALAR(0), site));
  return run(ORDER, indptr, 4, &args, 3, use, site);
}

weft_status weft__csr_is_ordered(bool *is_ordered, const weft_array *indptr, const weft_array *indices,
                                 const char *site) {
  weft_array *falls = NULL;
  int32_t has_fallen = 0;
  weft_status rc = WEFT_OK;
  if (indices->size > 0) {
    WEFT__TRY(weft__array_create(&falls, indptr->context, WEFT_I32, WEFT_SHAPE_0D, site));
    if (weft__csr_host_computes(indptr->context))
      WEFT__TRY(weft__csr_order_host(falls, indptr, indices, site));
    else
      WEFT__TRY(find_falls(falls, indptr, indices, site));
    WEFT__TRY(weft__array_read(&has_fallen, falls, true, site));
  }
  *is_ordered = has_fallen == 0;
done:
  weft_array_release(&falls);
  return rc;
}

weft_status weft__csr_copy_checked(bool *is_matrix, bool *is_ordered, const weft__csr_copies *to,
                                   weft_array *const given[3], int64_t columns, const char *site) {
  static const char *const names[] = {"weft_csr_check"};
  weft_context *context = to->data->context;
  const rows_key key = {(uint8_t)to->indptr->dtype, (uint8_t)weft_dtype_size_bytes(to->data->dtype),
                        (uint8_t)given[1]->dtype, (uint8_t)given[0]->dtype};
  const uint64_t elements = (uint64_t)to->data->size, starts = (uint64_t)to->indptr->size;
  const uint64_t most = elements > starts ? elements : starts, chunk = gpu_chunk(elements);
  const uint64_t blocks = weft_ceil_div(most, chunk * WEFT__GPU_BLOCK);
  weft_array *found = NULL;
  uint8_t *flags = NULL, all = 0;
  weft__kernel *kernel;
  weft_status rc;
  WEFT__TRY(weft__array_create(&found, context, WEFT_U8, WEFT_SHAPE((int64_t)blocks), site));
  flags = malloc(blocks);
  if (!flags) WEFT__TRY(weft__fail_host_memory(blocks));
  const weft__csr_check_args args = {.found = offset_of(found),
                                     .to_indptr = offset_of(to->indptr),
                                     .to_indices = offset_of(to->indices),
                                     .to_values = offset_of(to->data),
                                     .first = offset_of(to->tiles),
                                     .indptr = offset_of(given[0]),
                                     .indices = offset_of(given[1]),
                                     .values = offset_of(given[2]),
                                     .rows = starts - 1,
                                     .columns = (uint64_t)columns,
                                     .elements = elements,
                                     .tiles = (uint64_t)to->tiles->size - 1,
                                     .tile = (uint64_t)weft__csr_tiling_of(context).tile,
                                     .chunk = chunk};
  const weft__use use[] = {{found->storage, true},     {to->indptr->storage, true}, {to->indices->storage, true},
                           {to->data->storage, true},  {to->tiles->storage, true},  {given[0]->storage, false},
                           {given[1]->storage, false}, {given[2]->storage, false}};
  WEFT__TRY(weft__kernels_get(
      &kernel, &context->store,
      &(weft__kernel_source){
          .name = "sparse",
          .key = {.file = "sparse/check.cl", .kernel = names, .kernels = 1, WEFT__KEY_BYTES(rows_key, &key)},
          .write = write_key}));
  WEFT__TRY(weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks), WEFT_DIM3(WEFT__GPU_BLOCK), &args,
                                                 sizeof args, 8, use, .what = "csr check", .site = site}));
  WEFT__TRY(weft__array_read(flags, found, true, site));
  for (uint64_t k = 0; k < blocks; k++) all |= flags[k];
  *is_matrix = !(all & 1); /* IS_BAD and FALLS of the kernel */
  *is_ordered = !(all & 2);
done:
  weft_array_release(&found);
  free(flags);
  return rc;
}

weft_status weft__csr_dense_into(weft_array *to, const weft__csr_elements *m, const char *site) {
  weft__csr_rows_args args = {.indptr = offset_of(m->indptr),
                              .indices = offset_of(m->indices),
                              .values = offset_of(m->data),
                              .to = offset_of(to),
                              .rows = (uint64_t)m->indptr->size - 1,
                              .columns = (uint64_t)to->shape[1],
                              .elements = (uint64_t)m->data->size};
  const weft__use use[] = {
      {to->storage, true}, {m->indptr->storage, false}, {m->indices->storage, false}, {m->data->storage, false}};
  if (m->data->size == 0) return WEFT_OK;
  if (weft__csr_host_computes(to->context)) return weft__csr_dense_host(to, m, site);
  return run(DENSE, m->indptr, weft_dtype_size_bytes(to->dtype), &args, 4, use, site);
}

/* ---- sorting by counting ---- */

bool weft__csr_counting_pays(const weft_context *context, int64_t rows, int64_t columns, int64_t count) {
  return weft__csr_host_computes(context) && count > 0 && count <= INT32_MAX && rows < INT32_MAX &&
         columns < INT32_MAX && rows / WEFT__CSR_COLUMNS_PER_COUNT <= count &&
         columns / WEFT__CSR_COLUMNS_PER_COUNT <= count;
}
