// SPDX-License-Identifier: MIT
#define _GNU_SOURCE /* environ */
#include "base/secure.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

bool weft__is_privileged(void) {
  return getauxval(AT_SECURE) != 0;
}

const char *weft__getenv(const char *name) {
  return weft__is_privileged() ? NULL : getenv(name);
}

const char *weft__getenv_filled(const char *name) {
  const char *text = weft__getenv(name);
  return text && text[0] ? text : NULL;
}

const char *weft__getenv_of_driver(const char *name) {
  return strncmp(name, "WEFT_", 5) == 0 ? NULL : getenv(name);
}

char *const *weft__getenv_all(void) {
  static char *const none[] = {NULL};
  return weft__is_privileged() || !environ ? none : environ;
}

void *weft__library_open(const char *name, int flags) {
  /* the loader ignores LD_LIBRARY_PATH then, but not a path */
  return weft__is_privileged() && name && strchr(name, '/') ? NULL : dlopen(name, flags);
}
