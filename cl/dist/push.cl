// SPDX-License-Identifier: MIT
// A copy to another GPU's memory, for libweft-mpi. It has so few work-groups that all start at once: on NVIDIA's GPUs
// kernels and copies of other queues wait until a kernel's last work-group has started (docs/drivers.md).
//   BLOCK   threads of a work-group
// lint: -DBLOCK=512
#define FLIGHT 4 // loads in flight per thread

// `count` runs of `run` chunks of 16 bytes, which begin `stride` bytes apart from byte `first` on, to the bytes of
// `to` from `place` on.
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void weft_push(__global uchar *to, __global const uchar *from, ulong place, ulong first, ulong stride, uint run,
               uint count) {
  const uint threads = (uint)get_global_size(0), total = run * count;
  __global uint4 *out = (__global uint4 *)(to + place);
  __global const uchar *in = from + first;
  for (uint begin = (uint)get_global_id(0); begin < total; begin += FLIGHT * threads) {
    uint4 v[FLIGHT];
#pragma unroll
    for (uint u = 0; u < FLIGHT; u++) {
      const uint at = min(begin + u * threads, total - 1), row = at / run;
      v[u] = ((__global const uint4 *)(in + row * stride))[at - row * run];
    }
#pragma unroll
    for (uint u = 0; u < FLIGHT; u++)
      if (begin + u * threads < total) out[begin + u * threads] = v[u];
  }
}
