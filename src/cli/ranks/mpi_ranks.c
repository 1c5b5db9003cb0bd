// SPDX-License-Identifier: MIT
/// The program weft-mpi, which `weft mpi` runs on every rank: weft-mpi info|bench text|json ELEMENTS
/// OPERATIONS.
#include "cli/ranks/mpi_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PAIRED = 16, EXPONENTS = 64 };
#define LARGE_BYTES ((int64_t)32 << 20)
#define STANDARD_ELEMENTS ((int64_t)1 << 20)

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double mpi_median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return values[count / 2];
}

void mpi_print_table(const mpi_ranks *here, const char *name, const table *t, bool is_first, bool is_last) {
  weft__text text = {0};
  if (here->rank > 0) return;
  if (here->is_json) {
    weft__text_add(&text, "%s\"%s\": ", is_first ? "{" : ", ", name);
    table_write_json(&text, t);
    if (is_last) weft__text_add(&text, "}\n");
  } else {
    if (!is_first) weft__text_add(&text, "\n");
    table_write(&text, t, false); /* a launcher may show a terminal where there is a file */
  }
  fputs(weft__text_chars(&text), stdout);
  weft__text_free(&text);
}

/* ---- info ---- */

static weft_status describe(const mpi_ranks *here, weft_dist *grid) {
  static const table_column columns[] = {
      {"rank", "RANK"}, {"host", "HOST"}, {"device", "DEVICE"}, {"transport", "TRANSPORT"}, {"mpi", "MPI"}};
  table t = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
  weft_dist_info own, *all = calloc((size_t)here->ranks, sizeof *all);
  const weft_status rc = weft_dist_get(&own, grid);
  if (rc == WEFT_OK && all) {
    const char *transport = own.transport;
    MPI_Gather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int r = 0; r < here->ranks && here->rank == 0; r++) {
      table_add_number(&t, (uint64_t)r);
      table_add_text(&t, all[r].host);
      table_add_text(&t, all[r].device);
      table_add_text(&t, transport); /* all ranks have the same */
      table_add_text(&t, all[r].mpi);
    }
    mpi_print_table(here, "ranks", &t, true, false);
  }
  table_free(&t);
  free(all);
  return rc;
}

/// The median time of gathering `bytes` of the second rank of a pair on the first one.
static weft_status time_pair(double *seconds, weft_dist *grid, int64_t bytes) {
  weft_dist_array *x = NULL;
  double times[MPI_REPEATS];
  weft_status rc;
  WEFT__TRY(weft_dist_full(&x, grid, WEFT_U8, WEFT_SHAPE(2, bytes), 0, 1));
  for (int k = 0; k < MPI_REPEATS; k++) {
    weft_array *whole = NULL;
    const double start = MPI_Wtime();
    rc = weft_dist_gather(&whole, x, 0);
    if (!rc && whole) rc = weft_context_wait(weft_array_context(whole));
    times[k] = MPI_Wtime() - start;
    weft_array_release(&whole);
    if (rc) goto done;
  }
  *seconds = mpi_median(times, MPI_REPEATS);
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

static weft_status measure_pair(table *t, const mpi_ranks *here, weft_context *context, int a, int b) {
  double result[2] = {0};
  const int rank = here->rank;
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

static weft_status run_info(const mpi_ranks *here, weft_dist *grid) {
  const int ranks = here->ranks;
  static const table_column columns[] = {
      {"from", "FROM"}, {"to", "TO"}, {"latency_us", "LATENCY us"}, {"rate_gb_s", "GB/s"}};
  table t = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
  weft_dist_info info;
  weft_status rc;
  WEFT__TRY(describe(here, grid));
  WEFT__TRY(weft_dist_get(&info, grid));
  for (int a = 0; a < ranks; a++) /* of many ranks the pairs with rank 0 */
    for (int b = a + 1; b < ranks && (a == 0 || ranks <= MOST_PAIRED); b++)
      WEFT__TRY(measure_pair(&t, here, info.context, a, b));
  mpi_print_table(here, "pairs", &t, false, true);
  if (ranks == 1 && !here->is_json) printf("One rank has no pairs: mpirun -np 4 weft mpi info starts four.\n");
done:
  table_free(&t);
  return rc;
}

/// Elements on each rank: a number, or, below 64, a power of 2. -1: neither.
static int64_t read_elements(const char *text) {
  char *end;
  const long long n = strtoll(text, &end, 10);
  if (*end || n < 0 || n > (1ll << 40)) return -1;
  if (n == 0) return STANDARD_ELEMENTS;
  return n < EXPONENTS ? n > 40 ? -1 : (int64_t)1 << n : n;
}

int main(int argc, char **argv) {
  int level;
  weft_dist *grid = NULL;
  bool is_wrong = false;
  const bool is_bench = argc > 1 && strcmp(argv[1], "bench") == 0;
  if (argc != 5 || (!is_bench && strcmp(argv[1], "info") != 0)) {
    fprintf(stderr, "weft-mpi: it is started by `weft mpi`\n");
    return 2;
  }
  const int64_t n = read_elements(argv[3]);
  if (n < 0) {
    fprintf(stderr, "weft mpi: --n is `%s`; expected a number of elements, such as 1048576, or 20 for 2^20\n", argv[3]);
    return 2;
  }
  mpi_ranks here = {.is_json = strcmp(argv[2], "json") == 0};
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &here.ranks);
  weft_status rc = weft_dist_create(&grid, MPI_COMM_WORLD);
  if (!rc) rc = is_bench ? mpi_bench(&is_wrong, &here, grid, n, argv[4]) : run_info(&here, grid);
  if (rc) fprintf(stderr, "weft mpi: rank %d: %s\n", here.rank, weft_error_last()->message);
  const int unwritten = fflush(stdout) != 0;
  weft_dist_release(&grid);
  MPI_Finalize();
  return is_wrong ? 2 : rc || unwritten;
}
