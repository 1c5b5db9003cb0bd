// SPDX-License-Identifier: MIT
#include "kernel/ptx.h"

#include <string.h>

static bool begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

bool weft__ptx_for_90a(weft__text *out, const char *ptx) {
  static const char mark[] = "//90a ", target[] = ".target sm_90", block[] = ".reqntid";
  for (const char *line = ptx; *line;) {
    const char *first = line + strspn(line, " \t");
    const size_t length = strcspn(line, "\n");
    const char *next = line + length + (line[length] == '\n');
    if (begins(first, mark)) first += sizeof mark - 1;
    if (begins(first, target) && first[sizeof target - 1] != 'a') {
      weft__text_add(out, "%sa", target);
      first += sizeof target - 1;
    }
    weft__text_add_bytes(out, first, (size_t)(next - first));
    if (begins(first, block)) weft__text_add(out, ".minnctapersm 1\n");
    line = next;
  }
  return !out->failed;
}
