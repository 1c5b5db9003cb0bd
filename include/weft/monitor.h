// SPDX-License-Identifier: MIT
/// A device's load and the processes that hold its memory, from the system, and the memory of running Weft programs,
/// from the programs themselves. `weft top` shows both.
///
///     weft_monitor_reading reading;
///     rc = weft_monitor_get(&reading, 0);
///     weft_monitor_free(&reading);
///
/// OpenCL has none of these figures: on NVIDIA they come from NVML, by the device's PCI bus id, for a CPU from /proc.
/// Unknown numbers are negative and unknown texts "", never a made-up 0.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_MONITOR_H
#define WEFT_MONITOR_H

#include <weft/device.h>

WEFT_BEGIN_DECLS

/// A process's use of a device, as bits.
enum {
  WEFT_PROCESS_COMPUTE = 1,  /* "C" */
  WEFT_PROCESS_GRAPHICS = 2, /* "G" */
  WEFT_PROCESS_DRIVER = 4,   /* CPU devices: it has an OpenCL driver loaded, whether or not it uses this device */
};

/// A process that uses a device.
typedef struct weft_monitor_process {
  int64_t pid;          /* negative if the system hides it */
  char name[64];        /* of the program, without its folder */
  unsigned type;        /* WEFT_PROCESS_... */
  int64_t memory_bytes; /* of the device; for a CPU device its resident memory */
  bool is_orphan;       /* its parent has ended: process 1's child that does not lead its session */
} weft_monitor_process;

/// Which processes a GPU serves, as its driver is set.
typedef enum weft_compute_mode {
  WEFT_COMPUTE_UNKNOWN = -1,
  WEFT_COMPUTE_DEFAULT,    /* several processes may use the device */
  WEFT_COMPUTE_EXCLUSIVE,  /* one process may use it */
  WEFT_COMPUTE_PROHIBITED, /* no process may use it */
} weft_compute_mode;

/// A device at one moment. Every member except `device` may be unknown.
typedef struct weft_monitor_reading {
  weft_device_info device;
  const char *source;      /* "NVML", "/proc"; "" without a source */
  char driver_version[64]; /* of the GPU's driver; OpenCL's is in `device` */
  int fan_percent;
  int temperature_c;
  int performance_state; /* 0, the fastest, to 15 */
  double power_w, power_cap_w;
  int64_t memory_used_bytes, memory_total_bytes; /* of all processes and the driver; CPU: the machine's */
  int utilisation_percent;                       /* the part of the last second or less with work */
  int ecc_mode;                                  /* 0 off, 1 on */
  int64_t ecc_errors;                            /* uncorrected ones since the driver was loaded */
  weft_compute_mode compute_mode;
  weft_monitor_process *processes; /* the largest memory first */
  int process_count;               /* negative if the list itself is unknown */
  int hidden_processes;            /* processes that may use the device, but that this user may not inspect */
} weft_monitor_reading;

/// Reads device `index` (a number as in weft_device_get) into *reading, whose old content is ignored; free it with
/// weft_monitor_free. Makes no context. Blocks for 0.1 s on a CPU device, to measure its utilisation. An unknown value
/// is no error. WEFT_ERROR_NO_DEVICE: no device has this number. Source: NVML's reference manual; proc(5).
WEFT_API WEFT_NODISCARD weft_status weft_monitor_get(weft_monitor_reading *reading, int index);
/// Frees a reading's content and empties it. NULL and an all-zero reading are allowed.
WEFT_API void weft_monitor_free(weft_monitor_reading *reading);

/// The live memory of one source line.
typedef struct weft_monitor_site {
  char site[128]; /* "main.c:41", with a tag "main.c:41 (weights)"; the end of a longer text */
  uint64_t storages;
  uint64_t size_bytes;
} weft_monitor_site;

#define WEFT_MONITOR_SITES 5 /* lines of a program that a weft_monitor_program has at most */

/// A context's figures, published by its program when WEFT_TOP=1 is in its environment.
typedef struct weft_monitor_program {
  int64_t pid;
  int context;   /* its number in the program, from 0 */
  char name[64]; /* of the program, without its folder */
  char device[128];
  int device_index; /* in the program's own list of devices */
  char pci_bus_id[16];
  uint64_t active_bytes, held_bytes, peak_active_bytes; /* as in weft_memory_stats */
  uint64_t kernel_programs, kernel_bytes; /* OpenCL programs built so far, and the size of their sources */
  uint64_t launches;
  int64_t started_ns; /* Unix time */
  int64_t idle_ns;    /* time without launches, allocations, copies, or much use of a processor */
  bool is_orphan;     /* the process that started it has ended */
  weft_monitor_site sites[WEFT_MONITOR_SITES]; /* the largest first */
  int site_count;
} weft_monitor_program;

/// Lists the published contexts of the user's running Weft programs, by PID; figures are up to 0.5 s old. *programs is
/// one block for weft_free, NULL without contexts. Files of programs that have ended are removed; any other file is
/// skipped.
WEFT_API WEFT_NODISCARD weft_status weft_monitor_get_programs(weft_monitor_program **programs, int *count);

WEFT_END_DECLS

#endif
