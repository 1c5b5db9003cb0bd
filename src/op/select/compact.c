// SPDX-License-Identifier: MIT
#include "op/select/compact.h"

#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "expr/emit.h"
#include "map/cast.h"
#include "op/select/tuning.h"

#define SELECT_SCALARS (2 * WEFT__MAX_SCALARS)
#include "cl/select/args.h"

/// What distinguishes the kernels, except the predicate.
typedef struct select_key {
  uint8_t dtype; /* dtype of the predicate's array; 0: a mask */
  uint8_t size, what, lookback, wide, block_warps, vpt, aligned;
} select_key;

typedef struct select_source {
  const weft__selection *selection;
  select_key key;
} select_source;

/// How a selection is divided.
typedef struct cut {
  select_key key;
  uint64_t block, tile;
} cut;

static int scalar_words(const weft__selection *s) {
  return s->predicate ? 2 * s->predicate->scalars : 0;
}

/* ---- the text in front of the kernels ---- */

static void add_test(weft__text *text, const weft__selection *s) {
  static const weft_dtype result = WEFT_BOOL;
  const char *type = weft__cl_stored(s->x->dtype);
  weft__emit_element(text, s->predicate, &result, 0);
  weft__text_add(text, "static inline uchar select_test(%s x", type);
  for (int k = 0; k < scalar_words(s); k++) weft__text_add(text, ", ulong w%d", k);
  weft__text_add(text, ") {\n  uchar y;\n  weft_element(0, 0");
  for (int k = 0; k < scalar_words(s); k++) weft__text_add(text, ", w%d", k);
  weft__text_add(text, ", x, &y);\n  return y;\n}\n#define SELECT_X %s\n#define SELECT_TEST(x) select_test(x", type);
  for (int k = 0; k < scalar_words(s); k++) weft__text_add(text, ", args.scalar[%d]", k);
  weft__text_add(text, ")\n");
}

static void write_source(weft__text *text, const void *data) {
  const select_source *source = data;
  const weft__selection *s = source->selection;
  const select_key *key = &source->key;
  if (s->predicate)
    add_test(text, s);
  else
    weft__text_add(text, "#define SELECT_X %s\n", weft__cl_raw(key->size));
  weft__text_add(text,
                 "#define SELECT_SIZE %d\n#define SELECT_MASK %d\n#define SELECT_WHAT %d\n#define SELECT_LOOKBACK %d\n",
                 key->size, !s->predicate, key->what, key->lookback);
  if (scalar_words(s) > 0) weft__text_add(text, "#define SELECT_SCALARS %d\n", scalar_words(s));
  weft__text_add(text, "#define SELECT_COUNT %s\n#define SELECT_COUNT_WORDS %d\n", key->wide ? "ulong" : "uint",
                 key->wide ? 2 : 1);
  weft__text_add(text,
                 "#define WEFT_BLOCK %d\n#define SELECT_VPT %d\n#define SELECT_ALIGNED %d\n#define SELECT_RAW "
                 "%s\n#define SELECT_RAW_MASK %s\n",
                 32 * key->block_warps, key->vpt, key->aligned,
                 s->predicate ? weft__cl_chunk(16u / key->size, s->x->dtype) : "uint4", weft__cl_raw(16u / key->size));
}

static weft_status get_kernels(weft__kernel **kernels, const weft__selection *s, const cut *c, const char *const *names,
                               int count) {
  const select_source data = {s, c->key};
  const weft__kernel_source source = {.name = "select",
                                      .key = {.file = "select/gpu.cl",
                                              .kernel = names,
                                              .kernels = count,
                                              .owner = s->predicate ? s->predicate_owner : NULL,
                                              WEFT__KEY_BYTES(select_key, &c->key)},
                                      .write = write_source,
                                      .data = &data};
  return weft__kernels_get(kernels, &s->context->store, &source);
}

/* ---- launches ---- */

static void cut_up(cut *c, const weft__selection *s, bool in_one_pass) {
  const weft__device *device = s->context->core.device;
  uint64_t size = weft_dtype_size_bytes(s->x->dtype);
  *c = (cut){.key = {.dtype = s->predicate ? (uint8_t)s->x->dtype : 0,
                     .size = (uint8_t)size,
                     .what = (uint8_t)s->what,
                     .lookback = in_one_pass,
                     .wide = s->x->size >> 32 != 0}};
  bool is_small =
      device->info.type == WEFT_DEVICE_TYPE_CPU || device->info.local_memory_bytes < WEFT__SELECT_SMALL_LOCAL_BYTES;
  uint64_t elements = 16 / size,
           vpt = is_small || s->x->size <= WEFT__SELECT_SMALL_N ? WEFT__SELECT_SMALL_VPT : WEFT__SELECT_VPT;
  while (vpt * elements > WEFT__SELECT_MOST_ITEMS) vpt /= 2;
  c->block = is_small ? WEFT__SELECT_SMALL_BLOCK : WEFT__GPU_BLOCK;
  c->tile = c->block * vpt * elements;
  c->key.block_warps = (uint8_t)(c->block / 32);
  c->key.vpt = (uint8_t)vpt;
  c->key.aligned = s->x->offset_bytes % 16 == 0 && (!s->mask || s->mask->offset_bytes % (int64_t)elements == 0);
}

static void fill_arguments(weft__select_args *args, const weft__selection *s, const cut *c, const weft_array *out,
                           const weft_array *count) {
  uint64_t n = (uint64_t)s->x->size;
  memset(args, 0, sizeof *args);
  args->out = out ? (uint64_t)out->offset_bytes : 0;
  args->x = (uint64_t)s->x->offset_bytes;
  args->mask = s->mask ? (uint64_t)s->mask->offset_bytes : 0;
  args->count = count ? (uint64_t)count->offset_bytes : 0;
  args->counts = count != NULL;
  args->n = n;
  args->tiles = weft_ceil_div(n, c->tile);
  args->ndim = (uint64_t)s->shape.ndim;
  for (int d = 0; d < s->shape.ndim; d++) args->shape[d] = (uint64_t)s->shape.dim[d];
  memcpy(args->scalar, s->scalar, (size_t)scalar_words(s) * sizeof *args->scalar);
}

static size_t arguments_size(const weft__selection *s) {
  const int words = scalar_words(s);
  return offsetof(weft__select_args, scalar) + (size_t)(words ? words : 1) * sizeof(uint64_t);
}

/// Launches `kernel` with out and count (unless out is NULL), x, the mask if any, and `state`.
static weft_status launch(const weft__selection *s, weft__kernel *kernel, const cut *c, const weft__select_args *args,
                          uint64_t blocks, const weft_array *out, const weft_array *count, weft__storage *state) {
  weft__use use[5];
  int uses = 0;
  if (out) {
    use[uses++] = (weft__use){out->storage, true};
    use[uses++] = (weft__use){count ? count->storage : state, true};
  }
  use[uses++] = (weft__use){s->x->storage, false};
  if (s->mask) use[uses++] = (weft__use){s->mask->storage, false};
  use[uses++] = (weft__use){state, true};
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks), WEFT_DIM3(c->block), args, arguments_size(s),
                                              uses, use, .what = s->name, .site = s->site});
}

static const char *const names[] = {"weft_select", "weft_select_counts", "weft_select_spine"};

static weft_status count_tiles(weft__selection *s, const cut *c, weft__kernel *const *kernel) {
  weft__select_args args;
  fill_arguments(&args, s, c, NULL, NULL);
  WEFT__TRY_RETURN(weft__array_create(&s->state, s->context, WEFT_U64, WEFT_SHAPE((int64_t)args.tiles + 1), s->site));
  WEFT__TRY_RETURN(launch(s, kernel[1], c, &args, args.tiles, NULL, NULL, s->state->storage));
  const weft__use use = {s->state->storage, true};
  return weft__run_kernel(&(weft__kernel_run){kernel[2], WEFT_DIM3(1), WEFT_DIM3(c->block), &args, arguments_size(s), 1,
                                              &use, .what = s->name, .site = s->site});
}

weft_status weft__select_passes_run(bool *is_done, const void *of) {
  const weft__select_task *task = of;
  weft__selection *s = task->selection;
  weft__select_args args;
  cut c;
  weft__kernel *kernel[3];
  *is_done = true;
  cut_up(&c, s, false);
  WEFT__TRY_RETURN(get_kernels(kernel, s, &c, names, 3));
  if (!s->state) WEFT__TRY_RETURN(count_tiles(s, &c, kernel));
  fill_arguments(&args, s, &c, task->out, task->count);
  if (task->number)
    return weft__transfer_to_host(task->number, s->state->storage, weft__slot_now(&s->context->core),
                                  (uint64_t)s->state->offset_bytes + args.tiles * sizeof *task->number,
                                  sizeof *task->number);
  return launch(s, kernel[0], &c, &args, args.tiles, task->out, task->count, s->state->storage);
}

static bool sweeps(const weft__selection *s) {
  return s->what != WEFT__SELECT_BOTH && weft__has_device_scope(&s->context->core);
}

bool weft__select_sweep_fits(const void *of) {
  const weft__select_task *task = of;
  return task->out && !task->selection->state && sweeps(task->selection);
}

weft_status weft__select_sweep_run(bool *is_done, const void *of) {
  const weft__select_task *task = of;
  weft__selection *s = task->selection;
  cut c;
  weft__kernel *kernel;
  weft__select_args args;
  weft__lookback *lookback;
  *is_done = true;
  cut_up(&c, s, true);
  fill_arguments(&args, s, &c, task->out, task->count);
  WEFT__TRY_RETURN(get_kernels(&kernel, s, &c, names, 1));
  if (args.tiles > INT32_MAX)
    return weft__fail(WEFT_ERROR_UNSUPPORTED, "x", "`x` makes %llu tiles; 2^31 - 1 are the most",
                      (unsigned long long)args.tiles);
  WEFT__TRY_RETURN(
      weft__lookback_begin(&lookback, &args.lookback, &s->context->store, 2 * args.tiles * (c.key.wide ? 2 : 1)));
  uint64_t tickets = weft__lookback_tickets(&s->context->store, args.tiles);
  weft_status rc = launch(s, kernel, &c, &args, tickets ? tickets : 1, task->out, task->count, lookback->storage);
  weft__lookback_end(lookback, tickets, rc);
  return rc;
}

/* ---- selections ---- */

static weft_status run(const weft__select_task *task) {
  return weft__ways_run(&weft__select_ways, task->selection->context, task);
}

weft_status weft__select_count(weft__selection *s, int64_t *count) {
  *count = 0;
  return s->x->size == 0 ? WEFT_OK : run(&(weft__select_task){.selection = s, .number = count});
}

weft_status weft__select_write(weft__selection *s, weft_array *out) {
  return out->size == 0 ? WEFT_OK : run(&(weft__select_task){.selection = s, .out = out});
}

weft_status weft__select_run(weft__selection *s, weft_array *out, weft_array *count) {
  if (s->x->size == 0) return count ? weft__fill(count, WEFT_SCALAR(0), s->site) : WEFT_OK;
  return run(&(weft__select_task){.selection = s, .out = out, .count = count});
}

bool weft__select_is_small(const weft__selection *s, int columns) {
  return !s->context->store.has_loops && columns != 0 && s->x->size > 0 && s->x->size <= WEFT__SELECT_SMALL_ROOM &&
         sweeps(s);
}

static weft_shape shape_of(int64_t count, int columns) {
  return columns < 0 ? WEFT_SHAPE(count) : WEFT_SHAPE(count, columns);
}

/// Selects to memory that all elements fit, in one launch.
static weft_status select_small(weft_array **out, weft__selection *s, weft_dtype dtype, int columns) {
  weft_status rc;
  weft_array *room = NULL, *count = NULL;
  int64_t selected = 0;
  WEFT__TRY(weft__array_create(&room, s->context, dtype, shape_of(s->x->size, columns), s->site));
  WEFT__TRY(weft__array_create(&count, s->context, WEFT_I64, WEFT_SHAPE_0D, s->site));
  WEFT__TRY(weft__select_run(s, room, count));
  WEFT__TRY(weft__array_read(&selected, count, true, s->site));
  rc = weft__keep_part(out, &room, shape_of(selected, columns), s->site);
done:
  weft_array_release(&count);
  weft_array_release(&room);
  return rc;
}

weft_status weft__select_new(weft_array **out, weft__selection *s, weft_dtype dtype, int columns) {
  int64_t count;
  if (weft__select_is_small(s, columns)) return select_small(out, s, dtype, columns);
  WEFT__TRY_RETURN(weft__select_count(s, &count));
  WEFT__TRY_RETURN(weft__array_create(out, s->context, dtype, shape_of(count, columns), s->site));
  return weft__select_write(s, *out);
}

void weft__select_end(weft__selection *s) {
  weft_array_release(&s->state);
}
