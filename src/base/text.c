// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

static bool reserve(weft__text *text, size_t more) {
  if (text->failed) return false;
  if (more > SIZE_MAX / 2 - text->length - 1) goto fail;
  size_t need = text->length + more + 1;
  if (need <= text->capacity) return true;
  size_t capacity = text->capacity ? text->capacity : 64;
  while (capacity < need) capacity *= 2;
  char *chars = realloc(text->chars, capacity);
  if (!chars) goto fail;
  text->chars = chars;
  text->capacity = capacity;
  return true;
fail:
  text->failed = true;
  return false;
}

void weft__text_add_bytes(weft__text *text, const char *bytes, size_t count) {
  if (!reserve(text, count)) return;
  if (count) memcpy(text->chars + text->length, bytes, count);
  text->length += count;
  text->chars[text->length] = 0;
}

void weft__text_add_va(weft__text *text, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int count = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (count < 0) {
    text->failed = true;
    return;
  }
  if (!reserve(text, (size_t)count)) return;
  vsnprintf(text->chars + text->length, (size_t)count + 1, format, arguments);
  text->length += (size_t)count;
}

void weft__text_add(weft__text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  weft__text_add_va(text, format, arguments);
  va_end(arguments);
}

void weft__text_fill(weft__text *text, char c, size_t count) {
  if (!reserve(text, count)) return;
  memset(text->chars + text->length, c, count);
  text->length += count;
  text->chars[text->length] = 0;
}

/// The length of the UTF-8 sequence that begins here; 0 if it is invalid.
static size_t utf8_length(const unsigned char *p) {
  size_t length = *p < 0x80                 ? 1
                  : *p >= 0xc2 && *p < 0xe0 ? 2
                  : *p >= 0xe0 && *p < 0xf0 ? 3
                  : *p >= 0xf0 && *p < 0xf5 ? 4
                                            : 0;
  for (size_t i = 1; i < length; i++)
    if ((p[i] & 0xc0) != 0x80) return 0;
  /* overlong, half of a surrogate pair, or beyond the last character */
  if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) || (*p == 0xf0 && p[1] < 0x90) ||
      (*p == 0xf4 && p[1] > 0x8f))
    return 0;
  return length;
}

/// Whether a control character begins here: of ASCII, or one of U+0080 to U+009F, some of which begin an escape.
static bool is_control(const unsigned char *p) {
  return *p < 0x20 || *p == 0x7f || (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0);
}

static void clean(char *string, bool keeps_lines) {
  size_t length;
  for (unsigned char *p = (unsigned char *)string; *p; p += length) {
    length = utf8_length(p);
    const bool stays = keeps_lines && (*p == '\n' || *p == '\t'), is_bad = length == 0 || (is_control(p) && !stays);
    if (length == 0) length = 1;
    if (is_bad) memset(p, '?', length);
  }
}

void weft__text_clean(weft__text *text, bool keeps_lines) {
  if (text->chars) clean(text->chars, keeps_lines);
}

const char *weft__text_shown(char room[WEFT__SHOWN_BYTES], const char *name) {
  static const char more[] = "...";
  if (snprintf(room, WEFT__SHOWN_BYTES, "%s", name) >= WEFT__SHOWN_BYTES) {
    size_t end = WEFT__SHOWN_BYTES - sizeof more;
    while (end > 0 && ((unsigned char)room[end] & 0xc0) == 0x80) end--; /* not inside of a character */
    memcpy(room + end, more, sizeof more);
  }
  clean(room, false);
  return room;
}

void weft__text_add_json(weft__text *text, const char *string) {
  weft__text_add_bytes(text, "\"", 1);
  size_t length = 1;
  for (const unsigned char *p = (const unsigned char *)string; *p; p += length ? length : 1) {
    length = 1;
    if (*p == '"' || *p == '\\')
      weft__text_add(text, "\\%c", *p);
    else if (*p == 0xc2 && is_control(p))
      weft__text_add(text, "\\u%04x", p[(length = 2) - 1]);
    else if (is_control(p))
      weft__text_add(text, "\\u%04x", *p);
    else if ((length = utf8_length(p)))
      weft__text_add_bytes(text, (const char *)p, length);
    else
      weft__text_add(text, "\\ufffd");
  }
  weft__text_add_bytes(text, "\"", 1);
}

void weft__text_add_size(weft__text *text, uint64_t size_bytes) {
  static const char *const unit[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (size_bytes < 1024) {
    weft__text_add(text, "%u byte%s", (unsigned)size_bytes, size_bytes == 1 ? "" : "s");
    return;
  }
  double value = (double)size_bytes / 1024;
  size_t i = 0;
  for (; value >= 1024 && i + 1 < sizeof unit / sizeof *unit; i++) value /= 1024;
  weft__text_add(text, "%.1f %s", value, unit[i]);
}

bool weft__text_read_size(const char *text, uint64_t *size_bytes) {
  static const char *const units[] = {"", "K", "M", "G", "T"};
  const char *p = text;
  uint64_t number = 0;
  for (; *p >= '0' && *p <= '9'; p++)
    if (!weft__multiply_u64(&number, number, 10) || !weft__add_u64(&number, number, (uint64_t)(*p - '0'))) return false;
  for (size_t i = 0; i < sizeof units / sizeof *units && p > text; i++)
    if (strcmp(p, units[i]) == 0) return weft__multiply_u64(size_bytes, number, (uint64_t)1 << (10 * i));
  return false;
}

void weft__text_clear(weft__text *text) {
  text->length = 0;
  text->failed = false;
  if (text->chars) text->chars[0] = 0;
}

void weft__text_free(weft__text *text) {
  free(text->chars);
  *text = (weft__text){0};
}

const char *weft__text_chars(const weft__text *text) {
  return text->chars ? text->chars : "";
}

char *weft__text_take(weft__text *text) {
  char *chars = text->failed ? NULL : text->chars ? text->chars : calloc(1, 1);
  if (text->failed) free(text->chars);
  *text = (weft__text){0};
  return chars;
}
