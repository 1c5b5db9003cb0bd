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
typedef struct distance_lines {
  uint64_t outer, length, inner;
  double step; /* the squared distance of neighbours along the axis */
  int32_t cores, is_first, is_last, is_kept, is_f32, unused;
} distance_lines;

typedef struct distance_job {
  const distance_lines *pass;
  void *const *data;
  uint64_t lines; /* of a group */
  int shares;
  bool has_failed[WEFT__MOST_SHARES];
} distance_job;

#define T float
#define NAME(name) name##_f32
#include "op/filter/distance_lines.h"
#define T double
#define NAME(name) name##_f64
#include "op/filter/distance_lines.h"

static int find_distances(void *const *data, const void *task) {
  const distance_lines *p = task;
  distance_job all = {.pass = p, .data = data, .lines = MOST_LINES}, *j = &all;
  while (all.lines > 1 && (all.lines > p->inner || all.lines * p->length > WEFT__DISTANCE_GROUP)) all.lines /= 2;
  const uint64_t groups = p->outer * weft_ceil_div(p->inner, all.lines);
  const uint64_t paid = p->outer * p->length * p->inner / WEFT__DISTANCE_SHARE;
  all.shares = weft__shares_of(paid < groups ? paid : groups, (uint64_t)p->cores);
  weft__run_shares(all.shares, p->is_f32 ? run_share_f32 : run_share_f64, &j);
  for (int k = 0; k < all.shares; k++)
    if (all.has_failed[k]) return WEFT__HOST_NO_MEMORY;
  return 0;
}

const weft__host_function weft__host_distance = {
    "distance", WEFT__LIBRARY_NONE, sizeof(distance_lines), find_distances, NULL, NULL};

weft_status weft__distance_host_run(bool *is_done, const void *task) {
  const weft__distance_pass *of = task;
  const weft__call *c = &of->filtering->call;
  const distance_lines p = {.outer = (uint64_t)of->split.outer,
                            .length = (uint64_t)of->split.length,
                            .inner = (uint64_t)of->split.inner,
                            .step = of->step,
                            .cores = weft__host_cores(c->context),
                            .is_first = of->is_first,
                            .is_last = of->is_last,
                            .is_kept = of->is_kept,
                            .is_f32 = of->to->dtype == WEFT_F32};
  const weft__host_use use[] = {{.array = of->to, .writes = true},
                                {.array = of->from, .reads = true},
                                {.array = of->nearest, .writes = true},
                                {.array = of->nearest_before, .reads = true}};
  *is_done = true;
  return weft__host_run(c->context, &weft__host_distance, &p, p.is_first ? 3 : 4, use, of->filtering->what, c->site);
}
