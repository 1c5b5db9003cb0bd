// SPDX-License-Identifier: MIT
/// WEFT_ASSERT in users' kernels (cl/weft/assert.clh): launches pass the parameters of WEFT_ASSERTS, and the next wait
/// reports the first condition that did not hold.
#ifndef WEFT_KERNEL_ASSERT_H
#define WEFT_KERNEL_ASSERT_H

#include "kernel/kernel.h"

#define WEFT__ASSERT_PARAMETERS 2

/// Whether the kernel's last parameters are WEFT_ASSERTS: by their names, or by the source if the driver does
/// not report names.
bool weft__kernel_asserts(const weft__kernel *kernel, bool has_arg_info);

/// weft__launch of a kernel that may have these parameters; sets their values. Errors: as for weft__launch,
/// UNSUPPORTED (too many launches at the same time).
weft_status weft__launch_asserting(weft__kernel *kernel, weft__value *values, const int *parameter,
                                   weft__submission *launch);

/// The weft__deferred_tell of these launches.
weft_status weft__assert_tell(const struct weft__deferred_check *check, uint64_t position, uint64_t index);

#endif
