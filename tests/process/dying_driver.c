// SPDX-License-Identifier: MIT
// A shared library that looks like an OpenCL driver to the ICD loaders, and kills the process when a loader asks for
// its platforms. Some real drivers do so when their hardware or files are missing. tests/process/cli.py lists devices
// with it; tests/process/progress.py lets it first wait for WEFT_TEST_DRIVER_MS milliseconds. With -DAT_LOAD it dies
// while it is loaded.
#include <stdlib.h>
#include <time.h>

int clIcdGetPlatformIDsKHR(unsigned count, void *platforms, unsigned *found);
int clGetPlatformIDs(unsigned count, void *platforms, unsigned *found);
void *clGetExtensionFunctionAddress(const char *name);

static _Noreturn void die(void) {
  const char *wait = getenv("WEFT_TEST_DRIVER_MS");
  long ms = wait ? atol(wait) : 0;
  nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
  abort();
}

int clIcdGetPlatformIDsKHR(unsigned count, void *platforms, unsigned *found) {
  (void)count, (void)platforms, (void)found;
  die();
}

int clGetPlatformIDs(unsigned count, void *platforms, unsigned *found) {
  return clIcdGetPlatformIDsKHR(count, platforms, found);
}

void *clGetExtensionFunctionAddress(const char *name) {
  (void)name;
  die();
}

#ifdef AT_LOAD
__attribute__((constructor)) static void die_at_load(void) {
  abort();
}
#endif
