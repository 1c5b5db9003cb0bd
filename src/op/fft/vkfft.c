// SPDX-License-Identifier: MIT
/// The engine VkFFT: its plans, kept in the context's store, built and launched as Weft's own kernels are.
#include <weft/ufunc.h>

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "map/cast.h"
#include "mem/recorder.h"
#include "op/fft/tuning.h"
#include "op/fft/vkfft_plan.h"

enum { MAX_SCRATCHES = 4 };

/// Where an argument of a launch comes from: FROM, TO, a table (from TABLES on), or scratch of the call (negative).
enum { FROM = WEFT__VKFFT_FROM, TO = WEFT__VKFFT_TO, TABLES = WEFT__VKFFT_OWN, OFFSETS = 1000 };

typedef struct stored_launch {
  weft__kernel *kernel; /* of the store */
  weft_dim3 grid, block;
  int values;
  int source[WEFT__VKFFT_VALUES];
  size_t offset_size;        /* 8 or 16: of the structure of offsets */
  uint64_t element_bytes[2]; /* as in weft__vkfft_value */
} stored_launch;

/// A plan in the store.
typedef struct stored_plan {
  weft__stored_tables tables;
  bool overwrites_from;
  int scratches, launches;
  uint64_t scratch_bytes[MAX_SCRATCHES];
  stored_launch launch[WEFT__VKFFT_LAUNCHES];
} stored_plan;

/* ---- making a plan ---- */

static void write_text(weft__text *text, const void *data) {
  /* VkFFT counts on fused multiply-adds */
  weft__text_add(text, "#pragma OPENCL FP_CONTRACT ON\n%s\n", (const char *)data);
}

static weft_status build(weft__kernel **kernel, weft__store *store, const char *program) {
  static const char *const any_name[] = {NULL};
  const weft__kernel_source source = {
      .name = "fft",
      .key = {.file = "fft/vkfft.clh", .kernels = 1, .kernel = any_name, .bytes = program, .size = strlen(program) + 1},
      .write = write_text,
      .data = program};
  return weft__kernels_get(kernel, store, &source);
}

static weft_status make_table(stored_plan *stored, weft__store *store, const weft__vkfft_buffer *buffer,
                              const char *site) {
  weft__storage *storage = NULL;
  WEFT__TRY_RETURN(weft__storage_create(&storage, store->pool, buffer->size_bytes, site));
  weft__ledger_remove(&store->core->ledger, &storage->entry); /* made by the library, so it is no leak of the user's */
  stored->tables.storage[stored->tables.storages++] = storage;
  if (!buffer->data) return WEFT_OK;
  return weft__transfer_to_device(storage, weft__slot_now(store->core), 0, buffer->size_bytes, buffer->data);
}

/// Gives each buffer of the plan its place: a table, or scratch of the call.
static weft_status place_buffers(int source[WEFT__VKFFT_BUFFERS], stored_plan *stored, weft__store *store,
                                 const weft__vkfft_plan *plan, const char *site) {
  source[FROM] = FROM;
  source[TO] = TO;
  for (int k = WEFT__VKFFT_OWN; k < plan->buffers; k++) {
    const weft__vkfft_buffer *buffer = &plan->buffer[k];
    if (!buffer->in_runs && !buffer->in_setup) continue;
    const bool is_scratch = !buffer->in_setup && !buffer->data && stored->scratches < MAX_SCRATCHES;
    source[k] = is_scratch ? -1 - stored->scratches : TABLES + stored->tables.storages;
    if (is_scratch)
      stored->scratch_bytes[stored->scratches++] = buffer->size_bytes;
    else
      WEFT__TRY_RETURN(make_table(stored, store, buffer, site));
  }
  return WEFT_OK;
}

static weft_status prepare(stored_launch *to, weft__store *store, const weft__vkfft_plan *plan,
                           const weft__vkfft_launch *from, const int *source) {
  to->grid = weft__dim3(from->grid[0], from->grid[1], from->grid[2]);
  to->block = weft__dim3(from->block[0], from->block[1], from->block[2]);
  to->values = from->values;
  for (int k = 0; k < from->values; k++) {
    const weft__vkfft_value *value = &from->value[k];
    to->source[k] = value->buffer < 0 ? OFFSETS : source[value->buffer];
    if (value->buffer >= 0) continue;
    to->offset_size = value->size;
    for (int d = 0; d < 2; d++) to->element_bytes[d] = value->element_bytes[d];
  }
  return build(&to->kernel, store, plan->program[from->program]);
}

/// What a launch works on.
typedef struct bound {
  weft__storage *storage[WEFT__VKFFT_OWN + WEFT__STORED_STORAGES], *scratch[MAX_SCRATCHES];
  int64_t offset_bytes[WEFT__VKFFT_OWN];
  uint64_t bytes; /* read and written by a launch */
  const char *what, *site;
} bound;

static weft_status run_launch(const stored_launch *launch, const bound *b) {
  weft__value value[WEFT__VKFFT_VALUES];
  weft__use use[WEFT__VKFFT_VALUES];
  uint64_t wide[2] = {0};   /* the offsets of the first two arguments, in elements */
  uint32_t narrow[2] = {0}; /* likewise, for kernels that count in 32 bits */
  int uses = 0;
  for (int k = 0; k < launch->values; k++) {
    const int source = launch->source[k];
    if (source == OFFSETS) {
      const bool is_wide = launch->offset_size == sizeof wide;
      value[k] = (weft__value){.size_bytes = launch->offset_size, .data = is_wide ? (void *)wide : (void *)narrow};
      continue;
    }
    weft__storage *storage = source < 0 ? b->scratch[-1 - source] : b->storage[source];
    if (k < 2 && (source == FROM || source == TO) && launch->element_bytes[k]) {
      wide[k] = (uint64_t)b->offset_bytes[source] / launch->element_bytes[k];
      narrow[k] = (uint32_t)wide[k];
    }
    value[k] = (weft__value){.size_bytes = sizeof(weft__cl_mem), .data = &storage->mem};
    use[uses++] = (weft__use){storage, k == 1};
  }
  weft__core *core = launch->kernel->core;
  weft__submission submission = {.slot = weft__slot_now(core),
                                 .command = &(weft__command){.grid = launch->grid, .block = launch->block},
                                 .uses = uses,
                                 .use = use,
                                 .bytes = b->bytes,
                                 .what = b->what,
                                 .site = b->site};
  weft_status rc = weft__launch(launch->kernel, value, NULL, &submission);
  if (rc) return weft__while(rc, "running %s", b->what);
  weft__counters_launch(&core->usage, launch->grid, launch->block, b->what);
  return WEFT_OK;
}

static void bind_tables(bound *b, const stored_plan *stored) {
  for (int k = 0; k < stored->tables.storages; k++) b->storage[TABLES + k] = stored->tables.storage[k];
}

/// Builds the kernels and makes the tables of a plan.
static weft_status realize(stored_plan *stored, weft__store *store, const weft__vkfft_plan *plan, const char *site) {
  int source[WEFT__VKFFT_BUFFERS] = {0};
  bound b = {.what = "fft", .site = site};
  stored->overwrites_from = plan->overwrites_from;
  WEFT__TRY_RETURN(place_buffers(source, stored, store, plan, site));
  bind_tables(&b, stored);
  for (int k = 0; k < plan->launches; k++) {
    stored_launch setup = {0};
    stored_launch *launch = plan->launch[k].is_setup ? &setup : &stored->launch[stored->launches++];
    WEFT__TRY_RETURN(prepare(launch, store, plan, &plan->launch[k], source));
    if (plan->launch[k].is_setup) WEFT__TRY_RETURN(run_launch(launch, &b));
  }
  return WEFT_OK;
}

/// Whether the plan gets all local memory that kernels can have, more than the driver says (quirk roomy_local). Blocks
/// then are fewer on each multiprocessor, so it must save a pass over memory, or widen the runs of a strided one.
static bool uses_roomy_local(const weft__vkfft_request *r) {
  const bool fills_half = r->is_f64 ? r->length <= 4096 : r->length > 2048 && r->length <= 4096;
  return r->inner > 1 || fills_half || (r->length > 1 << 18 && r->length <= 1 << 20);
}

static weft__vkfft_device device_of(const weft__device *device, const weft__vkfft_request *request) {
  const weft_device_info *info = &device->info;
  const bool is_roomy = device->quirks.roomy_local && !device->quirks.small_local && uses_roomy_local(request);
  weft__vkfft_device d = {.vendor = strstr(info->vendor, "NVIDIA") ? WEFT__VKFFT_NVIDIA : 0,
                          .local_bytes = info->local_memory_bytes,
                          .block_threads = info->max_block_threads};
  if (is_roomy) d.local_bytes = WEFT__VKFFT_ROOMY_LOCAL;
  if (d.local_bytes > WEFT__VKFFT_ROOMY_LOCAL) d.local_bytes = WEFT__VKFFT_ROOMY_LOCAL; /* CPUs name any size */
  for (int k = 0; k < 3; k++) {
    d.max_block[k] = info->max_block[k];
    d.max_grid[k] = info->max_grid[k];
  }
  return d;
}

/// The plan of the request; NULL if VkFFT has none, which is kept as well.
static weft_status plan_of(const stored_plan **out, weft_context *context, const weft__vkfft_request *r,
                           const char *site) {
  static const char owner[] = "VkFFT";
  const uint64_t words[] = {r->batch, r->length, r->inner,
                            (uint64_t)r->kind | (uint64_t)r->is_f64 << 8 | (uint64_t)r->inverse << 9 |
                                (uint64_t)r->scaled << 10 | (uint64_t)r->in_place << 11 | (uint64_t)r->is_wide << 12};
  const weft__key key = {.kind = WEFT__KIND_TABLES, .owner = owner, .bytes = words, .size = sizeof words};
  const weft__vkfft_device device = device_of(context->core.device, r);
  weft__vkfft_plan *plan = NULL;
  stored_plan *stored = NULL;
  weft_status rc = WEFT_OK;
  bool made = false;
  if ((*out = weft__store_find(&context->store, &key))) {
    if (!(*out)->launches) *out = NULL;
    return WEFT_OK;
  }
  WEFT__TRY((plan = weft__new(sizeof *plan)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(weft__vkfft_plan_make(&made, plan, r, &device));
  WEFT__TRY((stored = weft__entry_new(sizeof *stored, &key)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  if (made) {
    weft__recorder *paused = weft__recorder_pause(); /* the plan outlives a recording */
    rc = realize(stored, &context->store, plan, site);
    weft__recorder_now = paused;
    WEFT__TRY(rc);
  }
  *out = weft__store_add(&context->store, stored);
  stored = NULL;
  if (!made) *out = NULL;
done:
  weft__entry_free(&context->store, stored);
  if (plan) weft__vkfft_plan_clear(plan);
  free(plan);
  return weft__while(rc, "planning a transform of length %llu", (unsigned long long)r->length);
}

/* ---- a transform ---- */

/// Whether VkFFT's kernels can address the array: their offsets count elements.
static bool is_aligned(const weft_array *x) {
  return x->offset_bytes % 16 == 0;
}

/// Whether positions need 64 bits: they count the scalars from the beginning of the buffer.
static bool is_wide(const weft__fft_step *step, const weft_array *from, const weft_array *to) {
  const uint64_t scalar = weft__needs_fp64(to->dtype) ? 8 : 4, limit = UINT32_MAX / 4;
  return step->batch * (step->length + 2) * step->inner >= limit || (uint64_t)from->offset_bytes / scalar >= limit ||
         (uint64_t)to->offset_bytes / scalar >= limit;
}

static weft_status run_plan(const stored_plan *plan, const weft__fft_step *step, const weft_array *from,
                            weft_array *to) {
  weft_context *context = step->to->context;
  weft_status rc = WEFT_OK;
  bound b = {.what = step->what, .site = step->site};
  b.bytes =
      (uint64_t)from->size * weft_dtype_size_bytes(from->dtype) + (uint64_t)to->size * weft_dtype_size_bytes(to->dtype);
  b.storage[FROM] = from->storage;
  b.storage[TO] = to->storage;
  b.offset_bytes[FROM] = from->offset_bytes;
  b.offset_bytes[TO] = to->offset_bytes;
  bind_tables(&b, plan);
  for (int k = 0; k < plan->scratches; k++)
    WEFT__TRY(weft__storage_create(&b.scratch[k], &context->pool, plan->scratch_bytes[k], step->site));
  for (int k = 0; k < plan->launches; k++) WEFT__TRY(run_launch(&plan->launch[k], &b));
done:
  for (int k = 0; k < plan->scratches; k++)
    if (b.scratch[k]) weft__storage_release(b.scratch[k]);
  return rc;
}

/// Clears the imaginary part of element `index` of each row, which a transform to real numbers takes as real. VkFFT
/// would use it.
static weft_status make_real(const weft_array *x, int64_t index, const weft__fft_step *step) {
  weft_array imaginary = weft__array_borrow(x);
  const int64_t row = (int64_t)step->length / 2 + 1, size = (int64_t)weft_dtype_size_bytes(x->dtype);
  imaginary.dtype = weft__real_dtype(x->dtype);
  imaginary.ndim = 1;
  imaginary.shape[0] = imaginary.size = (int64_t)step->batch;
  imaginary.stride_bytes[0] = row * size;
  imaginary.offset_bytes += index * size + size / 2;
  return weft__fill(&imaginary, WEFT_SCALAR(0), step->site);
}

/// Elements `first` to `first` + `count` - 1 along the transformed axis, backwards with `reversed`, as pairs of real
/// numbers.
static weft_status part_of(weft_array **out, const weft_array *x, const weft__fft_step *step, uint64_t first,
                           uint64_t count, bool reversed) {
  const int64_t run = (int64_t)(step->inner * weft_dtype_size_bytes(x->dtype));
  WEFT__TRY_RETURN(weft__array_view(out, x, step->site));
  weft_array *part = *out;
  part->dtype = weft__real_dtype(x->dtype);
  weft__set_contiguous(part, WEFT_SHAPE((int64_t)step->batch, (int64_t)count, 2 * (int64_t)step->inner));
  part->stride_bytes[0] = run * (int64_t)step->length;
  part->stride_bytes[1] = reversed ? -run : run;
  part->offset_bytes += run * (int64_t)(reversed ? first + count - 1 : first);
  return WEFT_OK;
}

/// An inverse transform as the forward one of the same values, whose elements 1 to length - 1 are in the reverse order.
static weft_status invert_by_forward(bool *done, const weft__fft_step *step) {
  weft_array *whole = NULL, *from = NULL, *to = NULL;
  weft_status rc;
  WEFT__TRY(weft__fft_scratch(&whole, step->to, step->to->dtype, (uint64_t)step->to->size, step->site));
  weft__fft_step forward = *step;
  forward.inverse = false;
  forward.to = whole;
  forward.scale = 1;
  WEFT__TRY(weft__fft_vkfft_run(done, &forward));
  for (uint64_t first = 0; *done && first < 2; first++) {
    const uint64_t count = first ? step->length - 1 : 1;
    weft_array_release(&from);
    weft_array_release(&to);
    WEFT__TRY(part_of(&from, whole, step, first, count, true));
    WEFT__TRY(part_of(&to, step->to, step, first, count, false));
    WEFT__TRY(weft_multiply(&to, from, step->scale));
  }
done:
  weft_array_release(&whole);
  weft_array_release(&from);
  weft_array_release(&to);
  return rc;
}

/// On a CPU VkFFT's kernels take seconds to build, and are slower: only if WEFT_ENGINE asks for it.
bool weft__fft_vkfft_fits(const void *task) {
  const weft__fft_step *step = task;
  return weft__engine_allowed(WEFT__ENGINE_VKFFT) &&
         (!weft__fft_is_for_host(step) || !weft__engine_allowed(WEFT__ENGINE_OWN)) &&
         weft__engine_is_found(WEFT__LIBRARY_VKFFT) && step->length > 1;
}

weft_status weft__fft_vkfft_run(bool *is_done, const void *of) {
  const weft__fft_step *step = of;
  const weft_array *from = step->from;
  const weft_dtype dtype = step->to->dtype;
  const bool is_scaled = step->inverse && step->scale == 1.0 / (double)step->length;
  weft__vkfft_request request = {.kind = step->kind,
                                 .is_f64 = weft__needs_fp64(dtype),
                                 .inverse = step->inverse,
                                 .scaled = is_scaled && step->length > 1,
                                 .batch = step->batch,
                                 .length = step->length,
                                 .inner = step->inner};
  weft_array *copy = NULL, *aligned = NULL;
  const stored_plan *plan;
  weft_status rc = WEFT_OK;
  *is_done = true;
  request.in_place = weft__arrays_same(from, step->to);
  weft_array *to = step->to;
  if (!is_aligned(to)) WEFT__TRY(weft__fft_scratch(&aligned, to, dtype, (uint64_t)to->size, step->site));
  if (aligned) to = aligned;
  if (aligned) request.in_place = false;
  request.is_wide = is_wide(step, from, to);
  WEFT__TRY(plan_of(&plan, to->context, &request, step->site));
  if (!plan) {
    *is_done = false;
    if (step->inverse && step->kind == WEFT__FFT_COMPLEX) rc = invert_by_forward(is_done, step);
    goto done;
  }
  const bool is_changed = plan->overwrites_from || step->kind == WEFT__FFT_TO_REAL;
  if (!is_aligned(from) || (is_changed && !step->from_is_temporary)) {
    WEFT__TRY(weft__cast(&copy, from, from->dtype, step->site));
    from = copy;
  }
  if (step->kind == WEFT__FFT_TO_REAL) {
    WEFT__TRY(make_real(from, 0, step));
    if (step->length % 2 == 0) WEFT__TRY(make_real(from, (int64_t)step->length / 2, step));
  }
  WEFT__TRY(run_plan(plan, step, from, to));
  if (aligned) {
    const weft_array view = weft__array_flat(step->to);
    WEFT__TRY(weft__assign((weft_array *)&view, aligned, step->site));
  }
  if (!request.scaled && step->scale != 1) rc = weft__fft_scale(step->to, step->scale, step->site);
done:
  weft_array_release(&copy);
  weft_array_release(&aligned);
  return rc;
}
