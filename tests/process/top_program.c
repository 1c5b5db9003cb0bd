// SPDX-License-Identifier: MIT
// A Weft program for tests/process/top.py. It holds two arrays and obeys commands, one per line: "work" (some
// operations), "free" (one of its arrays), "exit" (without notifying Weft), "die" (without exit handlers). It prints
// "done" after each. At the end of its input it closes its context.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/weft.h>

int main(void) {
  weft_context *context = NULL;
  weft_array *small = NULL, *large = NULL;
  char line[16];
  setenv("WEFT_WAY", "elements:commands", 1); /* what it does is launched */
  WEFT_CHECK(weft_context_create(&context));
  WEFT_CHECK(weft_zeros(&small, context, WEFT_F32, WEFT_SHAPE(1 << 18)));
  WEFT_CHECK(weft_zeros(&large, context, WEFT_F32, WEFT_SHAPE(1 << 20)));
  WEFT_CHECK(weft_context_wait(context));
  puts("done");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    if (strcmp(line, "exit\n") == 0) exit(0);
    if (strcmp(line, "die\n") == 0) raise(SIGKILL);
    if (strcmp(line, "free\n") == 0) weft_array_release(&small);
    if (strcmp(line, "work\n") == 0) {
      for (int i = 0; i < 10; i++) WEFT_CHECK(weft_fill(large, (float)i));
      WEFT_CHECK(weft_context_wait(context));
    }
    puts("done");
    fflush(stdout);
  }
  weft_array_release(&small);
  weft_array_release(&large);
  WEFT_CHECK(weft_context_close(&context));
  return 0;
}
