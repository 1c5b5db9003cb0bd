// SPDX-License-Identifier: MIT
/// The device's clock against the host's. No command is sent for it: one that was profiled cannot have begun before the
/// host enqueued it, nor ended after the host saw it done; each gives two bounds of the distance between the clocks at
/// that moment. The tightest of each window of time are kept, and clocks drift apart slowly, so that a window's bounds
/// hold for its neighbours too, a little widened.
#ifndef WEFT_CORE_PROFILE_CLOCK_H
#define WEFT_CORE_PROFILE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT__CLOCK_WINDOWS 512

/// All zero knows nothing.
typedef struct weft__profile_clock {
  uint64_t first_ns, window_ns; /* of the device; window_ns 0: nothing is known */
  struct {
    bool known;
    int64_t low, high; /* of host - device */
  } window[WEFT__CLOCK_WINDOWS];
} weft__profile_clock;

/// A command that was enqueued at host_enqueue_ns and seen done at host_done_ns.
void weft__clock_note(weft__profile_clock *clock, uint64_t device_start_ns, uint64_t device_end_ns,
                      uint64_t host_enqueue_ns, uint64_t host_done_ns);

/// The same, worked out: how far to move a device time of each window's middle.
typedef struct weft__clock_map {
  uint64_t first_ns, window_ns;
  int64_t offset[WEFT__CLOCK_WINDOWS];
} weft__clock_map;
void weft__clock_settle(weft__clock_map *map, const weft__profile_clock *clock);
/// A device time on the host's clock.
uint64_t weft__clock_to_host(const weft__clock_map *map, uint64_t device_ns);

#endif
