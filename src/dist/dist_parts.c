// SPDX-License-Identifier: MIT
#include "dist/dist_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <weft/opencl.h>

#include "dist/transport.h"

enum { MOST_SAMPLES = 1 << 16, SPARSE = 16 };
/* Of one window, at most. Larger memory of CUDA's cannot be imported everywhere (quirk small_imports). */
enum { WINDOW_PIECES = 7 };

/* ---- rooms ---- */

/// The number of a rank among all ranks but `of`.
static int other(int of, int rank) {
  return rank < of ? rank : rank - 1;
}

int weft__dist_room(const weft_dist *grid, int of, int by) {
  return other(of, by) * grid->rooms->each;
}

static void close_rooms(struct weft__dist_rooms *rooms, int ranks) {
  for (int k = 0; k < WEFT__DIST_MOST_WINDOWS; k++) weft_release(&rooms->mine[k], &rooms->to[k], &rooms->from[k]);
  for (int k = 0; k < WEFT__DIST_MOST_WINDOWS * ranks && rooms->windows; k++) weft_array_release(&rooms->windows[k]);
  weft_event_release(&rooms->emptied);
  free(rooms->windows);
  weft_release(&rooms->to_offsets, &rooms->from_offsets);
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
  rooms->windows = weft__dist_new((size_t)grid->ranks * WEFT__DIST_MOST_WINDOWS, sizeof *rooms->windows);
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

/// Finds the whole memory of a window, and where the window begins in it.
static weft_status find_memory(weft_array **memory, int64_t *begin, const weft_dist *grid, weft_array *window) {
  size_t offset;
  struct _cl_mem *mem = weft_array_cl_mem(window, &offset);
  *begin = (int64_t)offset;
  return weft_array_adopt(memory, grid->context, mem, 0, WEFT_U8,
                          WEFT_SHAPE((int64_t)offset + weft_array_size(window)));
}

static weft_status find_memories(struct weft__dist_rooms *rooms, const weft_dist *grid) {
  int64_t to[WEFT__DIST_MOST_WINDOWS] = {0}, from[WEFT__DIST_MOST_WINDOWS] = {0};
  for (int r = 0; r < grid->ranks; r++)
    for (int k = 0; k < rooms->each && r != grid->rank; k++) {
      const int own = weft__dist_room(grid, grid->rank, r) + k, theirs = weft__dist_room(grid, r, grid->rank) + k;
      WEFT__TRY_RETURN(find_memory(&rooms->to[own], &to[own], grid, rooms->windows[theirs * grid->ranks + r]));
      WEFT__TRY_RETURN(find_memory(&rooms->from[own], &from[own], grid, rooms->mine[own]));
    }
  const weft_shape shape = WEFT_SHAPE(WEFT__DIST_MOST_WINDOWS);
  WEFT__TRY_RETURN(weft_from_host(&rooms->to_offsets, grid->context, WEFT_I64, shape, to));
  return weft_from_host(&rooms->from_offsets, grid->context, WEFT_I64, shape, from);
}

int64_t weft__dist_window_bytes(const weft_dist *grid) {
  return WINDOW_PIECES * grid->piece_bytes;
}

/// Windows for rooms of `bytes`; 0: too many.
static int windows_of(int64_t *window_bytes, const weft_dist *grid, int64_t bytes) {
  const int64_t most = weft__dist_window_bytes(grid);
  *window_bytes = bytes < most ? bytes : most;
  const int64_t count = (bytes + *window_bytes - 1) / *window_bytes * (grid->ranks - 1);
  return count > WEFT__DIST_MOST_WINDOWS ? 0 : (int)count;
}

weft_status weft__dist_rooms_open(bool *are_open, weft_dist *grid, int64_t bytes) {
  char why[WEFT__DIST_WHY_BYTES] = "";
  int64_t window_bytes;
  *are_open = false;
  if (grid->refuses_rooms || !windows_of(&window_bytes, grid, bytes)) return WEFT_OK;
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

/* ---- elements ---- */

weft_status weft__dist_aligned(weft_array **out, const weft_dist *grid, const weft_array *x, const char *site) {
  weft_device_info device;
  size_t offset;
  WEFT__TRY_RETURN(weft_context_get_device(&device, grid->context));
  weft_array_cl_mem(x, &offset);
  if (offset % device.address_align_bytes) return weft__copy_at(out, x, &(weft_copy_params){.site = site});
  *out = weft_array_retain((weft_array *)x);
  return WEFT_OK;
}

int64_t weft__dist_samples(const weft_dist *grid, int64_t total) {
  const int64_t count = total / grid->ranks / SPARSE;
  return count < MOST_SAMPLES ? count : MOST_SAMPLES;
}

weft_status weft__dist_sample(weft_array **sorted, weft_dist *grid, const weft__dist_call *call, const weft_array *x,
                              int64_t total, weft_status rc) {
  weft_array *some = NULL, *own = NULL, *all = NULL;
  const int64_t count = weft__dist_samples(grid, total);
  const int64_t step =
      (weft_array_size(x) / count - 1) | 1; /* odd: repetitions in arrays are most often of even length */
  const weft_slice_params at = {.step = step, .site = call->site};
  if (!rc) rc = weft__slice_at(&some, x, weft__axes_int(0), 0, count * step, &at);
  if (!rc) rc = weft__copy_at(&own, some, &(weft_copy_params){.site = call->site});
  WEFT__TRY(weft__dist_collect(&all, grid, call, own, rc));
  rc = weft__sort_at(weft__operand_result(sorted), weft__operand_array(all), weft__axes_int(0),
                     &(weft_sort_params){.site = call->site});
done:
  weft_release(&some, &own, &all);
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
  weft_array *view[WEFT__DIST_MOST_RANKS];
  int64_t at[WEFT__DIST_MOST_RANKS + 1];
} side;

/// Finds which of the elements low to high - 1 belong to another rank r: bounds[r] to bounds[r + 1] - 1.
static weft_status cut_side(side *s, const weft__dist_parts *parts, const weft_dist *grid, int64_t low, int64_t high,
                            const int64_t *bounds) {
  const int64_t each = (int64_t)weft_dtype_size_bytes(weft_array_dtype(parts->out));
  for (int r = 0; r < grid->ranks; r++) {
    const int64_t first = most_of(low, bounds[r]), stop = least_of(high, bounds[r + 1]);
    const bool moves = r != grid->rank && first < stop;
    s->at[r + 1] = s->at[r] + (moves ? (stop - first) * each : 0);
    if (moves) WEFT__TRY_RETURN(weft_slice(&s->view[r], parts->out, 0, first - parts->begin, stop - parts->begin));
  }
  return WEFT_OK;
}

weft_status weft__dist_parts_begin(weft__dist_parts *parts, const weft_dist *grid, const weft__dist_call *call,
                                   weft_dtype dtype) {
  const int64_t own = weft__dist_first(grid, parts->total, grid->rank);
  const int64_t stop = most_of(parts->first[grid->rank + 1], weft__dist_first(grid, parts->total, grid->rank + 1));
  weft_device_info device;
  WEFT__TRY_RETURN(weft_context_get_device(&device, grid->context));
  /* the share begins where every kernel can have it as an argument */
  const int64_t align = (int64_t)device.address_align_bytes / (int64_t)weft_dtype_size_bytes(dtype);
  const int64_t lead = own - least_of(parts->first[grid->rank], own);
  parts->begin = own - (lead + align - 1) / align * align;
  return weft__empty_at(&parts->out, grid->context, dtype, WEFT_SHAPE(stop - parts->begin), call->site);
}

weft_status weft__dist_parts_end(weft_array **share, weft__dist_parts *parts, weft_dist *grid,
                                 const weft__dist_call *call, weft_status rc) {
  int64_t shares[WEFT__DIST_MOST_RANKS + 1];
  side from = {0}, to = {0};
  for (int r = 0; r <= grid->ranks; r++) shares[r] = weft__dist_first(grid, parts->total, r);
  const int64_t *first = parts->first + grid->rank, *own = shares + grid->rank;
  if (!rc) rc = cut_side(&from, parts, grid, first[0], first[1], shares);
  if (!rc) rc = cut_side(&to, parts, grid, own[0], own[1], parts->first);
  WEFT__TRY(weft__dist_trade(grid, call, &(weft__dist_side){.array = parts->out, .at = from.at, .view = from.view},
                             &(weft__dist_side){.array = parts->out, .at = to.at, .view = to.view}, rc));
  rc = weft_slice(share, parts->out, 0, own[0] - parts->begin, own[1] - parts->begin);
done:
  for (int r = 0; r < grid->ranks; r++) weft_release(&from.view[r], &to.view[r]);
  return rc;
}
