// SPDX-License-Identifier: MIT
#include "cli/base/text_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/secure.h"

#define BOLD "\033[1m"
#define GREEN "\033[32m"
#define PLAIN "\033[0m"

/* ---- filling ---- */

/// Adds a cell and takes ownership of both texts.
static void add(table *t, weft__text *shown, weft__text *json, bool right) {
  table_cell cell = {weft__text_take(shown), weft__text_take(json), right};
  if (!cell.shown || !cell.json) goto fail;
  if (t->cell_count == t->cell_capacity) {
    size_t capacity = t->cell_capacity ? 2 * t->cell_capacity : 64;
    table_cell *cells = realloc(t->cells, capacity * sizeof *cells);
    if (!cells) goto fail;
    t->cells = cells;
    t->cell_capacity = capacity;
  }
  t->cells[t->cell_count++] = cell;
  return;
fail:
  free(cell.shown);
  free(cell.json);
  t->failed = true;
}

void table_add_text_as(table *t, const char *shown, const char *json) {
  weft__text shown_text = {0}, json_text = {0};
  weft__text_add(&shown_text, "%s", shown);
  weft__text_clean(&shown_text, false);
  weft__text_add_json(&json_text, json);
  add(t, &shown_text, &json_text, false);
}

void table_add_text(table *t, const char *text) {
  table_add_text_as(t, text, text);
}

void table_add_none(table *t) {
  weft__text shown = {0}, json = {0};
  weft__text_add(&shown, "-");
  weft__text_add(&json, "null");
  add(t, &shown, &json, false);
}

void table_add_number(table *t, uint64_t number) {
  weft__text shown = {0}, json = {0};
  weft__text_add(&shown, "%llu", (unsigned long long)number);
  weft__text_add(&json, "%llu", (unsigned long long)number);
  add(t, &shown, &json, true);
}

void table_add_decimal(table *t, double number, int digits) {
  weft__text shown = {0}, json = {0};
  weft__text_add(&shown, "%.*f", digits, number);
  weft__text_add(&json, "%s", isfinite(number) ? weft__text_chars(&shown) : "null");
  add(t, &shown, &json, true);
}

void table_add_size(table *t, uint64_t size_bytes) {
  weft__text shown = {0}, json = {0};
  weft__text_add_size(&shown, size_bytes);
  weft__text_add(&json, "%llu", (unsigned long long)size_bytes);
  add(t, &shown, &json, true);
}

void table_add_shape(table *t, weft_shape shape) {
  weft__text shown = {0}, json = {0};
  weft__text_add(&shown, "(");
  weft__text_add(&json, "[");
  for (int d = 0; d < shape.ndim; d++) {
    weft__text_add(&shown, "%s%lld", d ? ", " : "", (long long)shape.dim[d]);
    weft__text_add(&json, "%s%lld", d ? ", " : "", (long long)shape.dim[d]);
  }
  weft__text_add(&shown, shape.ndim == 1 ? ",)" : ")");
  weft__text_add(&json, "]");
  add(t, &shown, &json, false);
}

void table_add_number_as(table *t, const char *shown, const char *json) {
  weft__text shown_text = {0}, json_text = {0};
  weft__text_add(&shown_text, "%s", shown);
  weft__text_add(&json_text, "%s", json);
  add(t, &shown_text, &json_text, true);
}

static void add_bool(table *t, bool value, const char *yes, const char *no) {
  weft__text shown = {0}, json = {0};
  weft__text_add(&shown, "%s", value ? yes : no);
  weft__text_add(&json, "%s", value ? "true" : "false");
  add(t, &shown, &json, false);
}

void table_add_bool(table *t, bool value) {
  add_bool(t, value, "yes", "no");
}

void table_add_mark(table *t, bool value) {
  add_bool(t, value, "*", "");
}

void table_mark_row(table *t) {
  t->marked_row = t->cell_count / (size_t)t->column_count;
}

void table_free(table *t) {
  for (size_t i = 0; i < t->cell_count; i++) {
    free(t->cells[i].shown);
    free(t->cells[i].json);
  }
  free(t->cells);
  *t = (table){0};
}

/* ---- writing ---- */

/// The width in characters: the bytes that start one in UTF-8. Wide characters do not occur in device names seen so
/// far.
static size_t width(const char *text) {
  size_t count = 0;
  for (; *text; text++) count += ((unsigned char)*text & 0xC0) != 0x80;
  return count;
}

static void write_cell(weft__text *text, const char *cell, size_t column_width, bool right) {
  size_t padding = column_width - width(cell);
  if (right) weft__text_fill(text, ' ', padding);
  weft__text_add(text, "%s", cell);
  if (!right) weft__text_fill(text, ' ', padding);
  weft__text_fill(text, ' ', 2);
}

/// True if a column has numbers: its title and its missing values are right-aligned as they are.
static bool is_right(const table *t, size_t column) {
  for (size_t i = column; i < t->cell_count; i += (size_t)t->column_count)
    if (t->cells[i].right) return true;
  return false;
}

/// Ends a line, without trailing spaces.
static void end_line(weft__text *text, bool coloured) {
  while (text->length > 0 && text->chars[text->length - 1] == ' ') text->chars[--text->length] = 0;
  weft__text_add(text, "%s\n", coloured ? PLAIN : "");
}

void table_write(weft__text *text, const table *t, bool colour) {
  size_t columns = (size_t)t->column_count, rows = t->cell_count / columns;
  size_t *widths = calloc(columns, sizeof *widths);
  if (!widths || t->failed) {
    text->failed = true;
    goto done;
  }
  for (size_t j = 0; j < columns; j++) {
    widths[j] = width(t->columns[j].title);
    for (size_t i = 0; i < rows; i++) {
      size_t w = width(t->cells[i * columns + j].shown);
      if (w > widths[j]) widths[j] = w;
    }
  }
  if (colour) weft__text_add(text, BOLD);
  for (size_t j = 0; j < columns; j++) write_cell(text, t->columns[j].title, widths[j], is_right(t, j));
  end_line(text, colour);
  for (size_t i = 0; i < rows; i++) {
    bool marked = colour && i + 1 == t->marked_row;
    if (marked) weft__text_add(text, GREEN);
    for (size_t j = 0; j < columns; j++) {
      const table_cell *cell = &t->cells[i * columns + j];
      write_cell(text, cell->shown, widths[j], cell->right || (strcmp(cell->json, "null") == 0 && is_right(t, j)));
    }
    end_line(text, marked);
  }
done:
  free(widths);
}

void table_write_json(weft__text *text, const table *t) {
  size_t columns = (size_t)t->column_count, rows = t->cell_count / columns;
  if (t->failed) text->failed = true;
  weft__text_add(text, "[");
  for (size_t i = 0; i < rows; i++) {
    weft__text_add(text, "%s\n    {", i ? "," : "");
    for (size_t j = 0; j < columns; j++) {
      if (j) weft__text_add(text, ", ");
      weft__text_add_json(text, t->columns[j].key);
      weft__text_add(text, ": %s", t->cells[i * columns + j].json);
    }
    weft__text_add(text, "}");
  }
  weft__text_add(text, "%s]", rows ? "\n  " : "");
}

bool table_has_colour(int descriptor) {
  const char *no_colour = weft__getenv("NO_COLOR"), *terminal = weft__getenv("TERM");
  if (no_colour && *no_colour) return false;
  return isatty(descriptor) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}
