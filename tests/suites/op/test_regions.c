// SPDX-License-Identifier: MIT
/// weft/regions.h: errors, long winding regions, counts and indices in given arrays. scipy.ndimage judges the rest
/// (tests/judge/primitives/filter.py).
#include <math.h>
#include <string.h>

#include "samples.h"

enum { SIDE = 61, N = SIDE * SIDE };

START_TEST(wrong_regions)
{
  weft_array *x = NULL, *s = NULL, *y = NULL, *c = NULL;
  ok(weft_ones(&x, ctx, WEFT_U8, WEFT_SHAPE(3, 4)));
  ok(weft_ones(&s, ctx, WEFT_F32, WEFT_SHAPE(3)));
  ok(weft_ones(&c, ctx, WEFT_C64, WEFT_SHAPE(3)));
  expect_error(weft_label(&y, x, .structure = s), WEFT_ERROR_SHAPE, "other than length 3 along each", "@structure");
  expect_error(weft_label(&y, c), WEFT_ERROR_DTYPE, "`x` is c64; expected real numbers", "@x");
  expect_error(weft_distance_transform(&y, x, .sampling = s), WEFT_ERROR_SHAPE, "with 2 numbers", "@sampling");
  expect_error(weft_distance_transform(&s, x), WEFT_ERROR_SHAPE, "[3,4]");
  expect_error(weft_label(&y, 1), WEFT_ERROR_SHAPE, "weft_label", "`x` has no axes", "@x");
  expect_error(weft_distance_transform(&y, 1.0f), WEFT_ERROR_SHAPE, "`x` has no axes", "@x");
  ck_assert(y == NULL);
  weft_release(&x, &s, &c);
}
END_TEST

/* Every second row is a wall with one gap, on alternate sides: one region winds through the array. */
START_TEST(one_winding_region)
{
  static uint8_t open[N];
  static int32_t found[N];
  int64_t regions;
  weft_array *x = NULL, *y = NULL, *count = NULL;
  for (int k = 0; k < N; k++) open[k] = k / SIDE % 2 == 0 || k % SIDE == (k / SIDE % 4 == 1 ? SIDE - 1 : 0);
  ok(weft_from_host(&x, ctx, WEFT_U8, WEFT_SHAPE(SIDE, SIDE), open));
  ok(weft_zeros(&count, ctx, WEFT_I64, WEFT_SHAPE_0D));
  ok(weft_label(&y, x, .count = &count));
  ok(weft_to_host(&regions, sizeof regions, count));
  ok(weft_to_host(found, sizeof found, y));
  ck_assert_int_eq(regions, 1);
  for (int k = 0; k < N; k++) ck_assert_int_eq(found[k], open[k]);
  weft_release(&x, &y, &count);
}
END_TEST

/// Labels by a flood from each element that has none yet. The number of regions.
static int flood(int32_t *label, const uint8_t *x, weft_shape shape, const uint8_t *structure) {
  static int stack[N];
  int n = 1, cells = 1, regions = 0;
  for (int d = 0; d < shape.ndim; d++) n *= (int)shape.dim[d], cells *= 3;
  memset(label, 0, sizeof *label * (size_t)n);
  for (int first = 0; first < n; first++) {
    int height = 0;
    if (!x[first] || label[first]) continue;
    label[first] = ++regions;
    stack[height++] = first;
    while (height) {
      const int at = stack[--height];
      for (int cell = 0; cell < cells; cell++) {
        int to = 0, size = 1, rest = at, step = cell;
        bool is_inside = structure[cell];
        for (int d = shape.ndim - 1; d >= 0; d--) {
          const int length = (int)shape.dim[d], t = rest % length + step % 3 - 1;
          is_inside = is_inside && t >= 0 && t < length;
          to += t * size;
          size *= length, rest /= length, step /= 3;
        }
        if (!is_inside || !x[to] || label[to]) continue;
        label[to] = regions;
        stack[height++] = to;
      }
    }
  }
  return regions;
}

static void expect_regions(harness_random *random, weft_shape shape, int density) {
  static uint8_t values[N], structure[243];
  static int32_t wanted[N], found[N];
  int n = 1, cells = 1;
  weft_array *x = NULL, *s = NULL, *y = NULL, *count = NULL;
  weft_shape three = {.ndim = shape.ndim};
  for (int d = 0; d < shape.ndim; d++) n *= (int)shape.dim[d], cells *= 3, three.dim[d] = 3;
  for (int k = 0; k < n; k++) values[k] = harness_between(random, 1, 100) <= density;
  const int share = (int)harness_between(random, 1, 4); /* of the neighbours, in quarters */
  for (int k = 0; k <= cells / 2; k++)
    structure[k] = structure[cells - 1 - k] = harness_between(random, 1, 4) <= share || k == cells / 2;
  const int regions = flood(wanted, values, shape, structure);
  ok(weft_from_host(&x, ctx, WEFT_BOOL, shape, values));
  ok(weft_from_host(&s, ctx, WEFT_BOOL, three, structure));
  ok(weft_empty(&y, ctx, WEFT_I32, shape));
  for (int turn = 0; turn < 2; turn++) { /* launched, then by the calling thread */
    int64_t number = -1;
    ok(weft_fill(y, 7));
    ok(weft_label(&y, x, .structure = s, .count = &count));
    ok(weft_to_host(&number, sizeof number, count));
    ok(weft_to_host(found, sizeof found[0] * (size_t)n, y));
    ck_assert_int_eq(number, regions);
    for (int k = 0; k < n; k++)
      ck_assert_msg(found[k] == wanted[k], "turn %d, %d axes, element %d of %d: %d, not %d", turn, shape.ndim, k, n,
                    found[k], wanted[k]);
    weft_release(&count);
  }
  weft_release(&x, &s, &y);
}

/// Lengths around multiples of a word, axes of one and two elements, and every kind of structure.
START_TEST(regions_by_a_flood)
{
  static const int density[] = {0, 10, 40, 55, 70, 95, 100};
  harness_random random = harness_random_start(1);
  const weft_shape shapes[] = {WEFT_SHAPE(1),         WEFT_SHAPE(63),       WEFT_SHAPE(64),       WEFT_SHAPE(65),
                               WEFT_SHAPE(3000),      WEFT_SHAPE(1, 1),     WEFT_SHAPE(1, 200),   WEFT_SHAPE(200, 1),
                               WEFT_SHAPE(500, 2),    WEFT_SHAPE(2, 500),   WEFT_SHAPE(40, 63),   WEFT_SHAPE(40, 64),
                               WEFT_SHAPE(40, 65),    WEFT_SHAPE(SIDE, 61), WEFT_SHAPE(9, 8, 31), WEFT_SHAPE(2, 2, 200),
                               WEFT_SHAPE(200, 2, 2), WEFT_SHAPE(9, 1, 40), WEFT_SHAPE(1, 40, 9), WEFT_SHAPE(40, 9, 1)};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (size_t draw = 0; draw < sizeof density / sizeof *density; draw++)
      expect_regions(&random, shapes[k], density[draw]);
  expect_regions(&random, WEFT_SHAPE(5, 6, 4, 5, 3), 30);
  expect_regions(&random, WEFT_SHAPE(50, 2, 2, 2, 2), 30); /* more bits than the calling thread takes */
}
END_TEST

START_TEST(distances_and_indices)
{
  static uint8_t far_from[N];
  static float found[N];
  static int32_t where[2][N];
  weft_array *x = NULL, *y = NULL, *indices = NULL;
  for (int k = 0; k < N; k++) far_from[k] = k != 5 * SIDE + 7;
  ok(weft_from_host(&x, ctx, WEFT_U8, WEFT_SHAPE(SIDE, SIDE), far_from));
  ok(weft_empty(&y, ctx, WEFT_F32, WEFT_SHAPE(SIDE, SIDE)));
  ok(weft_distance_transform(&y, x, .indices = &indices));
  ok(weft_to_host(found, sizeof found, y));
  ok(weft_to_host(where, sizeof where, indices));
  for (int k = 0; k < N; k++) {
    ck_assert_float_eq_tol(found[k], hypotf((float)(k / SIDE - 5), (float)(k % SIDE - 7)), 1e-5f);
    ck_assert(where[0][k] == 5 && where[1][k] == 7);
  }
  ok(weft_fill(x, 1));
  ok(weft_distance_transform(&y, x));
  ok(weft_to_host(found, sizeof found, y));
  for (int k = 0; k < N; k++) ck_assert(isinf(found[k]));
  weft_release(&x, &y, &indices);
}
END_TEST

static float square_between(int from, int to, weft_shape shape, const float *sampling) {
  float sum = 0;
  for (int d = shape.ndim - 1; d >= 0; d--) {
    const int n = (int)shape.dim[d];
    const float apart = sampling[d] * (float)(from % n - to % n);
    sum += apart * apart;
    from /= n, to /= n;
  }
  return sum;
}

/* The nearest of a few zeros, of all. The axes are longer than the parts into which lines are divided. */
static void expect_nearest(harness_random *random, weft_shape shape, int zeros, const float *sampling) {
  static uint8_t values[N];
  static float found[N];
  static int32_t where[3 * N];
  int n = 1, zero[8];
  weft_array *x = NULL, *y = NULL, *indices = NULL, *steps = NULL;
  for (int d = 0; d < shape.ndim; d++) n *= (int)shape.dim[d];
  memset(values, 1, (size_t)n);
  for (int z = 0; z < zeros; z++) values[zero[z] = (int)harness_between(random, 0, n - 1)] = 0;
  ok(weft_from_host(&x, ctx, WEFT_U8, shape, values));
  ok(weft_from_host(&steps, ctx, WEFT_F32, WEFT_SHAPE(shape.ndim), sampling));
  ok(weft_empty(&y, ctx, WEFT_F32, shape));
  ok(weft_distance_transform(&y, x, .sampling = steps, .indices = &indices));
  ok(weft_to_host(found, sizeof found[0] * (size_t)n, y));
  ok(weft_to_host(where, sizeof where[0] * (size_t)(n * shape.ndim), indices));
  for (int k = 0; k < n; k++) {
    int flat = 0;
    for (int d = 0; d < shape.ndim; d++) flat = flat * (int)shape.dim[d] + where[d * n + k];
    ck_assert_msg(flat >= 0 && flat < n && values[flat] == 0, "%d: %d is no zero", k, flat);
    const float square = square_between(k, flat, shape, sampling);
    for (int z = 0; z < zeros; z++)
      ck_assert_msg(square <= square_between(k, zero[z], shape, sampling) * 1.00001f, "%d: %d is nearer than %d", k,
                    zero[z], flat);
    ck_assert_float_eq_tol(found[k], sqrtf(square), 1e-5f * (1 + found[k]));
  }
  weft_release(&x, &y, &indices, &steps);
}

START_TEST(nearest_of_few_zeros)
{
  harness_random random = harness_random_start(1);
  for (int zeros = 1; zeros <= 8; zeros += 1 + zeros) {
    expect_nearest(&random, WEFT_SHAPE(SIDE, SIDE), zeros, (const float[]){1, 1});
    expect_nearest(&random, WEFT_SHAPE(N), zeros, (const float[]){0.3f});
    expect_nearest(&random, WEFT_SHAPE(1, 3, 300), zeros, (const float[]){1, 2, 0.7f});
    expect_nearest(&random, WEFT_SHAPE(40, 35, 2), zeros, (const float[]){0.1f, 1, 3});
  }
}
END_TEST

START_TEST(nothing)
{
  int64_t regions = 7;
  weft_array *x = NULL, *y = NULL, *count = NULL, *indices = NULL;
  ok(weft_zeros(&x, ctx, WEFT_U8, WEFT_SHAPE(3, 0)));
  ok(weft_label(&y, x, .count = &count));
  ok(weft_to_host(&regions, sizeof regions, count));
  ck_assert_int_eq(regions, 0);
  weft_release(&y);
  ok(weft_distance_transform(&y, x, .indices = &indices));
  ck_assert_int_eq(weft_array_shape(y).dim[0], 3);
  ck_assert(weft_array_ndim(indices) == 3 && weft_array_shape(indices).dim[0] == 2 && weft_array_size(indices) == 0);
  weft_release(&x, &y, &count, &indices);
}
END_TEST

static void add(Suite *suite) {
  TCase *all = harness_context_case(suite, "regions");
  tcase_add_test(all, wrong_regions);
  tcase_add_test(all, nothing);
  tcase_add_test(all, one_winding_region);
  tcase_add_test(all, regions_by_a_flood);
  tcase_add_test(all, distances_and_indices);
  tcase_add_test(all, nearest_of_few_zeros);
}

int main(void) {
  const harness_suite suite = {.name = "regions", .add = add};
  return harness_main(&suite);
}
