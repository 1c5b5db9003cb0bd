// SPDX-License-Identifier: MIT
// A long computation that survives the death of ranks. It saves a checkpoint now and then, and goes on from the last:
// in the same run where MPI can go on without a rank (ULFM: Open MPI 5 by `mpirun --with-ft ulfm`), otherwise in a new
// run, with any number of ranks. The result has the same digits as without an interruption.
//
//     mpirun -np 4 restart_mpi --steps 1000 --folder state --die 700     the last rank dies at step 700
//     mpirun -np 3 restart_mpi --steps 1000 --folder state
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/dist.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#define N ((int64_t)100000)

typedef struct options {
  int64_t steps, every, die;  // steps between checkpoints; the step at which a rank dies, or 0
  const char *folder;
} options;

// Walkers that are drawn to 0 and pushed by chance; each step needs their mean, so that all ranks work together.
static weft_status walk(weft_dist_array **x, weft_dist *grid, weft_rng *rng) {
  weft_dist_array *push = NULL, *mean = NULL;
  weft_status status = weft_dist_normal(&push, grid, rng, WEFT_F64, WEFT_SHAPE(N), 0, 1);
  if (status == WEFT_OK) status = weft_dist_mean(&mean, *x, WEFT_ALL_AXES);
  if (status == WEFT_OK)
    status = weft_dist_eval(x, grid, "x * 0.99 + p - 0.001 * m", WEFT_DIST_NAMED("x", *x), WEFT_DIST_NAMED("p", push),
                            WEFT_DIST_NAMED("m", mean));
  weft_dist_array_release(&push);
  weft_dist_array_release(&mean);
  return status;
}

static weft_status print_result(const weft_dist_array *x, int64_t done, int rank) {
  weft_dist_array *deviation = NULL;
  double value = 0;
  weft_status status = weft_dist_std(&deviation, x, WEFT_ALL_AXES);
  if (status == WEFT_OK) status = weft_to_host(&value, sizeof value, weft_dist_local(deviation));
  if (status == WEFT_OK && rank == 0) printf("step %lld: standard deviation %.15g\n", (long long)done, value);
  weft_dist_array_release(&deviation);
  return status;
}

// All steps, from the checkpoint if there is one. `dies`: the last rank is to die.
static weft_status run(MPI_Comm comm, const options *o, bool dies) {
  weft_dist *grid = NULL;
  weft_dist_info info = {.rank = 0};
  weft_dist_array *x = NULL;
  weft_rng *rng = NULL;
  int64_t done = 0;
  char file[1000];
  const weft_dist_item state[] = {{"x", .array = &x}, {"generator", .rng = NULL}, {"done", .integer = &done}};
  weft_dist_item items[3];
  weft_status status = weft_dist_create(&grid, comm);
  if (status == WEFT_OK) status = weft_dist_get(&info, grid);
  if (status == WEFT_OK) status = weft_rng_create(&rng, .seed = 1);
  memcpy(items, state, sizeof items);
  items[1].rng = rng;
  snprintf(file, sizeof file, "%s/checkpoint.json", o->folder);
  if (status == WEFT_OK && access(file, R_OK) == 0) {
    status = weft_dist_checkpoint_load(o->folder, grid, items, 3);
    if (status == WEFT_OK && info.rank == 0) printf("%d ranks go on from step %lld\n", info.ranks, (long long)done);
  } else if (status == WEFT_OK) {
    status = weft_dist_full(&x, grid, WEFT_F64, WEFT_SHAPE(N), 0, 0);
  }
  while (status == WEFT_OK && done < o->steps) {
    status = walk(&x, grid, rng);
    done++;
    if (status == WEFT_OK && done % o->every == 0) status = weft_dist_checkpoint_save(o->folder, grid, items, 3);
    fflush(stdout);
    if (dies && done == o->die && info.rank == info.ranks - 1) raise(SIGKILL);
  }
  if (status == WEFT_OK) status = print_result(x, done, info.rank);
  if (status) fprintf(stderr, "rank %d: %s\n", info.rank, weft_error_last()->message);
  weft_dist_array_release(&x);
  weft_rng_release(&rng);
  weft_dist_release(&grid);
  return status;
}

// The ranks that are alive. False: this MPI cannot go on without the others.
static bool shrink(MPI_Comm *comm) {
#ifdef MPIX_ERR_PROC_FAILED
  MPI_Comm alive;
  MPIX_Comm_revoke(*comm);  // ranks that were making a grid learn it too
  if (MPIX_Comm_shrink(*comm, &alive) == MPI_SUCCESS) {
    MPI_Comm_set_errhandler(alive, MPI_ERRORS_RETURN);
    *comm = alive;
    return true;
  }
#else
  (void)comm;
#endif
  fprintf(stderr,
          "this MPI cannot go on without a rank: start again, with any number of ranks; the checkpoint stays\n");
  return false;
}

static char *option(int argc, char **argv, const char *name, char *standard) {
  for (int k = 1; k + 1 < argc; k++)
    if (strcmp(argv[k], name) == 0) return argv[k + 1];
  return standard;
}

int main(int argc, char **argv) {
  int level;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);  // the death of a rank is to come back as an error
  const options o = {atoll(option(argc, argv, "--steps", "20")), atoll(option(argc, argv, "--every", "5")),
                     atoll(option(argc, argv, "--die", "0")), option(argc, argv, "--folder", "restart_state")};
  weft_status status = run(comm, &o, true);
  while (status == WEFT_ERROR_LOST && shrink(&comm)) status = run(comm, &o, false);
  if (status == WEFT_ERROR_LOST) _Exit(EXIT_FAILURE);  // MPI_Finalize would wait for the rank that is lost
  MPI_Finalize();
  return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
