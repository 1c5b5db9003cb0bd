// SPDX-License-Identifier: MIT
#include "expr/overload.h"

#include <string.h>

#define ROW(ID, name, numpy, signature, types, flags, b, n, f, s, c, s_include, c_include, doc) \
  [WEFT_UFUNC_##ID] = {#name, numpy, signature, types, flags, b, n, f, s, c, s_include, c_include},
static const weft__op rows[WEFT_UFUNC_COUNT] = {WEFT__UFUNCS(ROW)};
#undef ROW

const weft__op *weft__op_row(int id) {
  return id > WEFT_UFUNC_NONE && id < WEFT_UFUNC_COUNT ? &rows[id] : NULL;
}

int weft__op_results(const weft__op *op) {
  int count = 0;
  while (op->signature[count] != ':') count++;
  return count;
}

int weft__op_operands(const weft__op *op) {
  return (int)strlen(op->signature) - weft__op_results(op) - 1;
}

static bool is_name(const char *row, const char *name, size_t length) {
  return strlen(row) == length && memcmp(row, name, length) == 0;
}

int weft__op_find(const char *name, size_t length) {
  for (int id = 1; id < WEFT_UFUNC_COUNT; id++)
    if (is_name(rows[id].name, name, length) || is_name(rows[id].numpy, name, length)) return id;
  return WEFT_UFUNC_NONE;
}

/* ---- NumPy's rules ---- */

/// Bits of the integers that a dtype holds, without the sign. As in NumPy, f64 counts as holding all integers.
static int integer_bits(weft_dtype dtype) {
  const weft__dtype_row *row = weft__dtype(weft__real_dtype(dtype));
  switch (row->kind) {
    case 'b':
      return 1;
    case 'i':
      return 8 * (int)row->size_bytes - 1;
    case 'u':
      return 8 * (int)row->size_bytes;
    default:
      return weft__needs_fp64(dtype) ? 64 : row->fraction_bits + 1;
  }
}

/// Whether all values of a float dtype (or of a complex dtype's parts) are values of another.
static bool holds_floats(weft_dtype from, weft_dtype to) {
  from = weft__real_dtype(from);
  to = weft__real_dtype(to);
  return weft__dtype(from)->fraction_bits <= weft__dtype(to)->fraction_bits &&
         weft__exponent_bits(from) <= weft__exponent_bits(to);
}

bool weft__casts_safely(weft_dtype from, weft_dtype to) {
  char a = weft_dtype_kind(from), b = weft_dtype_kind(to);
  bool from_integer = a == 'i' || a == 'u';
  if (from == to || a == 'b') return true;
  if (b == 'b') return false;
  if (from_integer) return (a == 'u' || b != 'u') && integer_bits(from) <= integer_bits(to);
  if (b == 'i' || b == 'u' || (a == 'c' && b != 'c')) return false;
  return holds_floats(from, to);
}

bool weft__casts_same_kind(weft_dtype from, weft_dtype to) {
  static const char order[] = "buifc";
  return weft__casts_safely(from, to) || strchr(order, weft_dtype_kind(from)) <= strchr(order, weft_dtype_kind(to));
}

weft_dtype weft__promote_all(weft__dtypes all) {
  int greatest = 0;
  while (all >> greatest > 1) greatest++;
  if (all == WEFT__DTYPE_SET(greatest)) return (weft_dtype)greatest; /* the usual case: one dtype */
  for (int rank = 0; weft__dtype_of_rank(rank); rank++) {
    const weft_dtype to = weft__dtype_of_rank(rank);
    bool holds_all = true;
    for (int from = 1; all >> from != 0; from++)
      if (all >> from & 1) holds_all &= weft__casts_safely((weft_dtype)from, to);
    if (holds_all) return to;
  }
  return WEFT_C128;
}

weft_dtype weft__promote(weft_dtype a, weft_dtype b) {
  return weft__promote_all(WEFT__DTYPE_SET(a) | WEFT__DTYPE_SET(b));
}

weft_dtype weft__weak_dtype(weft_dtype scalar) {
  switch (weft_dtype_kind(scalar)) {
    case 'b':
      return WEFT_BOOL;
    case 'f':
      return WEFT_F64;
    case 'c':
      return WEFT_C128;
    default:
      return WEFT_I64;
  }
}

weft_dtype weft__promote_weak(weft_dtype strong, weft_dtype weak) {
  char s = weft_dtype_kind(strong), w = weft_dtype_kind(weak);
  if (strong == WEFT_DTYPE_NONE || s == 'c' || w == 'b') return strong == WEFT_DTYPE_NONE ? weak : strong;
  if (w == 'c') return s == 'f' && !weft__needs_fp64(strong) ? WEFT_C64 : WEFT_C128;
  if (s == 'f') return strong;
  if (w == 'f' || s == 'b') return weak;
  return strong;
}

/* ---- signatures ---- */

bool weft__op_has_type(const weft__op *op, weft_dtype type) {
  return strchr(op->types, weft__dtype(type)->letter) != NULL;
}

static weft_dtype dtype_of_code(char code, weft_dtype type) {
  switch (code) {
    case 'T':
      return type;
    case 'R':
      return weft__real_dtype(type);
    case '?':
      return WEFT_BOOL;
    case 'B':
      return WEFT_U8;
    case 'i':
      return WEFT_I32;
    default:
      return WEFT_I64; /* K */
  }
}

void weft__op_signature(weft__signature *signature, const weft__op *op, weft_dtype type) {
  int results = weft__op_results(op), operands = weft__op_operands(op);
  signature->type = type;
  for (int k = 0; k < results; k++) signature->result[k] = dtype_of_code(op->signature[k], type);
  for (int k = 0; k < operands; k++) signature->operand[k] = dtype_of_code(op->signature[results + 1 + k], type);
}

static bool is_integer(weft_dtype dtype) {
  char kind = weft_dtype_kind(dtype);
  return kind == 'i' || kind == 'u';
}

/// The promoted dtype of the weak (or else of the typed) operands of type T; NONE without such an operand.
static weft_dtype promote_typed(const char *code, const weft__typed *operands, bool weak) {
  weft__dtypes all = 0;
  for (int k = 0; code[k]; k++)
    if (code[k] == 'T' && operands[k].weak == weak) all |= WEFT__DTYPE_SET(operands[k].dtype);
  return all ? weft__promote_all(all) : WEFT_DTYPE_NONE;
}

/// The dtype each operand counts as: its own, or for a weak operand the dtype it takes beside the typed ones.
static void settle(weft_dtype settled[], const weft__op *op, const weft__typed *operands) {
  const char *code = op->signature + weft__op_results(op) + 1;
  weft_dtype strong = promote_typed(code, operands, false), weak = promote_typed(code, operands, true);
  for (int k = 0; code[k]; k++) {
    settled[k] = operands[k].dtype;
    if (!operands[k].weak) continue;
    if (code[k] == 'T') settled[k] = strong == WEFT_DTYPE_NONE ? weak : weft__promote_weak(strong, operands[k].dtype);
    if (code[k] == 'i' || code[k] == 'K') settled[k] = is_integer(operands[k].dtype) ? WEFT_I32 : operands[k].dtype;
  }
}

static bool fits(const weft__op *op, const weft_dtype settled[], weft_dtype type) {
  const char *code = op->signature + weft__op_results(op) + 1;
  for (int k = 0; code[k]; k++) {
    if (code[k] == '?') continue; /* every dtype converts to bool */
    if (!weft__casts_safely(settled[k], dtype_of_code(code[k], type))) return false;
  }
  return true;
}

static void say_why(weft__text *why, const weft__op *op, const weft_dtype settled[]) {
  int operands = weft__op_operands(op);
  weft__text_add(why, "%s has no signature for (", op->name);
  for (int k = 0; k < operands; k++) weft__text_add(why, "%s%s", k ? ", " : "", weft_dtype_name(settled[k]));
  weft__text_add(why, ")");
}

bool weft__op_resolve(weft__signature *signature, const weft__op *op, const weft__typed *operands, weft__text *why) {
  weft_dtype settled[WEFT__OP_OPERANDS];
  const char *code = op->signature + weft__op_results(op) + 1;
  bool all_bool = true, no_float = true, has_u64 = false, has_signed = false;
  settle(settled, op, operands);
  for (int k = 0; code[k]; k++) {
    if (code[k] != 'T') continue;
    char kind = weft_dtype_kind(settled[k]);
    if (kind != 'b') all_bool = false;
    if (kind == 'f' || kind == 'c') no_float = false;
    if (settled[k] == WEFT_U64) has_u64 = true;
    if (kind == 'i') has_signed = true;
  }
  if (all_bool && op->flags & WEFT__OP_NO_BOOL) {
    weft__text_add(why, "%s is not defined for bool; logical_not, logical_xor or a cast may be what is meant",
                   op->name);
    return false;
  }
  if (op->flags & WEFT__OP_EXACT && no_float && has_u64 && has_signed) {
    weft__op_signature(signature, op, WEFT_I64);
    for (int k = 0; code[k]; k++) signature->operand[k] = settled[k] == WEFT_U64 ? WEFT_U64 : WEFT_I64;
    return true;
  }
  for (int rank = 0; weft__dtype_of_rank(rank); rank++) {
    const weft_dtype dtype = weft__dtype_of_rank(rank);
    if (!weft__op_has_type(op, dtype)) continue;
    if (op->flags & (WEFT__OP_DIVIDES | WEFT__OP_SPECIAL) && no_float && dtype != WEFT_F64) continue;
    if (!fits(op, settled, dtype)) continue;
    weft__op_signature(signature, op, dtype);
    return true;
  }
  say_why(why, op, settled);
  return false;
}
