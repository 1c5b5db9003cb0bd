// SPDX-License-Identifier: MIT
/// User-defined ufuncs: signatures, and one expression or one body in OpenCL C for all of them.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/held.h"
#include "base/object.h"
#include "context/leaks.h"
#include "expr/parser.h"
#include "expr/signature.h"
#include "op/ufunc/apply.h"

#define LONGEST_FUNCTION 48

struct weft_ufunc {
  weft__object object;
  char name[LONGEST_FUNCTION + 1];
  weft__signatures signatures;
  /* held: one copy of equal ones (base/held.h) */
  const char *expression, *source;         /* one of the two; the other is NULL */
  const char *preamble;                    /* of a source; NULL: none */
  bool has_raw;                            /* some parameter is raw */
  const char *variable[WEFT_MAX_OPERANDS]; /* parameters, then results: the signatures' */
  const char *key;                         /* all of these as one text, held by the stores' entries too */
  weft__ledger_entry entry;
};

static weft_dtype parameter_dtype(const weft_ufunc *u, int row, int k) {
  return (weft_dtype)u->signatures.row[row].parameter[k];
}

/* ---- choice of a signature ---- */

static bool needs_fp64(const weft_ufunc *u, int row) {
  const weft__signature_row *r = &u->signatures.row[row];
  for (int k = 0; k < WEFT_MAX_OPERANDS; k++)
    if (weft__needs_fp64((weft_dtype)r->parameter[k]) || weft__needs_fp64((weft_dtype)r->result[k])) return true;
  return false;
}

/// Whether a C scalar's kind fits the dtype's kind; sizes do not matter.
static bool fits_kind(weft_dtype weak, weft_dtype dtype) {
  static const char order[] = "biufc";
  char w = weft_dtype_kind(weak), d = weft_dtype_kind(dtype);
  return strchr(order, w == 'u' ? 'i' : w) <= strchr(order, d == 'u' ? 'i' : d);
}

static bool fits(const weft_ufunc *u, int row, const weft__formula *f, bool by_kind) {
  for (int k = 0; k < u->signatures.parameters; k++) {
    weft_dtype from = f->input[k].dtype, to = parameter_dtype(u, row, k);
    if (by_kind && f->input[k].is_scalar ? !fits_kind(from, to) : !weft__casts_safely(from, to)) return false;
  }
  return true;
}

/// NumPy's choice: the first signature to whose parameters all operands can be cast safely, C scalars by kind. With C
/// scalars alone, their own dtypes are tried before their kinds. Returns -1 if no signature fits; *why explains it.
static int choose(const weft_ufunc *u, weft__formula *f, weft__text *why) {
  bool any_array = false, skipped = false;
  for (int k = 0; k < f->inputs; k++) any_array |= !f->input[k].is_scalar;
  for (int pass = any_array; pass < 2; pass++)
    for (int row = 0; row < u->signatures.count; row++) {
      if (!fits(u, row, f, pass)) continue;
      if (f->has_fp64 || !needs_fp64(u, row)) return row;
      skipped = true;
    }
  f->lacks_fp64 = skipped;
  weft__text_add(why, "%s has no signature for (", u->name);
  for (int k = 0; k < f->inputs; k++)
    weft__text_add(why, "%s%s%s", k ? ", " : "", f->input[k].is_scalar ? "a C scalar of kind " : "",
                   weft_dtype_name(f->input[k].dtype));
  weft__text_add(why, ")%s; it has ", skipped ? " that this device can compute: it lacks fp64" : "");
  for (int row = 0; row < u->signatures.count; row++) {
    if (row) weft__text_add(why, "; ");
    weft__signature_describe(why, &u->signatures, row);
  }
  return -1;
}

/* ---- the formula ---- */

static weft_status build_source(weft__formula *f, const weft_ufunc *u, const weft_dtype *parameter,
                                const weft_dtype *result) {
  weft__text why = {0};
  int node[WEFT_MAX_OPERANDS], results = u->signatures.results;
  const weft__body body = {u->source, u->variable, parameter, result, u->signatures.parameters, results, u->preamble};
  node[0] = weft__formula_call(f, &body, node + 1, &why);
  bool done = node[0] >= 0;
  for (int k = 0; k < results && done; k++) done = weft__formula_add_result(f, node[k], &why);
  weft_status refused = f->lacks_fp64 ? WEFT_ERROR_UNSUPPORTED : WEFT_ERROR_DTYPE;
  weft_status rc = done || f->failed ? WEFT_OK : weft__fail(refused, NULL, "%s", weft__text_chars(&why));
  weft__text_free(&why);
  return rc;
}

static weft_status build_row(weft__formula *f, const weft_ufunc *u, int row) {
  weft_dtype parameter[WEFT_MAX_OPERANDS], result[WEFT_MAX_OPERANDS] = {WEFT_DTYPE_NONE};
  const weft__signatures *s = &u->signatures;
  for (int k = 0; k < s->parameters; k++) parameter[k] = parameter_dtype(u, row, k);
  for (int k = 0; k < s->results; k++) result[k] = (weft_dtype)s->row[row].result[k];
  f->signature = row;
  if (u->source) return build_source(f, u, parameter, result);
  const weft__expression expression = {.text = u->expression,
                                       .variable = u->variable,
                                       .variable_dtype = parameter,
                                       .may_ignore = true,
                                       .has_value = s->results == 1,
                                       .results = s->results,
                                       .result = u->variable + s->parameters,
                                       .result_dtype = result};
  return weft__parse(f, &expression);
}

static weft_status build(weft__formula *f, const weft__elementwise *function) {
  weft_status rc;
  const weft_ufunc *u = function->data;
  weft__text why = {0};
  int row = choose(u, f, &why);
  if (why.failed) WEFT__TRY(weft__fail_host_memory(1));
  if (row < 0)
    WEFT__TRY(
        weft__fail(f->lacks_fp64 ? WEFT_ERROR_UNSUPPORTED : WEFT_ERROR_DTYPE, NULL, "%s", weft__text_chars(&why)));
  rc = build_row(f, u, row);
done:
  weft__text_free(&why);
  return rc;
}

static weft__elementwise elementwise_of(const weft_ufunc *u) {
  return (weft__elementwise){.name = u->name,
                             .kind = WEFT__KIND_USER_UFUNC,
                             .owner = u->key,
                             .results = u->signatures.results,
                             .inputs = u->signatures.parameters,
                             .is_raw = u->has_raw ? u->signatures.is_raw : NULL,
                             .build = build,
                             .data = u};
}

/* ---- creation ---- */

static weft_status set_name(weft_ufunc *u, const char *name) {
  size_t length = strlen(name);
  bool good = length > 0 && length <= LONGEST_FUNCTION;
  for (size_t i = 0; i < length && good; i++) {
    char c = name[i];
    good = c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9' && i > 0);
  }
  if (!good)
    return weft__fail(WEFT_ERROR_ARGUMENT, "name",
                      "`name` is `%.60s`; expected an identifier of up to %d letters, digits and _", name,
                      LONGEST_FUNCTION);
  memcpy(u->name, name, length + 1);
  return WEFT_OK;
}

static weft_status hold(const char **held, const char *string) {
  *held = weft__hold_text(string);
  return *held ? WEFT_OK : WEFT_ERROR_HOST_MEMORY;
}

/// Makes the key of the plans: equal ufuncs share their kernels.
static weft_status set_key(weft_ufunc *u) {
  weft__text text = {0};
  weft__text_add(&text, "%s\n", u->name);
  for (int row = 0; row < u->signatures.count; row++) {
    weft__signature_describe(&text, &u->signatures, row);
    weft__text_add(&text, "\n");
  }
  weft__text_add(&text, "%s\n%s", u->source ? "source" : "expression", u->source ? u->source : u->expression);
  if (u->preamble) weft__text_add(&text, "\npreamble\n%zu\n%s", strlen(u->source), u->preamble);
  weft_status rc = text.failed ? weft__fail_host_memory(text.length) : hold(&u->key, weft__text_chars(&text));
  weft__text_free(&text);
  return rc;
}

/// Tries every signature of an expression, with operands of exactly its dtypes.
static weft_status check_expression(const weft_ufunc *u) {
  weft_status rc;
  weft__text text = {0};
  weft__formula f;
  int row = 0;
  for (; row < u->signatures.count; row++) {
    f = (weft__formula){.has_fp64 = true, .inputs = u->signatures.parameters};
    for (int k = 0; k < f.inputs; k++) f.input[k].dtype = parameter_dtype(u, row, k);
    WEFT__TRY(build_row(&f, u, row));
    if (f.failed) WEFT__TRY(weft__fail_host_memory(sizeof(weft__node)));
    weft__formula_free(&f);
  }
  return WEFT_OK;
done:
  weft__formula_free(&f);
  weft__signature_describe(&text, &u->signatures, row);
  weft__while(rc, "making %s", weft__text_chars(&text));
  weft__text_free(&text);
  return rc;
}

static weft_status fill(weft_ufunc *u, const weft_ufunc_params *params) {
  weft__signatures *s = &u->signatures;
  WEFT__TRY_RETURN(set_name(u, params->name ? params->name : "ufunc"));
  WEFT__TRY_RETURN(weft__signatures_parse(s, params->signatures, params->source != NULL));
  for (int k = 0; k < s->parameters + s->results; k++)
    u->variable[k] = k < s->parameters ? s->parameter_name[k] : s->result_name[k - s->parameters];
  if (params->expression) WEFT__TRY_RETURN(hold(&u->expression, params->expression));
  if (params->source) WEFT__TRY_RETURN(hold(&u->source, params->source));
  if (params->preamble) WEFT__TRY_RETURN(hold(&u->preamble, params->preamble));
  for (int k = 0; k < s->parameters; k++) u->has_raw |= s->is_raw[k];
  WEFT__TRY_RETURN(set_key(u));
  return u->expression ? check_expression(u) : WEFT_OK;
}

static void destroy(weft_ufunc *u) {
  if (!u) return;
  weft__ledger_remove(weft__leaks_ledger(), &u->entry);
  weft__let_go(u->expression);
  weft__let_go(u->source);
  weft__let_go(u->preamble);
  weft__let_go(u->key);
  weft__signatures_free(&u->signatures);
  weft__object_free(&u->object);
}

weft_status weft__ufunc_create_at(weft_ufunc **out, const weft_ufunc_params *params) {
  weft_status rc;
  weft_ufunc *u = NULL;
  const weft_ufunc_params p = WEFT__PARAMS(params);
  weft__enter("weft_ufunc_create", p.site);
  WEFT__NEED_NULL_RESULT(out);
  if (!p.signatures)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "signatures",
                         "`signatures` is NULL; expected text such as \"f32(f32 x, f32 y)\""));
  if (!p.expression == !p.source)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "expression", "%s; expected one of `expression` and `source`",
                         p.source ? "both are given" : "both are NULL"));
  if (p.preamble && !p.source)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "preamble",
                         "`preamble` is given without `source`; an expression has no functions in OpenCL C"));
  u = weft__new(sizeof *u);
  if (!u) WEFT__TRY(WEFT_ERROR_HOST_MEMORY);
  weft__object_begin(&u->object, WEFT__MAGIC_UFUNC, WEFT__ANY_PROCESS);
  WEFT__TRY(fill(u, &p));
  weft__ledger_add(weft__leaks_ledger(), &u->entry, WEFT__LEDGER_UFUNC, u, 0, p.site);
  *out = u;
  u = NULL;
done:
  destroy(u);
  return weft__leave(rc);
}

WEFT__DEFINE_COUNTED(weft_ufunc, WEFT__MAGIC_UFUNC, destroy)

/* ---- calls ---- */

static weft_status check(const weft_ufunc *ufunc) {
  return weft__handle_check(ufunc, WEFT__MAGIC_UFUNC, "ufunc");
}

static void add_lines(const char *what, const char *text) {
  weft__text *detail = weft__detail();
  int number = 1;
  weft__text_add(detail, "\nthe %s (\"%s\" in the log):\n", strcmp(what, "source") ? what : "body", what);
  for (const char *line = text; *line; number++) {
    size_t length = strcspn(line, "\n");
    weft__text_add(detail, "%5d | %.*s\n", number, (int)length, line);
    line += length + (line[length] == '\n');
  }
}

/// Names the function in the error. After a failed build it also adds the body with line numbers, which the log refers
/// to.
static weft_status explain(weft_status rc, const weft_ufunc *u, const char *doing) {
  if (rc == WEFT_OK) return rc;
  if (rc == WEFT_ERROR_BUILD && u->preamble) add_lines("preamble", u->preamble);
  if (rc == WEFT_ERROR_BUILD && u->source) add_lines("source", u->source);
  return weft__while(rc, "%s %s", doing, u->name);
}

weft_status weft__ufunc_call_at(const weft_ufunc *ufunc, int operand_count, const weft_operand *operands,
                                const char *site) {
  static const char *const one_name[] = {"out"};
  weft_status rc;
  weft__enter("weft_ufunc_call", site);
  WEFT__TRY(check(ufunc));
  WEFT__NEED(operands);
  const weft__elementwise function = elementwise_of(ufunc);
  if (operand_count != function.results + function.inputs)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "operand_count", "%d operands given; %s has %d result%s and %d operand%s",
                         operand_count, ufunc->name, function.results, function.results == 1 ? "" : "s",
                         function.inputs, function.inputs == 1 ? "" : "s"));
  const char *const *result_names = function.results == 1 ? one_name : ufunc->variable + function.inputs;
  rc = weft__apply(&function, NULL, operands, operands + function.results, result_names, ufunc->variable, site);
  rc = explain(rc, ufunc, "calling");
done:
  return weft__leave(rc);
}

weft_status weft_ufunc_prepare(const weft_ufunc *ufunc, weft_context *context) {
  weft_status rc;
  weft__enter("weft_ufunc_prepare", NULL);
  WEFT__TRY(check(ufunc));
  WEFT__TRY(weft__context_resolve(&context, context));
  const weft__elementwise function = elementwise_of(ufunc);
  for (int row = 0; row < ufunc->signatures.count; row++) {
    weft_dtype input[WEFT_MAX_OPERANDS];
    if (!context->core.device->info.has_fp64 && needs_fp64(ufunc, row)) continue;
    for (int k = 0; k < function.inputs; k++) input[k] = parameter_dtype(ufunc, row, k);
    WEFT__TRY(explain(weft__apply_prepare(&function, context, input), ufunc, "preparing"));
  }
done:
  return weft__leave(rc);
}

static void count_kernels(int *kernels, const weft_ufunc *ufunc, const weft__store *store) {
  for (const weft__entry *entry = NULL; (entry = weft__store_next(store, entry));) {
    if (entry->key.kind != WEFT__KIND_USER_UFUNC || entry->key.owner != ufunc->key) continue;
    const weft__plan *plan = ((const weft__planned_function *)entry)->plan;
    kernels[plan->formula.signature] += weft__plan_kernel_count(plan, store);
  }
}

weft_status weft_ufunc_signatures(char **text, const weft_ufunc *ufunc, weft_context *context) {
  weft_status rc;
  weft__text out = {0};
  int kernels[WEFT__MOST_SIGNATURES] = {0};
  weft__enter("weft_ufunc_signatures", NULL);
  WEFT__NEED(text);
  *text = NULL;
  WEFT__TRY(check(ufunc));
  WEFT__TRY(weft__context_peek(&context, context));
  if (context) count_kernels(kernels, ufunc, &context->store);
  for (int row = 0; row < ufunc->signatures.count; row++) {
    weft__signature_describe(&out, &ufunc->signatures, row);
    if (kernels[row]) weft__text_add(&out, " # %d", kernels[row]);
    weft__text_add(&out, "\n");
  }
  *text = weft__text_take(&out);
  rc = *text ? WEFT_OK : weft__fail_host_memory(1);
done:
  return weft__leave(rc);
}
