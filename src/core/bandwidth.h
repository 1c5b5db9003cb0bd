// SPDX-License-Identifier: MIT
/// Memory bandwidth by the vendor's own library, as OpenCL has no query for it.
#ifndef WEFT_CORE_BANDWIDTH_H
#define WEFT_CORE_BANDWIDTH_H

#include <stdint.h>

/// Bytes per second of the NVIDIA GPU on this PCI bus ("0000:1b:00.0"), from NVML: twice the largest memory clock times the bus width. 0
/// where NVML is not there or does not know.
uint64_t weft__nvml_bandwidth(const char *pci_bus_id);

#endif
