// SPDX-License-Identifier: MIT
// The picture of a launch as SVG: plain rectangles and texts, for a document or a slide.
#include "cli/picture.h"

/// In SVG's pixels. A character of the monospaced font at this size is less than CHARACTER wide.
enum { FONT = 14, CHARACTER = 9, CELL_HEIGHT = 32, MARGIN = 16, PADDING = 10, HEAD = 3 * CELL_HEIGHT };

static const char row_fill[2][8] = {"#e8f0fe", "#fef3e2"}; /* alternating by block, to separate the rows */

/// Adds text for XML 1.0 in any encoding: characters outside ASCII become '?', because a driver's name may contain any
/// bytes.
static void add_escaped(weft__text *text, const char *string) {
  for (const char *c = string; *c; c++) {
    if (*c == '&')
      weft__text_add(text, "&amp;");
    else if (*c == '<')
      weft__text_add(text, "&lt;");
    else if (*c == '>')
      weft__text_add(text, "&gt;");
    else
      weft__text_add(text, "%c", *c >= 0x20 && *c < 0x7f ? *c : '?');
  }
}

static void add_text(weft__text *svg, int x, int y, const char *attributes, const char *string) {
  weft__text_add(svg, "<text x=\"%d\" y=\"%d\"%s>", x, y, attributes);
  add_escaped(svg, string);
  weft__text_add(svg, "</text>\n");
}

void picture_write_svg(weft__text *svg, const picture *p) {
  static const char middle[] = " text-anchor=\"middle\"", end[] = " text-anchor=\"end\"",
                    bold[] = " font-weight=\"bold\"";
  weft__text word = {0};
  int cell = picture_cell_width(p) * CHARACTER + 2 * PADDING;
  int label = picture_row_label_width(p) * CHARACTER;
  if (label < 8 * CHARACTER) label = 8 * CHARACTER; /* "blockIdx" */
  int left = MARGIN + label + PADDING, top = MARGIN + HEAD;
  int baseline = CELL_HEIGHT / 2 + FONT / 3;
  picture_caption(&word, p);
  int width = left + p->columns.drawn * cell + MARGIN, height = top + p->rows.drawn * CELL_HEIGHT + MARGIN;
  int caption_width = (int)word.length * CHARACTER + 2 * MARGIN;
  if (width < caption_width) width = caption_width;

  weft__text_add(svg,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                 "font-family=\"monospace\" "
                 "font-size=\"%d\">\n<title>",
                 width, height, width, height, FONT);
  add_escaped(svg, weft__text_chars(&word));
  weft__text_add(svg, "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
  add_text(svg, MARGIN, MARGIN + FONT, "", weft__text_chars(&word));
  add_text(svg, left + PADDING, top - CELL_HEIGHT - PADDING, bold, "threadIdx");
  add_text(svg, MARGIN, top - PADDING, bold, "blockIdx");
  for (int j = 0; j < p->columns.drawn; j++) {
    picture_column_label(&word, p, j);
    add_text(svg, left + j * cell + cell / 2, top - PADDING, middle, weft__text_chars(&word));
  }
  for (int i = 0; i < p->rows.drawn; i++) {
    int y = top + i * CELL_HEIGHT;
    picture_row_label(&word, p, i);
    add_text(svg, left - PADDING, y + baseline, end, weft__text_chars(&word));
    for (int j = 0; j < p->columns.drawn; j++) {
      int x = left + j * cell;
      const char *fill = picture_record(p, i, j) ? row_fill[i % 2] : "none";
      weft__text_add(svg, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#555\"/>\n", x, y,
                     cell, CELL_HEIGHT, fill);
      picture_cell(&word, p, i, j);
      add_text(svg, x + cell / 2, y + baseline, middle, weft__text_chars(&word));
    }
  }
  weft__text_add(svg, "</svg>\n");
  svg->failed = svg->failed || word.failed;
  weft__text_free(&word);
}
