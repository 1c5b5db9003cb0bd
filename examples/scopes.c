// SPDX-License-Identifier: MIT
// Square roots by Heron's rule, y = (y + x / y) / 2, in calls that each make a new array. A scope frees these arrays,
// except the ones it is asked to keep. With scopes the C code needs no releases, like the Python code:
//   def improve(y, x): return (y + x / y) * 0.5
#include <inttypes.h>
#include <math.h>

#include "example.h"

typedef struct state {
  weft_context *context;
  weft_array *x;  // [n]
  uint64_t n, rounds;
} state;

// Makes three new arrays, which the caller's scope frees.
static weft_status improve(weft_array **better, const weft_array *y, const weft_array *x) {
  weft_array *quotient = NULL, *sum = NULL;
  weft_status status = weft_divide(&quotient, x, y);
  if (status == WEFT_OK) status = weft_add(&sum, y, quotient);
  if (status == WEFT_OK) status = weft_multiply(better, sum, 0.5);
  return status;
}

// Also makes three arrays, but only the result survives its scope.
static weft_status improve_in_a_scope(weft_array **better, const weft_array *y, const weft_array *x) {
  weft_scope scope;
  weft_status status = weft_scope_begin(&scope);
  if (status) return status;
  status = improve(better, y, x);
  if (status == WEFT_OK) status = weft_scope_keep(*better);
  weft_status ended = weft_scope_end(&scope);
  return status ? status : ended;
}

static weft_status take_roots(weft_array **roots, const state *s,
                              weft_status (*step)(weft_array **, const weft_array *, const weft_array *)) {
  weft_array *y = NULL;
  weft_memory_stats stats = {0};
  weft_status status = weft_full(&y, s->context, WEFT_F32, WEFT_SHAPE(s->n), 1);
  for (uint64_t round = 0; round < s->rounds && status == WEFT_OK; round++) {
    weft_array *better = NULL;
    status = step(&better, y, s->x);
    if (status == WEFT_OK) status = weft_memory_get(&stats, s->context);
    if (status) break;
    printf(" %3" PRIu64, stats.arrays);
    weft_array_release(&y);  // frees the array now, even in a scope
    y = better;
  }
  printf("\n");
  *roots = y;
  return status;
}

int main(int argc, char **argv) {
  state s = {.n = 1000, .rounds = 10};
  const example_option options[] = {
      {"-n", &s.n, 1, (uint64_t)1 << 28, "numbers, from 1 to n"},
      {"--rounds", &s.rounds, 1, 40, "rounds"},
  };
  int status = example_arguments(argc, argv, "Takes square roots in many small steps.", options,
                                 sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  weft_scope all, inner;
  weft_snapshot *before = NULL, *after = NULL;
  char *difference = NULL;
  float *host = malloc(s.n * sizeof *host);
  double worst = 0;
  bool is_open = false;
  REQUIRE(host != NULL, "no memory for %" PRIu64 " numbers", s.n);
  WEFT_TRY(weft_context_default(&s.context), done);
  WEFT_TRY(weft_scope_begin(&all), done);  // for this function's arrays, too
  is_open = true;
  WEFT_TRY(weft_arange(&s.x, s.context, WEFT_F32, 1, s.n + 1, 1), done);

  printf("Square roots of %" PRIu64 " numbers, %" PRIu64 " rounds of three calls that each make an array.\n", s.n,
         s.rounds);
  printf("Arrays alive in each round,\n");
  weft_array *roots = NULL;
  WEFT_TRY(weft_scope_begin(&inner), done);
  printf("  with one scope around all: ");
  WEFT_TRY(take_roots(&roots, &s, improve), done);
  WEFT_TRY(weft_scope_end(&inner), done);  // frees `roots` too
  WEFT_TRY(weft_snapshot_create(&before, s.context), done);
  printf("  with one for each round:   ");
  WEFT_TRY(weft_scope_begin(&inner), done);
  WEFT_TRY(take_roots(&roots, &s, improve_in_a_scope), done);
  WEFT_TRY(weft_to_host(host, s.n * sizeof *host, roots), done);
  WEFT_TRY(weft_scope_end(&inner), done);
  WEFT_TRY(weft_snapshot_create(&after, s.context), done);
  WEFT_TRY(weft_snapshot_compare(&difference, before, after), done);
  printf("What the second way has left: %s", difference);
  for (uint64_t i = 0; i < s.n; i++) worst = fmax(worst, fabs((double)host[i] / sqrt((double)(i + 1)) - 1));
  printf("The largest error is %.1e of the root.\n", worst);
  status = EXIT_SUCCESS;

done:
  // also ends `inner` if a failure left it open
  if (is_open && weft_scope_end(&all) != WEFT_OK) status = EXIT_FAILURE;
  weft_free(difference);
  weft_release(&after, &before);
  free(host);
  return example_close(&s.context, status);
}
