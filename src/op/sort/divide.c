// SPDX-License-Identifier: MIT
/// Rows divided by the elements of ranks, and the least or greatest elements of rows, on the host. The floor is two
/// reads of the elements, for the ranks' ones and to move them, and one write.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <string.h>

#include "base/scratch.h"
#include "op/sort/find_rank.h"
#include "op/sort/quick.h"
#include "op/sort/tuning.h"

#define CLASSES (2 * WEFT__NTH_RANKS + 1)
enum { BLOCK = WEFT__RANK_BLOCK, GROUP = WEFT__RANK_GROUP };

/// What a recording keeps. Its arrays: the rows; elements, positions, or the taken elements and their positions.
typedef struct divide_task {
  uint64_t rows, length, taken, rank[WEFT__NTH_RANKS];
  int32_t ranks, dtype, cores, gives_positions, greatest, in_place;
} divide_task;

typedef struct job {
  const divide_task *t;
  const char *from;
  char *to;
  int64_t *positions;
  weft__ranked ranked; /* its room: of all shares */
  int shares;          /* each of them has rows */
  size_t room_bytes;   /* of a share */
  size_t (*place)[CLASSES];
} job;

/// A row that is divided. Elements in class 2 k are between the elements k - 1 and k found, in class 2 k + 1 equal to
/// element k.
typedef struct row_job {
  const divide_task *t;
  const weft__ranked *r;
  int ranks; /* of different numbers */
  weft__rank_found found[WEFT__NTH_RANKS];
  char *to;
  int64_t *positions;
  size_t (*place)[CLASSES]; /* of each chunk's next element, by class */
} row_job;

/* ---- moving ---- */

static void find_classes(uint8_t classes[BLOCK], const row_job *j, const weft__rank_block *numbers, size_t n) {
  memset(classes, 0, BLOCK);
  for (int k = 0; k < j->ranks; k++) j->r->loops->classes(classes, numbers, n, j->found[k].number);
}

static inline void move_some(char *to, const char *from, size_t bytes, size_t n, const uint8_t *classes,
                             size_t *place) {
  for (size_t i = 0; i < n; i++) memcpy(to + place[classes[i]]++ * bytes, from + i * bytes, bytes);
}

static void move(const row_job *j, size_t first, size_t n, const uint8_t *classes, size_t *place) {
  const size_t bytes = j->r->bytes;
  const char *from = j->r->row + first * bytes;
  if (!j->to) {
    for (size_t i = 0; i < n; i++) j->positions[place[classes[i]]++] = (int64_t)(first + i);
    return;
  }
  switch (bytes) {
    case 1:
      move_some(j->to, from, 1, n, classes, place);
      break;
    case 2:
      move_some(j->to, from, 2, n, classes, place);
      break;
    case 4:
      move_some(j->to, from, 4, n, classes, place);
      break;
    default:
      move_some(j->to, from, 8, n, classes, place);
  }
}

static void move_in_vectors(const row_job *j, size_t first, size_t n, const weft__rank_block *numbers, size_t *place) {
  const size_t bytes = j->r->bytes;
  char *to[3], *const begin = j->to;
  for (int k = 0; k < 3; k++) to[k] = begin + place[k] * bytes;
  weft__quick_move(&(const weft__quick){.x = (void *)numbers, .is_wide = bytes == 8}, n, to, j->r->row + first * bytes,
                   j->found[0].number);
  for (int k = 0; k < 3; k++) place[k] = (size_t)(to[k] - begin) / bytes;
}

static void *move_chunk(void *user) {
  const weft__share *share = user;
  const row_job *j = *(row_job *const *)share->all;
  const weft__rank_range all = weft__rank_chunk(j->r, share->number);
  const bool in_vectors = j->to && j->ranks == 1 && j->r->bytes >= 4 && weft__quick_is_there();
  size_t *place = j->place[share->number];
  weft__rank_block numbers;
  uint8_t classes[BLOCK];
  for (size_t i = all.first; i < all.end; i += BLOCK) {
    const size_t n = all.end - i < BLOCK ? all.end - i : BLOCK;
    weft__rank_numbers(&numbers, j->r, i, n);
    if (in_vectors) {
      move_in_vectors(j, i, n, &numbers, place);
    } else {
      find_classes(classes, j, &numbers, n);
      move(j, i, n, classes, place);
    }
  }
  return NULL;
}

/// Counts the elements of a chunk by their classes.
static void *count_chunk(void *user) {
  const weft__share *share = user;
  const row_job *j = *(row_job *const *)share->all;
  const weft__rank_range all = weft__rank_chunk(j->r, share->number);
  size_t *place = j->place[share->number];
  weft__rank_block numbers;
  memset(place, 0, sizeof *j->place);
  for (size_t i = all.first; i < all.end; i += BLOCK) {
    const size_t n = all.end - i < BLOCK ? all.end - i : BLOCK;
    size_t before = 0;
    weft__rank_found f;
    weft__rank_numbers(&numbers, j->r, i, n);
    for (int k = 0; k < j->ranks; k++) {
      j->r->loops->compare(&f, &numbers, n, j->found[k].number);
      place[2 * k] += f.lesser - before;
      place[2 * k + 1] += f.equal;
      before = f.lesser + f.equal;
    }
    place[2 * j->ranks] += n - before;
  }
  return NULL;
}

/// Makes places of the chunks' counts. Of taken elements those beyond the rank's one come before those equal to it.
static void find_places(row_job *j) {
  const int classes = 2 * j->ranks + 1, chunks = j->r->chunks;
  size_t place = 0;
  for (int k = 0; k < classes; k++) {
    const int class = j->t->taken && j->t->greatest ? classes - 1 - k : k;
    for (int c = 0; c < chunks; c++) {
      const size_t count = j->place[c][class];
      j->place[c][class] = place;
      place += count;
    }
  }
}

/* ---- taking ---- */

static void take_one(const row_job *j, size_t i, bool is_equal, size_t *place) {
  const size_t bytes = j->r->bytes, at = place[is_equal]++;
  if (at >= j->t->taken) return;
  memcpy(j->to + at * bytes, j->r->row + i * bytes, bytes);
  j->positions[at] = (int64_t)i;
}

static void *take_chunk(void *user) {
  const weft__share *share = user;
  const row_job *j = *(row_job *const *)share->all;
  const weft__rank_range all = weft__rank_chunk(j->r, share->number);
  const uint64_t bound = j->found[0].number;
  const bool greatest = j->t->greatest;
  size_t place[2] = {j->place[share->number][greatest ? 2 : 0], j->place[share->number][1]};
  weft__rank_block numbers;
  for (size_t i = all.first; i < all.end; i += BLOCK) {
    const size_t n = all.end - i < BLOCK ? all.end - i : BLOCK;
    weft__rank_numbers(&numbers, j->r, i, n);
    for (size_t k = 0; k < n; k++) {
      if (k % GROUP == 0 && n - k >= GROUP) {
        const char *some = (const char *)&numbers + k * j->r->number_bytes;
        if (!j->r->loops->any(some, bound, greatest)) {
          k += GROUP - 1;
          continue;
        }
      }
      const uint64_t number = weft__rank_number(j->r, &numbers, k);
      if (number == bound || (number > bound) == greatest) take_one(j, i + k, number == bound, place);
    }
  }
  return NULL;
}

/// Puts a few taken elements in order; equal ones keep theirs.
static void put_in_order(const row_job *j) {
  const size_t bytes = j->r->bytes, n = j->t->taken;
  weft__rank_block block;
  uint64_t number[WEFT__MOST_ORDERED];
  j->r->of_keys->orders_of(&block, j->to, n, &j->r->form);
  for (size_t i = 0; i < n; i++) {
    const uint64_t one = weft__rank_number(j->r, &block, i);
    const int64_t position = j->positions[i];
    uint64_t element = 0;
    size_t at = i;
    memcpy(&element, j->to + i * bytes, bytes);
    for (; at > 0 && (j->t->greatest ? number[at - 1] < one : number[at - 1] > one); at--) {
      number[at] = number[at - 1];
      j->positions[at] = j->positions[at - 1];
      memcpy(j->to + at * bytes, j->to + (at - 1) * bytes, bytes);
    }
    number[at] = one;
    j->positions[at] = position;
    memcpy(j->to + at * bytes, &element, bytes);
  }
}

/* ---- rows ---- */

/// The counts of the row's classes are known if it is one chunk.
static void set_counts(const row_job *j) {
  size_t before = 0, *count = j->place[0];
  for (int k = 0; k < j->ranks; k++) {
    count[2 * k] = j->found[k].lesser - before;
    count[2 * k + 1] = j->found[k].equal;
    before = j->found[k].lesser + j->found[k].equal;
  }
  count[2 * j->ranks] = j->t->length - before;
}

static void divide_row(const job *all, size_t number, const weft__ranked *ranked, size_t (*place)[CLASSES]) {
  const divide_task *t = all->t;
  const size_t results = t->taken ? t->taken : t->length;
  weft__ranked r = *ranked;
  row_job row = {.t = t, .r = &r, .place = place}, *j = &row;
  r.row = all->from + number * t->length * r.bytes;
  if (all->to) row.to = all->to + number * results * r.bytes;
  if (all->positions) row.positions = all->positions + number * results;
  for (int k = 0; k < t->ranks; k++) {
    const weft__rank_found *last = row.ranks ? &row.found[row.ranks - 1] : NULL;
    if (!last || t->rank[k] >= last->lesser + last->equal) weft__rank_find(&row.found[row.ranks++], &r, t->rank[k]);
  }
  if (r.chunks > 1)
    weft__run_shares(r.chunks, count_chunk, &j);
  else
    set_counts(&row);
  find_places(&row);
  weft__run_shares(r.chunks, t->taken ? take_chunk : move_chunk, &j);
  if (t->taken && t->taken <= WEFT__MOST_ORDERED) put_in_order(&row);
}

static void *divide_share(void *user) {
  const weft__share *share = user;
  const job *j = *(job *const *)share->all;
  const size_t rows = j->t->rows, shares = (size_t)j->shares, k = share->number;
  weft__ranked ranked = j->ranked;
  ranked.room = (char *)j->ranked.room + k * j->room_bytes;
  for (size_t row = rows * k / shares; row < rows * (k + 1) / shares; row++) divide_row(j, row, &ranked, j->place + k);
  return NULL;
}

static int divide_rows(void *const *data, const void *task) {
  const divide_task *t = task;
  job all = {.t = t, .from = data[0], .ranked = {.length = t->length}}, *j = &all;
  void *copy = NULL, *room = NULL;
  int code = WEFT__HOST_NO_MEMORY;
  if (t->gives_positions)
    all.positions = data[1];
  else
    all.to = data[1];
  if (t->taken) all.positions = data[2];
  weft__rank_open(&all.ranked, (weft_dtype)t->dtype);
  weft__rank_split(&all.shares, &all.ranked, t->rows, t->cores);
  const size_t parts = (size_t)(all.shares > 1 ? all.shares : all.ranked.chunks);
  all.room_bytes = (weft__rank_room_bytes(&all.ranked) + 63) / 64 * 64;
  const size_t rooms = all.room_bytes * (size_t)all.shares, bytes = t->rows * t->length * all.ranked.bytes;
  if (t->in_place && !(copy = weft__scratch_begin(bytes))) return code;
  if (copy) all.from = memcpy(copy, all.from, bytes);
  if ((room = weft__scratch_begin(rooms + parts * sizeof *all.place))) {
    all.ranked.room = room;
    all.place = (size_t(*)[CLASSES])((char *)room + rooms);
    weft__run_shares(all.shares, divide_share, &j);
    code = 0;
  }
  weft__scratch_end(room);
  weft__scratch_end(copy);
  return code;
}

const weft__host_function weft__host_divide = {"divide", WEFT__LIBRARY_NONE, sizeof(divide_task), divide_rows, NULL,
                                               NULL};

/* ---- the ways of partitions and of the first elements ---- */

static bool can_rank(const weft_array *x, uint64_t length) {
  return weft_dtype_kind(x->dtype) != 'c' && length <= UINT32_MAX;
}

bool weft__partition_host_fits(const void *task) {
  const weft__partition *p = task;
  return can_rank(p->from, p->length) && p->length > WEFT__DIVIDE_LEAST;
}

weft_status weft__partition_host_run(bool *is_done, const void *task) {
  const weft__partition *p = task;
  divide_task t = {.rows = p->rows,
                   .length = p->length,
                   .ranks = p->ranks,
                   .dtype = (int32_t)p->from->dtype,
                   .cores = weft__host_cores(p->context),
                   .gives_positions = p->gives_positions,
                   .in_place = weft__arrays_overlap(p->to, p->from)};
  const weft__host_use use[] = {{.array = p->from, .reads = true}, {.array = p->to, .writes = true}};
  memcpy(t.rank, p->rank, (size_t)p->ranks * sizeof *t.rank);
  *is_done = true;
  return weft__host_run(p->context, &weft__host_divide, &t, 2, use, "partition", p->site);
}

bool weft__topk_host_fits(const void *task) {
  const weft__topk *t = task;
  return can_rank(t->from, t->length) && t->length >= WEFT__DIVIDE_LEAST_TAKEN &&
         t->count <= t->length / WEFT__DIVIDE_LEFT;
}

weft_status weft__topk_host_run(bool *is_done, const void *task) {
  const weft__topk *k = task;
  const divide_task t = {.rows = k->rows,
                         .length = k->length,
                         .taken = k->count,
                         .rank = {k->smallest ? k->count - 1 : k->length - k->count},
                         .ranks = 1,
                         .dtype = (int32_t)k->from->dtype,
                         .cores = weft__host_cores(k->context),
                         .greatest = !k->smallest};
  const weft__host_use use[] = {
      {.array = k->from, .reads = true}, {.array = k->values, .writes = true}, {.array = k->numbers, .writes = true}};
  *is_done = true;
  WEFT__TRY_RETURN(weft__host_run(k->context, &weft__host_divide, &t, 3, use, "topk", k->site));
  if (k->count <= WEFT__MOST_ORDERED) return WEFT_OK;
  return weft__sort_run(&(const weft__sort){.context = k->context,
                                            .what = "topk",
                                            .site = k->site,
                                            .rows = k->rows,
                                            .length = k->count,
                                            .descending = !k->smallest,
                                            .key_from = k->values,
                                            .key_to = k->values,
                                            .value_from = k->numbers,
                                            .value_to = k->numbers});
}
