// SPDX-License-Identifier: MIT
/// Chooses the kernel of cl/map/ for a layout, and its arguments.
#ifndef WEFT_MAP_CHOICE_H
#define WEFT_MAP_CHOICE_H

#include "array/strides.h"
#include "expr/formula.h"

#define WEFT__MAP_TAIL WEFT__MAP_WORDS(WEFT__MAX_ARRAYS, 2 * WEFT__MAX_SCALARS, WEFT_MAX_NDIM)
#include "cl/map/args.h"

#define WEFT__CPU_STEP 256 /* elements computed before they are stored; they fit the first-level cache */

/// The access of a kernel to an array's elements; `access` of cl/map/.
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
  WEFT__ACCESS_TURNED, /* contiguous along another axis than the results */
} weft__access;

typedef enum weft__map_kernel {
  WEFT__GPU_FLAT = 0,
  WEFT__GPU_STRIDED,
  WEFT__GPU_TILE,
  WEFT__CPU_FLAT,
  WEFT__CPU_STRIDED
} weft__map_kernel;

/// The key of a kernel within its plan. Only the entries of the plan's own arrays are part of it.
typedef struct weft__map_key {
  uint8_t kernel;                             /* weft__map_kernel */
  uint8_t elements, unroll, axes, wide, tile; /* axes: 0 if all arrays are flat */
  uint8_t near;                               /* of a strided kernel: offsets within the arrays have 31 bits */
  uint8_t warps;                              /* of 32 threads, in a GPU kernel's block */
  struct {
    uint8_t out, access; /* weft_dtype of a result as stored; weft__access */
  } array[WEFT__MAX_ARRAYS];
} weft__map_key;
_Static_assert(_Alignof(weft__map_key) == 1, "a key is made of bytes");

/// The arguments of a launch besides buffers, and its number of threads.
typedef struct weft__kernel_choice {
  weft__map_key key;
  uint64_t chunks, head, blocks, threads, block;
  int64_t offset[WEFT__MAX_ARRAYS];
  int64_t step[WEFT__MAX_ARRAYS];
  uint64_t tiles[2];
  uint64_t length[WEFT_MAX_NDIM];
  int64_t stride[WEFT__MAX_ARRAYS][WEFT_MAX_NDIM];
} weft__kernel_choice;

/// LONG, LONGER: a GPU computes an element for about as long as it moves it, or longer. Functions with loops are PLAIN:
/// a thread with several chunks would wait for the longest loop of each.
typedef enum weft__work { WEFT__WORK_PLAIN = 0, WEFT__WORK_LONG, WEFT__WORK_LONGER } weft__work;

/// The properties of device and formula that determine the choice.
typedef struct weft__choice_criteria {
  bool is_cpu;
  uint64_t units; /* compute units */
  uint64_t local_memory_bytes;
  bool in_order; /* the formula uses element indices: the order is fixed */
  weft__work work;
} weft__choice_criteria;

/// Chooses the kernel. The first `results` arrays are the results.
void weft__choose_kernel(weft__kernel_choice *choice, const weft__choice_criteria *criteria, const weft__layout *layout,
                         int results, weft_array *const *array);

/// The elements of a launch within a call that may run in parts: the first element, and the number of elements of the
/// whole call.
typedef struct weft__span {
  uint64_t first, all;
} weft__span;

/// Fills the kernel's arguments and returns their size in bytes. `scalars`: two words each.
size_t weft__fill_arguments(weft__map_args *args, const weft__kernel_choice *choice, const weft__layout *layout,
                            weft__span range, const uint64_t *scalars, int scalar_count);

#endif
