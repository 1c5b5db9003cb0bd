// SPDX-License-Identifier: MIT
/// Memory bandwidth, for which OpenCL has no query: by the vendor's own library, and as a plain copy has it.
#ifndef WEFT_CORE_BANDWIDTH_H
#define WEFT_CORE_BANDWIDTH_H

#include <stdint.h>

#include "core/core.h"

/// Bytes per second of the NVIDIA GPU on this PCI bus ("0000:1b:00.0"), from NVML: twice the largest memory clock times the bus width. 0
/// where NVML is not there or does not know.
uint64_t weft__nvml_bandwidth(const char *pci_bus_id);

/// Bytes per second that the driver's copy of a large buffer on this device reads and writes, measured once per process and device: it takes
/// two buffers for that time, and a queue of its own. 0 where there was no room for them, or another failure: nothing is recorded.
uint64_t weft__copy_rate(weft__core *core);

#endif
