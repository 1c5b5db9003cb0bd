// SPDX-License-Identifier: MIT
#include "cli/base/svg.h"

static const char style[] =
    "<style>\n"
    ".page { fill: #ffffff } .ink { fill: #1f2328 } .soft { fill: #59636e } .grid { stroke: #d1d9e0 }\n"
    ".own { fill: #0969da } .beside { fill: #a3acb6 } .even { fill: #e8f0fe } .odd { fill: #fef3e2 }\n"
    ".cell { stroke: #59636e } .none { fill: none }\n"
    "@media (prefers-color-scheme: dark) {\n"
    ".page { fill: #0d1117 } .ink { fill: #e6edf3 } .soft { fill: #a3acb6 } .grid { stroke: #30363d }\n"
    ".own { fill: #58a6ff } .beside { fill: #6e7681 } .even { fill: #1b2a41 } .odd { fill: #3a2d17 }\n"
    ".cell { stroke: #848d97 } }\n"
    "</style>\n";

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

void svg_begin(weft__text *svg, int width, int height, const char *title) {
  weft__text_add(svg,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                 "font-family=\"monospace\" font-size=\"%d\">\n<title>",
                 width, height, width, height, SVG_FONT);
  add_escaped(svg, title);
  weft__text_add(svg, "</title>\n%s<rect width=\"100%%\" height=\"100%%\" class=\"page\"/>\n", style);
}

void svg_text(weft__text *svg, double x, double y, const char *attributes, const char *string) {
  weft__text_add(svg, "<text x=\"%g\" y=\"%g\"%s>", x, y, attributes);
  add_escaped(svg, string);
  weft__text_add(svg, "</text>\n");
}

void svg_rectangle(weft__text *svg, double x, double y, double width, double height, const char *attributes) {
  weft__text_add(svg, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"%s/>\n", x, y, width, height, attributes);
}

void svg_line(weft__text *svg, double x1, double y1, double x2, double y2) {
  weft__text_add(svg, "<line x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" class=\"grid\"/>\n", x1, y1, x2, y2);
}

void svg_end(weft__text *svg) {
  weft__text_add(svg, "</svg>\n");
}
