// SPDX-License-Identifier: MIT
/// Contexts whose floats have the same bits on every device. All devices run the kernels' texts for GPUs
/// (weft__store.is_cpu is false), in launches that do not depend on the device where they decide how floats are
/// grouped:
///
/// - no kernel whose blocks exchange values in one launch (weft__has_device_scope is false), no engine
/// - numbers of blocks and sizes of tiles: weft__grouping_units in the place of the device's compute units
/// - one element at a time where a kernel would group the elements of 16 aligned bytes
/// - functions in operations that IEEE 754 fixes, in the place of the device's own (cl/math/fixed.clh)
#ifndef WEFT_CORE_REPRODUCIBLE_H
#define WEFT_CORE_REPRODUCIBLE_H

#include "core/core.h"

/// Sets core->reproducible. Errors: UNSUPPORTED (the device does not round as IEEE 754 asks).
weft_status weft__reproducible_begin(weft__core *core, const weft_context_params *params);

/// The compute units by which work whose parts are added up is divided.
uint64_t weft__grouping_units(const weft__core *core);

#endif
