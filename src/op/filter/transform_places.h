// SPDX-License-Identifier: MIT
/// The elements of splines at places along an axis, and their weights, as cl/filter/transform.cl has them. Define
/// before including: TARGET, an attribute; NAME(name), the functions' names; S, float or double, the type of sums.
#define STEP WEFT__TRANSFORM_CHUNK

/// At `part` behind the second of four, or the first of two.
TARGET static inline void NAME(weigh)(S *w, S part, const int taps) {
  const S rest = 1 - part;
  if (taps == 4) {
    const S second = (part * part * (part - 2) * 3 + 4) / 6, third = (rest * rest * (rest - 2) * 3 + 4) / 6;
    const S first = rest * rest * rest / 6;
    w[0] = first;
    w[STEP] = second;
    w[2 * STEP] = third;
    w[3 * STEP] = 1 - first - second - third;
  } else {
    w[0] = taps == 1 ? 1 : rest;
    if (taps == 2) w[STEP] = part;
  }
}

/// Of any place. Returns false for a constant, and where there is no place.
static bool NAME(find_one)(weft__spline_axis *axis, int64_t c, double place, const weft__spline_line *l) {
  const int64_t n = l->n;
  const double most = (double)(n - 1);
  S *w = (S *)(void *)axis->weight + c;
  /* a border of constants mirrors the spline */
  const int border = l->border == WEFT__BORDER_CONSTANT ? WEFT__BORDER_REFLECT : l->border;
  double p = place + (double)l->margin;
  for (int k = 0; k < l->taps; k++) axis->at[k][c] = 0;
  if (l->border == WEFT__BORDER_CONSTANT && !(p >= 0 && p <= most)) return false;
  if (l->border == WEFT__BORDER_EDGE) { /* cubic splines go on with their last coefficient */
    const double low = l->taps < 4 ? 0 : -4, high = l->taps < 4 ? most : (double)(n + 4);
    p = p < low ? low : p > high ? high : p;
  } else if (!(fabs(p) < (double)1e15f)) { /* no integer: by the border's period; an infinity becomes NaN */
    const int64_t turn = n > 1 ? 2 * (n - 1) : 2;
    p = fmod(p, (double)(border == WEFT__BORDER_WRAP ? n : border == WEFT__BORDER_SYMMETRIC ? 2 * n : turn));
  }
  if (isnan(p)) return false;
  const double whole = floor(l->taps == 1 ? p + 0.5 : p);
  const int64_t begin = (int64_t)whole - (l->taps == 4);
  NAME(weigh)(w, (S)(p - whole), l->taps);
  for (int k = 0; k < l->taps; k++)
    axis->at[k][c] = (int32_t)((n == 1 ? 0 : weft_inside(begin + k, n, border)) * l->stride);
  return true;
}

/// Of places whose splines are inside; the others become an element of the array. Whether all are inside.
TARGET static inline bool NAME(find_inside)(weft__spline_axis *restrict axis, const double *restrict place,
                                            int64_t count, const weft__spline_line *l, const int taps) {
  const double margin = (double)l->margin, least = taps == 4, end = (double)(l->n - 1 - (taps == 4));
  const int32_t step = (int32_t)l->stride, before = taps == 4;
  S *restrict w = (S *)(void *)axis->weight;
  int32_t all = 1;
  for (int64_t c = 0; c < count; c++) {
    const double p = place[c] + margin;
    const int32_t is_inside = (p >= least) & (p < end);
    const double q = is_inside ? p : least;
    const int32_t whole = (int32_t)(taps == 1 ? q + 0.5 : q);
    axis->is_inside[c] = is_inside;
    all &= is_inside;
    for (int k = 0; k < taps; k++) axis->at[k][c] = (whole - before + k) * step;
    NAME(weigh)(w + c, (S)(q - (double)whole), taps);
  }
  return all;
}

TARGET static void NAME(find)(weft__spline_axis *axis, const double *place, int64_t count, const weft__spline_line *l) {
  const bool is_inside = l->taps == 1   ? NAME(find_inside)(axis, place, count, l, 1)
                         : l->taps == 2 ? NAME(find_inside)(axis, place, count, l, 2)
                                        : NAME(find_inside)(axis, place, count, l, 4);
  axis->taps = l->taps;
  axis->outside = 0;
  for (int64_t c = 0; c < count && !is_inside; c++) {
    axis->is_outside[c] = !axis->is_inside[c] && !NAME(find_one)(axis, c, place[c], l);
    axis->outside += axis->is_outside[c];
  }
}

TARGET static void NAME(walk)(double *place, const double step[4], int64_t count) {
  const double before = step[0], slope = step[1], first = step[2], offset = step[3];
  for (int32_t c = 0; c < (int32_t)count; c++) place[c] = before + slope * (first + (double)c) + offset;
}

TARGET static void NAME(join)(void *weight, int32_t *where, const void *weights, const int32_t *places, bool is_one,
                              const weft__spline_axis *axis, int tap, int64_t count) {
  const S *by = (const S *)(const void *)axis->weight + tap * STEP, *from = weights;
  const int32_t *at = axis->at[tap];
  S *restrict to = weight;
  if (is_one || axis->is_one) {
    const S factor = is_one ? from[0] : by[0];
    const int32_t begin = is_one ? places[0] : at[0];
    by = is_one ? by : from;
    at = is_one ? at : places;
    for (int64_t c = 0; c < count; c++) to[c] = factor * by[c];
    for (int64_t c = 0; c < count; c++) where[c] = begin + at[c];
  } else {
    for (int64_t c = 0; c < count; c++) to[c] = from[c] * by[c];
    for (int64_t c = 0; c < count; c++) where[c] = places[c] + at[c];
  }
}

TARGET static void NAME(add)(void *to, const void *from, const void *weight, bool is_row, const weft__spline_axis *last,
                             const void *elements, int64_t count) {
  const S *by = weight, *v = (const S *)(const void *)last->weight, *x = elements, *before = from, row = by[0];
  S *sum = to;
  if (last->taps == 1) {
    WEFT__NO_OVERLAP
    for (int64_t c = 0; c < count; c++) sum[c] = before[c] + (is_row ? row : by[c]) * v[c] * x[c];
    return;
  }
  for (int k = 0; k < last->taps; k += 2, v += 2 * STEP, x += 2 * STEP, before = sum) {
    WEFT__NO_OVERLAP
    for (int64_t c = 0; c < count; c++) {
      const S w = is_row ? row : by[c];
      sum[c] = before[c] + w * v[c] * x[c] + w * v[STEP + c] * x[STEP + c];
    }
  }
}

#undef STEP
#undef S
#undef NAME
