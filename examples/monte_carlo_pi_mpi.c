// SPDX-License-Identifier: MIT
// Pi from random points that are divided among MPI's ranks. Each point has the numbers that it has on one device, so
// that every number of ranks prints the same digits.
//
//     mpirun -np 4 monte_carlo_pi_mpi -n 100000000
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/dist.h>

// points at a time: they need memory
#define CHUNK ((int64_t)1 << 24)

static weft_status count_inside(int64_t *count, weft_dist *grid, weft_rng *rng, int64_t points) {
  weft_dist_array *x = NULL, *y = NULL, *inside = NULL, *sum = NULL;
  weft_status status = weft_dist_uniform(&x, grid, rng, WEFT_F32, WEFT_SHAPE(points), 0, 1);
  if (status == WEFT_OK) status = weft_dist_uniform(&y, grid, rng, WEFT_F32, WEFT_SHAPE(points), 0, 1);
  if (status == WEFT_OK)
    status = weft_dist_eval(&inside, grid, "x * x + y * y < 1", WEFT_DIST_VAR(x), WEFT_DIST_VAR(y));
  if (status == WEFT_OK) status = weft_dist_count_nonzero(&sum, inside, WEFT_ALL_AXES);
  if (status == WEFT_OK) status = weft_to_host(count, sizeof *count, weft_dist_local(sum));
  weft_dist_array_release(&x);
  weft_dist_array_release(&y);
  weft_dist_array_release(&inside);
  weft_dist_array_release(&sum);
  return status;
}

int main(int argc, char **argv) {
  int rank, level;
  weft_dist *grid = NULL;
  weft_rng *rng = NULL;
  const int64_t points = argc > 2 && strcmp(argv[1], "-n") == 0 ? atoll(argv[2]) : 1000000;
  int64_t inside = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  weft_status status = weft_dist_create(&grid, MPI_COMM_WORLD);
  if (status == WEFT_OK) status = weft_rng_create(&rng, .seed = 1);
  for (int64_t done = 0; done < points && status == WEFT_OK; done += CHUNK) {
    int64_t count = 0;
    status = count_inside(&count, grid, rng, points - done < CHUNK ? points - done : CHUNK);
    inside += count;
  }
  if (status == WEFT_OK && rank == 0)
    printf("%lld points, of which %lld inside: pi is about %.9f\n", (long long)points, (long long)inside,
           4 * (double)inside / (double)points);
  if (status) fprintf(stderr, "rank %d: %s\n", rank, weft_error_last()->message);
  weft_rng_release(&rng);
  weft_dist_release(&grid);
  MPI_Finalize();
  return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
