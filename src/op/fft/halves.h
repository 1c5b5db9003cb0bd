// SPDX-License-Identifier: MIT
/// Rows of an even number of reals as complex rows of half the length: what follows the complex transform where the
/// result is complex, and precedes it where the result is real.
#ifndef WEFT_OP_FFT_HALVES_H
#define WEFT_OP_FFT_HALVES_H

#include <stddef.h>

#include "op/fft/roots.h"

typedef struct weft__halves {
  size_t length; /* of the real rows */
  bool is_f64, to_real;
  double scale; /* of the values that are not real */
  weft__roots roots;
} weft__halves;

void weft__halves_begin(weft__halves *h, size_t length, bool is_f64, bool to_real, double scale);
/// The blocks of a row's values.
size_t weft__halves_blocks(const weft__halves *h);
/// Computes blocks `first` to `last` of each row. Complex rows have length / 2 values, and length / 2 + 1 on the other
/// side.
void weft__halves_run(const weft__halves *h, void *to, const void *from, size_t rows, size_t first, size_t last);

#endif
