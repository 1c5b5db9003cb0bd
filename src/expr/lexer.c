// SPDX-License-Identifier: MIT
#include "expr/lexer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_NUMBER 400
#define LONGEST_QUOTE 40

/* not isalpha() and isdigit(), which depend on the locale */
static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* ---- errors ---- */

void weft__lexer_fail(weft__lexer *l, size_t at, const char *format, ...) {
  if (l->failed) return;
  weft__text message = {0};
  va_list arguments;
  va_start(arguments, format);
  weft__text_add_va(&message, format, arguments);
  va_end(arguments);
  weft__fail_at(l->error, NULL, l->source, l->text, at, "%s", weft__text_chars(&message));
  weft__text_free(&message);
  l->failed = true;
  l->token = (weft__token){.at = at};
}

void weft__lexer_quote(weft__text *out, const weft__lexer *l, const weft__token *token) {
  size_t length = token->length < LONGEST_QUOTE ? token->length : LONGEST_QUOTE;
  if (token->kind == WEFT__TOKEN_END) {
    weft__text_add(out, "the end");
  } else if (token->kind == WEFT__TOKEN_SEPARATOR && l->text[token->at] != ';') {
    weft__text_add(out, "the end of the line");
  } else {
    weft__text_add(out, "`%.*s%s`", (int)length, l->text + token->at, length < token->length ? "..." : "");
  }
}

void weft__lexer_expected(weft__lexer *l, const char *what) {
  if (l->failed) return;
  weft__text found = {0};
  weft__lexer_quote(&found, l, &l->token);
  weft__lexer_fail(l, l->token.at, "expected %s, found %s", what, weft__text_chars(&found));
  weft__text_free(&found);
}

/* ---- names ---- */

static const struct {
  const char *word;
  int op;
} words[] = {{"and", WEFT__WORD_AND},
             {"or", WEFT__WORD_OR},
             {"not", WEFT__WORD_NOT},
             {"if", WEFT__WORD_IF},
             {"else", WEFT__WORD_ELSE}};

static int find_word(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i].word) == length && memcmp(words[i].word, name, length) == 0) return words[i].op;
  return 0;
}

bool weft__is_name(const char *name, size_t length) {
  if (length == 0 || !is_letter(name[0]) || find_word(name, length)) return false;
  for (size_t i = 1; i < length; i++)
    if (!is_letter(name[i]) && !is_digit(name[i])) return false;
  return true;
}

static void take_name(weft__lexer *l) {
  size_t at = l->next;
  while (l->next < l->length && (is_letter(l->text[l->next]) || is_digit(l->text[l->next]))) l->next++;
  int word = find_word(l->text + at, l->next - at);
  l->token = (weft__token){
      .kind = word ? WEFT__TOKEN_OPERATOR : WEFT__TOKEN_NAME, .op = word, .at = at, .length = l->next - at};
}

/* ---- numbers ---- */

static int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

static bool integer_of(weft_scalar *number, const char *digits, size_t count, unsigned base) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t digit = (uint64_t)digit_value(digits[i]);
    if (value > (UINT64_MAX - digit) / base) return false;
    value = value * base + digit;
  }
  *number = value <= INT64_MAX ? WEFT_SCALAR((long long)value) : WEFT_SCALAR((unsigned long long)value);
  return true;
}

/// strtod of a text with '.', in any locale.
static double double_of(const char *digits, size_t count) {
  char copy[LONGEST_NUMBER + 8], point[8];
  size_t length = 0;
  snprintf(point, sizeof point, "%.1f", 0.5);
  point[strlen(point) - 1] = 0; /* leaves "0." or "0,"; the decimal point may be several bytes */
  for (size_t i = 0; i < count; i++) {
    if (digits[i] != '.') {
      copy[length++] = digits[i];
      continue;
    }
    memcpy(copy + length, point + 1, strlen(point + 1));
    length += strlen(point + 1);
  }
  copy[length] = 0;
  return strtod(copy, NULL);
}

static size_t skip_digits(const weft__lexer *l, size_t at, unsigned base) {
  while (at < l->length && (unsigned)digit_value(l->text[at]) < base) at++;
  return at;
}

static char char_at(const weft__lexer *l, size_t at) {
  return at < l->length ? l->text[at] : 0;
}

/// The longest run of characters that resembles a number, for a message.
static weft__token looks_like(const weft__lexer *l, size_t at) {
  size_t end = at;
  while (end < l->length && (is_letter(l->text[end]) || is_digit(l->text[end]) || l->text[end] == '.')) end++;
  return (weft__token){.kind = WEFT__TOKEN_NUMBER, .at = at, .length = end - at};
}

static void fail_number(weft__lexer *l, size_t at, const char *why) {
  weft__text quoted = {0};
  weft__token whole = looks_like(l, at);
  weft__lexer_quote(&quoted, l, &whole);
  weft__lexer_fail(l, at, "%s %s", weft__text_chars(&quoted), why);
  weft__text_free(&quoted);
}

/// The parts of a written number: digits with point and exponent, without prefix and suffix.
typedef struct written {
  size_t digits, count, end; /* end: past the suffix */
  unsigned base;
  bool is_float, is_imaginary;
} written;

/// Returns the place behind a fraction and exponent such as ".5e-3", either of which may be missing.
static size_t skip_fraction(const weft__lexer *l, size_t at, bool *is_float) {
  size_t end = at;
  if (char_at(l, end) == '.') {
    *is_float = true;
    end = skip_digits(l, end + 1, 10);
  }
  if (char_at(l, end) != 'e' && char_at(l, end) != 'E') return end;
  size_t exponent = end + 1;
  if (char_at(l, exponent) == '+' || char_at(l, exponent) == '-') exponent++;
  if (!is_digit(char_at(l, exponent))) return end;
  *is_float = true;
  return skip_digits(l, exponent, 10);
}

static written read_written(const weft__lexer *l) {
  written w = {.digits = l->next, .base = 10};
  char prefix = (char)(char_at(l, w.digits + 1) | 0x20);
  if (char_at(l, w.digits) == '0' && (prefix == 'x' || prefix == 'o' || prefix == 'b')) {
    w.base = prefix == 'x' ? 16 : prefix == 'o' ? 8 : 2;
    w.digits += 2;
  }
  w.end = skip_digits(l, w.digits, w.base);
  if (w.base == 10) w.end = skip_fraction(l, w.end, &w.is_float);
  w.count = w.end - w.digits;
  w.is_imaginary = w.base == 10 && (char_at(l, w.end) | 0x20) == 'j';
  if (w.is_imaginary) w.end++;
  return w;
}

static void take_number(weft__lexer *l) {
  const size_t at = l->next;
  const written w = read_written(l);
  const char *digits = l->text + w.digits;
  if (w.count == 0 || is_letter(char_at(l, w.end)) || is_digit(char_at(l, w.end)) || char_at(l, w.end) == '.') {
    fail_number(l, at, "is no number; numbers look like 10, 0x1f, 2.5, 1e-3 or 2j (a factor needs a *)");
    return;
  }
  if (w.count > LONGEST_NUMBER) {
    fail_number(l, at, "has too many digits");
    return;
  }
  l->token = (weft__token){.kind = WEFT__TOKEN_NUMBER, .at = at, .length = w.end - at};
  l->next = w.end;
  if (w.is_float || w.is_imaginary) {
    double value = double_of(digits, w.count);
    weft_c128 imaginary = {0, value};
    l->token.number = w.is_imaginary ? WEFT_SCALAR(imaginary) : WEFT_SCALAR(value);
    if (isinf(value)) fail_number(l, at, "is over the largest f64; infinity is written inf");
  } else if (w.base == 10 && w.count > 1 && digits[0] == '0' && skip_digits(l, w.digits, 1) != w.end) {
    fail_number(l, at, "begins with 0; octal numbers are written 0o17");
  } else if (!integer_of(&l->token.number, digits, w.count, w.base)) {
    fail_number(l, at, "is over 2^64 - 1, the largest integer; as a float it has a point or an exponent");
  }
}

/* ---- operators ---- */

/// Operators of other languages, and their spelling in expressions.
static const struct {
  const char *found, *hint;
} foreign[] = {{"&&", "`and`"}, {"||", "`or`"}, {"?", "`x if c else y` or where(c, x, y)"}, {"!", "`not`"}};
/// Operators on whole arrays.
static const struct {
  char found;
  const char *hint;
} whole[] = {{'@', "`@` multiplies matrices, an expression is about one element: call weft_matmul outside of it"},
             {'.', "an expression has no attributes: weft_transpose is `.T`, real(x) and imag(x) are functions"}};

static const char operators[] = "+-*/%~&|^<>()[]=,";
static const char *const pairs[] = {"**", "//", "<<", ">>", "<=", ">=", "==", "!="};

static void fail_character(weft__lexer *l) {
  const char *at = l->text + l->next;
  size_t left = l->length - l->next;
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
    size_t length = strlen(foreign[i].found);
    if (length > left || memcmp(at, foreign[i].found, length) != 0) continue;
    weft__lexer_fail(l, l->next, "`%s` is written %s here", foreign[i].found, foreign[i].hint);
    return;
  }
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
    if (*at == whole[i].found) {
      weft__lexer_fail(l, l->next, "%s", whole[i].hint);
      return;
    }
  unsigned char c = (unsigned char)*at;
  if (c > 0x20 && c < 0x7f)
    weft__lexer_fail(l, l->next, "`%c` has no meaning here", c);
  else if (c < 0x80)
    weft__lexer_fail(l, l->next, "a character of code 0x%02x has no meaning here", c);
  else
    weft__lexer_fail(l, l->next, "a character that is not ASCII (byte 0x%02x) has no meaning here", c);
}

static void take_operator(weft__lexer *l) {
  char a = l->text[l->next], b = char_at(l, l->next + 1);
  l->token = (weft__token){.kind = WEFT__TOKEN_OPERATOR, .at = l->next, .length = 1, .op = a};
  if ((a == '&' && b == '&') || (a == '|' && b == '|')) {
    fail_character(l);
    return;
  }
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (pairs[i][0] == a && pairs[i][1] == b) {
      l->token.op = WEFT__OP2(a, b);
      l->token.length = 2;
      l->next += 2;
      return;
    }
  if (!strchr(operators, a)) {
    fail_character(l);
    return;
  }
  if (a == '(' || a == '[') l->depth++;
  if ((a == ')' || a == ']') && l->depth > 0) l->depth--;
  l->next++;
}

void weft__lexer_advance(weft__lexer *l) {
  if (l->failed) return;
  while (l->next < l->length) {
    char c = l->text[l->next];
    if (c == '#')
      while (l->next < l->length && l->text[l->next] != '\n') l->next++;
    else if (is_blank(c) || (c == '\n' && l->depth > 0))
      l->next++;
    else
      break;
  }
  if (l->next == l->length) {
    l->token = (weft__token){.kind = WEFT__TOKEN_END, .at = l->length};
    return;
  }
  char c = l->text[l->next];
  if (c == '\n' || c == ';') {
    l->token = (weft__token){.kind = WEFT__TOKEN_SEPARATOR, .at = l->next++, .length = 1};
  } else if (is_letter(c)) {
    take_name(l);
  } else if (is_digit(c) || (c == '.' && is_digit(char_at(l, l->next + 1)))) {
    take_number(l);
  } else if (c) {
    take_operator(l);
  } else {
    fail_character(l);
  }
}

void weft__lexer_start(weft__lexer *l, const char *source, const char *text) {
  *l = (weft__lexer){.source = source, .text = text, .length = strlen(text), .error = WEFT_ERROR_EXPRESSION};
  if (l->length > WEFT__LONGEST_TEXT) {
    weft__fail(WEFT_ERROR_EXPRESSION, NULL, "%s: the text has %zu bytes; %d is the most", source, l->length,
               WEFT__LONGEST_TEXT);
    l->failed = true;
    return;
  }
  weft__lexer_advance(l);
}

/* ---- the nearest name ---- */

static int least(int a, int b) {
  return a < b ? a : b;
}

/// The optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
static int distance_of(const char *a, size_t m, const char *b, size_t n) {
  int d[32][32];
  for (size_t i = 0; i <= m; i++) d[i][0] = (int)i;
  for (size_t j = 0; j <= n; j++) d[0][j] = (int)j;
  for (size_t i = 1; i <= m; i++)
    for (size_t j = 1; j <= n; j++) {
      int cost = a[i - 1] != b[j - 1];
      d[i][j] = least(least(d[i - 1][j] + 1, d[i][j - 1] + 1), d[i - 1][j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[m][n];
}

void weft__nearest_start(weft__nearest *nearest, const char *name, size_t length) {
  *nearest = (weft__nearest){.name = name, .length = length, .distance = length < 2 ? 1 : length < 4 ? 2 : 3};
}

void weft__nearest_offer(weft__nearest *nearest, const char *candidate, size_t length) {
  size_t common = 0;
  if (length == 0 || length > 31 || nearest->length > 31) return;
  while (common < length && common < nearest->length && candidate[common] == nearest->name[common]) common++;
  if (common == 0 && length < 3) return;
  int distance = distance_of(nearest->name, nearest->length, candidate, length);
  if (distance > nearest->distance ||
      (distance == nearest->distance && (!nearest->best[0] || common <= nearest->common)))
    return;
  nearest->distance = distance;
  nearest->common = common;
  memcpy(nearest->best, candidate, length);
  nearest->best[length] = 0;
}
