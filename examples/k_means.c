// SPDX-License-Identifier: MIT
// k-means on random points around known centres: random numbers, formulas, argmax, take, argmin, bincount and sums by
// label, all on the device. Nothing is copied between the first launch and the last. Sums by label are f64, so the
// device must have fp64. In NumPy, with x and y of shape (n,):
//  d = np.full(n, np.inf)                                             # first centres: each farthest from the others
//   for j in range(k):
//     at = d.argmax();  cx[j], cy[j] = x[at], y[at]
//     d = np.minimum(d, (x - cx[j])**2 + (y - cy[j])**2)
//   for _ in range(rounds):
//     distance = (x[:, None] - cx)**2 + (y[:, None] - cy)**2
//     label = distance.argmin(axis=1)
//     count = np.bincount(label, minlength=k)
//     cx = np.where(count > 0, np.bincount(label, x, k) / count, cx)   # and cy
//   inertia = distance.min(axis=1).mean()
#include <inttypes.h>
#include <math.h>

#include "example.h"

#define TAU 6.283185307179586
#define RADIUS 3.0
#define SPREAD 0.1

typedef struct state {
  weft_context *context;
  weft_rng *rng;
  uint64_t n, k;
  weft_array *x, *y;    // [n]
  weft_array *xs, *ys;  // x and y as [n, 1]
  weft_array *cx, *cy;  // [k]
  weft_array *distance, *label, *count, *sum_x, *sum_y, *nearest, *mean;
} state;

// n points, each near one of k places on a circle.
static weft_status make_points(state *s) {
  weft_array *place = NULL, *dx = NULL, *dy = NULL;
  weft_shape shape = WEFT_SHAPE(s->n);
  weft_status status = weft_integers(&place, s->rng, WEFT_I32, shape, 0, s->k);
  if (status == WEFT_OK) status = weft_normal(&dx, s->rng, WEFT_F32, shape, 0, SPREAD);
  if (status == WEFT_OK) status = weft_normal(&dy, s->rng, WEFT_F32, shape, 0, SPREAD);
  if (status == WEFT_OK)
    status = weft_eval_all(s->context,
                           "angle = step * f32(place); x = radius * cos(angle) + dx; y = radius * sin(angle) + dy",
                           WEFT_NAMED("x", &s->x), WEFT_NAMED("y", &s->y), WEFT_VAR(place), WEFT_VAR(dx), WEFT_VAR(dy),
                           WEFT_NAMED("step", (float)(TAU / (double)s->k)), WEFT_NAMED("radius", (float)RADIUS));
  if (status == WEFT_OK) status = weft_expand(&s->xs, s->x, 1);
  if (status == WEFT_OK) status = weft_expand(&s->ys, s->y, 1);
  weft_release(&dy, &dx, &place);
  return status;
}

// Chooses centre number j: the point farthest from the centres before it. Its index, `at`, never leaves the device.
static weft_status choose_centre(state *s, weft_array **d, uint64_t j) {
  weft_array *at = NULL, *px = NULL, *py = NULL;
  weft_status status = weft_slice(&px, s->cx, 0, (int64_t)j, (int64_t)j + 1);
  if (status == WEFT_OK) status = weft_slice(&py, s->cy, 0, (int64_t)j, (int64_t)j + 1);
  if (status == WEFT_OK) status = weft_argmax(&at, *d, weft_keepdims(WEFT_ALL_AXES));
  if (status == WEFT_OK) status = weft_take(&px, s->x, at, 0, .mode = WEFT_INDEX_CLIP);
  if (status == WEFT_OK) status = weft_take(&py, s->y, at, 0, .mode = WEFT_INDEX_CLIP);
  if (status == WEFT_OK)
    status = weft_eval(d, s->context, "min(d, (x - px) ** 2 + (y - py) ** 2)", WEFT_NAMED("d", *d),
                       WEFT_NAMED("x", s->x), WEFT_NAMED("y", s->y), WEFT_VAR(px), WEFT_VAR(py));
  weft_release(&py, &px, &at);
  return status;
}

static weft_status choose_centres(state *s) {
  weft_array *d = NULL;
  weft_status status = weft_full(&d, s->context, WEFT_F32, WEFT_SHAPE(s->n), INFINITY);
  if (status == WEFT_OK) status = weft_empty(&s->cx, s->context, WEFT_F32, WEFT_SHAPE(s->k));
  if (status == WEFT_OK) status = weft_empty(&s->cy, s->context, WEFT_F32, WEFT_SHAPE(s->k));
  // a given result fixes the number of labels, so that the calls below need not read them
  if (status == WEFT_OK) status = weft_zeros(&s->count, s->context, WEFT_I64, WEFT_SHAPE(s->k));
  if (status == WEFT_OK) status = weft_zeros(&s->sum_x, s->context, WEFT_F64, WEFT_SHAPE(s->k));
  if (status == WEFT_OK) status = weft_zeros(&s->sum_y, s->context, WEFT_F64, WEFT_SHAPE(s->k));
  for (uint64_t j = 0; j < s->k && status == WEFT_OK; j++) status = choose_centre(s, &d, j);
  weft_array_release(&d);
  return status;
}

// Assigns each point to the nearest centre, then moves each centre to the mean of its points. Each round reuses the
// result arrays.
static weft_status improve(state *s) {
  weft_status status = weft_eval(&s->distance, s->context, "(x - cx) ** 2 + (y - cy) ** 2", WEFT_NAMED("x", s->xs),
                                 WEFT_NAMED("y", s->ys), WEFT_NAMED("cx", s->cx), WEFT_NAMED("cy", s->cy));
  if (status == WEFT_OK) status = weft_argmin(&s->label, s->distance, 1);
  if (status == WEFT_OK) status = weft_bincount(&s->count, s->label);
  if (status == WEFT_OK) status = weft_bincount(&s->sum_x, s->label, .weights = s->x);
  if (status == WEFT_OK) status = weft_bincount(&s->sum_y, s->label, .weights = s->y);
  if (status == WEFT_OK)
    status = weft_eval_all(
        s->context, "cx = where(count > 0, sum_x / count, cx); cy = where(count > 0, sum_y / count, cy)",
        WEFT_NAMED("cx", &s->cx), WEFT_NAMED("cy", &s->cy), WEFT_NAMED("count", s->count),
        WEFT_NAMED("sum_x", s->sum_x), WEFT_NAMED("sum_y", s->sum_y), WEFT_NAMED("cx", s->cx), WEFT_NAMED("cy", s->cy));
  return status;
}

int main(int argc, char **argv) {
  uint64_t rounds = 10, seed = 1;
  state s = {.n = 100000, .k = 5};
  const example_option options[] = {
      {"-n", &s.n, 100, (uint64_t)1 << 28, "points"},
      {"-k", &s.k, 1, 20, "centres"},
      {"--rounds", &rounds, 1, 1000, "rounds"},
      {"--seed", &seed, 0, UINT64_MAX, "what the points are made of"},
  };
  int status = example_arguments(argc, argv, "Finds the centres of points.", options, sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  float cx[20], cy[20], mean;
  int64_t count[20];
  weft_usage before, after;
  weft_memory_stats stats_before, stats;
  WEFT_TRY(weft_context_default(&s.context), done);
  WEFT_TRY(weft_rng_create(&s.rng, .seed = seed), done);
  WEFT_TRY(make_points(&s), done);
  WEFT_TRY(choose_centres(&s), done);
  WEFT_TRY(improve(&s), done);  // builds the kernels
  WEFT_TRY(weft_usage_get(&before, s.context), done);
  WEFT_TRY(weft_memory_get(&stats_before, s.context), done);
  for (uint64_t round = 1; round < rounds; round++) WEFT_TRY(improve(&s), done);
  WEFT_TRY(weft_usage_get(&after, s.context), done);
  WEFT_TRY(weft_memory_get(&stats, s.context), done);
  WEFT_TRY(weft_min(&s.nearest, s.distance, 1), done);
  WEFT_TRY(weft_mean(&s.mean, s.nearest, WEFT_ALL_AXES), done);

  WEFT_TRY(weft_to_host(cx, s.k * sizeof *cx, s.cx), done);
  WEFT_TRY(weft_to_host(cy, s.k * sizeof *cy, s.cy), done);
  WEFT_TRY(weft_to_host(count, s.k * sizeof *count, s.count), done);
  WEFT_TRY(weft_to_host(&mean, sizeof mean, s.mean), done);
  printf("%" PRIu64 " points around %" PRIu64 " places, seed %" PRIu64 ", %" PRIu64 " rounds:\n", s.n, s.k, seed,
         rounds);
  printf("  %10s %10s %10s %10s\n", "centre x", "y", "points", "off by");
  for (uint64_t j = 0; j < s.k; j++) {
    double off = INFINITY;  // distance to the nearest of the places
    for (uint64_t p = 0; p < s.k; p++) {
      double angle = TAU / (double)s.k * (double)p;
      off = fmin(off, hypot((double)cx[j] - RADIUS * cos(angle), (double)cy[j] - RADIUS * sin(angle)));
    }
    printf("  %10.3f %10.3f %10" PRId64 " %10.3f\n", (double)cx[j], (double)cy[j], count[j], off);
  }
  printf("Mean squared distance from the nearest centre: %.4f (the points were made with %.4f).\n", (double)mean,
         2 * SPREAD * SPREAD);
  if (rounds > 1)
    printf("Each further round: %.1f launches, %" PRIu64 " bytes copied.\n",
           (double)(after.launches - before.launches) / (double)(rounds - 1),
           stats.to_device_bytes - stats_before.to_device_bytes + stats.to_host_bytes - stats_before.to_host_bytes);
  status = EXIT_SUCCESS;

done:
  weft_release(&s.mean, &s.nearest, &s.sum_y, &s.sum_x, &s.count, &s.label, &s.distance, &s.cy, &s.cx, &s.ys, &s.xs,
               &s.y, &s.x, &s.rng);
  return example_close(&s.context, status);
}
