// SPDX-License-Identifier: MIT
/// Counts the lines that a driver prints to standard output while it prints them, and passes them on.
#ifndef WEFT_CLI_CAPTURE_H
#define WEFT_CLI_CAPTURE_H

#include <pthread.h>

#include <weft/api.h>

typedef struct capture {
  const char *prefix; /* only lines that begin with this */
  const char *rest;   /* and continue with characters of this set only are counted */
  int output;         /* the original standard output */
  int in, out;        /* ends of the pipe that replaces it */
  pthread_t reader;
  uint64_t lines;  /* complete ones */
  int write_error; /* errno of a failed write, else 0 */
} capture;

/// Begins to count lines such as "threadIdx: 7": a `prefix` and at least one character, all from `rest`. False if it
/// cannot make the pipe or thread (errno says why); standard output is then unchanged.
bool capture_start(capture *c, const char *prefix, const char *rest);
/// Ends: standard output is restored, everything printed has been passed on, and the counts are final.
void capture_stop(capture *c);

#endif
