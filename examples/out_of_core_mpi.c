// SPDX-License-Identifier: MIT
// Mean and standard deviation of the numbers in a .npy file that need not fit in the memory of all devices together:
// the ranks read it in chunks of rows, each rank its part of a chunk. Without --file it makes a file first.
//
//     mpirun -np 4 out_of_core_mpi --file numbers.npy --chunk 100000
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/dist.h>

enum { COLUMNS = 64 };

// On rank 0, in the mapped file: the system writes it to the disk, it is never in memory as a whole.
static weft_status make_file(const char *file, int64_t rows) {
  weft_npy *npy = NULL;
  uint32_t state = 1;
  weft_status status = weft_npy_create(&npy, file, WEFT_F32, WEFT_SHAPE(rows, COLUMNS));
  float *data = status == WEFT_OK ? weft_npy_data(npy) : NULL;
  for (int64_t k = 0; data && k < rows * COLUMNS; k++) {
    state = state * 1664525u + 1013904223u;
    data[k] = (float)(state >> 8) / (1 << 24);
  }
  if (status == WEFT_OK) status = weft_npy_flush(npy);
  weft_npy_release(&npy);
  return status;
}

// The sum of the text's values over all elements of a chunk.
static weft_status add_chunk(double *sum, weft_dist *grid, const weft_dist_array *x, const char *text, double mean) {
  weft_dist_array *values = NULL, *total = NULL;
  double chunk = 0;
  weft_status status = weft_dist_eval(&values, grid, text, WEFT_DIST_VAR(x), WEFT_DIST_NAMED("mean", mean));
  if (status == WEFT_OK) status = weft_dist_sum(&total, values, WEFT_ALL_AXES);
  if (status == WEFT_OK) status = weft_to_host(&chunk, sizeof chunk, weft_dist_local(total));
  *sum += chunk;
  weft_dist_array_release(&values);
  weft_dist_array_release(&total);
  return status;
}

// Once through the file.
static weft_status pass(double *sum, weft_dist *grid, const char *file, int64_t rows, int64_t chunk, const char *text,
                        double mean) {
  weft_status status = WEFT_OK;
  for (int64_t first = 0; first < rows && status == WEFT_OK; first += chunk) {
    weft_dist_array *x = NULL;
    status = weft_dist_load(&x, grid, file, 0, .first = first, .count = rows - first < chunk ? rows - first : chunk);
    if (status == WEFT_OK) status = add_chunk(sum, grid, x, text, mean);
    weft_dist_array_release(&x);
  }
  return status;
}

static weft_status run(weft_dist *grid, const char *file, int64_t chunk, int rank) {
  weft_npy_info info;
  double sum = 0, squares = 0;
  weft_status status = weft_npy_get(&info, file);
  if (status) return status;
  int64_t size = 1;
  for (int d = 0; d < info.shape.ndim; d++) size *= info.shape.dim[d];
  const int64_t rows = info.shape.ndim ? info.shape.dim[0] : 1;
  status = pass(&sum, grid, file, rows, chunk, "f64(x) - mean", 0);
  const double mean = sum / (double)size;
  if (status == WEFT_OK) status = pass(&squares, grid, file, rows, chunk, "(f64(x) - mean) ** 2", mean);
  if (status == WEFT_OK && rank == 0)
    printf("%lld x %lld numbers, mean %.6f, standard deviation %.6f\n", (long long)rows,
           (long long)(rows ? size / rows : 0), mean, sqrt(squares / (double)size));
  return status;
}

static char *option(int argc, char **argv, const char *name, char *standard) {
  for (int k = 1; k + 1 < argc; k++)
    if (strcmp(argv[k], name) == 0) return argv[k + 1];
  return standard;
}

int main(int argc, char **argv) {
  static char made[] = "out_of_core_mpi.npy";
  int rank, level;
  weft_dist *grid = NULL;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char *file = option(argc, argv, "--file", made);
  const int64_t chunk = atoll(option(argc, argv, "--chunk", "4096"));
  weft_status status = weft_dist_create(&grid, MPI_COMM_WORLD);
  if (status == WEFT_OK && file == made) status = make_file(made, atoll(option(argc, argv, "--rows", "20000")));
  MPI_Barrier(MPI_COMM_WORLD); // the file is there
  if (status == WEFT_OK) status = run(grid, file, chunk > 0 ? chunk : 1, rank);
  if (status) fprintf(stderr, "rank %d: %s\n", rank, weft_error_last()->message);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && file == made) unlink(made);
  weft_dist_release(&grid);
  MPI_Finalize();
  return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
