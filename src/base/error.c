// SPDX-License-Identifier: MIT
#include "base/error.h"

#include <pthread.h>
#include <string.h>

typedef struct record {
  int depth;
  bool caused; /* this outermost call has recorded its first cause */
  const char *entered_function;
  const char *entered_site;
  weft_error error;
  char argument[64];
  char site[256]; /* a copy: the caller's literal may be unloaded with its library */
  char function[64];
  weft__text message;
  weft__text detail;
  int quiet;             /* above zero: nothing is recorded */
  weft__text unrecorded; /* the detail meanwhile */
} record;

atomic_int weft__watch = WEFT__WATCH_ENVIRONMENT;

static _Thread_local record thread_record;
static pthread_key_t texts_key; /* its destructor frees a thread's texts when the thread ends */
static pthread_once_t texts_once = PTHREAD_ONCE_INIT;

static void free_texts(void *memory) {
  record *r = memory;
  weft__text_free(&r->message);
  weft__text_free(&r->detail);
}

static void make_key(void) {
  pthread_key_create(&texts_key, free_texts);
}

static record *get_record(void) {
  return &thread_record;
}

static bool is_watched(void) {
  return atomic_load_explicit(&weft__watch, memory_order_relaxed) != 0;
}

void weft__enter(const char *function, const char *site) {
  record *r = get_record();
  if (r->depth++ > 0) return;
  r->caused = false;
  r->entered_function = function;
  r->entered_site = site ? site : "";
  if (is_watched()) weft__watcher.enter();
}

weft_status weft__leave(weft_status status) {
  record *r = get_record();
  if (r->depth > 0) r->depth--;
  if (r->depth == 0 && is_watched()) weft__watcher.leave(r->entered_function, r->entered_site, status);
  return status;
}

bool weft__is_inside(void) {
  return get_record()->depth > 0;
}

const char *weft__function(void) {
  const char *function = get_record()->entered_function;
  return function ? function : "";
}

const char *weft__site(void) {
  const char *site = get_record()->entered_site;
  return site ? site : "";
}

static void copy_short(char *to, size_t room, const char *from) {
  size_t length = strlen(from);
  /* keep the end of a "file:line", which is more specific than its beginning */
  if (length >= room) from += length - room + 1;
  memcpy(to, from, strlen(from) + 1);
}

static void begin(record *r, weft_status status, const char *argument) {
  pthread_once(&texts_once, make_key);
  pthread_setspecific(texts_key, r);
  r->caused = true;
  weft__text_clear(&r->message);
  weft__text_clear(&r->detail);
  copy_short(r->argument, sizeof r->argument, argument ? argument : "");
  copy_short(r->function, sizeof r->function, r->entered_function ? r->entered_function : "");
  copy_short(r->site, sizeof r->site, r->entered_site ? r->entered_site : "");
  r->error = (weft_error){.status = status, .cl_name = ""};
  if (r->function[0]) weft__text_add(&r->message, "%s: ", r->function);
}

weft_status weft__fail(weft_status status, const char *argument, const char *format, ...) {
  record *r = get_record();
  if (r->quiet) return status;
  if (r->caused) return r->error.status;
  begin(r, status, argument);
  va_list arguments;
  va_start(arguments, format);
  weft__text_add_va(&r->message, format, arguments);
  va_end(arguments);
  return status;
}

weft_status weft__fail_code(weft_status status, int cl_code, const char *cl_name, const char *format, ...) {
  record *r = get_record();
  if (r->quiet) return status;
  if (r->caused) return r->error.status;
  begin(r, status, NULL);
  r->error.cl_code = cl_code;
  r->error.cl_name = cl_name;
  va_list arguments;
  va_start(arguments, format);
  weft__text_add_va(&r->message, format, arguments);
  va_end(arguments);
  return status;
}

weft_status weft__fail_earlier(const char *function, const char *site, weft_status status, const char *argument,
                               const char *format, ...) {
  record *r = get_record();
  if (r->quiet) return status;
  if (r->caused) return r->error.status;
  const char *now_function = r->entered_function, *now_site = r->entered_site;
  r->entered_function = function;
  r->entered_site = site;
  begin(r, status, argument);
  r->entered_function = now_function;
  r->entered_site = now_site;
  va_list arguments;
  va_start(arguments, format);
  weft__text_add_va(&r->message, format, arguments);
  va_end(arguments);
  if (strcmp(function, weft__function()) != 0) weft__while(status, "waiting in %s, a later call", weft__function());
  return status;
}

weft_status weft__fail_host_memory(size_t size_bytes) {
  return weft__fail(WEFT_ERROR_HOST_MEMORY, NULL, "the host has no room for %zu bytes", size_bytes);
}

weft_status weft__while(weft_status status, const char *format, ...) {
  record *r = get_record();
  if (status == WEFT_OK || !r->caused || r->quiet) return status;
  weft__text_add(&r->message, "\n  while ");
  va_list arguments;
  va_start(arguments, format);
  weft__text_add_va(&r->message, format, arguments);
  va_end(arguments);
  return status;
}

bool weft__without_memory(weft_status *rc) {
  if (*rc != WEFT_ERROR_MEMORY && *rc != WEFT_ERROR_BUDGET) return false;
  if (!get_record()->quiet) weft_error_clear();
  *rc = WEFT_OK;
  return true;
}

void weft__quiet_begin(void) {
  get_record()->quiet++;
}

void weft__quiet_end(void) {
  record *r = get_record();
  if (--r->quiet == 0) weft__text_free(&r->unrecorded);
}

weft__text *weft__detail(void) {
  record *r = get_record();
  return r->quiet ? &r->unrecorded : &r->detail;
}

/* ---- places in a text ---- */

#define DETAIL_BEFORE 100 /* bytes of a long line shown before the place; DETAIL_AFTER after it */
#define DETAIL_AFTER 40

/// Whether a byte continues a UTF-8 character.
static bool is_inside(char c) {
  return ((unsigned char)c & 0xc0) == 0x80;
}

/// Adds the line that starts at `begin`, and a mark under position `at`.
static void add_line(weft__text *detail, const char *text, size_t begin, size_t at) {
  size_t end = at;
  while (text[end] && text[end] != '\n') end++;
  size_t from = at > begin + DETAIL_BEFORE ? at - DETAIL_BEFORE : begin,
         to = end > at + DETAIL_AFTER ? at + DETAIL_AFTER : end;
  while (from > begin && is_inside(text[from])) from--;
  while (to < end && is_inside(text[to])) to++;
  weft__text_add(detail, "  %s", from > begin ? "..." : "");
  for (size_t i = from; i < to; i++) {
    unsigned char c = (unsigned char)text[i];
    char shown = (char)(c < 0x20 || c == 0x7f ? ' ' : c);
    weft__text_add_bytes(detail, &shown, 1);
  }
  weft__text_add(detail, "%s\n  %s", to < end ? "..." : "", from > begin ? "   " : "");
  for (size_t i = from; i < at; i++)
    if (!is_inside(text[i])) weft__text_add(detail, " ");
  weft__text_add(detail, "^\n");
}

void weft__fail_at(weft_status status, const char *argument, const char *source, const char *text, size_t at,
                   const char *format, ...) {
  weft__text message = {0};
  size_t line = 1, column = 1, begin = 0;
  for (size_t i = 0; i < at; i++) {
    if (text[i] == '\n') {
      line++;
      begin = i + 1;
    }
  }
  for (size_t i = begin; i < at; i++) column += !is_inside(text[i]);
  va_list arguments;
  va_start(arguments, format);
  weft__text_add_va(&message, format, arguments);
  va_end(arguments);
  weft__fail(status, argument, "%s:%zu:%zu: %s", source, line, column, weft__text_chars(&message));
  weft__text_free(&message);
  add_line(weft__detail(), text, begin, at);
}

const weft_error *weft_error_last(void) {
  record *r = get_record();
  weft_error *e = &r->error;
  e->function = r->function;
  e->argument = r->argument;
  e->site = r->site;
  /* names of files, and what files contain, are in these texts: they are written to terminals */
  weft__text_clean(&r->message, true);
  weft__text_clean(&r->detail, true);
  e->message = weft__text_chars(&r->message);
  e->detail = weft__text_chars(&r->detail);
  if (!e->cl_name) e->cl_name = "";
  /* without memory for the text, the status alone describes the failure */
  if (e->status != WEFT_OK && e->message[0] == 0) e->message = "the host has no memory left for the explanation";
  if (e->status == WEFT_OK) e->message = "";
  return e;
}

void weft_error_clear(void) {
  record *r = get_record();
  begin(r, WEFT_OK, NULL);
  weft__text_clear(&r->message);
  r->function[0] = r->site[0] = 0;
  r->caused = false;
}

void weft_error_print(FILE *stream) {
  const weft_error *e = weft_error_last();
  if (!stream) return;
  fprintf(stream, "%s: %s\n", weft_status_name(e->status), e->message);
  if (e->cl_code != 0) fprintf(stream, "  OpenCL: %s (%d)\n", e->cl_name, e->cl_code);
  if (e->site[0]) fprintf(stream, "  called from %s\n", e->site);
  if (e->detail[0]) fprintf(stream, "%s%s", e->detail, e->detail[strlen(e->detail) - 1] == '\n' ? "" : "\n");
}

void *weft__new(size_t size_bytes) {
  void *memory = calloc(1, size_bytes ? size_bytes : 1);
  if (!memory) weft__fail_host_memory(size_bytes);
  return memory;
}

/* ---- for libraries on top of Weft ---- */

void weft_error_enter(const char *function, const char *site) {
  weft__enter(function, site);
}

weft_status weft_error_record(weft_status status, const char *argument, const char *message) {
  return weft__fail(status, argument, "%s", message);
}

weft_status weft_error_while(weft_status status, const char *step) {
  return weft__while(status, "%s", step);
}

weft_status weft_error_leave(weft_status status) {
  return weft__leave(status);
}
