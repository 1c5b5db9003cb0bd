// SPDX-License-Identifier: MIT
/// Runs a program once for each of its requests, and fails that request: every call of the driver (fault_driver.h), or
/// every allocation of host memory (fault_heap.h). Each run must end with a failure that has a status and a text, with
/// nothing left alive, or succeed as if nothing had failed.
///
/// Each run is in a child process. The parent makes no OpenCL call, so that a driver starts afresh in each child.
/// Requests that only the first use in a process makes (listing the devices) fail in a process of their own each; the
/// others fail one after the other in one process. A run that crashes is reported, and ends only its own process.
#ifndef FAULT_RUN_H
#define FAULT_RUN_H

#include <stdbool.h>
#include <stdio.h>

#include "fault_heap.h"

#define FAULT_MAX_ARGUMENTS 16
/// A program's exit status if Weft broke a promise (a wrong result, a pointer that was modified); stderr has the
/// reason.
#define FAULT_BROKEN 9

typedef struct fault_program {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *arguments[FAULT_MAX_ARGUMENTS]; /* after the name; NULL ends them */
  bool is_silent;                             /* prints nothing on stderr when it fails */
  bool from_mark;                             /* only requests after its fault_mark() fail */
} fault_program;

/// A call whose failure a program may survive, and the reason. `program` NULL: all programs.
typedef struct fault_survivor {
  const char *function;
  const char *program;
  const char *why;
  bool only_gpu; /* only if WEFT_TEST_DEVICE is gpu: other devices' drivers give no reason to survive it */
} fault_survivor;

typedef struct fault_suite {
  const char *name;
  const fault_program *programs;   /* `run` NULL ends them */
  const fault_survivor *survivors; /* `function` NULL ends them */
  const fault_heap_hooks *heap;    /* fails allocations; NULL: fails driver calls, each alone, then each with all later
                                   ones */
} fault_suite;

/// Runs the suite, prints the totals, and returns the exit status: 0, 1, or 77 without a device. For a closer look,
/// --program NAME runs that program only, and --call K fails that call only and shows the program's output.
int fault_main(const fault_suite *suite, int argc, char **argv);

/// Sets where problems are printed (default stderr). Call it before the other functions of this header.
void fault_report_to(FILE *stream);

/// A program calls this where `from_mark` begins.
void fault_mark(void);
/// A program calls this before and after a call that it expects to fail: a failed request in between may change the
/// message, but not the outcome.
void fault_expect(bool failure);
/// A program calls this when only functions without a status follow, so that it may survive a failing call there.
void fault_leave(void);

/// Runs `run` in its own child process, with the environment of fault_main's children. Returns the number of problems
/// reported by fault_problem; a crash counts as one.
int fault_child(void (*run)(void *), void *argument, const char *what);
/// Counts a problem of this child and prints it.
void fault_problem(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// Looks for a device in a child process. Returns 0 if there is one; otherwise skips (77), or fails if WEFT_TEST_STRICT
/// demands a device.
int fault_need_device(const char *suite);

#endif
