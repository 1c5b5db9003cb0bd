// SPDX-License-Identifier: MIT
/// The built-in ufuncs: a row of the table applied to the caller's operands.
#include <math.h>
#include <string.h>

#include "dtype/scalar.h"
#include "op/ufunc/apply.h"

static weft_status build_builtin(weft__formula *f, const weft__elementwise *function) {
  const int *id = function->data;
  weft__text why = {0};
  int argument[WEFT__OP_OPERANDS], more[1] = {-1};
  for (int k = 0; k < f->inputs; k++) argument[k] = weft__formula_input(f, k);
  int first = weft__formula_apply(f, *id, argument, more, &why);
  bool done = first >= 0 && weft__formula_add_result(f, first, &why) &&
              (function->results == 1 || weft__formula_add_result(f, more[0], &why));
  weft_status refused = f->lacks_fp64 ? WEFT_ERROR_UNSUPPORTED : WEFT_ERROR_DTYPE;
  weft_status rc = done || f->failed ? WEFT_OK : weft__fail(refused, NULL, "%s", weft__text_chars(&why));
  weft__text_free(&why);
  return rc;
}

/// Function names such as "weft_add", for messages.
#define ROW(ID, name, ...) [WEFT_UFUNC_##ID] = "weft_" #name,
static const char *const function_names[WEFT_UFUNC_COUNT] = {WEFT__UFUNCS(ROW)};
#undef ROW

/// Whether a C integer is compared with an array whose dtype cannot hold it. As in NumPy 2, the integer is beyond all
/// elements; an infinity replaces it.
static bool is_beyond(const weft_operand *scalar, const weft_operand *other) {
  uint64_t bytes[2];
  weft_dtype dtype = WEFT_DTYPE_NONE;
  char kind = scalar->kind == WEFT_OPERAND_SCALAR ? weft_dtype_kind(scalar->as.scalar.dtype) : 0;
  if (other->kind == WEFT_OPERAND_ARRAY && weft__handle_is(other->as.array, WEFT__MAGIC_ARRAY))
    dtype = other->as.array->dtype;
  if (other->kind == WEFT_OPERAND_HOST) dtype = other->as.host.dtype;
  char other_kind = weft_dtype_kind(dtype);
  return (kind == 'i' || kind == 'u') && (other_kind == 'i' || other_kind == 'u') &&
         !weft__scalar_bytes(bytes, dtype, scalar->as.scalar);
}

static weft_operand infinity_like(const weft_operand *scalar) {
  bool negative = weft_dtype_kind(scalar->as.scalar.dtype) == 'i' && scalar->as.scalar.value.i < 0;
  return WEFT_OPERAND(negative ? -INFINITY : INFINITY);
}

weft_status weft__ufunc_apply_at(weft_ufunc_id id, int operand_count, const weft_operand *operands, const char *site) {
  weft_status rc;
  weft_operand settled[2];
  const weft__op *row = weft__op_row(id);
  weft__enter(row ? function_names[id] : "weft_ufunc_apply", site);
  if (!row) WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "id", "`id` is %d, which is no built-in ufunc", id));
  WEFT__NEED(operands);
  const weft__elementwise function = {
      .name = row->name,
      .kind = WEFT__KIND_UFUNC,
      .owner = row,
      .results = weft__op_results(row),
      .inputs = weft__op_operands(row),
      .build = build_builtin,
      .data = &id,
  };
  if (operand_count != function.results + function.inputs)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "operand_count", "%d operands given; %s has %d result%s and %d operand%s",
                         operand_count, row->name, function.results, function.results == 1 ? "" : "s", function.inputs,
                         function.inputs == 1 ? "" : "s"));
  const weft_operand *of = operands + function.results;
  if (row->flags & WEFT__OP_EXACT && (is_beyond(&of[0], &of[1]) || is_beyond(&of[1], &of[0]))) {
    bool first = is_beyond(&of[0], &of[1]);
    settled[0] = first ? infinity_like(&of[0]) : of[0];
    settled[1] = first ? of[1] : infinity_like(&of[1]);
    of = settled;
  }
  rc = weft__apply(&function, NULL, operands, of, NULL, NULL, site);
done:
  return weft__leave(rc);
}

/* ---- signatures ---- */

/// Counts the kernels of a ufunc by the type T of their signatures.
static void count_kernels(int kernels[WEFT_DTYPE_COUNT], const weft__op *row, const weft__store *store) {
  for (const weft__entry *entry = NULL; (entry = weft__store_next(store, entry));) {
    if (entry->key.kind != WEFT__KIND_UFUNC || entry->key.owner != row) continue;
    const weft__plan *plan = ((const weft__planned_function *)entry)->plan;
    const weft__formula *f = &plan->formula;
    for (int k = 0; k < f->count; k++)
      if (f->node[k].kind == WEFT__NODE_APPLY) kernels[f->node[k].type] += weft__plan_kernel_count(plan, store);
  }
}

static void add_dtypes(weft__text *text, const weft_dtype *dtype, const char *const *name, int count) {
  for (int k = 0; k < count; k++) weft__text_add(text, "%s%s %s", k ? ", " : "(", weft_dtype_name(dtype[k]), name[k]);
  weft__text_add(text, ")");
}

weft_status weft_ufunc_builtin_signatures(char **text, weft_ufunc_id id, weft_context *context) {
  static const char *const operand_names[] = {"a", "b", "c", "d"}, *const result_names[] = {"out", "out2"};
  weft_status rc;
  const weft__op *row = weft__op_row(id);
  weft__text out = {0};
  int kernels[WEFT_DTYPE_COUNT] = {0};
  weft__enter("weft_ufunc_builtin_signatures", NULL);
  WEFT__NEED(text);
  *text = NULL;
  if (!row) WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "id", "`id` is %d, which is no built-in ufunc", id));
  WEFT__TRY(weft__context_peek(&context, context));
  if (context) count_kernels(kernels, row, &context->store);
  for (int rank = 0; weft__dtype_of_rank(rank); rank++) {
    weft__signature signature;
    if (!weft__op_has_type(row, weft__dtype_of_rank(rank))) continue;
    weft__op_signature(&signature, row, weft__dtype_of_rank(rank));
    if (weft__op_results(row) == 1)
      weft__text_add(&out, "%s", weft_dtype_name(signature.result[0]));
    else
      add_dtypes(&out, signature.result, result_names, weft__op_results(row));
    add_dtypes(&out, signature.operand, operand_names, weft__op_operands(row));
    if (kernels[signature.type]) weft__text_add(&out, " # %d", kernels[signature.type]);
    weft__text_add(&out, "\n");
  }
  *text = weft__text_take(&out);
  rc = *text ? WEFT_OK : weft__fail_host_memory(1);
done:
  return weft__leave(rc);
}

const char *weft_ufunc_name(weft_ufunc_id id) {
  const weft__op *row = weft__op_row(id);
  return row ? row->name : NULL;
}
