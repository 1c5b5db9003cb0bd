// SPDX-License-Identifier: MIT
/// Relates the device's clock to the host's without sending commands. A profiled command cannot begin before the host
/// enqueued it, nor end after the host saw it done. So each command gives a lower and an upper bound of the difference
/// between the clocks at that moment. The tightest bounds of each window of time are kept. Clocks drift slowly, so a
/// window's bounds, widened a little, also hold for its neighbours.
#ifndef WEFT_CORE_PROFILE_CLOCK_H
#define WEFT_CORE_PROFILE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT__CLOCK_WINDOWS 512

/// All zero: no bounds are known.
typedef struct weft__profile_clock {
  uint64_t first_ns, window_ns; /* on the device's clock; window_ns 0: no bounds are known */
  struct {
    bool known;
    int64_t low, high; /* of host time - device time */
  } window[WEFT__CLOCK_WINDOWS];
} weft__profile_clock;

/// A command that was enqueued at host_enqueue_ns and seen done at host_done_ns.
void weft__clock_note(weft__profile_clock *clock, uint64_t device_start_ns, uint64_t device_end_ns,
                      uint64_t host_enqueue_ns, uint64_t host_done_ns);

/// The settled clock: the offset from device time to host time at the middle of each window.
typedef struct weft__clock_map {
  uint64_t first_ns, window_ns;
  int64_t offset[WEFT__CLOCK_WINDOWS];
} weft__clock_map;
void weft__clock_settle(weft__clock_map *map, const weft__profile_clock *clock);
/// Converts a device time to the host's clock.
uint64_t weft__clock_to_host(const weft__clock_map *map, uint64_t device_ns);

#endif
