// SPDX-License-Identifier: MIT
/// A reading of a device: its initial state, its list of processes, and the other processes that hold its memory.
#ifndef WEFT_MACHINE_READING_H
#define WEFT_MACHINE_READING_H

#include <weft/monitor.h>

#include "base/text.h"

/// Sets all figures to unknown.
void weft__reading_begin(weft_monitor_reading *reading, const weft_device_info *device);
/// Adds a process, or merges it with the entry of its PID. Returns false without adding it if the host has no memory.
/// Records no error.
bool weft__reading_add(weft_monitor_reading *reading, const weft_monitor_process *process);
/// Sorts the processes by memory, the largest first.
void weft__reading_sort(weft_monitor_reading *reading);

/// Appends the use of the device's memory and the other processes that hold it, for an out-of-memory error. Appends
/// lines that begin with two blanks, or nothing if nothing is known. Records no error.
void weft__memory_of_others(const weft_device_info *device, weft__text *detail);

#endif
