// SPDX-License-Identifier: MIT
/// Reads JSON from front to back, without a tree: objects key by key, arrays item by item. A text that is not what was
/// asked for sets `failed`; from then on every call answers nothing, so that a caller may read all and look once.
///
///   weft__json_open(j, '{');
///   while (weft__json_key(j, key, sizeof key))
///     if (strcmp(key, "pid") == 0) pid = weft__json_integer(j);
///     else weft__json_skip(j);
#ifndef WEFT_BASE_JSON_H
#define WEFT_BASE_JSON_H

#include <weft/api.h>

typedef struct weft__json {
  const char *at; /* the rest of a text that ends with 0 */
  bool fresh;     /* the object or array just opened has given nothing yet */
  bool failed;
} weft__json;

/// Enters an object ('{') or an array ('[').
void weft__json_open(weft__json *json, char bracket);
/// The next key of the object entered last, cut to `room`; its value is to be read or skipped next. False at the
/// object's end.
bool weft__json_key(weft__json *json, char *key, size_t room);
/// Whether the array entered last has another item, to be read or skipped next.
bool weft__json_item(weft__json *json);
/// A string, of which the last room - 1 bytes are kept: the end of a path says more than its beginning.
void weft__json_string(weft__json *json, char *string, size_t room);
/// A whole number that fits; 0 otherwise.
int64_t weft__json_integer(weft__json *json);
/// Any value.
void weft__json_skip(weft__json *json);
/// That nothing follows.
void weft__json_end(weft__json *json);

#endif
