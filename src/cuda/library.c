// SPDX-License-Identifier: MIT
#include "cuda/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "base/environment.h"
#include "base/secure.h"

weft__cuda_calls weft__cuda_api;

const char *const weft__cuda_symbols[] = {
#define SYMBOL(member, symbol, parameters) symbol,
    WEFT__CUDA_CALLS(SYMBOL)
#undef SYMBOL
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_there;
static char problem[256];

static const char *name_of(int code) {
  const char *name = NULL;
  return weft__cuda_api.error_name && weft__cuda_api.error_name(code, &name) == 0 && name ? name : "an unknown code";
}

static const char *library_name(void) {
  const char *chosen = weft__environment_text(WEFT__ENV_CUDA_LIBRARY);
  return chosen ? chosen : "libcuda.so.1";
}

static void load(void) {
  int code, count = 0;
  void *library = weft__library_open(library_name(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    snprintf(problem, sizeof problem, "CUDA's driver library cannot be loaded: %s", reason ? reason : library_name());
    return;
  }
  void **functions = (void **)&weft__cuda_api; /* POSIX allows the conversion of dlsym's result to a function pointer */
  for (size_t i = 0; i < sizeof weft__cuda_symbols / sizeof *weft__cuda_symbols; i++)
    if (!(functions[i] = dlsym(library, weft__cuda_symbols[i]))) {
      snprintf(problem, sizeof problem, "%s has no %s: CUDA 11.7 or later is needed", library_name(),
               weft__cuda_symbols[i]);
      return;
    }
  if ((code = weft__cuda_api.init(0)) || (code = weft__cuda_api.device_count(&count)))
    snprintf(problem, sizeof problem, "CUDA cannot be initialised: %s (%d)", name_of(code), code);
  else if (count == 0)
    snprintf(problem, sizeof problem, "CUDA lists no device");
  is_there = !problem[0];
}

bool weft__cuda_is_there(void) {
  pthread_once(&once, load);
  return is_there;
}

weft_status weft__cuda_load(void) {
  return weft__cuda_is_there() ? WEFT_OK : weft__fail(WEFT_ERROR_UNSUPPORTED, NULL, "%s", problem);
}

weft_status weft__cuda_fail(int code, const char *call) {
  const char *text = NULL;
  if (code == WEFT__CUDA_OUT_OF_MEMORY)
    return weft__fail(WEFT_ERROR_MEMORY, NULL, "the device has no more memory: %s returned %s", call, name_of(code));
  if (weft__cuda_api.error_text(code, &text) || !text) text = "CUDA does not explain it";
  return weft__fail(WEFT_ERROR_DRIVER, NULL, "%s returned %s (%d): %s%s", call, name_of(code), code, text,
                    code == WEFT__CUDA_OPERATING_SYSTEM ? "; each shared buffer holds an open file (ulimit -n)" : "");
}
