// SPDX-License-Identifier: MIT
/// The loops of distance_host.c for one dtype of distances. To define before including: T, float or double; NAME(name),
/// the names of its loops.

/// The memory of a share: of the lines of a group element by element, the squared distances before and after the pass
/// and the places of the nearest zeros; of a line's envelope the k, and where each becomes lower than the one before.
struct NAME(room) {
  T *before, *after, *meets;
  int32_t *nearest, *stack;
};

static bool NAME(make_room)(struct NAME(room) * r, uint64_t length, uint64_t lines) {
  const uint64_t all = length * lines;
  r->before = malloc((2 * all + length) * sizeof(T) + (all + length) * sizeof(int32_t));
  if (!r->before) return false;
  r->after = r->before + all;
  r->meets = r->after + all;
  r->nearest = (int32_t *)(r->meets + length);
  r->stack = r->nearest + all;
  return true;
}

/// Squared distances to the nearest zeros of lines, and these: first to those in front.
static void NAME(find_zeros)(const struct NAME(room) * r, const distance_lines *p, const uint8_t *x, uint64_t lines,
                             int32_t place) {
  const T step = (T)p->step;
  const int64_t n = (int64_t)p->length, inner = (int64_t)p->inner, width = (int64_t)lines;
  int64_t zero[MOST_LINES];
  for (int64_t c = 0; c < width; c++) zero[c] = -1;
  for (int64_t i = 0; i < n; i++)
    for (int64_t c = 0; c < width; c++) {
      if (!x[i * inner + c]) zero[c] = i;
      r->nearest[i * width + c] = zero[c] < 0 ? -1 : (int32_t)(place + c + zero[c] * inner);
      r->after[i * width + c] = zero[c] < 0 ? (T)INFINITY : step * (T)(i - zero[c]) * (T)(i - zero[c]);
    }
  for (int64_t c = 0; c < width; c++) zero[c] = -1;
  for (int64_t i = n - 1; i >= 0; i--)
    for (int64_t c = 0; c < width; c++) {
      if (!x[i * inner + c]) zero[c] = i;
      const T square = zero[c] < 0 ? (T)INFINITY : step * (T)(zero[c] - i) * (T)(zero[c] - i);
      if (square >= r->after[i * width + c]) continue;
      r->after[i * width + c] = square;
      r->nearest[i * width + c] = (int32_t)(place + c + zero[c] * inner);
    }
}

/// Where the parabola of k becomes lower than the one of j, which is in front.
static inline T NAME(meet)(const T *f, int64_t width, int64_t j, int64_t k, T step) {
  const T rise = f[k * width] - f[j * width] + step * ((T)k * (T)k - (T)j * (T)j);
  return rise / (2 * step * (T)(k - j));
}

/// The least step * (i - k)^2 + f(k) of each i of a line, and the nearest zero of its k.
static void NAME(find_least)(const struct NAME(room) * r, const distance_lines *p, const int32_t *nearest,
                             uint64_t lines, int64_t line) {
  const T step = (T)p->step, *f = r->before + line;
  const int64_t n = (int64_t)p->length, inner = (int64_t)p->inner, width = (int64_t)lines;
  int64_t top = -1;
  for (int64_t k = 0; k < n; k++) {
    if (f[k * width] == (T)INFINITY) continue;
    T meets = 0;
    while (top >= 0 && (meets = NAME(meet)(f, width, r->stack[top], k, step), top >= 1) && meets <= r->meets[top])
      top--;
    top++;
    r->stack[top] = (int32_t)k;
    r->meets[top] = meets;
  }
  for (int64_t i = 0, at = 0; i < n; i++) {
    while (at < top && r->meets[at + 1] < (T)i) at++;
    const int64_t k = top < 0 ? 0 : r->stack[at];
    r->after[i * width + line] = top < 0 ? (T)INFINITY : step * (T)(i - k) * (T)(i - k) + f[k * width];
    r->nearest[i * width + line] = top < 0 ? -1 : nearest[k * inner + line];
  }
}

/// A group of lines, which begin at element `place` of the arrays.
static void NAME(run_group)(const struct NAME(room) * r, const distance_job *j, uint64_t lines, uint64_t place) {
  const distance_lines *p = j->pass;
  const uint64_t n = p->length, inner = p->inner;
  T *to = (T *)j->data[0] + place;
  int32_t *nearest_to = (int32_t *)j->data[2] + place;
  if (p->is_first) {
    NAME(find_zeros)(r, p, (const uint8_t *)j->data[1] + place, lines, (int32_t)place);
  } else {
    const T *from = (const T *)j->data[1] + place;
    for (uint64_t i = 0; i < n; i++) memcpy(r->before + i * lines, from + i * inner, lines * sizeof(T));
    for (uint64_t c = 0; c < lines; c++) NAME(find_least)(r, p, (const int32_t *)j->data[3] + place, lines, (int64_t)c);
  }
  for (uint64_t i = 0; i < n; i++) {
    for (uint64_t c = 0; c < lines; c++)
      to[i * inner + c] = p->is_last ? (T)sqrt((double)r->after[i * lines + c]) : r->after[i * lines + c];
    if (p->is_kept) memcpy(nearest_to + i * inner, r->nearest + i * lines, lines * sizeof *nearest_to);
  }
}

/// A weft__run_shares function.
static void *NAME(run_share)(void *user) {
  const weft__share *share = user;
  distance_job *j = *(distance_job *const *)share->all;
  const distance_lines *p = j->pass;
  const uint64_t in_row = weft_ceil_div(p->inner, j->lines), groups = p->outer * in_row;
  const uint64_t first = groups * share->number / (uint64_t)j->shares;
  const uint64_t end = groups * (share->number + 1) / (uint64_t)j->shares;
  struct NAME(room) r;
  if (!NAME(make_room)(&r, p->length, j->lines)) {
    j->has_failed[share->number] = true;
    return NULL;
  }
  for (uint64_t g = first; g < end; g++) {
    const uint64_t column = g % in_row * j->lines, left = p->inner - column;
    NAME(run_group)(&r, j, left < j->lines ? left : j->lines, g / in_row * p->length * p->inner + column);
  }
  free(r.before);
  return NULL;
}
#undef NAME
#undef T
