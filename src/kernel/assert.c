// SPDX-License-Identifier: MIT
#include "kernel/assert.h"

#include <ctype.h>
#include <string.h>

#include "core/deferred.h"
#include "kernel/source.h"

#define LONGEST_CONDITION 120

/// Whether the source declares the kernel with WEFT_ASSERTS: `name(... WEFT_ASSERTS)`.
static bool declares_asserts(const char *text, const char *name) {
  static const char word[] = "WEFT_ASSERTS";
  const size_t length = strlen(name);
  for (const char *at = text; (at = strstr(at, name)); at += length) {
    if (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_')) continue;
    const char *open = at + length + strspn(at + length, " \t\n");
    if (*open != '(') continue;
    const char *close = strchr(open, ')'), *found = strstr(open, word);
    if (close && found && found < close) return true;
  }
  return false;
}

bool weft__kernel_asserts(const weft__kernel *kernel, bool has_arg_info) {
  const int count = kernel->parameter_count;
  if (count < WEFT__ASSERT_PARAMETERS) return false;
  if (!has_arg_info) return declares_asserts(kernel->text, kernel->info.name);
  return strcmp(kernel->parameter[count - 1].name, "weft__assert_use") == 0;
}

/// Adds the WEFT_ASSERT(condition) that ends in the line `at` of the text, up to the end of the line where it begins.
static void add_condition(weft__text *out, const char *text, const char *at) {
  static const char word[] = "WEFT_ASSERT(";
  const char *begin = NULL, *line_end = at + strcspn(at, "\n");
  for (const char *p = text; (p = strstr(p, word)) && p < line_end; p++) begin = p;
  if (!begin) {
    weft__text_add(out, "an assertion");
    return;
  }
  const size_t length = strcspn(begin, "\n");
  size_t count = 0;
  int depth = 0;
  while (count < length && count < LONGEST_CONDITION) {
    depth += (begin[count] == '(') - (begin[count] == ')');
    if (begin[count++] == ')' && depth == 0) break;
  }
  weft__text_add(out, "`%.*s%s`", (int)count, begin, depth == 0 ? "" : " ...");
}

/// `position` is the thread's weft_global_id(), `index` the line and the file as the kernel reports them.
weft_status weft__assert_tell(const weft__deferred_check *check, uint64_t position, uint64_t index) {
  const unsigned line = (uint32_t)index >> 1;
  const uint64_t block_threads = check->block.x * check->block.y * check->block.z;
  const uint64_t thread = position % block_threads, block = position / block_threads;
  weft__text what = {0}, file = {0};
  unsigned number = line;
  const char *text = index & 1 ? weft__source_find(check->text, (uint32_t)(index >> 32), line, &file)
                               : weft__source_origin(check->text, line, &file, &number);
  add_condition(&what, check->text, text);
  const weft_status rc = weft__fail_earlier(
      check->function, check->site, WEFT_ERROR_ASSERT, NULL,
      "%s of kernel `%s`, launched at %s, does not hold: %s:%u, thread (%llu,%llu,%llu) of block (%llu,%llu,%llu)",
      weft__text_chars(&what), check->argument, check->site, *text ? weft__text_chars(&file) : "?", number,
      (unsigned long long)(thread % check->block.x), (unsigned long long)(thread / check->block.x % check->block.y),
      (unsigned long long)(thread / check->block.x / check->block.y), (unsigned long long)(block % check->grid.x),
      (unsigned long long)(block / check->grid.x % check->grid.y),
      (unsigned long long)(block / check->grid.x / check->grid.y));
  weft__text_free(&what);
  weft__text_free(&file);
  return rc;
}

weft_status weft__launch_asserting(weft__kernel *kernel, weft__value *values, const int *parameter,
                                   weft__submission *launch) {
  weft__deferred_use use;
  weft__value *last = values + kernel->parameter_count - WEFT__ASSERT_PARAMETERS;
  const weft__deferred_check check = {.tell = weft__assert_tell,
                                      .function = weft__function(),
                                      .site = launch->site ? weft__lasting_site(launch->site) : "?",
                                      .argument = kernel->info.name,
                                      .text = kernel->text,
                                      .grid = launch->command->grid,
                                      .block = launch->command->block};
  WEFT__TRY_RETURN(weft__deferred_begin(&use, kernel->core, &check));
  last[0].room.mem = use.records;
  last[1].room.words[0] = (uint64_t)use.record << 32 | use.epoch;
  weft__value_set(&last[0], &last[0].room, sizeof last[0].room.mem);
  weft__value_set(&last[1], &last[1].room, sizeof last[1].room.words[0]);
  /* `words` in little-endian order, as on all hosts of such devices */
  const weft__checked checked = {
      .check = &check, .parameter = kernel->parameter_count - 1, .epoch_at = 0, .record_at = sizeof(uint32_t)};
  launch->checked = &checked;
  const weft_status rc = weft__launch(kernel, values, parameter, launch);
  weft__deferred_end(kernel->core, &use, launch->slot, rc);
  return rc;
}
