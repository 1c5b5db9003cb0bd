// SPDX-License-Identifier: MIT
/// Reads a source by the lines that C's preprocessor sees: with continued lines joined, and comments as blanks.
#ifndef WEFT_KERNEL_LINES_H
#define WEFT_KERNEL_LINES_H

#include "base/text.h"

/// A line with the lines that it is continued in, by a backslash or by a comment that ends in a later one.
typedef struct weft__source_line {
  const char *begin, *end; /* its text, with the line end */
  unsigned count;          /* lines of the file */
  bool is_directive;
  bool is_blank;         /* nothing but blanks and comments */
  bool has_open_comment; /* the text ends in a comment */
  weft__text directive;  /* what follows the `#`, on one line: "include NAME" */
} weft__source_line;

/// Reads the line at `at`, which is not the text's end. Returns the next one. The caller frees line->directive, which
/// later calls use again.
const char *weft__line_read(weft__source_line *line, const char *at);

bool weft__is_of_word(char c);
/// The end of the word at `at`; `at` if it has none. A number is a word too.
const char *weft__word_end(const char *at);
/// The first character that is no blank.
const char *weft__skip_blanks(const char *at);
/// The end of the string or character constant at `at`, at most the line's end.
const char *weft__quoted_end(const char *at);
/// Whether the directive is this one: then the text behind its word, else NULL.
const char *weft__directive_is(const char *directive, const char *word);

#endif
