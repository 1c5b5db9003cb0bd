// SPDX-License-Identifier: MIT
/// A formula: what is computed for one element, as typed nodes. A call of a ufunc makes one with a single operation, an
/// expression one with many; kernels are made from it (expr/emit.h), and so are the maps of reductions.
///
/// Nodes are numbered in the order they are made, so operands come before what uses them. Casts that the operations
/// need are put in here.
#ifndef WEFT_EXPR_FORMULA_H
#define WEFT_EXPR_FORMULA_H

#include "dtype/scalar.h"
#include "expr/overload.h"

#define WEFT__MAX_INPUTS WEFT_MAX_OPERANDS
#define WEFT__MAX_SCALARS 32

typedef enum weft__node_kind {
  WEFT__NODE_INPUT = 0, /* the element of an array */
  WEFT__NODE_SCALAR,    /* a C scalar given with the call, in the dtype it is used in */
  WEFT__NODE_NUMBER,    /* a number of the text */
  WEFT__NODE_INDEX,     /* the element's number, i64 */
  WEFT__NODE_SIZE,      /* how many there are, i64 */
  WEFT__NODE_CAST,
  WEFT__NODE_APPLY, /* a row of the table */
  WEFT__NODE_CALL,  /* the user's function in OpenCL C */
  WEFT__NODE_MORE,  /* a further result of the node `argument[0]`, number `index` */
} weft__node_kind;

typedef struct weft__node {
  weft__node_kind kind;
  weft_dtype dtype;
  bool weak;       /* takes the dtype of what it meets, as C scalars and numbers do */
  int op;          /* APPLY */
  weft_dtype type; /* APPLY: T of its signature */
  int index;       /* INPUT, weak SCALAR: which input; a typed SCALAR's place is argument[0]. MORE: which result */
  int argument[WEFT__MAX_INPUTS];
  int argument_count;
  weft_scalar number;
} weft__node;

/// An operand of the call.
typedef struct weft__input {
  weft_dtype dtype; /* as stored; of a scalar bool, i64, f64 or c128 */
  bool is_scalar;
} weft__input;

#define WEFT__NO_INPUT (-1)

/// One value that a launch passes: a number of the text, or a scalar input in one dtype (each dtype takes a place).
typedef struct weft__scalar_place {
  int input; /* WEFT__NO_INPUT: the value is `number` */
  weft_dtype dtype;
  weft__fit fit;
  weft_scalar number;
} weft__scalar_place;

typedef struct weft__formula {
  bool has_fp64;
  bool failed;     /* out of host memory */
  bool lacks_fp64; /* the reason why a node was refused: what would be WEFT_ERROR_DTYPE is WEFT_ERROR_UNSUPPORTED */
  int inputs;
  weft__input input[WEFT__MAX_INPUTS];
  int scalars;
  weft__scalar_place scalar[WEFT__MAX_SCALARS];
  int count, capacity;
  weft__node *node;
  int results;
  int result[WEFT__MAX_INPUTS];
  /* CALL: the user's function body and its parameters, see weft__formula_call */
  const char *body;
  const char *parameter[WEFT__MAX_INPUTS];
  weft_dtype parameter_dtype[WEFT__MAX_INPUTS];
  int call_results;
  int signature; /* of a user's function: which of its signatures this is */
} weft__formula;

void weft__formula_free(weft__formula *f);

/* Each makes a node and returns its number, or -1 with the reason in *why (also when a node given is -1: then nothing
   is added). */

int weft__formula_input(weft__formula *f, int input);
int weft__formula_number(weft__formula *f, weft_scalar number);
int weft__formula_index(weft__formula *f);
int weft__formula_size(weft__formula *f);
/// The value in another dtype. A number that does not fit an integer dtype is refused.
int weft__formula_cast(weft__formula *f, int node, weft_dtype dtype, weft__text *why);
/// A function of the table, of as many nodes as it has operands; more[0] becomes its second result where it has one.
/// Chooses the signature and puts in the casts. Arithmetic of numbers is done here.
int weft__formula_apply(weft__formula *f, int op, const int *arguments, int more[1], weft__text *why);
/// A user's function. The strings are kept, not copied: they must live as long as the process.
typedef struct weft__body {
  const char *text;
  const char *const *names; /* of the parameters; behind them those of the results where there are several */
  const weft_dtype *parameter, *result;
  int parameters, results;
} weft__body;

/// A call of `body` with the inputs. more[] becomes the results after the first one.
int weft__formula_call(weft__formula *f, const weft__body *body, int *more, weft__text *why);
/// Makes a node a result, weak ones settled.
bool weft__formula_add_result(weft__formula *f, int node, weft__text *why);
/// Turns numbers into scalars that launches pass, while there are places: formulas that differ only in numbers then
/// share a source, built once. Numbers that make a kernel faster as constants stay.
void weft__formula_pass_numbers(weft__formula *f);
/// The bytes of those numbers, two words at each scalar's place; 0 for C scalars.
void weft__formula_numbers(uint64_t *words, const weft__formula *f);

#endif
