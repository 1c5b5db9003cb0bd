// SPDX-License-Identifier: MIT
/// Small programs that together call every public function of Weft, for fault injection. Each returns 0, 1 when Weft answered an error, or
/// FAULT_BROKEN when what Weft did was not what it promised; each releases what it made on every path.
#ifndef FAULT_PROGRAMS_H
#define FAULT_PROGRAMS_H

#include "fault_run.h"

int program_devices(int argc, char **argv);
int program_arrays(int argc, char **argv);
int program_dtypes(int argc, char **argv);
int program_views(int argc, char **argv);
int program_print(int argc, char **argv);
int program_kernels(int argc, char **argv);
int program_build_error(int argc, char **argv);
int program_streams(int argc, char **argv);
int program_introspect(int argc, char **argv);
int program_adopt(int argc, char **argv);
int program_memory(int argc, char **argv);
int program_default(int argc, char **argv);

#define FAULT_PROGRAM(name) \
  { #name, program_##name, {NULL }, true }
#define FAULT_PROGRAMS                                                                                                             \
  FAULT_PROGRAM(devices), FAULT_PROGRAM(arrays), FAULT_PROGRAM(dtypes), FAULT_PROGRAM(views), FAULT_PROGRAM(print),                \
      FAULT_PROGRAM(kernels), FAULT_PROGRAM(build_error), FAULT_PROGRAM(streams), FAULT_PROGRAM(introspect), FAULT_PROGRAM(adopt), \
      FAULT_PROGRAM(memory), FAULT_PROGRAM(default)

/* A program begins with `int status = 0;` and ends with the label `done`, where it releases everything and returns `status`. */

/// Calls Weft; an error leads to `done` with status 1.
#define TRY(call)            \
  do {                       \
    if ((call) != WEFT_OK) { \
      status = 1;            \
      goto done;             \
    }                        \
  } while (0)
/// The same for a call that makes *pointer: it must have made something, or left NULL.
#define MAKE(pointer, call)                           \
  do {                                                \
    weft_status made_ = (call);                       \
    KEPT((*(pointer) != NULL) == (made_ == WEFT_OK)); \
    TRY(made_);                                       \
  } while (0)
/// What must hold, failures or not.
#define KEPT(condition)                                                              \
  do {                                                                               \
    if (!(condition)) {                                                              \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      status = FAULT_BROKEN;                                                         \
      goto done;                                                                     \
    }                                                                                \
  } while (0)

#endif
