// SPDX-License-Identifier: MIT
/// Connected regions by a step of the host, in one thread, which takes a third of the time of the kernels on two cores.
/// The array becomes bits, with a 0 behind the end of each axis but the first one: a neighbour is then the same
/// number of bits in front of every element, and one outside is 0. Runs are the elements that are linked along the last
/// axis. They are linked in a forest where they touch: whole words of bits show where.
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "engine/host_step.h"
#include "op/filter/filter.h"
#include "op/filter/tuning.h"
#include "op/rearrange/bits.h"

/// The host's function of a step. Its arrays: the result, i32[1] for the number of regions, x, and the offsets of the
/// neighbours along the axes.
typedef struct label_task {
  int64_t axes, shape[WEFT_MAX_NDIM], size, neighbours;
} label_task;

typedef struct neighbour {
  size_t apart;  /* bits in front */
  size_t middle; /* of the neighbour between this one and another one, whose runs it links too; 0: of none */
  bool is_left;  /* of that one */
} neighbour;

typedef struct forest {
  int axes;
  uint32_t shape[WEFT_MAX_NDIM]; /* without axes of length 1 */
  size_t apart[WEFT_MAX_NDIM];   /* bits between two elements along an axis */
  int neighbours;                /* except for the one along the last axis */
  neighbour *neighbour;
  bool has_runs;  /* of more than one element */
  uint32_t lines; /* along the last axis */
  size_t first, words;
  uint64_t *mask;   /* the elements' bits from word `first` on, and a word behind; words in front are 0 */
  uint64_t *starts; /* the first elements of runs */
  uint32_t *before; /* runs that start in front of each word */
  int32_t *link;    /* of a run: an earlier one that touches it, or itself; then its label */
} forest;

/// The 64 bits from bit `at` on.
static inline uint64_t bits_at(const uint64_t *words, size_t at) {
  const size_t word = at / 64, shift = at % 64;
  return words[word] >> shift | words[word + 1] << 1 << (63 - shift);
}

/// The first element of a line.
static size_t place_of(const forest *f, uint32_t line) {
  size_t at = f->first * 64;
  for (int d = f->axes - 2; d > 0; d--) {
    at += line % f->shape[d] * f->apart[d];
    line /= f->shape[d];
  }
  return f->axes > 1 ? at + line * f->apart[0] : at;
}

/// Copies the bits of each line to its place.
static void place_lines(const forest *f, const uint64_t *packed) {
  const size_t length = f->shape[f->axes - 1];
  for (uint32_t line = 0; line < f->lines; line++) {
    const size_t from = line * length, to = place_of(f, line);
    for (size_t i = 0; i < length; i += 64) {
      const uint64_t bits = bits_at(packed, from + i) & (UINT64_MAX >> (length - i < 64 ? 64 - (length - i) : 0));
      const size_t word = (to + i) / 64, shift = (to + i) % 64;
      f->mask[word] |= bits << shift;
      f->mask[word + 1] |= bits >> 1 >> (63 - shift);
    }
  }
}

/// Links the regions of two runs (Rem's algorithm, Dijkstra 1976). There is one branch: others would be mispredicted.
static inline void unite(int32_t *link, int32_t one, int32_t other) {
  int32_t one_link = link[one], other_link = link[other];
  while (one_link != other_link) {
    const bool is_late = one_link > other_link;
    const int32_t late = is_late ? one : other, late_link = is_late ? one_link : other_link;
    other = is_late ? other : one;
    other_link = is_late ? other_link : one_link;
    link[late] = other_link; /* if it was the first one of its region, this ends the loop */
    one = late_link;
    one_link = link[late_link];
  }
}

/// The number of the run around an element.
#define RUN_AT(at)                                                                                      \
  ((int32_t)(f->before[(at) / 64] +                                                                     \
             (uint32_t)__builtin_popcountll(f->starts[(at) / 64] & (UINT64_MAX >> (63 - (at) % 64)))) - \
   1)

/// Finds the runs, each a region of its own. Their number.
#define START_LOOP(TARGET, NAME, T)                                                         \
  TARGET static uint32_t NAME(const forest *f) {                                            \
    uint32_t runs = 0;                                                                      \
    for (size_t w = f->first; w < f->words; w++) {                                          \
      f->starts[w] = f->has_runs ? f->mask[w] & ~bits_at(f->mask, 64 * w - 1) : f->mask[w]; \
      f->before[w] = runs;                                                                  \
      runs += (T)__builtin_popcountll(f->starts[w]);                                        \
    }                                                                                       \
    for (uint32_t run = 0; run < runs; run++) f->link[run] = (int32_t)run;                  \
    return runs;                                                                            \
  }
WEFT__BOTH(START_LOOP, start_runs, uint32_t)

/// Links the runs that touch.
#define TOUCH_LOOP(TARGET, NAME, T)                                                                         \
  TARGET static void NAME(const forest *f) {                                                                \
    for (size_t w = f->first; w < f->words; w++) {                                                          \
      for (int k = 0; f->mask[w] && k < f->neighbours; k++) {                                               \
        const neighbour *n = &f->neighbour[k];                                                              \
        const size_t at = 64 * w;                                                                           \
        uint64_t touching = f->mask[w] & bits_at(f->mask, at - n->apart);                                   \
        if (n->middle) /* which links them with no need of this neighbour */                                \
          touching &= ~(bits_at(f->mask, at - n->middle) | bits_at(f->mask, n->is_left ? at - 1 : at + 1)); \
        else if (f->has_runs) /* where two runs begin to touch */                                           \
          touching &= ~(bits_at(f->mask, at - 1) & bits_at(f->mask, at - n->apart - 1));                    \
        for (; touching; touching &= touching - 1) {                                                        \
          const size_t one = at + (T)__builtin_ctzll(touching), other = one - n->apart;                     \
          unite(f->link, RUN_AT(one), RUN_AT(other));                                                       \
        }                                                                                                   \
      }                                                                                                     \
    }                                                                                                       \
  }
WEFT__BOTH(TOUCH_LOOP, link_runs, size_t)

/// Replaces the links by labels. A link is to an earlier run, which has its label. The number of regions.
static int32_t number(int32_t *link, uint32_t runs) {
  int32_t regions = 0;
  for (uint32_t run = 0; run < runs; run++) {
    const int32_t to = link[run], old = link[to], is_first = -(to == (int32_t)run);
    regions -= is_first;
    link[run] = old ^ ((old ^ regions) & is_first); /* a branch would be mispredicted */
  }
  return regions;
}

/// Writes the labels from the end on, because the runs' are in the same memory in front.
static void write_labels(const forest *f, uint32_t runs, int32_t *to) {
  const size_t length = f->shape[f->axes - 1];
  int32_t run = (int32_t)runs - 1;
  for (uint32_t line = f->lines; line-- > 0;) {
    const size_t at = place_of(f, line);
    for (size_t i = length; i > 0;) {
      const size_t some = (i - 1) % 64 + 1;
      i -= some;
      int32_t *label = to + line * length + i;
      uint64_t inside = bits_at(f->mask, at + i) << (64 - some), starts = bits_at(f->starts, at + i) << (64 - some);
      for (size_t k = some; k-- > 0; inside <<= 1, starts <<= 1) {
        label[k] = f->link[run & ~(run >> 31)] & -(int32_t)(inside >> 63);
        run -= (int32_t)(starts >> 63);
      }
    }
  }
}

/// Leaves out the axes of length 1. The bits of the elements, and of the gaps between lines.
static uint64_t measure(forest *f, int axis[], const label_task *t) {
  uint64_t bits = 1;
  for (int d = 0; d < t->axes; d++) {
    if (t->shape[d] == 1 && (f->axes > 0 || d + 1 < t->axes)) continue;
    axis[f->axes] = d;
    f->shape[f->axes++] = (uint32_t)t->shape[d];
  }
  for (int d = f->axes - 1; d >= 0; d--) {
    f->apart[d] = (size_t)bits;
    bits *= (uint64_t)f->shape[d] + (d > 0);
  }
  return bits;
}

/// Takes the neighbours along the axes that are left.
static void divide(forest *f, const label_task *t, const int64_t *offset) {
  int axis[WEFT_MAX_NDIM];
  const uint64_t bits = measure(f, axis, t);
  const int last = f->axes - 1;
  size_t front = 0;
  for (int64_t k = 0; k < t->neighbours; k++) {
    const int64_t *step = offset + k * t->axes;
    int64_t to = 0, all = 0, kept = 0;
    for (int d = 0; d < t->axes; d++) all += step[d] != 0;
    for (int d = 0; d <= last; d++) {
      kept += step[axis[d]] != 0;
      to -= step[axis[d]] * (int64_t)f->apart[d];
    }
    if (kept < all) continue;
    if (to == 1) {
      f->has_runs = true;
      continue;
    }
    const int64_t side = step[axis[last]];
    f->neighbour[f->neighbours++] = (neighbour){(size_t)to, side ? (size_t)(to + side) : 0, side < 0};
    if ((size_t)to > front) front = (size_t)to;
  }
  for (int k = 0; k < f->neighbours; k++) {
    bool is_there = false;
    for (int j = 0; j < f->neighbours; j++) is_there = is_there || f->neighbour[j].apart == f->neighbour[k].middle;
    if (!is_there || !f->has_runs) f->neighbour[k].middle = 0;
  }
  f->lines = (uint32_t)(t->size / f->shape[last]);
  f->first = (front + 2) / 64 + 1;
  f->words = f->first + (size_t)bits / 64 + 1;
}

static int label_all(void *const *data, const void *task) {
  static uint32_t (*const start[2])(const forest *) = WEFT__PAIR(start_runs);
  static void (*const touch[2])(const forest *) = WEFT__PAIR(link_runs);
  const label_task *t = task;
  forest f = {0};
  char *memory = NULL;
  f.neighbour = malloc(((size_t)t->neighbours + 1) * sizeof *f.neighbour);
  if (f.neighbour) divide(&f, t, data[3]);
  const size_t bits_bytes = (f.words + 1) * sizeof *f.mask;
  if (f.neighbour) memory = calloc(1, 2 * bits_bytes + f.words * sizeof *f.before);
  if (memory) {
    f.mask = (uint64_t *)(void *)memory;
    f.starts = (uint64_t *)(void *)(memory + bits_bytes);
    f.before = (uint32_t *)(void *)(memory + 2 * bits_bytes);
    f.link = data[0]; /* there are not more runs than elements */
    weft__pack_bits((uint8_t *)f.starts, data[2], t->size, true);
    place_lines(&f, f.starts);
    const uint32_t runs = start[WEFT__IS_WIDE](&f);
    touch[WEFT__IS_WIDE](&f);
    *(int32_t *)data[1] = number(f.link, runs);
    write_labels(&f, runs, data[0]);
  }
  free(memory);
  free(f.neighbour);
  return memory ? 0 : WEFT__HOST_NO_MEMORY;
}

const weft__host_function weft__host_label = {
    .name = "label", .library = WEFT__LIBRARY_NONE, .task_bytes = sizeof(label_task), .run = label_all};

static label_task task_of(const weft__labelling *l) {
  const weft_array *x = l->filtering->call.array[1];
  label_task t;
  memset(&t, 0, sizeof t); /* recordings keep all its bytes */
  t.axes = x->ndim;
  for (int d = 0; d < x->ndim; d++) t.shape[d] = x->shape[d];
  t.size = x->size;
  t.neighbours = l->neighbours;
  return t;
}

bool weft__label_host_fits(const void *task) {
  const weft__labelling *l = task;
  const weft_context *context = l->filtering->call.context;
  const label_task t = task_of(l);
  forest f = {0};
  int axis[WEFT_MAX_NDIM];
  return (t.size <= WEFT__LABEL_MOST_ALONE || context->core.device->info.compute_units <= WEFT__LABEL_FEW_UNITS) &&
         measure(&f, axis, &t) <= (uint64_t)t.size * WEFT__LABEL_MOST_PADDED;
}

weft_status weft__label_host_run(bool *is_done, const void *task) {
  const weft__labelling *l = task;
  const weft__call *c = &l->filtering->call;
  const label_task t = task_of(l);
  WEFT__TRY_RETURN(weft__array_create(l->regions, c->context, WEFT_I32, WEFT_SHAPE(1), c->site));
  const weft__host_use use[] = {{.array = c->array[0], .writes = true},
                                {.array = *l->regions, .writes = true},
                                {.array = c->array[1], .reads = true},
                                {.array = l->table, .reads = true}};
  *is_done = true;
  return weft__host_run(c->context, &weft__host_label, &t, 4, use, "label", c->site);
}
