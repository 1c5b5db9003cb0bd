// SPDX-License-Identifier: MIT
/// Scans by kernels: their launches.
#include <string.h>

#include "cl/scan/args.h"
#include "core/reproducible.h"
#include "map/cast.h"
#include "op/scan/combine.h"
#include "op/scan/scanning.h"
#include "op/scan/tuning.h"

#define FIXED_VPT 4 /* of reproducible contexts, which have the same tiles on every device */

const char *weft__scan_what(const weft__scan *scan) {
  static const char *const names[] = {"cumsum", "cumprod", "cummax", "cummin"};
  return scan->combine ? "scan" : names[scan->op];
}

/// Whether the result does not depend on how elements are grouped.
static bool is_exact(const weft__scan *scan) {
  return weft__is_whole(scan->out) || (!scan->combine && (scan->op == WEFT_SCAN_MAX || scan->op == WEFT_SCAN_MIN));
}

static weft_status get_kernels(weft__kernel **kernels, const weft__scanning *s, weft__scan_key key, const char *file,
                               const char *const *names, int count) {
  weft__text user_key = {0};
  const weft__scan *scan = s->scan;
  key.in = (uint8_t)scan->in;
  key.out = (uint8_t)scan->out;
  key.op = scan->combine ? WEFT__SCAN_USER : (uint8_t)scan->op;
  key.exclusive = scan->exclusive;
  key.reverse = scan->reverse;
  const weft__scan_source data = {scan, key};
  weft__kernel_source source = {
      .name = "scan",
      .key = {.file = file, .kernel = names, .kernels = count, WEFT__KEY_BYTES(weft__scan_key, &key)},
      .write = weft__scan_write,
      .data = &data};
  if (scan->combine) {
    weft__text_add_bytes(&user_key, (const char *)&key, sizeof key);
    weft__text_add_bytes(&user_key, (const char *)scan->neutral, sizeof scan->neutral);
    weft__text_add_bytes(&user_key, scan->text, strlen(scan->text));
    source.key.bytes = weft__text_chars(&user_key);
    source.key.size = user_key.length;
  }
  weft_status rc = user_key.failed ? weft__fail_host_memory(user_key.length)
                                   : weft__kernels_get(kernels, &s->context->store, &source);
  weft__text_free(&user_key);
  return rc;
}

/* ---- one run, or contiguous rows ---- */

static weft_status scratch(weft_array **out, const weft__scanning *s, uint64_t size_bytes) {
  return weft__array_create(out, s->context, WEFT_U8, WEFT_SHAPE((int64_t)size_bytes), s->site);
}

/// Launches `kernel` with y (unless NULL), x, the flags if any, and `state`.
static weft_status launch(const weft__scanning *s, weft__kernel *kernel, uint64_t blocks, uint64_t block,
                          const weft__scan_args *args, weft_array *y, weft__storage *state) {
  weft__use use[4];
  int uses = 0;
  if (y) use[uses++] = (weft__use){y->storage, true};
  use[uses++] = (weft__use){s->x->storage, false};
  if (s->flags) use[uses++] = (weft__use){s->flags->storage, false};
  use[uses++] = (weft__use){state, state != s->x->storage};
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks), WEFT_DIM3(block), args, sizeof *args, uses,
                                              use, .what = weft__scan_what(s->scan), .site = s->site});
}

static weft_status run_lookback(const weft__scanning *s, weft__scan_key key, uint64_t block, weft__scan_args *args) {
  static const char *const names[] = {"weft_scan"};
  weft__kernel *kernel;
  weft__lookback *lookback;
  key.lookback = 1;
  WEFT__TRY_RETURN(get_kernels(&kernel, s, key, "scan/gpu.cl", names, 1));
  if (args->tiles > INT32_MAX)
    return weft__fail(WEFT_ERROR_UNSUPPORTED, "x", "`x` makes %llu tiles; 2^31 - 1 are the most",
                      (unsigned long long)args->tiles);
  WEFT__TRY_RETURN(weft__lookback_begin(&lookback, &args->lookback, &s->context->store,
                                        2 * args->tiles * (uint64_t)weft__scan_words(s->scan)));
  uint64_t tickets = weft__lookback_tickets(&s->context->store, args->tiles);
  weft_status rc = launch(s, kernel, tickets ? tickets : 1, block, args, s->y, lookback->storage);
  weft__lookback_end(lookback, tickets, rc);
  return rc;
}

/// Scans in passes that read x twice: the sums of tiles, a scan of these sums, then the scan itself.
static weft_status run_passes(const weft__scanning *s, weft__scan_key key, uint64_t block,
                              const weft__scan_args *args) {
  static const char *const names[] = {"weft_scan", "weft_scan_sums", "weft_scan_spine"};
  weft_status rc;
  weft__kernel *kernel[3];
  weft_array *state = NULL;
  WEFT__TRY(get_kernels(kernel, s, key, "scan/gpu.cl", names, 3));
  WEFT__TRY(scratch(&state, s, args->tiles * (4 * (uint64_t)weft__scan_words(s->scan) + 1)));
  WEFT__TRY(launch(s, kernel[1], args->tiles, block, args, NULL, state->storage));
  const weft__use use = {state->storage, true};
  WEFT__TRY(weft__run_kernel(&(weft__kernel_run){kernel[2], WEFT_DIM3(1), WEFT_DIM3(block), args, sizeof *args, 1, &use,
                                                 .what = weft__scan_what(s->scan), .site = s->site}));
  rc = launch(s, kernel[0], args->tiles, block, args, s->y, state->storage);
done:
  weft_array_release(&state);
  return rc;
}

static weft_status run_tiles(const weft__scanning *s, weft__scan_args *args, bool in_one_pass) {
  const weft__device *device = s->context->core.device;
  bool is_fixed = s->context->core.reproducible;
  bool is_small = !is_fixed && (device->info.type == WEFT_DEVICE_TYPE_CPU ||
                                device->info.local_memory_bytes < WEFT__SCAN_SMALL_LOCAL_BYTES);
  bool is_segmented = s->flags || args->row < args->n;
  uint64_t in = weft_dtype_size_bytes(s->scan->in), out = weft_dtype_size_bytes(s->scan->out);
  uint64_t elements = 16 / out, block = is_small ? WEFT__SCAN_SMALL_BLOCK : WEFT__SCAN_BLOCK,
           vpt = is_fixed                                    ? FIXED_VPT
                 : is_small || args->n <= WEFT__SCAN_SMALL_N ? WEFT__SCAN_SMALL_VPT
                                                             : WEFT__SCAN_VPT;
  while (vpt > 1 && vpt * elements * (uint64_t)weft__scan_words(s->scan) > WEFT__SCAN_MOST_WORDS) vpt /= 2;
  while (is_segmented && vpt * elements > WEFT__SCAN_MOST_ITEMS) vpt /= 2;
  bool aligned = args->x % (elements * in) == 0 && args->y % 16 == 0 && args->flags % 4 == 0;
  const weft__scan_key key = {.flags = s->flags != NULL,
                              .rows = args->row < args->n,
                              .block = (uint8_t)block,
                              .vpt = (uint8_t)vpt,
                              .elements = (uint8_t)elements,
                              .aligned = aligned,
                              .layout = is_segmented ? 1 : WEFT__SCAN_LAYOUT};
  uint64_t tile = block * vpt * elements;
  args->tiles = weft_ceil_div(args->n, tile);
  if (s->scan->reverse) args->phase = (args->row - (args->tiles * tile - args->n) % args->row) % args->row;
  return in_one_pass ? run_lookback(s, key, block, args) : run_passes(s, key, block, args);
}

/// Makes the flags of a reverse scan, in which segments begin at their ends: all flags move one element to the front.
static weft_status turn_flags(weft_array **out, const weft__scanning *s) {
  weft_status rc;
  weft_array *to = NULL, *from = NULL;
  int64_t n = s->flags->size;
  WEFT__TRY(weft__array_create(out, s->context, s->flags->dtype, WEFT_SHAPE(n), s->site));
  WEFT__TRY(weft__fill(*out, WEFT_SCALAR(1), s->site));
  WEFT__TRY(weft__array_view(&to, *out, s->site));
  WEFT__TRY(weft__array_view(&from, s->flags, s->site));
  weft__set_contiguous(to, WEFT_SHAPE(n - 1));
  weft__set_contiguous(from, WEFT_SHAPE(n - 1));
  from->offset_bytes = s->flags->offset_bytes + 1;
  rc = weft__assign(to, from, s->site);
done:
  weft_array_release(&to);
  weft_array_release(&from);
  return rc;
}

/// Scans rows of `row` elements.
static weft_status run_rows(const weft__scanning *given, bool by_lookback) {
  weft_status rc;
  weft__scanning s = *given;
  weft_array *turned = NULL;
  if (s.flags && s.scan->reverse) {
    WEFT__TRY(turn_flags(&turned, &s));
    s.flags = turned;
  }
  weft__scan_args args = {.x = (uint64_t)s.x->offset_bytes,
                          .y = (uint64_t)s.y->offset_bytes,
                          .flags = s.flags ? (uint64_t)s.flags->offset_bytes : 0,
                          .n = (uint64_t)s.x->size,
                          .row = (uint64_t)s.split.length};
  rc = run_tiles(&s, &args, by_lookback);
done:
  weft_array_release(&turned);
  return rc;
}

bool weft__scan_lookback_fits(const void *task) {
  const weft__scanning *s = task;
  return weft__scan_passes_fits(task) && weft__has_device_scope(&s->context->core) &&
         (WEFT__LOOKBACK_FIXED || !s->scan->deterministic || is_exact(s->scan));
}
bool weft__scan_passes_fits(const void *task) {
  return ((const weft__scanning *)task)->split.inner == 1;
}
weft_status weft__scan_lookback_run(bool *is_done, const void *task) {
  *is_done = true;
  return run_rows(task, true);
}
weft_status weft__scan_passes_run(bool *is_done, const void *task) {
  *is_done = true;
  return run_rows(task, false);
}
/* ---- along an axis other than the last ---- */

bool weft__scan_columns_fits(const void *task) {
  const weft__scanning *s = task;
  const bool is_narrow = s->split.inner * (int64_t)weft_dtype_size_bytes(s->scan->out) < WEFT__SCAN_COLUMN_BYTES;
  return s->split.inner > 1 && !s->flags && !is_narrow;
}

bool weft__scan_users_fits(const void *task) {
  return ((const weft__scanning *)task)->scan->combine != NULL;
}

/// The threads in a block, and the chunks of rows.
static uint64_t divide_columns(weft__scan_columns_args *args, const weft__scanning *s) {
  const bool has_rows = args->inner == 1, is_cpu = s->context->core.device->info.type == WEFT_DEVICE_TYPE_CPU;
  const uint64_t units = weft__grouping_units(&s->context->core), wanted = WEFT__SCAN_COLUMN_THREADS * units;
  const uint64_t block = has_rows                                              ? 1
                         : !is_cpu && args->columns > WEFT__SCAN_BLOCK * units ? WEFT__SCAN_BLOCK
                                                                               : WEFT__SCAN_SMALL_BLOCK;
  args->blocks = weft_ceil_div(args->columns, block);
  args->chunks = args->columns >= wanted / 2 ? 1 : wanted / args->columns;
  if (args->chunks > args->length / WEFT__SCAN_LEAST_ROWS) args->chunks = args->length / WEFT__SCAN_LEAST_ROWS;
  if (has_rows) args->chunks = args->length > WEFT__SCAN_ONE_RUN ? args->length / WEFT__SCAN_RUN : 1;
  if (args->chunks < 1) args->chunks = 1;
  args->rows = weft_ceil_div(args->length, args->chunks);
  args->chunks = weft_ceil_div(args->length, args->rows);
  return block;
}

weft_status weft__scan_columns_run(bool *is_done, const void *task) {
  static const char *const names[] = {"weft_scan_columns", "weft_scan_columns_sums", "weft_scan_columns_spine"};
  const weft__scanning *s = task;
  weft_status rc;
  weft__kernel *kernel[3];
  weft_array *sums = NULL;
  weft__scan_columns_args args = {.x = (uint64_t)s->x->offset_bytes,
                                  .y = (uint64_t)s->y->offset_bytes,
                                  .flags = s->flags ? (uint64_t)s->flags->offset_bytes : 0,
                                  .length = (uint64_t)s->split.length,
                                  .inner = (uint64_t)s->split.inner,
                                  .columns = (uint64_t)(s->split.outer * s->split.inner)};
  const uint64_t block = divide_columns(&args, s);
  const weft__scan_key key = {.flags = s->flags != NULL, .block = (uint8_t)block};
  const weft_dim3 threads = WEFT_DIM3(block);
  weft__use use[4] = {{s->y->storage, true}, {s->x->storage, false}};
  const int uses = s->flags ? 4 : 3;
  weft__kernel_run run = {NULL, WEFT_DIM3(args.chunks * args.blocks), threads,        &args, sizeof args, uses,
                          use,  .what = weft__scan_what(s->scan),     .site = s->site};
  if (s->flags) use[2] = (weft__use){s->flags->storage, false};
  use[uses - 1] = use[1];
  *is_done = true;
  WEFT__TRY(get_kernels(kernel, s, key, "scan/columns.cl", names, 3));
  if (args.chunks > 1) {
    WEFT__TRY(scratch(&sums, s, args.chunks * args.columns * (4 * (uint64_t)weft__scan_words(s->scan) + 1)));
    use[uses - 1] = (weft__use){sums->storage, true};
    run.kernel = kernel[1];
    run.uses = uses - 1;
    run.use = use + 1;
    WEFT__TRY(weft__run_kernel(&run));
    WEFT__TRY(weft__run_kernel(&(weft__kernel_run){kernel[2], WEFT_DIM3(args.blocks), threads, &args, sizeof args, 1,
                                                   use + uses - 1, .what = run.what, .site = s->site}));
    use[uses - 1].writes = false;
  }
  run.kernel = kernel[0];
  run.uses = uses;
  run.use = use;
  rc = weft__run_kernel(&run);
done:
  weft_array_release(&sums);
  return rc;
}

/// A view of a contiguous array as three axes, with the last two exchanged.
static weft_array turned_view(const weft_array *x, weft__axis_split split) {
  weft_array view = weft__array_borrow(x);
  weft__set_contiguous(&view, WEFT_SHAPE(split.outer, split.length, split.inner));
  int64_t stride = view.stride_bytes[1];
  view.shape[1] = split.inner;
  view.shape[2] = split.length;
  view.stride_bytes[1] = view.stride_bytes[2];
  view.stride_bytes[2] = stride;
  return view;
}

bool weft__scan_turned_fits(const void *task) {
  const weft__scanning *s = task;
  return s->split.inner > 1;
}

weft_status weft__scan_turned_run(bool *is_done, const void *task) {
  const weft__scanning *s = task;
  const weft__axis_split split = s->split, rows = {split.outer * split.inner, split.length, 1};
  weft_status rc;
  weft_array *x = NULL, *flags = NULL, *y = NULL;
  const weft_array from_x = turned_view(s->x, split), from_flags = turned_view(s->flags ? s->flags : s->x, split);
  *is_done = true;
  WEFT__TRY(weft__cast(&x, &from_x, from_x.dtype, s->site));
  if (s->flags) WEFT__TRY(weft__cast(&flags, &from_flags, from_flags.dtype, s->site));
  WEFT__TRY(weft__array_create(&y, s->context, s->scan->out, weft__array_shape(x), s->site));
  WEFT__TRY(weft__scan_run(s->scan, y, x, flags, rows, s->site));
  const weft_array from = turned_view(y, (weft__axis_split){split.outer, split.inner, split.length});
  weft_array to = weft__array_borrow(s->y);
  weft__set_contiguous(&to, weft__array_shape(&from));
  rc = weft__cast_into(&to, &from, s->scan->out, s->site);
done:
  weft_array_release(&y);
  weft_array_release(&flags);
  weft_array_release(&x);
  return rc;
}
