// SPDX-License-Identifier: MIT
/// A reading of a device: how it begins, its list of processes, and who besides this process holds its memory.
#ifndef WEFT_MACHINE_READING_H
#define WEFT_MACHINE_READING_H

#include <weft/monitor.h>

#include "base/text.h"

/// Nothing is known yet.
void weft__reading_begin(weft_monitor_reading *reading, const weft_device_info *device);
/// Adds a process, or what is new to the one with its PID. False, and it is left out, if the host has no memory;
/// nothing is recorded.
bool weft__reading_add(weft_monitor_reading *reading, const weft_monitor_process *process);
/// The processes that hold most come first.
void weft__reading_sort(weft_monitor_reading *reading);

/// Appends, for a message about running out, how much of the device's memory is used and which other processes hold it:
/// lines that begin with two blanks, none where nothing is known. Records nothing.
void weft__memory_of_others(const weft_device_info *device, weft__text *detail);

#endif
