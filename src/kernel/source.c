// SPDX-License-Identifier: MIT
#include "kernel/source.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "kernel/cuda_words.h"
#include "kernel/embedded.h"

#define DEEPEST_INCLUDE 32

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

/// Writes definitions as #define lines rather than -D options, because some drivers split an option's value at a blank.
static weft_status add_defines(weft__text *out, const char *const *defines) {
  for (size_t i = 0; defines && defines[i]; i++) {
    const char *value = strchr(defines[i], '=');
    size_t length = value ? (size_t)(value - defines[i]) : strlen(defines[i]);
    if (!is_identifier(defines[i], length) || strpbrk(defines[i], "\n\r\\"))
      return weft__fail(WEFT_ERROR_ARGUMENT, "defines", "defines[%zu] is `%s`; expected NAME or NAME=VALUE on one line",
                        i, defines[i]);
    weft__text_add(out, "#define %.*s %s\n", (int)length, defines[i], value ? value + 1 : "1");
  }
  return WEFT_OK;
}

/// Parses a line `#include "NAME"` or `#include <NAME>` into `name`. Returns false for any other line.
static bool included_name(const char *line, size_t length, weft__text *name, bool *is_quoted) {
  const char *p = line, *end = line + length;
  while (p < end && (*p == ' ' || *p == '\t')) p++;
  if (p == end || *p++ != '#') return false;
  while (p < end && (*p == ' ' || *p == '\t')) p++;
  static const char word[] = "include";
  if ((size_t)(end - p) < sizeof word || strncmp(p, word, sizeof word - 1) != 0) return false;
  p += sizeof word - 1;
  while (p < end && (*p == ' ' || *p == '\t')) p++;
  if (p == end || (*p != '"' && *p != '<')) return false;
  *is_quoted = *p++ == '"';
  const char *close = memchr(p, *is_quoted ? '"' : '>', (size_t)(end - p));
  if (!close) return false;
  weft__text_clear(name);
  weft__text_add_bytes(name, p, (size_t)(close - p));
  return true;
}

/// Refuses a path that is a pipe or a device: the compiler would block on a pipe.
static weft_status refuse_pipe(const char *path) {
  struct stat there;
  if (stat(path, &there) != 0 || S_ISREG(there.st_mode) || S_ISDIR(there.st_mode)) return WEFT_OK;
  return weft__fail(WEFT_ERROR_FILE, "file", "cannot read `%s`: %s", path, weft__file_error(WEFT__NOT_A_FILE));
}

/// Checks an include that is left to the compiler, which searches the current folder and the `-I` folders.
static weft_status check_left(const weft__source *source, const char *name) {
  static const char blanks[] = " \t\n";
  weft_status rc = refuse_pipe(name);
  for (const char *word = source->options ? source->options : ""; *word && rc == WEFT_OK;
       word += strcspn(word, blanks)) {
    weft__text path = {0};
    word += strspn(word, blanks);
    if (strncmp(word, "-I", 2) != 0) continue;
    word += 2;
    word += strspn(word, blanks);
    weft__text_add(&path, "%.*s/%s", (int)strcspn(word, blanks), word, name);
    rc = path.failed ? weft__fail_host_memory(path.length) : refuse_pipe(weft__text_chars(&path));
    weft__text_free(&path);
  }
  return rc;
}

/// Finds the text of an include, read into `text` if it is a file. Sets *found to NULL if it is not found.
static weft_status find_include(const char **found, const weft__source *source, const char *name, weft__text *text) {
  const bool is_absolute = name[0] == '/';
  const char *const folders[] = {is_absolute ? "" : source->folder, is_absolute ? NULL : source->include_path};
  *found = weft__embedded_find(name);
  for (size_t i = 0; i < 2 && !*found; i++) {
    struct stat there;
    weft__text path = {0};
    weft_status rc = WEFT_OK;
    if (!folders[i] || (!folders[i][0] && !is_absolute)) continue;
    weft__text_add(&path, is_absolute ? "%s%s" : "%s/%s", folders[i], name);
    if (path.failed)
      rc = weft__fail_host_memory(path.length);
    else if (stat(weft__text_chars(&path), &there) == 0 && !S_ISDIR(there.st_mode)) {
      weft__text_clear(text);
      rc = weft__read_file(text, weft__text_chars(&path));
      *found = weft__text_chars(text);
    }
    weft__text_free(&path);
    WEFT__TRY_RETURN(rc);
  }
  return *found ? WEFT_OK : check_left(source, name);
}

/// Whether the line is #pragma once. The directive is blanked: it would apply to the expanded text as a whole.
static bool is_pragma_once(const char *line, size_t length) {
  char word[16];
  int end = 0;
  if (length == 0 || length > 64 || !memchr(line, '#', length)) return false;
  return sscanf(line, " # pragma %15s%n", word, &end) == 1 && strcmp(word, "once") == 0 && (size_t)end <= length;
}

/// Whether a file with #pragma once was included before: its #line directive is in the output.
static bool was_pasted(const weft__text *out, const char *name, const char *text) {
  bool once = false;
  for (const char *line = text; *line && !once; line += strcspn(line, "\n"), line += *line == '\n')
    once = is_pragma_once(line, strcspn(line, "\n"));
  static const char directive[] = "#line 1 \"";
  size_t length = strlen(name);
  const char *found = once ? weft__text_chars(out) : NULL;
  while (found && (found = strstr(found, directive))) {
    found += sizeof directive - 1;
    if (strncmp(found, name, length) == 0 && found[length] == '"') return true;
  }
  return false;
}

static weft_status expand(weft__text *out, const weft__source *source, const char *name, const char *text, int depth) {
  weft__text include = {0}, content = {0};
  weft_status rc = WEFT_OK;
  if (depth > DEEPEST_INCLUDE)
    return weft__fail(WEFT_ERROR_BUILD, NULL, "`%s` is included more than %d deep: it includes itself?", name,
                      DEEPEST_INCLUDE);
  /* cl/ includes headers of the host for the host alone: without them the text clearly needs no file */
  const bool is_embedded = weft__embedded_find(name) == text;
  weft__text_add(out, "#line 1 \"%s\"\n", name);
  unsigned number = 1;
  for (const char *line = text; *line && rc == WEFT_OK; number++) {
    weft__text_clear(&include);
    const char *end = strchr(line, '\n');
    size_t length = end ? (size_t)(end - line) : strlen(line);
    const char *found = NULL;
    bool is_quoted;
    if (included_name(line, length, &include, &is_quoted)) {
      const char *included = weft__text_chars(&include);
      rc = include.failed ? weft__fail_host_memory(length)
           : is_quoted    ? find_include(&found, source, included, &content)
                          : check_left(source, included);
    }
    if (rc) {
      weft__while(rc, "reading line %u of `%s`", number, name);
    } else if (found) {
      if (!was_pasted(out, weft__text_chars(&include), found))
        rc = expand(out, source, weft__text_chars(&include), found, depth + 1);
      weft__text_add(out, "#line %u \"%s\"\n", number + 1, name);
    } else if (is_pragma_once(line, length) || (is_embedded && include.length)) {
      weft__text_add_bytes(out, "\n", 1);
    } else {
      weft__text_add_bytes(out, line, length);
      weft__text_add_bytes(out, "\n", 1);
    }
    line += length + (end != NULL);
  }
  weft__text_free(&include);
  weft__text_free(&content);
  return rc;
}

weft_status weft__source_expand(weft__text *out, const weft__source *source) {
  const size_t begin = out->length; /* the options may precede the text */
  if (source->checks) weft__text_add(out, "#ifndef WEFT_CHECKS\n#define WEFT_CHECKS 1\n#endif\n");
  WEFT__TRY_RETURN(add_defines(out, source->defines));
  WEFT__TRY_RETURN(expand(out, source, source->name, source->text, 0));
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
