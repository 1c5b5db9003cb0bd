// SPDX-License-Identifier: MIT
// The files of weft_tune: no crash, no access beyond the text, and winners that are read, written and read again stay
// what they were, with the searched one left out.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fuzz.h"
#include "report/tune_file.h"

const size_t fuzz_head = 1;
uint64_t fuzz_accepted;

static weft_status read_text(bool *found, weft__text *others, const char *text) {
  static const weft__tune_key key = {.hash = 0x100000002, .kernel = "k", .device = "d", .driver = "1"};
  weft_tuning tuning = {.define_set = 7};
  weft__enter("weft_tune", "fuzz");
  const weft_status rc = weft__leave(weft__tune_parse(found, &tuning, others, text, "fuzz.json", &key));
  if (!*found && tuning.define_set != 7) fuzz_fail("wrote a winner that it did not find", text);
  return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bool found, again;
  weft__text winners = {0}, kept = {0}, written = {0};
  if (size < fuzz_head) return 0;
  char *text = calloc(1, size - fuzz_head + 1); /* the exact size, for the sanitizers to guard */
  if (!text) return 0;
  memcpy(text, data + fuzz_head, size - fuzz_head);
  weft_error_clear();
  if (read_text(&found, &winners, text) != WEFT_OK) {
    if (!strstr(weft_error_last()->message, "fuzz.json")) fuzz_fail("the message does not name the file", text);
    goto done;
  }
  fuzz_accepted++;
  /* the first writing replaces bytes that are no UTF-8; later ones change nothing */
  for (int turn = 0; turn < 2; turn++) {
    weft__text_clear(&written);
    weft__text_clear(&kept);
    weft__text_add(&written, WEFT__TUNE_FILE, weft__text_chars(&winners));
    if (read_text(&again, &kept, weft__text_chars(&written)) != WEFT_OK)
      fuzz_fail("does not read what it writes", weft__text_chars(&written));
    if (again || (turn && strcmp(weft__text_chars(&winners), weft__text_chars(&kept)) != 0))
      fuzz_fail("reads others than it writes", weft__text_chars(&written));
    weft__text_clear(&winners);
    weft__text_add(&winners, "%s", weft__text_chars(&kept));
  }
done:
  weft__text_free(&winners);
  weft__text_free(&kept);
  weft__text_free(&written);
  free(text);
  return 0;
}
