// SPDX-License-Identifier: MIT
/// What the sorts have in common whose ranks write into each other's memory: that memory, samples of all elements, and
/// the way from sorted parts to the ranks' shares.
#ifndef WEFT_DIST_PARTS_H
#define WEFT_DIST_PARTS_H

#include "dist/dist_array.h"

enum { WEFT__DIST_MOST_RANKS = 8, WEFT__DIST_MOST_WINDOWS = 16 };

/// Memory into which the other ranks write: each has a room, of `each` windows.
struct weft__dist_rooms {
  int64_t window_bytes;
  int each, count; /* count: windows of all rooms */
  weft_array *mine[WEFT__DIST_MOST_WINDOWS];
  weft_array **windows; /* of the other ranks: ranks arrays for each of `mine` */
  /* The whole memory of the windows that this rank writes into, and of its own, and where the windows begin in it: a
     kernel cannot have a part of CUDA's memory as an argument. */
  weft_array *to[WEFT__DIST_MOST_WINDOWS], *from[WEFT__DIST_MOST_WINDOWS], *to_offsets, *from_offsets;
  weft_event *emptied; /* NULL: they were not used yet */
};

/// The most bytes of a window.
int64_t weft__dist_window_bytes(const weft_dist *grid);
/// Whether all ranks have rooms of `bytes` in grid->rooms. Collective. Memory that a rank lacks is no failure.
weft_status weft__dist_rooms_open(bool *are_open, weft_dist *grid, int64_t bytes);
/// The first window of the room on rank `of` for the elements of rank `by`.
int weft__dist_room(const weft_dist *grid, int of, int by);

/// `x`, or a copy of it that every kernel can have as an argument.
weft_status weft__dist_aligned(weft_array **out, const weft_dist *grid, const weft_array *x, const char *site);

/// How many samples weft__dist_sample takes of each rank's elements; all ranks together have `total` elements.
int64_t weft__dist_samples(const weft_dist *grid, int64_t total);
/// Samples of all ranks, in order. Collective. `rc`: this rank's status so far.
weft_status weft__dist_sample(weft_array **sorted, weft_dist *grid, const weft__dist_call *call, const weft_array *x,
                              int64_t total, weft_status rc);

/// Parts of all elements in order, one for each rank, of other sizes than the ranks' shares: part q begins with element
/// first[q], first[ranks] is `total`. This rank's is in `out`, from its place on: the first element of `out` is number
/// `begin`, and there is room for the rest of its share too.
typedef struct weft__dist_parts {
  int64_t total, begin, first[WEFT__DIST_MOST_RANKS + 1];
  weft_array *out;
} weft__dist_parts;

/// Makes `out`, of the dtype, for this rank's part. `first` is set.
weft_status weft__dist_parts_begin(weft__dist_parts *parts, const weft_dist *grid, const weft__dist_call *call,
                                   weft_dtype dtype);
/// Gives the ranks their shares, *share with this rank's. Collective. `rc`: this rank's status so far.
weft_status weft__dist_parts_end(weft_array **share, weft__dist_parts *parts, weft_dist *grid,
                                 const weft__dist_call *call, weft_status rc);

#endif
