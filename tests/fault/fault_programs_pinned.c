// SPDX-License-Identifier: MIT
// The programs about pinned memory: the user's own, and the staging ring of large copies.
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_programs.h"

enum { SMALL = 64, LARGE = 1 << 20 }; /* a copy of LARGE bytes goes through the ring */

int program_pinned(int argc, char **argv) {
  int status = 0;
  unsigned char *data = NULL, *more = NULL, *mine = NULL;
  static unsigned char own[SMALL];
  weft_context *context = NULL;
  weft_array *x = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&data, weft_pinned_alloc(&data, context, SMALL));
  MAKE(&more, weft_pinned_alloc(&more, context, SMALL));
  KEPT(weft_is_pinned(context, data, SMALL) && !weft_is_pinned(context, &status, sizeof status));
  memset(data, 7, SMALL);
  MAKE(&x, weft_from_host(&x, context, WEFT_U8, WEFT_SHAPE(SMALL), data));
  TRY(weft_to_host(more, SMALL, x));
  KEPT(memcmp(data, more, SMALL) == 0);
  weft_pinned_free(&more);
  KEPT(more == NULL);
  TRY(weft_pinned_register(own, context, SMALL));
  mine = own;
  TRY(weft_to_host(mine, SMALL, x));
  KEPT(memcmp(data, own, SMALL) == 0);
  TRY(weft_context_wait(context));

done:
  fault_leave();
  weft_array_release(&x);
  weft_pinned_free(&mine);
  weft_pinned_free(&more);
  weft_pinned_free(&data);
  weft_context_release(&context);
  return status;
}

int program_staged(int argc, char **argv) {
  int status = 0;
  unsigned char *data = malloc(LARGE), *again = calloc(1, LARGE);
  weft_context *context = NULL;
  weft_array *x = NULL;
  (void)argc, (void)argv;

  setenv("WEFT_QUIRKS", "stages_slowly", 1);
  MAKE(&context, weft_context_create(&context));
  fault_mark();
  if (!data || !again) goto done;
  for (int i = 0; i < LARGE; i++) data[i] = (unsigned char)(i * 7 + i / 256);
  MAKE(&x, weft_from_host(&x, context, WEFT_U8, WEFT_SHAPE(LARGE), data));
  TRY(weft_to_host(again, LARGE, x));
  KEPT(memcmp(data, again, LARGE) == 0);
  TRY(weft_from_host(&x, context, WEFT_U8, WEFT_SHAPE(LARGE), again));
  TRY(weft_context_wait(context));

done:
  fault_leave();
  weft_array_release(&x);
  weft_context_release(&context);
  free(again);
  free(data);
  return status;
}
