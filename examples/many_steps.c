// SPDX-License-Identifier: MIT
// A simulation of many equal steps: bodies that attract each other, moved by leapfrog. After the first step nothing is
// compiled, copied or allocated.
//
// Mirrors a remark of "Basic Python implementation of GPU acceleration": just-in-time compiling suits "multi-step
// computation of the same dimensional parameters", molecular dynamics for one. A step is, in NumPy:
//   v += a * (dt / 2);  x += v * dt;  a = accelerate(x);  v += a * (dt / 2)
// The three updates are expressions; accelerate is a kernel, in many_steps.cl. Method: kick-drift-kick leapfrog, which
// conserves the energy to second order in dt, without drift.
#include <inttypes.h>
#include <math.h>

#include "example.h"
#include "numpy_random.h"

enum { BLOCK = 64 };  // threads

typedef struct system {
  weft_context *context;
  weft_kernel *accelerate, *energy;
  weft_array *x, *v, *a;    // [3, n]: a row for each coordinate
  weft_array *mass, *each;  // [n]
  float *each_host;
  uint64_t n;  // a multiple of 8
  float softening2;
} system_of_bodies;

static weft_status accelerate(system_of_bodies *s) {
  return weft_launch(s->accelerate, WEFT_DIM3(weft_ceil_div(s->n, BLOCK)), WEFT_DIM3(BLOCK), s->a, s->x, s->mass,
                     s->softening2, s->n);
}

static weft_status step(system_of_bodies *s, float dt) {
  weft_status status =
      weft_eval(&s->v, s->context, "v + a * h", WEFT_NAMED("v", s->v), WEFT_NAMED("a", s->a), WEFT_NAMED("h", dt / 2));
  if (status == WEFT_OK)
    status =
        weft_eval(&s->x, s->context, "x + v * dt", WEFT_NAMED("x", s->x), WEFT_NAMED("v", s->v), WEFT_NAMED("dt", dt));
  if (status == WEFT_OK) status = accelerate(s);
  if (status == WEFT_OK)
    status = weft_eval(&s->v, s->context, "v + a * h", WEFT_NAMED("v", s->v), WEFT_NAMED("a", s->a),
                       WEFT_NAMED("h", dt / 2));
  return status;
}

// Computes each body's energy on the device, and their sum in double on the host.
static weft_status total_energy(double *energy, system_of_bodies *s) {
  weft_status status = weft_launch(s->energy, WEFT_DIM3(weft_ceil_div(s->n, BLOCK)), WEFT_DIM3(BLOCK), s->each, s->x,
                                   s->v, s->mass, s->softening2, s->n);
  if (status == WEFT_OK) status = weft_to_host(s->each_host, s->n * sizeof *s->each_host, s->each);
  *energy = 0;
  for (uint64_t i = 0; i < s->n && status == WEFT_OK; i++) *energy += (double)s->each_host[i];
  return status;
}

// A ball of equal masses with a normal density, at speeds that keep it in equilibrium. `n` is the length of a row;
// entries beyond the bodies stay 0.
static void set_bodies(float *x, float *v, float *mass, uint64_t bodies, uint64_t n, uint32_t seed) {
  // twice the kinetic energy equals the potential energy, 1 / (2 sqrt(pi))
  const double speed = sqrt(1 / (6 * sqrt(acos(-1.0))));
  numpy_random random;
  numpy_seed(&random, seed);
  for (uint64_t i = 0; i < bodies; i++) {
    for (uint64_t k = 0; k < 3; k++) x[k * n + i] = (float)numpy_randn(&random);
    for (uint64_t k = 0; k < 3; k++) v[k * n + i] = (float)(speed * numpy_randn(&random));
    mass[i] = 1 / (float)bodies;
  }
}

typedef struct figures {
  weft_usage usage;
  weft_memory_stats memory;
} figures;

static weft_status take_figures(figures *f, system_of_bodies *s) {
  weft_status status = weft_context_wait(s->context);
  if (status == WEFT_OK) status = weft_usage_get(&f->usage, s->context);
  if (status == WEFT_OK) status = weft_memory_get(&f->memory, s->context);
  return status;
}

static void print_figures(const char *what, const figures *from, const figures *to, double time_s) {
  printf("  %-16s %8" PRIu64 " %10" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %10.3f\n", what,
         to->usage.builds - from->usage.builds, to->usage.launches - from->usage.launches,
         to->memory.to_device_bytes - from->memory.to_device_bytes,
         to->memory.to_host_bytes - from->memory.to_host_bytes, to->memory.allocations - from->memory.allocations,
         time_s);
}

int main(int argc, char **argv) {
  uint64_t bodies = 2048, steps = 100, seed = 1;
  const example_option options[] = {
      {"--bodies", &bodies, 2, 1 << 24, "bodies"},
      {"--steps", &steps, 2, 1000000000, "steps of 1/200 of the time that the ball's bodies take"},
      {"--seed", &seed, 0, UINT32_MAX, "seed of the random numbers"},
  };
  int status =
      example_arguments(argc, argv, "Moves bodies that attract each other.", options, sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  const float dt = 1.0f / 200;
  const uint64_t n = 8 * weft_ceil_div(bodies, 8);
  figures start, set_up, first, last;
  double before, after, time_s[4];
  float *x = calloc(3 * n, sizeof *x), *v = calloc(3 * n, sizeof *v), *mass = calloc(n, sizeof *mass);
  system_of_bodies s = {.n = n, .softening2 = 0.05f * 0.05f, .each_host = malloc(n * sizeof(float))};
  REQUIRE(x != NULL && v != NULL && mass != NULL && s.each_host != NULL, "no memory for %" PRIu64 " bodies", bodies);
  set_bodies(x, v, mass, bodies, n, (uint32_t)seed);

  WEFT_TRY(weft_context_create(&s.context), done);
  WEFT_TRY(take_figures(&start, &s), done);
  time_s[0] = example_clock_s();
  WEFT_TRY(weft_kernel_create(&s.accelerate, s.context, .file = EXAMPLE_KERNEL("many_steps.cl"), .name = "accelerate"),
           done);
  WEFT_TRY(weft_kernel_create(&s.energy, s.context, .file = EXAMPLE_KERNEL("many_steps.cl"), .name = "energy"), done);
  WEFT_TRY(weft_from_host(&s.x, s.context, WEFT_F32, WEFT_SHAPE(3, n), x), done);
  WEFT_TRY(weft_from_host(&s.v, s.context, WEFT_F32, WEFT_SHAPE(3, n), v), done);
  WEFT_TRY(weft_from_host(&s.mass, s.context, WEFT_F32, WEFT_SHAPE(n), mass), done);
  WEFT_TRY(weft_empty_like(&s.a, s.x), done);
  WEFT_TRY(weft_empty(&s.each, s.context, WEFT_F32, WEFT_SHAPE(n)), done);
  WEFT_TRY(accelerate(&s), done);
  WEFT_TRY(total_energy(&before, &s), done);
  WEFT_TRY(take_figures(&set_up, &s), done);
  time_s[1] = example_clock_s();

  WEFT_TRY(step(&s, dt), done);
  WEFT_TRY(take_figures(&first, &s), done);
  time_s[2] = example_clock_s();

  for (uint64_t i = 1; i < steps; i++) WEFT_TRY(step(&s, dt), done);
  WEFT_TRY(take_figures(&last, &s), done);
  time_s[3] = example_clock_s();
  WEFT_TRY(total_energy(&after, &s), done);

  printf("%" PRIu64 " bodies, %" PRIu64 " steps\n", bodies, steps);
  printf("  %-16s %8s %10s %12s %12s %12s %10s\n", "", "builds", "launches", "bytes in", "bytes back", "allocations",
         "s");
  print_figures("set up", &start, &set_up, time_s[1] - time_s[0]);
  print_figures("the first step", &set_up, &first, time_s[2] - time_s[1]);
  print_figures("all later steps", &first, &last, time_s[3] - time_s[2]);
  REQUIRE(last.usage.builds == first.usage.builds && last.memory.to_device_bytes == first.memory.to_device_bytes &&
              last.memory.to_host_bytes == first.memory.to_host_bytes &&
              last.memory.allocations == first.memory.allocations,
          "something was built, copied or allocated after the first step");
  printf("%.2f million pairs of bodies each second\n",
         1e-6 * (double)bodies * (double)bodies * (double)(steps - 1) / (time_s[3] - time_s[2]));
  printf("energy %.6f before, %.6f after: changed by %.1e of itself\n", before, after, fabs(after / before - 1));
  REQUIRE(fabs(after / before - 1) < 1e-2, "the energy is not kept");
  status = EXIT_SUCCESS;

done:
  weft_release(&s.each, &s.mass, &s.a, &s.v, &s.x, &s.energy, &s.accelerate);
  free(s.each_host);
  free(mass);
  free(v);
  free(x);
  return example_close(&s.context, status);
}
