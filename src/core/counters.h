// SPDX-License-Identifier: MIT
/// Counts what a context has done, and gives advice at the first event of each kind. Part of weft__core.
#ifndef WEFT_CORE_COUNTERS_H
#define WEFT_CORE_COUNTERS_H

#include <stdatomic.h>
#include <weft/device.h>
#include <weft/shape.h>
#include <weft/usage.h>

typedef struct weft__counters {
  uint64_t full_threads, full_blocks; /* as in weft_usage */
  _Atomic(uint64_t) small_launches;
  _Atomic(uint64_t) builds, build_time_ns, cached_builds;
  _Atomic(uint64_t) copies_in, copies_in_bytes, copies_back, copies_back_bytes;
} weft__counters;

void weft__counters_init(weft__counters *usage, const weft_device_info *device);
/// Reads all counters except the launches.
void weft__counters_read(weft_usage *read, const weft__counters *usage);

void weft__counters_build(weft__counters *usage, uint64_t time_ns, bool is_cached);
/// Counts host memory that a function over arrays copied to the device, or back to the host, for one call. `name` is
/// the operand's name.
void weft__counters_copy_in(weft__counters *usage, uint64_t size_bytes, const char *name);
void weft__counters_copy_back(weft__counters *usage, uint64_t size_bytes, const char *name);

/// Counts a small launch, for weft__counters_launch.
void weft__counters_small(weft__counters *usage, uint64_t blocks, uint64_t threads, const char *kernel);
/// Counts a launch whose size the user chose: of a function over arrays, or of weft_launch. Costs one comparison if the
/// launch is large enough.
static inline void weft__counters_launch(weft__counters *usage, weft_dim3 grid, weft_dim3 block, const char *kernel) {
  uint64_t blocks = grid.x * grid.y * grid.z, threads = blocks * block.x * block.y * block.z;
  if (threads < usage->full_threads || blocks < usage->full_blocks)
    weft__counters_small(usage, blocks, threads, kernel);
}

#endif
