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
const char *const fuzz_seeds[] = {
    "f32(f32 x, f32 y)",
    "f32(f32 x, f32 y); f64(f64 x, f64 y)",
    "(f32 s, f32 c)(f32 x)\n(f64 s, f64 c)(f64 x)",
    "bool(i8 a, u8 b, i16 c, u16 d, i32 e, u32 f, i64 g, u64 h, f16 i)",
    "c64(c64 z, f32 w); c128(c128 z, f64 w) # complex\n\n;",
    "(f32 r)(f32 x); (i32 r)(i32 x); (u8 r)(bool x)",
    NULL,
};
const char *const fuzz_words[] = {"(",          ")",
                                  ",",          ";",
                                  "\n",         "#",
                                  " ",          "f32",
                                  "f64",        "i32",
                                  "u8",         "bool",
                                  "c64",        "x",
                                  "y",          "s",
                                  "float",      "f32 x",
                                  "weft_",      "__",
                                  "if",         "(f32 q)",
                                  "f16(i64 x)", "1",
                                  "*",          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                                  "\xff",       NULL};

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
