// SPDX-License-Identifier: MIT
/// Loads OpenCL's functions at run time (WEFT_DLOPEN_OPENCL).
#include <dlfcn.h>
#include <pthread.h>

#include "base/log.h"
#include "ocl/opencl_calls.h"

weft__opencl_calls weft__opencl_loaded;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_there; /* the library is loaded until the process ends */

static bool find(void *library, void *function, const char *name) {
  void *symbol = dlsym(library, name);
  if (!symbol) weft__log(WEFT_LOG_WARNING, "the OpenCL loader has no function %s", name);
  *(void **)function = symbol; /* POSIX allows the conversion of dlsym's result to a function pointer */
  return symbol != NULL;
}

static void load(void) {
  void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    weft__log(WEFT_LOG_WARNING, "no OpenCL loader: %s", reason ? reason : "libOpenCL.so.1 cannot be loaded");
    return;
  }
  is_there = true;
#define FIND(name) is_there = find(library, &weft__opencl_loaded.name, #name) && is_there;
  WEFT__OPENCL_CALLS(FIND)
#undef FIND
  if (!is_there) dlclose(library);
}

bool weft__opencl_load(void) {
  pthread_once(&once, load);
  return is_there;
}
