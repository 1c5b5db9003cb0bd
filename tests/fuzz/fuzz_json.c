// SPDX-License-Identifier: MIT
// JSON: no crash, no access beyond the text's end or a string's buffer; reading an object key by key and skipping it as
// a whole must agree.
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "fuzz.h"

const size_t fuzz_head = 1;
uint64_t fuzz_accepted;

/// Reads an object; each value by the call that matches its first character.
static void read_object(weft__json *json, char *string, size_t room, int depth) {
  weft__json_open(json, '{');
  while (weft__json_key(json, string, room)) {
    if (strlen(string) >= room) fuzz_fail("a key over its room", string);
    const char *first = json->at + strspn(json->at, " \t\r\n");
    if (*first == '{' && depth < 8) {
      read_object(json, string, room, depth + 1);
    } else if (*first == '"') {
      weft__json_string(json, string, room);
      if (strlen(string) >= room) fuzz_fail("a string over its room", string);
    } else {
      weft__json_skip(json);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < fuzz_head) return 0;
  char *text = calloc(1, size - fuzz_head + 1);
  size_t room = 2 + data[0] % 16; /* the exact size, for the sanitizers to guard */
  char *string = malloc(room);
  if (!text || !string) goto done;
  memcpy(text, data + fuzz_head, size - fuzz_head);
  const char *end = text + strlen(text);
  weft__json whole = {.at = text}, parts = {.at = text};
  weft__json_skip(&whole);
  weft__json_end(&whole);
  if (whole.at < text || whole.at > end || (!whole.failed && whole.at != end)) fuzz_fail("left the text", text);
  fuzz_accepted += !whole.failed;
  if (text[strspn(text, " \t\r\n")] != '{') goto done;
  read_object(&parts, string, room, 0);
  weft__json_end(&parts);
  if (parts.at > end) fuzz_fail("left the text", text);
  if (parts.failed != whole.failed) fuzz_fail("read and skipped differ", text);
done:
  free(string);
  free(text);
  return 0;
}
