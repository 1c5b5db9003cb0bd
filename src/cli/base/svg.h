// SPDX-License-Identifier: MIT
/// Writes SVG: plain rectangles, lines and texts, for a document or a slide. The colours follow the reader's choice of
/// a dark or a light page. Classes: ink (text), soft (side texts), own and beside (bars), grid (lines), even and odd
/// (cells).
#ifndef WEFT_CLI_SVG_H
#define WEFT_CLI_SVG_H

#include "base/text.h"

/// In SVG's pixels. A character of the monospaced font is less than SVG_CHARACTER wide.
enum { SVG_FONT = 14, SVG_CHARACTER = 9 };

void svg_begin(weft__text *svg, int width, int height, const char *title);
/// A text with its baseline at y. `attributes` begin with a blank: " class=\"ink\" text-anchor=\"end\"".
void svg_text(weft__text *svg, double x, double y, const char *attributes, const char *string);
void svg_rectangle(weft__text *svg, double x, double y, double width, double height, const char *attributes);
void svg_line(weft__text *svg, double x1, double y1, double x2, double y2);
void svg_end(weft__text *svg);

#endif
