// SPDX-License-Identifier: MIT
// The program about the cache of built kernels. Every failure inside of the cache is survived: the kernel is built, and
// its result is right.
#define _GNU_SOURCE /* mkdtemp, memmem */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/weft.h>

#include "fault_programs.h"

static char bytes[1 << 20];

/// Empties the folder, or reads the file of the program that contains `part`. The order of a folder's files is the
/// system's, and most are of Weft's own programs, which each context builds.
static size_t visit(const char *folder, const char *part) {
  char path[600];
  size_t size = 0;
  DIR *entries = opendir(folder);
  for (struct dirent *e; entries && size == 0 && (e = readdir(entries));) {
    if (e->d_name[0] == '.' && part) continue;
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    FILE *file = part ? fopen(path, "rb") : NULL;
    if (!part) unlink(path);
    if (file) size = fread(bytes, 1, sizeof bytes, file);
    if (file) fclose(file);
    if (part && !memmem(bytes, size, part, strlen(part))) size = 0;
  }
  if (entries) closedir(entries);
  return size;
}

int program_cached(int argc, char **argv) {
  static const char source[] = "kernel void twice(global int *y) {\n  y[get_global_id(0)] *= 2;\n}\n";
  char folder[] = "/tmp/fault_cache_XXXXXX";
  int status = 0;
  weft_context *context = NULL;
  weft_kernel *kernel = NULL;
  weft_array *y = NULL;
  weft_cache_info info = {0};
  (void)argc, (void)argv;

  if (mkdtemp(folder) == NULL) return FAULT_BROKEN;
  setenv("WEFT_CACHE", "1", 1);
  setenv("WEFT_CACHE_DIR", folder, 1);
  fault_expect(true);
  for (int round = 0; round < 3; round++) {
    int got[4] = {0};
    TRY(weft_context_create(&context));
    TRY(weft_kernel_create(&kernel, context, .source = source, .name = "twice"));
    TRY(weft_ones(&y, context, WEFT_I32, WEFT_SHAPE(4)));
    TRY(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(4), y));
    TRY(weft_to_host(got, sizeof got, y));
    KEPT(got[0] == 2 && got[3] == 2);
    weft_release(&kernel, &y);
    TRY(weft_context_close(&context));
    if (round == 1) TRY(weft_cache_clear());
    TRY(weft_cache_get(&info));
  }
  const size_t size = visit(folder, "void twice");
  fault_expect(false);
  FAILS(WEFT_ERROR_ARGUMENT, weft_cache_add(bytes, size / 2)); /* what is added stays */
  fault_expect(true);
  TRY(weft_context_create(&context));
  if (size) TRY(weft_cache_prepare(context, bytes, size));
done:
  fault_expect(false);
  fault_leave();
  weft_release(&kernel, &y);
  if (weft_context_close(&context) != WEFT_OK) status = status ? status : 1;
  visit(folder, NULL);
  rmdir(folder);
  unsetenv("WEFT_CACHE_DIR");
  setenv("WEFT_CACHE", "0", 1);
  return status;
}
