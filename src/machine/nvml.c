// SPDX-License-Identifier: MIT
#include "machine/nvml.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/secure.h"
#include "machine/proc.h"
#include "machine/reading.h"

/// Constants and structures of NVML. Source: NVML API Reference Manual, and nvml.h.
enum {
  SUCCESS = 0,
  INSUFFICIENT_SIZE = 7,
  CLOCK_MEMORY = 2,
  SENSOR_GPU = 0,
  UNCORRECTED = 1,
  SINCE_LOAD = 0,
  NOT_THERE = -1
};

typedef struct nvml_memory {
  unsigned long long total, free, used;
} nvml_memory;

typedef struct nvml_utilization {
  unsigned gpu, memory;
} nvml_utilization;

/// A process entry of the version 1 functions, and of version 2 and later. Drivers 535.43 to 535.86 have another layout
/// for version 3, so version 2 is tried first (source: nvitop, pull request 89).
typedef struct nvml_process_1 {
  unsigned pid;
  unsigned long long memory;
} nvml_process_1;

typedef struct nvml_process_2 {
  unsigned pid;
  unsigned long long memory; /* all ones: unknown */
  unsigned gpu_instance, compute_instance;
} nvml_process_2;

typedef void *device_handle;
typedef int list_processes(device_handle, unsigned *, void *);

/// NVML's functions; NULL if this NVML does not have the function.
typedef struct functions {
  int (*init)(void);
  int (*driver_version)(char *, unsigned);
  int (*handle)(const char *, device_handle *);
  int (*bus_width)(device_handle, unsigned *);
  int (*max_clock)(device_handle, int, unsigned *);
  int (*memory)(device_handle, nvml_memory *);
  int (*utilization)(device_handle, nvml_utilization *);
  int (*temperature)(device_handle, int, unsigned *);
  int (*power)(device_handle, unsigned *);
  int (*enforced_power_limit)(device_handle, unsigned *);
  int (*power_limit)(device_handle, unsigned *);
  int (*fan)(device_handle, unsigned *);
  int (*performance_state)(device_handle, int *);
  int (*compute_mode)(device_handle, int *);
  int (*ecc_mode)(device_handle, int *, int *);
  int (*ecc_errors)(device_handle, int, int, unsigned long long *);
  int (*process_name)(unsigned, char *, unsigned);
  list_processes *compute_2, *compute_3, *compute_1;
  list_processes *graphics_2, *graphics_3, *graphics_1;
} functions;

/// dlsym returns an object pointer, which POSIX allows to be read as a function pointer.
#define SYMBOL(library, function, name) (*(void **)(&(function)) = dlsym(library, name))

static pthread_once_t once = PTHREAD_ONCE_INIT;
static functions nvml;
static bool is_there; /* nvml is loaded and initialised until the process ends */

static void load(void) {
  const char *chosen = weft__environment_text(WEFT__ENV_NVML);
  void *library;
  if (chosen) {
    library = strcmp(chosen, "off") == 0 ? NULL : weft__library_open(chosen, RTLD_NOW | RTLD_LOCAL);
  } else {
    library = weft__library_open("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) library = weft__library_open("libnvidia-ml.so", RTLD_NOW | RTLD_LOCAL);
  }
  if (!library) return;
  SYMBOL(library, nvml.init, "nvmlInit_v2");
  SYMBOL(library, nvml.driver_version, "nvmlSystemGetDriverVersion");
  SYMBOL(library, nvml.handle, "nvmlDeviceGetHandleByPciBusId_v2");
  SYMBOL(library, nvml.bus_width, "nvmlDeviceGetMemoryBusWidth");
  SYMBOL(library, nvml.max_clock, "nvmlDeviceGetMaxClockInfo");
  SYMBOL(library, nvml.memory, "nvmlDeviceGetMemoryInfo");
  SYMBOL(library, nvml.utilization, "nvmlDeviceGetUtilizationRates");
  SYMBOL(library, nvml.temperature, "nvmlDeviceGetTemperature");
  SYMBOL(library, nvml.power, "nvmlDeviceGetPowerUsage");
  SYMBOL(library, nvml.enforced_power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  SYMBOL(library, nvml.power_limit, "nvmlDeviceGetPowerManagementLimit");
  SYMBOL(library, nvml.fan, "nvmlDeviceGetFanSpeed");
  SYMBOL(library, nvml.performance_state, "nvmlDeviceGetPerformanceState");
  SYMBOL(library, nvml.compute_mode, "nvmlDeviceGetComputeMode");
  SYMBOL(library, nvml.ecc_mode, "nvmlDeviceGetEccMode");
  SYMBOL(library, nvml.ecc_errors, "nvmlDeviceGetTotalEccErrors");
  SYMBOL(library, nvml.process_name, "nvmlSystemGetProcessName");
  SYMBOL(library, nvml.compute_1, "nvmlDeviceGetComputeRunningProcesses");
  SYMBOL(library, nvml.compute_2, "nvmlDeviceGetComputeRunningProcesses_v2");
  SYMBOL(library, nvml.compute_3, "nvmlDeviceGetComputeRunningProcesses_v3");
  SYMBOL(library, nvml.graphics_1, "nvmlDeviceGetGraphicsRunningProcesses");
  SYMBOL(library, nvml.graphics_2, "nvmlDeviceGetGraphicsRunningProcesses_v2");
  SYMBOL(library, nvml.graphics_3, "nvmlDeviceGetGraphicsRunningProcesses_v3");
  is_there = nvml.init && nvml.handle && nvml.init() == SUCCESS;
  if (!is_there) dlclose(library);
}

static bool find(device_handle *handle, const char *pci_bus_id) {
  pthread_once(&once, load);
  return is_there && pci_bus_id[0] && nvml.handle(pci_bus_id, handle) == SUCCESS;
}

uint64_t weft__nvml_bandwidth(const char *pci_bus_id) {
  device_handle handle;
  unsigned width_bits = 0, clock_mhz = 0;
  if (!find(&handle, pci_bus_id) || !nvml.bus_width || !nvml.max_clock ||
      nvml.bus_width(handle, &width_bits) != SUCCESS || nvml.max_clock(handle, CLOCK_MEMORY, &clock_mhz) != SUCCESS)
    return 0;
  return 2ull * clock_mhz * 1000000ull * (width_bits / 8);
}

/// The scaled value of a function that returns one unsigned number; -1 if it fails.
static double ask(int (*function)(device_handle, unsigned *), device_handle handle, double scale) {
  unsigned value;
  return function && function(handle, &value) == SUCCESS ? value * scale : NOT_THERE;
}

static void read_figures(weft_monitor_reading *r, device_handle handle) {
  nvml_memory memory;
  nvml_utilization utilization;
  unsigned celsius;
  int value, pending;
  unsigned long long errors;
  if (!nvml.driver_version || nvml.driver_version(r->driver_version, sizeof r->driver_version) != SUCCESS)
    r->driver_version[0] = 0;
  if (nvml.memory && nvml.memory(handle, &memory) == SUCCESS) {
    r->memory_used_bytes = (int64_t)memory.used;
    r->memory_total_bytes = (int64_t)memory.total;
  }
  if (nvml.utilization && nvml.utilization(handle, &utilization) == SUCCESS)
    r->utilisation_percent = (int)utilization.gpu;
  if (nvml.temperature && nvml.temperature(handle, SENSOR_GPU, &celsius) == SUCCESS) r->temperature_c = (int)celsius;
  r->power_w = ask(nvml.power, handle, 1e-3);
  r->power_cap_w = ask(nvml.enforced_power_limit, handle, 1e-3);
  if (r->power_cap_w < 0) r->power_cap_w = ask(nvml.power_limit, handle, 1e-3);
  r->fan_percent = (int)ask(nvml.fan, handle, 1);
  if (nvml.performance_state && nvml.performance_state(handle, &value) == SUCCESS && value >= 0 && value <= 15)
    r->performance_state = value;
  if (nvml.ecc_mode && nvml.ecc_mode(handle, &value, &pending) == SUCCESS) r->ecc_mode = value != 0;
  if (r->ecc_mode == 1 && nvml.ecc_errors && nvml.ecc_errors(handle, UNCORRECTED, SINCE_LOAD, &errors) == SUCCESS)
    r->ecc_errors = (int64_t)errors;
  if (nvml.compute_mode && nvml.compute_mode(handle, &value) == SUCCESS) {
    static const weft_compute_mode modes[] = {WEFT_COMPUTE_DEFAULT, WEFT_COMPUTE_EXCLUSIVE, WEFT_COMPUTE_PROHIBITED,
                                              WEFT_COMPUTE_EXCLUSIVE};
    if (value >= 0 && value < (int)(sizeof modes / sizeof *modes)) r->compute_mode = modes[value];
  }
}

static void add(weft_monitor_reading *reading, unsigned pid, unsigned long long memory, unsigned type,
                bool *no_memory) {
  /* processes outside the container are listed with PID 0 */
  weft_monitor_process process = {.pid = pid ? (int64_t)pid : NOT_THERE, .type = type};
  char path[256];
  process.memory_bytes = memory > INT64_MAX ? NOT_THERE : (int64_t)memory;
  if (pid && !weft__proc_describe(&process) && nvml.process_name &&
      nvml.process_name(pid, path, sizeof path) == SUCCESS) {
    path[sizeof path - 1] = 0;
    weft__proc_short_name(process.name, sizeof process.name, path);
  }
  if (!weft__reading_add(reading, &process)) *no_memory = true;
}

/// Adds the processes of one list. Returns false if the list cannot be read.
static bool read_processes(weft_monitor_reading *reading, device_handle handle, list_processes *list, size_t size,
                           unsigned type, bool *no_memory) {
  unsigned room = 64, count = 0;
  int answer = INSUFFICIENT_SIZE;
  char *entries = NULL;
  /* processes may start between two calls, so each call has more room than the last count */
  for (int i = 0; i < 4 && answer == INSUFFICIENT_SIZE; i++) {
    free(entries);
    /* room to spare for a driver whose entries are larger than the manual's */
    entries = malloc(room * 2 * sizeof(nvml_process_2));
    if (!entries) {
      *no_memory = true;
      return false;
    }
    count = room;
    answer = list(handle, &count, entries);
    room = count + 64;
  }
  for (unsigned i = 0; i < count && answer == SUCCESS; i++) {
    nvml_process_1 p; /* the common beginning of both layouts */
    memcpy(&p, entries + i * size, sizeof p);
    add(reading, p.pid, p.memory, type, no_memory);
  }
  free(entries);
  return answer == SUCCESS;
}

bool weft__nvml_read(weft_monitor_reading *reading, const char *pci_bus_id, bool *no_memory) {
  device_handle handle;
  if (!find(&handle, pci_bus_id)) return false;
  reading->source = "NVML";
  read_figures(reading, handle);
  list_processes *compute = nvml.compute_2 ? nvml.compute_2 : nvml.compute_3 ? nvml.compute_3 : nvml.compute_1;
  list_processes *graphics = nvml.graphics_2 ? nvml.graphics_2 : nvml.graphics_3 ? nvml.graphics_3 : nvml.graphics_1;
  size_t compute_size = compute == nvml.compute_1 ? sizeof(nvml_process_1) : sizeof(nvml_process_2);
  size_t graphics_size = graphics == nvml.graphics_1 ? sizeof(nvml_process_1) : sizeof(nvml_process_2);
  bool listed = false;
  if (compute) listed = read_processes(reading, handle, compute, compute_size, WEFT_PROCESS_COMPUTE, no_memory);
  /* GPUs without a display may not list graphics processes; the compute list is enough then */
  if (graphics) read_processes(reading, handle, graphics, graphics_size, WEFT_PROCESS_GRAPHICS, no_memory);
  if (listed && reading->process_count < 0) reading->process_count = 0;
  return true;
}
