// SPDX-License-Identifier: MIT
/// Memory bandwidth as a plain copy has it.
#ifndef WEFT_CORE_BANDWIDTH_H
#define WEFT_CORE_BANDWIDTH_H

#include <stdint.h>

#include "core/core.h"

/// Bytes per second that the driver's copy of a large buffer on this device reads and writes, measured once per process
/// and device: it takes two buffers for that time, and a queue of its own. 0 where there was no room for them, or
/// another failure: nothing is recorded.
uint64_t weft__copy_rate(weft__core *core);

#endif
