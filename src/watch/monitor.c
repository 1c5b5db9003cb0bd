// SPDX-License-Identifier: MIT
/// Readings of a device, for programs.
#include <weft/monitor.h>

#include <stdlib.h>
#include <string.h>

#include "base/object.h"
#include "machine/nvml.h"
#include "machine/proc.h"
#include "machine/reading.h"

/// The library that processes using this platform's CPU devices have mapped. Platforms other than PoCL are not
/// distinguished.
static const char *library_of(const weft_device_info *device) {
  return strstr(device->platform, "Portable Computing Language") ? "/libpocl" : "/libOpenCL.so";
}

weft_status weft_monitor_get(weft_monitor_reading *reading, int index) {
  weft_device_info device;
  bool no_memory = false;
  weft_status rc;
  weft__enter("weft_monitor_get", NULL);
  WEFT__NEED(reading);
  *reading = (weft_monitor_reading){0};
  WEFT__TRY(weft_device_get(&device, index));
  weft__reading_begin(reading, &device);
  if (!weft__nvml_read(reading, device.pci_bus_id, &no_memory) && device.type == WEFT_DEVICE_TYPE_CPU) {
    reading->source = "/proc";
    weft__proc_read_machine(reading);
    weft__proc_find_users(reading, library_of(&device), &no_memory);
  }
  if (reading->memory_total_bytes < 0) reading->memory_total_bytes = (int64_t)device.memory_size_bytes;
  weft__reading_sort(reading);
  if (no_memory) {
    weft_monitor_free(reading);
    rc = weft__fail_host_memory(sizeof *reading->processes);
  }
done:
  return weft__leave(rc);
}

void weft_monitor_free(weft_monitor_reading *reading) {
  if (!reading) return;
  free(reading->processes);
  *reading = (weft_monitor_reading){0};
}
