// SPDX-License-Identifier: MIT
// A shared library that is an OpenCL driver to the ICD loaders, and kills the process as soon as one asks it for its
// platforms, as some real drivers do where their hardware or their files are missing. tests/process/cli.py lists
// devices with it.
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
