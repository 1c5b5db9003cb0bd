// SPDX-License-Identifier: MIT
/// A formula: the computation of one element, as typed nodes. A ufunc call makes a formula with a single operation, an
/// expression one with many. Kernels and the maps of reductions are generated from formulas (expr/emit.h).
///
/// Nodes are numbered in the order of their creation, so operands come before the nodes that use them. Casts that the
/// operations need are inserted here.
#ifndef WEFT_EXPR_FORMULA_H
#define WEFT_EXPR_FORMULA_H

#include "dtype/scalar.h"
#include "expr/overload.h"
#include "expr/reduction.h"

#define WEFT__MAX_INPUTS WEFT_MAX_OPERANDS
#define WEFT__MAX_SCALARS 128

typedef enum weft__node_kind {
  WEFT__NODE_INPUT = 0, /* the element of an array */
  WEFT__NODE_TAP,       /* of a stencil: the element of an array at an offset, argument[d] along axis d */
  WEFT__NODE_SCALAR,    /* a C scalar given with the call, in the dtype it is used in */
  WEFT__NODE_NUMBER,    /* a number in the text */
  WEFT__NODE_INDEX,     /* the element's index, i64 */
  WEFT__NODE_POSITION,  /* the element's index along axis `index`, i64; argument: see weft__formula_position */
  WEFT__NODE_SIZE,      /* the number of elements, i64 */
  WEFT__NODE_RAW,       /* a raw array, as a pointer; argument[0]: the place of its number of elements */
  WEFT__NODE_CAST,
  WEFT__NODE_STORED,  /* a value as an array of `dtype` returns it: see weft__formula_stored */
  WEFT__NODE_APPLY,   /* a row of the table */
  WEFT__NODE_CALL,    /* the user's function in OpenCL C */
  WEFT__NODE_MORE,    /* a further result of the node `argument[0]`, number `index` */
  WEFT__NODE_REDUCED, /* reduction `op` of `argument[0]` along `index` axes, the next arguments; `number`: ddof */
} weft__node_kind;

typedef struct weft__node {
  weft__node_kind kind;
  weft_dtype dtype;
  bool weak;       /* adopts the dtype of the operands beside it, as C scalars and numbers do */
  int op;          /* APPLY */
  weft_dtype type; /* APPLY: T of its signature */
  int index;       /* INPUT, TAP, weak SCALAR: input number; a typed SCALAR's place is argument[0]. POSITION: axis.
                      MORE: result number */
  int argument[WEFT__MAX_INPUTS];
  int argument_count;
  weft_scalar number;
} weft__node;

/// An operand of the call.
typedef struct weft__input {
  weft_dtype dtype; /* as stored; a scalar is bool, i64, f64 or c128 */
  bool is_scalar;
  bool is_raw; /* an array that the user's function indexes itself */
} weft__input;

#define WEFT__NO_INPUT (-1)
#define WEFT__OF_AXIS(axis) (-2 - (axis))   /* as an input, and back to the axis */
#define WEFT__OF_RAW(input) (-20 - (input)) /* and the number of a raw array's elements */

/// A value that a launch passes: a number of the text, a scalar input in one dtype (one place per dtype), or what finds
/// the index along an axis (cl/map/position.clh).
typedef struct weft__scalar_place {
  int input; /* WEFT__NO_INPUT: the value is `number`; from WEFT__OF_AXIS(0) and WEFT__OF_RAW(0) down */
  weft_dtype dtype;
  weft__fit fit;
  weft_scalar number;
} weft__scalar_place;

typedef struct weft__formula {
  bool has_fp64;
  bool failed;     /* out of host memory */
  bool lacks_fp64; /* a node was refused for lack of fp64: the error is WEFT_ERROR_UNSUPPORTED, not WEFT_ERROR_DTYPE */
  int axes;        /* of a stencil: the arrays' number of axes, and inputs are TAPs; 0: no stencil */
  int inputs;
  weft__input input[WEFT__MAX_INPUTS];
  int scalars;
  weft__scalar_place scalar[WEFT__MAX_SCALARS];
  int count, capacity;
  weft__node *node;
  int results;
  int result[WEFT__MAX_INPUTS];
  int reductions, reduced[WEFT__MAX_INPUTS]; /* REDUCED nodes: such a formula is computed in parts (expr/part.h) */
  /* CALL: the user's function body and its parameters, see weft__formula_call */
  const char *body, *preamble;
  const char *parameter[WEFT__MAX_INPUTS];
  weft_dtype parameter_dtype[WEFT__MAX_INPUTS];
  int call_results;
  int signature; /* of a user's function: the number of its signature */
} weft__formula;

void weft__formula_free(weft__formula *f);
/// Adds a node. Returns its number, or -1 with f->failed: out of host memory.
int weft__formula_add(weft__formula *f, weft__node node);

/* Each function makes a node and returns its number. Returns -1 with the reason in *why on failure, or without a reason
   if a given node is -1. */

int weft__formula_input(weft__formula *f, int input);
int weft__formula_number(weft__formula *f, weft_scalar number);
int weft__formula_index(weft__formula *f);
int weft__formula_size(weft__formula *f);
/// For a stencil: the element of an input at an offset, one for each of the formula's axes.
int weft__formula_tap(weft__formula *f, int input, const int *offset);
/// The index along an axis. A stencil's kernel has it. Other formulas compute it from the element's number, and
/// arguments 1 and 2 of the node are the places of the axis and the axis before it (-1 for axis 0).
int weft__formula_position(weft__formula *f, int axis, weft__text *why);
/// Casts a value to another dtype. A number that does not fit an integer dtype is an error.
int weft__formula_cast(weft__formula *f, int node, weft_dtype dtype, weft__text *why);
/// Applies a function of the table to its operands, given as nodes. If it has a second result, more[0] receives it.
/// Chooses the signature and inserts the casts. Operations on numbers alone are folded.
int weft__formula_apply(weft__formula *f, int op, const int *arguments, int more[1], weft__text *why);
/// A user's function. The strings are not copied and must live as long as the formula.
typedef struct weft__body {
  const char *text;
  const char *const *names; /* of the parameters, followed by the names of the results if there are several */
  const weft_dtype *parameter, *result;
  int parameters, results;
  const char *preamble; /* in front of the function; NULL: nothing */
} weft__body;

/// Calls `body` with the formula's inputs. more[] receives the results after the first.
int weft__formula_call(weft__formula *f, const weft__body *body, int *more, weft__text *why);
/// Reduces a value. The result is computed before the elements that use it, and broadcasts to them.
int weft__formula_reduced(weft__formula *f, int node, const weft__text_reduction *how, weft__text *why);
/// Makes a node a result. A weak node is cast to its own dtype.
bool weft__formula_add_result(weft__formula *f, int node, weft__text *why);
/// The value that another kernel would read from an array of this dtype after the node was stored there. A narrow dtype
/// rounds, which values inside of a formula do not. The dtype must be the node's own, or one to which it is cast
/// implicitly.
int weft__formula_stored(weft__formula *f, int node, weft_dtype dtype);
/// Adds the nodes of `from`, which has no raw inputs and no user's function, with value[i] in the place of its array
/// input i. Sets result[k] to the node of its result k. Its scalars follow the scalars of f, in their order. False: out
/// of host memory (f->failed).
bool weft__formula_append(weft__formula *f, const weft__formula *from, const int *value, int *result);
/// Turns numbers into scalars that launches pass, as long as there are free places. Formulas that differ only in
/// numbers then share a source, built once. Numbers that make a kernel faster as constants stay.
void weft__formula_pass_numbers(weft__formula *f);
/// The bytes of the numbers that weft__formula_pass_numbers moved: two words at each scalar's place, 0 for C scalars.
void weft__formula_numbers(uint64_t *words, const weft__formula *f);

#endif
