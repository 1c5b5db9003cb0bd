// SPDX-License-Identifier: MIT
// For npz_numpy.py: npz_driver IN STORED DEFLATED reads all members of IN that it can, prints a line for each member,
// and writes them to STORED and DEFLATED. Exit status 77 without zlib.
#include <stdio.h>
#include <stdlib.h>
#include <weft/weft.h>

static weft_status copy_members(weft_context *context, const weft_npz *in, weft_npz *stored, weft_npz *deflated) {
  weft_array *x = NULL;
  weft_npz_member m;
  weft_status rc = WEFT_OK;
  for (int i = 0; i < weft_npz_count(in); i++) {
    WEFT_TRY(weft_npz_get(&m, in, i), done);
    const bool is_read = weft_npz_read(&x, context, in, m.name) == WEFT_OK;
    printf("%s %s %s\n", m.name, m.dtype ? weft_dtype_name(m.dtype) : "-", is_read ? "" : weft_error_last()->message);
    if (!is_read) continue;
    WEFT_TRY(weft_npz_write(stored, m.name, x), done);
    WEFT_TRY(weft_npz_write(deflated, m.name, x), done);
    weft_array_release(&x);
  }
  WEFT_TRY(weft_npz_finish(stored), done);
  WEFT_TRY(weft_npz_finish(deflated), done);
done:
  weft_array_release(&x);
  return rc;
}

int main(int argc, char **argv) {
  weft_context *context = NULL;
  weft_npz *in = NULL, *stored = NULL, *deflated = NULL;
  const weft_context_params params = {.device = getenv("WEFT_TEST_DEVICE")};
  weft_status rc = WEFT_OK;
  if (argc != 4) return 2;
  if ((weft_context_create)(&context, &params)) {
    fprintf(stderr, "%s\n", weft_error_last()->message);
    return weft_error_last()->status == WEFT_ERROR_NO_DEVICE ? 77 : 1;
  }
  WEFT_TRY(weft_npz_open(&in, argv[1]), done);
  WEFT_TRY(weft_npz_create(&stored, argv[2]), done);
  rc = weft_npz_create(&deflated, argv[3], .compressed = true);
  if (rc) goto done;
  rc = copy_members(context, in, stored, deflated);
done:
  if (rc) fprintf(stderr, "%s\n", weft_error_last()->message);
  weft_release(&in, &stored, &deflated, &context);
  return rc == WEFT_ERROR_UNSUPPORTED ? 77 : rc != WEFT_OK;
}
