// SPDX-License-Identifier: MIT
/// Reads JSON from front to back, without a tree: objects key by key, arrays item by item. A text that does not fit the
/// calls sets `failed`. From then on every call returns an empty result, so a caller may read everything and check
/// once.
///
///   weft__json_open(j, '{');
///   while (weft__json_key(j, key, sizeof key))
///     if (strcmp(key, "pid") == 0) pid = weft__json_integer(j);
///     else weft__json_skip(j);
#ifndef WEFT_BASE_JSON_H
#define WEFT_BASE_JSON_H

#include <weft/api.h>

typedef struct weft__json {
  const char *at; /* the rest of a zero-terminated text */
  bool fresh;     /* no element of the object or array just opened has been read */
  bool failed;
} weft__json;

/// Enters an object ('{') or an array ('[').
void weft__json_open(weft__json *json, char bracket);
/// Reads the next key of the innermost object, cut to `room`. The caller reads or skips its value next. False at the
/// object's end.
bool weft__json_key(weft__json *json, char *key, size_t room);
/// Whether the innermost array has another item, which the caller reads or skips next.
bool weft__json_item(weft__json *json);
/// Reads a string and keeps its last room - 1 bytes: the end of a path is more specific than its beginning.
void weft__json_string(weft__json *json, char *string, size_t room);
/// Reads a whole number. For any other value, or one that does not fit, sets `failed` and returns 0.
int64_t weft__json_integer(weft__json *json);
/// Skips any value.
void weft__json_skip(weft__json *json);
/// Fails if more text follows.
void weft__json_end(weft__json *json);

#endif
