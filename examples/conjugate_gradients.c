// SPDX-License-Identifier: MIT
// Solves Poisson's equation on a square by conjugate gradients: -u'' = f inside, u = 0 on the edge. The five-point rule
// on n x n inner points gives a sparse matrix with 4 on the diagonal and -1 for each neighbour. In SciPy:
//   a = scipy.sparse.coo_matrix((values, (rows, columns))).tocsr()
//   x, info = scipy.sparse.linalg.cg(a, b, rtol=1e-5)
// f is chosen so that u(s, t) = s (1 - s) t (1 - t) is the solution. The rule has no error for it: the result has only
// the errors of the iteration and of f32.
#include <inttypes.h>
#include <math.h>

#include "example.h"

#define CHECK_EVERY 20  // iterations between two looks at the residual: the host waits for the device there only

// The functions here return whether they succeeded; example_close prints an error.

// The matrix of the five-point rule, from the coordinates of its elements: five for each point, itself and its four
// neighbours. A neighbour beyond the edge is a 0 on the diagonal.
static bool make_matrix(weft_csr **a, weft_context *context, uint64_t n) {
  weft_array *place = NULL, *rows = NULL, *columns = NULL, *values = NULL;
  bool is_done = false;
  const int64_t width = (int64_t)n, points = width * width;
  WEFT_TRY(weft_arange(&place, context, WEFT_I64, 0, 5 * points, 1), done);
  WEFT_TRY(weft_eval_all(context,
                         "rows = place // 5; k = place % 5; row = rows // width; column = rows % width;"
                         "inside = (k == 0) or (k == 1 and row > 0) or (k == 2 and row < width - 1) or"
                         "         (k == 3 and column > 0) or (k == 4 and column < width - 1);"
                         "step = (0 - width if k == 1 else width if k == 2 else -1 if k == 3 else 1) if k > 0 else 0;"
                         "columns = rows + step if inside else rows;"
                         "values = f32(4) if k == 0 else f32(-1) if inside else f32(0)",
                         WEFT_VAR(&rows), WEFT_VAR(&columns), WEFT_VAR(&values), WEFT_VAR(place), WEFT_VAR(width)),
           done);
  WEFT_TRY(weft_csr_from_coo(a, NULL, rows, columns, values, WEFT_SHAPE(points, points)), done);
  is_done = true;
done:
  weft_release(&place, &rows, &columns, &values);
  return is_done;
}

// b is f times the square of the distance between points, and u the solution.
static bool make_sides(weft_array **b, weft_array **u, weft_context *context, uint64_t n) {
  const float h = 1.0f / (float)(n + 1);
  weft_array *place = NULL;
  bool is_done = false;
  const int64_t width = (int64_t)n;
  WEFT_TRY(weft_arange(&place, context, WEFT_I64, 0, width * width, 1), done);
  WEFT_TRY(weft_eval_all(context,
                         "s = h * f32(place // width + 1); t = h * f32(place % width + 1);"
                         "u = s * (1 - s) * t * (1 - t); b = 2 * h * h * (s * (1 - s) + t * (1 - t))",
                         WEFT_VAR(b), WEFT_VAR(u), WEFT_VAR(place), WEFT_VAR(width), WEFT_VAR(h)),
           done);
  is_done = true;
done:
  weft_array_release(&place);
  return is_done;
}

// Arrays of the iteration. Sums have no axes: they stay on the device.
typedef struct solver {
  weft_array *x, *r, *p, *ap, *rr, *pap, *next;
} solver;

static bool begin(solver *s, weft_context *context, const weft_array *b, uint64_t points) {
  bool is_done = false;
  WEFT_TRY(weft_zeros(&s->x, context, WEFT_F32, WEFT_SHAPE(points)), done);
  WEFT_TRY(weft_copy(&s->r, b), done);
  WEFT_TRY(weft_copy(&s->p, b), done);
  WEFT_TRY(weft_dot(&s->rr, b, b), done);
  is_done = true;
done:
  return is_done;
}

static bool iterate(solver *s, weft_context *context, const weft_csr *a) {
  bool is_done = false;
  weft_array *x = s->x, *r = s->r, *p = s->p, *rr = s->rr;
  WEFT_TRY(weft_csr_matmul(&s->ap, a, p), done);
  weft_array *ap = s->ap;
  WEFT_TRY(weft_dot(&s->pap, p, ap), done);
  weft_array *pap = s->pap;
  WEFT_TRY(
      weft_eval_all(context, "k = rr / pap if pap > 0 else f32(0); x = x + k * p; r = r - k * ap", WEFT_VAR(&x),
                    WEFT_VAR(&r), WEFT_VAR(x), WEFT_VAR(r), WEFT_VAR(p), WEFT_VAR(ap), WEFT_VAR(rr), WEFT_VAR(pap)),
      done);
  WEFT_TRY(weft_dot(&s->next, r, r), done);
  weft_array *next = s->next;
  WEFT_TRY(weft_eval(&p, context, "r + (next / rr if rr > 0 else f32(0)) * p", WEFT_VAR(r), WEFT_VAR(next),
                     WEFT_VAR(rr), WEFT_VAR(p)),
           done);
  s->next = rr;  // the new sum becomes the old one
  s->rr = next;
  is_done = true;
done:
  return is_done;
}

// The residual |b - a @ x| / |b|, computed anew.
static bool residual(double *result, const weft_csr *a, const weft_array *x, const weft_array *b) {
  weft_array *left = NULL, *size = NULL, *whole = NULL;
  float sizes[2];
  bool is_done = false;
  WEFT_TRY(weft_copy(&left, b), done);
  WEFT_TRY(weft_csr_matmul(&left, a, x, .scale = WEFT_SCALAR(-1), .accumulate = WEFT_SCALAR(1)), done);
  WEFT_TRY(weft_norm(&size, left, WEFT_ALL_AXES), done);
  WEFT_TRY(weft_norm(&whole, b, WEFT_ALL_AXES), done);
  WEFT_TRY(weft_to_host(&sizes[0], sizeof *sizes, size), done);
  WEFT_TRY(weft_to_host(&sizes[1], sizeof *sizes, whole), done);
  *result = sizes[0] / sizes[1];
  is_done = true;
done:
  weft_release(&left, &size, &whole);
  return is_done;
}

int main(int argc, char **argv) {
  uint64_t n = 100, most = 1000;
  const example_option options[] = {
      {"-n", &n, 1, 4096, "points along each side"},
      {"--iterations", &most, 1, 1000000, "at most"},
  };
  int status = example_arguments(argc, argv, "Solves Poisson's equation by conjugate gradients.", options,
                                 sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  weft_context *context = NULL;
  weft_csr *a = NULL;
  weft_array *b = NULL, *u = NULL, *error = NULL;
  solver s = {.x = NULL};
  weft_csr_info info;
  float first = 0, now = 0, worst = 0;
  double left = 0;
  uint64_t done_iterations = 0;
  WEFT_TRY(weft_context_default(&context), done);
  if (!make_matrix(&a, context, n)) goto done;
  if (!make_sides(&b, &u, context, n)) goto done;
  WEFT_TRY(weft_csr_get(&info, a), done);
  printf("%" PRIu64 " x %" PRIu64 " points: a matrix of %" PRId64 " rows with %" PRId64 " stored elements\n", n, n,
         info.rows, info.count);

  if (!begin(&s, context, b, n * n)) goto done;
  WEFT_TRY(weft_to_host(&first, sizeof first, s.rr), done);
  now = first;
  const double start_s = example_clock_s();
  while (done_iterations < most && now > 1e-10f * first) {
    for (int i = 0; i < CHECK_EVERY && done_iterations < most; i++, done_iterations++)
      if (!iterate(&s, context, a)) goto done;
    WEFT_TRY(weft_to_host(&now, sizeof now, s.rr), done);  // waits
    printf("  iteration %4" PRIu64 ": residual %.2e\n", done_iterations, sqrt(now / first));
  }
  const double seconds = example_clock_s() - start_s;
  if (!residual(&left, a, s.x, b)) goto done;
  WEFT_TRY(weft_reduce(&error, context, "abs(x - u)", WEFT_ALL_AXES, WEFT_NAMED("x", s.x), WEFT_VAR(u),
                       WEFT_REDUCTION(.op = WEFT_REDUCE_MAX)),
           done);
  WEFT_TRY(weft_to_host(&worst, sizeof worst, error), done);
  REQUIRE(worst < 1e-5F || done_iterations == most, "the solution is wrong by %g", worst);
  printf("%.1f us per iteration; residual computed anew: %.1e; largest error of the solution: %.1e\n",
         seconds / (double)done_iterations * 1e6, left, worst);
  status = EXIT_SUCCESS;

done:
  weft_release(&s.x, &s.r, &s.p, &s.ap, &s.rr, &s.pap, &s.next, &a, &b, &u, &error);
  return example_close(&context, status);
}
