// SPDX-License-Identifier: MIT
/// A table that is filled once and written either aligned for people or as JSON for programs.
#ifndef WEFT_CLI_TEXT_TABLE_H
#define WEFT_CLI_TEXT_TABLE_H

#include <weft/shape.h>

#include "base/text.h"

typedef struct table_column {
  const char *key;   /* in JSON */
  const char *title; /* above the column */
} table_column;

typedef struct table_cell {
  char *shown; /* for people; owned */
  char *json;  /* for programs; owned */
  bool right;  /* numbers are right-aligned */
} table_cell;

/// A table with only `columns` and `column_count` set is empty. Cells are added row by row, left to right. If memory
/// runs out, the table sets `failed`, and writing it fails.
typedef struct table {
  const table_column *columns;
  int column_count;
  table_cell *cells;
  size_t cell_count, cell_capacity;
  size_t marked_row; /* 1 + the row to highlight where there is colour; 0: none */
  bool failed;
} table;

void table_add_text(table *t, const char *text);
/// Shows one text to people, and another in JSON.
void table_add_text_as(table *t, const char *shown, const char *json);
/// Shows "-"; null in JSON.
void table_add_none(table *t);
void table_add_number(table *t, uint64_t number);
/// Shows a number with `digits` decimals.
void table_add_decimal(table *t, double number, int digits);
/// Shows "1.5 GiB"; the number of bytes in JSON.
void table_add_size(table *t, uint64_t size_bytes);
/// Shows "(3, 4)", as Python; a list in JSON.
void table_add_shape(table *t, weft_shape shape);
/// Shows a number in its own notation, and `json` in JSON.
void table_add_number_as(table *t, const char *shown, const char *json);
/// Shows "yes" or "no"; true or false in JSON.
void table_add_bool(table *t, bool value);
/// Shows "*" or nothing; true or false in JSON.
void table_add_mark(table *t, bool value);
/// Highlights the row that was completed last.
void table_mark_row(table *t);
void table_free(table *t);

/// Appends the aligned table, titles first; every line ends with a newline.
void table_write(weft__text *text, const table *t, bool colour);
/// Appends a JSON array with an object for each row.
void table_write_json(weft__text *text, const table *t);

/// True if `descriptor` is a terminal that shows colours and the user has not set NO_COLOR (https://no-color.org).
bool table_has_colour(int descriptor);

#endif
