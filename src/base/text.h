// SPDX-License-Identifier: MIT
/// A growing string. All zero is an empty one; weft__text_free releases it. When memory runs out, it keeps its content
/// and sets `failed`, so a caller may append many times and check once.
#ifndef WEFT_BASE_TEXT_H
#define WEFT_BASE_TEXT_H

#include <stdarg.h>

#include <weft/api.h>

typedef struct weft__text {
  char *chars; /* NULL or zero-terminated */
  size_t length;
  size_t capacity;
  bool failed;
} weft__text;

void weft__text_add(weft__text *text, const char *format, ...) WEFT_PRINTF(2, 3);
void weft__text_add_va(weft__text *text, const char *format, va_list arguments) WEFT_PRINTF(2, 0);
void weft__text_add_bytes(weft__text *text, const char *bytes, size_t count);
/// A repeated character, for padding.
void weft__text_fill(weft__text *text, char c, size_t count);
/// Makes a text from a file, or from anywhere else, harmless on a terminal: control characters, as those that begin
/// an escape, and bytes that are not UTF-8 become `?`. `keeps_lines`: line ends and tabs stay.
void weft__text_clean(weft__text *text, bool keeps_lines);
/// A name from a file for a message: cleaned, and cut where it is long. Gives back `room`.
#define WEFT__SHOWN_BYTES 512
const char *weft__text_shown(char room[WEFT__SHOWN_BYTES], const char *name);
/// Adds the string in double quotes, with JSON's escapes, also of all control characters. Bytes that are not UTF-8,
/// which paths may contain, become U+FFFD.
void weft__text_add_json(weft__text *text, const char *string);
/// "400000 bytes", "1.5 KiB", "40.0 GiB".
void weft__text_add_size(weft__text *text, uint64_t size_bytes);
/// Reads a number of bytes. A suffix K, M, G or T multiplies it by a power of 1024 (4G). False if the text is not a
/// number or the number does not fit.
bool weft__text_read_size(const char *text, uint64_t *size_bytes);
/// Empties the string but keeps its memory.
void weft__text_clear(weft__text *text);
void weft__text_free(weft__text *text);
/// Never NULL.
const char *weft__text_chars(const weft__text *text);
/// Hands the characters over (the caller frees them) and empties the string. NULL if it failed or memory runs out.
char *weft__text_take(weft__text *text);

#endif
