// SPDX-License-Identifier: MIT
/// The parts of `weft devices`.
#ifndef WEFT_CLI_DEVICES_H
#define WEFT_CLI_DEVICES_H

#include "cli/base/probe.h"

/// Measures the copies between the listed devices and prints them. With --device only those from and to listing->used.
/// Returns an exit status.
int devices_links(const cli_args *args, const probe_listing *listing);

#endif
