// SPDX-License-Identifier: MIT
// A shared library that looks like an OpenCL driver to the ICD loaders, and kills the process when a loader asks for
// its platforms. Some real drivers do so when their hardware or files are missing. tests/process/cli.py lists devices
// with it. With -DAT_LOAD it dies while it is loaded.
#include <stdlib.h>

int clIcdGetPlatformIDsKHR(unsigned count, void *platforms, unsigned *found);
int clGetPlatformIDs(unsigned count, void *platforms, unsigned *found);
void *clGetExtensionFunctionAddress(const char *name);

int clIcdGetPlatformIDsKHR(unsigned count, void *platforms, unsigned *found) {
  (void)count, (void)platforms, (void)found;
  abort();
}

int clGetPlatformIDs(unsigned count, void *platforms, unsigned *found) {
  return clIcdGetPlatformIDsKHR(count, platforms, found);
}

void *clGetExtensionFunctionAddress(const char *name) {
  (void)name;
  abort();
}

#ifdef AT_LOAD
__attribute__((constructor)) static void die_at_load(void) {
  abort();
}
#endif
