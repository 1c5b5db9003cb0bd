// SPDX-License-Identifier: MIT
// Fits a polynomial to noisy points by least squares, and again by the normal equations. In NumPy:
//   x = np.linspace(-1, 1, n);  y = np.polynomial.polynomial.polyval(x, c) + noise * rng.standard_normal(n)
//   found, residual, rank, s = np.linalg.lstsq(np.vander(x, degree + 1, increasing=True), y)
// The residual is the sum of squares that no polynomial of this degree explains; per point it is the noise, squared.
#include <inttypes.h>
#include <math.h>

#include "example.h"

#define MOST 6  // the largest degree

// The coefficient of x^k: 1, -2, 3, -4 ...
static float coefficient(uint64_t k) {
  return (k % 2 ? -1.0f : 1.0f) * (float)(k + 1);
}

int main(int argc, char **argv) {
  uint64_t n = 10000, degree = 3, seed = 1;
  const example_option options[] = {
      {"-n", &n, 20, 1 << 20, "points"},
      {"--degree", &degree, 0, MOST, "of the polynomial"},
      {"--seed", &seed, 0, UINT64_MAX, "what the noise is made of"},
  };
  int status = example_arguments(argc, argv, "Fits a polynomial to noisy points.", options,
                                 sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  const int64_t terms = (int64_t)degree + 1;
  const float noise = 0.1f;
  float wanted[MOST + 1], found[MOST + 1], again[MOST + 1], residual;
  int32_t rank;
  weft_context *context = NULL;
  weft_rng *rng = NULL;
  weft_array *x = NULL, *column = NULL, *powers = NULL, *table = NULL, *c = NULL, *y = NULL, *errors = NULL,
             *fit = NULL, *left = NULL, *ranks = NULL, *turned = NULL, *normal = NULL, *sides = NULL, *solved = NULL;
  WEFT_TRY(weft_context_default(&context), done);
  WEFT_TRY(weft_rng_create(&rng, .seed = seed), done);

  // table[i, k] = x[i]^k
  WEFT_TRY(weft_linspace(&x, context, WEFT_F32, -1, 1, (int64_t)n), done);
  WEFT_TRY(weft_expand(&column, x, 1), done);
  WEFT_TRY(weft_arange(&powers, context, WEFT_F32, 0, terms, 1), done);
  WEFT_TRY(weft_pow(&table, column, powers), done);

  // y = table @ c + noise
  for (uint64_t k = 0; k <= degree; k++) wanted[k] = coefficient(k);
  WEFT_TRY(weft_from_host(&c, context, WEFT_F32, WEFT_SHAPE(terms), wanted), done);
  WEFT_TRY(weft_normal(&errors, rng, WEFT_F32, WEFT_SHAPE(n), 0, noise), done);
  WEFT_TRY(weft_matmul(&y, table, c, .epilogue = WEFT_EPILOGUE("value + errors", WEFT_VAR(errors))), done);

  WEFT_TRY(weft_lstsq(&fit, table, y, .residuals = &left, .rank = &ranks), done);
  WEFT_TRY(weft_to_host(found, (size_t)terms * sizeof *found, fit), done);
  WEFT_TRY(weft_to_host(&residual, sizeof residual, left), done);
  WEFT_TRY(weft_to_host(&rank, sizeof rank, ranks), done);

  // the normal equations, table^T table c = table^T y: quicker, but their condition is the square of the table's
  WEFT_TRY(weft_transpose(&turned, table, WEFT_ALL_AXES), done);
  WEFT_TRY(weft_matmul(&normal, turned, table), done);
  WEFT_TRY(weft_matmul(&sides, turned, y), done);
  WEFT_TRY(weft_solve(&solved, normal, sides), done);
  WEFT_TRY(weft_to_host(again, (size_t)terms * sizeof *again, solved), done);

  double worst = 0, apart = 0;
  printf("%" PRIu64 " points, a polynomial of degree %" PRIu64 ", rank %d\n", n, degree, rank);
  for (uint64_t k = 0; k <= degree; k++) {
    printf("x^%-2" PRIu64 " %8.4f, made with %3.0f\n", k, (double)found[k], (double)wanted[k]);
    worst = fmax(worst, fabs((double)found[k] - (double)wanted[k]));
    apart = fmax(apart, fabs((double)found[k] - (double)again[k]));
  }
  const double each = sqrt((double)residual / (double)(n - (uint64_t)terms));
  printf("residual %.4f, so the noise is %.4f; it was made with %.4f\n", (double)residual, each, (double)noise);
  printf("the normal equations give coefficients that differ by %.1e\n", apart);
  REQUIRE(rank == terms, "the rank is %d", rank);
  REQUIRE(fabs(each / (double)noise - 1) < 6 / sqrt((double)n), "the residual is not the noise");
  status = EXIT_SUCCESS;

done:
  weft_release(&x, &column, &powers, &table, &c, &y, &errors, &fit, &left, &ranks, &turned, &normal, &sides, &solved,
               &rng);
  return example_close(&context, status);
}
