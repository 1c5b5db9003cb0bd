// SPDX-License-Identifier: MIT
#include "core/counters.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/log.h"

void weft__counters_init(weft__counters *usage, const weft_device_info *device) {
  if (device->type == WEFT_DEVICE_TYPE_CPU)
    usage->full_blocks = device->compute_units;
  else
    usage->full_threads = (uint64_t)device->compute_units * device->max_block_threads;
}

static uint64_t count(_Atomic(uint64_t) *counter, uint64_t more) {
  return atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

static uint64_t value(const _Atomic(uint64_t) *counter) {
  return atomic_load_explicit((_Atomic(uint64_t) *)counter, memory_order_relaxed);
}

void weft__counters_read(weft_usage *read, const weft__counters *usage) {
  *read = (weft_usage){
      .small_launches = value(&usage->small_launches),
      .full_threads = usage->full_threads,
      .full_blocks = usage->full_blocks,
      .builds = value(&usage->builds),
      .build_time_ns = value(&usage->build_time_ns),
      .cached_builds = value(&usage->cached_builds),
      .copies_in = value(&usage->copies_in),
      .copies_in_bytes = value(&usage->copies_in_bytes),
      .copies_back = value(&usage->copies_back),
      .copies_back_bytes = value(&usage->copies_back_bytes),
  };
}

void weft__counters_build(weft__counters *usage, uint64_t time_ns, bool is_cached) {
  count(&usage->builds, 1);
  count(&usage->build_time_ns, time_ns);
  count(&usage->cached_builds, is_cached);
}

void weft__counters_copy_in(weft__counters *usage, uint64_t size_bytes, const char *name) {
  count(&usage->copies_in_bytes, size_bytes);
  if (count(&usage->copies_in, 1) > 0) return;
  weft__log(WEFT_LOG_WARNING,
            "%s (%s) copies %" PRIu64
            " bytes of `%s` from the host to the device for this one call; if the data are used again, call "
            "weft_from_host once before. Further copies in are only counted (weft_usage_get)",
            weft__function(), weft__site(), size_bytes, name);
}

void weft__counters_copy_back(weft__counters *usage, uint64_t size_bytes, const char *name) {
  count(&usage->copies_back_bytes, size_bytes);
  if (count(&usage->copies_back, 1) > 0) return;
  weft__log(WEFT_LOG_WARNING,
            "%s (%s) waits for the device and copies %" PRIu64
            " bytes of `%s` back to the host; keep a result that only the next call needs in an array on the device. "
            "Further copies back are only counted (weft_usage_get)",
            weft__function(), weft__site(), size_bytes, name);
}

void weft__counters_small(weft__counters *usage, uint64_t blocks, uint64_t threads, const char *kernel) {
  if (count(&usage->small_launches, 1) > 0) return;
  bool is_cpu = usage->full_blocks != 0;
  weft__log(WEFT_LOG_WARNING,
            "%s (%s) launches %s with %" PRIu64 " %s%s, and the device has room for %" PRIu64
            " at once: a part of it stays idle, and the launch itself may take longer than the work. More elements in "
            "a call, or several calls made into one, use it better; this little work may be faster on the host. "
            "Further small launches are only counted (weft_usage_get)",
            weft__function(), weft__site(), kernel, is_cpu ? blocks : threads, is_cpu ? "block" : "thread",
            (is_cpu ? blocks : threads) == 1 ? "" : "s", is_cpu ? usage->full_blocks : usage->full_threads);
}
