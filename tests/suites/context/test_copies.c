// SPDX-License-Identifier: MIT
/// Several copies of the library in a process, each with its own objects.
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "harness.h"

/// The file of the library; false: it is part of the program.
static bool find_library(char path[500]) {
  char line[1000];
  bool is_found = false;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && !is_found && fgets(line, sizeof line, maps))
    is_found = strstr(line, "/libweft.so") && sscanf(line, "%*s %*s %*s %*s %*s %499[^\n]", path) == 1;
  if (maps) fclose(maps);
  return is_found;
}

/// A function of a library, as C has no cast from the one pointer to the other.
static void find_function(void *function, void *library, const char *name) {
  void *found = dlsym(library, name);
  ck_assert_ptr_nonnull(found);
  memcpy(function, &found, sizeof found);
}

/// As where a program and a plugin have a copy each.
START_TEST(handles_of_another_copy)
{
  char path[500], file[] = "/tmp/weft-copy-XXXXXX", command[600];
  if (!find_library(path)) return;
  const int copy = mkstemp(file);
  ck_assert_int_ge(copy, 0);
  close(copy);
  snprintf(command, sizeof command, "cp '%s' %s", path, file);
  ck_assert_int_eq(system(command), 0);
  void *other = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(other != NULL, "%s", dlerror());
  unlink(file);
  weft_status (*add)(weft_array **, const weft_array *, const weft_array *), (*wait)(weft_context *);
  const weft_error *(*error)(void);
  void (*release)(weft_array **);
  find_function(&add, other, "weft_add");
  find_function(&wait, other, "weft_context_wait");
  find_function(&error, other, "weft_error_last");
  find_function(&release, other, "weft_array_release");
  weft_array *x = NULL, *y = NULL;
  harness_context_open();
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(3)));
  weft_array *again = x;
  ck_assert_int_eq(add(&y, x, x), WEFT_ERROR_HANDLE);
  ck_assert_ptr_nonnull(strstr(error()->message, "is a weft_array of another copy of Weft in this process"));
  ck_assert_int_eq(add(&x, x, x), WEFT_ERROR_HANDLE);
  ck_assert_int_eq(wait(ctx), WEFT_ERROR_HANDLE);
  ck_assert_ptr_nonnull(strstr(error()->message, "is a weft_context of another copy"));
  release(&again); /* does nothing, as with any other handle that it does not know */
  ok(weft_add(&y, x, x));
  weft_release(&x, &y);
  harness_count(3);
  harness_context_close();
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "copies");
  tcase_add_test(tc, handles_of_another_copy);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "copies", .add = add});
}
