// SPDX-License-Identifier: MIT
/// Memory bandwidth, measured with a plain copy.
#ifndef WEFT_CORE_BANDWIDTH_H
#define WEFT_CORE_BANDWIDTH_H

#include <stdint.h>

#include "core/core.h"

/// Bytes per second that the driver's copy of a large buffer on this device reads and writes. Measured once per process
/// and device, with two temporary buffers and a queue. 0 if they do not fit in memory, or on another failure, which is
/// not recorded.
uint64_t weft__copy_rate(weft__core *core);

#endif
