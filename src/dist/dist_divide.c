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
#include <weft/opencl.h>

#include "dist/dist_kernels.h"
#include "dist/dist_parts.h"
#include "dist/dist_spread.h"
#include "dist/transport.h"
#include "divide_source.h"

/* THREADS, TILE_BYTES: of a block of the kernel. On CPUs, which stand in for GPUs in tests, small arrays have many. */
enum { THREADS = 256, TILE_BYTES = 32 << 10, CPU_TILE_BYTES = 4 << 10 };
enum { LEAST_PIECES = 4, LINE_BYTES = 128 };
enum { STATE_SIZES = 8, STATE_WORDS = 32 }; /* of the kernel's state: see there */

typedef struct division {
  weft_dist *grid;
  const weft__dist_call *call;
  const weft_array *x;
  int64_t n, total, room, samples; /* room: elements of a rank in a part, at most */
  weft_array *sorted_samples, *state;
  weft_array *came;                                             /* this rank's part: a room for each rank's elements */
  int64_t sizes[WEFT__DIST_MOST_RANKS * WEFT__DIST_MOST_RANKS]; /* of rank r's elements in part q: sizes[r ranks + q] */
  weft__dist_parts parts;
} division;

/* ---- dividing ---- */

static int64_t root_of(int64_t x) {
  int64_t root = 0;
  while ((root + 1) * (root + 1) <= x) root++;
  return root;
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
  weft_array *w[WEFT__DIST_MOST_WINDOWS], *counts = NULL, *x = NULL;
  uint32_t found[WEFT__DIST_MOST_RANKS];
  weft_status rc;
  WEFT__TRY(get_kernel(&kernel, grid, dtype));
  WEFT__TRY(weft_zeros(&d->state, grid->context, WEFT_U32, WEFT_SHAPE(STATE_WORDS + tiles * grid->ranks)));
  WEFT__TRY(weft__empty_at(&d->came, grid->context, dtype, WEFT_SHAPE(grid->ranks * d->room), d->call->site));
  WEFT__TRY(weft__dist_aligned(&x, grid, d->x, d->call->site));
  for (int k = 0; k < WEFT__DIST_MOST_WINDOWS; k++) w[k] = k < rooms->count ? rooms->to[k] : d->came;
  WEFT__TRY(weft_launch(kernel->kernel, WEFT_DIM3((uint64_t)tiles), kernel->block, d->came, x, d->state,
                        d->sorted_samples, rooms->to_offsets, (uint64_t)d->n, (uint64_t)(grid->rank * d->room),
                        (uint64_t)d->room, (uint64_t)(rooms->window_bytes / each), (uint32_t)tiles,
                        (uint32_t)grid->rank, (uint32_t)d->samples, (uint32_t)0,
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
      struct _cl_mem *mem = weft_array_cl_mem(rooms->mine[weft__dist_room(grid, grid->rank, r) + at / window], &offset);
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

/// Sorts what came to its place in the result's memory.
static weft_status sort_part(division *d) {
  const int64_t at = d->parts.first[d->grid->rank] - d->parts.begin;
  weft_array *joined = NULL, *sorted = NULL;
  weft_status rc;
  WEFT__TRY(join(&joined, d));
  WEFT__TRY(weft_slice(&sorted, d->parts.out, 0, at, at + weft_array_size(joined)));
  rc = weft__sort_at(weft__operand_result(&sorted), weft__operand_array(joined), weft__axes_int(0),
                     &(weft_sort_params){.site = d->call->site});
done:
  weft_release(&joined, &sorted);
  return rc;
}

/* ---- the call ---- */

static bool can_divide(const weft_dist *grid, weft_dtype dtype, int64_t total) {
  const int64_t each = (int64_t)weft_dtype_size_bytes(dtype);
  const char kind = weft_dtype_kind(dtype);
  return grid->ranks > 1 && grid->ranks <= WEFT__DIST_MOST_RANKS && grid->transport->has_windows && kind != 'c' &&
         (each == 4 || each == 8) && total / grid->ranks < INT32_MAX &&
         total / grid->ranks * each >= LEAST_PIECES * grid->piece_bytes;
}

/// Whether every part fits its room. Then the parts' first elements.
static bool is_even(division *d) {
  const int ranks = d->grid->ranks;
  for (int q = 0; q < ranks; q++) {
    d->parts.first[q + 1] = d->parts.first[q];
    for (int r = 0; r < ranks; r++) {
      if (d->sizes[r * ranks + q] > d->room) return false;
      d->parts.first[q + 1] += d->sizes[r * ranks + q];
    }
  }
  return true;
}

/// The elements of a room: `samples` of each rank divide the elements.
static int64_t room_size(const division *d, int64_t samples) {
  const int64_t part = d->total / d->grid->ranks / d->grid->ranks;
  return (part + part * 16 / root_of(samples)) / LINE_BYTES * LINE_BYTES + 2 * LINE_BYTES;
}

weft_status weft__dist_divide(weft_array **sorted, weft_dist *grid, const weft__dist_call *call, const weft_array *x,
                              int64_t total) {
  division d = {.grid = grid, .call = call, .x = x, .n = weft_array_size(x), .total = total, .parts = {.total = total}};
  const weft_dtype dtype = weft_array_dtype(x);
  int64_t own[WEFT__DIST_MOST_RANKS] = {0};
  bool are_open;
  weft_status rc = WEFT_OK;
  if (grid->refuses_rooms || !can_divide(grid, dtype, total)) return WEFT_OK;
  if (grid->rooms && grid->rooms->emptied) rc = weft_event_wait(grid->rooms->emptied);
  WEFT__TRY(weft__dist_rendezvous(grid, call, weft__dist_sample(&d.sorted_samples, grid, call, x, total, rc)));
  WEFT__TRY(weft__dist_spread(sorted, grid, call, x, total, d.sorted_samples));
  if (*sorted) goto done;
  d.samples = weft_array_size(d.sorted_samples);
  d.room = room_size(&d, weft__dist_samples(grid, total));
  WEFT__TRY(weft__dist_rooms_open(&are_open, grid, d.room * (int64_t)weft_dtype_size_bytes(dtype)));
  if (!are_open) goto done;
  WEFT__TRY(weft__dist_rendezvous(grid, call, write_parts(&d, own)));
  WEFT__TRY(weft__dist_all_numbers(grid, d.sizes, own, grid->ranks));
  if (!is_even(&d)) goto done;
  rc = weft__dist_parts_begin(&d.parts, grid, call, dtype);
  if (!rc) rc = sort_part(&d);
  rc = weft__dist_parts_end(sorted, &d.parts, grid, call, rc);
done:
  weft_release(&d.sorted_samples, &d.state, &d.came, &d.parts.out);
  return rc;
}
