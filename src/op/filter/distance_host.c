// SPDX-License-Identifier: MIT
/// Euclidean distances to the nearest zero on the host, along one axis after the other. The threads share groups of
/// neighbouring lines. Along a later axis, the lower envelope of the parabolas step * (i - k)^2 + f(k) is kept as a
/// stack of the k whose parabola is lowest somewhere (Felzenszwalb and Huttenlocher 2012), so a line takes time in
/// proportion to its length.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "op/filter/filter.h"
#include "op/filter/tuning.h"

enum { MOST_LINES = WEFT__DISTANCE_LINES };

/// What a recording keeps. Its arrays: the squared distances or, of the last pass, the distances; those before, or of
/// the first pass the bytes, zero or not; the places of the nearest zeros, after and before.
typedef struct distance_pass {
  uint64_t outer, length, inner;
  double step; /* the squared distance of neighbours along the axis */
  int32_t cores, is_first, is_last, is_kept, is_f32, unused;
} distance_pass;

typedef struct distance_job {
  const distance_pass *pass;
  void *const *data;
  uint64_t lines; /* of a group */
  int shares;
  bool has_failed[WEFT__MOST_SHARES];
} distance_job;

static uint64_t groups_of(uint64_t inner, uint64_t lines) {
  return (inner + lines - 1) / lines;
}

#define T float
#define NAME(name) name##_f32
#include "op/filter/distance_lines.h"
#define T double
#define NAME(name) name##_f64
#include "op/filter/distance_lines.h"

static int find_distances(void *const *data, const void *task) {
  const distance_pass *p = task;
  distance_job all = {.pass = p, .data = data, .lines = MOST_LINES}, *j = &all;
  while (all.lines > 1 && (all.lines > p->inner || all.lines * p->length > WEFT__DISTANCE_GROUP)) all.lines /= 2;
  const uint64_t groups = p->outer * groups_of(p->inner, all.lines);
  uint64_t shares = p->outer * p->length * p->inner / WEFT__DISTANCE_SHARE + 1;
  if (shares > (uint64_t)p->cores) shares = (uint64_t)p->cores;
  all.shares = (int)(shares < groups ? shares : groups);
  weft__run_shares(all.shares, p->is_f32 ? run_share_f32 : run_share_f64, &j);
  for (int k = 0; k < all.shares; k++)
    if (all.has_failed[k]) return WEFT__HOST_NO_MEMORY;
  return 0;
}

const weft__host_function weft__host_distance = {
    "distance", WEFT__LIBRARY_NONE, sizeof(distance_pass), find_distances, NULL, NULL};

weft_status weft__distance_host_run(bool *is_done, const void *task) {
  const weft__distance_pass *of = task;
  const weft_array *to = of->array[0];
  const weft__call *c = &of->filtering->call;
  const distance_pass p = {.outer = of->a->outer,
                           .length = of->a->length,
                           .inner = of->a->inner,
                           .step = of->step,
                           .cores = weft__host_cores(c->context),
                           .is_first = (int32_t)of->a->is_first,
                           .is_last = (int32_t)of->a->is_last,
                           .is_kept = (int32_t)of->a->is_kept,
                           .is_f32 = to->dtype == WEFT_F32};
  const weft__host_use use[] = {{.array = to, .writes = true},
                                {.array = of->array[1], .reads = true},
                                {.array = of->array[2], .writes = true},
                                {.array = of->array[3], .reads = true}};
  *is_done = true;
  return weft__host_run(c->context, &weft__host_distance, &p, p.is_first ? 3 : 4, use, of->filtering->what, c->site);
}
