// SPDX-License-Identifier: MIT
#include "kernel/lines.h"

#include <string.h>

bool weft__is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

const char *weft__word_end(const char *at) {
  while (weft__is_of_word(*at)) at++;
  return at;
}

const char *weft__skip_blanks(const char *at) {
  while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\f' || *at == '\v') at++;
  return at;
}

/// Behind backslashes at line ends, which join lines. Compilers allow blanks between the two.
static const char *joined(const char *at) {
  while (*at == '\\') {
    const char *end = weft__skip_blanks(at + 1);
    if (*end != '\n') break;
    at = end + 1;
  }
  return at;
}

const char *weft__quoted_end(const char *at) {
  const char quote = *at;
  for (at = joined(at + 1); *at && *at != '\n'; at = joined(at + 1)) {
    if (*at == quote) return at + 1;
    if (*at == '\\' && *(at = joined(at + 1)) == 0) break;
  }
  return at;
}

/// The end of the comment at `at`; `at` if it has none.
static const char *comment_end(const char *at, bool *is_open) {
  if (*at != '/') return at;
  const char *second = joined(at + 1);
  if (*second == '/') {
    for (at = second + strcspn(second, "\\\n"); *at == '\\'; at += strcspn(at, "\\\n")) {
      const char *behind = joined(at);
      at = behind > at ? behind : at + 1;
    }
  } else if (*second == '*') {
    for (const char *star = second + 1; (star = strchr(star, '*')); star++)
      if (*joined(star + 1) == '/') return joined(star + 1) + 1;
    *is_open = true;
    at += strlen(at);
  }
  return at;
}

const char *weft__directive_is(const char *directive, const char *word) {
  const char *at = weft__skip_blanks(directive);
  if (*at != *word) return NULL;
  const size_t length = strlen(word);
  return (size_t)(weft__word_end(at) - at) == length && strncmp(at, word, length) == 0 ? at + length : NULL;
}

/// Whether the name of a header comes next, in which neither comments nor escapes exist.
static bool awaits_name(const weft__text *directive) {
  static const char word[] = "__has_include";
  const char *text = weft__text_chars(directive), *behind = weft__directive_is(text, "include");
  if (behind && !*weft__skip_blanks(behind)) return true;
  size_t length = directive->length;
  while (length && strchr(" \t", text[length - 1])) length--;
  if (!length || text[--length] != '(') return false;
  while (length && strchr(" \t", text[length - 1])) length--;
  return length >= sizeof word - 1 && strncmp(text + length - (sizeof word - 1), word, sizeof word - 1) == 0;
}

/// The end of a header's name at `at`; `at` if it has none.
static const char *name_end(const char *at, const weft__text *directive) {
  if ((*at != '<' && *at != '"') || !awaits_name(directive)) return at;
  const char close = *at == '<' ? '>' : '"', *end = at + 1 + strcspn(at + 1, close == '>' ? ">\n" : "\"\n");
  return *end == close ? end + 1 : at;
}

/// Adds bytes of a directive without the joints of its lines.
static void add_joined(weft__text *out, const char *at, const char *end) {
  while ((at = joined(at)) < end) {
    const char *stop = memchr(at + 1, '\\', (size_t)(end - at) - 1);
    if (!stop) stop = end;
    weft__text_add_bytes(out, at, (size_t)(stop - at));
    at = stop;
  }
}

/// Where the line's own characters begin: behind blanks and comments.
static const char *skip_to_code(weft__source_line *line, const char *at) {
  for (const char *behind;; at = behind) {
    at = joined(weft__skip_blanks(joined(at)));
    behind = comment_end(at, &line->has_open_comment);
    if (behind == at && weft__skip_blanks(at) == at) return at;
  }
}

const char *weft__line_read(weft__source_line *line, const char *at) {
  line->begin = at;
  line->has_open_comment = false;
  const bool failed = line->directive.failed;
  weft__text_clear(&line->directive);
  line->directive.failed = failed; /* callers look behind the last line */
  at = skip_to_code(line, at);
  line->is_directive = *at == '#' || (at[0] == '%' && *joined(at + 1) == ':');
  line->is_blank = !*at || *at == '\n';
  if (line->is_directive) at = *at == '#' ? at + 1 : joined(at + 1) + 1;
  weft__text *out = line->is_directive ? &line->directive : NULL;
  for (const char *end; *(at = joined(at)) && *at != '\n'; at = end) {
    end = at + strcspn(at, out ? "\\/\"'<\n" : "\\/\"'\n");
    if (end > at) { /* most of a line is neither of these */
      if (out) weft__text_add_bytes(out, at, (size_t)(end - at));
      continue;
    }
    end = comment_end(at, &line->has_open_comment);
    if (end > at) {
      if (out) weft__text_add_bytes(out, " ", 1);
      continue;
    }
    end = out ? name_end(at, out) : at;
    if (end == at) end = *at == '"' || *at == '\'' ? weft__quoted_end(at) : at + 1;
    if (out) add_joined(out, at, end);
  }
  line->end = at + (*at == '\n');
  line->count = 0;
  for (const char *p = line->begin; (p = memchr(p, '\n', (size_t)(line->end - p))); p++) line->count++;
  if (line->end > line->begin && line->end[-1] != '\n') line->count++; /* the last line has no end */
  return line->end;
}
