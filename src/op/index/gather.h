// SPDX-License-Identifier: MIT
/// Elements by index. One array is seen as outer x length x run, the other is dense; kernels of cl/index/ move elements
/// between the two.
#ifndef WEFT_OP_INDEX_GATHER_H
#define WEFT_OP_INDEX_GATHER_H

#include <weft/index.h>

#include "call/call.h"
#include "engine/host_step.h"
#include "engine/ways.h"

/// How a scattered value is combined with the element it reaches. cl/index/combine.clh has the same numbers.
typedef enum weft__scatter {
  WEFT__NUMBERS = -2, /* no elements: their numbers */
  WEFT__TAKE = -1,    /* the other way: elements are taken */
  WEFT__SCATTER_PUT = 0,
  WEFT__SCATTER_ADD,
  WEFT__SCATTER_MIN,
  WEFT__SCATTER_MAX,
  WEFT__SCATTER_OR
} weft__scatter;

/// A further mode after weft_index_mode's: negative indices are skipped, all others must be in range.
#define WEFT__INDEX_SKIP 3u

typedef struct weft__indexing {
  weft_context *context;
  const char *what; /* name for the trace: "take" */
  const char *site;
  weft_array *indexed; /* any strides */
  weft_array *dense;   /* contiguous, of the same dtype, outer x count x run elements; values of a scatter may be fewer
                          and are then repeated */
  weft_array *indices; /* contiguous; i32, u32, i64 or u64 */
  int axis;            /* of `indexed`, from 0; WEFT__EVERY_AXIS: indices count all its elements in row-major order */
  bool along;          /* one index for each element of the dense array */
  unsigned mode;       /* weft_index_mode, checked, or WEFT__INDEX_SKIP */
  bool deterministic;  /* scatter: the result of a loop over the indices in order */
  bool is_checked;     /* the call reports these indices already: the host does not again */
} weft__indexing;

/// dense = indexed[indices]. Does not block. No array may overlap another.
weft_status weft__index_take(const weft__indexing *indexing);
/// Combines dense into indexed[indices] with `operation`.
weft_status weft__index_scatter(const weft__indexing *indexing, weft__scatter operation);

/// The task of the tables of ways (ways.c). The dense array has at least one element, the indexed one the split's form.
typedef struct weft__index_task {
  const weft__indexing *indexing;
  const weft__strided_split *split;
  weft__scatter operation; /* WEFT__TAKE: of weft__take_ways */
} weft__index_task;
extern const weft__ways weft__take_ways, weft__scatter_ways, weft__many_ways, weft__at_ways, weft__numbers_ways;
extern const weft__host_function weft__host_index;
WEFT__WAY_FUNCTION(index, host);
WEFT__WAY_FUNCTIONS(take, columns);
WEFT__WAY_FUNCTION(take, units);
WEFT__WAY_FUNCTIONS(scatter, stores);
WEFT__WAY_FUNCTIONS(scatter, last);
WEFT__WAY_FUNCTIONS(scatter, atomic);
WEFT__WAY_FUNCTION(scatter, ranges);
WEFT__WAY_FUNCTIONS(many, each);
WEFT__WAY_FUNCTION(many, together);
WEFT__WAY_FUNCTION(at, host);
WEFT__WAY_FUNCTIONS(at, pair);
WEFT__WAY_FUNCTION(at, numbers);
WEFT__WAY_FUNCTION(numbers, host);
WEFT__WAY_FUNCTIONS(numbers, pair);
WEFT__WAY_FUNCTION(numbers, axes);

/// On the host: dense = indexed[list[0], list[1], ...], contiguous lists of one size. The axes behind the lists' are
/// one run of adjacent elements.
weft_status weft__index_take_lists(const weft__indexing *indexing, int lists, weft_array *const *list);
/// On the host: dense (i64) = the numbers of these elements, counted in row-major order along the lists' axes; -1 where
/// an index is out of range. Of `indexed` only the shape counts.
weft_status weft__index_number_lists(const weft__indexing *indexing, int lists, weft_array *const *list);

/// Adds #define lines for the type of the indices and the mode.
void weft__index_write(weft__text *text, weft_dtype index, unsigned mode);
/// The OpenCL type that moves `bytes` bytes at once: 1, 2, 4, 8 or 16.
const char *weft__index_unit(int bytes);
/// A launch of a kernel of cl/index/: its arguments, then the buffers.
typedef struct weft__index_launch {
  weft__kernel *kernel;
  uint64_t threads, block;
  void *arguments;
  size_t size_bytes;
  uint32_t *record, *epoch; /* words in `arguments`, set by weft__index_run */
  int uses;
  weft__use *use; /* an entry with storage NULL stands for the buffer of error records */
} weft__index_launch;
weft_status weft__index_run(const weft__indexing *indexing, const weft__index_launch *launch);

/// For the public functions. Checks that operand k of the call holds integers, and makes it contiguous and of a dtype
/// that the kernels read.
weft_status weft__index_operand(weft__call *c, int k);
weft_status weft__index_check_mode(weft_index_mode mode);
/// The mode of WEFT_INDEXING(...) among the operands.
static inline weft_index_mode weft__index_mode_of(const weft_operand *indexing) {
  return indexing->as.indexing ? indexing->as.indexing->mode : WEFT_INDEX_ERROR;
}
/// `indices` > 0 is an error if the axis has no elements. `indices`: the number of indices.
weft_status weft__index_check_length(int64_t indices, int64_t length, const char *argument);
/// The shape of x[.., indices, ..] along the axis. Errors: SHAPE (over 8 axes).
weft_status weft__index_shape(weft_shape *shape, weft_shape x, weft_shape indices, int axis);

#endif
