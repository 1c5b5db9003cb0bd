// SPDX-License-Identifier: MIT
/// Loads OpenCL's functions at run time (WEFT_DLOPEN_OPENCL).
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "base/secure.h"
#include "ocl/opencl_calls.h"

weft__opencl_calls weft__opencl_loaded;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_there;
static char problem[256];

static bool find(void *program, void *function, const char *name) {
  void *symbol = dlsym(program, name);
  if (!symbol && !*problem) snprintf(problem, sizeof problem, "the OpenCL loader has no function %s", name);
  *(void **)function = symbol; /* POSIX allows the conversion of dlsym's result to a function pointer */
  return symbol != NULL;
}

/// The functions are looked up in the whole program, not in the library alone: preloaded libraries, such as Oclgrind's,
/// come first, as for a linked program. The library stays loaded until the process ends.
static void load(void) {
  if (!weft__library_open("libOpenCL.so.1", RTLD_NOW | RTLD_GLOBAL)) {
    const char *reason = dlerror();
    snprintf(problem, sizeof problem, "no OpenCL loader: %s", reason ? reason : "libOpenCL.so.1 cannot be loaded");
  }
  void *program = weft__library_open(NULL, RTLD_LAZY);
  is_there = program;
#define FIND(name) is_there = program && find(program, &weft__opencl_loaded.name, #name) && is_there;
  WEFT__OPENCL_CALLS(FIND)
#undef FIND
}

bool weft__opencl_load(void) {
  pthread_once(&once, load);
  return is_there;
}

const char *weft__opencl_problem(void) {
  return problem;
}
