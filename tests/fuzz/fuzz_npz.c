// SPDX-License-Identifier: MIT
// .npz files: no crash and no read beyond the archive, whatever the list of members says, and a bounded amount of work.
// An input that begins with "PK" is an archive. Any other input is a list of edits, three bytes each (place, place,
// new byte), of a good archive whose last bytes may be cut off.
#include <string.h>

#include "base/error.h"
#include "fuzz.h"
#include "io/npy_header.h"
#include "io/zip.h"

uint64_t fuzz_accepted;
const size_t fuzz_head = 1;

enum { MOST_BYTES = 1 << 20 };

/// A stored and a deflated member, made by Python's zipfile: x.npy of 3 bytes, and y.npy of 40 zero bytes.
static const unsigned char archive[] = {
#include "npz_seed.inc"
};

/// Reads all of the member, whose content may be much longer than the archive.
static weft_status read_member(const weft__zip *zip, const weft__zip_member *m) {
  unsigned char bytes[4096];
  weft__npy_header header;
  weft__zip_reader *reader = NULL;
  weft_status rc;
  uint64_t left = m->size_bytes < MOST_BYTES ? m->size_bytes : MOST_BYTES;
  WEFT__TRY(weft__zip_reader_create(&reader, zip, m));
  for (int is_first = 1; left > 0; is_first = 0) {
    const size_t count = left < sizeof bytes ? (size_t)left : sizeof bytes;
    WEFT__TRY(weft__zip_read(reader, bytes, count));
    if (is_first) WEFT__TRY(weft__npy_read(&header, bytes, count, m->size_bytes, "fuzz.npz"));
    left -= count;
  }
  rc = m->size_bytes <= MOST_BYTES ? weft__zip_reader_finish(reader) : WEFT_OK;
done:
  weft__zip_reader_release(&reader);
  return rc;
}

static void read_all(const unsigned char *bytes, size_t size) {
  weft__zip zip = {.file = "fuzz.npz", .bytes = bytes, .size_bytes = size};
  weft_error_clear();
  weft__enter("weft_npz_open", "fuzz");
  weft_status rc = weft__zip_list(&zip);
  for (int i = 0; i < zip.count && rc == WEFT_OK; i++) {
    rc = read_member(&zip, &zip.members[i]);
    fuzz_accepted += rc == WEFT_OK;
  }
  weft__zip_clear(&zip);
  if (weft__leave(rc) && !strstr(weft_error_last()->message, "fuzz.npz"))
    fuzz_fail("the message does not name the file", weft_error_last()->message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const bool is_archive = size >= 2 && memcmp(data, "PK", 2) == 0;
  const size_t length = is_archive ? size : sizeof archive;
  unsigned char *bytes = malloc(length + 1);
  if (!bytes) return 0;
  memcpy(bytes, is_archive ? data : archive, length);
  for (size_t i = 1; !is_archive && i + 2 < size; i += 3)
    bytes[((size_t)data[i] << 8 | data[i + 1]) % length] = data[i + 2];
  const size_t cut = !is_archive && size > 0 && data[0] % 4 == 0 ? data[0] : 0;
  unsigned char *exact = malloc(length - cut + 1); /* for the sanitizers to guard */
  if (exact) {
    memcpy(exact + 1, bytes, length - cut);
    read_all(exact + 1, length - cut);
  }
  free(exact);
  free(bytes);
  return 0;
}
