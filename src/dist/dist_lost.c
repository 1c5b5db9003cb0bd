// SPDX-License-Identifier: MIT
/// Failures of MPI, and ranks that have died: an MPI with fault tolerance (ULFM: Open MPI 5, MPICH's ch3) tells the
/// ranks that wait for them.
#include "dist/grid.h"

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdio.h>

#ifdef MPIX_ERR_PROC_FAILED

static bool is_death(int code) {
  int kind = 0;
  MPI_Error_class(code, &kind);
  return kind == MPIX_ERR_PROC_FAILED || kind == MPIX_ERR_PROC_FAILED_PENDING || kind == MPIX_ERR_REVOKED;
}

/// "rank 1, rank 3 have died", as far as this rank knows.
static void name_dead(char *text, int room, MPI_Comm comm) {
  MPI_Group all = MPI_GROUP_NULL, dead = MPI_GROUP_NULL;
  int count = 0, used = 0;
  if (comm != MPI_COMM_NULL && !MPIX_Comm_failure_ack(comm) && !MPIX_Comm_failure_get_acked(comm, &dead)) {
    MPI_Comm_group(comm, &all);
    MPI_Group_size(dead, &count);
  }
  for (int k = 0; k < count && used < room; k++) {
    int rank;
    MPI_Group_translate_ranks(dead, 1, &k, all, &rank);
    used += snprintf(text + used, (size_t)(room - used), "%srank %d", k ? ", " : "", rank);
  }
  if (used < room)
    snprintf(text + used, (size_t)(room - used), "%s",
             count == 0   ? "a rank has died"
             : count == 1 ? " has died"
                          : " have died");
  if (all != MPI_GROUP_NULL) MPI_Group_free(&all);
  if (dead != MPI_GROUP_NULL) MPI_Group_free(&dead);
}

/// Ranks that wait for a live one, which will not come, learn it too.
static weft_status lose_rank(weft_dist *grid, const char *call) {
  char who[120];
  name_dead(who, sizeof who, grid->comm);
  if (grid->comm != MPI_COMM_NULL) MPIX_Comm_revoke(grid->comm);
  const weft_status rc = weft__dist_fail(
      WEFT_ERROR_LOST, NULL,
      "%s, says %s; MPIX_Comm_revoke tells the others, MPIX_Comm_shrink makes a communicator of them", who, call);
  return weft__dist_lose(grid, rc);
}

#endif

weft_status weft__dist_failed(weft_dist *grid, int code, const char *call) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
#ifdef MPIX_ERR_PROC_FAILED
  if (is_death(code)) return lose_rank(grid, call);
#endif
  (void)grid;
  MPI_Error_string(code, text, &length);
  return weft__dist_fail(WEFT_ERROR_DIST, NULL, "%s failed: %s", call, text);
}
