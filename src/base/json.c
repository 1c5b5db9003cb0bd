// SPDX-License-Identifier: MIT
#include "base/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 32

static void fail(weft__json *json) {
  json->failed = true;
}

static void skip_space(weft__json *json) {
  json->at += strspn(json->at, " \t\r\n");
}

/// Skips one character if it is the next one.
static bool take(weft__json *json, char c) {
  skip_space(json);
  if (json->failed || *json->at != c) return false;
  json->at++;
  return true;
}

void weft__json_open(weft__json *json, char bracket) {
  if (!take(json, bracket)) fail(json);
  json->fresh = true;
}

/// Skips the comma between elements of the object or array; true if another element follows.
static bool next(weft__json *json, char end) {
  if (json->failed) return false;
  if (take(json, end)) {
    json->fresh = false;
    return false;
  }
  if (!json->fresh && !take(json, ',')) {
    fail(json);
    return false;
  }
  json->fresh = false;
  return true;
}

bool weft__json_key(weft__json *json, char *key, size_t room) {
  if (!next(json, '}')) return false;
  weft__json_string(json, key, room);
  if (!take(json, ':')) fail(json);
  return !json->failed;
}

bool weft__json_item(weft__json *json) {
  return next(json, ']');
}

/// Appends a byte; in a full buffer, drops the first byte.
static void push(char *string, size_t room, size_t *length, char c) {
  if (*length + 1 >= room) {
    memmove(string, string + 1, *length - 1);
    --*length;
  }
  string[(*length)++] = c;
}

/// Converts four hexadecimal digits to UTF-8; halves of surrogate pairs become '?'.
static void push_unicode(weft__json *json, char *string, size_t room, size_t *length) {
  unsigned code = 0;
  for (int i = 0; i < 4; i++) {
    const char *digits = "0123456789abcdef", c = *json->at, *found;
    found = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
    if (!found) {
      fail(json);
      return;
    }
    code = code * 16 + (unsigned)(found - digits);
    json->at++;
  }
  if (code == 0 || (code >= 0xd800 && code < 0xe000)) code = '?';
  if (code < 0x80) {
    push(string, room, length, (char)code);
    return;
  }
  if (code >= 0x800) push(string, room, length, (char)(0xe0 | code >> 12));
  push(string, room, length, (char)(code >= 0x800 ? 0x80 | (code >> 6 & 0x3f) : 0xc0 | code >> 6));
  push(string, room, length, (char)(0x80 | (code & 0x3f)));
}

void weft__json_string(weft__json *json, char *string, size_t room) {
  static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  size_t length = 0;
  if (!take(json, '"')) fail(json);
  while (!json->failed && *json->at != '"') {
    char c = *json->at;
    if ((unsigned char)c < 0x20) { /* also the text's end, which must not be skipped */
      fail(json);
      break;
    }
    json->at++;
    if (c != '\\') {
      push(string, room, &length, c);
    } else if (*json->at == 'u') {
      json->at++;
      push_unicode(json, string, room, &length);
    } else {
      const char *escape = *json->at ? strchr(escapes, *json->at) : NULL;
      if (!escape) {
        fail(json);
        break;
      }
      push(string, room, &length, meanings[escape - escapes]);
      json->at++;
    }
  }
  string[length] = 0;
  if (!json->failed) json->at++;
}

int64_t weft__json_integer(weft__json *json) {
  char *end;
  skip_space(json);
  if (json->failed || (*json->at != '-' && (*json->at < '0' || *json->at > '9'))) {
    fail(json);
    return 0;
  }
  errno = 0;
  long long value = strtoll(json->at, &end, 10);
  if (errno || end == json->at || *end == '.' || *end == 'e' || *end == 'E') {
    fail(json);
    return 0;
  }
  json->at = end;
  return value;
}

static void skip(weft__json *json, int depth) {
  char word[8];
  skip_space(json);
  if (json->failed || depth > DEEPEST) {
    fail(json);
  } else if (*json->at == '{') {
    weft__json_open(json, '{');
    while (weft__json_key(json, word, sizeof word)) skip(json, depth + 1);
  } else if (*json->at == '[') {
    weft__json_open(json, '[');
    while (weft__json_item(json)) skip(json, depth + 1);
  } else if (*json->at == '"') {
    weft__json_string(json, word, sizeof word);
  } else {
    /* a number, true, false or null, not checked further */
    size_t length = strspn(json->at, "+-.0123456789abcdefghijklmnopqrstuvwxyzE");
    if (length == 0) fail(json);
    json->at += length;
  }
}

void weft__json_skip(weft__json *json) {
  skip(json, 0);
}

void weft__json_end(weft__json *json) {
  skip_space(json);
  if (*json->at) fail(json);
}
