// SPDX-License-Identifier: MIT
/// NVIDIA's management library, loaded where it is there: what OpenCL does not tell of a GPU.
#ifndef WEFT_MACHINE_NVML_H
#define WEFT_MACHINE_NVML_H

#include <weft/monitor.h>

/// Bytes per second of the GPU on this PCI bus ("0000:1b:00.0"): twice the largest memory clock times the bus width. 0
/// where NVML is not there or does not know.
uint64_t weft__nvml_bandwidth(const char *pci_bus_id);

/// Fills what NVML knows of the GPU on this PCI bus into a reading that weft__reading_begin made, its processes too.
/// False, and nothing filled in, where there is no NVML or it has no such GPU. *no_memory is set where the host had
/// none for the processes.
bool weft__nvml_read(weft_monitor_reading *reading, const char *pci_bus_id, bool *no_memory);

#endif
