// SPDX-License-Identifier: MIT
/// Expressions over arrays. The caller's arguments are sorted into text, results and variables, and applied like any
/// function. The text is parsed only if there is no plan for it; otherwise its bytes and the names are looked up.
#include "op/ufunc/eval.h"

#include <string.h>

#include "base/scratch.h"
#include "expr/lexer.h"
#include "expr/parser.h"
#include "op/ufunc/apply.h"

#define KEY_ROOM 512

/* ---- names ---- */

static weft_status check_names(const char *const *names, int first, int count) {
  for (int k = first; k < count; k++) {
    const char *name = names[k], *rest = name;
    if (!weft__is_name(name, strlen(name))) {
      while (strpbrk(rest, ".>")) rest = strpbrk(rest, ".>") + 1;
      bool is_member = rest != name && weft__is_name(rest, strlen(rest));
      return weft__fail(WEFT_ERROR_ARGUMENT, name,
                        "`%s` is no name that an expression can use; WEFT_NAMED(\"%s\", %s) gives it one", name,
                        is_member ? rest : "x", name);
    }
    for (int other = first; other < k; other++)
      if (strcmp(names[other], name) == 0) return weft__fail(WEFT_ERROR_ARGUMENT, name, "`%s` is given twice", name);
  }
  return WEFT_OK;
}

static weft_status build_expression(weft__formula *f, const weft__elementwise *function) {
  const weft__evaluation *e = function->data;
  const weft__expression expression = {.text = e->text,
                                       .variable = e->variable_name,
                                       .may_reduce = !e->is_elementwise,
                                       .has_value = e->has_value,
                                       .results = e->results,
                                       .result = e->result_name};
  WEFT__TRY_RETURN(check_names(e->variable_name, 0, e->variables));
  WEFT__TRY_RETURN(check_names(e->result_name, e->has_value, e->results));
  return weft__parse(f, &expression);
}

/* ---- the call ---- */

weft_status weft__evaluation_set(weft__evaluation *e, const weft_operand *out, const char *text, int count,
                                 const weft_operand *operands) {
  e->text = text;
  e->has_value = out != NULL;
  e->results = e->variables = 0;
  if (!text) return weft__fail(WEFT_ERROR_ARGUMENT, "text", "`text` is NULL; expected an expression");
  if (count < 0 || count > WEFT_MAX_OPERANDS - 1)
    return weft__fail(WEFT_ERROR_ARGUMENT, "variable_count", "%d results and variables given; %d are the most", count,
                      WEFT_MAX_OPERANDS - 1);
  if (count > 0 && !operands) return weft__fail(WEFT_ERROR_ARGUMENT, "variables", "`variables` is NULL");
  if (out) {
    e->result[0] = *out;
    e->result_name[e->results++] = "out";
  }
  for (int k = 0; k < count; k++) {
    const weft_operand *o = &operands[k];
    if (o->kind == WEFT_OPERAND_STENCIL && e->how) {
      if (o->as.stencil) e->how = o->as.stencil;
      continue;
    }
    if (!o->name)
      return weft__fail(WEFT_ERROR_ARGUMENT, "variable",
                        "argument %d after the text has no name; expected WEFT_VAR(x) or WEFT_NAMED(\"x\", ...)",
                        k + 1);
    if (o->kind == WEFT_OPERAND_RESULT || o->kind == WEFT_OPERAND_HOST_RESULT) {
      e->result[e->results] = *o;
      e->result_name[e->results++] = weft__plain_name(o->name);
    } else {
      e->variable[e->variables] = *o;
      e->variable_name[e->variables++] = weft__plain_name(o->name);
    }
  }
  if (e->results == 0)
    return weft__fail(WEFT_ERROR_ARGUMENT, "variable", "there is no result; expected WEFT_VAR(&name) for each");
  return WEFT_OK;
}

static weft_status check_shaped(const weft__evaluation *e) {
  for (int k = 0; k < e->variables; k++)
    if (e->variable[k].kind != WEFT_OPERAND_SCALAR) return WEFT_OK;
  for (int k = 0; k < e->results; k++)
    if (e->result[k].kind == WEFT_OPERAND_HOST_RESULT || !e->result[k].as.result || *e->result[k].as.result)
      return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, e->result_name[0],
                    "no variable has a shape: `%s` must be an array that has one", e->result_name[0]);
}

static void add_name(weft__text *long_key, unsigned char *key, size_t *size, const char *name) {
  size_t length = strlen(name) + 1;
  if (*size + length <= KEY_ROOM)
    memcpy(key + *size, name, length);
  else if (*size <= KEY_ROOM) /* from here on, the key is in long_key */
    weft__text_add_bytes(long_key, (const char *)key, *size);
  *size += length;
  if (*size > KEY_ROOM) weft__text_add_bytes(long_key, name, length);
}

static weft_status apply(const weft__elementwise *function, const weft__evaluation *e, weft_context *context,
                         const char *site) {
  return weft__apply(function, context, e->result, e->variable, e->result_name, e->variable_name, site);
}

weft_status weft__evaluation_run(const weft__evaluation *e, weft__evaluation_apply *apply_to, weft_context *context,
                                 const char *site) {
  unsigned char key[KEY_ROOM];
  weft__text long_key = {0};
  WEFT__TRY_RETURN(check_shaped(e));
  key[0] = (unsigned char)(e->has_value | e->is_elementwise << 1);
  key[1] = (unsigned char)e->results;
  size_t size = 2;
  add_name(&long_key, key, &size, e->text);
  for (int k = e->has_value; k < e->results; k++) add_name(&long_key, key, &size, e->result_name[k]);
  for (int k = 0; k < e->variables; k++) add_name(&long_key, key, &size, e->variable_name[k]);
  const weft__elementwise function = {
      .name = "eval",
      .kind = WEFT__KIND_EVAL,
      .key = size > KEY_ROOM ? (const void *)weft__text_chars(&long_key) : key,
      .key_size = size,
      .results = e->results,
      .inputs = e->variables,
      .build = build_expression,
      .data = e,
  };
  weft_status rc = long_key.failed ? weft__fail_host_memory(size) : apply_to(&function, e, context, site);
  weft__text_free(&long_key);
  return rc;
}

static weft_status run(const char *function, const weft_operand *out, weft_context *context, const char *text,
                       int count, const weft_operand *variables, bool is_elementwise, const char *site) {
  enum { FEW = 8 }; /* for these the stack has room */
  weft_operand few[2 * FEW];
  const char *names[2 * FEW];
  weft__evaluation e = {.result = few, .variable = few + FEW, .result_name = names, .variable_name = names + FEW};
  weft__evaluation_room *room = NULL;
  weft_status rc;
  weft__enter(function, site);
  if (count >= FEW) {
    WEFT__TRY((room = weft__scratch_begin(sizeof *room)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
    e = weft__evaluation_in(room);
  }
  e.is_elementwise = is_elementwise;
  WEFT__TRY(weft__evaluation_set(&e, out, text, count, variables));
  rc = weft__evaluation_run(&e, apply, context, site);
done:
  weft__scratch_end(room);
  return weft__leave(rc);
}

weft_status weft__eval_at(weft_operand out, weft_context *context, const char *text, int variable_count,
                          const weft_operand *variables, const char *site) {
  return run("weft_eval", &out, context, text, variable_count, variables, false, site);
}

weft_status weft__eval_all_at(weft_context *context, const char *text, int variable_count,
                              const weft_operand *variables, const char *site) {
  return run("weft_eval_all", NULL, context, text, variable_count, variables, false, site);
}

weft_status weft__eval_elements_at(weft_operand out, weft_context *context, const char *text, int variable_count,
                                   const weft_operand *variables, const char *site) {
  return run("weft_eval", &out, context, text, variable_count, variables, true, site);
}
