// SPDX-License-Identifier: MIT
/// Sorting over ranks, divided first: splitters among samples cut all elements into as many parts as there are ranks;
/// in one pass (cl/dist/divide.cl) each rank writes the others' parts into their memory; each rank sorts what it has,
/// and the few elements that the samples misplaced go to their rank. Beside the ranks' own sorts only that pass, and
/// the copies that empty the rooms, move all elements.
///
/// Equal elements are in one part, and a part has the ranks' elements in the order of the ranks: the sort is stable by
/// global index, as the ranks' own sorts are.
#include "dist/dist_divide.h"

#include <stdio.h>
#include <stdlib.h>
#include <weft/opencl.h>

#include "dist/dist_kernels.h"
#include "dist/transport.h"
#include "divide_source.h"

/* THREADS, TILE_BYTES: of a block of the kernel. On CPUs, which stand in for GPUs in tests, small arrays have many. */
enum { THREADS = 256, TILE_BYTES = 32 << 10, CPU_TILE_BYTES = 4 << 10 };
enum { MOST_RANKS = 8, MOST_WINDOWS = 16 };
enum { LEAST_PIECES = 4, MOST_SAMPLES = 1 << 16, SPARSE = 16, DEVIATIONS = 4, LINE_BYTES = 128 };
enum { STATE_SIZES = 8, STATE_WORDS = 32 }; /* of the kernel's state: see there */
/* Of one window, at most. Larger memory of CUDA's cannot be imported everywhere (quirk small_imports). */
enum { WINDOW_PIECES = 7 };

/// Memory into which the other ranks write: each has a room, of `each` windows.
struct weft__dist_rooms {
  int64_t window_bytes;
  int each, count; /* count: windows of all rooms */
  weft_array *mine[MOST_WINDOWS];
  weft_array **windows;                   /* of the other ranks: ranks arrays for each of `mine` */
  weft_array *to[MOST_WINDOWS], *offsets; /* the windows for this rank: their whole memory; where they begin in it */
  weft_event *emptied;
};

typedef struct division {
  weft_dist *grid;
  const weft__dist_call *call;
  const weft_array *x;
  int64_t n, total, room, samples, shift; /* room: elements of a rank in a part, at most */
  weft_array *sorted_samples, *state;
  weft_array *came;                       /* this rank's part: a room for each rank's elements */
  int64_t sizes[MOST_RANKS * MOST_RANKS]; /* of rank r's elements in part q: sizes[r ranks + q] */
  weft_array *out;
  int64_t begin, first[MOST_RANKS + 1]; /* numbers of elements in order: the first one of `out`; of each part */
} division;

/* ---- rooms ---- */

/// The number of a rank among the others than `of`.
static int other(int of, int rank) {
  return rank < of ? rank : rank - 1;
}

/// The first window of the room on rank `of` for the elements of rank `by`.
static int room_of(const weft_dist *grid, int of, int by) {
  return other(of, by) * grid->rooms->each;
}

static void close_rooms(struct weft__dist_rooms *rooms, int ranks) {
  for (int k = 0; k < MOST_WINDOWS; k++) weft_release(&rooms->mine[k], &rooms->to[k]);
  for (int k = 0; k < MOST_WINDOWS * ranks && rooms->windows; k++) weft_array_release(&rooms->windows[k]);
  weft_event_release(&rooms->emptied);
  free(rooms->windows);
  weft_array_release(&rooms->offsets);
  *rooms = (struct weft__dist_rooms){0};
}

void weft__dist_rooms_free(weft_dist *grid) {
  if (grid->rooms) close_rooms(grid->rooms, grid->ranks);
  free(grid->rooms);
  grid->rooms = NULL;
}

static weft_status make_rooms(struct weft__dist_rooms *rooms, const weft_dist *grid) {
  weft_array *ordinary = NULL;
  weft_status rc;
  rooms->windows = weft__dist_new((size_t)grid->ranks * MOST_WINDOWS, sizeof *rooms->windows);
  rc = rooms->windows ? WEFT_OK : WEFT_ERROR_HOST_MEMORY;
  for (int k = 0; k < rooms->count && !rc; k++) {
    WEFT__TRY(weft_empty(&ordinary, grid->context, WEFT_U8, WEFT_SHAPE(rooms->window_bytes)));
    rc = weft_cuda_share(&rooms->mine[k], ordinary);
    weft_array_release(&ordinary);
  }
done:
  weft_array_release(&ordinary);
  return rc;
}

/// The windows that this rank writes into, as arrays of their whole memory: a kernel cannot have a part of CUDA's
/// memory as an argument.
static weft_status find_memories(struct weft__dist_rooms *rooms, const weft_dist *grid) {
  int64_t offsets[MOST_WINDOWS] = {0};
  for (int r = 0; r < grid->ranks; r++)
    for (int k = 0; k < rooms->each && r != grid->rank; k++) {
      const int to = room_of(grid, grid->rank, r) + k, theirs = room_of(grid, r, grid->rank) + k;
      size_t offset;
      struct _cl_mem *mem = weft_array_cl_mem(rooms->windows[theirs * grid->ranks + r], &offset);
      offsets[to] = (int64_t)offset;
      WEFT__TRY_RETURN(weft_array_adopt(&rooms->to[to], grid->context, mem, 0, WEFT_U8,
                                        WEFT_SHAPE((int64_t)offset + rooms->window_bytes)));
    }
  return weft_from_host(&rooms->offsets, grid->context, WEFT_I64, WEFT_SHAPE(MOST_WINDOWS), offsets);
}

/// Windows for rooms of `bytes`; 0: too many.
static int windows_of(int64_t *window_bytes, const weft_dist *grid, int64_t bytes) {
  const int64_t most = WINDOW_PIECES * grid->piece_bytes;
  *window_bytes = bytes < most ? bytes : most;
  const int64_t count = (bytes + *window_bytes - 1) / *window_bytes * (grid->ranks - 1);
  return count > MOST_WINDOWS ? 0 : (int)count;
}

/// Whether all ranks have rooms of `bytes`. Collective. Memory that a rank lacks is no failure.
static weft_status open_rooms(bool *are_open, weft_dist *grid, int64_t bytes) {
  char why[WEFT__DIST_WHY_BYTES] = "";
  if (!grid->rooms) grid->rooms = weft__dist_new(1, sizeof *grid->rooms);
  struct weft__dist_rooms *rooms = grid->rooms;
  int64_t refused = !rooms;
  *are_open = rooms && rooms->window_bytes * rooms->each >= bytes;
  if (*are_open) return WEFT_OK;
  if (rooms) {
    close_rooms(rooms, grid->ranks);
    rooms->count = windows_of(&rooms->window_bytes, grid, bytes);
    rooms->each = rooms->count / (grid->ranks - 1);
    refused = make_rooms(rooms, grid) != WEFT_OK;
    if (refused) snprintf(why, sizeof why, "%.190s", weft_error_last()->message);
  }
  WEFT__TRY_RETURN(weft__dist_all_most(grid, &refused));
  for (int k = 0; !refused && k < rooms->count; k++) {
    refused = !weft__dist_windows_open(rooms->windows + (size_t)k * (size_t)grid->ranks, grid, rooms->mine[k], why);
    WEFT__TRY_RETURN(weft__dist_all_most(grid, &refused));
  }
  if (!refused) refused = find_memories(rooms, grid) != WEFT_OK;
  WEFT__TRY_RETURN(weft__dist_all_most(grid, &refused));
  if (refused) {
    grid->refuses_rooms = true; /* also on a rank that has no memory for the structure */
    if (rooms) close_rooms(rooms, grid->ranks);
    if (why[0]) weft_log_write(WEFT_LOG_INFO, why);
  }
  *are_open = !refused;
  return WEFT_OK;
}

/* ---- dividing ---- */

static int64_t root_of(int64_t x) {
  int64_t root = 0;
  while ((root + 1) * (root + 1) <= x) root++;
  return root;
}

/// The samples of all ranks in order. The splitters among them are so far behind the places at equal distances that
/// each rank but the last sorts, except in rare cases, at least its share: what moves in the end goes to the next rank.
static weft_status take_samples(division *d, weft_status rc) {
  weft_array *some = NULL, *own = NULL, *all = NULL;
  int64_t count = d->total / d->grid->ranks / SPARSE;
  if (count > MOST_SAMPLES) count = MOST_SAMPLES;
  const int64_t step = (d->n / count - 1) | 1; /* odd: what repeats in arrays repeats most often after an even number */
  const weft_slice_params at = {.step = step, .site = d->call->site};
  if (!rc) rc = weft__slice_at(&some, d->x, weft__axes_int(0), 0, count * step, &at);
  if (!rc) rc = weft__copy_at(&own, some, &(weft_copy_params){.site = d->call->site});
  WEFT__TRY(weft__dist_collect(&all, d->grid, d->call, own, rc));
  d->samples = weft_array_size(all);
  d->shift = DEVIATIONS * root_of(d->samples) / 2; /* a sample's place deviates by at most half the root */
  rc = weft__sort_at(weft__operand_result(&d->sorted_samples), weft__operand_array(all), weft__axes_int(0),
                     &(weft_sort_params){.site = d->call->site});
done:
  weft_release(&some, &own, &all);
  return rc;
}

static int tile_bytes_of(const weft_dist *grid) {
  return grid->is_cpu ? CPU_TILE_BYTES : TILE_BYTES;
}

static weft_status get_kernel(const weft__dist_kernel **kernel, weft_dist *grid, weft_dtype dtype) {
  static const char name[] = "weft_divide";
  enum { OWN = 4 };
  char text[WEFT__DIST_KEY_MACROS + OWN][WEFT__DIST_MACRO_BYTES];
  const char *defines[WEFT__DIST_KEY_MACROS + OWN + 1] = {NULL};
  char(*own)[WEFT__DIST_MACRO_BYTES] = text + WEFT__DIST_KEY_MACROS;
  const uint64_t variant = (uint64_t)grid->rooms->each * WEFT_DTYPE_COUNT + dtype;
  if ((*kernel = weft__dist_kernel_find(grid, name, variant))) return WEFT_OK;
  weft__dist_key_macros(text, dtype);
  snprintf(own[0], sizeof own[0], "BLOCK=%d", THREADS);
  snprintf(own[1], sizeof own[1], "EACH=%d", tile_bytes_of(grid) / THREADS / (int)weft_dtype_size_bytes(dtype));
  snprintf(own[2], sizeof own[2], "RANKS=%d", grid->ranks);
  snprintf(own[3], sizeof own[3], "EACH_WINDOWS=%d", grid->rooms->each);
  for (int k = 0; k < WEFT__DIST_KEY_MACROS + OWN; k++) defines[k] = text[k];
  return weft__dist_kernel_add(
      kernel, grid, variant,
      &(weft_kernel_params){
          .source = divide_source, .name = name, .defines = defines, .source_name = "dist/divide.cl"});
}

/// Writes the parts, and learns the sizes of this rank's.
static weft_status write_parts(division *d, int64_t *sizes) {
  weft_dist *grid = d->grid;
  const struct weft__dist_rooms *rooms = grid->rooms;
  const weft_dtype dtype = weft_array_dtype(d->x);
  const int64_t each = (int64_t)weft_dtype_size_bytes(dtype), tile = tile_bytes_of(grid) / each;
  const int64_t tiles = (d->n + tile - 1) / tile;
  const weft__dist_kernel *kernel;
  weft_array *w[MOST_WINDOWS], *counts = NULL, *x = NULL;
  uint32_t found[MOST_RANKS];
  weft_device_info device;
  size_t offset;
  weft_status rc;
  WEFT__TRY(get_kernel(&kernel, grid, dtype));
  WEFT__TRY(weft_zeros(&d->state, grid->context, WEFT_U32, WEFT_SHAPE(STATE_WORDS + tiles * grid->ranks)));
  WEFT__TRY(weft__empty_at(&d->came, grid->context, dtype, WEFT_SHAPE(grid->ranks * d->room), d->call->site));
  WEFT__TRY(weft_context_get_device(&device, grid->context));
  weft_array_cl_mem(d->x, &offset);
  if (offset % device.address_align_bytes)
    WEFT__TRY(weft__copy_at(&x, d->x, &(weft_copy_params){.site = d->call->site}));
  else
    x = weft_array_retain((weft_array *)d->x);
  for (int k = 0; k < MOST_WINDOWS; k++) w[k] = k < rooms->count ? rooms->to[k] : d->came;
  WEFT__TRY(weft_launch(kernel->kernel, WEFT_DIM3((uint64_t)tiles), kernel->block, d->came, x, d->state,
                        d->sorted_samples, rooms->offsets, (uint64_t)d->n, (uint64_t)(grid->rank * d->room),
                        (uint64_t)d->room, (uint64_t)(rooms->window_bytes / each), (uint32_t)tiles,
                        (uint32_t)grid->rank, (uint32_t)d->samples, (uint32_t)d->shift, (uint32_t)0,
                        weft__dist_key_flip(dtype), w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10],
                        w[11], w[12], w[13], w[14], w[15]));
  WEFT__TRY(weft_slice(&counts, d->state, 0, STATE_SIZES, STATE_SIZES + grid->ranks));
  WEFT__TRY(weft_to_host(found, (size_t)grid->ranks * sizeof *found, counts));
  for (int q = 0; q < grid->ranks; q++) sizes[q] = found[q];
done:
  weft_release(&counts, &x);
  return rc;
}

/* ---- what came ---- */

/// Moves the other ranks' elements in this rank's part from their rooms beside its own ones, which begin at rank *
/// room: the elements of the ranks before end there.
static weft_status join(weft_array **joined, division *d) {
  weft_dist *grid = d->grid;
  const struct weft__dist_rooms *rooms = grid->rooms;
  const weft_dtype dtype = weft_array_dtype(d->x);
  const int64_t window = rooms->window_bytes / (int64_t)weft_dtype_size_bytes(dtype);
  const int64_t *sizes = d->sizes + grid->rank;
  weft_array *from = NULL, *to = NULL;
  int64_t begin = grid->rank * d->room, place;
  weft_status rc;
  for (int r = 0; r < grid->rank; r++) begin -= sizes[r * grid->ranks];
  place = begin;
  for (int r = 0; r < grid->ranks; r++) {
    const int64_t size = sizes[r * grid->ranks];
    for (int64_t at = 0; at < size && r != grid->rank; at += window) {
      const int64_t now = size - at < window ? size - at : window;
      size_t offset;
      struct _cl_mem *mem = weft_array_cl_mem(rooms->mine[room_of(grid, grid->rank, r) + at / window], &offset);
      WEFT__TRY(weft_array_adopt(&from, grid->context, mem, offset, dtype, WEFT_SHAPE(now)));
      WEFT__TRY(weft_slice(&to, d->came, 0, place + at, place + at + now));
      WEFT__TRY(weft_copy(&to, from));
      weft_release(&from, &to);
    }
    place += size;
  }
  WEFT__TRY(weft_event_record(&grid->rooms->emptied, grid->context, NULL));
  rc = weft_slice(joined, d->came, 0, begin, place);
done:
  weft_release(&from, &to);
  return rc;
}

/// Sorts what came to its place in `out`, which ends with element stop - 1.
static weft_status sort_part(division *d, int64_t stop) {
  const int64_t at = d->first[d->grid->rank] - d->begin;
  weft_array *joined = NULL, *sorted = NULL;
  weft_status rc;
  WEFT__TRY(
      weft__empty_at(&d->out, d->grid->context, weft_array_dtype(d->x), WEFT_SHAPE(stop - d->begin), d->call->site));
  WEFT__TRY(join(&joined, d));
  WEFT__TRY(weft_slice(&sorted, d->out, 0, at, at + weft_array_size(joined)));
  rc = weft__sort_at(weft__operand_result(&sorted), weft__operand_array(joined), weft__axes_int(0),
                     &(weft_sort_params){.site = d->call->site});
done:
  weft_release(&joined, &sorted);
  return rc;
}

/* ---- shares ---- */

static int64_t most_of(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static int64_t least_of(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/// One side of the last exchange: views of what goes to, or comes from, each rank.
typedef struct side {
  weft_array *view[MOST_RANKS];
  int64_t at[MOST_RANKS + 1];
} side;

/// Of the elements low to high - 1 what is another rank r's, from bounds[r] to bounds[r + 1] - 1.
static weft_status cut_side(side *s, const division *d, int64_t low, int64_t high, const int64_t *bounds) {
  const int64_t each = (int64_t)weft_dtype_size_bytes(weft_array_dtype(d->x));
  for (int r = 0; r < d->grid->ranks; r++) {
    const int64_t first = most_of(low, bounds[r]), stop = least_of(high, bounds[r + 1]);
    const bool moves = r != d->grid->rank && first < stop;
    s->at[r + 1] = s->at[r] + (moves ? (stop - first) * each : 0);
    if (moves) WEFT__TRY_RETURN(weft_slice(&s->view[r], d->out, 0, first - d->begin, stop - d->begin));
  }
  return WEFT_OK;
}

/// Sorts, and gives the ranks their shares.
static weft_status finish(weft_array **result, division *d) {
  weft_dist *grid = d->grid;
  int64_t shares[MOST_RANKS + 1];
  side from = {0}, to = {0};
  weft_array *share = NULL;
  weft_status rc;
  for (int r = 0; r <= grid->ranks; r++) shares[r] = weft__dist_first(grid, d->total, r);
  const int64_t first = d->first[grid->rank], after = d->first[grid->rank + 1];
  const int64_t own = shares[grid->rank], own_stop = shares[grid->rank + 1];
  d->begin = least_of(first, own);
  rc = sort_part(d, most_of(after, own_stop));
  if (!rc) rc = cut_side(&from, d, first, after, shares);
  if (!rc) rc = cut_side(&to, d, own, own_stop, d->first);
  WEFT__TRY(weft__dist_trade(grid, d->call, &(weft__dist_side){.array = d->out, .at = from.at, .view = from.view},
                             &(weft__dist_side){.array = d->out, .at = to.at, .view = to.view}, rc));
  WEFT__TRY(weft_slice(&share, d->out, 0, own - d->begin, own_stop - d->begin));
  if (d->begin == own) {
    *result = share;
    share = NULL;
  } else {
    rc = weft__copy_at(result, share, &(weft_copy_params){.site = d->call->site});
  }
done:
  for (int r = 0; r < grid->ranks; r++) weft_release(&from.view[r], &to.view[r]);
  weft_array_release(&share);
  return rc;
}

/* ---- the call ---- */

static bool can_divide(const weft_dist *grid, weft_dtype dtype, int64_t total) {
  const int64_t each = (int64_t)weft_dtype_size_bytes(dtype);
  const char kind = weft_dtype_kind(dtype);
  return grid->ranks > 1 && grid->ranks <= MOST_RANKS && grid->transport->has_windows && kind != 'c' &&
         (each == 4 || each == 8) && total / grid->ranks < INT32_MAX &&
         total / grid->ranks * each >= LEAST_PIECES * grid->piece_bytes;
}

/// Whether every part fits its room. Then first[]: its first element in order.
static bool is_even(division *d) {
  const int ranks = d->grid->ranks;
  for (int q = 0; q < ranks; q++) {
    d->first[q + 1] = d->first[q];
    for (int r = 0; r < ranks; r++) {
      if (d->sizes[r * ranks + q] > d->room) return false;
      d->first[q + 1] += d->sizes[r * ranks + q];
    }
  }
  return true;
}

weft_status weft__dist_divide(weft_array **sorted, weft_dist *grid, const weft__dist_call *call, const weft_array *x,
                              int64_t total) {
  division d = {.grid = grid, .call = call, .x = x, .n = weft_array_size(x), .total = total};
  int64_t own[MOST_RANKS] = {0}, window_bytes;
  bool are_open;
  weft_status rc = WEFT_OK;
  if (grid->refuses_rooms || !can_divide(grid, weft_array_dtype(x), total)) return WEFT_OK;
  const int64_t each = (int64_t)weft_dtype_size_bytes(weft_array_dtype(x)), part = total / grid->ranks / grid->ranks;
  const int64_t samples = least_of(total / grid->ranks / SPARSE, MOST_SAMPLES); /* of a rank */
  d.room = (part + part * 16 / root_of(samples)) / LINE_BYTES * LINE_BYTES + 2 * LINE_BYTES;
  if (!windows_of(&window_bytes, grid, d.room * each)) return WEFT_OK;
  WEFT__TRY(open_rooms(&are_open, grid, d.room * each));
  if (!are_open) return WEFT_OK;
  if (grid->rooms->emptied) rc = weft_event_wait(grid->rooms->emptied);
  WEFT__TRY(take_samples(&d, rc));
  WEFT__TRY(weft__dist_meet(grid, call, write_parts(&d, own)));
  WEFT__TRY(weft__dist_all_numbers(grid, d.sizes, own, grid->ranks));
  if (is_even(&d)) rc = finish(sorted, &d);
done:
  weft_release(&d.sorted_samples, &d.state, &d.came, &d.out);
  return rc;
}
