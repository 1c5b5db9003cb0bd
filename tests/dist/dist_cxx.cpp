// SPDX-License-Identifier: MIT
/// weft/dist.h in C++: every kind of macro, in a program that runs under mpirun.
#include <weft/dist.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#define OK(call)                                                                           \
  do {                                                                                     \
    if ((call) != WEFT_OK) {                                                               \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, weft_error_last()->message); \
      std::_Exit(EXIT_FAILURE);                                                            \
    }                                                                                      \
  } while (0)

static void compute(weft_dist *grid, double *result) {
  weft_dist_array *x = nullptr, *y = nullptr, *sum = nullptr, *deviation = nullptr, *order = nullptr, *some = nullptr;
  weft_rng *rng = nullptr;
  weft_array *rows = nullptr, *whole = nullptr;
  const float factor = 2;
  weft_var_params one = {};
  one.ddof = 1;
  weft_dist_halo_params wrapped = {};
  wrapped.border = WEFT_DIST_WRAP;
  weft_dist_choice_params unique = {};
  unique.unique = true;
  OK(weft_dist_arange(&x, grid, WEFT_F64, 0, 10, 1));
  OK(weft_dist_eval(&y, grid, "x * f + 1", WEFT_DIST_VAR(x), WEFT_DIST_NAMED("f", factor)));
  OK(weft_dist_sum(&sum, y, WEFT_ALL_AXES));
  OK(weft_dist_std(&deviation, y, 0, one));
  OK(weft_dist_halo(&rows, y, wrapped));
  OK(weft_rng_create(&rng));
  OK(weft_dist_permutation(&order, grid, rng, 10));
  OK(weft_dist_choice(&some, rng, y, 5, unique));
  OK(weft_dist_gather(&whole, y, 0));
  OK(weft_to_host(result, sizeof *result, weft_dist_local(sum)));
  weft_release(&rows, &whole);
  weft_rng_release(&rng);
  for (weft_dist_array **a : {&x, &y, &sum, &deviation, &order, &some}) weft_dist_array_release(a);
}

int main(int argc, char **argv) {
  int level, rank;
  double sum = 0;
  weft_dist *grid = nullptr;
  weft_dist_params params = {};
  params.timeout_s = 60;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  OK(weft_dist_create(&grid));
  weft_dist_release(&grid);
  OK(weft_dist_create(&grid, MPI_COMM_WORLD, params));
  compute(grid, &sum);
  weft_dist_release(&grid);
  MPI_Finalize();
  if (rank == 0) std::printf("sum %g\n", sum);
  return sum == 100 ? EXIT_SUCCESS : EXIT_FAILURE;
}
