// SPDX-License-Identifier: MIT
/// Weft reads #include itself, as drivers differ in where they look and cannot see what is embedded in the library, and
/// as the text names a program in the cache. Conditionals stay for the driver, which knows macros that Weft does not;
/// an #include is followed unless it is surely not compiled, and a file is left out where its guard is surely defined.
#include "kernel/splice.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kernel/condition.h"
#include "kernel/include.h"
#include "kernel/lines.h"

enum { DEEPEST_INCLUDE = 200, LARGEST_TEXT = 256 << 20 };

typedef struct splicer {
  weft__text *out;
  const weft__source *source;
  weft__macros macros;
  weft__headers headers;
  int depth;
  bool leaves_names; /* the compiler gets an #include whose file Weft does not know */
} splicer;

/// A file that is being read.
typedef struct reader {
  weft__includer who;
  const weft__found *found; /* the file; NULL: the source itself */
  const char *text;
  weft__source_line line;
  weft__text name; /* in messages: the file's, or what #line gave */
  unsigned number; /* of the line there */
  size_t groups;   /* around the file */
} reader;

static weft_status read_file(splicer *s, reader *r, const char *name);

/// Writes #line. A quote or a backslash in a name would end it or begin an escape.
static void add_place(splicer *s, unsigned number, const char *name) {
  weft__text_add(s->out, "#line %u \"", number);
  for (; *name; name++) weft__text_add_bytes(s->out, strchr("\"\\\n", *name) ? "?" : name, 1);
  weft__text_add(s->out, "\"\n");
}

/// Writes one line for a directive that is continued in several.
static void add_directive(splicer *s, const reader *r, const char *text) {
  weft__text_add(s->out, "#%s", text);
  weft__text_fill(s->out, '\n', r->line.count);
}

static void add_line(splicer *s, const reader *r) {
  weft__text_add_bytes(s->out, r->line.begin, (size_t)(r->line.end - r->line.begin));
}

/// Ends the last line, so that a backslash in it joins nothing to it.
static void end_line(weft__text *out) {
  size_t length = out->length;
  if (length && out->chars[length - 1] != '\n') weft__text_add_bytes(out, "\n", 1);
  for (length = out->length; length && strchr(" \t\r\n", out->chars[length - 1]);) length--;
  if (length && out->chars[length - 1] == '\\') weft__text_add_bytes(out, "\n", 1);
}

/* ---- #include ---- */

/// The name in `text`, in quotes or between < and >, if nothing follows it.
static bool read_name(weft__text *name, bool *is_quoted, const char *text) {
  text = weft__skip_blanks(text);
  if (*text != '"' && *text != '<') return false;
  *is_quoted = *text == '"';
  const size_t length = strcspn(++text, *is_quoted ? "\"" : ">");
  if (!text[length]) return false;
  weft__text_clear(name);
  weft__text_add_bytes(name, text, length);
  return true;
}

/// The name that an #include has behind it, or that a macro there stands for.
static bool find_name(splicer *s, weft__text *name, bool *is_quoted, const char *text) {
  weft__text replaced = {0};
  const bool is_found = read_name(name, is_quoted, text) || (weft__macros_replace(&replaced, &s->macros, text) &&
                                                             read_name(name, is_quoted, weft__text_chars(&replaced)));
  weft__text_free(&replaced);
  return is_found;
}

/// The folder in which a path ends, with a slash.
static void add_folder(weft__text *folder, const char *path) {
  const char *slash = strrchr(path, '/');
  if (slash) weft__text_add_bytes(folder, path, (size_t)(slash - path) + 1);
}

/// Reads a file where `r` includes it.
static weft_status read_header(splicer *s, const weft__found *found) {
  weft__header *header = found->header;
  weft__text folder = {0}, shown = {0};
  const char *name = weft__text_chars(&found->shown);
  add_folder(&folder, weft__text_chars(&found->path));
  if (!folder.length && !header->is_embedded) weft__text_add(&folder, "./");
  add_folder(&shown, name);
  reader inner = {.who = {.source = s->source,
                          .folder = weft__text_chars(&folder),
                          .shown = weft__text_chars(&shown),
                          .is_embedded = header->is_embedded,
                          .sees_all = header->is_embedded},
                  .found = found,
                  .text = header->text};
  const weft_status rc = folder.failed || shown.failed ? weft__fail_host_memory(1) : read_file(s, &inner, name);
  weft__text_free(&folder);
  weft__text_free(&shown);
  return rc;
}

static bool is_defined(const weft__macro *macro) {
  return macro && macro->now.state == WEFT__MACRO_DEFINED;
}

/// A macro that nothing has named yet: only the file whose guard it is defines it.
static void begin_guard(weft__macro *guard) {
  if (!guard || guard->was_set) return;
  guard->now.state = WEFT__MACRO_UNDEFINED;
  guard->was_set = true;
  guard->is_guard = true;
}

/// Notes the guards of a file that `r` includes in any case.
static void bring(splicer *s, const reader *r, const weft__header *header) {
  if (!r->found) return;
  const weft__header *own = r->found->header;
  if (s->macros.groups != r->groups + (own->guard != NULL)) return;
  weft__macro *const from[] = {own->guard, own->once}, *const to[] = {header->guard, header->once};
  for (int k = 0; k < 4; k++)
    if (from[k / 2] && to[k % 2]) weft__macro_brings(&s->macros, from[k / 2], to[k % 2]);
}

/// Tells that a line defines a macro or takes it back: a guard that another file names is none.
static void check_guard(splicer *s, const reader *r, const char *name, bool is_taken_back) {
  name = weft__skip_blanks(name);
  weft__macro *macro = weft__macro_find(&s->macros, name, (size_t)(weft__word_end(name) - name));
  if (macro && (is_taken_back || !r->found || r->found->header->guard != macro)) macro->is_guard = false;
}

/// Puts a header that was found in the place of its #include.
static weft_status paste(splicer *s, const reader *r, const weft__found *found, bool is_named) {
  weft__header *header = found->header;
  if (header->defines_guard) begin_guard(header->guard);
  begin_guard(header->once);
  if (is_named) bring(s, r, header);
  if (is_defined(header->guard) || is_defined(header->once)) {
    weft__text_fill(s->out, '\n', r->line.count);
    return WEFT_OK;
  }
  if (s->depth == DEEPEST_INCLUDE || s->out->length > LARGEST_TEXT) {
    const char *name = weft__text_chars(&found->shown);
    if (s->depth < DEEPEST_INCLUDE)
      return weft__fail(WEFT_ERROR_BUILD, NULL, "the text with its headers has over %d MiB; the last one is `%s`",
                        LARGEST_TEXT >> 20, name);
    if (weft__group_now(&s->macros) == WEFT__YES)
      return weft__fail(WEFT_ERROR_BUILD, NULL, "`%s` is included more than %d deep: it includes itself?", name,
                        DEEPEST_INCLUDE);
    add_directive(s, r, "error included more than 200 deep");
    return WEFT_OK;
  }
  s->depth++;
  if (header->once) {
    const weft__truth is_new = header->once->now.state == WEFT__MACRO_UNDEFINED ? WEFT__YES : WEFT__MAYBE;
    weft__text_add(s->out, "#ifndef %s\n", header->once->name);
    weft__group_begin(&s->macros, &(weft__condition){is_new, header->once, false});
  }
  WEFT__TRY_RETURN(read_header(s, found));
  if (header->once) {
    weft__text_add(s->out, "#endif\n");
    weft__group_end(&s->macros);
  }
  s->depth--;
  add_place(s, r->number + r->line.count, weft__text_chars(&r->name));
  return WEFT_OK;
}

/// Whether the text names the file that is being read.
static bool is_own_name(splicer *s, const char *text) {
  const char *behind = weft__directive_is(text, "__FILE__");
  const weft__macro *macro = behind ? weft__macro_find(&s->macros, "__FILE__", 8) : NULL;
  return macro && !macro->was_set && !*weft__skip_blanks(behind);
}

static weft_status include(splicer *s, reader *r, const char *text) {
  weft__text name = {0};
  weft__found found = {0};
  bool is_quoted = true;
  weft_status rc = WEFT_OK;
  if (is_own_name(s, text)) {
    if (r->found) return paste(s, r, r->found, false);
    weft__text_add(&name, "%s", s->source->name);
  } else if (!find_name(s, &name, &is_quoted, text)) {
    s->leaves_names = true;
  }
  if (name.failed) WEFT__TRY(weft__fail_host_memory(name.length));
  if (name.length)
    WEFT__TRY(weft__include_find(&found, &s->headers, &s->macros, &r->who, weft__text_chars(&name), is_quoted));
  if (found.header)
    rc = paste(s, r, &found, strchr("\"<", *weft__skip_blanks(text)) != NULL);
  else if (r->who.is_embedded)
    weft__text_fill(s->out, '\n', r->line.count); /* cl/ includes headers of the host for the host alone */
  else
    add_line(s, r);
done:
  weft__text_free(&name);
  weft__found_free(&found);
  return rc;
}

/* ---- other directives ---- */

/// Writes 1 for each __has_include of a file that Weft finds, which the compiler would not.
static weft_status answer_has_include(splicer *s, reader *r, weft__text *out) {
  static const char word[] = "__has_include";
  const char *text = weft__text_chars(&r->line.directive);
  weft__text name = {0}, operand = {0};
  weft__found found = {0};
  weft_status rc = WEFT_OK;
  for (const char *at; (at = strstr(text, word));) {
    const char *open = weft__skip_blanks(at + sizeof word - 1), *begin = open + (*open == '(');
    begin = weft__skip_blanks(begin);
    const char *close = begin + (*begin == '<'   ? strcspn(begin, ">")
                                 : *begin == '"' ? 1 + strcspn(begin + 1, "\"")
                                                 : 0);
    close += strcspn(close, ")");
    bool is_quoted;
    found.header = NULL;
    weft__text_clear(&operand);
    weft__text_add_bytes(&operand, begin, (size_t)(close - begin));
    if (*open == '(' && *close && find_name(s, &name, &is_quoted, weft__text_chars(&operand)))
      WEFT__TRY(weft__include_find(&found, &s->headers, &s->macros, &r->who, weft__text_chars(&name), is_quoted));
    const char *behind = found.header ? close + 1 : at + sizeof word - 1;
    weft__text_add_bytes(out, text, (size_t)((found.header ? at : behind) - text));
    if (found.header) weft__text_add(out, " 1 ");
    text = behind;
  }
  weft__text_add(out, "%s", text);
done:
  if (rc == WEFT_OK && (out->failed || name.failed || operand.failed)) rc = weft__fail_host_memory(1);
  weft__text_free(&name);
  weft__text_free(&operand);
  weft__found_free(&found);
  return rc;
}

/// #if, #elif and the like, which stay.
static weft_status condition(splicer *s, reader *r, bool begins) {
  weft__text answered = {0};
  const char *text = weft__text_chars(&r->line.directive);
  weft_status rc = WEFT_OK;
  const weft__truth outer = begins ? weft__group_now(&s->macros) : s->macros.group[s->macros.groups - 1].outer;
  const bool asks = outer != WEFT__NO && strstr(text, "__has_include");
  if (asks) WEFT__TRY(answer_has_include(s, r, &answered));
  if (asks) text = weft__text_chars(&answered);
  if (asks)
    add_directive(s, r, text);
  else
    add_line(s, r);
  const weft__condition read = weft__condition_read(&s->macros, text);
  (begins ? weft__group_begin : weft__group_else)(&s->macros, &read);
done:
  weft__text_free(&answered);
  return rc;
}

/// #line, which names what follows: the generated source of a kernel has it around the user's part.
static void place(reader *r, const char *text) {
  weft__text name = {0};
  bool is_quoted;
  char *end;
  const unsigned long number = strtoul(text, &end, 10);
  if (end == text) return;
  r->number = (unsigned)number - r->line.count; /* of this line */
  if (!read_name(&name, &is_quoted, end)) goto done;
  weft__text_clear(&r->name);
  weft__text_add(&r->name, "%s", weft__text_chars(&name));
  /* in a generated source */
  if (!r->found && r->who.source->is_generated) r->who.sees_all = strcmp(weft__text_chars(&name), "weft") == 0;
done:
  weft__text_free(&name);
}

static weft_status directive(splicer *s, reader *r) {
  weft__macros *macros = &s->macros;
  const char *text = weft__text_chars(&r->line.directive), *behind;
  const bool is_inside = macros->groups > r->groups, is_compiled = weft__group_now(macros) != WEFT__NO;
  if (strncmp(weft__skip_blanks(text), "if", 2) == 0) return condition(s, r, true);
  if (strncmp(weft__skip_blanks(text), "el", 2) == 0 || weft__directive_is(text, "endif")) {
    if (!is_inside) {
      add_directive(s, r, "error this line belongs to no #if of its file");
    } else if (weft__directive_is(text, "endif")) {
      weft__group_end(macros);
      add_line(s, r);
    } else if (weft__directive_is(text, "else")) {
      weft__group_else(macros, &(weft__condition){.truth = WEFT__YES});
      add_line(s, r);
    } else {
      return condition(s, r, false);
    }
    return WEFT_OK;
  }
  if (is_compiled && (behind = weft__directive_is(text, "include"))) return include(s, r, behind);
  if (is_compiled && (behind = weft__directive_is(text, "pragma")) && weft__directive_is(behind, "once")) {
    if (r->found) {
      weft__text_add(s->out, "#define %s", r->found->header->once->name);
      weft__macro_define(macros, r->found->header->once->name);
    }
    weft__text_fill(s->out, '\n', r->line.count);
    return WEFT_OK;
  }
  add_line(s, r);
  if (!is_compiled) return WEFT_OK;
  if ((behind = weft__directive_is(text, "define"))) {
    check_guard(s, r, behind, false);
    weft__macro_define(macros, behind);
  }
  if ((behind = weft__directive_is(text, "undef"))) {
    check_guard(s, r, behind, true);
    behind = weft__skip_blanks(behind);
    weft__macro_set(macros, weft__macro_find(macros, behind, (size_t)(weft__word_end(behind) - behind)),
                    (weft__macro_value){WEFT__MACRO_UNDEFINED, NULL});
  }
  if ((behind = weft__directive_is(text, "line"))) place(r, behind);
  if (*weft__skip_blanks(text) >= '0' && *weft__skip_blanks(text) <= '9') place(r, text); /* as cpp writes it */
  return WEFT_OK;
}

/* ---- files ---- */

/// Closes what a file has left open, so that it cannot take in what follows.
static void end_file(splicer *s, const reader *r) {
  if (r->found && r->line.has_open_comment) weft__text_add(s->out, "*/\n#error the file ends in a comment\n");
  end_line(s->out);
  if (!r->found || s->macros.groups <= r->groups) return;
  while (s->macros.groups > r->groups) {
    weft__text_add(s->out, "#endif\n");
    weft__group_end(&s->macros);
  }
  weft__text_add(s->out, "#error the file ends in an #if\n");
}

static weft_status read_file(splicer *s, reader *r, const char *name) {
  weft_status rc = WEFT_OK;
  weft__text_add(&r->name, "%s", name);
  r->number = 1;
  r->groups = s->macros.groups;
  add_place(s, 1, name);
  for (const char *at = r->text; *at; r->number += r->line.count) {
    at = weft__line_read(&r->line, at);
    if (r->line.directive.failed || s->macros.failed || s->out->failed || r->name.failed)
      WEFT__TRY(weft__fail_host_memory(s->out->length));
    if (r->line.is_directive)
      WEFT__TRY(weft__while(directive(s, r), "reading line %u of `%s`", r->number, weft__text_chars(&r->name)));
    else
      add_line(s, r);
  }
  end_file(s, r);
done:
  weft__text_free(&r->line.directive);
  weft__text_free(&r->name);
  return rc;
}

/// Defines what the lines in front of the source define.
static void read_defines(weft__macros *macros, const char *text) {
  weft__source_line line = {0};
  while (*text) {
    text = weft__line_read(&line, text);
    const char *behind = weft__directive_is(weft__text_chars(&line.directive), "define");
    if (behind) weft__macro_define(macros, behind);
  }
  if (line.directive.failed) macros->failed = true;
  weft__text_free(&line.directive);
}

weft_status weft__splice(weft__text *out, size_t begin, const weft__source *source) {
  static atomic_uint left;
  splicer s = {.out = out, .source = source};
  reader r = {.who = {.source = source,
                      .folder = source->folder,
                      .shown = "",
                      .sees_all = source->is_own || source->is_generated},
              .text = weft__text_begin(source->text)};
  weft__options_define(&s.macros, source->options);
  read_defines(&s.macros, weft__text_chars(out) + begin);
  weft_status rc = read_file(&s, &r, source->name);
  if (s.leaves_names) {
    /* another text each time, so that the compiler reads the file again, whatever it is */
    end_line(out);
    weft__text_add(out, "/* %llu %u */\n", (unsigned long long)weft__now_ns(), atomic_fetch_add(&left, 1));
  }
  if (rc == WEFT_OK && s.macros.failed) rc = weft__fail_host_memory(out->length);
  weft__headers_free(&s.headers);
  weft__macros_free(&s.macros);
  return rc;
}
