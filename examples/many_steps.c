// SPDX-License-Identifier: MIT
// A simulation of many equal steps: bodies that attract each other, moved by leapfrog. After the first step nothing is compiled, nothing
// is copied, and no memory is asked for.
//
// Mirrors a remark of "Basic Python implementation of GPU acceleration": just-in-time compiling suits "multi-step computation of the same
// dimensional parameters", molecular dynamics for one. A step is, in NumPy:
//   v += a * (dt / 2);  x += v * dt;  a = accelerate(x);  v += a * (dt / 2)
// The three updates are expressions; accelerate is a kernel, in many_steps.cl. Method: kick-drift-kick leapfrog, which keeps the energy to
// second order in dt and does not let it drift away.
#include <inttypes.h>
#include <math.h>

#include "example.h"
#include "many_steps.cl.h"
#include "numpy_random.h"

enum { TILE = 64 };  // threads of a block, as in the kernel

typedef struct system {
  weft_context *context;
  weft_kernel *accelerate, *energy;
  weft_array *x, *v, *a;  // [n, 4]: x, y, z, and in x the mass (in v and a: 0)
  weft_array *each;
  float *each_host;
  uint64_t n;
  float softening2;
} system_of_bodies;

static weft_status accelerate(system_of_bodies *s) {
  return weft_launch(s->accelerate, WEFT_DIM3(weft_ceil_div(s->n, TILE)), WEFT_DIM3(TILE), s->a, s->x, s->softening2, s->n);
}

static weft_status step(system_of_bodies *s, float dt) {
  weft_status status = weft_eval(&s->v, s->context, "v + a * h", WEFT_NAMED("v", s->v), WEFT_NAMED("a", s->a), WEFT_NAMED("h", dt / 2));
  if (status == WEFT_OK)
    status = weft_eval(&s->x, s->context, "x + v * dt", WEFT_NAMED("x", s->x), WEFT_NAMED("v", s->v), WEFT_NAMED("dt", dt));
  if (status == WEFT_OK) status = accelerate(s);
  if (status == WEFT_OK)
    status = weft_eval(&s->v, s->context, "v + a * h", WEFT_NAMED("v", s->v), WEFT_NAMED("a", s->a), WEFT_NAMED("h", dt / 2));
  return status;
}

// Each body's part on the device, their sum in double on the host.
static weft_status total_energy(double *energy, system_of_bodies *s) {
  weft_status status =
      weft_launch(s->energy, WEFT_DIM3(weft_ceil_div(s->n, TILE)), WEFT_DIM3(TILE), s->each, s->x, s->v, s->softening2, s->n);
  if (status == WEFT_OK) status = weft_to_host(s->each_host, s->n * sizeof *s->each_host, s->each);
  *energy = 0;
  for (uint64_t i = 0; i < s->n && status == WEFT_OK; i++) *energy += (double)s->each_host[i];
  return status;
}

// A ball of equal masses with a normal density, and speeds at which it neither flies apart nor falls together.
static void set_bodies(float *x, float *v, uint64_t n, uint32_t seed) {
  const double speed = sqrt(1 / (6 * sqrt(acos(-1.0))));  // twice the kinetic energy is the potential one, 1 / (2 sqrt(pi))
  numpy_random random;
  numpy_seed(&random, seed);
  for (uint64_t i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++) x[4 * i + (uint64_t)k] = (float)numpy_randn(&random);
    for (int k = 0; k < 3; k++) v[4 * i + (uint64_t)k] = (float)(speed * numpy_randn(&random));
    x[4 * i + 3] = 1 / (float)n;
    v[4 * i + 3] = 0;
  }
}

typedef struct figures {
  weft_usage usage;
  weft_memory_stats memory;
} figures;

static weft_status take_figures(figures *f, system_of_bodies *s) {
  weft_status status = weft_context_wait(s->context);
  if (status == WEFT_OK) status = weft_usage_get(&f->usage, s->context);
  if (status == WEFT_OK) status = weft_memory_get_stats(&f->memory, s->context);
  return status;
}

static void print_figures(const char *what, const figures *from, const figures *to, double time_s) {
  printf("  %-16s %8" PRIu64 " %10" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %10.3f\n", what,
         to->usage.builds - from->usage.builds, to->usage.launches - from->usage.launches,
         to->memory.to_device_bytes - from->memory.to_device_bytes, to->memory.to_host_bytes - from->memory.to_host_bytes,
         to->memory.allocations - from->memory.allocations, time_s);
}

int main(int argc, char **argv) {
  uint64_t n = 2048, steps = 100, seed = 1;
  const example_option options[] = {
      {"--bodies", &n, 2, 1 << 24, "bodies"},
      {"--steps", &steps, 2, 1000000000, "steps of 1/200 of the time that the ball's bodies take"},
      {"--seed", &seed, 0, UINT32_MAX, "seed of the random numbers"},
  };
  int status = example_arguments(argc, argv, "Moves bodies that attract each other.", options, sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  const float dt = 1.0f / 200;
  figures start, set_up, first, last;
  double before, after, time_s[4];
  float *x = malloc(4 * n * sizeof *x), *v = malloc(4 * n * sizeof *v);
  system_of_bodies s = {.n = n, .softening2 = 0.05f * 0.05f, .each_host = malloc(n * sizeof(float))};
  REQUIRE(x != NULL && v != NULL && s.each_host != NULL, "no memory for %" PRIu64 " bodies", n);
  set_bodies(x, v, n, (uint32_t)seed);

  TRY(weft_context_create(&s.context, NULL));
  TRY(take_figures(&start, &s));
  time_s[0] = example_clock_s();
  TRY(weft_kernel_from_source(&s.accelerate, s.context, many_steps_cl, "accelerate"));
  TRY(weft_kernel_from_source(&s.energy, s.context, many_steps_cl, "energy"));
  TRY(weft_from_host(&s.x, s.context, WEFT_F32, WEFT_SHAPE(n, 4), x));
  TRY(weft_from_host(&s.v, s.context, WEFT_F32, WEFT_SHAPE(n, 4), v));
  TRY(weft_empty_like(&s.a, s.x));
  TRY(weft_empty(&s.each, s.context, WEFT_F32, WEFT_SHAPE(n)));
  TRY(accelerate(&s));
  TRY(total_energy(&before, &s));
  TRY(take_figures(&set_up, &s));
  time_s[1] = example_clock_s();

  TRY(step(&s, dt));
  TRY(take_figures(&first, &s));
  time_s[2] = example_clock_s();

  for (uint64_t i = 1; i < steps; i++) TRY(step(&s, dt));
  TRY(take_figures(&last, &s));
  time_s[3] = example_clock_s();
  TRY(total_energy(&after, &s));

  printf("%" PRIu64 " bodies, %" PRIu64 " steps\n", n, steps);
  printf("  %-16s %8s %10s %12s %12s %12s %10s\n", "", "builds", "launches", "bytes in", "bytes back", "allocations", "s");
  print_figures("set up", &start, &set_up, time_s[1] - time_s[0]);
  print_figures("the first step", &set_up, &first, time_s[2] - time_s[1]);
  print_figures("all later steps", &first, &last, time_s[3] - time_s[2]);
  REQUIRE(last.usage.builds == first.usage.builds && last.memory.to_device_bytes == first.memory.to_device_bytes &&
              last.memory.to_host_bytes == first.memory.to_host_bytes && last.memory.allocations == first.memory.allocations,
          "something was built, copied or allocated after the first step");
  printf("%.2f million pairs of bodies each second\n", 1e-6 * (double)n * (double)n * (double)(steps - 1) / (time_s[3] - time_s[2]));
  printf("energy %.6f before, %.6f after: changed by %.1e of itself\n", before, after, fabs(after / before - 1));
  REQUIRE(fabs(after / before - 1) < 1e-2, "the energy is not kept");
  status = EXIT_SUCCESS;

done:
  weft_array_release(&s.each);
  weft_array_release(&s.a);
  weft_array_release(&s.v);
  weft_array_release(&s.x);
  weft_kernel_release(&s.energy);
  weft_kernel_release(&s.accelerate);
  free(s.each_host);
  free(v);
  free(x);
  return example_close(&s.context, status);
}
