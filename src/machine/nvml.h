// SPDX-License-Identifier: MIT
/// NVIDIA's management library, loaded if it is installed: figures of a GPU that OpenCL does not report.
#ifndef WEFT_MACHINE_NVML_H
#define WEFT_MACHINE_NVML_H

#include <weft/monitor.h>

/// Memory bandwidth in bytes per second of the GPU at this PCI bus id ("0000:1b:00.0"): twice the largest memory clock
/// times the bus width. 0 if it is unknown or NVML is not installed.
uint64_t weft__nvml_bandwidth(const char *pci_bus_id);

/// Adds NVML's figures of the GPU at this PCI bus id, and its processes, to a reading made by weft__reading_begin.
/// Returns false and changes nothing if NVML is not installed or does not have the GPU. Sets *no_memory if the host had
/// no memory for the processes.
bool weft__nvml_read(weft_monitor_reading *reading, const char *pci_bus_id, bool *no_memory);

#endif
