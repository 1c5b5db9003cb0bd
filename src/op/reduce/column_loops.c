// SPDX-License-Identifier: MIT
/// Reductions of columns on the host: the accumulators of some columns side by side, row after row. Each thread has
/// columns, or where these are few a part of their rows.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <math.h>
#include <string.h>

#include "base/scratch.h"
#include "base/wide.h"
#include "engine/shares.h"
#include "op/reduce/row_loops.h"
#include "op/reduce/tuning.h"

#define COLUMNS 256 /* side by side */
#define SIDE 64     /* where there are fewer columns, elements of several rows are side by side */
#define ROOM_BYTES (WEFT__COLUMN_MOVED * COLUMNS * 8)
#define BLOCK 128 /* rows whose mean is found before their distances from it */

/* ---- loops ---- */

/// Reduces rows that are `step` elements apart to a part for each of `columns` columns. `done`: rows of which the parts
/// are already.
typedef void column_loop(weft__row_part *part, const void *from, size_t rows, size_t done, ptrdiff_t step,
                         size_t columns);
#define COLUMN_PARAMETERS \
  weft__row_part *part, const void *from, size_t rows, size_t done, ptrdiff_t step, size_t columns

/// A: the accumulator, kept as S in the part; `next`: of the accumulator a and the element v. A few rows before an
/// accumulator is stored.
#define COLUMN_LOOP(name, A, S, neutral, next)                                                            \
  TARGET static void NAME(column_##name)(COLUMN_PARAMETERS) {                                             \
    const T *restrict x = from;                                                                           \
    A lane[COLUMNS];                                                                                      \
    S kept;                                                                                               \
    for (size_t l = 0; l < columns && !done; l++) lane[l] = (neutral);                                    \
    for (size_t l = 0; l < columns && done; l++) memcpy(&kept, &part[l], sizeof kept), lane[l] = (A)kept; \
    for (; rows >= 4; rows -= 4, x += 4 * step)                                                           \
      for (size_t l = 0; l < columns; l++) {                                                              \
        A a = lane[l];                                                                                    \
        for (size_t k = 0; k < 4; k++) {                                                                  \
          const T v = x[(ptrdiff_t)k * step + (ptrdiff_t)l];                                              \
          a = (A)(next);                                                                                  \
        }                                                                                                 \
        lane[l] = a;                                                                                      \
      }                                                                                                   \
    for (; rows > 0; rows--, x += step)                                                                   \
      for (size_t l = 0; l < columns; l++) {                                                              \
        const T v = x[l];                                                                                 \
        const A a = lane[l];                                                                              \
        lane[l] = (A)(next);                                                                              \
      }                                                                                                   \
    for (size_t l = 0; l < columns; l++) kept = (S)lane[l], memcpy(&part[l], &kept, sizeof kept);         \
  }

/// Adds the terms of `some` rows to sums with their rounding errors, by two-sum (Knuth).
#define ADD_PAIRS(some, term)                                                                           \
  for (size_t l = 0; l < columns; l++) {                                                                \
    double a = sum[l], errors = rest[l];                                                                \
    for (size_t k = 0; k < (some); k++) {                                                               \
      const double v = x[(ptrdiff_t)k * step + (ptrdiff_t)l], added = (term), t = a + added, z = t - a; \
      errors += (a - (t - z)) + (added - z);                                                            \
      a = t;                                                                                            \
    }                                                                                                   \
    sum[l] = a, rest[l] = errors;                                                                       \
  }
#define COLUMN_PAIRS(name, term)                                                              \
  TARGET static void NAME(column_##name)(COLUMN_PARAMETERS) {                                 \
    const double *restrict x = from;                                                          \
    double sum[COLUMNS], rest[COLUMNS];                                                       \
    for (size_t l = 0; l < columns; l++) {                                                    \
      sum[l] = done ? part[l].pair[0] : -0.0;                                                 \
      rest[l] = done ? part[l].pair[1] : 0;                                                   \
    }                                                                                         \
    for (; rows >= 4; rows -= 4, x += 4 * step) ADD_PAIRS(4, term)                            \
    for (; rows > 0; rows--, x += step) ADD_PAIRS(1, term)                                    \
    for (size_t l = 0; l < columns; l++) part[l].pair[0] = sum[l], part[l].pair[1] = rest[l]; \
  }

/// Adds the variance of further rows.
static inline void add_block(weft__row_variance *to, bool is_first, double mean, double origin, double squares,
                             uint64_t n) {
  if (is_first) { /* member by member: a copy would wait for the stores */
    to->mean = mean;
    to->origin = origin;
    to->squares = squares;
    to->n = n;
  } else if (n > 0) {
    const weft__row_variance block = {mean, origin, squares, n};
    weft__row_join_variances(to, &block);
  }
}

#define INLINE TARGET static inline __attribute__((always_inline))
#define DTYPE_LOOPS "op/reduce/column_dtype.h"
#define LOOPS "op/reduce/each_dtype.h"
#include "base/each_width.h"

/// By the dtype of the elements, WEFT__WIDTH and the loop's number. Truth values have the loops of u8.
#define OF(D, ...) [WEFT_##D] = WEFT__ALL(column_loops_##D),
static column_loop *const *const column_loops[WEFT_DTYPE_COUNT][3] = {[WEFT_BOOL] = WEFT__ALL(column_loops_U8),
                                                                      WEFT__ROW_INTEGERS(OF) OF(F32, ) OF(F64, )};

/// NULL: no loop computes this, of any width.
static column_loop *find_loop(int id, weft_dtype dtype, int width) {
  column_loop *const *const loops = column_loops[weft__row_loop_dtype(id, dtype)][width];
  return id != WEFT__ROW_LOOPS && loops ? loops[id] : NULL;
}

bool weft__columns_work(const weft__reduce_what *what, weft_dtype dtype) {
  return find_loop(weft__row_loop_id(what, dtype), dtype, 0);
}

/* ---- parts of columns ---- */

typedef struct columns_job {
  const weft__row_sharing *t;
  const char *from;
  char *to;
  int id;
  size_t size, stored, result_bytes; /* of elements, in the loops and in the array */
  bool is_moved;
  char *moved;          /* of each share, ROOM_BYTES */
  weft__row_part *room; /* of each share */
  weft__row_part *part; /* of each result in each part of the rows, part after part; NULL: there is one */
} columns_job;

static void exchange_8(void *a, void *b) {
  char kept[8];
  memcpy(kept, a, sizeof kept);
  memcpy(a, b, sizeof kept);
  memcpy(b, kept, sizeof kept);
}

/// Reduces rows by a further loop, whose result is at another place of each part.
static void reduce_beside(weft__row_part *part, size_t place, column_loop *loop, const char *x, size_t rows,
                          size_t done, ptrdiff_t step, size_t columns) {
  for (size_t l = 0; l < columns && done; l++) exchange_8(&part[l], (char *)&part[l] + place);
  loop(part, x, rows, done, step, columns);
  for (size_t l = 0; l < columns; l++) exchange_8(&part[l], (char *)&part[l] + place);
}

static void reduce_rows(weft__row_part *part, const columns_job *j, const char *x, size_t rows, size_t done,
                        ptrdiff_t step, size_t columns) {
  const weft_dtype dtype = (weft_dtype)j->t->dtype;
  const int width = WEFT__WIDTH;
  if (j->t->what.counted)
    reduce_beside(part, offsetof(weft__row_part, place), find_loop(WEFT__ROW_NUMBERS, dtype, width), x, rows, done,
                  step, columns);
  if (j->t->what.gather == WEFT__GATHER_RANGE)
    reduce_beside(part, offsetof(weft__row_part, most), find_loop(WEFT__ROW_MAX, dtype, width), x, rows, done, step,
                  columns);
  find_loop(j->id, dtype, width)(part, x, rows, done, step, columns);
}

/// Reduces rows of columns whose elements are moved to be side by side in `room`, some rows at once.
static void reduce_moved(weft__row_part *part, const columns_job *j, char *room, const char *x, size_t rows,
                         size_t columns) {
  const weft__row_sharing *t = j->t;
  for (size_t done = 0, some; done < rows; done += some) {
    some = rows - done < WEFT__COLUMN_MOVED ? rows - done : WEFT__COLUMN_MOVED;
    weft__row_load(room, t, x + (int64_t)done * t->s.length_stride * (int64_t)j->stored, t->s.length_stride,
                   t->s.inner_stride, (int64_t)some, (int64_t)columns);
    reduce_rows(part, j, room, some, done, columns, columns);
  }
}

/// Reduces rows of few columns without gaps: elements of several rows side by side, whose parts are joined.
static void reduce_narrow(weft__row_part *part, const columns_job *j, const char *x, size_t rows, size_t columns) {
  const size_t side = SIDE / columns < rows ? SIDE / columns : rows, lanes = side * columns;
  const size_t whole = rows / side, rest = rows % side;
  reduce_rows(part, j, x, whole, 0, lanes, lanes);
  if (rest) reduce_rows(part + lanes, j, x + whole * lanes * j->size, 1, 0, lanes, rest * columns);
  for (size_t c = 0; c < columns; c++)
    weft__row_join(&part[c], &j->t->what, (weft_dtype)j->t->dtype, side + rest, columns);
}

static const char *element_of(const columns_job *j, size_t slab, size_t column, size_t row) {
  const weft__strided_split *s = &j->t->s;
  return j->from +
         ((int64_t)slab * s->outer_stride + (int64_t)row * s->length_stride + (int64_t)column * s->inner_stride) *
             (int64_t)j->stored;
}

/// Stores the results of neighbouring columns from `result` on.
static void store(const columns_job *j, size_t result, const weft__row_part *part, size_t columns) {
  const weft__row_sharing *t = j->t;
  const weft_dtype dtype = (weft_dtype)t->dtype;
  const size_t inner = (size_t)t->s.inner, slab = result / inner, bytes = j->result_bytes;
  char *to = j->to + result * bytes;
  if (weft__row_store_values(to, &t->what, dtype, part, columns, (double)t->s.length, t->ddof)) return;
  for (size_t c = 0; c < columns; c++) {
    const char *x = element_of(j, slab, result % inner + c, 0);
    const weft__row_elements of = {x, 1, 0, t->s.length, t->s.length_stride};
    weft__row_store(to + c * bytes, &t->what, dtype, &part[c], &of, t->ddof);
  }
}

/// Reduces some rows of some columns of a slab, and stores or keeps what they leave.
static void reduce_unit(const columns_job *j, size_t unit, size_t share) {
  const weft__row_sharing *t = j->t;
  const size_t inner = (size_t)t->s.inner, splits = (size_t)t->splits;
  const ptrdiff_t step = (ptrdiff_t)t->s.length_stride;
  const size_t strips = (inner + COLUMNS - 1) / COLUMNS, results = inner * (size_t)t->s.outer;
  const size_t split = unit % splits, strip = unit / splits % strips, slab = unit / splits / strips;
  const size_t first = strip * COLUMNS, columns = inner - first < COLUMNS ? inner - first : COLUMNS;
  const size_t row = split * (size_t)t->per, left = (size_t)t->s.length - row;
  const size_t rows = left < (size_t)t->per ? left : (size_t)t->per, result = slab * inner + first;
  const char *x = element_of(j, slab, first, row);
  weft__row_part *const room = j->room + share * COLUMNS, *part = j->part ? j->part + split * results + result : room;
  if (j->is_moved) {
    reduce_moved(part, j, j->moved + share * ROOM_BYTES, x, rows, columns);
  } else if (2 * inner <= SIDE && step == (ptrdiff_t)inner && t->what.gather != WEFT__GATHER_WHERE) {
    reduce_narrow(room, j, x, rows, columns);
    if (j->part) memcpy(part, room, columns * sizeof *part);
  } else {
    reduce_rows(part, j, x, rows, 0, step, columns);
  }
  for (size_t c = 0; c < columns && row; c++) weft__row_move_place(&part[c], &t->what, (int64_t)row);
  if (!j->part) store(j, result, part, columns);
}

static void *reduce_share(void *user) {
  const weft__share *share = user;
  const columns_job *j = *(columns_job *const *)share->all;
  const weft__row_sharing *t = j->t;
  const size_t units = (size_t)(t->s.outer * t->splits * weft_ceil_div(t->s.inner, COLUMNS));
  const size_t shares = (size_t)t->shares, k = share->number;
  for (size_t unit = units * k / shares; unit < units * (k + 1) / shares; unit++) reduce_unit(j, unit, k);
  return NULL;
}

int weft__columns_reduce(char *to, const char *from, const weft__row_sharing *t) {
  const size_t results = (size_t)(t->s.outer * t->s.inner), splits = (size_t)t->splits, shares = (size_t)t->shares;
  const size_t parts = splits > 1 ? results * splits : 0;
  columns_job all = {.t = t,
                     .from = from,
                     .to = to,
                     .id = weft__row_loop_id(&t->what, (weft_dtype)t->dtype),
                     .size = weft_dtype_size_bytes((weft_dtype)t->dtype),
                     .stored = weft_dtype_size_bytes((weft_dtype)t->stored),
                     .result_bytes = weft_dtype_size_bytes((weft_dtype)t->what.result),
                     .is_moved = weft__row_is_moved(t, t->s.inner, t->s.inner_stride)},
              *j = &all;
  const size_t moved_bytes = all.is_moved ? shares * ROOM_BYTES : 0;
  all.moved = weft__scratch_begin(moved_bytes + (shares * COLUMNS + parts) * sizeof *all.room);
  if (!all.moved) return WEFT__HOST_NO_MEMORY;
  all.room = (weft__row_part *)(void *)(all.moved + moved_bytes);
  if (parts) all.part = all.room + shares * COLUMNS;
  weft__run_shares(t->shares, reduce_share, &j);
  for (size_t r = 0; r < results && parts; r++) {
    weft__row_join(&all.part[r], &t->what, (weft_dtype)t->dtype, splits, results);
    store(&all, r, &all.part[r], 1);
  }
  weft__scratch_end(all.moved);
  return 0;
}

void weft__columns_divide(weft__row_sharing *t, uint64_t units, uint64_t grouping_units, uint64_t wanted) {
  const uint64_t strips = (uint64_t)t->s.outer * (uint64_t)weft_ceil_div(t->s.inner, COLUMNS);
  const uint64_t groups = wanted < grouping_units ? wanted : grouping_units, length = (uint64_t)t->s.length;
  uint64_t splits = groups > strips ? groups / strips : 1;
  if (splits > length / WEFT__COLUMN_LEAST_PART)
    splits = length / WEFT__COLUMN_LEAST_PART ? length / WEFT__COLUMN_LEAST_PART : 1;
  t->per = (int64_t)((length + splits - 1) / splits);
  t->splits = (int64_t)((length + (uint64_t)t->per - 1) / (uint64_t)t->per);
  const uint64_t all = strips * (uint64_t)t->splits;
  t->shares = weft__shares_of(wanted < all ? wanted : all, WEFT__ROW_CORE_SHARES * units);
}
