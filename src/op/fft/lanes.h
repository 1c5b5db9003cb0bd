// SPDX-License-Identifier: MIT
/// Transforms of as many rows as a vector has lanes, side by side: a lane for each. FFTW's plans without measurements
/// mostly take vectors of 16 bytes.
#ifndef WEFT_OP_FFT_LANES_H
#define WEFT_OP_FFT_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes of the real parts of a value of all rows, which its imaginary parts follow.
#define WEFT__LANES_BYTES 64

enum { WEFT__LANES_PASSES = 16 };

/// A transform of `length` values.
typedef struct weft__lanes {
  size_t length;
  bool is_f64, inverse;
  int passes, radix[WEFT__LANES_PASSES];
  void *memory; /* the passes' roots of unity */
  const void *roots[WEFT__LANES_PASSES];
} weft__lanes;

/// Whether this processor has the loops for a length of 2 to 2^16: its prime factors are 13 at most.
bool weft__lanes_fit(uint64_t length);
/// False: no memory. End it with free(lanes->memory).
bool weft__lanes_begin(weft__lanes *lanes, uint64_t length, bool is_f64, bool inverse);
/// Bytes of a thread's room, which begins at a multiple of WEFT__LANES_BYTES.
size_t weft__lanes_room_bytes(const weft__lanes *lanes);
/// Transforms the rows whose value k begins at `from`, k times `apart` complex numbers behind, one row after the other.
/// These places of `to`, which may be `from`, get the values times `scale`. `rows`: one for each lane, or fewer.
void weft__lanes_run(const weft__lanes *lanes, void *room, void *to, const void *from, size_t apart, size_t rows,
                     double scale);

#endif
