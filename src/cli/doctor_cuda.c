// SPDX-License-Identifier: MIT
// Memory shared with CUDA (weft/cuda.h). Drivers have died of it, so it is tried in a child, which describes the result
// in lines.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/child.h"
#include "cli/doctor.h"

/// Makes an array that CUDA sees and lets both sides wait for each other.
static weft_status try_sharing(const cli_args *args) {
  weft_context *context = NULL;
  weft_array *x = NULL;
  struct CUstream_st *stream = NULL;
  void *address = NULL;
  weft_status rc;
  WEFT__TRY(weft_context_create(&context, .device = cli_value(args, "--device"), .cuda = true));
  WEFT__TRY(weft_zeros(&x, context, WEFT_F32, WEFT_SHAPE(1000)));
  WEFT__TRY(weft_cuda_pointer(&address, x));
  WEFT__TRY(weft_context_cuda_stream(&stream, context));
  WEFT__TRY(weft_cuda_stream_after(stream, context));
  WEFT__TRY(weft_context_after_cuda(context, stream));
  WEFT__TRY(weft_context_wait(context));
done:
  weft_array_release(&x);
  weft_context_release(&context);
  return rc;
}

static int describe(int descriptor, const void *of) {
  FILE *out = fdopen(descriptor, "w");
  if (!out) return CLI_FAILED;
  const weft_status rc = try_sharing(of);
  fprintf(out, "status=%s\nmessage=%s\n", weft_status_name(rc), rc ? weft_error_last()->message : "");
  return fclose(out) == 0 ? CLI_OK : CLI_FAILED;
}

static bool has_nvidia(const doctor *d) {
  for (int i = 0; i < d->listing.count; i++)
    if (strstr(d->listing.devices[i].vendor, "NVIDIA")) return true;
  return false;
}

void doctor_check_cuda(doctor *d) {
  weft__text lines = {0}, how = {0};
  child_end end = {0};
  char status[64] = "", message[500] = "";
  if (d->working == 0) return;
  if (!child_run(&lines, &end, &(child){describe, d->args, .seconds = CHILD_SECONDS, .messages = -1})) {
    doctor_add(d, "cuda", DOCTOR_WARNING, "no child process can be made: %s", strerror(errno));
  } else if (!end.answered) {
    child_describe_end(&how, &end);
    doctor_add(d, "cuda", DOCTOR_WARNING, "sharing memory with CUDA fails: %s", weft__text_chars(&how));
    doctor_cause(d, "a driver's error; contexts without .cuda are not affected");
  } else {
    doctor_value(status, sizeof status, &lines, "status");
    doctor_value(message, sizeof message, &lines, "message");
    if (strcmp(status, "WEFT_OK") == 0)
      doctor_add(d, "cuda", DOCTOR_OK, "arrays of contexts with .cuda are CUDA arrays too (weft/cuda.h)");
    else
      doctor_add(d, "cuda", has_nvidia(d) ? DOCTOR_WARNING : DOCTOR_NONE, "no memory is shared with CUDA: %s", message);
  }
  weft__text_free(&lines);
  weft__text_free(&how);
}
