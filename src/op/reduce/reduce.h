// SPDX-License-Identifier: MIT
/// Reductions, internally: their description (op/reduce/reduce.c), the text in front of a kernel
/// (op/reduce/prologue.c), and the layout of the arrays (op/reduce/schedule.c).
#ifndef WEFT_OP_REDUCE_REDUCE_H
#define WEFT_OP_REDUCE_REDUCE_H

#include <weft/reduce.h>

#include "array/axes.h"
#include "call/call.h"
#include "map/plan.h"

#define R_SCALARS (2 * WEFT__MAX_SCALARS)
#include "cl/reduce/args.h"

/// Where the value of an element comes from.
enum {
  WEFT__SOURCE_LOAD = 0,
  WEFT__SOURCE_PRODUCT,
  WEFT__SOURCE_CONJUGATE_PRODUCT,
  WEFT__SOURCE_BOTH,
  WEFT__SOURCE_FORMULA,
  WEFT__SOURCE_EQUAL /* on the host: whether both are equal */
};
/// What a sum adds up for each value.
enum { WEFT__TERM_VALUE = 0, WEFT__TERM_NOT_ZERO, WEFT__TERM_SQUARE, WEFT__TERM_MAGNITUDE };
enum { WEFT__FINISH_PLAIN = 0, WEFT__FINISH_MEAN, WEFT__FINISH_ROOT };

/// A reduction of values of one dtype; part of weft__reduce_key.
typedef struct weft__reduce_what {
  uint8_t gather, source, term, finish;
  uint8_t value;     /* weft_dtype in which values are computed: 32 bits or more */
  uint8_t mapped;    /* FORMULA: weft_dtype of the formula's values */
  uint8_t magnitude; /* values are the magnitudes of the elements */
  uint8_t cell;      /* SUM, PROD: weft_dtype of the accumulator; for complex sums, of one part */
  uint8_t pair, two, counted, skip_nan, greatest;
  uint8_t far;    /* squares may be beyond the numbers of the accumulator: R_FAR of cl/reduce/ops.clh */
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

#define WEFT__REDUCE_LANES 1024   /* accumulators of a CPU's work-item */
#define WEFT__REDUCE_CPU_SHORT 32 /* shorter rows of CPUs have one */

/// What distinguishes the kernels.
typedef struct weft__reduce_key {
  weft__reduce_what what;
  uint8_t kernel, elements, unroll, has_fp64;
  uint8_t across;                      /* COLUMNS: neighbours belong to the same result */
  uint8_t steps;                       /* CPU, COLUMNS: neighbours are not side by side: R_STEPS */
  uint8_t inputs;                      /* number of arrays with all elements */
  uint8_t beside;                      /* further ones, with an element for each result, or one for all of them */
  uint8_t number[WEFT__REDUCE_INPUTS]; /* the formula's input that each array belongs to */
  uint8_t dtype[WEFT__REDUCE_INPUTS];  /* of each array */
  uint8_t step[WEFT__REDUCE_INPUTS];   /* of those beside: 1, or 0 for one element */
} weft__reduce_key;

/// How a kernel computes the value of an element by a formula's function.
typedef struct weft__reduce_value {
  const char *macro;            /* with its parameters, IN and v among them: "R_MAP(IN, index, v)" */
  const char *function, *index; /* weft_element, or a name given to weft__emit_part; of the element's number */
  const weft__formula *formula;
  const weft__reduce_key *key; /* tells which inputs of the kernel are beside */
  const int *from, *place;     /* as in weft__formula_part, of the kernel's; NULL: the formula is the kernel's own */
  bool is_stored;              /* v becomes the result as an array of its dtype stores it */
} weft__reduce_value;

/// Parts of the text in front of a kernel: the macro of a value, what cl/reduce/ops.clh needs, R_INS and R_BESIDE.
void weft__reduce_write_value(weft__text *text, const weft__reduce_value *value, const weft__reduce_what *what);
void weft__reduce_write_operation(weft__text *text, const weft__reduce_key *key);
void weft__reduce_write_inputs(weft__text *text, const weft__reduce_key *key);

/// Gets the kernel of a key. FORMULA and USER need their plan; all others pass NULL.
weft_status weft__reduce_kernel_get(weft__kernel **kernel, weft_context *context, const weft__reduce_key *key,
                                    const weft__plan *plan);
/// Whether accumulators carry an index: R_NUMBERED of cl/reduce/ops.clh.
bool weft__reduce_is_numbered(const weft__reduce_what *what);
/// Bytes of an accumulator, a multiple of 4.
size_t weft__reduce_accumulator_bytes(const weft__reduce_what *what, bool has_fp64);

/// One call of a reduction.
typedef struct weft__reduce_task {
  weft__reduce_what what;
  const char *name;        /* of the launch: "sum" */
  const weft__plan *plan;  /* FORMULA, USER */
  const uint64_t *scalars; /* of the plan's formula, two words each */
  uint64_t neutral[2];     /* USER */
  weft_scalar empty;       /* the result for no elements; without a dtype: no elements are an error */
  int64_t ddof;
  weft_shape shape; /* of the operands */
  bool along[WEFT_MAX_NDIM];
  bool keepdims;
} weft__reduce_task;

/// A part of a task's values, in a call done in parts (op/reduce/streaming.c). The task passed with a part has the
/// shape of this part.
typedef struct weft__reduce_part {
  uint64_t first;       /* number of the part's first element among all elements */
  uint64_t row;         /* position of the first element along the reduced axes */
  int64_t count, all;   /* elements per result, and of the whole call */
  bool goes_on;         /* results span several parts: accumulators stay in `partials` until weft__reduce_conclude */
  uint64_t outputs;     /* number of these results */
  uint64_t there;       /* splits stored in `partials`; 0 at the first part of a result */
  uint64_t room;        /* splits that `partials` has room for */
  weft_array *partials; /* released by the caller */
} weft__reduce_part;

/// Whether the kernels can read the operands in place: contiguous arrays or host memory of the task's shape, whose
/// reduced axes follow each other, and contiguous arrays with one element or one for each result; at most
/// WEFT__REDUCE_INPUTS. A single array without a formula needs no such check:
/// weft__reduce_run copies it if necessary.
bool weft__reduce_is_direct(const weft__call *c, const weft__reduce_task *task);
/// Whether the launch copies a contiguous array of the task's shape because its reduced axes do not follow each other.
bool weft__reduce_turns(const weft__reduce_task *task);
/// Makes result 0 and launches the reduction.
weft_status weft__reduce_run(weft__call *c, const weft__reduce_task *task);
/// Only makes result 0. *is_made: it is complete, without a launch.
weft_status weft__reduce_result(bool *is_made, weft__call *c, const weft__reduce_task *task);
/// Errors: ARGUMENT if this is no number of elements.
weft_status weft__ddof_check(double ddof);
/// Launches a part. Writes its results to `out`, or its accumulators to part->partials, which the first part creates.
weft_status weft__reduce_part_run(const weft__call *c, const weft__reduce_task *task, weft_array *out,
                                  weft__reduce_part *part);
/// Whether weft__reduce_part_run copies the call's first array.
bool weft__reduce_copies(const weft__call *c, const weft__reduce_task *task);
/// Launches the whole. Of a view whose elements are the same along an axis only one is read for each result, and of one
/// that must be copied only a part at a time.
weft_status weft__reduce_view_run(const weft__call *c, const weft__reduce_task *task, weft_array *out);
/// Computes the results from the parts so far.
weft_status weft__reduce_conclude(const weft__call *c, const weft__reduce_task *task, weft_array *out,
                                  weft__reduce_part *part);

/// The values of a formula that the kernels cannot compute themselves: an array, which is then reduced.
typedef struct weft__reduce_values {
  weft__plan *plan;        /* computes the values from the call's operands */
  const uint64_t *scalars; /* of the plan's formula, two words each */
  weft_dtype cast;         /* dtype to which the values are cast before the reduction; NONE: no cast */
} weft__reduce_values;

/// Sets *chunk_bytes to the bytes of host memory, values and copies per chunk; 0: the call is done whole. The operands
/// are checked but not gathered. They have the task's shape; or, if `values` is not NULL, the task reduces values
/// computed from them.
weft_status weft__reduce_chunk_bytes(uint64_t *chunk_bytes, const weft__call *c, const weft__reduce_task *task,
                                     const weft__reduce_values *values);
/// Makes result 0 in chunks.
weft_status weft__reduce_in_chunks(weft__call *c, const weft__reduce_task *task, const weft__reduce_values *values,
                                   uint64_t chunk_bytes);

/// Describes reduction `id` of values of a dtype: sets the task's what, name and empty, and ddof from the parameter.
/// Errors: DTYPE, UNSUPPORTED, ARGUMENT.
weft_status weft__reduce_describe(weft__reduce_task *task, weft_reduction_id id, weft_dtype dtype, bool has_fp64,
                                  double parameter);
/// Inner products along axes, of arrays of one shape.
weft_status weft__dots_at(weft_operand out, weft_operand a, weft_operand b, weft_axes axes, const char *site);
/// Checks and sets shape, axes and keepdims.
weft_status weft__reduce_axes(weft__reduce_task *task, weft_reduction_id id, weft_shape shape, weft_axes axes);

#endif
