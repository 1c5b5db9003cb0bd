// SPDX-License-Identifier: MIT
// A shared library that stands for NVIDIA's management library (WEFT_NVML names it) and behaves alike on every machine:
// it has the GPU of the article's nvidia-smi, at any PCI bus id. WEFT_TEST_NVML: "full" (or unset) supports all
// queries, "bare" reports only that the GPU exists, "none" that it does not. WEFT_TEST_NVML_PROCESSES: "PID:BYTES,...";
// "-" for unknown bytes, PID 0 for a hidden process, "G" after the bytes for a process that draws. Compiled with OLD=1,
// it is a library of 2018, which has only the first version of the functions.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7 };

typedef struct process_1 {
  unsigned pid;
  unsigned long long memory;
} process_1;

typedef struct process_2 {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
} process_2;

static int is(const char *mode) {
  const char *wanted = getenv("WEFT_TEST_NVML");
  return strcmp(wanted && *wanted ? wanted : "full", mode) == 0;
}

int nvmlInit_v2(void);
int nvmlSystemGetDriverVersion(char *version, unsigned length);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **device);
int nvmlDeviceGetMemoryInfo(void *device, unsigned long long memory[3]);
int nvmlDeviceGetUtilizationRates(void *device, unsigned rates[2]);
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius);
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts);
int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatts);
int nvmlDeviceGetPowerManagementLimit(void *device, unsigned *milliwatts);
int nvmlDeviceGetFanSpeed(void *device, unsigned *percent);
int nvmlDeviceGetPerformanceState(void *device, int *state);
int nvmlDeviceGetComputeMode(void *device, int *mode);
int nvmlDeviceGetEccMode(void *device, int *current, int *pending);
int nvmlDeviceGetTotalEccErrors(void *device, int type, int counter, unsigned long long *errors);
int nvmlDeviceGetComputeRunningProcesses(void *device, unsigned *count, void *processes);
int nvmlDeviceGetGraphicsRunningProcesses(void *device, unsigned *count, void *processes);
int nvmlDeviceGetComputeRunningProcesses_v2(void *device, unsigned *count, void *processes);
int nvmlDeviceGetGraphicsRunningProcesses_v2(void *device, unsigned *count, void *processes);
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, void *processes);
int nvmlSystemGetProcessName(unsigned pid, char *name, unsigned length);

int nvmlInit_v2(void) {
  return SUCCESS;
}

int nvmlSystemGetDriverVersion(char *version, unsigned length) {
  if (!is("full")) return NOT_SUPPORTED;
  return snprintf(version, length, "455.45.01") < (int)length ? SUCCESS : INSUFFICIENT_SIZE;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **device) {
  static int gpu;
  *device = &gpu;
  return *bus_id && !is("none") ? SUCCESS : NOT_FOUND;
}

int nvmlDeviceGetMemoryInfo(void *device, unsigned long long memory[3]) {
  (void)device;
  memory[0] = 2002ull << 20;
  memory[1] = 1971ull << 20;
  memory[2] = 31ull << 20;
  return is("full") ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetUtilizationRates(void *device, unsigned rates[2]) {
  const char *busy = getenv("WEFT_TEST_NVML_BUSY");
  (void)device;
  rates[0] = busy ? (unsigned)atoi(busy) : 0;
  rates[1] = 0;
  return is("full") ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius) {
  (void)device;
  *celsius = 47;
  return is("full") && sensor == 0 ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts) {
  (void)device;
  *milliwatts = 76543;
  return is("full") ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatts) {
  (void)device, (void)milliwatts;
  return NOT_SUPPORTED; /* as on some laptops: the other limit is then queried */
}

int nvmlDeviceGetPowerManagementLimit(void *device, unsigned *milliwatts) {
  (void)device;
  *milliwatts = 700000;
  return is("full") ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetFanSpeed(void *device, unsigned *percent) {
  (void)device, (void)percent;
  return NOT_SUPPORTED; /* a GPU without its own fan */
}

int nvmlDeviceGetPerformanceState(void *device, int *state) {
  (void)device;
  *state = is("full") ? 0 : 32; /* unknown */
  return SUCCESS;
}

int nvmlDeviceGetComputeMode(void *device, int *mode) {
  (void)device;
  *mode = 3;
  return is("full") ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetEccMode(void *device, int *current, int *pending) {
  (void)device;
  *current = *pending = 1;
  return is("full") ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetTotalEccErrors(void *device, int type, int counter, unsigned long long *errors) {
  (void)device;
  *errors = type == 1 && counter == 0 ? 5 : 999;
  return SUCCESS;
}

/// Lists processes that draw, or those that do not, in entries of version 1 or 2.
static int list(unsigned *count, void *entries, int draws, int version) {
  const char *at = getenv("WEFT_TEST_NVML_PROCESSES");
  unsigned room = *count;
  *count = 0;
  if (is("bare")) return NOT_SUPPORTED;
  while (at && *at) {
    char *end;
    unsigned pid = (unsigned)strtoul(at, &end, 10);
    at = end + 1;
    unsigned long long memory = *at == '-' ? ~0ull : strtoull(at, &end, 10);
    if (*at == '-') end = (char *)at + 1;
    int is_drawing = *end == 'G';
    at = end + is_drawing;
    if (*at) at++;
    if (is_drawing != draws) continue;
    if (*count < room && version == 1) ((process_1 *)entries)[*count] = (process_1){pid, memory};
    if (*count < room && version == 2) ((process_2 *)entries)[*count] = (process_2){pid, memory, ~0u, ~0u};
    ++*count;
  }
  return *count <= room ? SUCCESS : INSUFFICIENT_SIZE;
}

int nvmlDeviceGetComputeRunningProcesses(void *device, unsigned *count, void *processes) {
  (void)device;
  return list(count, processes, 0, 1);
}

int nvmlDeviceGetGraphicsRunningProcesses(void *device, unsigned *count, void *processes) {
  (void)device;
  return list(count, processes, 1, 1);
}

#ifndef OLD
int nvmlDeviceGetComputeRunningProcesses_v2(void *device, unsigned *count, void *processes) {
  (void)device;
  return list(count, processes, 0, 2);
}

int nvmlDeviceGetGraphicsRunningProcesses_v2(void *device, unsigned *count, void *processes) {
  (void)device;
  return list(count, processes, 1, 2);
}

/// As in the drivers that broke this version: all its output is wrong.
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, void *processes) {
  (void)device;
  memset(processes, 0xee, *count * sizeof(process_2));
  return SUCCESS;
}
#endif

int nvmlSystemGetProcessName(unsigned pid, char *name, unsigned length) {
  if (pid != 2000004711) return NOT_FOUND;
  snprintf(name, length, "/usr/bin/python3");
  return SUCCESS;
}
