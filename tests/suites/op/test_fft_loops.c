// SPDX-License-Identifier: MIT
/// The host's loops of Fourier transforms have the same bits on every processor.
#include "base/wide.h"
#include "harness.h"
#include "op/fft/halves.h"
#include "op/fft/lanes.h"

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

static void add(Suite *suite) {
  TCase *c = harness_case(suite, "widths");
  tcase_add_test(c, rows_by_halves);
  tcase_add_test(c, columns_in_lanes);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "fft_loops", .add = add});
}
