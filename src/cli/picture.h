// SPDX-License-Identifier: MIT
/// The picture of a launch: each block a row, each thread a cell. Where it would be too large only the edges of an axis
/// are in it, with one row or column of "..." between them.
#ifndef WEFT_CLI_PICTURE_H
#define WEFT_CLI_PICTURE_H

#include "cli/demo.h"

/// What of the blocks (or of the threads of a block) is drawn.
typedef struct picture_axis {
  uint64_t length; /* blocks in the grid, threads in a block */
  int drawn;       /* rows or columns, "..." among them */
  int gap;         /* which of them is "...", -1 for none */
} picture_axis;

typedef struct picture {
  const demo_run *run;
  picture_axis rows, columns;
  weft_thread_record *records; /* rows.drawn * columns.drawn; those of a gap are unset */
} picture;

/// Launches as often as needed, once or twice, and keeps the records that are drawn. Returns an exit status, after
/// saying on stderr what went wrong.
int picture_make(picture *p, const demo_run *run);
void picture_free(picture *p);

/// The record of a cell; NULL where row or column is the gap.
const weft_thread_record *picture_record(const picture *p, int row, int column);
/// The texts of cells and of the numbers around them; "..." for the gap. They replace what is in `text`.
void picture_cell(weft__text *text, const picture *p, int row, int column);
void picture_row_label(weft__text *text, const picture *p, int row);
void picture_column_label(weft__text *text, const picture *p, int column);
/// "grid 2, block 4: 8 threads on NAME"
void picture_caption(weft__text *text, const picture *p);
/// Characters of the widest cell or column label, and of the widest row label.
int picture_cell_width(const picture *p);
int picture_row_label_width(const picture *p);

/// Each appends the whole picture.
void picture_write_text(weft__text *text, const picture *p);
void picture_write_json(weft__text *text, const picture *p);
void picture_write_svg(weft__text *text, const picture *p);

#endif
