// SPDX-License-Identifier: MIT
/// Sorting contiguous rows: the launches behind op/sort/sort.c.
#ifndef WEFT_OP_SORT_ROWS_H
#define WEFT_OP_SORT_ROWS_H

#include "array/strides.h"
#include "cl/sort/args.h"
#include "engine/ways.h"

/// Consecutive rows of `length` elements, each sorted separately. All arrays are contiguous and begin at a multiple of
/// their element's size (weft__sort_is_plain).
typedef struct weft__sort {
  weft_context *context;
  const char *what; /* name for the trace, a string literal */
  const char *site;
  uint64_t rows, length;
  bool descending;
  weft_array *key_from, *key_to; /* of one dtype; may be the same elements. key_to NULL: sorted keys are not wanted */
  /* Values that move with the keys: elements of 4 or 8 bytes; value_to may be value_from's elements. value_from NULL:
     the values are the elements' positions in their row, as i64. Both NULL: no values. */
  weft_array *value_from, *value_to;
} weft__sort;

/// Stable; sorts in NumPy's order, or the reverse, by the first way that fits (op/sort/ways.c). Blocks only where the
/// host sorts.
weft_status weft__sort_run(const weft__sort *sort);

bool weft__sort_is_plain(const weft_array *x);

/// Whether weft__sort_unique works: on GPUs, for 1 to 8192 real elements.
bool weft__sort_unique_works(const weft_array *x);
/// Makes *values, the unique elements of x (plain, of one axis) in order, in one launch; waits for it.
weft_status weft__sort_unique(weft_array **values, const weft_array *x, bool distinct_nan, const char *site);

/// to[o, k, inner] = from[o, numbers[k], inner]. All arrays are contiguous; `numbers` are i32 or i64, and
/// within range.
weft_status weft__gather_rows(weft_array *to, const weft_array *from, const weft_array *numbers, weft__axis_split split,
                              const char *what, const char *site);

/// Whether weft__nth_run for each row of x in turn is the fastest: for few long rows.
bool weft__nth_pays(const weft_array *x, uint64_t rows, uint64_t length, int ranks);
/// to[k] = the element of rank[k], in NumPy's order; for a zero +0, for a NaN some NaN. Both arrays are plain, of one
/// axis and one real dtype; `row` has at most 2^32 - 1 elements. Reads the row 3 times for 4 ranks of 4 bytes. Does not
/// block.
weft_status weft__nth_run(weft_array *to, const weft_array *row, const uint64_t *rank, const char *what,
                          const char *site);

/// What distinguishes the kernels that find elements of many rows by their ranks.
typedef struct weft__nth_key {
  uint8_t key_bytes, kind, narrow, digit, is_long;
} weft__nth_key;

/// How they are launched.
typedef struct weft__nth_way {
  weft__nth_key key;
  uint32_t flip_top;
  uint64_t blocks;
} weft__nth_way;

/// Whether elements of this many ranks of each row of x are found faster in one launch than by sorting the rows, and
/// how.
bool weft__nth_rows_pays(weft__nth_way *way, const weft_array *x, uint64_t rows, uint64_t length, int64_t ranks);
/// Adds the macros of cl/sort/nth_rows.clh.
void weft__nth_define(weft__text *text, const weft__nth_key *key);
/// to[k, row] = the element of rank[k] in the row, the same as in the sorted row. `to` and x are plain, of one dtype.
/// Does not block.
weft_status weft__nth_rows_run(weft_array *to, const weft_array *x, const weft__nth_way *way, const uint64_t *rank,
                               const char *what, const char *site);

/// Sets the bits of keys to invert (weft__sort_args).
void weft__sort_flips(uint32_t *flip, uint32_t *flip_top, weft_dtype dtype, bool descending);

/// Rows of a contiguous array divided by the elements of ranks, each part in its order: the lesser elements, the equal
/// ones (zeros are, and NaNs), the greater ones; or short rows sorted.
typedef struct weft__partition {
  weft_context *context;
  const char *site;
  const weft_array *from;
  weft_array *to; /* elements, which may be from's; or with gives_positions their positions in the row, i64 */
  bool gives_positions;
  uint64_t rows, length;
  int ranks; /* at most WEFT__NTH_RANKS, which differ and ascend */
  const uint64_t *rank;
} weft__partition;

enum { WEFT__MOST_ORDERED = 128 };
/// The first `count` elements of each sorted row and their places (i64), all contiguous rows.
typedef struct weft__topk {
  weft_context *context;
  const char *site;
  weft_array *from, *values, *numbers;
  uint64_t rows, length, count;
  bool smallest;
} weft__topk;

/* ---- between the files of the ways ---- */

/// What distinguishes the kernels.
typedef struct weft__sort_key {
  uint8_t key_bytes, kind, value_bytes, wide;
  uint8_t lookback, block_warps, items, shortest;
  uint8_t narrow;       /* the key's dtype if it is a narrow float, else 0 */
  uint8_t unique;       /* unique elements are kept */
  uint8_t uniform, second; /* a pass over uniform keys; SORT_SECOND of cl/sort/uniform.clh */
} weft__sort_key;

typedef struct weft__sort_work {
  const weft__sort *sort;
  weft__sort_key key;
  weft__sort_args job;
  weft__storage *key_from, *key_to, *key_spare, *value_from, *value_to, *value_spare, *state;
  weft_array *scratch[6]; /* released at the end */
  int scratches;
} weft__sort_work;

/// Bytes of a value as kernels move it; 0: no values.
uint8_t weft__sort_value_bytes(const weft__sort *sort);
/// Fills in a new `work` for a sort of at least one element.
void weft__sort_begin(weft__sort_work *work, const weft__sort *sort);
/// Releases the scratch.
void weft__sort_end(weft__sort_work *work);
/// Elements of a thread where GPUs sort the rows in one launch whose blocks wait for each other; 0: the rows are too
/// long, or blocks cannot wait. `one_tile`: also rows that fit a tile.
uint8_t weft__sort_tiled_items(const weft__sort *sort, bool one_tile);
/// Prepares a sort in one launch: rows whose weft__sort_tiled_items is not 0.
void weft__sort_choose_tiles(weft__sort_work *work, bool one_tile);
/// Makes scratch, which is released after the sort. `offset`: where it begins; NULL: not wanted.
weft_status weft__sort_scratch(weft__storage **storage, uint64_t *offset, weft__sort_work *work, uint64_t size_bytes);

/// Whether uniform keys of such rows are sorted in three passes, on GPUs. Then prepares them: sets
/// key.second, job.uniform_tile and job.uniform_most.
bool weft__sort_uniform_works(weft__sort_work *work);
/// Launches these passes, whose state is cleared. The passes by digits must follow: they sort if the keys are not
/// uniform, which only the device knows.
weft_status weft__sort_uniform(weft__sort_work *work);
/// Makes scratch for the keys, and for values if there are any.
weft_status weft__sort_spare(weft__sort_work *work);
/// Makes the scratch of the passes. If the number of digits is odd, also copies a source that overlaps its result.
weft_status weft__sort_prepare_passes(weft__sort_work *work, uint64_t state_bytes, int digits);
weft_status weft__sort_kernels(weft__kernel **kernels, weft__sort_work *work, const char *file,
                               const char *const *names, int count);
/// Launches with key_from, key_to, key_spare, state, and with values also value_from, value_to, value_spare.
weft_status weft__sort_launch(weft__sort_work *work, weft__kernel *kernel, uint64_t blocks, uint64_t block);
/// Launches with the buffers in `use`.
weft_status weft__sort_launch_with(weft__sort_work *work, weft__kernel *kernel, uint64_t blocks, uint64_t block,
                                   int uses, const weft__use *use);

/// The rows of the tables of ways (op/sort/ways.c), of weft__sort, weft__partition and weft__topk.
WEFT__WAY_FUNCTIONS(sort, single);
WEFT__WAY_FUNCTIONS(sort, counted);
WEFT__WAY_FUNCTIONS(sort, vectors);
WEFT__WAY_FUNCTIONS(sort, sides);
WEFT__WAY_FUNCTIONS(sort, short);
WEFT__WAY_FUNCTIONS(sort, block);
WEFT__WAY_FUNCTIONS(sort, tiles);
WEFT__WAY_FUNCTIONS(sort, sweep);
WEFT__WAY_FUNCTIONS(sort, passes);
WEFT__WAY_FUNCTION(sort, digits);
WEFT__WAY_FUNCTIONS(partition, host);
WEFT__WAY_FUNCTIONS(partition, each);
WEFT__WAY_FUNCTIONS(partition, rows);
WEFT__WAY_FUNCTION(partition, sort);
WEFT__WAY_FUNCTIONS(topk, host);
WEFT__WAY_FUNCTIONS(topk, parts);
WEFT__WAY_FUNCTION(topk, sort);

extern const weft__ways weft__sort_ways, weft__partition_ways, weft__topk_ways;

/// Defines the `run` of a way that `function` does with a weft__sort_work.
#define WEFT__SORT_RUN(name, function)                                   \
  weft_status weft__sort_##name##_run(bool *is_done, const void *task) { \
    weft__sort_work work;                                                \
    weft__sort_begin(&work, task);                                       \
    const weft_status rc = function(&work);                              \
    weft__sort_end(&work);                                               \
    *is_done = rc == WEFT_OK;                                            \
    return rc;                                                           \
  }

#endif
