// SPDX-License-Identifier: MIT
/// Processes and the machine, read from /proc. Nothing here records an error: what cannot be read is unknown.
#ifndef WEFT_MACHINE_PROC_H
#define WEFT_MACHINE_PROC_H

#include <weft/monitor.h>

/// Fields of /proc/PID/stat.
typedef struct weft__proc_stat {
  int64_t parent, session;
  uint64_t start_ticks; /* since boot; distinguishes two processes that had the same PID */
} weft__proc_stat;

/// Returns false if the process does not exist or is hidden by the system.
bool weft__proc_stat_read(weft__proc_stat *stat, int64_t pid);
/// Fills in the name of the process with this pid, and whether it is an orphan. Returns false like
/// weft__proc_stat_read.
bool weft__proc_describe(weft_monitor_process *process);
/// Copies the last part of a path, truncated to fit.
void weft__proc_short_name(char *name, size_t room, const char *path);
/// The id of this process's PID namespace (a container has its own PIDs); 0 if it is unknown.
uint64_t weft__proc_namespace(void);

/// The total memory, and the memory available to new work.
bool weft__proc_memory(int64_t *total_bytes, int64_t *available_bytes);
/// Adds memory, utilisation (measured over 0.1 s of sleep) and temperature of the machine's processors.
void weft__proc_read_machine(weft_monitor_reading *reading);
/// Adds the processes that have the shared library `library` ("libpocl") mapped. Sets *no_memory if the host had no
/// memory for them.
void weft__proc_find_users(weft_monitor_reading *reading, const char *library, bool *no_memory);

#endif
