// SPDX-License-Identifier: MIT
/// The elements of a call in chunks (call/chunk.h) lie in tiles: one index of each outer axis, a piece of the axis that
/// is cut, all of the inner ones. A tile is one run of row-major numbers, and of every array in host memory, whose
/// elements follow each other, one run of bytes too. What is repeated along an axis is not cut there.
#ifndef WEFT_CALL_TILE_H
#define WEFT_CALL_TILE_H

#include "call/chunk.h"

/// An array of the call.
typedef struct weft__tile_part {
  int at; /* in call->array */
  bool is_host, is_result;
  weft_array like; /* the array; of host memory one that has its strides */
  weft__staging staging;
} weft__tile_part;

typedef struct weft__tiles {
  weft__call *call;
  int parts;
  weft__tile_part part[WEFT__MAX_ARRAYS];
  weft__layout layout; /* axes that follow each other in all arrays are one */
  int axis;            /* that is cut */
  int64_t piece;       /* how much of it is in a tile */
  int64_t inner;       /* elements behind one index of it */
  weft__chunking chunking;
  bool waits; /* in the end, for the queues */
} weft__tiles;

/// A chunk. The first one: {.length = tiles.piece}.
typedef struct weft__tile {
  uint64_t number;
  int64_t outer; /* the index of the axes before the cut one, taken as one */
  int64_t begin, length;
} weft__tile;

/// The operands that are arrays, and those in host memory that are repeated and small: they go to the device whole, as
/// they would otherwise go there again and again.
weft_status weft__tiles_upload(weft__call *c, weft_shape shape, uint64_t chunk_bytes);
/// The arrays of the call, from number `first` on, and how they lie. `along` (NULL: none): axes that it says different
/// things of stay apart.
void weft__tiles_list(weft__tiles *w, weft__call *c, int first, weft_shape shape, const bool *along);
/// Chooses axis and piece. `axes`: how many of the outer ones may be cut; of the last of them one index is a chunk,
/// however much is behind it. `own_bytes`: what a chunk takes on the device for each element, besides its host memory.
void weft__tiles_cut(weft__tiles *w, int axes, int64_t own_bytes, uint64_t chunk_bytes);
/// Queues and staging. On failure there is nothing to close.
weft_status weft__tiles_open(weft__tiles *w);
/// Returns the first failure, `rc` or that of the work under way.
weft_status weft__tiles_close(weft__tiles *w, weft_status rc);

/// The number of its first element, among all, and how many it has.
uint64_t weft__tile_first(const weft__tiles *w, const weft__tile *b);
int64_t weft__tile_elements(const weft__tiles *w, const weft__tile *b);
/// The parts of operands in host memory to the device, in this thread's queue `queue`; those of results back.
weft_status weft__tile_to_device(weft__tiles *w, const weft__tile *b, int queue);
weft_status weft__tile_to_host(weft__tiles *w, const weft__tile *b, int queue);
/// The part of array k as the kernel shall see it.
void weft__tile_view(const weft__tiles *w, const weft__tile *b, int k, int queue, weft_array *view);
/// False behind the last one.
bool weft__tile_next(const weft__tiles *w, weft__tile *b);

#endif
