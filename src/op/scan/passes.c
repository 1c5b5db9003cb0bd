// SPDX-License-Identifier: MIT
/// The choice of a scan's kernels, and their launches.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loop is no vector code */
#endif
#include <string.h>

#include "base/wide.h"
#include "cl/scan/args.h"
#include "core/reproducible.h"
#include "map/cast.h"
#include "mem/at_once.h"
#include "op/scan/combine.h"

/* ---- sizes, to be tuned ---- */

/* H200, cumsum of 2^28 f32, threads x chunks, as a fraction of the copy rate: 128 x 16 0.96, 256 x 8 0.93, 128 x 8
   0.89, 256 x 4 0.88; layout 1 0.90 at best */
#define GPU_BLOCK 128  /* threads per block */
#define GPU_VPT 16     /* 16-byte chunks of results per thread */
#define GPU_WORDS 64   /* words per thread at most: they are held in registers */
#define GPU_ITEMS 32   /* elements per thread at most: starts of segments are bits of one word */
#define GPU_LAYOUT 0   /* of cl/scan/gpu.cl; scans with segments always use 1 */
#define SMALL_BLOCK 64 /* if warps are emulated, or local memory is small */
#define SMALL_VPT 2
#define SMALL_LOCAL_BYTES (48 << 10)
#define FIXED_VPT 4         /* of reproducible contexts, which have the same tiles on every device */
#define SMALL_N (1 << 16)   /* up to this many elements, SMALL_VPT chunks per thread: more blocks */
#define COLUMN_BYTES 32     /* GPUs: adjacent columns of fewer bytes are transposed */
#define COLUMN_THREADS 1024 /* GPUs: threads wanted per compute unit; fewer columns are split along the rows */
#define LEAST_ROWS 32
#define CPU_TILE_BYTES (64 << 10) /* fits the second-level cache: a tile is read twice */
#define CPU_TILES 64              /* two passes: tiles per row at most, as each adds up all tiles before it */
#define CPU_ITEMS 8               /* columns: work-items per core */

/// A scan in progress.
typedef struct scanning {
  const weft__scan *scan;
  weft_context *context;
  weft_array *y;
  const weft_array *x, *flags;
  bool is_cpu;
  const char *site;
} scanning;

static const char *what_of(const weft__scan *scan) {
  static const char *const names[] = {"cumsum", "cumprod", "cummax", "cummin"};
  return scan->combine ? "scan" : names[scan->op];
}

/// Whether the result does not depend on how elements are grouped.
static bool is_exact(const weft__scan *scan) {
  char kind = weft_dtype_kind(scan->out);
  bool is_float = kind == 'f' || kind == 'c';
  return !is_float || (!scan->combine && (scan->op == WEFT_SCAN_MAX || scan->op == WEFT_SCAN_MIN));
}

static weft_status get_kernels(weft__kernel **kernels, const scanning *s, weft__scan_key key, const char *file,
                               const char *const *names, int count) {
  weft__text user_key = {0};
  const weft__scan *scan = s->scan;
  key.in = (uint8_t)scan->in;
  key.out = (uint8_t)scan->out;
  key.op = scan->combine ? WEFT__SCAN_USER : (uint8_t)scan->op;
  key.exclusive = scan->exclusive;
  key.reverse = scan->reverse;
  key.is_cpu = s->is_cpu;
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

static weft_status scratch(weft_array **out, const scanning *s, uint64_t size_bytes) {
  return weft__array_create(out, s->context, WEFT_U8, WEFT_SHAPE((int64_t)size_bytes), s->site);
}

/// Launches `kernel` with y (unless NULL), x, the flags if any, and `state`.
static weft_status launch(const scanning *s, weft__kernel *kernel, uint64_t blocks, uint64_t block,
                          const weft__scan_args *args, weft_array *y, weft__storage *state) {
  weft__use use[4];
  int uses = 0;
  if (y) use[uses++] = (weft__use){y->storage, true};
  use[uses++] = (weft__use){s->x->storage, false};
  if (s->flags) use[uses++] = (weft__use){s->flags->storage, false};
  use[uses++] = (weft__use){state, state != s->x->storage};
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks), WEFT_DIM3(block), args, sizeof *args, uses,
                                              use, .what = what_of(s->scan), .site = s->site});
}

static weft_status run_lookback(const scanning *s, weft__scan_key key, const char *file, uint64_t block,
                                weft__scan_args *args) {
  static const char *const names[] = {"weft_scan"};
  weft__kernel *kernel;
  weft__lookback *lookback;
  key.lookback = 1;
  WEFT__TRY_RETURN(get_kernels(&kernel, s, key, file, names, 1));
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

/// Scans in passes that read x twice: the sums of tiles, on GPUs a scan of these sums, then the scan itself.
static weft_status run_passes(const scanning *s, weft__scan_key key, const char *file, uint64_t block,
                              const weft__scan_args *args) {
  static const char *const names[] = {"weft_scan", "weft_scan_sums", "weft_scan_spine"};
  weft_status rc;
  weft__kernel *kernel[3];
  weft_array *state = NULL;
  WEFT__TRY(get_kernels(kernel, s, key, file, names, s->is_cpu ? 2 : 3));
  WEFT__TRY(scratch(&state, s, args->tiles * (4 * (uint64_t)weft__scan_words(s->scan) + 1)));
  WEFT__TRY(launch(s, kernel[1], args->tiles, block, args, NULL, state->storage));
  if (!s->is_cpu) {
    const weft__use use = {state->storage, true};
    WEFT__TRY(weft__run_kernel(&(weft__kernel_run){kernel[2], WEFT_DIM3(1), WEFT_DIM3(block), args, sizeof *args, 1,
                                                   &use, .what = what_of(s->scan), .site = s->site}));
  }
  rc = launch(s, kernel[0], args->tiles, block, args, s->y, state->storage);
done:
  weft_array_release(&state);
  return rc;
}

static weft_status run_cpu(const scanning *s, weft__scan_args *args, bool in_one_pass) {
  static const char *const names[] = {"weft_scan", "weft_scan_sums"};
  uint64_t rows = args->n / args->row, length = CPU_TILE_BYTES / weft_dtype_size_bytes(s->scan->out);
  weft__scan_key key = {.flags = s->flags != NULL};
  if (args->row <= length) {
    weft__kernel *kernel[2];
    args->group = length / args->row;
    args->per_row = 1;
    args->tiles = weft_ceil_div(rows, args->group);
    key.lookback = in_one_pass;
    WEFT__TRY_RETURN(get_kernels(kernel, s, key, "scan/cpu.cl", names, in_one_pass ? 1 : 2));
    return launch(s, kernel[0], args->tiles, 1, args, s->y, s->x->storage);
  }
  if (!in_one_pass && args->row > length * CPU_TILES) length = weft_ceil_div(args->row, CPU_TILES);
  args->length = length;
  args->per_row = weft_ceil_div(args->row, length);
  args->tiles = rows * args->per_row;
  return in_one_pass ? run_lookback(s, key, "scan/cpu.cl", 1, args) : run_passes(s, key, "scan/cpu.cl", 1, args);
}

static weft_status run_gpu(const scanning *s, weft__scan_args *args, bool in_one_pass) {
  const weft__device *device = s->context->core.device;
  bool is_fixed = s->context->core.reproducible;
  bool is_small =
      !is_fixed && (device->info.type == WEFT_DEVICE_TYPE_CPU || device->info.local_memory_bytes < SMALL_LOCAL_BYTES);
  bool is_segmented = s->flags || args->row < args->n;
  uint64_t in = weft_dtype_size_bytes(s->scan->in), out = weft_dtype_size_bytes(s->scan->out);
  uint64_t elements = 16 / out, block = is_small ? SMALL_BLOCK : GPU_BLOCK,
           vpt = is_fixed                         ? FIXED_VPT
                 : is_small || args->n <= SMALL_N ? SMALL_VPT
                                                  : GPU_VPT;
  while (vpt > 1 && vpt * elements * (uint64_t)weft__scan_words(s->scan) > GPU_WORDS) vpt /= 2;
  while (is_segmented && vpt * elements > GPU_ITEMS) vpt /= 2;
  bool aligned = args->x % (elements * in) == 0 && args->y % 16 == 0 && args->flags % 4 == 0;
  const weft__scan_key key = {.flags = s->flags != NULL,
                              .rows = args->row < args->n,
                              .block_warps = (uint8_t)(block / 32),
                              .vpt = (uint8_t)vpt,
                              .elements = (uint8_t)elements,
                              .aligned = aligned,
                              .layout = is_segmented ? 1 : GPU_LAYOUT};
  uint64_t tile = block * vpt * elements;
  args->tiles = weft_ceil_div(args->n, tile);
  if (s->scan->reverse) args->phase = (args->row - (args->tiles * tile - args->n) % args->row) % args->row;
  return in_one_pass ? run_lookback(s, key, "scan/gpu.cl", block, args)
                     : run_passes(s, key, "scan/gpu.cl", block, args);
}

/// Makes the flags of a reverse scan, in which segments begin at their ends: all flags move one element to the front.
static weft_status turn_flags(weft_array **out, const scanning *s) {
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
static weft_status run_rows(const scanning *given, uint64_t row) {
  weft_status rc;
  scanning s = *given;
  weft_array *turned = NULL;
  if (s.flags && s.scan->reverse) {
    WEFT__TRY(turn_flags(&turned, &s));
    s.flags = turned;
  }
  weft__scan_args args = {.x = (uint64_t)s.x->offset_bytes,
                          .y = (uint64_t)s.y->offset_bytes,
                          .flags = s.flags ? (uint64_t)s.flags->offset_bytes : 0,
                          .n = (uint64_t)s.x->size,
                          .row = row};
  bool in_one_pass =
      weft__has_device_scope(&s.context->core) && (WEFT__LOOKBACK_FIXED || !s.scan->deterministic || is_exact(s.scan));
  rc = s.is_cpu ? run_cpu(&s, &args, in_one_pass) : run_gpu(&s, &args, in_one_pass);
done:
  weft_array_release(&turned);
  return rc;
}

/* ---- along an axis other than the last ---- */

static weft_status run_columns(const scanning *s, weft__axis_split split) {
  static const char *const names[] = {"weft_scan_columns", "weft_scan_columns_sums", "weft_scan_columns_spine"};
  weft_status rc;
  weft__kernel *kernel[3];
  weft_array *sums = NULL;
  uint64_t units = weft__grouping_units(&s->context->core), block = s->is_cpu ? 1 : SMALL_BLOCK;
  weft__scan_columns_args args = {.x = (uint64_t)s->x->offset_bytes,
                                  .y = (uint64_t)s->y->offset_bytes,
                                  .length = (uint64_t)split.length,
                                  .inner = (uint64_t)split.inner,
                                  .columns = (uint64_t)(split.outer * split.inner)};
  if (!s->is_cpu && s->context->core.device->info.type != WEFT_DEVICE_TYPE_CPU && args.columns > GPU_BLOCK * units)
    block = GPU_BLOCK;
  uint64_t wanted, items; /* work-items or threads: how many are wanted, and how many the columns make */
  if (s->is_cpu) {
    args.blocks = weft_ceil_div(args.inner, WEFT__SCAN_STRIP);
    items = (uint64_t)split.outer * args.blocks;
    wanted = CPU_ITEMS * units;
  } else {
    args.blocks = weft_ceil_div(args.columns, block);
    items = args.columns;
    wanted = COLUMN_THREADS * units;
  }
  args.chunks = items >= wanted / 2 ? 1 : wanted / items;
  if (args.chunks > args.length / LEAST_ROWS) args.chunks = args.length / LEAST_ROWS;
  if (args.chunks < 1) args.chunks = 1;
  args.rows = weft_ceil_div(args.length, args.chunks);
  args.chunks = weft_ceil_div(args.length, args.rows);
  uint64_t blocks = args.chunks * (s->is_cpu ? items : args.blocks);
  const weft__scan_key key = {.block_warps = (uint8_t)(block / 32)};
  const char *what = what_of(s->scan);
  const weft_dim3 grid = WEFT_DIM3(blocks), threads = WEFT_DIM3(block);
  WEFT__TRY(get_kernels(kernel, s, key, "scan/columns.cl", names, s->is_cpu ? 2 : 3));
  if (args.chunks > 1) {
    WEFT__TRY(scratch(&sums, s, args.chunks * args.columns * 4 * (uint64_t)weft__scan_words(s->scan)));
    const weft__use use[] = {{s->x->storage, false}, {sums->storage, true}};
    WEFT__TRY(weft__run_kernel(
        &(weft__kernel_run){kernel[1], grid, threads, &args, sizeof args, 2, use, .what = what, .site = s->site}));
    if (!s->is_cpu)
      WEFT__TRY(weft__run_kernel(&(weft__kernel_run){kernel[2], WEFT_DIM3(args.blocks), threads, &args, sizeof args, 1,
                                                     use + 1, .what = what, .site = s->site}));
  }
  const weft__use use[] = {
      {s->y->storage, true}, {s->x->storage, false}, {sums ? sums->storage : s->x->storage, false}};
  rc = weft__run_kernel(
      &(weft__kernel_run){kernel[0], grid, threads, &args, sizeof args, 3, use, .what = what, .site = s->site});
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

/// Scans columns as rows, in transposed copies.
static weft_status run_turned(const scanning *s, weft__axis_split split) {
  weft_status rc;
  weft_array *x = NULL, *flags = NULL, *y = NULL;
  const weft_array from_x = turned_view(s->x, split), from_flags = turned_view(s->flags ? s->flags : s->x, split);
  WEFT__TRY(weft__cast(&x, &from_x, from_x.dtype, s->site));
  if (s->flags) WEFT__TRY(weft__cast(&flags, &from_flags, from_flags.dtype, s->site));
  WEFT__TRY(weft__array_create(&y, s->context, s->scan->out, weft__array_shape(x), s->site));
  const scanning rows = {s->scan, s->context, y, x, flags, s->is_cpu, s->site};
  WEFT__TRY(run_rows(&rows, (uint64_t)split.length));
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

/* ---- by the calling thread ---- */

/// Running sums. Four elements at once: only every fourth addition waits for the one before.
#define RUNNING_SUM(NAME, T)                                                                      \
  static void NAME(uint64_t *to, const T *from, size_t n) {                                       \
    uint64_t sum = 0;                                                                             \
    size_t i = 0;                                                                                 \
    for (; i + 4 <= n; i += 4) {                                                                  \
      const uint64_t a = (uint64_t)from[i], b = (uint64_t)from[i + 1], c = (uint64_t)from[i + 2], \
                     d = (uint64_t)from[i + 3], ab = a + b, cd = c + d;                           \
      to[i] = sum + a;                                                                            \
      to[i + 1] = sum + ab;                                                                       \
      to[i + 2] = sum + (ab + c);                                                                 \
      to[i + 3] = sum += ab + cd;                                                                 \
    }                                                                                             \
    for (; i < n; i++) to[i] = sum += (uint64_t)from[i];                                          \
  }

RUNNING_SUM(sum_i32, int32_t)
RUNNING_SUM(sum_u32, uint32_t)
RUNNING_SUM(sum_64, uint64_t)

/// The running sums of few integers in one row. Sums of integers do not depend on the order of the additions.
static weft_status run_at_once(bool *is_done, const scanning *s, weft__axis_split split) {
  const weft__scan *scan = s->scan;
  const weft_array *x = s->x;
  const weft__use use[] = {{s->y->storage, true}, {x->storage, false}};
  const int64_t bytes = weft_array_size_bytes(x) + weft_array_size_bytes(s->y);
  char *place[2];
  *is_done = false;
  if (!s->is_cpu || s->flags || scan->combine || scan->op != WEFT_SCAN_SUM || scan->exclusive || scan->reverse ||
      split.outer > 1 || (scan->out != WEFT_I64 && scan->out != WEFT_U64) ||
      (uint64_t)bytes > weft__at_once_bytes(&s->context->core))
    return WEFT_OK;
  if (x->dtype != WEFT_I32 && x->dtype != WEFT_U32 && x->dtype != scan->out) return WEFT_OK;
  if ((x->offset_bytes | s->y->offset_bytes) % (int64_t)sizeof(uint64_t)) return WEFT_OK;
  WEFT__TRY_RETURN(weft__at_once(is_done, place, &s->context->core, 2, use));
  if (!*is_done) return WEFT_OK;
  void *to = place[0] + s->y->offset_bytes;
  const void *from = place[1] + x->offset_bytes;
  if (x->dtype == WEFT_I32)
    sum_i32(to, from, (size_t)x->size);
  else if (x->dtype == WEFT_U32)
    sum_u32(to, from, (size_t)x->size);
  else
    sum_64(to, from, (size_t)x->size);
  return WEFT_OK;
}

weft_status weft__scan_run(const weft__scan *scan, weft_array *y, const weft_array *x, const weft_array *flags,
                           weft__axis_split split, const char *site) {
  scanning s = {scan, x->context, y, x, flags, false, site};
  s.is_cpu = x->context->store.is_cpu;
  if (x->size == 0) return WEFT_OK;
  bool is_done = false;
  if (split.inner == 1) WEFT__TRY_RETURN(run_at_once(&is_done, &s, split));
  if (is_done) return WEFT_OK;
  if (split.inner == 1) return run_rows(&s, (uint64_t)split.length);
  bool is_narrow = !s.is_cpu && split.inner * (int64_t)weft_dtype_size_bytes(scan->out) < COLUMN_BYTES;
  return flags || is_narrow ? run_turned(&s, split) : run_columns(&s, split);
}

/* ---- segments ---- */

#define LANES 32

/// The loop of weft_scan_totals in C, with its order of additions: the same bits.
#define TOTALS_LOOP(TARGET, NAME, T)                                                                        \
  TARGET static void NAME(double *y, const T *x, const int64_t *offset, uint64_t segments, uint64_t n) {    \
    for (uint64_t s = 0; s < segments; s++) {                                                               \
      const uint64_t from = (uint64_t)offset[s] < n ? (uint64_t)offset[s] : n, to = (uint64_t)offset[s + 1]; \
      const uint64_t end = to < from ? from : to < n ? to : n;                                              \
      double lane[LANES], total = -0.0;                                                                     \
      uint64_t i = from;                                                                                    \
      for (int l = 0; l < LANES; l++) lane[l] = -0.0;                                                       \
      for (; i + LANES <= end; i += LANES)                                                                  \
        for (int l = 0; l < LANES; l++) lane[l] += (double)x[i + (uint64_t)l];                              \
      for (int l = 0; l < LANES / 2 && i > from; l++) total += lane[l] + lane[l + LANES / 2];               \
      for (; i < end; i++) total += (double)x[i];                                                           \
      y[s] = total;                                                                                         \
    }                                                                                                       \
  }
WEFT__EACH(TOTALS_LOOP, totals_f32, float)

/// Adds up few f32 without a launch.
static weft_status total_at_once(bool *is_done, const weft__scan *scan, weft_array *y, const weft_array *x,
                                 const weft_array *offsets) {
  static void (*const loop[3])(double *, const float *, const int64_t *, uint64_t, uint64_t) = WEFT__ALL(totals_f32);
  const weft__use use[] = {{y->storage, true}, {x->storage, false}, {offsets->storage, false}};
  char *place[3];
  *is_done = false;
  if (scan->op != WEFT_SCAN_SUM || scan->combine || scan->in != WEFT_F32 || scan->out != WEFT_F64 ||
      (uint64_t)(weft_array_size_bytes(x) + weft_array_size_bytes(offsets)) >
          weft__at_once_bytes(&x->context->core) / 2 ||
      x->offset_bytes % 4)
    return WEFT_OK;
  WEFT__TRY_RETURN(weft__at_once(is_done, place, &x->context->core, 3, use));
  if (*is_done)
    loop[WEFT__WIDTH]((double *)(void *)(place[0] + y->offset_bytes),
                      (const float *)(void *)(place[1] + x->offset_bytes),
                      (const int64_t *)(void *)(place[2] + offsets->offset_bytes), (uint64_t)y->size,
                      (uint64_t)x->size);
  return WEFT_OK;
}

weft_status weft__scan_totals(const weft__scan *scan, weft_array *y, const weft_array *x, const weft_array *offsets,
                              const char *site) {
  static const char *const names[] = {"weft_scan_totals"};
  const scanning s = {scan, x->context, y, x, offsets, true, site};
  weft__kernel *kernel;
  bool is_done;
  WEFT__TRY_RETURN(total_at_once(&is_done, scan, y, x, offsets));
  if (is_done) return WEFT_OK;
  weft__scan_args args = {.x = (uint64_t)x->offset_bytes,
                          .y = (uint64_t)y->offset_bytes,
                          .flags = (uint64_t)offsets->offset_bytes,
                          .n = (uint64_t)x->size,
                          .row = (uint64_t)y->size};
  args.length = weft_ceil_div(args.row, CPU_ITEMS * (uint64_t)weft__grouping_units(&x->context->core));
  WEFT__TRY_RETURN(get_kernels(&kernel, &s, (weft__scan_key){.totals = 1}, "scan/cpu.cl", names, 1));
  return launch(&s, kernel, weft_ceil_div(args.row, args.length), 1, &args, y, x->storage);
}
