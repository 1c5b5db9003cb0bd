// SPDX-License-Identifier: MIT
/// weft/products.h: errors and their texts, orders of steps, results in place and in host memory. NumPy judges the
/// values (tests/judge/primitives/products.py).
#include "samples.h"

static weft_array *ones(weft_dtype dtype, weft_shape shape) {
  weft_array *x = NULL;
  ok(weft_ones(&x, ctx, dtype, shape));
  return x;
}

static weft_array *counted(int64_t rows, int64_t columns) {
  weft_array *x = NULL, *y = NULL;
  ok(weft_arange(&x, ctx, WEFT_F32, WEFT_SCALAR(1), WEFT_SCALAR(rows * columns + 1), WEFT_SCALAR(1)));
  ok(weft_reshape(&y, x, WEFT_SHAPE(rows, columns)));
  weft_array_release(&x);
  return y;
}

static void check(const weft_array *x, const float *expected, size_t count) {
  float host[64];
  ck_assert_int_eq(weft_array_size(x), (int64_t)count);
  ok(weft_to_host(host, count * sizeof(float), x));
  for (size_t i = 0; i < count; i++)
    ck_assert_msg(host[i] == expected[i], "element %zu is %g, not %g", i, (double)host[i], (double)expected[i]);
}

START_TEST(wrong_subscripts)
{
  weft_array *a = ones(WEFT_F32, WEFT_SHAPE(3, 4)), *b = ones(WEFT_F32, WEFT_SHAPE(4, 5)), *y = NULL;
  expect_error(weft_einsum(&y, "ij,jk->il", a, b), WEFT_ERROR_EXPRESSION, "subscripts:1:9",
               "`l` is a label of the result that no operand has", "@subscripts");
  expect_error(weft_einsum(&y, "ij,jk->ii", a, b), WEFT_ERROR_EXPRESSION, "subscripts:1:9",
               "`i` is in the result already");
  expect_error(weft_einsum(&y, "ij,j2->i", a, b), WEFT_ERROR_EXPRESSION, "subscripts:1:5", "expected a letter");
  expect_error(weft_einsum(&y, "ij,jk>ik", a, b), WEFT_ERROR_EXPRESSION, "subscripts:1:6");
  expect_error(weft_einsum(&y, "ij,jk->ik->", a, b), WEFT_ERROR_EXPRESSION, "subscripts:1:10", "expected the end");
  expect_error(weft_einsum(&y, "......,jk", a, b), WEFT_ERROR_EXPRESSION, "subscripts:1:4", "second `...`");
  expect_error(weft_einsum(&y, "...,jk->jk", a, b), WEFT_ERROR_EXPRESSION, "subscripts:1:9", "axes of `...`");
  expect_error(weft_einsum(&y, "ij,jk,k", a, b), WEFT_ERROR_ARGUMENT,
               "2 operands are given, and `ij,jk,k` has labels of 3");
  expect_error(weft_einsum(&y, "ij,jk->ik", a), WEFT_ERROR_ARGUMENT, "1 operand is given", "labels of 2", "@operands");
  expect_error(weft_einsum(&y, "ij", a, b), WEFT_ERROR_ARGUMENT, "2 operands are given", "labels of 1", "@operands");
  expect_error(weft_einsum(&y, "ijk,jk", a, b), WEFT_ERROR_SHAPE, "subscripts:1:1", "3 labels for operand 1",
               "f32[3,4]", "@operands");
  expect_error(weft_einsum(&y, "i,jk", a, b), WEFT_ERROR_SHAPE, "1 label for operand 1", "`...` stands for");
  expect_error(weft_einsum(&y, "ij,ik", a, b), WEFT_ERROR_SHAPE, "subscripts:1:4", "`i` has length 4 in axis 0",
               "operand 2, and 3 before");
  expect_error(weft_einsum(&y, "ii", a), WEFT_ERROR_SHAPE, "operand 1 has length 3 and 4", "diagonal");
  expect_error(weft_einsum(&y, "ab,cd,ef,gh,ij->abcdefghij", a, a, a, a, a), WEFT_ERROR_SHAPE, "10 axes", "at most 8");
  expect_error((weft_einsum)(&y, "i", 0, &(weft_operand){0}), WEFT_ERROR_ARGUMENT, "0 operands", "1 to 23");
  expect_error(weft_einsum(&y, NULL, a), WEFT_ERROR_ARGUMENT, "@subscripts");
  ck_assert_ptr_null(y);
  y = ones(WEFT_F32, WEFT_SHAPE(3, 3));
  expect_error(weft_einsum(&y, "ij,jk->ik", a, b), WEFT_ERROR_SHAPE, "@out");
  weft_release(&a, &b, &y);
}
END_TEST

/// Small matrices by vectors, plain and transposed, with sides around the lengths of the host's vectors.
START_TEST(small_matrices_by_vectors)
{
  static const int64_t sizes[][2] = {{1, 1},  {2, 17},    {7, 16},   {8, 15}, {9, 33},
                                     {17, 8}, {127, 129}, {128, 64}, {300, 5}};
  for (size_t c = 0; c < 2 * sizeof sizes / sizeof *sizes; c++) {
    const int64_t m = sizes[c / 2][0], n = sizes[c / 2][1];
    const weft_dtype dtype = c % 2 ? WEFT_F64 : WEFT_F32;
    weft_array *raw = counted(m, n), *a = NULL, *rows = NULL, *copy = NULL, *turned = NULL, *column = NULL, *x = NULL,
               *y = NULL, *other = NULL;
    double found[300], again[300];
    ok(weft_remainder(&raw, raw, 13.0f)); /* whole numbers: every order of additions gives the same sums */
    ok(weft_cast(&a, raw, dtype));
    ok(weft_transpose(&rows, a, WEFT_ALL_AXES));
    ok(weft_copy(&copy, rows));
    ok(weft_transpose(&turned, copy, WEFT_ALL_AXES)); /* columns without gaps */
    ok(weft_slice(&column, a, 0, m - 1, m));
    ok(weft_ravel(&x, column));
    ok(weft_matvec(&y, a, x));
    ok(weft_matvec(&other, turned, x));
    for (int k = 0; k < 2; k++) {
      weft_array *wide = NULL;
      ok(weft_cast(&wide, k ? other : y, WEFT_F64));
      ok(weft_to_host(k ? again : found, (size_t)m * sizeof(double), wide));
      weft_array_release(&wide);
    }
    for (int64_t i = 0; i < m; i++) {
      double sum = 0;
      for (int64_t j = 0; j < n; j++) sum += (double)((i * n + j + 1) % 13 * (((m - 1) * n + j + 1) % 13));
      ck_assert_msg(found[i] == sum && again[i] == sum, "row %d of %d x %d is %g and %g, not %g", (int)i, (int)m,
                    (int)n, found[i], again[i], sum);
    }
    weft_release(&raw, &a, &rows, &copy, &turned, &column, &x, &y, &other);
  }
}
END_TEST

/// Many products, of matrices whose rows are apart: sums of several blocks of k, and parts of tiles and vectors. The
/// first ones are enough for two threads. The last row of each `a` is NaN. Then the rows of `a` are in the other order,
/// for which it is copied.
START_TEST(many_small_matrices)
{
  static const int64_t sizes[][4] = {{40, 64, 64, 64}, {3, 20, 97, 129}, {9, 8, 600, 48},
                                     {3, 4, 257, 16},  {33, 17, 5, 80},  {2, 5, 1, 64}};
  const size_t cases = sizeof sizes / sizeof *sizes;
  for (size_t c = 0; c < (device.has_fp64 ? 2 : 1) * cases; c++) {
    const int64_t *size = sizes[c % cases], batch = size[0], m = size[1], k = size[2], n = size[3];
    const weft_shape shapes[] = {WEFT_SHAPE(batch, m, k + 3), WEFT_SHAPE(batch, k, n + 1), WEFT_SHAPE(batch, m, n + 2)};
    const int64_t columns[] = {k, n, n};
    const weft_dtype dtype = c < cases ? WEFT_F32 : WEFT_F64;
    weft_array *whole[3] = {NULL}, *x[3] = {NULL}, *row = NULL, *flipped = NULL, *y = NULL;
    for (int i = 0; i < 3; i++) {
      const int64_t count = batch * shapes[i].dim[1] * shapes[i].dim[2];
      weft_array *numbers = NULL, *rows = NULL;
      ok(weft_arange(&numbers, ctx, WEFT_I32, WEFT_SCALAR(0), WEFT_SCALAR(count), WEFT_SCALAR(1)));
      ok(weft_remainder(&numbers, numbers, i ? 7 : 13)); /* whole: every order of additions gives the same sums */
      ok(weft_reshape(&rows, numbers, shapes[i]));
      ok(weft_cast(&whole[i], rows, dtype));
      ok(weft_slice(&x[i], whole[i], 2, 0, columns[i]));
      weft_release(&numbers, &rows);
    }
    ok(weft_slice(&row, x[0], 1, m - 1, m));
    ok(weft_fill(row, NAN));
    ok(weft_flip(&flipped, x[0], 1));
    float *found = malloc((size_t)(batch * m * (n + 2)) * sizeof *found);
    for (int turned = 0; turned < 2; turned++) {
      ok(weft_matmul(&x[2], turned ? flipped : x[0], x[1]));
      ok(weft_cast(&y, whole[2], WEFT_F32));
      ok(weft_to_host(found, (size_t)(batch * m * (n + 2)) * sizeof *found, y));
      for (int64_t r = 0; r < batch * m; r++)
        for (int64_t j = 0; j < n + 2; j++) {
          const int64_t of_a = turned ? r / m * m + m - 1 - r % m : r;
          int64_t sum = 0;
          for (int64_t l = 0; l < k && j < n; l++)
            sum += (of_a * (k + 3) + l) % 13 * ((((r / m) * k + l) * (n + 1) + j) % 7);
          if (j >= n) sum = (r * (n + 2) + j) % 7; /* what is beside the result stays */
          const float v = found[r * (n + 2) + j];
          ck_assert_msg(j < n && of_a % m == m - 1 ? isnan(v) : v == (float)sum,
                        "case %zu, turned %d: [%d, %d] is %g, not %d", c, turned, (int)r, (int)j, (double)v, (int)sum);
        }
    }
    free(found);
    for (int i = 0; i < 3; i++) weft_release(&whole[i], &x[i]);
    weft_release(&row, &flipped, &y);
  }
}
END_TEST

/// Rows of `b` that are short beside the result's: they are multiplied as longer runs on CPUs.
START_TEST(kron_of_short_rows)
{
  static const int64_t sizes[][4] = {{4, 3, 5, 2}, {4, 1, 5, 2},  {3, 3, 5, 2},
                                     {9, 7, 5, 5}, {4, 2, 4, 65}, {2, 9, 8, 3}};
  for (size_t c = 0; c < 4 * sizeof sizes / sizeof *sizes; c++) {
    const int64_t *n = sizes[c / 4], rows = n[0] * n[2], columns = n[1] * n[3];
    const bool turns = c & 1, is_given = c & 2; /* `a` and the result are transposed views */
    weft_array *a = counted(turns ? n[1] : n[0], turns ? n[0] : n[1]), *b = counted(n[2], n[3]), *whole = NULL,
               *y = NULL, *out = NULL, *wide = NULL, *flat = NULL;
    float found[4096], again[4096];
    if (turns) ok(weft_transpose(&whole, a, WEFT_ALL_AXES));
    if (is_given) {
      out = ones(WEFT_F32, WEFT_SHAPE(columns, rows));
      ok(weft_transpose(&y, out, WEFT_ALL_AXES));
    }
    ok(weft_kron(&y, turns ? whole : a, b));
    ok(weft_copy(&wide, y));
    ok(weft_to_host(found, (size_t)(rows * columns) * sizeof *found, wide));
    for (int64_t i = 0; i < rows; i++)
      for (int64_t j = 0; j < columns; j++) {
        const int64_t row = i / n[2], column = j / n[3];
        const float x = (float)(turns ? column * n[0] + row + 1 : row * n[1] + column + 1);
        const float z = (float)(i % n[2] * n[3] + j % n[3] + 1);
        ck_assert_msg(found[i * columns + j] == x * z, "case %d: (%d, %d)", (int)c, (int)i, (int)j);
      }
    ok(weft_reshape(&flat, b, WEFT_SHAPE(1, n[2], n[3]))); /* of more axes than `a` */
    weft_release(&y);
    ok(weft_kron(&y, turns ? whole : a, flat));
    ck_assert_int_eq(weft_array_ndim(y), 3);
    ok(weft_to_host(again, (size_t)(rows * columns) * sizeof *again, y));
    ck_assert_mem_eq(found, again, (size_t)(rows * columns) * sizeof *again);
    weft_release(&a, &b, &whole, &y, &out, &wide, &flat);
  }
}
END_TEST

START_TEST(wrong_calls)
{
  weft_array *a = ones(WEFT_F32, WEFT_SHAPE(3, 4)), *b = ones(WEFT_F32, WEFT_SHAPE(4, 5)),
             *v = ones(WEFT_BOOL, WEFT_SHAPE(3)), *five = ones(WEFT_F32, WEFT_SHAPE(1, 1, 1, 1, 1)),
             *b3 = ones(WEFT_F32, WEFT_SHAPE(4, 3)), *y = NULL;
  const float two_by_three[6] = {0};
  weft_array *chain[] = {a, a}, *bad[] = {a, five}, *missing[] = {a, NULL}, *inner[] = {a, v, b};
  expect_error(weft_tensordot(&y, a, b, 0, 0), WEFT_ERROR_SHAPE, "axis 0 of `a` has length 3", "`b` 4");
  expect_error(weft_tensordot(&y, a, b, 1, WEFT_AXES(0, 1)), WEFT_ERROR_AXIS, "1 axis of `a` and 2 of `b`", "@axes_b");
  expect_error(weft_tensordot(&y, a, b, 2, 0), WEFT_ERROR_AXIS, "`axes_a`: axis 2 was asked for", "@axes_a");
  expect_error(weft_tensordot(&y, a, b, WEFT_AXES(0, 1), WEFT_AXES(1, 1)), WEFT_ERROR_AXIS,
               "`axes_b`: axis 1 is given twice", "@axes_b");
  expect_error(weft_tensordot(&y, a, b, weft_keepdims(1), 0), WEFT_ERROR_AXIS,
               "`axes_a`: weft_keepdims was given; it is for reductions", "@axes_a");
  expect_error(weft_tensordot(&y, five, five, weft__axes(0, NULL), weft__axes(0, NULL)), WEFT_ERROR_SHAPE, "10 axes");
  expect_error(weft_inner(&y, a, b), WEFT_ERROR_SHAPE, "`a` is f32[3,4], `b` is f32[4,5]", "last axes differ");
  expect_error(weft_matvec(&y, v, a), WEFT_ERROR_SHAPE, "`a` has 1 axis; expected matrices", "@a");
  expect_error(weft_matvec(&y, a, 2.0f), WEFT_ERROR_SHAPE, "`x` is a number", "@x");
  expect_error(weft_matvec(&y, a, b), WEFT_ERROR_SHAPE, "columns are not as many");
  expect_error(weft_kron(&y, five, five), WEFT_ERROR_SHAPE, "more than 8 axes");
  expect_error(weft_cross(&y, a, b, -1), WEFT_ERROR_SHAPE, "`a` has length 4 along axis 1", "@a");
  expect_error(weft_cross(&y, v, v, 0), WEFT_ERROR_DTYPE, "bool");
  expect_error(weft_cross(&y, v, v, 1), WEFT_ERROR_AXIS, "@axis");
  expect_error(weft_cross(&y, WEFT_HOST(two_by_three, WEFT_F32, WEFT_SHAPE(2, 3)), b3, -1), WEFT_ERROR_SHAPE,
               "do not broadcast");
  expect_error(weft_multi_dot(&y, chain, 2), WEFT_ERROR_SHAPE, "arrays[0] is f32[3,4], arrays[1] is f32[3,4]");
  expect_error(weft_multi_dot(&y, chain, 1), WEFT_ERROR_ARGUMENT, "`count` is 1", "@count");
  expect_error(weft_multi_dot(&y, bad, 2), WEFT_ERROR_SHAPE, "arrays[1] has 5 axes", "or 1 for a vector");
  expect_error(weft_multi_dot(&y, inner, 3), WEFT_ERROR_SHAPE, "arrays[1] has 1 axis; expected 2", "@arrays");
  expect_error(weft_multi_dot(&y, missing, 2), WEFT_ERROR_HANDLE, "arrays[1] is NULL; expected a weft_array",
               "@arrays");
  expect_error(weft_matrix_trace(&y, v, WEFT_AXES(0, 1)), WEFT_ERROR_AXIS, "weft_matrix_trace");
  expect_error(weft_matrix_trace(&y, 1.0f, WEFT_AXES(0, 1)), WEFT_ERROR_SHAPE, "`x` is a number");
  ck_assert_ptr_null(y);
  weft_release(&a, &b, &v, &five, &b3);
}
END_TEST

START_TEST(results_in_place)
{
  weft_array *a = counted(2, 2), *b = counted(2, 3), *t = NULL;
  const float turned[] = {1, 3, 2, 4}, product[] = {7, 15, 10, 22}, outer[] = {7, 15, 10, 22};
  const float two[] = {1, 1};
  float host[4] = {0};
  ok(weft_einsum(&a, "ij->ji", a));
  check(a, turned, 4);
  ok(weft_einsum(&a, "ij,jk->ik", a, a)); /* out is both operands */
  check(a, (const float[]){7, 15, 10, 22}, 4);
  ok(weft_einsum(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(2, 2)), "...->...", a));
  for (int i = 0; i < 4; i++) ck_assert(host[i] == product[i]);
  ok(weft_transpose(&t, b, WEFT_ALL_AXES));
  ok(weft_outer(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(1, 4)), 1.0f, a));
  for (int i = 0; i < 4; i++) ck_assert(host[i] == outer[i]);
  ok(weft_kron(&t, WEFT_HOST(two, WEFT_F32, WEFT_SHAPE(1, 1)), t)); /* into a transposed view */
  check(b, (const float[]){1, 2, 3, 4, 5, 6}, 6);
  weft_release(&a, &b, &t);
}
END_TEST

START_TEST(the_order_of_steps)
{
  weft_array *a = ones(WEFT_F32, WEFT_SHAPE(100, 2)), *b = ones(WEFT_F32, WEFT_SHAPE(2, 100)),
             *v = ones(WEFT_F32, WEFT_SHAPE(100)), *y = NULL;
  char *text = NULL;
  const float two[] = {1, 1};
  ok(weft_einsum_path(&text, "ij,jk,k->i", a, b, v));
  ck_assert_str_eq(text,
                   "step  product                         multiplications\n"
                   "   1  jk,k->j                                 200\n"
                   "   2  ij,j->i                                 200\n"
                   "all steps                                     400\n"
                   "without steps                               4e+04\n");
  weft_free(text);
  ok(weft_einsum(&y, "ij,jk,k->i", a, b, v));
  float host[100];
  ok(weft_to_host(host, sizeof host, y));
  ck_assert(host[0] == 200 && host[99] == 200);
  /* more terms than the exact search takes */
  weft_array_release(&y);
  ok(weft_einsum(&y, "ij,jk,kl,lm,mn,no,op,pq,qr,r->i", a, b, a, b, a, b, a, b, a,
                 WEFT_HOST(two, WEFT_F32, WEFT_SHAPE(2))));
  ok(weft_to_host(host, sizeof host, y));
  ck_assert(host[0] == 3.2e9f); /* 2^5 times 100^4 products of ones */
  expect_error(weft_einsum_path(&text, "ij,jk,k->z", a, b, v), WEFT_ERROR_EXPRESSION, "weft_einsum_path");
  weft_release(&a, &b, &v, &y);
}
END_TEST

/* Multiplications that neither 64 bits nor a double count, of steps that are not chosen, and of the whole sum. */
START_TEST(the_order_of_many_multiplications)
{
  weft_array *v = ones(WEFT_F32, WEFT_SHAPE(1 << 17)), *one = ones(WEFT_U8, WEFT_SHAPE(1)), *x = NULL, *y = NULL;
  weft_array *empty = NULL;
  char *text = NULL;
  float number;
  ok(weft_einsum(&y, "a,b,c,d,a,b,c,d->", v, v, v, v, v, v, v, v)); /* in order 2^68 and more */
  ok(weft_to_host(&number, sizeof number, y));
  ck_assert(number == 0x1p68f);
  weft_array_release(&y);
  ok(weft_einsum(&y, "a,b,c,d,e,a,b,c,d,e->", v, v, v, v, v, v, v, v, v, v));
  ok(weft_to_host(&number, sizeof number, y));
  ck_assert(number == 0x1p85f);
  ok(weft_broadcast(&x, one, WEFT_SHAPE(INT64_C(1) << 62)));
  ok(weft_einsum_path(&text, "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t->", x, x, x, x, x, x, x, x, x, x, x, x, x, x, x,
                      x, x, x, x, x));
  ck_assert_msg(strstr(text, "all steps                               2.127e+37\n") &&
                    strstr(text, "without steps                     more than 1e308\n"),
                "%s", text);
  weft_free(text);
  ok(weft_empty(&empty, ctx, WEFT_U8, WEFT_SHAPE(0)));
  ok(weft_einsum_path(&text, "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t->", x, x, x, x, x, x, x, x, x, x, x, x, x, x, x,
                      x, x, x, x, empty));
  ck_assert_msg(strstr(text, "without steps                                   0\n"), "%s", text);
  weft_free(text);
  weft_release(&v, &one, &x, &y, &empty);
}
END_TEST

/// Rows of several blocks of a kernel's epilogue and a rest, in a view with its own strides, by a kernel of Weft's:
/// integers, and floats with an old result.
START_TEST(wide_epilogues)
{
  enum { M = 50, K = 7, N = 201 };
  weft_array *a = NULL, *b = NULL, *row = NULL, *column = NULL, *whole = NULL, *y = NULL, *wrong = NULL;
  for (int d = 0; d < 2; d++) {
    const weft_dtype dtype = d ? WEFT_F32 : WEFT_I32;
    setenv("WEFT_ENGINE", "own", 1);
    ok(weft_arange(&row, ctx, dtype, 0, N, 1));
    ok(weft_arange(&whole, ctx, dtype, 0, M * K, 1));
    ok(weft_reshape(&a, whole, WEFT_SHAPE(M, K)));
    ok(weft_ones(&b, ctx, dtype, WEFT_SHAPE(K, N)));
    weft_array_release(&whole);
    ok(weft_ones(&whole, ctx, dtype, WEFT_SHAPE(M, 2 * N)));
    ok(weft_view(&y, whole, ":, ::2"));
    ok(weft_view(&column, a, ":, :1"));
    ok(weft_matmul(&y, a, b, .scale = WEFT_SCALAR(2), .accumulate = WEFT_SCALAR(3),
                   .epilogue = WEFT_EPILOGUE("value * 3 + row - column", WEFT_VAR(row), WEFT_VAR(column))));
    /* row r of a adds up to 49 r + 21 */
    ok(weft_eval(&wrong, NULL, "y != (2 * (7 * column + 21) + 3) * 3 + row - column", WEFT_VAR(y), WEFT_VAR(column),
                 WEFT_VAR(row)));
    bool is_wrong[M * N];
    ok(weft_to_host(is_wrong, sizeof is_wrong, wrong));
    for (int i = 0; i < M * N; i++) ck_assert_msg(!is_wrong[i], "element %d of dtype %d", i, d);
    weft_release(&a, &b, &row, &column, &whole, &y, &wrong);
    unsetenv("WEFT_ENGINE");
  }
}
END_TEST

/* ---- large factors, which GPUs copy to other forms first ---- */

static weft_array *whole_numbers(weft_rng *rng, weft_dtype dtype, int64_t side) {
  weft_array *whole = NULL, *x = NULL;
  ok(weft_integers(&whole, rng, WEFT_I32, WEFT_SHAPE(side, side), -4, 5));
  ok(weft_cast(&x, whole, dtype));
  weft_array_release(&whole);
  return x;
}

static void check_equal(const weft_array *x, const weft_array *y) {
  bool equal = false;
  ok(weft_array_equal(&equal, x, y));
  ck_assert(equal);
  harness_count(1);
}

/// re + i im, both complex.
static weft_array *joined(const weft_array *re, const weft_array *im) {
  weft_array *turned = NULL, *x = NULL;
  ok(weft_multiply(&turned, im, WEFT_HOST(((const float[]){0, 1}), WEFT_C64, WEFT_SHAPE(1))));
  ok(weft_add(&x, re, turned));
  weft_array_release(&turned);
  return x;
}

START_TEST(transposed_factor)
{
  const int64_t side = device.type == WEFT_DEVICE_TYPE_GPU ? 4096 : 96;
  weft_rng *rng = NULL;
  weft_array *turned = NULL, *rows = NULL, *y = NULL, *z = NULL;
  ok(weft_rng_create(&rng, .seed = 3, .context = ctx));
  weft_array *a = whole_numbers(rng, WEFT_F32, side), *b = whole_numbers(rng, WEFT_F32, side);
  ok(weft_inner(&y, a, b));
  ok(weft_transpose(&turned, b, WEFT_AXES(1, 0)));
  ok(weft_copy(&rows, turned));
  ok(weft_matmul(&z, a, rows));
  check_equal(y, z);
  weft_release(&rng, &turned, &rows, &y, &z, &a, &b);
}
END_TEST

START_TEST(complex_factors)
{
  const weft_dtype dtype = _i ? WEFT_C128 : WEFT_C64;
  const int64_t side = device.type == WEFT_DEVICE_TYPE_GPU ? 2048 : 48;
  if (!harness_has_dtype(dtype)) return;
  weft_rng *rng = NULL;
  weft_array *part[4], *x[2], *y = NULL, *sum[2] = {NULL, NULL}, *more = NULL, *z[2] = {NULL, NULL};
  ok(weft_rng_create(&rng, .seed = 4, .context = ctx));
  for (int k = 0; k < 4; k++) part[k] = whole_numbers(rng, dtype, side);
  for (int k = 0; k < 2; k++) x[k] = joined(part[2 * k], part[2 * k + 1]);
  ok(weft_matmul(&y, x[0], x[1]));
  for (int k = 0; k < 2; k++) { /* the parts of the product, from products of real numbers */
    ok(weft_real(&z[0], part[0]));
    ok(weft_real(&z[1], part[2 + k]));
    ok(weft_matmul(&sum[k], z[0], z[1]));
    ok(weft_real(&z[0], part[1]));
    ok(weft_real(&z[1], part[3 - k]));
    ok(weft_matmul(&more, z[0], z[1]));
    ok(k ? weft_add(&sum[k], sum[k], more) : weft_subtract(&sum[k], sum[k], more));
  }
  ok(weft_real(&z[0], y));
  ok(weft_imag(&z[1], y));
  for (int k = 0; k < 2; k++) check_equal(z[k], sum[k]);
  weft_release(&rng, &y, &more);
  for (int k = 0; k < 4; k++) weft_array_release(&part[k]);
  for (int k = 0; k < 2; k++) weft_release(&x[k], &sum[k], &z[k]);
}
END_TEST

/// The errors with each .precision, relative to the sums of the terms' sizes: of the additions, and with TF32 of two
/// factors rounded to 11 bits.
START_TEST(precisions)
{
  const int64_t side = device.type == WEFT_DEVICE_TYPE_GPU ? 2048 : 130, count = side * side;
  harness_random random = harness_random_start(611);
  weft_array *x[2] = {NULL, NULL}, *y = NULL;
  float *host[3];
  for (int k = 0; k < 3; k++) {
    host[k] = malloc((size_t)count * sizeof(float));
    for (int64_t e = 0; e < count; e++) host[k][e] = (float)harness_between(&random, -(1 << 24), 1 << 24) * 0x1p-24f;
  }
  for (int k = 0; k < 2; k++) ok(weft_from_host(&x[k], ctx, WEFT_F32, WEFT_SHAPE(side, side), host[k]));
  for (int precision = 0; precision < WEFT_PRECISION_COUNT; precision++) {
    const double most = (double)side * 0x1p-24 + (precision == WEFT_PRECISION_TF32 ? 0x1.004p-10 : 0);
    ok(weft_matmul(&y, x[0], x[1], .precision = (weft_precision)precision));
    ok(weft_to_host(host[2], (size_t)count * sizeof(float), y));
    for (int64_t i = 0; i < side; i += side / 4)
      for (int64_t j = 0; j < side; j++) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < side; k++) {
          const double term = (double)host[0][i * side + k] * (double)host[1][k * side + j];
          sum += term;
          size += fabs(term);
        }
        const double error = fabs((double)host[2][i * side + j] - sum) / size;
        ck_assert_msg(error <= most, "precision %d, [%" PRId64 ", %" PRId64 "]: %g, at most %g", precision, i, j, error,
                      most);
      }
    harness_count(1);
  }
  for (int k = 0; k < 3; k++) free(host[k]);
  weft_release(&x[0], &x[1], &y);
}
END_TEST

/// An epilogue launches no more kernels than the calls that it replaces, of which a CPU's caller computes small ones.
START_TEST(epilogue_of_few)
{
  weft_array *a = NULL, *b = NULL, *apart = NULL, *fused = NULL;
  float got[2][32];
  ok(weft_ones(&a, ctx, WEFT_F32, WEFT_SHAPE(32, 32)));
  ok(weft_linspace(&b, ctx, WEFT_F32, 0, 31, 32));
  for (int again = 0; again < 2; again++) { /* the second time all is built */
    ok(weft_context_wait(ctx));
    const uint64_t begin = harness_launches();
    ok(weft_matmul(&apart, a, a));
    ok(weft_eval(&apart, ctx, "x + y", WEFT_NAMED("x", apart), WEFT_NAMED("y", b)));
    ok(weft_context_wait(ctx));
    const uint64_t middle = harness_launches();
    ok(weft_matmul(&fused, a, a, .epilogue = WEFT_EPILOGUE("value + y", WEFT_NAMED("y", b))));
    ok(weft_context_wait(ctx));
    ck_assert_uint_le(harness_launches() - middle, middle - begin);
  }
  weft_release(&a, &b);
  ok(weft_view(&a, apart, "3"));
  ok(weft_view(&b, fused, "3"));
  ok(weft_to_host(got[0], sizeof got[0], a));
  ok(weft_to_host(got[1], sizeof got[1], b));
  for (int k = 0; k < 32; k++) ck_assert(got[0][k] == 32 + k && got[1][k] == 32 + k);
  weft_release(&a, &b, &apart, &fused);
  harness_count(3);
}
END_TEST

static void add(Suite *suite) {
  TCase *all = harness_context_case(suite, "products");
  tcase_add_test(all, wrong_subscripts);
  tcase_add_test(all, wrong_calls);
  tcase_add_test(all, small_matrices_by_vectors);
  tcase_add_test(all, many_small_matrices);
  tcase_add_test(all, kron_of_short_rows);
  tcase_add_test(all, results_in_place);
  tcase_add_test(all, the_order_of_steps);
  tcase_add_test(all, the_order_of_many_multiplications);
  tcase_add_test(all, wide_epilogues);
  tcase_add_test(all, transposed_factor);
  tcase_add_loop_test(all, complex_factors, 0, 2);
  tcase_add_test(all, precisions);
  tcase_add_test(all, epilogue_of_few);
}

int main(void) {
  const harness_suite suite = {.name = "products", .add = add};
  return harness_main(&suite);
}
