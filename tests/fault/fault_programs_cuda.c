// SPDX-License-Identifier: MIT
// The program about memory shared with CUDA. On a CPU it needs the stand-in of tests/cuda, which the tests preload.
#include <stdlib.h>
#include <unistd.h>
#include <weft/weft.h>

#include "dlpack_peer.h"
#include "fault_programs.h"

enum { N = 100 };

int program_cuda_memory(int argc, char **argv) {
  int status = 0;
  int32_t host[N];
  void *address = NULL;
  char *text = NULL;
  struct CUstream_st *stream = NULL;
  DLManagedTensorVersioned *tensor = NULL;
  weft_context *context = NULL, *plain = NULL;
  weft_array *x = NULL, *y = NULL, *copied = NULL, *outside = NULL, *shared = NULL, *peer = NULL;
  weft_array *imported = NULL;
  weft_cuda_handle handle = {.file = -1};
  (void)argc, (void)argv;
  if (!getenv("WEFT_CUDA_LIBRARY")) return 0;

  MAKE(&context, weft_context_create(&context, .cuda = true));
  MAKE(&plain, weft_context_create(&plain));
  fault_mark();
  MAKE(&x, weft_full(&x, context, WEFT_I32, WEFT_SHAPE(N), 3));
  TRY(weft_cuda_pointer(&address, x));
  KEPT(address != NULL);
  TRY(weft_context_cuda_stream(&stream, context));
  TRY(weft_cuda_stream_after(stream, context));
  TRY(weft_context_after_cuda(context, stream));
  MAKE(&tensor, weft_to_dlpack(&tensor, x));
  MAKE(&y, weft_from_dlpack(&y, context, tensor));
  tensor = NULL;
  MAKE(&text, weft_array_interface(&text, y));
  MAKE(&copied, weft_from_cuda(&copied, context, WEFT_I32, WEFT_SHAPE(N), address, .copy = true));
  TRY(weft_to_host(host, sizeof host, copied));
  KEPT(host[0] == 3 && host[N - 1] == 3);
  MAKE(&outside, weft_full(&outside, plain, WEFT_I32, WEFT_SHAPE(N), 4));
  FAILS(WEFT_ERROR_UNSUPPORTED, weft_cuda_pointer(&address, outside));
  MAKE(&peer, weft_peer_array(&peer, plain, x));
  TRY(weft_add(&outside, outside, peer));
  TRY(weft_subtract(&outside, outside, peer));
  TRY(weft_cuda_export(&handle, x));
  MAKE(&imported, weft_cuda_import(&imported, plain, WEFT_I32, WEFT_SHAPE(N), &handle));
  TRY(weft_add(&outside, outside, imported));
  TRY(weft_subtract(&outside, outside, imported));
  MAKE(&shared, weft_cuda_share(&shared, outside));
  TRY(weft_cuda_pointer(&address, x));
  TRY(weft_to_cuda(address, outside));
  TRY(weft_context_after_cuda(context, NULL));
  TRY(weft_to_host(host, sizeof host, x));
  KEPT(host[0] == 4 && host[N - 1] == 4);

done:
  fault_leave();
  weft_free(text);
  if (handle.file >= 0) close(handle.file);
  weft_array_release(&imported);
  weft_array_release(&peer);
  weft_array_release(&shared);
  weft_array_release(&outside);
  weft_array_release(&copied);
  weft_array_release(&y);
  weft_array_release(&x);
  if (tensor) tensor->deleter(tensor);
  weft_context_release(&plain);
  weft_context_release(&context);
  return status;
}
