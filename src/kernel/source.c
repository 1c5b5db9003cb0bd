// SPDX-License-Identifier: MIT
#include "kernel/source.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "kernel/cuda_words.h"
#include "kernel/embedded.h"
#include "kernel/lines.h"
#include "kernel/splice.h"

const char *weft__embedded_find(const char *name) {
  for (const weft__embedded *e = weft__embedded_sources; e->name; e++)
    if (strcmp(e->name, name) == 0) return e->text;
  return NULL;
}

weft_status weft__read_file(weft__text *out, const char *path) {
  const int why = weft__file_text(out, path);
  if (why == ENOMEM) return weft__fail_host_memory(out->length);
  return why ? weft__fail(WEFT_ERROR_FILE, "file", "cannot read `%s`: %s", path, weft__file_error(why)) : WEFT_OK;
}

static bool is_identifier(const char *text, size_t length) {
  if (length == 0 || isdigit((unsigned char)text[0])) return false;
  for (size_t i = 0; i < length; i++)
    if (!isalnum((unsigned char)text[i]) && text[i] != '_') return false;
  return true;
}

/// The length of a macro's name, with its parameters if it has some: "F(x, y)". 0: it is none.
static size_t macro_length(const char *text, size_t length) {
  const size_t name = strcspn(text, "(");
  if (name >= length) return is_identifier(text, length) ? length : 0;
  if (!is_identifier(text, name) || text[length - 1] != ')') return 0;
  for (const char *at = text + name + 1, *end = text + length - 1, *comma; at <= end; at = comma + 1) {
    comma = memchr(at, ',', (size_t)(end - at));
    if (!comma) comma = end;
    at = weft__skip_blanks(at);
    const char *behind = strncmp(at, "...", 3) == 0 && comma == end ? at + 3 : weft__word_end(at);
    const bool is_empty = behind == at && comma == end && at[-1] == '(';
    if (weft__skip_blanks(behind) != comma) return 0;
    if (!is_empty && *at != '.' && !is_identifier(at, (size_t)(behind - at))) return 0;
  }
  return length;
}

/// Writes definitions as #define lines rather than -D options, because some drivers split an option's value at a blank.
static weft_status add_defines(weft__text *out, const char *const *defines) {
  for (size_t i = 0; defines && defines[i]; i++) {
    const char *value = strchr(defines[i], '=');
    size_t length = value ? (size_t)(value - defines[i]) : strlen(defines[i]);
    if (!macro_length(defines[i], length) || strpbrk(defines[i], "\n\r\\"))
      return weft__fail(WEFT_ERROR_ARGUMENT, "defines",
                        "defines[%zu] is `%s`; expected NAME, NAME=VALUE or NAME(PARAMETERS)=VALUE on one line", i,
                        defines[i]);
    weft__text_add(out, "#define %.*s %s\n", (int)length, defines[i], value ? value + 1 : "1");
  }
  return WEFT_OK;
}

weft_status weft__source_expand(weft__text *out, const weft__source *source) {
  const size_t begin = out->length; /* the options may precede the text */
  if (source->is_expanded) {
    weft__text_add(out, "%s", source->text);
    return out->failed ? weft__fail_host_memory(out->length) : WEFT_OK;
  }
  if (source->checks) weft__text_add(out, "#ifndef WEFT_CHECKS\n#define WEFT_CHECKS 1\n#endif\n");
  WEFT__TRY_RETURN(add_defines(out, source->defines));
  WEFT__TRY_RETURN(weft__splice(out, begin, source));
  if (out->failed) return weft__fail_host_memory(out->length);
  if (out->chars) weft__cuda_words_shorten(out->chars + begin);
  return WEFT_OK;
}

/// The line after `at`; *line becomes its number, and a #line directive before it sets `name`.
static const char *next_line(const char *at, weft__text *name, unsigned *line) {
  unsigned number;
  int quote = 0;
  ++*line;
  if (sscanf(at, "#line %u \"%n", &number, &quote) == 1 && quote > 0) {
    *line = number;
    weft__text_clear(name);
    weft__text_add_bytes(name, at + quote, strcspn(at + quote, "\"\n"));
  }
  at += strcspn(at, "\n");
  return at + (*at == '\n');
}

const char *weft__source_origin(const char *text, unsigned wanted, weft__text *name, unsigned *line) {
  *line = 1;
  for (unsigned physical = 1; *text && physical < wanted; physical++) text = next_line(text, name, line);
  return text;
}

/// FNV-1a, as in cl/weft/assert.clh.
static uint32_t hash_of(const char *name) {
  uint32_t hash = UINT32_C(2166136261);
  for (; *name; name++) hash = (hash ^ (unsigned char)*name) * UINT32_C(16777619);
  return hash;
}

const char *weft__source_find(const char *text, uint32_t file_hash, unsigned wanted, weft__text *name) {
  unsigned line = 1;
  while (*text && !(line == wanted && hash_of(weft__text_chars(name)) == file_hash))
    text = next_line(text, name, &line);
  return text;
}
