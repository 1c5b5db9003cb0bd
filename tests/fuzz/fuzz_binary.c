// SPDX-License-Identifier: MIT
// The files of weft_kernel_binary, and SPIR-V: no crash and no access beyond the bytes. The first byte chooses: the
// bytes as they are, as a program's head behind a right first line, or as words of SPIR-V.
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "fuzz.h"
#include "kernel/binary.h"

const size_t fuzz_head = 1;
uint64_t fuzz_accepted;

enum { PARAMETERS = 4 };

/// Reads the parameters of the kernel `k` from a head that was accepted.
static void read_parameters(const char *head) {
  for (int index = 0; index < PARAMETERS; index++) {
    weft__parameter p;
    const weft_status rc = weft__binary_parameter(&p, head, "k", index);
    if (rc == WEFT_OK && (!p.name || !p.type)) fuzz_fail("a parameter without name or type", head);
    if (rc == WEFT_OK && strlen(p.name) + strlen(p.type) > strlen(head)) fuzz_fail("longer than the head", head);
    weft__parameter_clear(&p);
  }
}

void weft__parameter_clear(weft__parameter *p) {
  free(p->type);
  free(p->name);
  *p = (weft__parameter){0};
}

static void read_file(const weft__core *core, const void *bytes, size_t size) {
  weft__code code = {0};
  const weft_status rc = weft__binary_read(&code, core, bytes, size, "binary");
  if (rc != WEFT_OK) return;
  fuzz_accepted++;
  if ((const char *)code.bytes < (const char *)bytes ||
      (const char *)code.bytes + code.size_bytes != (const char *)bytes + size)
    fuzz_fail("the code is not the end of the file", code.head);
  read_parameters(code.head);
  free(code.head);
}

/// Puts device and driver in front of the bytes, a byte of code behind them, and the line that fits in front of all.
static void read_as_head(const weft__core *core, const char *bytes, size_t size) {
  weft__text head = {0}, file = {0};
  weft__binary_identity(&head, core);
  weft__text_add_bytes(&head, bytes, size);
  const uint64_t hash = weft__hash("c", 1, weft__hash(weft__text_chars(&head), head.length, 1));
  weft__text_add(&file, WEFT__BINARY_LINE, hash, head.length, (size_t)1);
  weft__text_add_bytes(&file, weft__text_chars(&head), head.length);
  weft__text_add_bytes(&file, "c", 1);
  char *exact = malloc(file.length); /* for the sanitizers to guard */
  if (exact && !file.failed) {
    memcpy(exact, file.chars, file.length);
    read_file(core, exact, file.length);
  }
  free(exact);
  weft__text_free(&head);
  weft__text_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static weft__device device = {.info = {.name = "d", .driver_version = "1", .platform = "p"}, .takes_il = true};
  static weft__core core = {.device = &device};
  if (size < fuzz_head) return 0;
  const size_t length = size - fuzz_head;
  char *bytes = malloc(length + !length); /* the exact size, for the sanitizers to guard */
  if (!bytes) return 0;
  memcpy(bytes, data + fuzz_head, length);
  weft_error_clear();
  weft__enter("weft_kernel_create", "fuzz");
  weft__code code = {0};
  if (data[0] % 4 == 0)
    read_file(&core, bytes, length);
  else if (data[0] % 4 == 1)
    fuzz_accepted += weft__il_read(&code, &core, bytes, length, "il") == WEFT_OK;
  else
    read_as_head(&core, bytes, length);
  weft__leave(WEFT_OK);
  free(bytes);
  return 0;
}
