// SPDX-License-Identifier: MIT
/// Counts the lines that a driver prints to standard output while it prints them. They go on to where they would have
/// gone.
#ifndef WEFT_CLI_CAPTURE_H
#define WEFT_CLI_CAPTURE_H

#include <pthread.h>

#include <weft/api.h>

typedef struct capture {
  const char *prefix; /* lines that begin with this */
  const char *rest;   /* and go on with characters of these only are counted */
  int output;         /* where standard output went before */
  int in, out;        /* the ends of the pipe that it goes to meanwhile */
  pthread_t reader;
  uint64_t lines;  /* complete ones */
  int write_error; /* errno of a failed write, else 0 */
} capture;

/// Begins, counting lines such as "threadIdx: 7": a `prefix` and at least one character, all out of `rest`. False where
/// there is no pipe or thread to be had (errno says why); standard output is then as it was.
bool capture_start(capture *c, const char *prefix, const char *rest);
/// Ends: standard output is as before, all that was printed has been passed on, and the counts are final.
void capture_stop(capture *c);

#endif
