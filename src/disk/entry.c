// SPDX-License-Identifier: MIT
#include "disk/entry.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

#define MAGIC "weft-cache 1 "
#define FIRST MAGIC "%016" PRIx64 " %zu %zu %zu\n"
#define FIRST_LINE 120 /* its longest */

static uint64_t hash_of(const weft__entry_parts *p) {
  return weft__hash(p->facts.bytes, p->facts.size, weft__hash(p->key.bytes, p->key.size, 1));
}

void weft__entry_write(weft__text *out, const weft__entry_parts *p) {
  weft__text_add(out, FIRST, hash_of(p), p->key.size, p->facts.size, p->code.size);
  weft__text_add_bytes(out, p->key.bytes, p->key.size);
  weft__text_add_bytes(out, p->facts.bytes, p->facts.size);
  weft__text_add_bytes(out, p->code.bytes, p->code.size);
}

const char *weft__entry_read(weft__entry_parts *p, const void *bytes, size_t size) {
  char line[FIRST_LINE + 1] = "", expected[FIRST_LINE + 1];
  uint64_t hash;
  *p = (weft__entry_parts){0};
  if (size < strlen(MAGIC) || memcmp(bytes, MAGIC, strlen(MAGIC)) != 0) return "its file begins otherwise";
  memcpy(line, bytes, size < FIRST_LINE ? size : FIRST_LINE);
  char *end = strchr(line, '\n');
  if (!end || sscanf(line + strlen(MAGIC), "%16" SCNx64 " %zu %zu %zu", &hash, &p->key.size, &p->facts.size,
                     &p->code.size) != 4)
    return "its file is not whole";
  const size_t first = (size_t)(end + 1 - line), rest = size - first;
  snprintf(expected, sizeof expected, FIRST, hash, p->key.size, p->facts.size, p->code.size);
  if (strncmp(line, expected, first) != 0) return "its file was changed";
  if (p->key.size > rest || p->facts.size > rest - p->key.size || p->code.size != rest - p->key.size - p->facts.size)
    return "its file is not whole";
  p->key.bytes = (const char *)bytes + first;
  p->facts.bytes = p->key.bytes + p->key.size;
  p->code.bytes = p->facts.bytes + p->facts.size;
  return hash == hash_of(p) ? NULL : "its file was changed";
}

weft__part weft__part_line(const weft__part *part, const char *name) {
  const size_t length = strlen(name);
  const char *at = part->bytes, *end = part->bytes ? part->bytes + part->size : NULL;
  while (at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) break;
    if ((size_t)(stop - at) > length && memcmp(at, name, length) == 0 && at[length] == ' ')
      return (weft__part){at + length + 1, (size_t)(stop - at) - length - 1};
    at = stop + 1;
  }
  return (weft__part){0};
}

weft__part weft__part_next(weft__part *rest, const char *name) {
  const weft__part line = weft__part_line(rest, name);
  if (line.bytes) {
    const char *end = rest->bytes + rest->size, *behind = line.bytes + line.size + 1;
    *rest = (weft__part){behind, (size_t)(end - behind)};
  }
  return line;
}
