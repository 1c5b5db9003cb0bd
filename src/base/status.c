// SPDX-License-Identifier: MIT
#include <weft/status.h>
#include <weft/version.h>

const char *weft_status_name(weft_status status) {
  switch (status) {
#define NAME(s) \
  case s:       \
    return #s
    NAME(WEFT_OK);
    NAME(WEFT_ERROR_ARGUMENT);
    NAME(WEFT_ERROR_HANDLE);
    NAME(WEFT_ERROR_DTYPE);
    NAME(WEFT_ERROR_SHAPE);
    NAME(WEFT_ERROR_AXIS);
    NAME(WEFT_ERROR_INDEX);
    NAME(WEFT_ERROR_LAYOUT);
    NAME(WEFT_ERROR_CONTEXT);
    NAME(WEFT_ERROR_OVERFLOW);
    NAME(WEFT_ERROR_EXPRESSION);
    NAME(WEFT_ERROR_READ_ONLY);
    NAME(WEFT_ERROR_NO_DEVICE);
    NAME(WEFT_ERROR_UNSUPPORTED);
    NAME(WEFT_ERROR_VERSION);
    NAME(WEFT_ERROR_MEMORY);
    NAME(WEFT_ERROR_HOST_MEMORY);
    NAME(WEFT_ERROR_BUDGET);
    NAME(WEFT_ERROR_LEAK);
    NAME(WEFT_ERROR_BUILD);
    NAME(WEFT_ERROR_KERNEL_NAME);
    NAME(WEFT_ERROR_KERNEL_ARGUMENT);
    NAME(WEFT_ERROR_LAUNCH_LIMIT);
    NAME(WEFT_ERROR_BOUNDS);
    NAME(WEFT_ERROR_LOST);
    NAME(WEFT_ERROR_CLOSED);
    NAME(WEFT_ERROR_FORKED);
    NAME(WEFT_ERROR_DRIVER);
    NAME(WEFT_ERROR_FILE);
    NAME(WEFT_ERROR_INTERNAL);
    NAME(WEFT_ERROR_SINGULAR);
    NAME(WEFT_ERROR_CONVERGENCE);
#undef NAME
  }
  return "unknown status";
}

int weft_status_band(weft_status status) {
  return (int)status / 100 * 100;
}

const char *weft_version(void) {
  return WEFT_VERSION_STRING;
}
