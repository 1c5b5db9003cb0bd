// SPDX-License-Identifier: MIT
/// Runs a program once for each thing it asks for, with that one refused: every call of the driver (fault_driver.h), or
/// every block of host memory (fault_heap.h). Each run must end with a failure that has a status and a text, with
/// nothing left alive, or succeed as if nothing had been.
///
/// A run is in a child process. The parent makes no OpenCL call, so that a driver starts afresh in each child. What
/// only the first use in a process asks for (listing the devices) is refused in a process of its own for each; the rest
/// one after the other in one process, and a run that crashes is named and costs no more than its process.
#ifndef FAULT_RUN_H
#define FAULT_RUN_H

#include <stdbool.h>
#include <stdio.h>

#include "fault_heap.h"

#define FAULT_MAX_ARGUMENTS 16
/// A program's exit status when Weft broke a promise (a result that is wrong, a pointer that was touched); why is on
/// stderr.
#define FAULT_BROKEN 9

typedef struct fault_program {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *arguments[FAULT_MAX_ARGUMENTS]; /* after the name; NULL ends them */
  bool is_silent;                             /* says nothing on stderr when it fails */
  bool from_mark;                             /* only what it asks for after its fault_mark() is refused */
} fault_program;

/// A call whose failure a program may survive, and the reason. `program` NULL: all.
typedef struct fault_survivor {
  const char *function;
  const char *program;
  const char *why;
  bool only_gpu; /* only where WEFT_TEST_DEVICE is gpu: another device's driver gives no reason to go on */
} fault_survivor;

typedef struct fault_suite {
  const char *name;
  const fault_program *programs;   /* `run` NULL ends them */
  const fault_survivor *survivors; /* `function` NULL ends them */
  const fault_heap_hooks *heap; /* fails allocations; NULL: fails calls of the driver, one alone, then one and all that
                                   follow */
} fault_suite;

/// Does it all, prints the sums, and returns the exit status: 0, 1, or 77 without a device. For looking closer:
/// --program NAME runs that one, --call K fails that call alone and lets the program's output through.
int fault_main(const fault_suite *suite, int argc, char **argv);

/// Where problems are told, before the first use of this header; without it to stderr.
void fault_report_to(FILE *stream);

/// A program calls this where `from_mark` begins.
void fault_mark(void);
/// And this around a call that it expects to fail: what is refused in there may change the explanation, but not the
/// outcome.
void fault_expect(bool failure);
/// And this where only functions follow that have no status, so that a call which fails there may be survived.
void fault_leave(void);

/// A child process of its own for `run`, with what fault_main gives to its children. Returns how many problems it told
/// of by fault_problem; a crash counts as one.
int fault_child(void (*run)(void *), void *argument, const char *what);
/// Counts a problem of this child and prints it.
void fault_problem(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// Skips (77), or fails where WEFT_TEST_STRICT demands a device, when there is none; looks in a child. 0 when there is
/// one.
int fault_need_device(const char *suite);

#endif
