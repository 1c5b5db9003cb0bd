// SPDX-License-Identifier: MIT
// Sources of kernels with headers: no crash, and a text that is expanded once stays as it is.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fuzz.h"
#include "kernel/source.h"

const size_t fuzz_head = 1;
uint64_t fuzz_accepted;

static weft_status expand(weft__text *out, const char *text, const char *options) {
  const weft__source source = {.name = "fuzz.cl", .text = text, .options = options, .include_path = "/no/such/folder"};
  weft_error_clear();
  weft__enter("weft_kernel_create", "fuzz");
  return weft__leave(weft__source_expand(out, &source));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < fuzz_head) return 0;
  char *text = calloc(1, size - fuzz_head + 1);
  weft__text first = {0}, second = {0};
  if (!text) return 0;
  memcpy(text, data + fuzz_head, size - fuzz_head);
  const char *options = data[0] & 1 ? "-DA=1 -D B -UC -I /no/such" : NULL;
  const weft_status rc = expand(&first, text, options);
  if (rc == WEFT_OK) {
    fuzz_accepted++;
    if (expand(&second, text, options) != WEFT_OK) fuzz_fail("fails the second time", text);
    /* behind a name that is not known stands a number that is new each time */
    if (!strstr(weft__text_chars(&first), "\n/* ") && strcmp(weft__text_chars(&first), weft__text_chars(&second)) != 0)
      fuzz_fail("two results", text);
  } else if (rc != WEFT_ERROR_BUILD && rc != WEFT_ERROR_FILE) {
    fuzz_fail("another error", text);
  }
  weft__text_free(&first);
  weft__text_free(&second);
  free(text);
  return 0;
}
