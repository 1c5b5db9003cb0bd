// SPDX-License-Identifier: MIT
// Sorts random keys that are divided among MPI's ranks, and checks the result: each key is not below the one before it,
// also from rank to rank, and the sum of all keys is as before.
//
//     mpirun -np 4 sort_mpi -n 10000000
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/dist.h>

static weft_status total_of(int64_t *total, const weft_dist_array *x) {
  weft_dist_array *sum = NULL;
  weft_status status = weft_dist_sum(&sum, x, WEFT_ALL_AXES);
  if (status == WEFT_OK) status = weft_to_host(total, sizeof *total, weft_dist_local(sum));
  weft_dist_array_release(&sum);
  return status;
}

// The number of places where a key is below the one before it. Of a rank's first key the one before is its neighbour's.
static weft_status count_falls(int64_t *falls, weft_dist *grid, const weft_dist_array *sorted) {
  weft_dist_array *down = NULL;
  weft_array *rows = NULL, *before = NULL, *below = NULL;
  weft_dist_array_info info;
  weft_status status = weft_dist_array_get(&info, sorted);
  if (status == WEFT_OK) status = weft_dist_halo(&rows, sorted, .border = WEFT_DIST_EDGE);
  if (status == WEFT_OK) status = weft_slice(&before, rows, 0, 0, info.count);
  if (status == WEFT_OK) status = weft_less(&below, weft_dist_local(sorted), before);
  if (status == WEFT_OK) status = weft_dist_from_local(&down, grid, below, 0);
  if (status == WEFT_OK) status = total_of(falls, down);
  weft_dist_array_release(&down);
  weft_release(&rows, &before, &below);
  return status;
}

static weft_status run(bool *is_right, weft_dist *grid, int64_t n, int rank) {
  weft_rng *rng = NULL;
  weft_dist_array *keys = NULL, *sorted = NULL;
  int64_t before = 0, after = 1, falls = 1;
  weft_status status = weft_rng_create(&rng, .seed = 1);
  if (status == WEFT_OK) status = weft_dist_integers(&keys, grid, rng, WEFT_U32, WEFT_SHAPE(n), 0, (int64_t)1 << 32);
  if (status == WEFT_OK) status = weft_dist_sort(&sorted, keys, 0);  // the first call builds kernels
  weft_dist_array_release(&sorted);
  const double start = MPI_Wtime();
  if (status == WEFT_OK) status = weft_dist_sort(&sorted, keys, 0);
  if (status == WEFT_OK) status = weft_context_wait(weft_array_context(weft_dist_local(sorted)));
  const double seconds = MPI_Wtime() - start;
  if (status == WEFT_OK) status = total_of(&before, keys);
  if (status == WEFT_OK) status = total_of(&after, sorted);
  if (status == WEFT_OK) status = count_falls(&falls, grid, sorted);
  *is_right = status == WEFT_OK && before == after && falls == 0;
  if (status == WEFT_OK && rank == 0) {
    printf("%lld keys, sum %llu: %s\n", (long long)n, (unsigned long long)before, *is_right ? "sorted" : "WRONG");
    fprintf(stderr, "%.1f million keys/s\n", (double)n / seconds * 1e-6);
  }
  weft_rng_release(&rng);
  weft_dist_array_release(&keys);
  weft_dist_array_release(&sorted);
  return status;
}

int main(int argc, char **argv) {
  int rank, level;
  weft_dist *grid = NULL;
  const int64_t n = argc > 2 && strcmp(argv[1], "-n") == 0 ? atoll(argv[2]) : 1000000;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  weft_status status = weft_dist_create(&grid, MPI_COMM_WORLD);
  bool is_right = false;
  if (status == WEFT_OK) status = run(&is_right, grid, n, rank);
  if (status) fprintf(stderr, "rank %d: %s\n", rank, weft_error_last()->message);
  weft_dist_release(&grid);
  MPI_Finalize();
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
