// SPDX-License-Identifier: MIT
// A library that makes the file that WEFT_TEST_MARK names when it is loaded: for privileged.py.
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void leave_mark(void) {
  const char *path = getenv("WEFT_TEST_MARK");
  FILE *mark = path ? fopen(path, "a") : NULL;
  if (!mark) return;
  fputs("loaded\n", mark);
  fclose(mark);
}
