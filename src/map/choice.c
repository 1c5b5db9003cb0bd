// SPDX-License-Identifier: MIT
#include "map/choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/divisor.h"
#include "map/tuning.h"

#define CHUNK_BYTES 16 /* the widest access of a GPU thread */
#define NARROW_CHUNKS (INT64_C(1) << 31)

static size_t element_size(weft_array *const *array, int k) {
  return weft__dtype(array[k]->dtype)->size_bytes;
}

/// Elements of a chunk: 16 bytes of the widest dtype among the arrays that have a value per element.
static int chunk_elements(const weft__layout *layout, weft_array *const *array) {
  size_t widest = 1;
  for (int k = 0; k < layout->arrays; k++) {
    bool varies = false;
    for (int d = 0; d < layout->ndim; d++) varies |= layout->stride[k][d] != 0;
    if ((varies || layout->ndim == 0) && element_size(array, k) > widest) widest = element_size(array, k);
  }
  return (int)(CHUNK_BYTES / widest);
}

/// Whether every array is contiguous or a single value.
static bool is_flat(const weft__layout *layout, weft_array *const *array) {
  if (layout->ndim > 1) return false;
  for (int k = 0; k < layout->arrays && layout->ndim == 1; k++)
    if (layout->stride[k][0] != 0 && layout->stride[k][0] != (int64_t)element_size(array, k)) return false;
  return true;
}

/// The number of chunks per thread. One: a short path to the first load keeps more bytes in flight than two loads per
/// thread do. Two if a thread would otherwise store less than 16 bytes.
static uint8_t choose_unroll(uint64_t chunks, size_t chunk_bytes) {
  return chunks >= UINT64_C(1) << 19 && chunk_bytes < CHUNK_BYTES ? 2 : 1;
}

/// Chunks per thread and threads per block of a flat kernel. Several chunks load constants once. 2^26 elements on an
/// H200 with one chunk in blocks of 256, and with two in blocks of 128: tanh of f64 269 us, 260; logit 141, 130; but
/// negative 128.7, 131.0, and the loops of jn 3911, 8963. With four in blocks of 256 and of 64: pown 200, 190.
static void choose_threads(weft__map_key *key, uint64_t chunks, size_t chunk_bytes, weft__work work) {
  key->unroll = choose_unroll(chunks, chunk_bytes);
  if (chunks < WEFT__MAP_MANY_CHUNKS || work == WEFT__WORK_PLAIN) return;
  key->unroll = work == WEFT__WORK_LONGER ? 4 : (uint8_t)(2 * key->unroll);
  key->warps = work == WEFT__WORK_LONGER ? 2 : 4;
}

/// `few`: up to this many elements have a thread each: the launch takes as long as one thread.
static void choose_gpu_flat(weft__kernel_choice *l, weft__work work, uint64_t few, const weft__layout *layout,
                            int results, weft_array *const *array) {
  int elements = chunk_elements(layout, array);
  size_t first = element_size(array, 0);
  uint64_t size = (uint64_t)layout->size, off = (uint64_t)layout->offset[0] % CHUNK_BYTES;
  bool last_block_is_short = false;
  l->key.kernel = WEFT__GPU_FLAT;
  /* chunks are aligned to the first result, unless its chunks have fewer than 16 bytes */
  l->head = (size_t)elements * first == CHUNK_BYTES && off ? (CHUNK_BYTES - off) / first : 0;
  if (l->head > size) l->head = size;
  for (int k = 0; k < layout->arrays; k++) {
    uint64_t bytes = element_size(array, k) * (uint64_t)elements;
    l->offset[k] = layout->offset[k];
    if (k >= results && (layout->ndim == 0 || layout->stride[k][0] == 0) && size > 1) {
      l->key.array[k].access = WEFT__ACCESS_UNIFORM;
      continue;
    }
    l->offset[k] += (int64_t)(l->head * element_size(array, k));
    bool aligned = (uint64_t)l->offset[k] % bytes == 0;
    l->key.array[k].access = (uint8_t)(aligned                                ? WEFT__ACCESS_VECTOR
                                       : k >= results && bytes == CHUNK_BYTES ? WEFT__ACCESS_SHIFTED
                                                                              : WEFT__ACCESS_ELEMENTS);
    if (l->key.array[k].access == WEFT__ACCESS_SHIFTED) {
      const weft__storage *storage = array[k]->storage;
      uint64_t capacity = storage->capacity_bytes ? storage->capacity_bytes : storage->size_bytes;
      uint64_t end = (uint64_t)layout->offset[k] + size * element_size(array, k);
      if ((end + CHUNK_BYTES - 1) / CHUNK_BYTES * CHUNK_BYTES > capacity) last_block_is_short = true;
    }
  }
  l->chunks = (size - l->head) / (uint64_t)elements;
  if (last_block_is_short && l->chunks) l->chunks--;
  l->key.elements = (uint8_t)elements;
  choose_threads(&l->key, l->chunks, first * (size_t)elements, work);
  uint64_t block = 32u * l->key.warps, in_block = block * l->key.unroll;
  l->blocks = size <= few ? 0 : l->chunks / in_block;
  uint64_t left = size - l->blocks * in_block * (uint64_t)elements;
  l->threads = l->blocks * block + left;
}

/// Whether all chunks along the last axis begin at multiples of their size in bytes.
static bool is_chunked(const weft__layout *layout, int k, uint64_t bytes) {
  int last = layout->ndim - 1;
  if ((uint64_t)layout->offset[k] % bytes) return false;
  for (int d = 0; d < last; d++)
    if ((uint64_t)llabs(layout->stride[k][d]) % bytes) return false;
  return true;
}

/// Whether no element of an array is 2 GiB or more away from its first one.
static bool is_near(const weft__layout *layout) {
  uint64_t farthest = 0;
  for (int k = 0; k < layout->arrays; k++) {
    uint64_t reach = 0;
    for (int d = 0; d < layout->ndim; d++)
      reach += (uint64_t)(layout->length[d] - 1) * (uint64_t)llabs(layout->stride[k][d]);
    if (reach > farthest) farthest = reach;
  }
  return farthest < (uint64_t)NARROW_CHUNKS;
}

static void choose_gpu_strided(weft__kernel_choice *l, const weft__layout *layout, int results,
                               weft_array *const *array) {
  int last = layout->ndim - 1, elements = chunk_elements(layout, array);
  l->key.kernel = WEFT__GPU_STRIDED;
  if (layout->length[last] % elements || layout->stride[0][last] != (int64_t)element_size(array, 0) ||
      !is_chunked(layout, 0, element_size(array, 0) * (uint64_t)elements))
    elements = 1;
  for (int k = 0; k < layout->arrays; k++) {
    uint64_t bytes = element_size(array, k) * (uint64_t)elements;
    int64_t step = layout->stride[k][last];
    l->offset[k] = layout->offset[k];
    l->step[k] = step;
    bool run = step == (int64_t)element_size(array, k) && is_chunked(layout, k, bytes);
    l->key.array[k].access = (uint8_t)(elements == 1 || run        ? WEFT__ACCESS_VECTOR
                                       : step == 0 && k >= results ? WEFT__ACCESS_ONE
                                                                   : WEFT__ACCESS_GATHER);
    for (int d = 0; d <= last; d++) l->stride[k][d] = layout->stride[k][d];
    l->stride[k][last] = step * elements;
  }
  for (int d = 0; d <= last; d++) l->length[d] = (uint64_t)layout->length[d];
  l->length[last] /= (uint64_t)elements;
  l->chunks = (uint64_t)(layout->size / elements);
  l->key.elements = (uint8_t)elements;
  l->key.axes = (uint8_t)layout->ndim;
  /* an axis of one chunk is dropped: the division by multiplication cannot divide by 1 */
  if (l->length[last] == 1 && last > 0) l->key.axes--;
  l->key.unroll = (uint8_t)(elements == 1 && l->chunks >= UINT64_C(1) << 20
                                ? 4
                                : choose_unroll(l->chunks, element_size(array, 0) * (size_t)elements));
  l->key.wide = l->chunks >= NARROW_CHUNKS;
  l->key.near = is_near(layout);
  l->threads = weft_ceil_div(l->chunks, l->key.unroll);
}

/// Finds an axis along which an input is contiguous that is not contiguous along the last axis, unlike the first
/// result. Returns -1 if there is no such axis.
static int turned_axis(const weft__layout *layout, int results, weft_array *const *array) {
  int last = layout->ndim - 1;
  for (int k = results; k < layout->arrays; k++) {
    if (layout->stride[k][last] == 0 || layout->stride[k][last] == (int64_t)element_size(array, k)) continue;
    for (int d = 0; d < last; d++)
      if (layout->stride[k][d] == (int64_t)element_size(array, k) && layout->length[d] >= WEFT__MAP_LEAST_TILED)
        return d;
  }
  return -1;
}

/// Chooses tiles through local memory if an input is transposed. Returns false if tiles do not pay or local memory does
/// not suffice.
static bool choose_gpu_tile(weft__kernel_choice *l, uint64_t local_memory_bytes, const weft__layout *layout,
                            int results, weft_array *const *array) {
  int last = layout->ndim - 1, q = layout->ndim > 1 ? turned_axis(layout, results, array) : -1;
  size_t widest = 1, turned_bytes = 0;
  if (q < 0 || layout->length[last] < WEFT__MAP_LEAST_TILED ||
      layout->stride[0][last] != (int64_t)element_size(array, 0))
    return false;
  for (int k = 0; k < layout->arrays; k++) {
    bool turned =
        k >= results && layout->stride[k][q] == (int64_t)element_size(array, k) && layout->stride[k][last] != 0;
    l->key.array[k].access = turned ? WEFT__ACCESS_TURNED : WEFT__ACCESS_DIRECT;
    l->offset[k] = layout->offset[k];
    l->step[k] = 0;
    if (element_size(array, k) > widest) widest = element_size(array, k);
    if (turned) turned_bytes += element_size(array, k);
  }
  int side = widest > 4 ? 32 : 64;
  if (turned_bytes * (size_t)(side * (side + 1)) > local_memory_bytes * 3 / 4) return false;
  /* the tile's axes come last: the input's contiguous axis, then the results' */
  for (int d = 0, to = 0; d <= last; d++) {
    if (d == q) continue;
    int at = d == last ? last : to++;
    l->length[at] = (uint64_t)layout->length[d];
    for (int k = 0; k < layout->arrays; k++) l->stride[k][at] = layout->stride[k][d];
  }
  l->length[last - 1] = (uint64_t)layout->length[q];
  for (int k = 0; k < layout->arrays; k++) l->stride[k][last - 1] = layout->stride[k][q];
  l->key.kernel = WEFT__GPU_TILE;
  l->key.elements = 1;
  l->key.unroll = 1;
  l->key.axes = (uint8_t)layout->ndim;
  l->key.tile = (uint8_t)side;
  uint64_t tiles = 1;
  for (int d = 0; d <= last; d++) {
    uint64_t count = d < last - 1 ? l->length[d] : weft_ceil_div(l->length[d], (uint64_t)side);
    if (d >= last - 1) l->tiles[d - (last - 1)] = count;
    tiles *= count;
  }
  l->threads = tiles * WEFT__GPU_BLOCK;
  return true;
}

/// Streaming stores need aligned memory: Weft's buffers begin at a cache line, adopted buffers may begin anywhere.
static bool can_stream(const weft_array *x, uint64_t bytes, uint64_t all_bytes) {
  return bytes >= WEFT__MAP_STREAM_BYTES && all_bytes > WEFT__MAP_CACHED_BYTES && x->offset_bytes % 64 == 0 &&
         !x->storage->adopted;
}

/// Bytes of the arrays; of one that is given twice, once.
static uint64_t moved_bytes(const weft__layout *layout, weft_array *const *array) {
  uint64_t bytes = 0;
  for (int k = 0; k < layout->arrays; k++) {
    int same = 0;
    while (array[same]->storage != array[k]->storage) same++;
    if (same == k) bytes += (uint64_t)array[k]->size * element_size(array, k);
  }
  return bytes;
}

static void choose_cpu(weft__kernel_choice *l, uint64_t units, const weft__layout *layout, int results,
                       weft_array *const *array) {
  bool flat = is_flat(layout, array);
  int last = layout->ndim - 1;
  uint64_t result_bytes = (uint64_t)layout->size * element_size(array, 0), all_bytes = moved_bytes(layout, array);
  l->key.kernel = flat ? WEFT__CPU_FLAT : WEFT__CPU_STRIDED;
  l->key.elements = 1;
  if (!flat) l->key.axes = (uint8_t)layout->ndim;
  for (int k = 0; k < layout->arrays; k++) {
    int64_t step = layout->ndim ? layout->stride[k][last] : 0;
    bool run = step == (int64_t)element_size(array, k);
    l->offset[k] = layout->offset[k];
    l->step[k] = step;
    if (flat && k < results)
      l->key.array[k].access =
          (uint8_t)(can_stream(array[k], result_bytes, all_bytes) ? WEFT__ACCESS_STREAM : WEFT__ACCESS_ELEMENTS);
    else if (flat)
      l->key.array[k].access = (uint8_t)(run || layout->size == 1 ? WEFT__ACCESS_ELEMENTS : WEFT__ACCESS_UNIFORM);
    else
      l->key.array[k].access = (uint8_t)(run                         ? WEFT__ACCESS_RUN
                                         : step == 0 && k >= results ? WEFT__ACCESS_ONE
                                                                     : WEFT__ACCESS_GATHER);
    for (int d = 0; d <= last; d++) l->stride[k][d] = layout->stride[k][d];
  }
  for (int d = 0; d <= last; d++) l->length[d] = (uint64_t)layout->length[d];
  l->chunks = weft_ceil_div((uint64_t)layout->size, units * WEFT__MAP_CPU_ITEMS * WEFT__CPU_STEP) * WEFT__CPU_STEP;
  if (l->chunks < WEFT__MAP_CPU_LEAST) l->chunks = WEFT__MAP_CPU_LEAST;
  if (l->chunks > WEFT__MAP_CPU_MOST) l->chunks = WEFT__MAP_CPU_MOST;
  l->threads = weft_ceil_div((uint64_t)layout->size, l->chunks);
}

size_t weft__fill_arguments(weft__map_args *args, const weft__kernel_choice *l, const weft__layout *layout,
                            weft__span range, const uint64_t *scalars, int scalar_count) {
  const size_t word = sizeof *args->tail;
  const int arrays = layout->arrays, axes = l->key.axes;
  uint64_t *tail = args->tail;
  args->n = (uint64_t)layout->size;
  args->chunks = l->chunks;
  args->head = l->head;
  args->blocks = l->blocks;
  args->first = range.first;
  args->all = range.all;
  memcpy(&tail[WEFT__MAP_OFFSET(0)], l->offset, (size_t)arrays * word);
  if (axes > 0) {
    memcpy(&tail[WEFT__MAP_TILES(arrays, 0)], l->tiles, sizeof l->tiles);
    memcpy(&tail[WEFT__MAP_LENGTH(arrays, 0)], l->length, (size_t)axes * word);
    for (int d = 0; d < axes; d++) {
      const weft__divisor divisor = weft__divisor_of(l->length[d]);
      tail[WEFT__MAP_MULTIPLIER(arrays, axes, d)] = divisor.multiplier;
      tail[WEFT__MAP_SHIFT(arrays, axes, d)] = divisor.shift;
    }
    for (int k = 0; k < arrays; k++)
      memcpy(&tail[WEFT__MAP_STRIDE(arrays, axes, k, 0)], l->stride[k], (size_t)axes * word);
    memcpy(&tail[WEFT__MAP_STEP(arrays, axes, 0)], l->step, (size_t)arrays * word);
  }
  if (scalar_count > 0) memcpy(&tail[WEFT__MAP_SCALAR(arrays, axes, 0)], scalars, 2 * (size_t)scalar_count * word);
  return offsetof(weft__map_args, tail) + (size_t)WEFT__MAP_WORDS(arrays, 2 * scalar_count, axes) * word;
}

void weft__choose_kernel(weft__kernel_choice *l, const weft__choice_criteria *criteria, const weft__layout *layout,
                         int results, weft_array *const *array) {
  memset(&l->key, 0, sizeof l->key);
  l->tiles[0] = l->tiles[1] = 0;
  for (int k = 0; k < results; k++) l->key.array[k].out = (uint8_t)array[k]->dtype;
  l->chunks = l->head = l->blocks = 0;
  l->key.warps = WEFT__GPU_BLOCK / 32;
  if (criteria->is_cpu) {
    choose_cpu(l, criteria->units, layout, results, array);
  } else if (is_flat(layout, array)) {
    choose_gpu_flat(l, criteria->work, criteria->units * WEFT__GPU_BLOCK, layout, results, array);
  } else if (criteria->in_order || !choose_gpu_tile(l, criteria->local_memory_bytes, layout, results, array)) {
    choose_gpu_strided(l, layout, results, array);
  }
  l->block = criteria->is_cpu ? 1 : 32u * l->key.warps;
}
