// SPDX-License-Identifier: MIT
/// Elements by their indices: one array as outer x length x run, the other one dense, and which kernel of cl/index/
/// moves between them.
#ifndef WEFT_OP_INDEX_GATHER_H
#define WEFT_OP_INDEX_GATHER_H

#include <weft/index.h>

#include "call/call.h"

/// What becomes of an element that a value is scattered to. cl/index/combine.clh has the same numbers.
typedef enum weft__scatter {
  WEFT__SCATTER_PUT = 0,
  WEFT__SCATTER_ADD,
  WEFT__SCATTER_MIN,
  WEFT__SCATTER_MAX,
  WEFT__SCATTER_OR
} weft__scatter;

/// A mode behind those of weft_index_mode: negative indices are skipped, and all others are in range.
#define WEFT__INDEX_SKIP 3u

typedef struct weft__indexing {
  weft_context *context;
  const char *what; /* "take": for the trace */
  const char *site;
  weft_array *indexed; /* any strides */
  weft_array *dense;   /* contiguous, of the same dtype: outer x count x run elements; values of a scatter may be fewer,
                        which are repeated */
  weft_array *indices; /* contiguous; i32, u32, i64 or u64 */
  int axis;            /* of `indexed`, from 0; WEFT__EVERY_AXIS: its elements in row-major order */
  bool along;          /* there are as many indices as elements of the dense array */
  unsigned mode;       /* weft_index_mode, checked, or WEFT__INDEX_SKIP */
  bool deterministic;  /* scatter: as a loop over the indices in their order would */
} weft__indexing;

/// dense = indexed[indices]. Does not block; nothing overlaps.
weft_status weft__index_take(const weft__indexing *indexing);
/// indexed[indices] = dense, or added to it.
weft_status weft__index_scatter(const weft__indexing *indexing, weft__scatter operation);

/// Names an index's type and mode in front of a kernel's text.
void weft__index_write(weft__text *text, weft_dtype index, unsigned mode);
/// The type that is moved as one for `bytes`: 1, 2, 4, 8, 16.
const char *weft__index_unit(int bytes);
/// A launch of a kernel of cl/index/: its argument struct, then the buffers.
typedef struct weft__index_launch {
  weft__kernel *kernel;
  uint64_t threads, block;
  void *arguments;
  size_t size_bytes;
  uint32_t *record, *epoch; /* words in `arguments`, filled in here */
  int uses;
  weft__use *use; /* the one whose storage is NULL is for the records of bad indices */
} weft__index_launch;
weft_status weft__index_run(const weft__indexing *indexing, const weft__index_launch *launch);

/// For the public functions. Indices that are integers, of a dtype the kernels read, contiguous: operand k of the call.
weft_status weft__index_operand(weft__call *c, int k);
weft_status weft__index_check_mode(weft_index_mode mode);
/// An axis without elements has no element to name. `indices` is what there are of them.
weft_status weft__index_check_length(int64_t indices, int64_t length, const char *argument);
/// The shape of x[.., indices, ..] along the axis. Errors: SHAPE (over 8 axes).
weft_status weft__index_shape(weft_shape *shape, weft_shape x, weft_shape indices, int axis);

#endif
