// SPDX-License-Identifier: MIT
// One step of heat diffusion on a square with periodic edges. Each thread computes one cell.
#include "weft/prelude.clh"

kernel void spread(global float *next, global const float *now, float rate, uint side) {
  uint column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= side || column >= side) return;
  uint left = (column ? column : side) - 1, right = column + 1 < side ? column + 1 : 0;
  uint above = (row ? row : side) - 1, below = row + 1 < side ? row + 1 : 0;
  float here = now[row * side + column];
  float around =
      (now[row * side + left] + now[row * side + right]) + (now[above * side + column] + now[below * side + column]);
  next[row * side + column] = here + rate * (around - 4 * here);
}
