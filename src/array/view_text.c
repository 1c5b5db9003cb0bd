// SPDX-License-Identifier: MIT
#include "array/view_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"

#define SOURCE "index"                     /* the text's name in messages */
#define MOST_ITEMS (2 * WEFT_MAX_NDIM + 1) /* one item for each axis, as many new axes, and `...` */
/* Larger numbers are clipped to this one: WEFT_END means that a number is missing. */
#define FARTHEST (WEFT_END - 1)

typedef enum item_kind { ITEM_SLICE, ITEM_INDEX, ITEM_REST, ITEM_NEW } item_kind;

typedef struct view_item {
  item_kind kind;
  size_t at;
  int64_t start, stop, step; /* of an ITEM_INDEX, `start` is the index */
} view_item;

typedef struct reader {
  const char *text;
  size_t next;
  int axes, named, added; /* axes of the array, axes that items use so far, new axes */
  int count;
  view_item items[MOST_ITEMS];
} reader;

/* ---- words ---- */

/* isdigit() and similar functions depend on the locale */
static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_word(char c) {
  return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/// The next character that is not white space; 0 at the end.
static char peek(reader *r) {
  while (r->text[r->next] && strchr(" \t\n\r\f\v", r->text[r->next])) r->next++;
  return r->text[r->next];
}

static weft_status fail(const reader *r, weft_status status, size_t at, const char *what) {
  weft__fail_at(status, "indices", SOURCE, r->text, at, "%s", what);
  return status;
}

static weft_status unexpected(reader *r, const char *expected) {
  size_t length = 0;
  if (!peek(r)) {
    weft__fail_at(WEFT_ERROR_EXPRESSION, "indices", SOURCE, r->text, r->next, "expected %s, found the end", expected);
    return WEFT_ERROR_EXPRESSION;
  }
  const char *found = r->text + r->next;
  while (length < 40 && (is_word(found[length]) || (length && found[length] == '.'))) length++;
  weft__fail_at(WEFT_ERROR_EXPRESSION, "indices", SOURCE, r->text, r->next, "expected %s, found `%.*s`", expected,
                (int)(length ? length : 1), found);
  return WEFT_ERROR_EXPRESSION;
}

/// Reads a decimal number with an optional sign. Larger numbers become FARTHEST.
static weft_status read_number(int64_t *value, reader *r) {
  char sign = peek(r);
  int64_t n = 0;
  if (sign == '-' || sign == '+') r->next++;
  if (!is_digit(peek(r))) return unexpected(r, "a number");
  const size_t at = r->next;
  for (; is_digit(r->text[r->next]); r->next++) {
    int digit = r->text[r->next] - '0';
    n = n > (FARTHEST - digit) / 10 ? FARTHEST : n * 10 + digit;
  }
  if (is_word(r->text[r->next]) || r->text[r->next] == '.') {
    r->next = at;
    return unexpected(r, "a decimal number without a fraction");
  }
  *value = sign == '-' ? -n : n;
  return WEFT_OK;
}

/* ---- items ---- */

/// Reads `start:stop:step`, or an index.
static weft_status read_slice(view_item *item, reader *r) {
  bool has_start = peek(r) != ':';
  item->start = item->stop = WEFT_END;
  item->step = 1;
  if (has_start) WEFT__TRY_RETURN(read_number(&item->start, r));
  item->kind = peek(r) == ':' ? ITEM_SLICE : ITEM_INDEX;
  if (item->kind == ITEM_INDEX) return WEFT_OK;
  r->next++;
  if (peek(r) && !strchr(":,", peek(r))) WEFT__TRY_RETURN(read_number(&item->stop, r));
  if (peek(r) != ':') return WEFT_OK;
  r->next++;
  if (!peek(r) || peek(r) == ',') return WEFT_OK;
  const size_t at = r->next;
  WEFT__TRY_RETURN(read_number(&item->step, r));
  return item->step ? WEFT_OK : fail(r, WEFT_ERROR_EXPRESSION, at, "the step is 0");
}

/// Skips the word if it is the next one.
static bool skip_word(reader *r, const char *word) {
  const size_t length = strlen(word);
  if (strncmp(r->text + r->next, word, length) != 0 || is_word(r->text[r->next + length])) return false;
  r->next += length;
  return true;
}

static weft_status read_rest(reader *r, const view_item *rest) {
  for (int k = 0; k < r->count; k++)
    if (r->items[k].kind == ITEM_REST)
      return fail(r, WEFT_ERROR_EXPRESSION, rest->at, "a second `...`; one stands for all other axes");
  return WEFT_OK;
}

static weft_status read_item(reader *r) {
  const char first = peek(r);
  view_item item = {.at = r->next};
  if (first == '.') {
    if (strncmp(r->text + r->next, "...", 3) != 0) return unexpected(r, "`...`");
    r->next += 3;
    item.kind = ITEM_REST;
    WEFT__TRY_RETURN(read_rest(r, &item));
  } else if (skip_word(r, "newaxis") || skip_word(r, "None")) {
    item.kind = ITEM_NEW;
    if (++r->added > WEFT_MAX_NDIM) return fail(r, WEFT_ERROR_SHAPE, item.at, "the view would have more than 8 axes");
  } else if (is_digit(first) || (first && strchr("+-:", first))) {
    WEFT__TRY_RETURN(read_slice(&item, r));
    if (++r->named > r->axes) {
      weft__fail_at(WEFT_ERROR_INDEX, "indices", SOURCE, r->text, item.at, "too many indices: the array has %d ax%s",
                    r->axes, r->axes == 1 ? "is" : "es");
      return WEFT_ERROR_INDEX;
    }
  } else {
    return unexpected(r, "an index, `start:stop:step`, `...` or `newaxis`");
  }
  r->items[r->count++] = item;
  return WEFT_OK;
}

static weft_status read_items(reader *r) {
  do {
    WEFT__TRY_RETURN(read_item(r));
    if (!peek(r)) return WEFT_OK;
    if (peek(r) != ',') return unexpected(r, "`,`");
    r->next++;
  } while (peek(r)); /* as in Python, a comma may end the list */
  return WEFT_OK;
}

/* ---- applying the items ---- */

/// A position of a slice, clipped to [low, high] as NumPy does.
static int64_t clip(int64_t position, int64_t length, int64_t low, int64_t high) {
  /* position + length cannot overflow: one is negative, the other is not */
  if (position < 0) position += length;
  return position < low ? low : position > high ? high : position;
}

void weft__view_slice(weft__view_form *form, int axis, int64_t start, int64_t stop, int64_t step) {
  if (step == INT64_MIN) step++; /* makes no difference: no array is that long */
  const int64_t n = form->length[axis], low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
  int64_t first = start == WEFT_END ? (step > 0 ? low : high) : clip(start, n, low, high);
  int64_t last = stop == WEFT_END ? (step > 0 ? high : low) : clip(stop, n, low, high);
  uint64_t distance =
      step > 0 ? (last > first ? (uint64_t)(last - first) : 0) : (first > last ? (uint64_t)(first - last) : 0);
  uint64_t count = weft_ceil_div(distance, (uint64_t)(step > 0 ? step : -step));
  form->length[axis] = (int64_t)count;
  if (count > 0) form->offset_bytes += first * form->stride_bytes[axis];
  /* with fewer than two elements the stride has no effect, and the product may overflow */
  if (count > 1) form->stride_bytes[axis] *= step;
}

static void add_axis(weft__view_form *to, int64_t length, int64_t stride_bytes) {
  to->length[to->ndim] = length;
  to->stride_bytes[to->ndim++] = stride_bytes;
}

/// Applies one item, which consumes the axes of `from` from *axis on.
static weft_status apply(weft__view_form *to, int *axis, weft__view_form *from, const reader *r,
                         const view_item *item) {
  if (item->kind == ITEM_REST) {
    for (int rest = from->ndim - r->named; rest > 0; rest--, ++*axis)
      add_axis(to, from->length[*axis], from->stride_bytes[*axis]);
    return WEFT_OK;
  }
  const int d = (*axis)++;
  const int64_t n = from->length[d];
  if (item->kind == ITEM_SLICE) {
    weft__view_slice(from, d, item->start, item->stop, item->step);
    add_axis(to, from->length[d], from->stride_bytes[d]);
    return WEFT_OK;
  }
  const int64_t i = item->start < 0 ? item->start + n : item->start;
  if (i < 0 || i >= n) {
    weft__fail_at(WEFT_ERROR_INDEX, "indices", SOURCE, r->text, item->at,
                  "the index is out of range: axis %d has %" PRId64 " element%s", d, n, n == 1 ? "" : "s");
    return WEFT_ERROR_INDEX;
  }
  from->offset_bytes += i * from->stride_bytes[d];
  return WEFT_OK;
}

weft_status weft__view_text(weft__view_form *form, int64_t element_bytes, const char *text) {
  reader r = {.text = text, .axes = form->ndim};
  weft__view_form from = *form, to = {0};
  int axis = 0, picked = 0;
  WEFT__TRY_RETURN(read_items(&r));
  for (int k = 0; k < r.count; k++) picked += r.items[k].kind == ITEM_INDEX;
  if (form->ndim - picked + r.added > WEFT_MAX_NDIM)
    return fail(&r, WEFT_ERROR_SHAPE, r.items[r.count - 1].at, "the view would have more than 8 axes");
  for (int k = 0; k < r.count; k++) {
    if (r.items[k].kind == ITEM_NEW)
      add_axis(&to, 1, element_bytes);
    else
      WEFT__TRY_RETURN(apply(&to, &axis, &from, &r, &r.items[k]));
  }
  for (; axis < from.ndim; axis++) add_axis(&to, from.length[axis], from.stride_bytes[axis]);
  to.offset_bytes = from.offset_bytes;
  *form = to;
  return WEFT_OK;
}
