// SPDX-License-Identifier: MIT
#include "cli/command/picture.h"

#include <stdlib.h>
#include <string.h>

/// EDGE is NumPy's number of edge items; the others limit a full picture to a screen.
enum { EDGE = 3, MAX_ROWS = 24, MAX_LINE = 120 };

/* ---- layout ---- */

static picture_axis axis_of(uint64_t length, bool in_full) {
  if (in_full || length <= 2 * EDGE) return (picture_axis){length, (int)length, -1};
  return (picture_axis){length, 2 * EDGE + 1, EDGE};
}

/// The index of the block or thread drawn at `place`.
static uint64_t axis_index(const picture_axis *axis, int place) {
  return axis->gap < 0 || place < axis->gap ? (uint64_t)place : axis->length - (uint64_t)(axis->drawn - place);
}

static int digits(uint64_t number) {
  int count = 1;
  for (; number >= 10; number /= 10) count++;
  return count;
}

/// The largest width of an index within `dim`, in the form of demo_add_index.
static int label_width(const demo_run *run, weft_dim3 dim) {
  int plain = digits(dim.x - 1);
  return demo_is_flat(run) ? plain : plain + digits(dim.y - 1) + digits(dim.z - 1) + (int)strlen("(, , )");
}

static bool all_threads_fit(const demo_run *run, uint64_t blocks, uint64_t threads) {
  if (threads > MAX_LINE) return false;
  int cell = digits(blocks > UINT64_MAX / threads ? UINT64_MAX : blocks * threads - 1);
  int label = label_width(run, run->block);
  if (label > cell) cell = label;
  return label_width(run, run->grid) + (int)threads * (cell + 3) <= MAX_LINE;
}

/* ---- the records ---- */

/// Launches, and keeps the drawn records of the blocks from `first` on.
static weft_status keep_blocks(picture *p, uint64_t first, uint64_t count) {
  weft_thread_record *records = NULL;
  uint64_t record_count = 0;
  weft_status status = weft_introspect(&records, &record_count, p->run->context, p->run->grid, p->run->block,
                                       .first_block = first, .block_count = count);
  if (status != WEFT_OK) return status;
  for (int i = 0; i < p->rows.drawn; i++) {
    uint64_t block = axis_index(&p->rows, i);
    if (i == p->rows.gap || block < first || block - first >= count) continue;
    for (int j = 0; j < p->columns.drawn; j++) {
      uint64_t place = (block - first) * p->columns.length + axis_index(&p->columns, j);
      if (j != p->columns.gap && place < record_count) p->records[i * p->columns.drawn + j] = records[place];
    }
  }
  weft_free(records);
  return WEFT_OK;
}

int picture_make(picture *p, const demo_run *run) {
  uint64_t blocks = demo_count(run->grid), threads = demo_count(run->block);
  *p = (picture){.run = run};
  p->rows = axis_of(blocks, blocks <= MAX_ROWS);
  p->columns = axis_of(threads, all_threads_fit(run, blocks, threads));
  p->records = calloc((size_t)p->rows.drawn * (size_t)p->columns.drawn, sizeof *p->records);
  if (!p->records) return cli_fail(run->args, "not enough memory");
  /* Records whole blocks: three of them need little memory, and a full launch for each corner would take long. */
  weft_status status = keep_blocks(p, 0, p->rows.gap < 0 ? blocks : EDGE);
  if (status == WEFT_OK && p->rows.gap >= 0) status = keep_blocks(p, blocks - EDGE, EDGE);
  if (status == WEFT_OK) return CLI_OK;
  picture_free(p);
  return cli_report(run->args);
}

void picture_free(picture *p) {
  free(p->records);
  *p = (picture){0};
}

const weft_thread_record *picture_record(const picture *p, int row, int column) {
  return row == p->rows.gap || column == p->columns.gap ? NULL : &p->records[row * p->columns.drawn + column];
}

/* ---- texts ---- */

static const char gap_text[] = "...";

void picture_cell(weft__text *text, const picture *p, int row, int column) {
  const weft_thread_record *record = picture_record(p, row, column);
  weft__text_clear(text);
  if (record)
    weft__text_add(text, "%llu", (unsigned long long)record->flat_id);
  else
    weft__text_add(text, gap_text);
}

/* The first row and the first column are never a gap: their records contain the labels. */

void picture_row_label(weft__text *text, const picture *p, int row) {
  const weft_thread_record *record = picture_record(p, row, 0);
  weft__text_clear(text);
  if (record)
    demo_add_index(text, p->run, record->block_idx);
  else
    weft__text_add(text, gap_text);
}

void picture_column_label(weft__text *text, const picture *p, int column) {
  const weft_thread_record *record = picture_record(p, 0, column);
  weft__text_clear(text);
  if (record)
    demo_add_index(text, p->run, record->thread_idx);
  else
    weft__text_add(text, gap_text);
}

static void add_dim3(weft__text *text, weft_dim3 dim) {
  weft__text_add(text, "%llu", (unsigned long long)dim.x);
  if (dim.y > 1 || dim.z > 1) weft__text_add(text, "x%llu", (unsigned long long)dim.y);
  if (dim.z > 1) weft__text_add(text, "x%llu", (unsigned long long)dim.z);
}

void picture_caption(weft__text *text, const picture *p) {
  uint64_t threads = p->rows.length * p->columns.length;
  weft__text_clear(text);
  weft__text_add(text, "grid ");
  add_dim3(text, p->run->grid);
  weft__text_add(text, ", block ");
  add_dim3(text, p->run->block);
  weft__text_add(text, ": %llu thread%s on %s", (unsigned long long)threads, threads == 1 ? "" : "s",
                 p->run->device.name);
}

int picture_cell_width(const picture *p) {
  weft__text text = {0};
  size_t width = 0;
  for (int j = 0; j < p->columns.drawn; j++) {
    picture_column_label(&text, p, j);
    if (text.length > width) width = text.length;
    for (int i = 0; i < p->rows.drawn; i++) {
      picture_cell(&text, p, i, j);
      if (text.length > width) width = text.length;
    }
  }
  weft__text_free(&text);
  return (int)width;
}

int picture_row_label_width(const picture *p) {
  weft__text text = {0};
  size_t width = 0;
  for (int i = 0; i < p->rows.drawn; i++) {
    picture_row_label(&text, p, i);
    if (text.length > width) width = text.length;
  }
  weft__text_free(&text);
  return (int)width;
}

/* ---- the picture in characters ---- */

static void add_rule(weft__text *text, const picture *p, int label_columns, int cell_columns) {
  weft__text_fill(text, ' ', (size_t)label_columns + 1);
  for (int j = 0; j < p->columns.drawn; j++) {
    weft__text_add(text, "+");
    weft__text_fill(text, '-', (size_t)cell_columns + 2);
  }
  weft__text_add(text, "+\n");
}

void picture_write_text(weft__text *text, const picture *p) {
  static const char corner[] = "blockIdx", top[] = "threadIdx";
  weft__text word = {0};
  int cell = picture_cell_width(p), label = picture_row_label_width(p);
  if (label < (int)strlen(corner)) label = (int)strlen(corner);

  picture_caption(&word, p);
  weft__text_add(text, "%s\n\n%*s   %s\n%*s ", weft__text_chars(&word), label, "", top, label, corner);
  for (int j = 0; j < p->columns.drawn; j++) {
    picture_column_label(&word, p, j);
    weft__text_add(text, "  %*s%s", cell, weft__text_chars(&word), j + 1 < p->columns.drawn ? " " : "\n");
  }
  add_rule(text, p, label, cell);
  for (int i = 0; i < p->rows.drawn; i++) {
    picture_row_label(&word, p, i);
    weft__text_add(text, "%*s ", label, weft__text_chars(&word));
    for (int j = 0; j < p->columns.drawn; j++) {
      picture_cell(&word, p, i, j);
      weft__text_add(text, "| %*s ", cell, weft__text_chars(&word));
    }
    weft__text_add(text, "|\n");
    add_rule(text, p, label, cell);
  }
  text->failed = text->failed || word.failed;
  weft__text_free(&word);
}

/* ---- the picture as JSON ---- */

static void add_index_json(weft__text *text, const char *key, const uint32_t index[3]) {
  weft__text_add(text, "\"%s\": [%u, %u, %u], ", key, index[0], index[1], index[2]);
}

void picture_write_json(weft__text *text, const picture *p) {
  bool summarised = p->rows.gap >= 0 || p->columns.gap >= 0;
  weft__text_add(text, "{");
  demo_add_json(text, p->run);
  weft__text_add(text, ", \"summarised\": %s, \"rows\": [", summarised ? "true" : "false");
  for (int i = 0; i < p->rows.drawn; i++) {
    const weft_thread_record *first = picture_record(p, i, 0);
    if (!first) continue;
    weft__text_add(text, "%s\n{", i ? "," : "");
    add_index_json(text, "blockIdx", first->block_idx);
    weft__text_add(text, "\"cells\": [");
    for (int j = 0; j < p->columns.drawn; j++) {
      const weft_thread_record *record = picture_record(p, i, j);
      if (!record) continue;
      weft__text_add(text, "%s{", j ? ", " : "");
      add_index_json(text, "threadIdx", record->thread_idx);
      weft__text_add(text, "\"index\": %llu}", (unsigned long long)record->flat_id);
    }
    weft__text_add(text, "]}");
  }
  weft__text_add(text, "\n]}\n");
}
