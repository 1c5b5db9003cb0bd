// SPDX-License-Identifier: MIT
// Memory shared with CUDA (weft/cuda.h). Drivers have died of it, so it is tried in a child, which describes the result
// in lines.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/secure.h"
#include "cli/base/child.h"
#include "cli/doctor/doctor.h"

/* More than OpenCL imports with the quirk small_imports. */
enum { LARGE_BYTES = 600 << 20 };

/// What a child is to try.
typedef struct trial {
  const cli_args *args;
  bool is_large; /* memory that the quirk excludes */
} trial;

/// Makes an array that CUDA sees and lets both sides wait for each other. *limited: an array of LARGE_BYTES is not
/// shared.
static weft_status try_sharing(bool *limited, const trial *t) {
  weft_context *context = NULL;
  weft_array *x = NULL, *large = NULL;
  struct CUstream_st *stream = NULL;
  void *address = NULL;
  weft_status rc;
  WEFT__TRY(weft_context_create(&context, .device = cli_value(t->args, "--device"), .cuda = true));
  WEFT__TRY(weft_zeros(&x, context, WEFT_F32, WEFT_SHAPE(1000)));
  WEFT__TRY(weft_cuda_pointer(&address, x));
  WEFT__TRY(weft_context_cuda_stream(&stream, context));
  WEFT__TRY(weft_cuda_stream_after(stream, context));
  WEFT__TRY(weft_context_after_cuda(context, stream));
  WEFT__TRY(weft_context_wait(context));
  if (t->is_large) {
    WEFT__TRY(weft_zeros(&large, context, WEFT_U8, WEFT_SHAPE(LARGE_BYTES)));
    WEFT__TRY(weft_context_wait(context));
  } else if (weft_empty(&large, context, WEFT_U8, WEFT_SHAPE(LARGE_BYTES)) == WEFT_OK) {
    *limited = weft_cuda_pointer(&address, large) == WEFT_ERROR_UNSUPPORTED;
  }
done:
  weft_array_release(&x);
  weft_array_release(&large);
  weft_context_release(&context);
  return rc;
}

static int describe(int descriptor, const void *of) {
  const trial *t = of;
  bool limited = false;
  FILE *out = fdopen(descriptor, "w");
  if (!out) return CLI_FAILED;
  if (t->is_large) {
    weft__text quirks = {0};
    const char *set = weft__getenv("WEFT_QUIRKS");
    weft__text_add(&quirks, "large_imports%s%s", set ? "," : "", set ? set : "");
    setenv("WEFT_QUIRKS", weft__text_chars(&quirks), 1);
    weft__text_free(&quirks);
  }
  const weft_status rc = try_sharing(&limited, t);
  fprintf(out, "status=%s\nlimited=%d\nmessage=%s\n", weft_status_name(rc), limited,
          rc ? weft_error_last()->message : "");
  return fclose(out) == 0 ? CLI_OK : CLI_FAILED;
}

static bool has_nvidia(const doctor *d) {
  for (int i = 0; i < d->listing.count; i++)
    if (strstr(d->listing.devices[i].vendor, "NVIDIA")) return true;
  return false;
}

/// Tries large memory in a second child, in case the driver no longer dies of it; the library remembers if it works.
static void add_large(doctor *d) {
  weft__text lines = {0}, how = {0};
  child_end end = {0};
  char status[64] = "", message[500] = "";
  const trial t = {d->args, true};
  if (child_run(&lines, &end, &(child){describe, &t, .seconds = CHILD_SECONDS, .messages = -1}) && end.answered) {
    doctor_value(status, sizeof status, &lines, "status");
    doctor_value(message, sizeof message, &lines, "message");
  }
  if (!end.answered) child_describe_end(&how, &end);
  if (strcmp(status, "WEFT_OK") == 0)
    doctor_add(d, "  large", DOCTOR_OK, "arrays of any size are CUDA arrays; Weft remembers it for this machine");
  else
    doctor_add(d, "  large", DOCTOR_OK, "arrays above 510 MiB are no CUDA arrays: one of 600 MiB failed: %s",
               end.answered ? message : weft__text_chars(&how));
  weft__text_free(&lines);
  weft__text_free(&how);
}

void doctor_check_cuda(doctor *d) {
  weft__text lines = {0}, how = {0};
  child_end end = {0};
  char status[64] = "", message[500] = "", limited[4] = "";
  const trial t = {d->args, false};
  if (d->working == 0) return;
  if (!child_run(&lines, &end, &(child){describe, &t, .seconds = CHILD_SECONDS, .messages = -1})) {
    doctor_add(d, "cuda", DOCTOR_WARNING, "no child process can be made: %s", strerror(errno));
  } else if (!end.answered) {
    child_describe_end(&how, &end);
    doctor_add(d, "cuda", DOCTOR_WARNING, "sharing memory with CUDA fails: %s", weft__text_chars(&how));
    doctor_cause(d, "a driver's error; contexts without .cuda are not affected");
  } else {
    doctor_value(status, sizeof status, &lines, "status");
    doctor_value(message, sizeof message, &lines, "message");
    doctor_value(limited, sizeof limited, &lines, "limited");
    if (strcmp(status, "WEFT_OK") == 0)
      doctor_add(d, "cuda", DOCTOR_OK, "arrays of contexts with .cuda are CUDA arrays too (weft/cuda.h)");
    else
      doctor_add(d, "cuda", has_nvidia(d) ? DOCTOR_WARNING : DOCTOR_NONE, "no memory is shared with CUDA: %s", message);
    if (strcmp(limited, "1") == 0) add_large(d);
  }
  weft__text_free(&lines);
  weft__text_free(&how);
}
