// SPDX-License-Identifier: MIT
/// Reductions inside: what is gathered (op/reduce/reduce.c), the text in front of a kernel (op/reduce/prologue.c), and
/// the launches (op/reduce/schedule.c).
#ifndef WEFT_OP_REDUCE_REDUCE_H
#define WEFT_OP_REDUCE_REDUCE_H

#include <weft/reduce.h>

#include "array/axes.h"
#include "call/call.h"
#include "map/plan.h"

#define R_SCALARS (2 * WEFT__MAX_SCALARS)
#include "cl/reduce/args.h"

/// What the value of an element is.
enum {
  WEFT__SOURCE_LOAD = 0,
  WEFT__SOURCE_PRODUCT,
  WEFT__SOURCE_CONJUGATE_PRODUCT,
  WEFT__SOURCE_BOTH,
  WEFT__SOURCE_FORMULA
};
/// What is summed of a value.
enum { WEFT__TERM_VALUE = 0, WEFT__TERM_NOT_ZERO, WEFT__TERM_SQUARE, WEFT__TERM_MAGNITUDE };
enum { WEFT__FINISH_PLAIN = 0, WEFT__FINISH_MEAN, WEFT__FINISH_ROOT };

/// A reduction of values of one dtype. Part of weft__reduce_key.
typedef struct weft__reduce_what {
  uint8_t gather, source, term, finish;
  uint8_t value;     /* weft_dtype that values are computed in: 32 bits or more */
  uint8_t mapped;    /* FORMULA: weft_dtype that it gives them in */
  uint8_t magnitude; /* values are magnitudes of what is read */
  uint8_t cell;      /* SUM, PROD: weft_dtype that is added up; of complex sums that of a part */
  uint8_t pair, two, counted, skip_nan, greatest, root;
  uint8_t result; /* weft_dtype */
} weft__reduce_what;

typedef enum weft__reduce_kernel {
  WEFT__REDUCE_ROWS = 0,
  WEFT__REDUCE_SHORT,
  WEFT__REDUCE_COLUMNS,
  WEFT__REDUCE_GPU_FINISH,
  WEFT__REDUCE_CPU,
  WEFT__REDUCE_CPU_FINISH,
} weft__reduce_kernel;

#define WEFT__REDUCE_LANES 256 /* accumulators of a CPU's work-item */

/// A kernel of it.
typedef struct weft__reduce_key {
  weft__reduce_what what;
  uint8_t kernel, elements, unroll, has_fp64;
  uint8_t inputs;                      /* arrays */
  uint8_t number[WEFT__REDUCE_INPUTS]; /* which input of the formula */
  uint8_t dtype[WEFT__REDUCE_INPUTS];  /* of each array */
} weft__reduce_key;

/// The kernel of this key; of FORMULA and USER, for this plan, else NULL.
weft_status weft__reduce_kernel_get(weft__kernel **kernel, weft_context *context, const weft__reduce_key *key,
                                    const weft__plan *plan);
/// Whether accumulators carry an index: R_NUMBERED of cl/reduce/ops.clh.
bool weft__reduce_is_numbered(const weft__reduce_what *what);
/// Bytes of an accumulator: a multiple of 4.
size_t weft__reduce_accumulator_bytes(const weft__reduce_what *what, bool has_fp64);

/// What a call of a reduction is about.
typedef struct weft__reduce_task {
  weft__reduce_what what;
  const char *name;        /* of the launch: "sum" */
  const weft__plan *plan;  /* FORMULA, USER */
  const uint64_t *scalars; /* of the plan's formula, two words each */
  uint64_t neutral[2];     /* USER */
  weft_scalar empty;       /* the result of no elements; without a dtype: there is none */
  int64_t ddof;
  weft_shape shape; /* of the operands */
  bool along[WEFT_MAX_NDIM];
  bool keepdims;
} weft__reduce_task;

/// A part of the values of a task, in a call that is done in parts (op/reduce/streaming.c): the task's shape is that of
/// the part.
typedef struct weft__reduce_part {
  uint64_t first;     /* the number of its first element, among all */
  uint64_t row;       /* of the first one along the reduced axes */
  int64_t count, all; /* elements of a result, and of the whole call */
  bool goes_on; /* results come of several parts: what was gathered stays in `partials` until weft__reduce_conclude */
  uint64_t outputs;     /* how many results those are */
  uint64_t there;       /* splits that have something in `partials`; 0 at the first part of a result */
  uint64_t room;        /* splits it has room for */
  weft_array *partials; /* the caller's to release */
} weft__reduce_part;

/// Whether the kernels can take the operands as they are: contiguous arrays or host memory of the task's shape whose
/// reduced axes follow each other, and few enough. What one array that is no formula's needs is made.
bool weft__reduce_is_direct(const weft__call *c, const weft__reduce_task *task);
/// Whether a contiguous array of the task's shape is copied by the launch, as its reduced axes do not follow each
/// other.
bool weft__reduce_turns(const weft__reduce_task *task);
/// Makes result 0, and launches.
weft_status weft__reduce_run(weft__call *c, const weft__reduce_task *task);
/// The first half of it. *is_made: there is nothing to launch.
weft_status weft__reduce_result(bool *is_made, weft__call *c, const weft__reduce_task *task);
/// Launches for a part: its results to `out`, or what was gathered to part->partials, which the first part makes.
weft_status weft__reduce_part_run(const weft__call *c, const weft__reduce_task *task, weft_array *out,
                                  weft__reduce_part *part);
/// The results of the parts so far.
weft_status weft__reduce_conclude(const weft__call *c, const weft__reduce_task *task, weft_array *out,
                                  const weft__reduce_part *part);

/// The values of a formula that the kernels cannot take as it is: an array of their own, which then is reduced.
typedef struct weft__reduce_values {
  weft__plan *plan;        /* of the call's operands */
  const uint64_t *scalars; /* of the plan's formula, two words each */
  weft_dtype cast;         /* NONE: they are reduced as they are */
} weft__reduce_values;

/// How many bytes of host memory a chunk of the call has; 0: it is done whole. Operands are checked, and not gathered;
/// they are of the task's shape, or `values` (else NULL) are computed of them, which the task is about.
weft_status weft__reduce_chunk_bytes(uint64_t *chunk_bytes, const weft__call *c, const weft__reduce_task *task,
                                     const weft__reduce_values *values);
/// Makes result 0 out of chunks.
weft_status weft__reduce_in_chunks(weft__call *c, const weft__reduce_task *task, const weft__reduce_values *values,
                                   uint64_t chunk_bytes);

/// Reduction `id` of values of a dtype: *task's what, name and empty, and ddof from the parameter. Errors: DTYPE,
/// UNSUPPORTED, ARGUMENT.
weft_status weft__reduce_describe(weft__reduce_task *task, weft_reduction_id id, weft_dtype dtype, bool has_fp64,
                                  double parameter);
/// Shape, axes and keepdims, checked.
weft_status weft__reduce_axes(weft__reduce_task *task, weft_reduction_id id, weft_shape shape, weft_axes axes);

#endif
