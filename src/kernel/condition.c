// SPDX-License-Identifier: MIT
#include "kernel/condition.h"

#include <string.h>

#include "kernel/evaluate.h"
#include "kernel/lines.h"

enum { MOST_ARGUMENTS = 32, DEEPEST_MACRO = 100, MOST_WORK = 1 << 20 /* characters that one directive becomes */ };

typedef struct replacement {
  weft__macros *macros;
  weft__text *out;
  bool is_condition; /* `defined` has its meaning, and other names are 0 or weft__unknown */
  bool is_unknown;   /* a macro is not known */
  int depth;
} replacement;

static void replace(replacement *r, const char *text);

/// A piece of a text.
typedef struct piece {
  const char *begin;
  size_t length;
} piece;

static piece piece_of(const char *begin, const char *end) {
  begin = weft__skip_blanks(begin);
  if (begin > end) begin = end;
  while (end > begin && strchr(" \t\r\f\v", end[-1])) end--;
  return (piece){begin, (size_t)(end - begin)};
}

static bool is_word(piece p, const char *begin, size_t length) {
  return p.length == length && strncmp(p.begin, begin, length) == 0;
}

/// Cuts "(a, b(c, d))" at its commas. Returns what is behind it, or NULL if it is not closed or has too many pieces.
/// From piece `last` on commas belong to the piece.
static const char *cut(piece *pieces, int *count, int last, const char *open) {
  int depth = 0;
  const char *begin = open + 1;
  *count = 0;
  for (const char *at = open; *at; at++) {
    if (*at == '"' || *at == '\'') {
      at = weft__quoted_end(at) - 1;
      continue;
    }
    depth += (*at == '(') - (*at == ')');
    if (depth && !(depth == 1 && *at == ',' && *count < last)) continue;
    if (*count == MOST_ARGUMENTS) return NULL;
    pieces[(*count)++] = piece_of(begin, at);
    begin = at + 1;
    if (depth == 0) return at + 1;
  }
  return NULL;
}

/// Replaces the macros of a text that stands alone, such as an argument.
static void replace_apart(replacement *r, weft__text *out, const char *text, size_t length) {
  weft__text copy = {0};
  replacement apart = {.macros = r->macros, .out = out, .is_condition = r->is_condition, .depth = r->depth};
  weft__text_add_bytes(&copy, text, length);
  replace(&apart, weft__text_chars(&copy));
  if (apart.is_unknown) r->is_unknown = true;
  if (copy.failed) r->macros->failed = true;
  weft__text_free(&copy);
}

static void add_string(weft__text *out, piece p) {
  weft__text_add_bytes(out, "\"", 1);
  for (size_t k = 0; k < p.length; k++) {
    if (strchr("\"\\", p.begin[k])) weft__text_add_bytes(out, "\\", 1);
    weft__text_add_bytes(out, p.begin + k, 1);
  }
  weft__text_add_bytes(out, "\"", 1);
}

static void trim(weft__text *out) {
  while (out->length && strchr(" \t", out->chars[out->length - 1])) out->chars[--out->length] = 0;
}

/// Puts arguments for the parameters in the text of a macro, with `#` and `##`.
static void substitute(replacement *r, weft__text *out, const char *body, const piece *parameter, const piece *argument,
                       int count) {
  bool pastes = false;
  for (const char *at = body, *end; *at; at = end) {
    const bool is_string = at[0] == '#' && at[1] != '#';
    if (at[0] == '#' && at[1] == '#') {
      trim(out);
      end = weft__skip_blanks(at + 2);
      pastes = true;
      continue;
    }
    const char *word = is_string ? weft__skip_blanks(at + 1) : at;
    end = weft__word_end(word);
    int k = 0;
    while (k < count && !is_word(parameter[k], word, (size_t)(end - word))) k++;
    if (end == word) end = *at == '"' || *at == '\'' ? weft__quoted_end(at) : at + 1, k = count;
    const char *next = weft__skip_blanks(end);
    if (k == count)
      weft__text_add_bytes(out, at, (size_t)(end - at));
    else if (is_string)
      add_string(out, argument[k]);
    else if (pastes || (next[0] == '#' && next[1] == '#'))
      weft__text_add_bytes(out, argument[k].begin, argument[k].length);
    else
      replace_apart(r, out, argument[k].begin, argument[k].length);
    pastes = false;
  }
}

/// Replaces a macro with parameters, whose text begins "(a, b)". Returns what is behind the arguments at `at`; NULL if
/// no arguments fit.
static const char *call(replacement *r, weft__macro *macro, const char *at) {
  piece parameter[MOST_ARGUMENTS], argument[MOST_ARGUMENTS];
  int parameters, arguments;
  const char *open = weft__skip_blanks(at), *body = cut(parameter, &parameters, MOST_ARGUMENTS, macro->now.text);
  if (*open != '(' || !body) return NULL;
  static const char rest[] = "__VA_ARGS__";
  const bool takes_rest = is_word(parameter[parameters - 1], "...", 3);
  if (takes_rest) parameter[parameters - 1] = (piece){rest, sizeof rest - 1};
  const char *behind = cut(argument, &arguments, takes_rest ? parameters - 1 : MOST_ARGUMENTS, open);
  if (!behind) return NULL;
  if (takes_rest && arguments == parameters - 1) argument[arguments++] = (piece){"", 0};
  if (arguments != parameters) return NULL;
  weft__text text = {0};
  substitute(r, &text, body, parameter, argument, parameters);
  macro->is_expanding = true;
  replace(r, weft__text_chars(&text));
  macro->is_expanding = false;
  if (text.failed) r->macros->failed = true;
  weft__text_free(&text);
  return behind;
}

/// The operand of `defined`: a name, in parentheses or not. Returns what is behind it; NULL if it is neither.
static const char *read_defined(weft__macros *macros, weft__macro **macro, const char *at) {
  at = weft__skip_blanks(at);
  const bool is_in_parentheses = *at == '(';
  const char *begin = is_in_parentheses ? weft__skip_blanks(at + 1) : at, *end = weft__word_end(begin);
  *macro = end > begin ? weft__macro_find(macros, begin, (size_t)(end - begin)) : NULL;
  if (is_in_parentheses) end = weft__skip_blanks(end);
  if (!*macro || (is_in_parentheses && *end != ')')) return NULL;
  return end + is_in_parentheses;
}

static void add_state(weft__text *out, weft__macro_state state) {
  static const char *const texts[] = {WEFT__NOT_KNOWN, "0", "1"};
  weft__text_add(out, "%s", texts[state]);
}

/// Replaces the word from `at` to `end`, if it is a macro. Returns what is behind it and its arguments.
static const char *replace_word(replacement *r, const char *at, const char *end) {
  weft__macro *macro = NULL;
  const char *behind;
  if (r->is_condition && is_word((piece){at, (size_t)(end - at)}, "defined", 7) &&
      (behind = read_defined(r->macros, &macro, end))) {
    add_state(r->out, macro->now.state);
    return behind;
  }
  macro = weft__macro_find(r->macros, at, (size_t)(end - at));
  const bool is_defined = macro && macro->now.state == WEFT__MACRO_DEFINED && !macro->is_expanding;
  /* names that nothing has defined matter in conditions, where the compiler may know them */
  const bool is_new = macro && !macro->was_set && !r->is_condition;
  if (!macro || (is_defined && !macro->now.text) || (macro->now.state == WEFT__MACRO_UNKNOWN && !is_new)) {
    r->is_unknown = true;
    weft__text_add(r->out, "%s", WEFT__NOT_KNOWN);
    return end;
  }
  if (is_defined && macro->now.text[0] == '(') {
    if ((behind = call(r, macro, end))) return behind;
  } else if (is_defined) {
    macro->is_expanding = true;
    replace(r, macro->now.text);
    macro->is_expanding = false;
    return end;
  }
  if (r->is_condition)
    weft__text_add(r->out, is_defined ? WEFT__NOT_KNOWN : "0");
  else
    weft__text_add_bytes(r->out, at, (size_t)(end - at));
  return end;
}

static void replace(replacement *r, const char *text) {
  size_t *work = &r->macros->work;
  if (++r->depth > DEEPEST_MACRO) *work = MOST_WORK;
  for (const char *at = text, *end; *at && *work < MOST_WORK; at = end) {
    end = weft__word_end(at);
    *work += (size_t)(end - at) + 1;
    if (end > at && !(*at >= '0' && *at <= '9')) {
      end = replace_word(r, at, end);
    } else {
      if (end == at) end = *at == '"' || *at == '\'' ? weft__quoted_end(at) : at + 1;
      weft__text_add_bytes(r->out, at, (size_t)(end - at));
    }
  }
  r->depth--;
}

bool weft__macros_replace(weft__text *out, weft__macros *macros, const char *text) {
  replacement r = {.macros = macros, .out = out};
  macros->work = 0;
  replace(&r, text);
  return !r.is_unknown && macros->work < MOST_WORK && !out->failed;
}

static weft__truth truth_of(weft__macros *macros, const char *text) {
  weft__text replaced = {0};
  replacement r = {.macros = macros, .out = &replaced, .is_condition = true};
  int64_t value = 0;
  macros->work = 0;
  replace(&r, text);
  if (replaced.failed) macros->failed = true;
  /* operands that nobody knows may not matter: 0 && x */
  const bool is_known = macros->work < MOST_WORK && weft__evaluate(&value, weft__text_chars(&replaced));
  weft__text_free(&replaced);
  return !is_known ? WEFT__MAYBE : value ? WEFT__YES : WEFT__NO;
}

/// Reads "X", "defined(X)" or "!defined X".
static weft__macro *one_macro(weft__macros *macros, const char *text, bool is_bare, bool *is_defined) {
  weft__macro *macro;
  text = weft__skip_blanks(text);
  if (!is_bare && *text == '!') {
    *is_defined = !*is_defined;
    text = weft__skip_blanks(text + 1);
  }
  const char *at = is_bare ? text : weft__directive_is(text, "defined");
  const char *behind = at ? read_defined(macros, &macro, at) : NULL;
  return behind && (is_bare || !*weft__skip_blanks(behind)) ? macro : NULL;
}

weft__condition weft__condition_read(weft__macros *macros, const char *directive) {
  weft__condition condition = {.truth = WEFT__MAYBE, .is_defined = true};
  const char *text = weft__word_end(weft__skip_blanks(directive));
  const bool is_not = weft__directive_is(directive, "ifndef") || weft__directive_is(directive, "elifndef");
  const bool is_bare = is_not || weft__directive_is(directive, "ifdef") || weft__directive_is(directive, "elifdef");
  if (is_not) condition.is_defined = false;
  condition.macro = one_macro(macros, text, is_bare, &condition.is_defined);
  if (!condition.macro) {
    condition.truth = is_bare ? WEFT__MAYBE : truth_of(macros, text);
  } else if (condition.macro->now.state != WEFT__MACRO_UNKNOWN) {
    const bool is_defined = condition.macro->now.state == WEFT__MACRO_DEFINED;
    condition.truth = is_defined == condition.is_defined ? WEFT__YES : WEFT__NO;
  }
  return condition;
}
