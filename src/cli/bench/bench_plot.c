// SPDX-License-Identifier: MIT
// The plot of `weft bench ... --svg`: horizontal bars, a panel for each unit. Weft's figure is the broad bar, the floor
// or the driver's figure the narrow one. A panel whose figures differ by a factor of more than LOG_FROM has a
// logarithmic axis.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/base/svg.h"

enum {
  MARGIN = 16,
  LINE = 20, /* of the head */
  ROW = 26,
  PANEL_HEAD = 52,
  BARS = 420,  /* the width of the axis */
  NUMBER = 10, /* characters of a column of figures */
  LOG_FROM = 30,
};

static const char ink[] = " class=\"ink\"", soft[] = " class=\"soft\"", bold[] = " class=\"ink\" font-weight=\"bold\"",
                  soft_end[] = " class=\"soft\" text-anchor=\"end\"", ink_end[] = " class=\"ink\" text-anchor=\"end\"",
                  soft_middle[] = " class=\"soft\" text-anchor=\"middle\"";

typedef struct plot {
  weft__text *svg;
  const table *t;
  const bench_plot *of;
  int own, beside, unit, count;          /* columns; unit and count may be -1 */
  int left, first_number, second_number; /* the axis' left end, and the right ends of the columns of figures */
  int width, y;
} plot;

static int column_of(const table *t, const char *key) {
  for (int i = 0; i < t->column_count; i++)
    if (key && strcmp(t->columns[i].key, key) == 0) return i;
  return -1;
}

static size_t rows_of(const table *t) {
  return t->cell_count / (size_t)t->column_count;
}

static const table_cell *cell(const table *t, size_t row, int column) {
  return &t->cells[row * (size_t)t->column_count + (size_t)column];
}

/// The figure; NAN for a cell without a number.
static double figure(const table *t, size_t row, int column) {
  char *end;
  const char *text = cell(t, row, column)->shown;
  double value = strtod(text, &end);
  return end == text || value < 0 ? NAN : value;
}

static const char *unit_of(const plot *p, size_t row) {
  return p->unit < 0 ? p->of->unit : cell(p->t, row, p->unit)->shown;
}

/// The row's name. If the table has numbers of elements, a row with another number than the first has it in its name.
static void add_label(weft__text *text, const plot *p, size_t row) {
  weft__text_add(text, "%s", cell(p->t, row, 0)->shown);
  if (p->count < 0) return;
  double n = figure(p->t, row, p->count);
  int power;
  if (n == figure(p->t, 0, p->count)) return;
  if (frexp(n, &power) == 0.5)
    weft__text_add(text, ", n = 2^%d", power - 1);
  else
    weft__text_add(text, ", n = %.0f", n);
}

/* ---- the axis ---- */

typedef struct axis {
  bool is_log;
  double from, to; /* their logarithms if is_log */
} axis;

static axis find_axis(const plot *p, const char *unit) {
  double least = INFINITY, most = 0;
  for (size_t row = 0; row < rows_of(p->t); row++) {
    if (strcmp(unit_of(p, row), unit) != 0) continue;
    for (int k = 0; k < 2; k++) {
      double value = figure(p->t, row, k ? p->beside : p->own);
      if (value > 0 && value < least) least = value;
      if (value > most) most = value;
    }
  }
  if (most <= 0) return (axis){.to = 1};
  if (most / least <= LOG_FROM) return (axis){.to = 1.05 * most};
  return (axis){true, floor(log10(0.9 * least)), log10(1.1 * most)};
}

static double place(const plot *p, const axis *a, double value) {
  if (a->is_log) value = value > 0 ? log10(value) : a->from;
  double share = (value - a->from) / (a->to - a->from);
  return p->left + BARS * (share < 0 ? 0 : share);
}

static void draw_tick(const plot *p, const axis *a, double value, int bottom) {
  char text[32];
  double x = place(p, a, value);
  snprintf(text, sizeof text, "%.10g", value);
  svg_line(p->svg, x, p->y - 4, x, bottom);
  svg_text(p->svg, x, p->y - 8, soft_middle, text);
}

static void draw_axis(const plot *p, const axis *a, int bottom) {
  if (a->is_log) {
    for (int i = 0; a->from + i <= a->to; i++) draw_tick(p, a, pow(10, a->from + i), bottom);
    return;
  }
  double step = pow(10, floor(log10(a->to / 4)));
  step *= a->to / step > 20 ? 5 : a->to / step > 8 ? 2 : 1;
  for (int i = 0; i * step <= a->to; i++) draw_tick(p, a, i * step, bottom);
}

/* ---- the panels ---- */

static void draw_bar(const plot *p, const axis *a, double value, int y, int height, const char *attributes) {
  if (!isnan(value)) svg_rectangle(p->svg, p->left, y, place(p, a, value) - p->left, height, attributes);
}

static void draw_row(plot *p, const axis *a, size_t row) {
  weft__text label = {0};
  int baseline = p->y + ROW / 2 + SVG_FONT / 3;
  add_label(&label, p, row);
  svg_text(p->svg, p->left - SVG_CHARACTER, baseline, ink_end, weft__text_chars(&label));
  draw_bar(p, a, figure(p->t, row, p->own), p->y + 4, 11, " class=\"own\"");
  draw_bar(p, a, figure(p->t, row, p->beside), p->y + 16, 6, " class=\"beside\"");
  svg_text(p->svg, p->first_number, baseline, ink_end, cell(p->t, row, p->own)->shown);
  svg_text(p->svg, p->second_number, baseline, soft_end, cell(p->t, row, p->beside)->shown);
  p->y += ROW;
  p->svg->failed = p->svg->failed || label.failed;
  weft__text_free(&label);
}

/// The rows of one unit. "/s" marks a rate.
static void draw_panel(plot *p, const char *unit) {
  axis a = find_axis(p, unit);
  weft__text title = {0};
  int count = 0;
  for (size_t row = 0; row < rows_of(p->t); row++) count += strcmp(unit_of(p, row), unit) == 0;
  weft__text_add(&title, "%s, %s is better%s", unit, strstr(unit, "/s") ? "more" : "less",
                 a.is_log ? "; logarithmic axis" : "");
  svg_text(p->svg, p->left, p->y + SVG_FONT, bold, weft__text_chars(&title));
  weft__text_free(&title);
  p->y += PANEL_HEAD;
  draw_axis(p, &a, p->y + count * ROW);
  for (size_t row = 0; row < rows_of(p->t); row++)
    if (strcmp(unit_of(p, row), unit) == 0) draw_row(p, &a, row);
  p->y += MARGIN;
}

/// True if no row before this one has its unit.
static bool is_first(const plot *p, size_t row) {
  for (size_t before = 0; before < row; before++)
    if (strcmp(unit_of(p, before), unit_of(p, row)) == 0) return false;
  return true;
}

/* ---- the head ---- */

/// Draws a text in as many lines as it takes; with `svg` NULL only counts them.
static int draw_lines(weft__text *svg, int width, int y, const char *attributes, const char *string) {
  int lines = 0, room = (width - 2 * MARGIN) / SVG_CHARACTER;
  while (*string) {
    int length = (int)strlen(string);
    if (length > room) {
      for (length = room; length > 0 && string[length] != ' ';) length--;
      if (length == 0) length = room; /* a long word */
    }
    weft__text part = {0};
    weft__text_add_bytes(&part, string, (size_t)length);
    if (svg) svg_text(svg, MARGIN, y + lines * LINE + SVG_FONT, attributes, weft__text_chars(&part));
    weft__text_free(&part);
    string += length;
    while (*string == ' ') string++;
    lines++;
  }
  return lines;
}

static void draw_legend(plot *p) {
  int own = p->left, beside = p->left + 10 * SVG_CHARACTER;
  svg_rectangle(p->svg, own, p->y + 3, 14, 11, " class=\"own\"");
  svg_text(p->svg, own + 20, p->y + SVG_FONT, ink, "Weft");
  svg_rectangle(p->svg, beside, p->y + 6, 14, 6, " class=\"beside\"");
  svg_text(p->svg, beside + 20, p->y + SVG_FONT, soft, p->of->beside_is);
  svg_text(p->svg, p->first_number, p->y + SVG_FONT, ink_end, "Weft");
  svg_text(p->svg, p->second_number, p->y + SVG_FONT, soft_end, strrchr(p->of->beside_is, ' ') + 1);
  p->y += LINE + MARGIN / 2;
}

static int label_width(const plot *p) {
  weft__text label = {0};
  size_t most = 0;
  for (size_t row = 0; row < rows_of(p->t); row++) {
    weft__text_clear(&label);
    add_label(&label, p, row);
    if (label.length > most) most = label.length;
  }
  weft__text_free(&label);
  return (int)most * SVG_CHARACTER;
}

void bench_write_svg(weft__text *svg, const table *t, const bench_report *report, const char *const *head) {
  plot p = {.svg = svg, .t = t, .of = &report->plot, .y = MARGIN};
  p.own = column_of(t, p.of->own);
  p.beside = column_of(t, p.of->beside);
  p.unit = p.of->unit ? -1 : column_of(t, "unit");
  p.count = column_of(t, "n");
  p.left = MARGIN + label_width(&p) + SVG_CHARACTER;
  p.first_number = p.left + BARS + NUMBER * SVG_CHARACTER;
  p.second_number = p.first_number + NUMBER * SVG_CHARACTER;
  p.width = p.second_number + MARGIN;

  int height = 2 * MARGIN + LINE + MARGIN / 2 + (int)rows_of(t) * ROW;
  for (int i = 0; head[i]; i++) height += LINE * draw_lines(NULL, p.width, 0, ink, head[i]);
  for (size_t row = 0; row < rows_of(t); row++) height += is_first(&p, row) ? PANEL_HEAD + MARGIN : 0;
  svg_begin(svg, p.width, height, head[0]);
  for (int i = 0; head[i]; i++) p.y += LINE * draw_lines(svg, p.width, p.y, i ? soft : bold, head[i]);
  p.y += MARGIN / 2;
  draw_legend(&p);
  for (size_t row = 0; row < rows_of(t); row++)
    if (is_first(&p, row)) draw_panel(&p, unit_of(&p, row));
  svg_end(svg);
}
