// SPDX-License-Identifier: MIT
// Between a transform of 2 h real numbers and the complex transform of their h pairs, h a power of two: f32, rows that
// are too long for local memory. A work-item computes values k and h - k of a row.
//
// TO_REAL: 0 rows of h values become the first h + 1 values of the real numbers' transforms, 1 the reverse.
// lint: -DTO_REAL=0 -DWIDE=0 -DINVERSE=0
// lint: -DTO_REAL=1 -DWIDE=0 -DINVERSE=0
#include "fft/complex.clh"

__kernel void weft_fft_halves(const weft__fft_step_args a, __global const uchar *from_buffer,
                              __global uchar *to_buffer) {
  const ulong thread = (ulong)get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (thread >= a.threads) return;
  const uint pairs = (uint)a.length / 2, per_row = pairs / 2 + 1, row = (uint)thread / per_row;
  const uint k = (uint)thread % per_row;
  __global const PAIR *from = (__global const PAIR *)(from_buffer + a.from_offset) + row * a.from_length;
  __global PAIR *to = (__global PAIR *)(to_buffer + a.to_offset) + row * a.to_length;
  const PAIR root = weft_root(k, 2 * pairs), mirror = (PAIR)(-root.x, root.y); /* of h - k */
  const REAL scale = REAL_OF(a.scale);
  PAIR x = from[k];
#if TO_REAL
  PAIR other = from[pairs - k];
  if (k == 0) x.y = other.y = 0;
  to[k] = weft_joined(x, other, root);
  if (k) to[pairs - k] = weft_joined(other, x, mirror);
  (void)scale;
#else
  const PAIR other = k ? from[pairs - k] : x;
  to[k] = weft_parted(x, other, root) * scale;
  to[pairs - k] = weft_parted(other, x, mirror) * scale;
#endif
}
