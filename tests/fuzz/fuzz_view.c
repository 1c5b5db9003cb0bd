// SPDX-License-Identifier: MIT
// Indices as text: no crash, an error that points into the text, and a view that lies inside the array.
#include <stdlib.h>
#include <string.h>

#include "array/view_text.h"
#include "base/error.h"
#include "fuzz.h"

const size_t fuzz_head = 1;
uint64_t fuzz_accepted;

/* the first and last byte that the view reaches must belong to the array */
static void check(const weft__view_form *view, int64_t bytes, const char *text) {
  int64_t low = view->offset_bytes, high = view->offset_bytes;
  if (view->ndim < 0 || view->ndim > WEFT_MAX_NDIM) fuzz_fail("axes", text);
  for (int d = 0; d < view->ndim; d++) {
    if (view->length[d] < 0) fuzz_fail("a negative length", text);
    if (view->length[d] == 0) return;
    int64_t reach = view->length[d] > 1 ? (view->length[d] - 1) * view->stride_bytes[d] : 0;
    if (reach < 0) low += reach;
    if (reach > 0) high += reach;
  }
  if (low < 0 || high > bytes - 4) fuzz_fail("outside the array", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < fuzz_head) return 0;
  char *text = calloc(1, size - fuzz_head + 1);
  if (!text) return 0;
  memcpy(text, data + fuzz_head, size - fuzz_head);
  weft__view_form form = {.ndim = data[0] % 9};
  int64_t bytes = 4;
  for (int d = form.ndim - 1; d >= 0; d--) {
    form.length[d] = 1 + (d + data[0]) % 4;
    form.stride_bytes[d] = bytes;
    bytes *= form.length[d];
  }
  weft_error_clear();
  weft__enter("weft_view", "fuzz");
  weft_status rc = weft__leave(weft__view_text(&form, 4, text));
  if (rc == WEFT_OK) {
    fuzz_accepted++;
    check(&form, bytes, text);
  } else if (rc != WEFT_ERROR_EXPRESSION && rc != WEFT_ERROR_INDEX && rc != WEFT_ERROR_SHAPE) {
    fuzz_fail("another error", text);
  } else if (strncmp(weft_error_last()->message, "weft_view: index:", 17) != 0) {
    fuzz_fail("the message does not point", weft_error_last()->message);
  }
  free(text);
  return 0;
}
