// SPDX-License-Identifier: MIT
// Expressions, from the text to OpenCL C: no crash, an error that points into the text, and only generated words in the
// kernel.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "expr/emit.h"
#include "expr/parser.h"
#include "expr/part.h"
#include "fuzz.h"

const size_t fuzz_head = 5;
uint64_t fuzz_accepted;

/// The OpenCL C words that the element function consists of.
static const char *const known[] = {
    "static", "inline", "__attribute__", "always_inline", "void",  "const", "long",   "ulong",      "int",
    "uint",   "short",  "ushort",        "char",          "uchar", "float", "double", "__private",  "index",
    "n",      "rare",   "as_float",      "as_double",     "re",    "im",    "UL",     "WEFT_CSTORE"};

static bool is_known(const char *word, size_t length) {
  size_t digits = 1;
  if (length > 5 && memcmp(word, "weft_", 5) == 0) return true;
  while (digits < length && isdigit((unsigned char)word[digits])) digits++;
  if (length > 1 && strchr("vwxy", word[0]) && digits == length) return true;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strlen(known[i]) == length && memcmp(known[i], word, length) == 0) return true;
  return false;
}

/// Checks that the kernel has only generated text: the lines before the element function come from the table, and every
/// word of the function is known.
static void check_emitted(const char *text) {
  const char *element = strstr(text, " void weft_element(");
  if (!element) fuzz_fail("no element function", text);
  while (element > text && element[-1] != '\n') element--;
  for (const char *line = text; line < element; line += strcspn(line, "\n") + 1)
    if (strncmp(line, "#include \"math/", 15) != 0 && strncmp(line, "#include \"map/position.clh\"\n", 28) != 0 &&
        strncmp(line, "#define ", 8) != 0 && strncmp(line, "static inline ", 14) != 0)
      fuzz_fail("a line that is neither include, definition nor function", line);
  for (const char *p = text; *p; p++)
    if (*p != '\n' && (*p < 0x20 || *p > 0x7e || strchr("@$\\`'?\"", *p)) && (p >= element || !strchr("?\"", *p)))
      fuzz_fail("a character that has no place in a kernel", p);
  for (const char *p = element; *p;) {
    size_t length = 0;
    while (isalnum((unsigned char)p[length]) || p[length] == '_') length++;
    if (length > 0 && !isdigit((unsigned char)*p) && !is_known(p, length))
      fuzz_fail("a word that has no place in a kernel", p);
    p += length ? length : 1;
  }
}

static weft_dtype dtype_of(uint8_t byte) {
  return (weft_dtype)(1 + byte % (WEFT_DTYPE_COUNT - 1));
}

static void check_kernel(const weft__formula *f, int fast) {
  weft__text emitted = {0};
  weft_dtype out[2] = {WEFT_DTYPE_NONE};
  for (int k = 0; k < f->results; k++) out[k] = f->node[f->result[k]].dtype;
  weft__emit_element(&emitted, f, out, fast);
  check_emitted(weft__text_chars(&emitted));
  weft__text_free(&emitted);
}

/// Checks each part of a formula with reduced values: it has only inputs and scalars that there are, no reduced values,
/// and nothing that it does not use.
static void check_parts(const weft__formula *whole, const char *text, int fast) {
  for (int value = WEFT__PART_RESULTS; value < whole->reductions; value++) {
    weft__formula_part part;
    weft__formula_part_of(&part, whole, value);
    const weft__formula *f = &part.formula;
    if (f->failed) fuzz_fail("no memory", text);
    if (f->results != (value < 0 ? whole->results : 1)) fuzz_fail("a part without its results", text);
    if (f->reductions || f->count > whole->count) fuzz_fail("a part is no part", text);
    for (int k = 0; k < f->inputs; k++) {
      const int last = value < 0 ? whole->reductions : value; /* values are computed in their order */
      if (part.from[k] < 0 ? WEFT__OF_REDUCED(part.from[k]) >= last : part.from[k] >= whole->inputs)
        fuzz_fail("an input of a part that does not exist yet", text);
    }
    for (int k = 0; k < f->scalars; k++)
      if (part.place[k] >= whole->scalars || f->scalar[k].dtype != whole->scalar[part.place[k]].dtype)
        fuzz_fail("a scalar of a part that does not exist", text);
    for (int k = 0; k < f->count; k++)
      if (f->node[k].kind == WEFT__NODE_REDUCED) fuzz_fail("a reduced value in a part", text);
    check_kernel(f, fast);
    weft__formula_free(&part.formula);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const variables[] = {"a", "b", "k"}, *const results[] = {"s", "r"};
  if (size < fuzz_head) return 0;
  char *text = calloc(1, size - fuzz_head + 1);
  if (!text) return 0;
  memcpy(text, data + fuzz_head, size - fuzz_head);
  bool has_value = data[0] & 1;
  weft__formula f = {.has_fp64 = data[0] & 2, .inputs = 3};
  for (int k = 0; k < 3; k++) f.input[k] = (weft__input){.dtype = dtype_of(data[1 + k])};
  f.input[2].is_scalar = true;
  f.input[2].dtype = weft__weak_dtype(f.input[2].dtype);
  const weft_dtype cast[] = {dtype_of(data[4]), dtype_of(data[4] >> 4), f.input[2].dtype};
  const weft__expression expression = {.text = text,
                                       .variable = variables,
                                       .variable_dtype = data[0] & 4 ? cast : NULL,
                                       .may_ignore = data[0] & 8 || data[4] & 1,
                                       .may_reduce = !(data[0] & 128),
                                       .has_value = has_value,
                                       .results = has_value ? 1 : 2,
                                       .result = results,
                                       .result_dtype = data[0] & 16 ? cast : NULL};
  weft_error_clear();
  weft__enter("weft_eval", "fuzz");
  weft_status rc = weft__leave(weft__parse(&f, &expression));
  if (rc != WEFT_OK) {
    const weft_error *error = weft_error_last();
    const bool is_right = rc == WEFT_ERROR_EXPRESSION || (rc == WEFT_ERROR_UNSUPPORTED && f.lacks_fp64);
    if (!is_right || error->status != rc) fuzz_fail("no error of expressions", text);
    if (strncmp(error->message, "weft_eval: expr:", 16) != 0) fuzz_fail("the message does not point", error->message);
  } else if (!f.failed) {
    const int fast = data[0] & 32 ? WEFT__OP_FAST : data[0] & 64 ? WEFT__OP_FAST_GPU : 0;
    fuzz_accepted++;
    if (f.results != expression.results) fuzz_fail("results are missing", text);
    if (f.reductions)
      check_parts(&f, text, fast);
    else
      check_kernel(&f, fast);
  }
  weft__formula_free(&f);
  free(text);
  return 0;
}
