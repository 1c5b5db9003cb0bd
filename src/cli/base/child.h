// SPDX-License-Identifier: MIT
/// Runs a function in a child process. Drivers may kill the process that calls them; the child may die, while this
/// process makes no OpenCL call.
#ifndef WEFT_CLI_CHILD_H
#define WEFT_CLI_CHILD_H

#include "base/text.h"

/// How the child ended.
typedef struct child_end {
  bool answered;   /* it did its work */
  int signal;      /* otherwise the signal that killed it; 0: none */
  int exit_status; /* or its exit status */
  int seconds;     /* after which it would have been killed by SIGALRM */
} child_end;

/// The child's work: writes its results to `descriptor` and returns the exit status, 0 for success.
typedef int child_work(int descriptor, const void *of);

typedef struct child {
  child_work *work;
  const void *of; /* for `work` */
  int seconds;    /* a child that takes longer is killed by SIGALRM; 0: it may take any time */
  int messages;   /* a descriptor that receives what the child writes to stdout and stderr; -1: it is dropped */
} child;

/// Longer than any driver takes to start. A driver that hangs counts as failed.
enum { CHILD_SECONDS = 30 };

typedef struct child_process {
  int pid;
  int descriptor; /* what the child writes is read here; the caller closes it */
} child_process;

/// Starts the child. False if none could be made; errno says why.
bool child_start(child_process *process, const child *c);
/// Waits for the child's end.
void child_wait(child_end *end, const child_process *process);

/// Runs the child, appends what it wrote to its descriptor to `bytes`, and waits for its end. False if no child could
/// be made; errno says why.
bool child_run(weft__text *bytes, child_end *end, const child *c);

/// "killed by signal 6 (Aborted)", "no reply within 30 s", "it ended the process, with exit status 3".
void child_describe_end(weft__text *text, const child_end *end);

#endif
