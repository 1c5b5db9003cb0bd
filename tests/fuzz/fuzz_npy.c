// SPDX-License-Identifier: MIT
// The headers of .npy files: no crash, no read beyond the given bytes, and a header that is written and read again is
// unchanged. Two bytes in front of the dictionary choose the format's version and whether its length is right.
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "io/npy_header.h"

const size_t fuzz_head = 2;
uint64_t fuzz_accepted;

static bool same(const weft__npy_header *a, const weft__npy_header *b) {
  if (a->dtype != b->dtype || a->shape.ndim != b->shape.ndim || a->size_bytes != b->size_bytes) return false;
  for (int d = 0; d < a->shape.ndim; d++)
    if (a->shape.dim[d] != b->shape.dim[d]) return false;
  return true;
}

static weft_status read_header(weft__npy_header *h, const void *bytes, size_t size) {
  weft__enter("weft_npy_open", "fuzz");
  return weft__leave(weft__npy_read(h, bytes, size, UINT64_MAX, "fuzz.npy"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < fuzz_head) return 0;
  size_t length = size - fuzz_head, version = 1 + data[0] % 3, front = version > 1 ? 12 : 10;
  char *bytes = malloc(front + length); /* the exact size, for the sanitizers to guard */
  if (!bytes) return 0;
  size_t said = data[1] % 8 ? length : length + data[1];
  memcpy(bytes, "\x93NUMPY", 6);
  bytes[6] = (char)version;
  bytes[7] = 0;
  for (size_t k = 8; k < front; k++) bytes[k] = (char)(said >> 8 * (k - 8) & 0xff);
  memcpy(bytes + front, data + fuzz_head, length);
  weft__npy_header h, again;
  weft_error_clear();
  weft_status rc = read_header(&h, bytes, front + length);
  if (rc == WEFT_OK) {
    char written[WEFT__NPY_LONGEST];
    fuzz_accepted++;
    size_t n = weft__npy_write(written, h.dtype, h.shape);
    if (n > sizeof written || n % WEFT__NPY_ALIGNMENT) fuzz_fail("the length of what was written", written);
    if (read_header(&again, written, n) || !same(&h, &again) || again.offset_bytes != n)
      fuzz_fail("does not read what it writes", written);
  } else if (strncmp(weft_error_last()->message, "weft_npy_open: ", 15) != 0 ||
             !strstr(weft_error_last()->message, "fuzz.npy")) {
    fuzz_fail("the message does not name the file", weft_error_last()->message);
  }
  free(bytes);
  return 0;
}
