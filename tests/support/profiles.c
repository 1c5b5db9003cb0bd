// SPDX-License-Identifier: MIT
#include "profiles.h"

#include <stdio.h>

const char profiles_slow[] =
    "kernel void slow(global float *y, uint steps) {\n"
    "  uint v = 1;\n"
    "  for (uint k = 0; k < steps; k++) v = v * 1664525u + k;\n"
    "  y[get_global_id(0)] = v == 7 ? 1 : 2;\n"
    "}\n";

weft_profile_row *rows;
uint64_t row_count;
weft_profile_totals totals;
weft_profile_event *events;
uint64_t event_count;

void collect(void) {
  weft_free(rows);
  weft_free(events);
  ok(weft_profile_get(&rows, &row_count, &totals, ctx));
  ok(weft_profile_get_events(&events, &event_count, ctx));
}

const weft_profile_row *row_at(weft_profile_kind kind, const char *name, int line) {
  const weft_profile_row *found = NULL;
  char site[64];
  snprintf(site, sizeof site, ".c:%d", line);
  for (uint64_t i = 0; i < row_count; i++) {
    if (rows[i].kind != kind || strcmp(rows[i].name, name) != 0 || (line && !strstr(rows[i].site, site))) continue;
    ck_assert_msg(!found, "%s at line %d has two rows", name, line);
    found = &rows[i];
  }
  ck_assert_msg(found != NULL, "%s at line %d has no row", name, line);
  return found;
}

bool has_row(weft_profile_kind kind) {
  for (uint64_t i = 0; i < row_count; i++)
    if (rows[i].kind == kind) return true;
  return false;
}

const weft_profile_event *event_of(const weft_profile_row *row) {
  for (uint64_t i = 0; i < event_count; i++)
    if (&rows[events[i].row] == row) return &events[i];
  ck_abort_msg("%s has no event", row->name);
}

char *read_file(const char *path) {
  FILE *file = fopen(path, "r");
  ck_assert_msg(file != NULL, "%s is not there", path);
  char *text = malloc(1 << 20);
  size_t length = fread(text, 1, (1 << 20) - 1, file);
  text[length] = 0;
  fclose(file);
  return text;
}

void expect_text(const char *text, const char *part) {
  ck_assert_msg(strstr(text, part) != NULL, "`%s` is not in:\n%s", part, text);
}
