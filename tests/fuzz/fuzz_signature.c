// SPDX-License-Identifier: MIT
// Signatures: no crash, an error that points into the text, and a signature that is written and read again is
// unchanged.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "expr/signature.h"
#include "fuzz.h"

const size_t fuzz_head = 1;
uint64_t fuzz_accepted;

static void describe(weft__text *text, const weft__signatures *s) {
  for (int k = 0; k < s->count; k++) {
    weft__signature_describe(text, s, k);
    weft__text_add(text, "\n");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < fuzz_head) return 0;
  char *text = calloc(1, size - fuzz_head + 1);
  if (!text) return 0;
  memcpy(text, data + fuzz_head, size - fuzz_head);
  weft__signatures s, again;
  weft_error_clear();
  weft__enter("weft_ufunc_create", "fuzz");
  weft_status rc = weft__leave(weft__signatures_parse(&s, text, data[0] & 1));
  if (rc == WEFT_ERROR_EXPRESSION) {
    const char *message = weft_error_last()->message;
    if (strncmp(message, "weft_ufunc_create: signatures:", 30) != 0) fuzz_fail("the message does not point", message);
  } else if (rc == WEFT_OK) {
    weft__text first = {0}, second = {0};
    fuzz_accepted++;
    if (s.results < 1 || s.parameters < 1 || s.results + s.parameters > WEFT_MAX_OPERANDS) fuzz_fail("counts", text);
    describe(&first, &s);
    weft__enter("weft_ufunc_create", "fuzz");
    rc = weft__leave(weft__signatures_parse(&again, weft__text_chars(&first), data[0] & 1));
    if (rc == WEFT_OK) describe(&second, &again);
    if (rc != WEFT_OK || strcmp(weft__text_chars(&first), weft__text_chars(&second)) != 0)
      fuzz_fail("does not read what it writes", text);
    weft__signatures_free(&again);
    weft__text_free(&first);
    weft__text_free(&second);
  } else {
    fuzz_fail("no error of expressions", text);
  }
  weft__signatures_free(&s);
  free(text);
  return 0;
}
