// SPDX-License-Identifier: MIT
/// The program weft-mpi, which `weft mpi` runs on every rank: weft-mpi info|bench text|json ELEMENTS.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <weft/dist.h>

#include "base/error.h"
#include "cli/text_table.h"

enum { REPEATS = 15, MOST_PAIRED = 16 };
#define LARGE_BYTES ((int64_t)32 << 20)
#define STANDARD_ELEMENTS ((int64_t)1 << 20)

static int rank, ranks;
static bool is_json;

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return values[count / 2];
}

/// Prints tables on rank 0, in JSON as members of one object.
static void print_table(const char *name, const table *t, bool is_first, bool is_last) {
  weft__text text = {0};
  if (is_json) {
    weft__text_add(&text, "%s\"%s\": ", is_first ? "{" : ", ", name);
    table_write_json(&text, t);
    if (is_last) weft__text_add(&text, "}\n");
  } else {
    if (!is_first) weft__text_add(&text, "\n");
    table_write(&text, t, table_has_colour(STDOUT_FILENO));
  }
  fputs(weft__text_chars(&text), stdout);
  weft__text_free(&text);
}

/* ---- info ---- */

static weft_status describe(weft_dist *grid) {
  static const table_column columns[] = {
      {"rank", "RANK"}, {"host", "HOST"}, {"device", "DEVICE"}, {"transport", "TRANSPORT"}, {"mpi", "MPI"}};
  table t = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
  weft_dist_info own, *all = calloc((size_t)ranks, sizeof *all);
  const weft_status rc = weft_dist_get(&own, grid);
  if (rc == WEFT_OK && all) {
    const char *transport = own.transport;
    MPI_Gather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int r = 0; r < ranks && rank == 0; r++) {
      table_add_number(&t, (uint64_t)r);
      table_add_text(&t, all[r].host);
      table_add_text(&t, all[r].device);
      table_add_text(&t, transport); /* all ranks have the same */
      table_add_text(&t, all[r].mpi);
    }
    if (rank == 0) print_table("ranks", &t, true, false);
  }
  table_free(&t);
  free(all);
  return rc;
}

/// The median time of gathering `bytes` of the second rank of a pair on the first one.
static weft_status time_pair(double *seconds, weft_dist *grid, int64_t bytes) {
  weft_dist_array *x = NULL;
  double times[REPEATS];
  weft_status rc;
  WEFT__TRY(weft_dist_full(&x, grid, WEFT_U8, WEFT_SHAPE(2, bytes), 0, 1));
  for (int k = 0; k < REPEATS; k++) {
    weft_array *whole = NULL;
    const double start = MPI_Wtime();
    rc = weft_dist_gather(&whole, x, 0);
    if (!rc && whole) rc = weft_context_wait(weft_array_context(whole));
    times[k] = MPI_Wtime() - start;
    weft_array_release(&whole);
    if (rc) goto done;
  }
  *seconds = median(times, REPEATS);
done:
  weft_dist_array_release(&x);
  return rc;
}

/// The times of one byte and of many, over the pair's communicator.
static weft_status time_sizes(double seconds[2], weft_context *context, MPI_Comm pair) {
  weft_dist *grid = NULL;
  weft_status rc;
  WEFT__TRY(weft_dist_create(&grid, pair, .context = context));
  WEFT__TRY(time_pair(&seconds[0], grid, 1));
  rc = time_pair(&seconds[1], grid, LARGE_BYTES);
done:
  weft_dist_release(&grid);
  return rc;
}

static weft_status measure_pair(table *t, weft_context *context, int a, int b) {
  double result[2] = {0};
  MPI_Comm pair;
  weft_status rc = WEFT_OK;
  MPI_Comm_split(MPI_COMM_WORLD, rank == a || rank == b ? 0 : MPI_UNDEFINED, rank == b, &pair);
  if (pair != MPI_COMM_NULL) {
    rc = time_sizes(result, context, pair);
    MPI_Comm_free(&pair);
  }
  /* rank 0 prints */
  if (a != 0 && rank == a) MPI_Send(result, 2, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  if (a != 0 && rank == 0) MPI_Recv(result, 2, MPI_DOUBLE, a, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) {
    table_add_number(t, (uint64_t)b);
    table_add_number(t, (uint64_t)a);
    table_add_decimal(t, result[0] * 1e6, 1);
    table_add_decimal(t, (double)LARGE_BYTES / result[1] * 1e-9, 2);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return rc;
}

static weft_status run_info(weft_dist *grid) {
  static const table_column columns[] = {
      {"from", "FROM"}, {"to", "TO"}, {"latency_us", "LATENCY us"}, {"rate_gb_s", "GB/s"}};
  table t = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
  weft_dist_info info;
  weft_status rc;
  WEFT__TRY(describe(grid));
  WEFT__TRY(weft_dist_get(&info, grid));
  for (int a = 0; a < ranks; a++) /* of many ranks the pairs with rank 0 */
    for (int b = a + 1; b < ranks && (a == 0 || ranks <= MOST_PAIRED); b++)
      WEFT__TRY(measure_pair(&t, info.context, a, b));
  if (rank == 0) print_table("pairs", &t, false, true);
  if (rank == 0 && ranks == 1 && !is_json) printf("One rank has no pairs: mpirun -np 4 weft mpi info starts four.\n");
done:
  table_free(&t);
  return rc;
}

/* ---- bench ---- */

typedef struct bench {
  weft_dist *grid;
  weft_rng *rng;
  weft_dist_array *x, *square; /* f32, of one axis; of two */
  int64_t n;                   /* on each rank */
} bench;

typedef weft_status work(weft_dist_array **out, const bench *b);

static weft_status run_eval(weft_dist_array **out, const bench *b) {
  return weft_dist_eval(out, b->grid, "x * 2 + 1", WEFT_DIST_NAMED("x", b->x));
}
static weft_status run_sum(weft_dist_array **out, const bench *b) {
  return weft_dist_sum(out, b->x, WEFT_ALL_AXES);
}
static weft_status run_argmax(weft_dist_array **out, const bench *b) {
  return weft_dist_argmax(out, b->x, WEFT_ALL_AXES);
}
static weft_status run_cumsum(weft_dist_array **out, const bench *b) {
  return weft_dist_cumsum(out, b->x, 0);
}
static weft_status run_sort(weft_dist_array **out, const bench *b) {
  return weft_dist_sort(out, b->x, 0);
}
static weft_status run_unique(weft_dist_array **out, const bench *b) {
  return weft_dist_unique(out, b->x);
}
static weft_status run_uniform(weft_dist_array **out, const bench *b) {
  weft_dist_array_info info;
  WEFT__TRY_RETURN(weft_dist_array_get(&info, b->x));
  return weft_dist_uniform(out, b->grid, b->rng, WEFT_F32, info.shape, 0, 1);
}
static weft_status run_resplit(weft_dist_array **out, const bench *b) {
  return weft_dist_resplit(out, b->square, 1);
}
static weft_status run_halo(weft_dist_array **out, const bench *b) {
  weft_array *wide = NULL;
  (void)out;
  const weft_status rc = weft_dist_halo(&wide, b->square, .border = WEFT_DIST_WRAP);
  weft_array_release(&wide);
  return rc;
}

static const struct {
  const char *name;
  work *run;
} works[] = {{"eval", run_eval},     {"sum", run_sum},         {"argmax", run_argmax},
             {"cumsum", run_cumsum}, {"uniform", run_uniform}, {"sort", run_sort},
             {"unique", run_unique}, {"resplit", run_resplit}, {"halo", run_halo}};
enum { WORKS = sizeof works / sizeof *works };

static weft_status time_work(double *seconds, const bench *b, weft_context *context, work *run) {
  double times[REPEATS];
  for (int k = -1; k < REPEATS; k++) { /* the first one builds kernels */
    weft_dist_array *y = NULL;
    const double start = MPI_Wtime();
    weft_status rc = run(&y, b);
    if (!rc) rc = weft_context_wait(context);
    if (k >= 0) times[k] = MPI_Wtime() - start;
    weft_dist_array_release(&y);
    if (rc) return rc;
  }
  *seconds = median(times, REPEATS);
  return WEFT_OK;
}

static void close_bench(bench *b) {
  weft_rng_release(&b->rng);
  weft_dist_array_release(&b->x);
  weft_dist_array_release(&b->square);
}

/// The times of all works on a grid.
static weft_status time_all(double *seconds, weft_dist *grid, int64_t n) {
  bench b = {.grid = grid, .n = n};
  weft_dist_info info;
  weft_status rc;
  WEFT__TRY(weft_dist_get(&info, grid));
  const int64_t columns = n < 1024 ? n : 1024;
  WEFT__TRY(weft_rng_create(&b.rng, .seed = 1));
  WEFT__TRY(weft_dist_uniform(&b.x, grid, b.rng, WEFT_F32, WEFT_SHAPE(n * info.ranks), 0, 1));
  WEFT__TRY(weft_dist_uniform(&b.square, grid, b.rng, WEFT_F32, WEFT_SHAPE(n / columns * info.ranks, columns), 0, 1));
  for (int k = 0; k < WORKS; k++) WEFT__TRY(time_work(&seconds[k], &b, info.context, works[k].run));
done:
  close_bench(&b);
  return rc;
}

/// Rank 0 alone first; the others sleep meanwhile.
static weft_status time_alone(double *seconds, weft_context *context, int64_t n) {
  weft_dist *single = NULL;
  MPI_Request request;
  int is_done = 0;
  weft_status rc = WEFT_OK;
  if (rank == 0) {
    rc = weft_dist_create(&single, MPI_COMM_SELF, .context = context);
    if (!rc) rc = time_all(seconds, single, n);
    weft_dist_release(&single);
  }
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  while (!is_done) {
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    if (!is_done) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return rc;
}

static weft_status run_bench(weft_dist *grid, int64_t n) {
  static const table_column columns[] = {{"operation", "OPERATION"},
                                         {"time_ms", "TIME ms"},
                                         {"rate_million_s", "MILLION/s"},
                                         {"one_rank_ms", "ONE RANK ms"},
                                         {"efficiency", "EFFICIENCY"}};
  table t = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
  double alone[WORKS] = {0}, together[WORKS] = {0};
  weft_dist_info info;
  weft_status rc;
  WEFT__TRY(weft_dist_get(&info, grid));
  WEFT__TRY(time_alone(alone, info.context, n));
  WEFT__TRY(time_all(together, grid, n));
  for (int k = 0; k < WORKS && rank == 0; k++) {
    table_add_text(&t, works[k].name);
    table_add_decimal(&t, together[k] * 1e3, 3);
    table_add_decimal(&t, (double)n * ranks / together[k] * 1e-6, 1);
    table_add_decimal(&t, alone[k] * 1e3, 3);
    table_add_decimal(&t, alone[k] / together[k], 2);
  }
  if (rank == 0 && !is_json)
    printf("%d ranks, %lld elements of f32 on each; one rank has as many as each of them\n", ranks, (long long)n);
  if (rank == 0) print_table("operations", &t, is_json, true);
done:
  table_free(&t);
  return rc;
}

int main(int argc, char **argv) {
  int level;
  weft_dist *grid = NULL;
  const bool is_bench = argc > 1 && strcmp(argv[1], "bench") == 0;
  if (argc != 4 || (!is_bench && strcmp(argv[1], "info") != 0)) {
    fprintf(stderr, "weft-mpi: it is started by `weft mpi`\n");
    return 2;
  }
  char *end;
  long long n = strtoll(argv[3], &end, 10);
  if (*end || n < 0 || n > (1ll << 40)) {
    fprintf(stderr, "weft mpi: --n is `%s`; expected a number of elements, such as 1048576\n", argv[3]);
    return 2;
  }
  is_json = strcmp(argv[2], "json") == 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  weft_status rc = weft_dist_create(&grid, MPI_COMM_WORLD);
  if (!rc) rc = is_bench ? run_bench(grid, n ? n : STANDARD_ELEMENTS) : run_info(grid);
  if (rc) fprintf(stderr, "weft mpi: rank %d: %s\n", rank, weft_error_last()->message);
  const int wrong = fflush(stdout) != 0;
  weft_dist_release(&grid);
  MPI_Finalize();
  return rc || wrong;
}
