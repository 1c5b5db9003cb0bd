// SPDX-License-Identifier: MIT
/// Preloaded: two hosts on one, for the exchange among ranks of several. Ranks find each other on a host only if their
/// numbers are both even or both odd.
#include <mpi.h>

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out) {
  int rank;
  (void)info;
  PMPI_Comm_rank(comm, &rank);
  return PMPI_Comm_split(comm, type == MPI_COMM_TYPE_SHARED ? rank % 2 : 0, key, out);
}
