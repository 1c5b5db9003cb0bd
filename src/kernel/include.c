// SPDX-License-Identifier: MIT
#include "kernel/include.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernel/condition.h"
#include "kernel/embedded.h"
#include "kernel/lines.h"

void weft__headers_free(weft__headers *headers) {
  for (weft__header *header = headers->first, *next; header; header = next) {
    next = header->next;
    weft__text_free(&header->content);
    free(header);
  }
  *headers = (weft__headers){0};
}

void weft__found_free(weft__found *found) {
  weft__text_free(&found->path);
  weft__text_free(&found->shown);
}

const char *weft__text_begin(const char *text) {
  static const char mark[] = "\xef\xbb\xbf";
  return strncmp(text, mark, sizeof mark - 1) == 0 ? text + sizeof mark - 1 : text;
}

/* ---- options of the compiler ---- */

/// Reads the next word of the options, in which quotes keep blanks together. Returns NULL behind the last one.
static const char *next_word(weft__text *word, const char *at) {
  char quote = 0;
  const bool failed = word->failed;
  weft__text_clear(word);
  word->failed = failed; /* callers look behind the last word */
  at += strspn(at, " \t\r\n");
  if (!*at) return NULL;
  for (; *at && (quote || !strchr(" \t\r\n", *at)); at++) {
    if (*at == quote || (!quote && (*at == '"' || *at == '\''))) {
      quote = quote ? 0 : *at;
      continue;
    }
    if (*at == '\\' && (at[1] == '"' || at[1] == '\\' || at[1] == '\'')) at++;
    weft__text_add_bytes(word, at, 1);
  }
  return at;
}

/// Finds the next option `-I`, whose letter is among `letters`, at `at`; its value is behind the letter or is the next
/// word. Returns what is behind it; NULL if it has none.
static const char *next_option(weft__text *value, char *letter, const char *letters, const char *at) {
  while (at && (at = next_word(value, at))) {
    const char *word = weft__text_chars(value);
    if (word[0] != '-' || !word[1] || !strchr(letters, word[1])) continue;
    *letter = word[1];
    if (!word[2]) return next_word(value, at);
    memmove(value->chars, word + 2, value->length - 1);
    value->length -= 2;
    return at;
  }
  return NULL;
}

void weft__options_define(weft__macros *macros, const char *options) {
  weft__text value = {0};
  char letter;
  for (const char *at = options ? options : ""; (at = next_option(&value, &letter, "DU", at));) {
    const char *text = weft__text_chars(&value), *behind = weft__word_end(text);
    if (letter == 'U') {
      weft__macro_set(macros, weft__macro_find(macros, text, (size_t)(behind - text)),
                      (weft__macro_value){WEFT__MACRO_UNDEFINED, NULL});
      continue;
    }
    /* -DX is 1, -DX=2 is 2, -DF(x)=x has a parameter */
    char *equals = value.length ? strchr(value.chars, '=') : NULL;
    if (equals)
      *equals = ' ';
    else
      weft__text_add(&value, " 1");
    weft__macro_define(macros, weft__text_chars(&value));
  }
  if (value.failed) macros->failed = true;
  weft__text_free(&value);
}

/* ---- guards ---- */

/// Whether the directive defines the macro, and as nothing or 1.
static bool defines_guard(const char *directive, const weft__macro *guard) {
  const char *name = weft__directive_is(directive, "define");
  const char *behind = name ? weft__directive_is(name, guard->name) : NULL;
  if (!behind) return false;
  behind = weft__skip_blanks(behind);
  return !*behind || (*behind == '1' && !*weft__skip_blanks(behind + 1));
}

/// Finds the macro that guards a file, #ifndef X ... #endif around all of it, and whether it has `#pragma once`.
static void find_guard(weft__header *header, weft__macros *macros, unsigned number) {
  weft__source_line line = {0};
  weft__macro *guard = NULL;
  int depth = 0, lines = 0;
  char once[40];
  snprintf(once, sizeof once, "WEFT__ONCE_%u", number);
  const bool may_be_once = !header->is_embedded && strstr(header->text, "once");
  for (const char *at = header->text; *at && (guard || lines == 0 || may_be_once);) {
    at = weft__line_read(&line, at);
    const char *text = weft__text_chars(&line.directive), *word = weft__skip_blanks(text), *behind;
    if (line.is_blank) continue;
    if ((behind = weft__directive_is(text, "pragma")) && weft__directive_is(behind, "once"))
      header->once = weft__macro_find(macros, once, strlen(once));
    const bool is_if = strncmp(word, "if", 2) == 0;
    if (lines == 0 && is_if) {
      const weft__condition condition = weft__condition_read(macros, text);
      guard = condition.is_defined ? NULL : condition.macro;
    } else if (depth == 0 || (depth == 1 && strncmp(word, "el", 2) == 0)) {
      guard = NULL; /* there is something outside */
    } else if (guard && lines == 1) {
      header->defines_guard = defines_guard(text, guard);
    }
    depth += is_if - (weft__directive_is(text, "endif") != NULL);
    lines++;
  }
  header->guard = guard;
  if (line.directive.failed) macros->failed = true;
  weft__text_free(&line.directive);
}

/* ---- files ---- */

static weft__header *add_header(weft__headers *headers, const weft__header *as) {
  weft__header *header = weft__new(sizeof *header);
  if (!header) return NULL;
  *header = *as;
  header->next = headers->first;
  headers->first = header;
  headers->count++;
  return header;
}

static weft_status find_embedded(weft__found *found, weft__headers *headers, weft__macros *macros, const char *name) {
  const char *text = weft__embedded_find(name);
  if (!text) return WEFT_OK;
  weft__text_add(&found->shown, "%s", name);
  for (weft__header *header = headers->first; header; header = header->next)
    if (header->text == text) {
      found->header = header;
      return WEFT_OK;
    }
  if (!(found->header = add_header(headers, &(weft__header){.text = text, .is_embedded = true})))
    return WEFT_ERROR_HOST_MEMORY;
  find_guard(found->header, macros, headers->count);
  return WEFT_OK;
}

/// Looks for found->path.
static weft_status find_file(weft__found *found, weft__headers *headers, weft__macros *macros) {
  struct stat there;
  const char *path = weft__text_chars(&found->path);
  if (found->path.failed) return weft__fail_host_memory(found->path.length);
  if (stat(path, &there) != 0 || S_ISDIR(there.st_mode)) return WEFT_OK;
  for (weft__header *header = headers->first; header; header = header->next)
    if (!header->is_embedded && header->device == there.st_dev && header->number == there.st_ino) {
      found->header = header;
      return WEFT_OK;
    }
  weft__header *header = add_header(headers, &(weft__header){.device = there.st_dev, .number = there.st_ino});
  if (!header) return WEFT_ERROR_HOST_MEMORY;
  WEFT__TRY_RETURN(weft__read_file(&header->content, path));
  header->text = weft__text_begin(weft__text_chars(&header->content));
  if (memchr(weft__text_chars(&header->content), 0, header->content.length))
    return weft__fail(WEFT_ERROR_FILE, "file", "`%s` is not text: it has a zero byte", path);
  find_guard(header, macros, headers->count);
  found->header = header;
  return WEFT_OK;
}

/// Looks for a name in a folder; "" is the current one. `shown`: the folder in messages.
static weft_status find_in(weft__found *found, weft__headers *headers, weft__macros *macros, const char *folder,
                           size_t length, const char *shown, const char *name) {
  weft__text_clear(&found->path);
  weft__text_clear(&found->shown);
  weft__text_add(&found->path, "%.*s%s%s", (int)length, folder, length && folder[length - 1] != '/' ? "/" : "", name);
  weft__text_add(&found->shown, "%s%s", shown, name);
  return find_file(found, headers, macros);
}

weft_status weft__include_find(weft__found *found, weft__headers *headers, weft__macros *macros,
                               const weft__includer *includer, const char *name, bool is_quoted) {
  const weft__source *source = includer->source;
  const char *path = source->include_path ? source->include_path : "";
  weft__text option = {0};
  weft_status rc = WEFT_OK;
  char letter;
  found->header = NULL;
  weft__text_clear(&found->path);
  weft__text_clear(&found->shown);
  if (includer->sees_all || strncmp(name, "weft/", 5) == 0) WEFT__TRY(find_embedded(found, headers, macros, name));
  if (includer->is_embedded || found->header || !name[0]) goto done;
  if (name[0] == '/') {
    rc = find_in(found, headers, macros, "", 0, "", name);
    goto done;
  }
  const char *const folders[] = {includer->folder, source->folder};
  for (size_t k = 0; k < 2 && is_quoted && !found->header; k++)
    if (folders[k] && folders[k][0])
      WEFT__TRY(find_in(found, headers, macros, folders[k], strlen(folders[k]), k == 0 ? includer->shown : "", name));
  for (size_t length; *path && !found->header; path += length + (path[length] == ':')) {
    length = strcspn(path, ":");
    if (length) WEFT__TRY(find_in(found, headers, macros, path, length, "", name));
  }
  const char *at = source->options ? source->options : "";
  while (!found->header && (at = next_option(&option, &letter, "I", at)))
    WEFT__TRY(find_in(found, headers, macros, weft__text_chars(&option), option.length, "", name));
  if (!found->header) WEFT__TRY(find_in(found, headers, macros, "", 0, "", name));
done:
  if (rc == WEFT_OK && (option.failed || found->path.failed || found->shown.failed)) rc = weft__fail_host_memory(1);
  weft__text_free(&option);
  return rc;
}
