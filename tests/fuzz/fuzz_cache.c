// SPDX-License-Identifier: MIT
// Files of the cache of built kernels: no access beyond their end; what is written is read again, whatever its parts
// have; a changed bit of it is refused, and lines are found inside their part.
#include <stdlib.h>
#include <string.h>

#include "disk/entry.h"
#include "fuzz.h"

const size_t fuzz_head = 2;
uint64_t fuzz_accepted;

static bool is_inside(const weft__part *part, const char *begin, size_t size) {
  return part->bytes >= begin && part->bytes + part->size <= begin + size;
}

/// Finds all lines of each name.
static void find_lines(const weft__part *part) {
  static const char *const names[] = {"device", "driver", "weft", "kind", "options", "launched", "names", ""};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    weft__part rest = *part, line;
    while ((line = weft__part_next(&rest, names[k])).bytes)
      if (!is_inside(&line, part->bytes, part->size) || !is_inside(&rest, part->bytes, part->size))
        fuzz_fail("a line outside of its part", names[k]);
  }
}

static void read_any(const char *bytes, size_t size) {
  weft__entry_parts parts;
  if (weft__entry_read(&parts, bytes, size)) return;
  if (!is_inside(&parts.key, bytes, size) || !is_inside(&parts.facts, bytes, size) ||
      !is_inside(&parts.code, bytes, size))
    fuzz_fail("a part outside of the file", "read");
  find_lines(&parts.key);
  find_lines(&parts.facts);
  fuzz_accepted++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < fuzz_head) return 0;
  const size_t rest = size - fuzz_head, first = data[0] * rest / 256, second = data[1] * (rest - first) / 256;
  char *bytes = malloc(rest + 1); /* the exact size, for the sanitizers to guard */
  weft__text file = {0};
  weft__entry_parts read;
  if (!bytes) return 0;
  memcpy(bytes, data + fuzz_head, rest);
  read_any(bytes, rest);
  const weft__entry_parts parts = {
      {bytes, first}, {bytes + first, second}, {bytes + first + second, rest - first - second}};
  weft__entry_write(&file, &parts);
  const char *wrong = file.failed ? NULL : weft__entry_read(&read, file.chars, file.length);
  if (wrong) fuzz_fail("what was written is refused", wrong);
  if (!file.failed && (read.key.size != first || read.facts.size != second || memcmp(read.key.bytes, bytes, rest) != 0))
    fuzz_fail("another file is read than was written", "");
  read_any(file.chars, file.length);
  const size_t changed = file.length - read.code.size ? (size_t)data[0] * 7 % (file.length - read.code.size) : 0;
  file.chars[changed] ^= (char)(1 << data[1] % 8);
  if (!file.failed && !weft__entry_read(&read, file.chars, file.length)) fuzz_fail("a changed bit is not seen", "");
  weft__text_free(&file);
  free(bytes);
  return 0;
}
