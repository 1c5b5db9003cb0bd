// SPDX-License-Identifier: MIT
#include "machine/reading.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "machine/nvml.h"
#include "machine/proc.h"

void weft__reading_begin(weft_monitor_reading *reading, const weft_device_info *device) {
  *reading = (weft_monitor_reading){
      .device = *device,
      .source = "",
      .fan_percent = -1,
      .temperature_c = -1,
      .performance_state = -1,
      .power_w = -1,
      .power_cap_w = -1,
      .memory_used_bytes = -1,
      .memory_total_bytes = -1,
      .utilisation_percent = -1,
      .ecc_mode = -1,
      .ecc_errors = -1,
      .compute_mode = WEFT_COMPUTE_UNKNOWN,
      .process_count = -1,
  };
}

bool weft__reading_add(weft_monitor_reading *reading, const weft_monitor_process *process) {
  int count = reading->process_count < 0 ? 0 : reading->process_count;
  for (int i = 0; i < count && process->pid >= 0; i++) {
    weft_monitor_process *known = &reading->processes[i];
    if (known->pid != process->pid) continue;
    known->type |= process->type;
    if (process->memory_bytes > known->memory_bytes) known->memory_bytes = process->memory_bytes;
    return true;
  }
  /* the capacity is a power of two: a full one is doubled */
  if ((count & (count - 1)) == 0) {
    weft_monitor_process *larger = realloc(reading->processes, (count ? 2 * (size_t)count : 1) * sizeof *larger);
    if (!larger) return false;
    reading->processes = larger;
  }
  reading->processes[count] = *process;
  reading->process_count = count + 1;
  return true;
}

static int by_memory(const void *a, const void *b) {
  const weft_monitor_process *x = a, *y = b;
  if (x->memory_bytes != y->memory_bytes) return x->memory_bytes > y->memory_bytes ? -1 : 1;
  return (x->pid > y->pid) - (x->pid < y->pid);
}

void weft__reading_sort(weft_monitor_reading *reading) {
  if (reading->process_count > 1)
    qsort(reading->processes, (size_t)reading->process_count, sizeof *reading->processes, by_memory);
}

/* ---- detail of the out-of-memory error ---- */

static void add_process(weft__text *text, const weft_monitor_process *p) {
  if (p->pid >= 0)
    weft__text_add(text, "%" PRId64 " %s (", p->pid, p->name[0] ? p->name : "unknown");
  else
    weft__text_add(text, "a process hidden by the system (");
  if (p->memory_bytes >= 0)
    weft__text_add_size(text, (uint64_t)p->memory_bytes);
  else
    weft__text_add(text, "unknown");
  weft__text_add(text, ")");
}

/// Appends the other processes: "  other processes hold 70.1 GiB: 4711 python3 (70.0 GiB), 4712 unknown (unknown)".
static void add_others(weft__text *text, const weft_monitor_reading *reading) {
  enum { MOST = 8 };
  int64_t own = -1, sum = 0, self = getpid();
  int others = 0, named = 0;
  for (int i = 0; i < reading->process_count; i++) {
    const weft_monitor_process *p = &reading->processes[i];
    if (p->pid == self) {
      own = i;
    } else {
      others++;
      if (p->memory_bytes > 0) sum += p->memory_bytes;
    }
  }
  if (others == 0) return;
  /* in another PID namespace the own process cannot be recognised */
  weft__text_add(text, own >= 0 ? "  other processes hold " : "  processes, this one among them, hold ");
  weft__text_add_size(text, (uint64_t)sum);
  for (int i = 0; i < reading->process_count && named < MOST; i++) {
    if (i == own) continue;
    weft__text_add(text, named++ ? ", " : ": ");
    add_process(text, &reading->processes[i]);
  }
  if (others > named) weft__text_add(text, " and %d more", others - named);
  weft__text_add(text, "\n");
}

void weft__memory_of_others(const weft_device_info *device, weft__text *detail) {
  weft_monitor_reading reading;
  bool no_memory = false; /* fewer processes are named then */
  int64_t total, available;
  weft__reading_begin(&reading, device);
  if (weft__nvml_read(&reading, device->pci_bus_id, &no_memory)) {
    weft__reading_sort(&reading);
    if (reading.memory_used_bytes >= 0) {
      weft__text_add(detail, "  of the device's ");
      weft__text_add_size(detail, (uint64_t)reading.memory_total_bytes);
      weft__text_add(detail, " all processes and the driver use ");
      weft__text_add_size(detail, (uint64_t)reading.memory_used_bytes);
      weft__text_add(detail, "\n");
    }
    add_others(detail, &reading);
  } else if (device->type == WEFT_DEVICE_TYPE_CPU && weft__proc_memory(&total, &available)) {
    weft__text_add(detail, "  of the host's ");
    weft__text_add_size(detail, (uint64_t)total);
    weft__text_add(detail, " all processes use ");
    weft__text_add_size(detail, (uint64_t)(total - available));
    weft__text_add(detail, "\n");
  }
  free(reading.processes);
}
