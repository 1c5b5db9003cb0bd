// SPDX-License-Identifier: MIT
/// Readings of a device, and who besides this process holds its memory.
#ifndef WEFT_WATCH_MONITOR_H
#define WEFT_WATCH_MONITOR_H

#include <weft/monitor.h>

#include "core/core.h"

/// Adds a process to a reading, or what is new to the one with its PID. False, and it is left out, if the host has no memory; nothing is
/// recorded.
bool weft__monitor_add(weft_monitor_reading *reading, const weft_monitor_process *process);

/// Appends, for a message about running out, how much of the device's memory is used and which other processes hold it: lines that begin
/// with two blanks, none where nothing is known. Records nothing.
void weft__memory_of_others(weft__core *core, weft__text *detail);

#endif
