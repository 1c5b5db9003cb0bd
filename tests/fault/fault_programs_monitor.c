// SPDX-License-Identifier: MIT
// The program about monitoring: readings, and a context that publishes itself.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/weft.h>

#include "fault_programs.h"

int program_monitored(int argc, char **argv) {
  char folder[] = "/tmp/fault_monitor_XXXXXX", inside[64];
  int status = 0, count = 0, index = 0;
  weft_context *context = NULL;
  weft_array *x = NULL;
  weft_monitor_program *programs = NULL;
  weft_monitor_reading reading = {0};
  (void)argc, (void)argv;

  if (mkdtemp(folder) == NULL) return FAULT_BROKEN;
  snprintf(inside, sizeof inside, "%s/weft", folder);
  setenv("XDG_RUNTIME_DIR", folder, 1);
  setenv("WEFT_TOP", "1", 1);
  MAKE(&context, weft_context_create(&context, NULL));
  fault_mark();
  MAKE(&x, weft_zeros(&x, context, WEFT_F32, WEFT_SHAPE(100)));
  TRY(weft_selected_device(&index));
  TRY(weft_monitor_read(&reading, index));
  KEPT(reading.device.index == index && reading.memory_total_bytes > 0);
  TRY(weft_monitor_programs(&programs, &count));
  KEPT(count == 0 || programs[0].pid == getpid());
  weft_array_release(&x);
  TRY(weft_context_close(&context));

done:
  fault_leave();
  weft_monitor_free(&reading);
  weft_free(programs);
  weft_array_release(&x);
  weft_context_release(&context);
  unsetenv("WEFT_TOP");
  rmdir(inside);
  rmdir(folder);
  return status;
}
