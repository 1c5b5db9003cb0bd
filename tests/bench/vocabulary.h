// SPDX-License-Identifier: MIT
/// What vocabulary.c and vocabulary.cu have in common: the rows, the sizes and the clock.
#ifndef VOCABULARY_H
#define VOCABULARY_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { VOCABULARY_BLOCK = 256, VOCABULARY_RUNS = 9 };
#define VOCABULARY_WORDS ((uint64_t)1 << 20) /* of `out`, 8 bytes each */

typedef struct vocabulary_row {
  const char *name;
  char type;       /* of `out`: f(loat), d(ouble), i(nt), u(int), l(ong, unsigned) */
  uint64_t blocks; /* on a GPU */
  uint32_t rounds;
} vocabulary_row;

static const vocabulary_row vocabulary_rows[] = {
    {"stream_sum", 'f', 2048, 1},        {"block_sums", 'f', 4096, 256},     {"block_maxima", 'f', 4096, 256},
    {"block_scans", 'f', 4096, 256},     {"shuffles", 'f', 4096, 512},       {"add_f32", 'f', 4096, 16},
    {"add_f64", 'd', 4096, 16},          {"add_u32", 'u', 4096, 16},         {"add_u64", 'l', 4096, 16},
    {"max_i32", 'i', 4096, 16},          {"cas_u32", 'u', 4096, 16},         {"add_f32_one_word", 'f', 4096, 4},
    {"add_u32_one_word", 'u', 4096, 16}, {"shared_histogram", 'u', 2048, 1}, {"shared_weights", 'f', 2048, 1},
};
enum { VOCABULARY_ROWS = sizeof vocabulary_rows / sizeof *vocabulary_rows };

static inline double vocabulary_now_us(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/// Element i of `in`: 0 to 255, in no order.
static inline float vocabulary_input(uint64_t i) {
  return (float)((i * 2654435761u >> 13) & 255);
}

/// The command line: [elements of `in`] [blocks at most].
static inline void vocabulary_arguments(int argc, char **argv, uint64_t *n, uint64_t *most) {
  *n = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)1 << 27;
  *most = argc > 2 ? strtoull(argv[2], NULL, 10) : UINT64_MAX;
  if (*n < (uint64_t)VOCABULARY_BLOCK * 4096) *n = (uint64_t)VOCABULARY_BLOCK * 4096;
}

/// Prints the fastest of the runs. Each calls `launch` so often that it takes 10 ms, then waits.
static inline void vocabulary_time(const vocabulary_row *row, void (*launch)(const vocabulary_row *row),
                                   void (*wait)(void)) {
  double best = 0;
  uint64_t loops = 1;
  for (int run = -2; run < VOCABULARY_RUNS; run++) {
    const double begin = vocabulary_now_us();
    for (uint64_t k = 0; k < loops; k++) launch(row);
    wait();
    const double us = (vocabulary_now_us() - begin) / (double)loops;
    if (run == -1) loops = us < 1e4 ? (uint64_t)(1e4 / us) + 1 : 1;
    if (run >= 0 && (run == 0 || us < best)) best = us;
  }
  printf("%s %.3f\n", row->name, best);
  fflush(stdout);
}

#endif
