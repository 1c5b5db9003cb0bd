// SPDX-License-Identifier: MIT
#include "expr/formula.h"

#include <stdlib.h>
#include <string.h>

#include "expr/fold.h"

void weft__formula_free(weft__formula *f) {
  free(f->node);
  f->node = NULL;
  f->count = f->capacity = 0;
}

int weft__formula_add(weft__formula *f, weft__node node) {
  if (f->count == f->capacity) {
    int capacity = f->capacity ? 2 * f->capacity : 16;
    weft__node *grown = realloc(f->node, (size_t)capacity * sizeof *grown);
    if (!grown) {
      f->failed = true;
      return -1;
    }
    f->node = grown;
    f->capacity = capacity;
  }
  f->node[f->count] = node;
  return f->count++;
}

int weft__formula_input(weft__formula *f, int input) {
  const weft__input *in = &f->input[input];
  if (f->axes && !in->is_scalar) return weft__formula_tap(f, input, (const int[WEFT_MAX_NDIM]){0});
  weft__node_kind kind = in->is_scalar ? WEFT__NODE_SCALAR : WEFT__NODE_INPUT;
  for (int k = 0; k < f->count; k++)
    if (f->node[k].kind == kind && f->node[k].index == input && f->node[k].dtype == in->dtype &&
        f->node[k].weak == in->is_scalar)
      return k;
  return weft__formula_add(f, (weft__node){.kind = kind, .dtype = in->dtype, .weak = in->is_scalar, .index = input});
}

int weft__formula_number(weft__formula *f, weft_scalar number) {
  return weft__formula_add(
      f,
      (weft__node){.kind = WEFT__NODE_NUMBER, .dtype = weft__weak_dtype(number.dtype), .weak = true, .number = number});
}

int weft__formula_tap(weft__formula *f, int input, const int *offset) {
  weft__node tap = {.kind = WEFT__NODE_TAP, .dtype = f->input[input].dtype, .index = input};
  const size_t bytes = (size_t)f->axes * sizeof *offset;
  memcpy(tap.argument, offset, bytes);
  for (int k = 0; k < f->count; k++)
    if (f->node[k].kind == WEFT__NODE_TAP && f->node[k].index == input &&
        memcmp(f->node[k].argument, offset, bytes) == 0)
      return k;
  return weft__formula_add(f, tap);
}

static int find_or_add(weft__formula *f, weft__node_kind kind) {
  for (int k = 0; k < f->count; k++)
    if (f->node[k].kind == kind) return k;
  return weft__formula_add(f, (weft__node){.kind = kind, .dtype = WEFT_I64});
}

int weft__formula_index(weft__formula *f) {
  return find_or_add(f, WEFT__NODE_INDEX);
}

int weft__formula_size(weft__formula *f) {
  return find_or_add(f, WEFT__NODE_SIZE);
}

/* ---- places ---- */

/// Finds or adds the scalar place of an input in one dtype. Returns its index, or -1 with the reason in *why.
static int scalar_place(weft__formula *f, int input, weft_dtype dtype, weft__fit fit, weft__text *why) {
  for (int k = 0; k < f->scalars; k++)
    if (f->scalar[k].input == input && f->scalar[k].dtype == dtype && f->scalar[k].fit == fit) return k;
  if (f->scalars == WEFT__MAX_SCALARS) {
    weft__text_add(why, "more than %d scalars", WEFT__MAX_SCALARS);
    return -1;
  }
  f->scalar[f->scalars] = (weft__scalar_place){.input = input, .dtype = dtype, .fit = fit};
  return f->scalars++;
}

int weft__formula_position(weft__formula *f, int axis, weft__text *why) {
  weft__node node = {.kind = WEFT__NODE_POSITION, .dtype = WEFT_I64, .index = axis, .argument = {0, -1, -1}};
  for (int k = 0; k < f->count; k++)
    if (f->node[k].kind == WEFT__NODE_POSITION && f->node[k].index == axis) return k;
  if (f->axes) return weft__formula_add(f, node);
  node.argument[0] = weft__formula_index(f);
  for (int d = axis, at = 1; d >= 0 && d >= axis - 1; d--, at++)
    if ((node.argument[at] = scalar_place(f, WEFT__OF_AXIS(d), WEFT_I64, WEFT__FIT_EXACT, why)) < 0) return -1;
  return node.argument[0] < 0 ? -1 : weft__formula_add(f, node);
}

/* ---- casts ---- */

static bool can_have(weft__formula *f, weft_dtype dtype, weft__text *why) {
  if (f->has_fp64 || !weft__needs_fp64(dtype)) return true;
  f->lacks_fp64 = true;
  weft__text_add(why,
                 "this is computed in %s, which the device does not support (no fp64): cast an operand to %s first",
                 weft_dtype_name(dtype), dtype == WEFT_F64 ? "f32" : "c64");
  return false;
}

static int cast(weft__formula *f, int node, weft_dtype dtype, weft__fit fit, weft__text *why) {
  if (node < 0) return -1;
  weft__node from = f->node[node];
  if (!from.weak && from.dtype == dtype) return node;
  if (!can_have(f, dtype, why)) return -1;
  if (from.weak && from.kind == WEFT__NODE_SCALAR) {
    int place = scalar_place(f, from.index, dtype, fit, why);
    if (place < 0) return -1;
    weft__node to = {.kind = WEFT__NODE_SCALAR, .dtype = dtype, .index = from.index, .argument = {place}};
    for (int k = 0; k < f->count; k++)
      if (f->node[k].kind == WEFT__NODE_SCALAR && !f->node[k].weak && f->node[k].argument[0] == place) return k;
    return weft__formula_add(f, to);
  }
  if (from.kind == WEFT__NODE_NUMBER) {
    uint64_t bytes[2];
    from.number = weft__scalar_fitted(from.number, dtype, fit);
    if (!weft__scalar_bytes(bytes, dtype, from.number)) {
      weft__text_add(why, "the number ");
      weft__scalar_describe(why, from.number);
      weft__text_add(why, " does not fit %s", weft_dtype_name(dtype));
      return -1;
    }
    return weft__formula_add(f, (weft__node){.kind = WEFT__NODE_NUMBER, .dtype = dtype, .number = from.number});
  }
  return weft__formula_add(
      f, (weft__node){.kind = WEFT__NODE_CAST, .dtype = dtype, .argument = {node}, .argument_count = 1});
}

int weft__formula_cast(weft__formula *f, int node, weft_dtype dtype, weft__text *why) {
  return cast(f, node, dtype, WEFT__FIT_EXACT, why);
}

/// The dtype of a weak value without typed operands beside it: narrower on devices without fp64.
static weft_dtype own_dtype(const weft__formula *f, weft_dtype dtype) {
  if (f->has_fp64 || !weft__needs_fp64(dtype)) return dtype;
  return dtype == WEFT_F64 ? WEFT_F32 : WEFT_C64;
}

/// Casts a weak value to its own dtype (i64, f64, ...). Typed values are returned unchanged.
static int settle(weft__formula *f, int node, weft__text *why) {
  if (node < 0 || !f->node[node].weak) return node;
  return weft__formula_cast(f, node, own_dtype(f, f->node[node].dtype), why);
}

bool weft__formula_add_result(weft__formula *f, int node, weft__text *why) {
  node = settle(f, node, why);
  if (node < 0) return false;
  f->result[f->results++] = node;
  return true;
}

/* ---- operations ---- */

/// How a number given as operand k is fitted to the function's dtype.
static weft__fit fit_of(const weft__op *row, int k) {
  if (row->flags & WEFT__OP_WRAPS) return WEFT__FIT_WRAP;
  if (row->flags & WEFT__OP_BOUNDS && k > 0) return k == 1 ? WEFT__FIT_FLOOR : WEFT__FIT_CEILING;
  return WEFT__FIT_EXACT;
}

int weft__formula_apply(weft__formula *f, int op, const int *given, int more[1], weft__text *why) {
  const weft__op *row = weft__op_row(op);
  int operands = weft__op_operands(row), arguments[WEFT__OP_OPERANDS];
  weft__typed typed[WEFT__OP_OPERANDS];
  weft__signature signature;
  bool all_weak = true, all_numbers = true;
  for (int k = 0; k < operands; k++) {
    bool of_truth = row->flags & WEFT__OP_TRUTH && given[k] >= 0 && f->node[given[k]].weak;
    arguments[k] = of_truth ? weft__formula_cast(f, given[k], WEFT_BOOL, why) : given[k];
    if (arguments[k] < 0) return -1;
    const weft__node *node = &f->node[arguments[k]];
    typed[k] = (weft__typed){node->dtype, node->weak};
    if (!node->weak) all_weak = false;
    if (node->kind != WEFT__NODE_NUMBER || !node->weak) all_numbers = false;
  }
  if (all_numbers && operands <= 2) {
    weft_scalar number;
    switch (
        weft__fold(&number, op, &f->node[arguments[0]].number, operands > 1 ? &f->node[arguments[1]].number : NULL)) {
      case WEFT__FOLDED:
        return weft__formula_number(f, number);
      case WEFT__FOLD_OVERFLOW:
        weft__text_add(why, "the result does not fit 64 bits; a number with a point is a float");
        return -1;
      default:
        break;
    }
  }
  if (!weft__op_resolve(&signature, row, typed, why)) return -1;
  if ((all_weak || row->flags & WEFT__OP_SPECIAL) && !f->has_fp64 && weft__needs_fp64(signature.type))
    weft__op_signature(&signature, row, own_dtype(f, signature.type));
  if (!can_have(f, signature.type, why)) return -1;
  weft__node node = {
      .kind = WEFT__NODE_APPLY, .dtype = signature.result[0], .weak = all_weak, .op = op, .type = signature.type};
  for (int k = 0; k < operands; k++) {
    node.argument[k] = cast(f, arguments[k], signature.operand[k], fit_of(row, k), why);
    if (node.argument[k] < 0) return -1;
  }
  node.argument_count = operands;
  int first = weft__formula_add(f, node);
  if (first >= 0 && weft__op_results(row) == 2)
    more[0] = weft__formula_add(
        f,
        (weft__node){
            .kind = WEFT__NODE_MORE, .dtype = signature.result[1], .weak = all_weak, .index = 1, .argument = {first}});
  return first;
}

/// The caller gives a raw array in the parameter's dtype.
static int raw_input(weft__formula *f, int input, weft_dtype dtype, weft__text *why) {
  if (!can_have(f, dtype, why)) return -1;
  const int place = scalar_place(f, WEFT__OF_RAW(input), WEFT_I64, WEFT__FIT_EXACT, why);
  f->input[input].dtype = dtype;
  return place < 0 ? -1
                   : weft__formula_add(
                         f, (weft__node){.kind = WEFT__NODE_RAW, .dtype = dtype, .index = input, .argument = {place}});
}

int weft__formula_call(weft__formula *f, const weft__body *body, int *more, weft__text *why) {
  weft__node node = {.kind = WEFT__NODE_CALL, .dtype = body->result[0], .argument_count = body->parameters};
  f->body = body->text;
  f->preamble = body->preamble;
  f->call_results = body->results;
  for (int k = 0; k < body->parameters; k++)
    if (f->input[k].is_raw && weft__formula_index(f) < 0) return -1;
  for (int k = 0; k < body->parameters + (body->results > 1 ? body->results : 0); k++) f->parameter[k] = body->names[k];
  for (int k = 0; k < body->parameters; k++) {
    f->parameter_dtype[k] = body->parameter[k];
    node.argument[k] = f->input[k].is_raw ? raw_input(f, k, body->parameter[k], why)
                                          : weft__formula_cast(f, weft__formula_input(f, k), body->parameter[k], why);
    if (node.argument[k] < 0) return -1;
  }
  for (int k = 0; k < body->results; k++)
    if (!can_have(f, body->result[k], why)) return -1;
  int first = weft__formula_add(f, node);
  for (int k = 1; k < body->results && first >= 0; k++)
    more[k - 1] = weft__formula_add(
        f, (weft__node){.kind = WEFT__NODE_MORE, .dtype = body->result[k], .index = k, .argument = {first}});
  return first;
}

/* ---- reduced values ---- */

int weft__formula_reduced(weft__formula *f, int node, const weft__text_reduction *how, weft__text *why) {
  node = settle(f, node, why);
  if (node < 0) return -1;
  const weft_dtype dtype = weft__reduction_dtype(how->id, f->node[node].dtype);
  if (!can_have(f, dtype, why)) return -1;
  if (f->inputs + f->reductions >= WEFT__MAX_INPUTS - 3) {
    weft__text_add(why, "more than %d variables and reduced values", WEFT__MAX_INPUTS - 3);
    return -1;
  }
  weft__node reduced = {.kind = WEFT__NODE_REDUCED,
                        .dtype = dtype,
                        .op = how->id,
                        .index = how->axes.count,
                        .argument = {node},
                        .argument_count = 1,
                        .number = WEFT_SCALAR(how->ddof)};
  memcpy(&reduced.argument[1], how->axes.axis, sizeof how->axes.axis);
  f->reduced[f->reductions++] = f->count;
  return weft__formula_add(f, reduced);
}

/* ---- formulas one behind the other ---- */

int weft__formula_stored(weft__formula *f, int node, weft_dtype dtype) {
  return weft__formula_add(
      f, (weft__node){.kind = WEFT__NODE_STORED, .dtype = dtype, .argument = {node}, .argument_count = 1});
}

/// A node of another formula, whose nodes before it became at[] here. -1 with f->failed: out of host memory.
static int append_node(weft__formula *f, weft__node node, const int *at, const int *value, int first_scalar) {
  switch (node.kind) {
    case WEFT__NODE_INPUT:
      return value[node.index];
    case WEFT__NODE_INDEX:
      return weft__formula_index(f);
    case WEFT__NODE_SIZE:
      return weft__formula_size(f);
    case WEFT__NODE_SCALAR:
      if (!node.weak) node.argument[0] += first_scalar;
      break;
    case WEFT__NODE_POSITION:
      node.argument[0] = at[node.argument[0]];
      for (int k = 1; k < 3; k++)
        if (node.argument[k] >= 0) node.argument[k] += first_scalar;
      break;
    case WEFT__NODE_MORE:
      node.argument[0] = at[node.argument[0]];
      break;
    default:
      for (int k = 0; k < node.argument_count; k++) node.argument[k] = at[node.argument[k]];
  }
  return weft__formula_add(f, node);
}

bool weft__formula_append(weft__formula *f, const weft__formula *from, const int *value, int *result) {
  const int first_scalar = f->scalars;
  int *at = malloc((size_t)from->count * sizeof *at + 1);
  if (!at) f->failed = true;
  /* their values are known: where they come from is of the past */
  for (int k = 0; k < from->scalars; k++)
    f->scalar[f->scalars++] = (weft__scalar_place){.input = WEFT__NO_INPUT, .dtype = from->scalar[k].dtype};
  for (int k = 0; k < from->count && !f->failed; k++) at[k] = append_node(f, from->node[k], at, value, first_scalar);
  for (int k = 0; k < from->results && !f->failed; k++) result[k] = at[from->result[k]];
  free(at);
  return !f->failed;
}

/* ---- numbers ---- */

static bool divides(const weft__node *node) {
  return node->op == WEFT_UFUNC_FLOOR_DIVIDE || node->op == WEFT_UFUNC_REMAINDER || node->op == WEFT_UFUNC_FMOD ||
         node->op == WEFT_UFUNC_DIVMOD;
}

static bool is_power_of_integers(const weft__node *node) {
  char kind = weft_dtype_kind(node->type);
  return node->op == WEFT_UFUNC_POW && (kind == 'i' || kind == 'u');
}

/// Such numbers stay constants: compilers turn // and % by a constant into a multiplication, and a constant integer
/// power into a few multiplications.
static bool is_divisor_or_exponent(const weft__formula *f, int number) {
  for (int k = number + 1; k < f->count; k++) {
    const weft__node *node = &f->node[k];
    if (node->kind == WEFT__NODE_APPLY && (divides(node) || is_power_of_integers(node)) && node->argument[1] == number)
      return true;
  }
  return false;
}

void weft__formula_pass_numbers(weft__formula *f) {
  for (int k = 0; k < f->count && f->scalars < WEFT__MAX_SCALARS; k++) {
    weft__node *node = &f->node[k];
    if (node->kind != WEFT__NODE_NUMBER || node->weak || is_divisor_or_exponent(f, k)) continue;
    f->scalar[f->scalars] = (weft__scalar_place){.input = WEFT__NO_INPUT, .dtype = node->dtype, .number = node->number};
    node->kind = WEFT__NODE_SCALAR;
    node->argument[0] = f->scalars++;
  }
}

void weft__formula_numbers(uint64_t *words, const weft__formula *f) {
  for (int k = 0; k < f->scalars; k++) {
    words[2 * k] = words[2 * k + 1] = 0;
    if (f->scalar[k].input == WEFT__NO_INPUT)
      weft__scalar_bytes(&words[2 * k], f->scalar[k].dtype, f->scalar[k].number);
  }
}
