// SPDX-License-Identifier: MIT
/// Shared by the files of weft-mpi, the program that `weft mpi` runs on every rank.
#ifndef WEFT_CLI_MPI_RANKS_H
#define WEFT_CLI_MPI_RANKS_H

#include <weft/dist.h>

#include "base/error.h"
#include "cli/base/text_table.h"

/// How often a time is taken; the median counts.
enum { MPI_REPEATS = 15 };

/// This process among all.
typedef struct mpi_ranks {
  int rank, ranks;
  bool is_json;
} mpi_ranks;

/// The median; sorts the values.
double mpi_median(double *values, int count);
/// Prints a table on rank 0, in JSON as a member of one object.
void mpi_print_table(const mpi_ranks *here, const char *name, const table *t, bool is_first, bool is_last);

/// `weft mpi bench`: n elements on each rank; `only`: names with commas between them, "": all. `*is_wrong`: a name is
/// unknown, which was said.
weft_status mpi_bench(bool *is_wrong, const mpi_ranks *here, weft_dist *grid, int64_t n, const char *only);

#endif
