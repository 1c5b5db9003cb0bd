// SPDX-License-Identifier: MIT
#include "core/profile_clock.h"

#include <string.h>

#include "base/scratch.h"

#define FIRST_WINDOW_NS 100000000u /* doubled when the windows are used up */
#define DRIFT 0.0002               /* upper bound: synchronized clocks drift less */
/* about the time from an enqueue to its start on an idle device, used where only the lower bound is tight */
#define LATENCY_NS 10000

/// Merges windows in pairs.
static void halve(weft__profile_clock *c) {
  for (size_t w = 0; w < WEFT__CLOCK_WINDOWS / 2; w++) {
    size_t a = 2 * w, b = a + 1;
    if (!c->window[a].known) a = b;
    if (c->window[a].known && c->window[b].known) {
      if (c->window[b].low > c->window[a].low) c->window[a].low = c->window[b].low;
      if (c->window[b].high < c->window[a].high) c->window[a].high = c->window[b].high;
    }
    c->window[w] = c->window[a];
  }
  for (size_t w = WEFT__CLOCK_WINDOWS / 2; w < WEFT__CLOCK_WINDOWS; w++) c->window[w].known = false;
  c->window_ns *= 2;
}

void weft__clock_note(weft__profile_clock *c, uint64_t device_start_ns, uint64_t device_end_ns,
                      uint64_t host_enqueue_ns, uint64_t host_done_ns) {
  if (c->window_ns == 0) {
    c->window_ns = FIRST_WINDOW_NS;
    c->first_ns = device_start_ns;
  }
  uint64_t since = device_start_ns > c->first_ns ? device_start_ns - c->first_ns : 0;
  while (since / c->window_ns >= WEFT__CLOCK_WINDOWS) halve(c);
  size_t w = (size_t)(since / c->window_ns);
  int64_t low = (int64_t)(host_enqueue_ns - device_start_ns), high = (int64_t)(host_done_ns - device_end_ns);
  if (!c->window[w].known || low > c->window[w].low) c->window[w].low = low;
  if (!c->window[w].known || high < c->window[w].high) c->window[w].high = high;
  c->window[w].known = true;
}

/// Widens the bounds of the neighbour `from` by the drift and applies them to window `w`.
static void propagate(weft__profile_clock *c, size_t w, size_t from) {
  int64_t slack = (int64_t)(DRIFT * (double)c->window_ns);
  if (!c->window[from].known) return;
  int64_t low = c->window[from].low - slack, high = c->window[from].high + slack;
  if (!c->window[w].known || low > c->window[w].low) c->window[w].low = low;
  if (!c->window[w].known || high < c->window[w].high) c->window[w].high = high;
  c->window[w].known = true;
}

void weft__clock_settle(weft__clock_map *map, const weft__profile_clock *clock) {
  weft__profile_clock *c = weft__scratch_begin(sizeof *c);
  *map = (weft__clock_map){0};
  if (!c) return;
  memcpy(c, clock, sizeof *c);
  map->first_ns = c->first_ns;
  map->window_ns = c->window_ns;
  for (size_t w = 1; w < WEFT__CLOCK_WINDOWS; w++) propagate(c, w, w - 1);
  for (size_t w = WEFT__CLOCK_WINDOWS - 1; w > 0; w--) propagate(c, w - 1, w);
  for (size_t w = 0; w < WEFT__CLOCK_WINDOWS; w++) {
    int64_t half = (c->window[w].high - c->window[w].low) / 2;
    /* the lower bound is tight if the device was idle once; a wait that sleeps sees the end much later than it was */
    map->offset[w] = c->window[w].known ? c->window[w].low + (half < LATENCY_NS ? half : LATENCY_NS) : 0;
  }
  weft__scratch_end(c);
}

uint64_t weft__clock_to_host(const weft__clock_map *map, uint64_t device_ns) {
  if (map->window_ns == 0) return device_ns;
  /* position in windows, where 0 is the middle of the first window */
  double at = ((double)device_ns - (double)map->first_ns) / (double)map->window_ns - 0.5;
  if (at <= 0) return device_ns + (uint64_t)map->offset[0];
  if (at >= WEFT__CLOCK_WINDOWS - 1) return device_ns + (uint64_t)map->offset[WEFT__CLOCK_WINDOWS - 1];
  size_t w = (size_t)at;
  double step = (double)(map->offset[w + 1] - map->offset[w]) * (at - (double)w);
  return device_ns + (uint64_t)(map->offset[w] + (int64_t)step);
}
