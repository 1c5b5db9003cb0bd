// SPDX-License-Identifier: MIT
/// Which kernel of cl/map/ serves a layout, and what it is passed.
#ifndef WEFT_MAP_CHOICE_H
#define WEFT_MAP_CHOICE_H

#include "array/strides.h"
#include "expr/formula.h"

#define WEFT__MAP_TAIL WEFT__MAP_WORDS(WEFT__MAX_ARRAYS, 2 * WEFT__MAX_SCALARS, WEFT_MAX_NDIM)
#include "cl/map/args.h"

#define WEFT__CPU_STEP 256 /* elements computed before they are stored: small enough for the first cache */

/// How a kernel reaches an array's elements; `access` of cl/map/.
typedef enum weft__access {
  WEFT__ACCESS_VECTOR = 0,
  WEFT__ACCESS_SHIFTED,
  WEFT__ACCESS_ELEMENTS,
  WEFT__ACCESS_UNIFORM, /* one value for all */
  WEFT__ACCESS_ONE,     /* one value for each run along the last axis */
  WEFT__ACCESS_GATHER,
  WEFT__ACCESS_STREAM,
  WEFT__ACCESS_RUN,
  WEFT__ACCESS_DIRECT,
  WEFT__ACCESS_TURNED, /* runs along another axis than the results */
} weft__access;

typedef enum weft__map_kernel {
  WEFT__GPU_FLAT = 0,
  WEFT__GPU_STRIDED,
  WEFT__GPU_TILE,
  WEFT__CPU_FLAT,
  WEFT__CPU_STRIDED
} weft__map_kernel;

/// What distinguishes two kernels of one plan: of `array` as many as the plan has.
typedef struct weft__map_key {
  uint8_t kernel;                             /* weft__map_kernel */
  uint8_t elements, unroll, axes, wide, tile; /* axes: 0 where all arrays are flat */
  struct {
    uint8_t out, access; /* weft_dtype of a result as stored; weft__access */
  } array[WEFT__MAX_ARRAYS];
} weft__map_key;
_Static_assert(_Alignof(weft__map_key) == 1, "a key is made of bytes");

/// What a launch passes besides buffers, and how many threads it has.
typedef struct weft__kernel_choice {
  weft__map_key key;
  uint64_t chunks, head, blocks, threads, block;
  int64_t offset[WEFT__MAX_ARRAYS];
  int64_t step[WEFT__MAX_ARRAYS];
  uint64_t tiles[2];
  uint64_t length[WEFT_MAX_NDIM];
  int64_t stride[WEFT__MAX_ARRAYS][WEFT_MAX_NDIM];
} weft__kernel_choice;

/// The device and the formula, as far as the choice depends on them.
typedef struct weft__choice_criteria {
  bool is_cpu;
  uint64_t local_memory_bytes;
  bool in_order; /* elements have numbers: they cannot be taken in another order */
  bool is_slow;  /* computing takes longer than moving */
} weft__choice_criteria;

/// For arrays of which the first `results` are results.
void weft__choose_kernel(weft__kernel_choice *choice, const weft__choice_criteria *criteria, const weft__layout *layout,
                         int results, weft_array *const *array);

/// Elements that one work-item of a CPU kernel computes.
uint64_t weft__cpu_chunk(const weft__map_key *key);

/// Where the elements of a launch stand among all elements of a call, which may be done in parts.
typedef struct weft__span {
  uint64_t first, all;
} weft__span;

/// Fills what the kernel has of *args, and returns how many bytes that is. `scalars`: two words each.
size_t weft__fill_arguments(weft__map_args *args, const weft__kernel_choice *choice, const weft__layout *layout,
                            weft__span range, const uint64_t *scalars, int scalar_count);

#endif
