// SPDX-License-Identifier: MIT
// A program for privileged.py, linked to the library's insides: what of its environment it obeys, as JSON. With a word
// it also computes, and asks for both of NVIDIA's libraries.
#include <stdio.h>
#include <sys/auxv.h>
#include <weft/weft.h>

#include "base/environment.h"
#include "base/file.h"
#include "base/secure.h"
#include "cuda/library.h"
#include "machine/nvml.h"

static const struct {
  const char *name;
  weft__variable variable;
} rows[] = {
#define ROW(name, grammar, example, effect) {"WEFT_" #name, WEFT__ENV_##name},
    WEFT__VARIABLES(ROW)};

static void compute(void) {
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL;
  float got = 0;
  WEFT_CHECK(weft_context_default(&context));
  WEFT_CHECK(weft_arange(&x, context, WEFT_F32, 0, 100000, 1));
  WEFT_CHECK(weft_max(&y, x, WEFT_ALL_AXES));
  WEFT_CHECK(weft_to_host(&got, sizeof got, y));
  weft_release(&x, &y);
  WEFT_CHECK(weft_context_close(&context));
  weft__nvml_bandwidth("0000:00:00.0");
  (void)weft__cuda_load(); /* no stand-in has the functions */
  printf(", \"max\": %g", (double)got);
}

int main(int argc, char **argv) {
  char folder[PATH_MAX] = "";
  int count = 0;
  (void)argv;
  printf("{\"secure\": %d, \"rows\": %zu, \"obeyed\": [", getauxval(AT_SECURE) != 0, sizeof rows / sizeof *rows);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (weft__environment_text(rows[k].variable)) printf("%s\"%s\"", count++ ? ", " : "", rows[k].name);
  printf("], \"cache_folder\": %d, \"variables\": %d", weft__file_cache_folder(folder), weft__getenv_all()[0] != NULL);
  if (argc > 1) compute();
  printf("}\n");
  return 0;
}
