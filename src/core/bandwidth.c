// SPDX-License-Identifier: MIT
#include "core/bandwidth.h"

#include <dlfcn.h>
#include <stddef.h>

/// NVML's numbers (nvml.h): NVML_SUCCESS and NVML_CLOCK_MEM.
enum { SUCCESS = 0, CLOCK_MEMORY = 2 };

/// dlsym returns an object pointer; POSIX allows it to be read as a function's.
#define SYMBOL(library, function, name) (*(void **)(&(function)) = dlsym(library, name))

uint64_t weft__nvml_bandwidth(const char *pci_bus_id) {
  int (*init)(void) = NULL;
  int (*shutdown)(void) = NULL;
  int (*get_handle)(const char *, void **) = NULL;
  int (*get_width)(void *, unsigned *) = NULL;
  int (*get_clock)(void *, int, unsigned *) = NULL;
  uint64_t bandwidth = 0;
  void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
  SYMBOL(library, init, "nvmlInit_v2");
  SYMBOL(library, shutdown, "nvmlShutdown");
  SYMBOL(library, get_handle, "nvmlDeviceGetHandleByPciBusId_v2");
  SYMBOL(library, get_width, "nvmlDeviceGetMemoryBusWidth");
  SYMBOL(library, get_clock, "nvmlDeviceGetMaxClockInfo");
  if (!init || !shutdown || !get_handle || !get_width || !get_clock || init() != SUCCESS) goto done;
  void *handle = NULL;
  unsigned width_bits = 0, clock_mhz = 0;
  if (get_handle(pci_bus_id, &handle) == SUCCESS && get_width(handle, &width_bits) == SUCCESS &&
      get_clock(handle, CLOCK_MEMORY, &clock_mhz) == SUCCESS)
    bandwidth = 2ull * clock_mhz * 1000000ull * (width_bits / 8);
  shutdown();
done:
  dlclose(library);
  return bandwidth;
}
