// SPDX-License-Identifier: MIT
/// What a device is doing and who holds its memory, as the system tells it, and what Weft programs tell of themselves.
/// `weft top` shows it.
///
/// OpenCL answers none of this: on NVIDIA it comes from NVML, found by the device's PCI bus id; for a CPU from /proc.
/// What is not known is negative for a number and "" for a text, never a made-up 0.
#ifndef WEFT_MONITOR_H
#define WEFT_MONITOR_H

#include <weft/device.h>

WEFT_BEGIN_DECLS

/// How a process uses the device. Bits: one may do both.
enum {
  WEFT_PROCESS_COMPUTE = 1,  /* "C" */
  WEFT_PROCESS_GRAPHICS = 2, /* "G" */
  WEFT_PROCESS_DRIVER = 4,   /* CPU devices: it has an OpenCL driver loaded, whether or not it uses this device */
};

typedef struct weft_monitor_process {
  int64_t pid;          /* negative where the system hides it */
  char name[64];        /* the program's, without its folder */
  unsigned type;        /* WEFT_PROCESS_... */
  int64_t memory_bytes; /* of the device; for a CPU device all that it has in memory */
  bool is_orphan;       /* it belongs to process 1, in a session that is not its own: what started it has ended */
} weft_monitor_process;

typedef enum weft_compute_mode {
  WEFT_COMPUTE_UNKNOWN = -1,
  WEFT_COMPUTE_DEFAULT,    /* several processes may use the device */
  WEFT_COMPUTE_EXCLUSIVE,  /* one may */
  WEFT_COMPUTE_PROHIBITED, /* none may */
} weft_compute_mode;

/// A device at one moment. Everything but `device` may be unknown.
typedef struct weft_monitor_reading {
  weft_device_info device;
  const char *source;      /* "NVML", "/proc"; "" where nothing can be asked */
  char driver_version[64]; /* the GPU driver's; OpenCL's own is in `device` */
  int fan_percent;
  int temperature_c;
  int performance_state; /* 0, the fastest, to 15 */
  double power_w, power_cap_w;
  int64_t memory_used_bytes, memory_total_bytes; /* by all processes and the driver; for a CPU device the machine's */
  int utilisation_percent;                       /* of the last second or less: how long anything ran on it */
  int ecc_mode;                                  /* 0 off, 1 on */
  int64_t ecc_errors;                            /* those not corrected since the driver was loaded */
  weft_compute_mode compute_mode;
  weft_monitor_process *processes; /* those with most memory first */
  int process_count;               /* negative where the list itself is unknown */
  int hidden_processes;            /* that may use the device, but the system lets this user look no further */
} weft_monitor_reading;

/// Reads device `index` (a number as in weft_device_get). What *reading held is not looked at; weft_monitor_free frees
/// it. Makes no context. Blocks for 0.1 s on a CPU device, the time over which its utilisation is measured. That a
/// value cannot be had is no error.
/// Errors: WEFT_ERROR_NO_DEVICE, WEFT_ERROR_HOST_MEMORY, WEFT_ERROR_ARGUMENT. Thread: any.
/// Source: NVML's reference manual; proc(5).
WEFT_API WEFT_NODISCARD weft_status weft_monitor_get(weft_monitor_reading *reading, int index);
/// Frees what a reading holds and empties it. NULL, and a reading that is all zero, are fine. Thread: any.
WEFT_API void weft_monitor_free(weft_monitor_reading *reading);

/// Live memory that one source line holds.
typedef struct weft_monitor_site {
  char site[128]; /* "main.c:41", with its tag "main.c:41 (weights)"; the end of a longer one */
  uint64_t storages;
  uint64_t size_bytes;
} weft_monitor_site;

#define WEFT_MONITOR_SITES 5

/// What a context of a Weft program says of itself, where WEFT_TOP=1 was in its environment.
typedef struct weft_monitor_program {
  int64_t pid;
  int context;   /* the program's contexts are numbered from 0 */
  char name[64]; /* the program's, without its folder */
  char device[128];
  int device_index; /* in the program's own list of devices */
  char pci_bus_id[16];
  uint64_t active_bytes, held_bytes, peak_active_bytes; /* as in weft_memory_stats */
  uint64_t kernel_programs, kernel_bytes; /* programs built so far, and the size of their sources on the host */
  uint64_t launches;
  int64_t started_ns; /* Unix time */
  int64_t idle_ns; /* for so long nothing was launched, allocated or copied, and the process hardly used a processor */
  bool is_orphan;     /* the process that started it has ended */
  weft_monitor_site sites[WEFT_MONITOR_SITES]; /* the largest first */
  int site_count;
} weft_monitor_program;

/// Lists the contexts of the user's running Weft programs that publish themselves, by PID. *programs is one block for
/// weft_free, NULL when there is none. Figures are up to 0.5 s old. Files of programs that have ended are removed; what
/// is no such file is left out.
/// Errors: WEFT_ERROR_HOST_MEMORY, WEFT_ERROR_ARGUMENT. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_monitor_get_programs(weft_monitor_program **programs, int *count);

WEFT_END_DECLS

#endif
