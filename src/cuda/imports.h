// SPDX-License-Identifier: MIT
/// The largest memory of CUDA's that OpenCL imports on this machine (quirk small_imports). Importing more may kill the
/// process, so it is tried in a child process (`weft doctor`), with WEFT_QUIRKS=large_imports. That it works is
/// remembered in a file of the user's cache folder, for this machine, its driver and its number of GPUs.
#ifndef WEFT_CUDA_IMPORTS_H
#define WEFT_CUDA_IMPORTS_H

#include "core/core.h"

/// The largest size that works with the quirk.
#define WEFT__SMALL_IMPORT_BYTES ((uint64_t)510 << 20)

/// UINT64_MAX: no limit.
uint64_t weft__imports_most_bytes(const weft__core *core);
/// To be called after memory of this size was imported and used.
void weft__imports_remember(const weft__core *core, uint64_t size_bytes);

#endif
