// SPDX-License-Identifier: MIT
/// Processes and the machine as /proc tells them. Nothing here records an error: what cannot be read is unknown.
#ifndef WEFT_MACHINE_PROC_H
#define WEFT_MACHINE_PROC_H

#include <weft/monitor.h>

/// Of /proc/PID/stat.
typedef struct weft__proc_stat {
  int64_t parent, session;
  uint64_t start_ticks; /* since the machine started: distinguishes two processes that had the same PID */
} weft__proc_stat;

/// False where there is no such process, or the system hides it.
bool weft__proc_stat_read(weft__proc_stat *stat, int64_t pid);
/// Fills in the name, and whether it is an orphan, of the process with this pid. False as above.
bool weft__proc_describe(weft_monitor_process *process);
/// The last part of a path, as much as fits.
void weft__proc_short_name(char *name, size_t room, const char *path);
/// Which processes a PID is counted among: a container has its own numbers. 0 where that cannot be had.
uint64_t weft__proc_namespace(void);

/// All memory, and what new work could have of it.
bool weft__proc_memory(int64_t *total_bytes, int64_t *available_bytes);
/// Memory, utilisation (over 0.1 s, for which it sleeps) and temperature of the machine's processors.
void weft__proc_read_machine(weft_monitor_reading *reading);
/// Adds the processes that have the shared library `library` ("libpocl") mapped. *no_memory is set where the host had
/// none for them.
void weft__proc_find_users(weft_monitor_reading *reading, const char *library, bool *no_memory);

#endif
