// SPDX-License-Identifier: MIT
#include "kernel/names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "kernel/binary.h"

enum { LONGEST = 252 };

static weft_status check(const weft__core *core, const char *where, const char *name, size_t length) {
  if (length <= LONGEST) return WEFT_OK;
  return weft__fail(WEFT_ERROR_UNSUPPORTED, "name",
                    "the name `%.40s...` in %s has %zu bytes; expected at most %d for %s", name, where, length, LONGEST,
                    core->device->info.name);
}

/// The end of a comment or a text in quotes that begins here; `at` itself if none does.
static const char *behind_words(const char *at) {
  const char *end = at;
  if (strncmp(at, "//", 2) == 0) return at + strcspn(at, "\n");
  if (strncmp(at, "/*", 2) == 0) return (end = strstr(at + 2, "*/")) ? end + 2 : at + strlen(at);
  if (*at != '"') return at;
  for (end = at + 1; *end && *end != '"' && *end != '\n'; end++) end += *end == '\\' && end[1];
  return *end ? end + 1 : end;
}

weft_status weft__names_check_text(const weft__core *core, const char *text) {
  if (!core->device->quirks.short_names) return WEFT_OK;
  for (const char *at = text; *at;) {
    const char *next = behind_words(at);
    size_t length = 0;
    while (next == at && (isalnum((unsigned char)at[length]) || at[length] == '_')) length++;
    WEFT__TRY_RETURN(check(core, "the source", at, length));
    at = next > at ? next : at + (length ? length : 1);
  }
  return WEFT_OK;
}

weft_status weft__names_check_code(const weft__core *core, const char *name, const weft__code *code) {
  weft__il_entry entry = {0};
  const char *line = code->head ? code->head : "";
  if (!core->device->quirks.short_names) return WEFT_OK;
  for (int parameters, at = 0; *line; line += strcspn(line, "\n"), line += *line == '\n')
    if (sscanf(line, "kernel %d %n", &parameters, &at) == 1)
      WEFT__TRY_RETURN(check(core, name, line + at, strcspn(line + at, "\n")));
  while (code->is_il && weft__il_next(&entry, code)) WEFT__TRY_RETURN(check(core, name, entry.name, entry.length));
  return WEFT_OK;
}
