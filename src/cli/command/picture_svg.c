// SPDX-License-Identifier: MIT
// The picture of a launch as SVG. Rows alternate in colour by block.
#include "cli/command/picture.h"
#include "cli/base/svg.h"

enum { CELL_HEIGHT = 32, MARGIN = 16, PADDING = 10, HEAD = 3 * CELL_HEIGHT };

void picture_write_svg(weft__text *svg, const picture *p) {
  static const char middle[] = " class=\"ink\" text-anchor=\"middle\"", end[] = " class=\"ink\" text-anchor=\"end\"",
                    bold[] = " class=\"ink\" font-weight=\"bold\"";
  weft__text word = {0};
  int cell = picture_cell_width(p) * SVG_CHARACTER + 2 * PADDING;
  int label = picture_row_label_width(p) * SVG_CHARACTER;
  if (label < 8 * SVG_CHARACTER) label = 8 * SVG_CHARACTER; /* "blockIdx" */
  int left = MARGIN + label + PADDING, top = MARGIN + HEAD;
  int baseline = CELL_HEIGHT / 2 + SVG_FONT / 3;
  picture_caption(&word, p);
  int width = left + p->columns.drawn * cell + MARGIN, height = top + p->rows.drawn * CELL_HEIGHT + MARGIN;
  int caption_width = (int)word.length * SVG_CHARACTER + 2 * MARGIN;
  if (width < caption_width) width = caption_width;

  svg_begin(svg, width, height, weft__text_chars(&word));
  svg_text(svg, MARGIN, MARGIN + SVG_FONT, " class=\"ink\"", weft__text_chars(&word));
  svg_text(svg, left + PADDING, top - CELL_HEIGHT - PADDING, bold, "threadIdx");
  svg_text(svg, MARGIN, top - PADDING, bold, "blockIdx");
  for (int j = 0; j < p->columns.drawn; j++) {
    picture_column_label(&word, p, j);
    svg_text(svg, left + j * cell + cell / 2, top - PADDING, middle, weft__text_chars(&word));
  }
  for (int i = 0; i < p->rows.drawn; i++) {
    int y = top + i * CELL_HEIGHT;
    picture_row_label(&word, p, i);
    svg_text(svg, left - PADDING, y + baseline, end, weft__text_chars(&word));
    for (int j = 0; j < p->columns.drawn; j++) {
      int x = left + j * cell;
      svg_rectangle(svg, x, y, cell, CELL_HEIGHT,
                    !picture_record(p, i, j) ? " class=\"cell none\""
                    : i % 2                  ? " class=\"cell odd\""
                                             : " class=\"cell even\"");
      picture_cell(&word, p, i, j);
      svg_text(svg, x + cell / 2, y + baseline, middle, weft__text_chars(&word));
    }
  }
  svg_end(svg);
  svg->failed = svg->failed || word.failed;
  weft__text_free(&word);
}
