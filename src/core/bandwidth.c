// SPDX-License-Identifier: MIT
#include "core/bandwidth.h"

/// Large enough that caches do not hold it, because memory is measured.
static size_t copied_bytes(const weft_device_info *device) {
  uint64_t size = device->type == WEFT_DEVICE_TYPE_CPU ? (uint64_t)32 << 20 : (uint64_t)256 << 20;
  if (size > device->memory_size_bytes / 16) size = device->memory_size_bytes / 16;
  if (size > device->max_allocation_bytes) size = device->max_allocation_bytes;
  return (size_t)size;
}

/// Device time of one copy; 0: the copy failed.
static uint64_t time_copy(weft__cl_queue queue, weft__cl_mem to, weft__cl_mem from, size_t size) {
  weft__cl_event event = NULL;
  uint64_t start = 0, end = 0;
  weft__command copy = {
      .kind = WEFT__COMMAND_COPY, .queue = queue, .event = &event, .mem = to, .from = from, .size_bytes = size};
  int code = weft__driver->enqueue(&copy);
  if (!code) code = weft__driver->finish(queue);
  if (!code) code = weft__driver->event_times(&start, &end, event);
  weft__release(event);
  return !code && end > start ? end - start : 0;
}

uint64_t weft__copy_rate(weft__core *core) {
  enum { RUNS = 4 }; /* the first is a warm-up */
  uint64_t rate = atomic_load(&core->device->copy_rate), best_ns = 0;
  size_t size = copied_bytes(&core->device->info);
  weft__cl_mem buffer[2] = {NULL, NULL};
  weft__cl_queue queue;
  if (rate) return rate;
  int code = weft__driver->queue_create(&queue, core->cl, core->device->id, true);
  for (int i = 0; i < 2 && !code; i++) {
    code = weft__driver->buffer_create(&buffer[i], core->cl, &(weft__buffer_params){.size_bytes = size});
    /* so that the pages are distinct: pages never written may all map to one zero page */
    weft__command fill = {.kind = WEFT__COMMAND_FILL, .queue = queue, .mem = buffer[i], .size_bytes = size, .word = 1};
    if (!code) code = weft__driver->enqueue(&fill);
  }
  for (int run = 0; run < RUNS && !code; run++) {
    uint64_t time_ns = time_copy(queue, buffer[1], buffer[0], size);
    if (run > 0 && time_ns && (!best_ns || time_ns < best_ns)) best_ns = time_ns;
  }
  for (int i = 0; i < 2; i++) weft__release(buffer[i]);
  weft__release(queue);
  if (best_ns) rate = (uint64_t)(2.0 * (double)size / (double)best_ns * 1e9);
  if (best_ns) atomic_store(&core->device->copy_rate, rate);
  return rate;
}
