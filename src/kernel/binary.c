// SPDX-License-Identifier: MIT
/// The file: a line "weft-binary 1 HASH HEAD CODE" with the hash of all behind it and the lengths of its two parts. The
/// head has lines: device, driver, platform; then for each kernel "kernel COUNT NAME" and its parameters.
#include "kernel/binary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "dtype/dtype.h"

#define MAGIC "weft-binary 1 "
#define FIRST_LINE 96 /* its longest */
#define SPIRV_MAGIC 0x07230203u
#define SPIRV_HEADER 5 /* words */
#define SPIRV_ENTRY 15 /* the instruction that names a kernel, in its words from the fourth on */

bool weft__is_binary(const void *bytes, size_t size) {
  return size >= strlen(MAGIC) && memcmp(bytes, MAGIC, strlen(MAGIC)) == 0;
}

bool weft__is_il(const void *bytes, size_t size) {
  uint32_t magic = 0;
  if (size >= sizeof magic) memcpy(&magic, bytes, sizeof magic);
  return magic == SPIRV_MAGIC;
}

void weft__binary_identity(weft__text *head, const weft__core *core) {
  const weft_device_info *info = &core->device->info;
  weft__text_add(head, "device %s\ndriver %s\nplatform %s\n", info->name, info->driver_version, info->platform);
}

static weft_status check_identity(const char *head, const weft__core *core, const char *argument) {
  weft__text here = {0};
  weft__binary_identity(&here, core);
  const char *kernels = strstr(head, "\nkernel ");
  const size_t length = kernels ? (size_t)(kernels + 1 - head) : strlen(head);
  weft_status rc = here.failed ? weft__fail_host_memory(length) : WEFT_OK;
  if (!rc && (length != here.length || memcmp(head, weft__text_chars(&here), length) != 0)) {
    rc = weft__fail(WEFT_ERROR_UNSUPPORTED, argument,
                    "`%s` was made for another device or driver than this context's; the detail has both", argument);
    weft__text_add(weft__detail(), "made for:\n%.*shere:\n%s", (int)length, head, weft__text_chars(&here));
  }
  weft__text_free(&here);
  return rc;
}

static weft_status fail_changed(const char *argument, const char *why) {
  return weft__fail(WEFT_ERROR_ARGUMENT, argument,
                    "`%s` is no whole binary of weft_kernel_binary: %s; it is not given to the driver", argument, why);
}

weft_status weft__binary_read(weft__code *code, const weft__core *core, const void *bytes, size_t size,
                              const char *argument) {
  char line[FIRST_LINE + 1] = "", expected[FIRST_LINE + 1];
  uint64_t hash;
  size_t head_bytes, code_bytes, longest = size < FIRST_LINE ? size : FIRST_LINE;
  if (!weft__is_binary(bytes, size)) return fail_changed(argument, "its first bytes are others");
  memcpy(line, bytes, longest);
  char *end = strchr(line, '\n');
  if (!end || sscanf(line + strlen(MAGIC), "%16" SCNx64 " %zu %zu", &hash, &head_bytes, &code_bytes) != 3)
    return fail_changed(argument, "its first line is not complete");
  const size_t first = (size_t)(end + 1 - line);
  snprintf(expected, sizeof expected, WEFT__BINARY_LINE, hash, head_bytes, code_bytes);
  if (strncmp(line, expected, first) != 0) return fail_changed(argument, "its first line was changed");
  if (head_bytes > size - first || code_bytes != size - first - head_bytes)
    return fail_changed(argument, "its length is not the one that its first line has");
  const char *head = (const char *)bytes + first;
  if (hash != weft__hash(head + head_bytes, code_bytes, weft__hash(head, head_bytes, 1)) || !head_bytes || !code_bytes)
    return fail_changed(argument, "bytes of it were changed");
  char *copy = weft__new(head_bytes + 1);
  if (!copy) return WEFT_ERROR_HOST_MEMORY;
  memcpy(copy, head, head_bytes);
  const weft_status rc = check_identity(copy, core, argument);
  if (rc)
    free(copy);
  else
    *code = (weft__code){.bytes = head + head_bytes, .size_bytes = code_bytes, .head = copy};
  return rc;
}

weft_status weft__il_read(weft__code *code, const weft__core *core, const void *bytes, size_t size,
                          const char *argument) {
  const size_t words = size / 4;
  uint32_t word;
  size_t at = SPIRV_HEADER;
  if (!weft__is_il(bytes, size) || size % 4 || words <= SPIRV_HEADER)
    return weft__fail(WEFT_ERROR_ARGUMENT, argument,
                      "`%s` is no SPIR-V: expected words of 4 bytes, the first of them 0x07230203", argument);
  for (uint32_t length; at < words; at += length) {
    memcpy(&word, (const char *)bytes + 4 * at, sizeof word);
    length = word >> 16;
    if (length == 0 || length > words - at)
      return weft__fail(WEFT_ERROR_ARGUMENT, argument,
                        "`%s` is no whole SPIR-V: the instruction at word %zu has %u words of %zu", argument, at,
                        length, words - at);
  }
  if (!core->device->takes_il)
    return weft__fail(WEFT_ERROR_UNSUPPORTED, argument, "`%s` is SPIR-V, which %s does not take", argument,
                      core->device->info.name);
  *code = (weft__code){.bytes = bytes, .size_bytes = size, .is_il = true};
  return WEFT_OK;
}

bool weft__il_next(weft__il_entry *entry, const weft__code *code) {
  const char *bytes = code->bytes;
  uint32_t word;
  for (size_t at = entry->next ? entry->next : SPIRV_HEADER, length; at < code->size_bytes / 4; at += length) {
    memcpy(&word, bytes + 4 * at, sizeof word);
    length = word >> 16;
    if ((word & 0xffff) != SPIRV_ENTRY || length < 4) continue;
    entry->next = at + length;
    entry->name = bytes + 4 * (at + 3);
    entry->length = strnlen(entry->name, 4 * (length - 3));
    return true;
  }
  return false;
}

/* ---- parameters ---- */

static weft_status copy_text(char **to, const char *from, size_t length) {
  if (!(*to = weft__new(length + 1))) return WEFT_ERROR_HOST_MEMORY;
  memcpy(*to, from, length);
  return WEFT_OK;
}

/// The line behind the one at `line`.
static const char *next_line(const char *line) {
  line += strcspn(line, "\n");
  return *line ? line + 1 : line;
}

weft_status weft__binary_parameter(weft__parameter *p, const char *head, const char *kernel, int index) {
  const char *line = head;
  const size_t length = strlen(kernel);
  int kind, dtype, is_const, reads, writes, at = 0, count = 0;
  bool found = false;
  for (; *line && !found; line = next_line(line))
    found = sscanf(line, "kernel %d %n", &count, &at) == 1 && strcspn(line + at, "\n") == length &&
            memcmp(line + at, kernel, length) == 0;
  for (int k = 0; k < index; k++) line = next_line(line);
  *p = (weft__parameter){0};
  if (!found || index >= count ||
      sscanf(line, "%d %d %u %d %zu %d %d %n", &kind, &dtype, &p->lanes, &is_const, &p->size_bytes, &reads, &writes,
             &at) != 7)
    return fail_changed("binary", "it lacks a parameter");
  if (kind < 0 || kind > WEFT__PARAMETER_UNKNOWN || (dtype != WEFT_DTYPE_NONE && !weft__dtype((weft_dtype)dtype)))
    return fail_changed("binary", "a parameter in it is of no kind or dtype");
  p->kind = (weft__parameter_kind)kind;
  p->dtype = (weft_dtype)dtype;
  p->is_const = is_const, p->reads = reads, p->writes = writes;
  line += at;
  const size_t name = strcspn(line, "\t\n");
  if (line[name] != '\t') return fail_changed("binary", "a parameter in it has no type");
  WEFT__TRY_RETURN(copy_text(&p->name, line, name));
  return copy_text(&p->type, line + name + 1, strcspn(line + name + 1, "\n"));
}
