// SPDX-License-Identifier: MIT
// Arithmetic intensity: a device's speed with little work per byte and with much, and the size at which it overtakes
// the host.
//
// Mirrors two remarks: the second misuse in the course "Introduction to CUDA Python with Numba" ("Our calculation is
// too simple ... arithmetic intensity ... the GPU will spend most of its time waiting for data to move around"), and
// the claims of "Python and the GPU: Memory Management" (much faster "especially for large datasets", if transfers do
// "not become a bottleneck"). In NumPy:
//   t = x
//   for _ in range(steps): t = t * 0.75 + 0.25       # two operations a step, on data read and written once
#include <inttypes.h>
#include <string.h>

#include "example.h"

typedef struct task {
  weft_context *context;
  char *expression;
  uint64_t n, steps;
  float *x, *y;  // on the host
  weft_array *x_device, *y_device;
} task;

static weft_status on_host(void *argument) {
  task *t = argument;
  for (uint64_t i = 0; i < t->n; i++) {
    float value = t->x[i];
    for (uint64_t k = 0; k < t->steps; k++) value = value * 0.75f + 0.25f;
    t->y[i] = value;
  }
  return WEFT_OK;
}

static weft_status on_device(void *argument) {
  task *t = argument;
  return weft_eval(&t->y_device, t->context, t->expression, WEFT_NAMED("x", t->x_device));
}

static weft_status on_device_with_copies(void *argument) {
  task *t = argument;
  weft_shape shape = WEFT_SHAPE(t->n);
  return weft_eval(WEFT_HOST_OUT(t->y, WEFT_F32, shape), t->context, t->expression,
                   WEFT_NAMED("x", WEFT_HOST(t->x, WEFT_F32, shape)));
}

// The copies alone, to the device and back.
static weft_status copies_alone(void *argument) {
  task *t = argument;
  weft_status status = weft_from_host(&t->x_device, t->context, WEFT_F32, WEFT_SHAPE(t->n), t->x);
  return status == WEFT_OK ? weft_to_host(t->y, t->n * sizeof *t->y, t->y_device) : status;
}

// "t = x; t = t * 0.75 + 0.25; ... t": all steps in one kernel, their number known to the compiler.
static bool set_steps(task *t, uint64_t steps) {
  static const char step[] = "t = t * 0.75 + 0.25; ";
  char *text = malloc(16 + steps * (sizeof step - 1));
  if (text == NULL) return false;
  free(t->expression);
  t->expression = text;
  t->steps = steps;
  strcpy(text, "t = x; ");
  text += strlen(text);
  for (uint64_t k = 0; k < steps; k++, text += sizeof step - 1) strcpy(text, step);
  strcpy(text, "t");
  return true;
}

// Replaces the arrays on the device for a new size.
static weft_status set_size(task *t, uint64_t n) {
  t->n = n;
  weft_array_release(&t->y_device);
  weft_array_release(&t->x_device);
  return weft_from_host(&t->x_device, t->context, WEFT_F32, WEFT_SHAPE(n), t->x);
}

// The best of three runs; short calls are repeated within a run.
static weft_status measure(double *time_ns, task *t, weft_timeit_function *function, uint64_t work) {
  weft_timing timing;
  uint64_t calls = work / (t->n * t->steps);
  weft_status status = weft_timeit(&timing, t->context, function, t, .runs = 3,
                                   .loops = calls < 1     ? 1
                                            : calls > 200 ? 200
                                                          : calls);
  if (status == WEFT_OK) *time_ns = timing.best_ns;
  return status;
}

// The first size from which on `faster` holds for all sizes; 0: no such size.
static uint64_t crossover(const uint64_t *size, const bool *faster, int count) {
  uint64_t found = 0;
  for (int i = count - 1; i >= 0 && faster[i]; i--) found = size[i];
  return found;
}

static void print_crossover(const char *what, uint64_t size, uint64_t largest) {
  if (size > 0)
    printf("  %s the device overtakes the host at %" PRIu64 " elements.\n", what, size);
  else
    printf("  %s the device does not overtake the host up to %" PRIu64 " elements.\n", what, largest);
}

int main(int argc, char **argv) {
  uint64_t exponent = 20, most_steps = 256, work = 1 << 22;
  const example_option options[] = {
      {"--exponent", &exponent, 8, 30, "the largest array has 2^EXPONENT elements"},
      {"--steps", &most_steps, 1, 1024, "the most steps for an element"},
      {"--work", &work, 1, (uint64_t)1 << 40,
       "steps that a run of a timing does at least, over all elements, where that takes up to 200 calls"},
  };
  int status = example_arguments(argc, argv, "Compares host and device over work per element and over sizes.", options,
                                 sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  const uint64_t n = (uint64_t)1 << exponent, simple = most_steps < 2 ? most_steps : 2,
                 heavy = most_steps < 64 ? most_steps : 64;
  double host_ns, device_ns, copies_ns, alone_ns;
  weft_device_info device;
  task t = {.x = malloc(n * sizeof(float)), .y = malloc(n * sizeof(float))};
  REQUIRE(t.x != NULL && t.y != NULL, "no memory for %" PRIu64 " elements", n);
  for (uint64_t i = 0; i < n; i++) t.x[i] = (float)(i % 1000) / 1000;
  WEFT_TRY(weft_context_default(&t.context), done);
  WEFT_TRY(weft_context_get_device(&device, t.context), done);

  printf("Rising work per element: %" PRIu64 " floats, on %s\n", n, device.name);
  printf("  %6s %10s %12s %10s %10s %12s %8s\n", "steps", "flop/byte", "device us", "GB/s", "GFLOP/s", "host us",
         "times");
  WEFT_TRY(set_size(&t, n), done);
  for (uint64_t steps = 1; steps <= most_steps; steps *= 4) {
    REQUIRE(set_steps(&t, steps), "no memory for %" PRIu64 " steps", steps);
    WEFT_TRY(measure(&device_ns, &t, on_device, work), done);
    WEFT_TRY(measure(&host_ns, &t, on_host, work), done);
    double bytes = 2.0 * sizeof(float) * (double)n, flop = 2.0 * (double)steps * (double)n;
    printf("  %6" PRIu64 " %10.2f %12.1f %10.2f %10.2f %12.1f %8.2f\n", steps, flop / bytes, 1e-3 * device_ns,
           bytes / device_ns, flop / device_ns, 1e-3 * host_ns, host_ns / device_ns);
    // Bit-identical to the host's result: nothing is contracted or reordered.
    on_host(&t);
    float *check = t.y;
    WEFT_TRY(weft_to_host(t.x, n * sizeof *t.x, t.y_device), done);
    REQUIRE(memcmp(check, t.x, n * sizeof *check) == 0, "host and device differ at %" PRIu64 " steps", steps);
    for (uint64_t i = 0; i < n; i++) t.x[i] = (float)(i % 1000) / 1000;
  }

  for (int round = 0; round < 2; round++) {
    uint64_t size[32];
    bool faster[32], faster_with_copies[32];
    int count = 0;
    REQUIRE(set_steps(&t, round == 0 ? simple : heavy), "no memory for the expression");
    printf("\nRising size: %" PRIu64 " steps for each element, us\n", t.steps);
    printf("  %10s %12s %12s %12s %12s\n", "elements", "host", "device", "copies alone", "with copies");
    for (uint64_t e = 8; e <= exponent; e += 2, count++) {
      WEFT_TRY(set_size(&t, (uint64_t)1 << e), done);
      WEFT_TRY(measure(&host_ns, &t, on_host, work), done);
      WEFT_TRY(measure(&device_ns, &t, on_device, work), done);
      WEFT_TRY(measure(&alone_ns, &t, copies_alone, work), done);
      WEFT_TRY(measure(&copies_ns, &t, on_device_with_copies, work), done);
      printf("  %10" PRIu64 " %12.1f %12.1f %12.1f %12.1f\n", t.n, 1e-3 * host_ns, 1e-3 * device_ns, 1e-3 * alone_ns,
             1e-3 * copies_ns);
      size[count] = t.n;
      faster[count] = device_ns < host_ns;
      faster_with_copies[count] = copies_ns < host_ns;
    }
    print_crossover("Data on the device:", crossover(size, faster, count), t.n);
    print_crossover("Data on the host, copies counted:", crossover(size, faster_with_copies, count), t.n);
  }
  printf(
      "\nThe host is one thread of plain C. One operation for each of 10000 elements, as in \"Python and the GPU: "
      "Memory Management\", is "
      "work\n"
      "for the host.\n");
  status = EXIT_SUCCESS;

done:
  weft_release(&t.y_device, &t.x_device);
  free(t.expression);
  free(t.y);
  free(t.x);
  return example_close(&t.context, status);
}
