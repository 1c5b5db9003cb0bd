// SPDX-License-Identifier: MIT
// What `weft demo ... --device-printf` launches: each thread prints one line from the device itself. OpenCL promises
// neither an order of the lines nor that all of them arrive.
#include "weft/prelude.clh"

#define PRINT(name)                                                                                    \
  __kernel void print_##name(uint tuples) {                                                            \
    if (tuples)                                                                                        \
      printf(#name ": (%u, %u, %u)\n", (uint)name.x, (uint)name.y, (uint)name.z);                      \
    else                                                                                               \
      printf(#name ": %u\n", (uint)name.x);                                                            \
  }

PRINT(threadIdx)
PRINT(blockIdx)
PRINT(blockDim)
PRINT(gridDim)
