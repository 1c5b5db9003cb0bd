// SPDX-License-Identifier: MIT
/// Loops of the host have the same bits on every processor: of Fourier transforms and of products of matrices.
#include <math.h>

#include "base/wide.h"
#include "harness.h"
#include "op/fft/halves.h"
#include "op/fft/lanes.h"
#include "op/matmul/matrix_loops.h"

enum { MOST = 8192, ROWS = 5, SIZE = 2 * ROWS * (MOST + 1), WIDTHS = 3 };

typedef union numbers {
  float f32[SIZE];
  double f64[SIZE];
} numbers;

static numbers input, output[WIDTHS];

static void fill(bool is_f64) {
  harness_random random = harness_random_start(1);
  for (int k = 0; k < SIZE; k++) {
    const double number = (double)harness_between(&random, -1000000, 1000000) / 3e5;
    if (is_f64)
      input.f64[k] = number;
    else
      input.f32[k] = (float)number;
  }
  memset(output, 0, sizeof output);
}

static void check_widths(int least, const char *what, uint64_t length, bool is_f64) {
  for (int width = least + 1; width < WIDTHS; width++)
    ck_assert_msg(memcmp(&output[width], &output[least], sizeof output[0]) == 0, "%s of %" PRIu64 " %s: width %d", what,
                  length, is_f64 ? "doubles" : "floats", width);
}

START_TEST(rows_by_halves)
{
  static const size_t length[] = {32, 96, 1000, 4096, MOST};
  for (size_t q = 0; q < sizeof length / sizeof *length; q++)
    for (int way = 0; way < 4; way++) {
      const bool is_f64 = way & 1, to_real = way & 2;
      weft__halves halves;
      fill(is_f64);
      weft__halves_begin(&halves, length[q], is_f64, to_real, to_real ? 1 : 0.3);
      for (int width = 0; width < WIDTHS; width++) {
        atomic_store(&weft__most_width, width);
        weft__halves_run(&halves, &output[width], &input, ROWS, 0, weft__halves_blocks(&halves));
      }
      check_widths(0, to_real ? "halves to reals" : "halves of reals", length[q], is_f64);
      harness_count(1);
    }
}
END_TEST

START_TEST(columns_in_lanes)
{
  static const uint64_t length[] = {16, 130, 343, 462, 720, 1000};
  for (size_t q = 0; q < sizeof length / sizeof *length && weft__lanes_fit(2); q++)
    for (int way = 0; way < 4; way++) {
      const bool is_f64 = way & 1;
      weft__lanes lanes;
      fill(is_f64);
      ck_assert(weft__lanes_begin(&lanes, length[q], is_f64, way & 2));
      void *room = aligned_alloc(WEFT__LANES_BYTES, weft__lanes_room_bytes(&lanes));
      ck_assert_ptr_nonnull(room);
      memset(room, 0, weft__lanes_room_bytes(&lanes));
      for (int width = 1; width < WIDTHS; width++) {
        atomic_store(&weft__most_width, width);
        weft__lanes_run(&lanes, room, &output[width], &input, ROWS, ROWS, 0.3);
      }
      check_widths(1, "columns", length[q], is_f64);
      free(room);
      free(lanes.memory);
      harness_count(1);
    }
}
END_TEST

/// An element of a product: fused multiplications in the order of k, in blocks of 256.
#define ELEMENT(NAME, T, FMA)                                                                  \
  static T NAME(const T *a, const T *b, int64_t k, int64_t b_row) {                            \
    T all = 0;                                                                                 \
    for (int64_t from = 0; from < k; from += 256) {                                            \
      T sum = 0;                                                                               \
      for (int64_t l = from; l < k && l < from + 256; l++) sum = FMA(a[l], b[l * b_row], sum); \
      all = from ? all + sum : sum;                                                            \
    }                                                                                          \
    return all;                                                                                \
  }
ELEMENT(element_f32, float, fmaf)
ELEMENT(element_f64, double, fma)

START_TEST(products_of_matrices)
{
  static const int64_t sizes[][4] = {/* m, k, n, from a row of b to the next */
                                     {4, 1, 16, 16},    {5, 257, 16, 19},   {8, 256, 32, 32},
                                     {13, 300, 48, 50}, {9, 3, 65, 70},     {17, 40, 129, 131},
                                     {6, 255, 64, 64},  {66, 20, 40, 1100}, {70, 20, 64, 1100}};
  _Alignas(64) static char room[WEFT__MATRIX_LOOP_BYTES];
  for (size_t q = 0; q < 2 * sizeof sizes / sizeof *sizes; q++) {
    const bool is_f64 = q & 1;
    const int64_t *s = sizes[q / 2], m = s[0], k = s[1], n = s[2], a_row = k + 1, b_row = s[3], out_row = n + 3;
    fill(is_f64);
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = 0; j < n; j++)
        if (is_f64)
          output[0].f64[i * out_row + j] = element_f64(&input.f64[i * a_row], &input.f64[m * a_row + j], k, b_row);
        else
          output[0].f32[i * out_row + j] = element_f32(&input.f32[i * a_row], &input.f32[m * a_row + j], k, b_row);
    for (int width = 1; width < WIDTHS; width++) {
      atomic_store(&weft__most_width, width);
      weft__matrix_loop *loop = weft__matrix_loop_of(is_f64 ? WEFT_F64 : WEFT_F32);
      const void *b = is_f64 ? (void *)&input.f64[m * a_row] : &input.f32[m * a_row];
      const weft__matrix_product product = {&output[width], &input, b, m, n, k, out_row, a_row, b_row, room};
      if (loop)
        loop(&product);
      else
        output[width] = output[0];
    }
    check_widths(0, "products", (uint64_t)n, is_f64);
    harness_count(1);
  }
}
END_TEST

static void add(Suite *suite) {
  TCase *c = harness_case(suite, "widths");
  tcase_add_test(c, rows_by_halves);
  tcase_add_test(c, columns_in_lanes);
  tcase_add_test(c, products_of_matrices);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "loops", .add = add});
}
