// SPDX-License-Identifier: MIT
// A copy to another GPU's memory, or within one, for libweft-mpi. It has so few work-groups that all start at once: on
// NVIDIA's GPUs kernels and copies of other queues wait until a kernel's last work-group has started (docs/drivers.md).
//   BLOCK   threads of a work-group
//   CHUNK   what a thread loads at once: uint4, or uint where the places are multiples of 4 only
// lint: -DBLOCK=512 -DCHUNK=uint4
// lint: -DBLOCK=512 -DCHUNK=uint
#define FLIGHT 8 // loads in flight per thread

// `count` runs of `run` chunks, which begin `stride` bytes apart from byte `first` on, to runs that begin `to_stride`
// bytes apart from byte `place` of `to` on.
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void weft_copy_piece(__global uchar *to,
                                                                                 __global const uchar *from,
                                                                                 ulong place, ulong to_stride,
                                                                                 ulong first, ulong stride, uint run,
                                                                                 uint count) {
  const uint threads = (uint)get_global_size(0), total = run * count;
  __global uchar *out = to + place;
  __global const uchar *in = from + first;
  for (uint begin = (uint)get_global_id(0); begin < total; begin += FLIGHT * threads) {
    CHUNK v[FLIGHT];
#pragma unroll
    for (uint u = 0; u < FLIGHT; u++) {
      const uint at = min(begin + u * threads, total - 1), row = at / run;
      v[u] = ((__global const CHUNK *)(in + row * stride))[at - row * run];
    }
#pragma unroll
    for (uint u = 0; u < FLIGHT; u++) {
      const uint at = begin + u * threads, row = at / run;
      if (at < total) ((__global CHUNK *)(out + row * to_stride))[at - row * run] = v[u];
    }
  }
}
