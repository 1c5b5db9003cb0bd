// SPDX-License-Identifier: MIT
/// CPUs: rows divided by the element of one rank, and the least or greatest elements of rows: cl/sort/divide.cl. The
/// floor is two reads of the elements, for the rank's one and to move them, and one write.
#include "op/sort/rows.h"

#define ITEMS_PER_CORE 8  /* for many rows */
#define CHUNKS_PER_CORE 4 /* of a long row: some cores may be busy with other work */

enum { GIVES_ELEMENTS, GIVES_POSITIONS, GIVES_BOTH, GIVES_ONE }; /* DIVIDE_GIVES */

typedef struct divide_key {
  uint8_t key_bytes, kind, is_long, gives;
} divide_key;

static void write_defines(weft__text *text, const void *data) {
  const divide_key *key = data;
  weft__text_add(text,
                 "#define SORT_KEY_BYTES %d\n#define SORT_KIND %d\n#define DIVIDE_LONG %d\n#define DIVIDE_GIVES %d\n",
                 key->key_bytes, key->kind, key->is_long, key->gives);
}

bool weft__divide_works(const weft_array *x, uint64_t length) {
  const size_t bytes = weft_dtype_size_bytes(x->dtype);
  return x->context->store.is_cpu && weft_dtype_kind(x->dtype) != 'c' && (bytes == 4 || bytes == 8) &&
         length <= INT32_MAX;
}

static weft_status launch(weft__kernel *kernel, const weft__divide *d, const weft__divide_args *a, uint64_t items,
                          int uses, const weft__use *use) {
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(items), WEFT_DIM3(1), a, sizeof *a, uses, use,
                                              .what = d->what, .site = d->site});
}

static weft_status divide_rows(const weft__divide *d, weft__divide_args *a, weft__kernel_source *source,
                               const weft__use to[2]) {
  static const char *const names[] = {"weft_divide_rows"};
  const uint64_t cores = d->from->context->core.device->info.compute_units;
  const weft__use use[] = {{d->from->storage, false}, to[0], to[1]};
  weft__kernel *kernel;
  source->key.kernel = names;
  source->key.kernels = 1;
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &d->from->context->store, source));
  a->share = weft_ceil_div(a->rows, (cores ? cores : 1) * ITEMS_PER_CORE);
  return launch(kernel, d, a, weft_ceil_div(a->rows, a->share), 3, use);
}

/// One row after the other, each with all cores.
static weft_status divide_long(const weft__divide *d, weft__divide_args *a, weft__kernel_source *source,
                               const weft__use to[2]) {
  static const char *const names[] = {"weft_divide_bounds", "weft_divide_gather", "weft_divide_find",
                                      "weft_divide_chunks"};
  weft_context *context = d->from->context;
  const uint64_t cores = context->core.device->info.compute_units, results = a->taken ? a->taken : a->length;
  weft__kernel *kernel[4];
  weft_array *state = NULL, *spare = NULL;
  weft_status rc;
  source->key.kernel = names;
  source->key.kernels = d->finds ? 3 : 4;
  WEFT__TRY(weft__kernels_get(kernel, &context->store, source));
  a->share = weft_ceil_div(a->length, (cores ? cores : 1) * CHUNKS_PER_CORE);
  a->chunks = (uint32_t)weft_ceil_div(a->length, a->share);
  WEFT__TRY(weft__array_create(&state, context, WEFT_U64,
                               WEFT_SHAPE(WEFT__DIVIDE_FOUND + WEFT__DIVIDE_COUNTS * (int64_t)a->chunks), d->site));
  WEFT__TRY(weft__array_create(&spare, context, d->from->dtype,
                               WEFT_SHAPE((int64_t)(a->chunks * (a->share + WEFT__DIVIDE_SLACK))), d->site));
  const weft__use from = {d->from->storage, false}, between = {spare->storage, true}, found = {state->storage, true};
  const weft__use bounds[] = {from, found}, gather[] = {from, between, found, to[0]},
                  chunks[] = {from, found, to[0], to[1]};
  for (uint64_t row = 0; row < d->rows; row++) {
    WEFT__TRY(launch(kernel[0], d, a, 1, 2, bounds));
    WEFT__TRY(launch(kernel[1], d, a, a->chunks, 3, gather));
    WEFT__TRY(launch(kernel[2], d, a, 1, 4, gather));
    if (!d->finds) WEFT__TRY(launch(kernel[3], d, a, a->chunks, 4, chunks));
    a->from += a->length * weft_dtype_size_bytes(d->from->dtype);
    a->to += d->to ? results * weft_dtype_size_bytes(d->to->dtype) : 0;
    a->numbers += d->numbers ? results * weft_dtype_size_bytes(d->numbers->dtype) : 0;
  }
  rc = WEFT_OK;
done:
  weft_array_release(&state);
  weft_array_release(&spare);
  return rc;
}

weft_status weft__divide_run(const weft__divide *d) {
  const weft_dtype dtype = d->from->dtype;
  const bool is_long = weft__nth_pays(d->from, d->rows, d->length, 1);
  const divide_key key = {(uint8_t)weft_dtype_size_bytes(dtype), weft_dtype_kind(dtype) == 'f', is_long,
                          d->finds   ? GIVES_ONE
                          : d->taken ? GIVES_BOTH
                          : d->to    ? GIVES_ELEMENTS
                                     : GIVES_POSITIONS};
  weft__kernel_source source = {
      .name = d->what, .key = {.file = "sort/divide.cl", WEFT__KEY_BYTES(divide_key, &key)}, .write = write_defines};
  weft__divide_args a = {.rows = d->rows,
                         .length = d->length,
                         .rank = d->rank,
                         .from = (uint64_t)d->from->offset_bytes,
                         .to = d->to ? (uint64_t)d->to->offset_bytes : 0,
                         .numbers = d->numbers ? (uint64_t)d->numbers->offset_bytes : 0,
                         .taken = d->taken,
                         .greatest = d->greatest};
  const weft_array *to = d->to ? d->to : d->numbers, *numbers = d->numbers ? d->numbers : to;
  const weft__use uses[] = {{to->storage, true}, {numbers->storage, true}};
  bool is_done = false;
  if (is_long) WEFT__TRY_RETURN(weft__divide_at_once(&is_done, d));
  if (is_done) return WEFT_OK;
  if (weft_dtype_kind(dtype) == 'i') a.flip_top = UINT32_C(1) << 31;
  return is_long ? divide_long(d, &a, &source, uses) : divide_rows(d, &a, &source, uses);
}
