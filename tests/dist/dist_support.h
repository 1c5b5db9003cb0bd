// SPDX-License-Identifier: MIT
/// Shared by the programs of tests/dist: counts of checks and failures, each with its rank.
#ifndef WEFT_TESTS_DIST_SUPPORT_H
#define WEFT_TESTS_DIST_SUPPORT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <weft/dist.h>

static int rank, ranks, failures, checks;
static int process; /* rank 0's, for the names of files: runs beside this one write their own */

static inline void report(const char *what, const char *why) {
  failures++;
  fprintf(stderr, "rank %d of %d: %s: %s\n", rank, ranks, what, why);
}

#define OK(what, call)                                               \
  do {                                                               \
    if ((call) != WEFT_OK) report(what, weft_error_last()->message); \
  } while (0)

static inline void begin(int *argc, char ***argv) {
  int level;
  weft_dist *early = NULL;
  if (weft_dist_create(&early, MPI_COMM_WORLD) != WEFT_ERROR_ARGUMENT) report("before MPI_Init", "no error");
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  process = (int)getpid();
  MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

#endif
