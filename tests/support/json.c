// SPDX-License-Identifier: MIT
#include "json.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *json_value(const char *at);

static const char *json_space(const char *at) {
  while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r') at++;
  return at;
}

static const char *json_string(const char *at) {
  if (*at++ != '"') return NULL;
  for (; *at != '"'; at++) {
    if ((unsigned char)*at < ' ') return NULL; /* the end, or a control character */
    if (*at != '\\') continue;
    at++;
    if (*at == 'u') {
      for (int i = 0; i < 4; i++) {
        if (!isxdigit((unsigned char)*++at)) return NULL;
      }
    } else if (!*at || !strchr("\"\\/bfnrt", *at)) {
      return NULL;
    }
  }
  return at + 1;
}

/* Skips an object or an array up to `close`. */
static const char *json_list(const char *at, char close) {
  at = json_space(at + 1);
  if (*at == close) return at + 1;
  for (;;) {
    if (close == '}') {
      at = json_string(json_space(at));
      if (!at) return NULL;
      at = json_space(at);
      if (*at++ != ':') return NULL;
    }
    at = json_value(at);
    if (!at) return NULL;
    at = json_space(at);
    if (*at == close) return at + 1;
    if (*at++ != ',') return NULL;
  }
}

static const char *json_value(const char *at) {
  at = json_space(at);
  if (*at == '{') return json_list(at, '}');
  if (*at == '[') return json_list(at, ']');
  if (*at == '"') return json_string(at);
  if (strncmp(at, "true", 4) == 0 || strncmp(at, "null", 4) == 0) return at + 4;
  if (strncmp(at, "false", 5) == 0) return at + 5;
  if (*at != '-' && !isdigit((unsigned char)*at)) return NULL;
  char *end;
  strtod(at, &end);
  return end > at ? end : NULL;
}

bool is_json(const char *text) {
  const char *end = json_value(text);
  return end && *json_space(end) == '\0';
}
