// SPDX-License-Identifier: MIT
// A shared library that looks like an OpenCL loader of version 1.1: it knows no function of OpenCL 1.2, and no driver.
// tests/process/doctor.py puts it on the search path as libOpenCL.so.1.
#include <stddef.h>

int clGetPlatformIDs(unsigned count, void *platforms, unsigned *found);
void *clCreateSubBuffer(void *buffer, unsigned long flags, unsigned kind, const void *region, int *code);

int clGetPlatformIDs(unsigned count, void *platforms, unsigned *found) {
  (void)count, (void)platforms;
  if (found) *found = 0;
  return 0;
}

void *clCreateSubBuffer(void *buffer, unsigned long flags, unsigned kind, const void *region, int *code) {
  (void)buffer, (void)flags, (void)kind, (void)region;
  *code = -59;
  return NULL;
}
