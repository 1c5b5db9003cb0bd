// SPDX-License-Identifier: MIT
#include "ocl/driver.h"

#include <stdlib.h>
#include <string.h>

_Atomic(uint64_t) weft__released_arguments;

int weft__driver_text(char **text, const weft__text_of *of) {
  size_t size = 0;
  *text = NULL;
  int code = weft__driver->text(NULL, 0, &size, of);
  if (code) return code;
  char *chars = calloc(1, size + 1);
  if (!chars) return WEFT__CL_OUT_OF_HOST_MEMORY;
  if (size) code = weft__driver->text(chars, size, &size, of);
  if (code) {
    free(chars);
    return code;
  }
  for (size_t n = strlen(chars); n && chars[n - 1] == ' ';) chars[--n] = 0;
  *text = chars;
  return 0;
}

const char *weft__command_call(const weft__command *command) {
  static const char *const call[] = {
      [WEFT__COMMAND_LAUNCH] = "clEnqueueNDRangeKernel",
      [WEFT__COMMAND_READ] = "clEnqueueReadBuffer",
      [WEFT__COMMAND_WRITE] = "clEnqueueWriteBuffer",
      [WEFT__COMMAND_READ_RECT] = "clEnqueueReadBufferRect",
      [WEFT__COMMAND_WRITE_RECT] = "clEnqueueWriteBufferRect",
      [WEFT__COMMAND_COPY] = "clEnqueueCopyBuffer",
      [WEFT__COMMAND_COPY_TO_IMAGE] = "clEnqueueCopyBufferToImage",
      [WEFT__COMMAND_COPY_FROM_IMAGE] = "clEnqueueCopyImageToBuffer",
      [WEFT__COMMAND_FILL] = "clEnqueueFillBuffer",
      [WEFT__COMMAND_MAP] = "clEnqueueMapBuffer",
      [WEFT__COMMAND_UNMAP] = "clEnqueueUnmapMemObject",
      [WEFT__COMMAND_MARKER] = "clEnqueueMarkerWithWaitList",
      [WEFT__COMMAND_BARRIER] = "clEnqueueBarrierWithWaitList",
  };
  return call[command->kind];
}
