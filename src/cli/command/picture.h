// SPDX-License-Identifier: MIT
/// The picture of a launch: each block is a row, each thread a cell. An axis that is too long shows only its ends, with
/// a row or column of "..." between them.
#ifndef WEFT_CLI_PICTURE_H
#define WEFT_CLI_PICTURE_H

#include "cli/command/demo.h"

/// The drawn part of the blocks, or of the threads of a block.
typedef struct picture_axis {
  uint64_t length; /* blocks in the grid, threads in a block */
  int drawn;       /* rows or columns, including "..." */
  int gap;         /* the row or column of "..."; -1: none */
} picture_axis;

typedef struct picture {
  const demo_run *run;
  picture_axis rows, columns;
  weft_thread_record *records; /* rows.drawn * columns.drawn; the gap's are unset */
} picture;

/// Launches once or twice, as needed, and keeps the drawn records. Returns an exit status; on failure it has printed
/// the reason on stderr.
int picture_make(picture *p, const demo_run *run);
void picture_free(picture *p);

/// The record of a cell; NULL if row or column is the gap.
const weft_thread_record *picture_record(const picture *p, int row, int column);
/// The texts of cells and labels; "..." for the gap. They replace the content of `text`.
void picture_cell(weft__text *text, const picture *p, int row, int column);
void picture_row_label(weft__text *text, const picture *p, int row);
void picture_column_label(weft__text *text, const picture *p, int column);
/// "grid 2, block 4: 8 threads on NAME"
void picture_caption(weft__text *text, const picture *p);
/// The width in characters of the widest cell or column label, and of the widest row label.
int picture_cell_width(const picture *p);
int picture_row_label_width(const picture *p);

/// Each appends the whole picture.
void picture_write_text(weft__text *text, const picture *p);
void picture_write_json(weft__text *text, const picture *p);
void picture_write_svg(weft__text *text, const picture *p);

#endif
