// SPDX-License-Identifier: MIT
/// A chunk of a call (call/chunk.h) is a tile: one index of each axis before the cut axis, a piece of the cut axis, and
/// all of the inner axes. A tile is one run of elements in row-major order, so in a host array, which is contiguous, it
/// is also one run of bytes. An array broadcast along an axis is not cut there.
#ifndef WEFT_CALL_TILE_H
#define WEFT_CALL_TILE_H

#include "call/chunk.h"

/// An array of the call.
typedef struct weft__tile_part {
  int at; /* index in call->array */
  bool is_host, is_result;
  weft_array like; /* the array; for host memory an array with its shape and strides */
  weft__staging staging;
} weft__tile_part;

typedef struct weft__tiles {
  weft__call *call;
  int parts;
  weft__tile_part part[WEFT__MAX_ARRAYS];
  weft__layout layout; /* axes that continue each other in all arrays are merged */
  int axis;            /* the axis that is cut */
  int64_t piece;       /* its length in a tile */
  int64_t inner;       /* elements for one index of it */
  weft__chunking chunking;
  bool waits; /* close waits for the queues */
} weft__tiles;

/// A chunk. Begin with {.length = tiles.piece}.
typedef struct weft__tile {
  uint64_t number;
  int64_t outer; /* one index for all axes before the cut axis */
  int64_t begin, length;
} weft__tile;

/// Copies operands to the device as a whole if they are arrays, or small and broadcast host memory, which would
/// otherwise be copied for every chunk.
weft_status weft__tiles_upload(weft__call *c, weft_shape shape, uint64_t chunk_bytes);
/// Lists the arrays of the call from number `first` on, with their layout. `along` (NULL: none): an axis in it is not
/// merged with one that is not.
void weft__tiles_list(weft__tiles *w, weft__call *c, int first, weft_shape shape, const bool *along);
/// Chooses the cut axis and the piece. Only the first `axes` axes may be cut; of the last of them a chunk has at least
/// one index, however many elements that is. `own_bytes`: device memory per element of a chunk, besides its host
/// memory.
void weft__tiles_cut(weft__tiles *w, int axes, int64_t own_bytes, uint64_t chunk_bytes);
/// Opens queues and staging arrays. On failure there is nothing to close.
weft_status weft__tiles_open(weft__tiles *w);
/// Returns the first failure: `rc`, or the failure of the work in progress.
weft_status weft__tiles_close(weft__tiles *w, weft_status rc);

/// The number of the tile's first element in row-major order, and the number of its elements.
uint64_t weft__tile_first(const weft__tiles *w, const weft__tile *b);
int64_t weft__tile_elements(const weft__tiles *w, const weft__tile *b);
/// Copies the tile's operands in host memory to the device, in this thread's queue `queue`, and its results back.
weft_status weft__tile_to_device(weft__tiles *w, const weft__tile *b, int queue);
weft_status weft__tile_to_host(weft__tiles *w, const weft__tile *b, int queue);
/// The kernel's view of the tile in array k.
void weft__tile_view(const weft__tiles *w, const weft__tile *b, int k, int queue, weft_array *view);
/// Goes to the next tile. False after the last one.
bool weft__tile_next(const weft__tiles *w, weft__tile *b);

#endif
