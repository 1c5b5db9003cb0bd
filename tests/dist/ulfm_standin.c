// SPDX-License-Identifier: MIT
/// A stand-in for an MPI that goes on without ranks that die (ULFM), for programs linked with it and MPICH. MPICH's own
/// launcher ends all ranks when one dies. Here a rank that raises SIGKILL stops working instead. The lowest of the
/// other ranks gets the error of its death, the others only after MPIX_Comm_revoke: they may wait for a live rank.
/// WEFT_TEST_ULFM names a file that the ranks share.
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct {
  _Atomic(int) dead; /* the rank in MPI_COMM_WORLD, plus 1; 0: all live */
  _Atomic(int) is_revoked, is_over;
} * shared;
static int rank, ranks, has_shrunk;

static void open_shared(void) {
  if (shared) return;
  const char *file = getenv("WEFT_TEST_ULFM");
  const int handle = file ? open(file, O_RDWR | O_CREAT, 0600) : -1;
  if (handle < 0 || ftruncate(handle, (off_t)sizeof *shared)) abort();
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
  if (shared == MAP_FAILED) abort();
  close(handle);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

/// The rank that dies: it only waits until the others end.
int raise(int sig) {
  open_shared();
  if (sig != SIGKILL) abort();
  atomic_store(&shared->dead, rank + 1);
  while (!atomic_load(&shared->is_over)) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  _exit(0);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  const int code = PMPI_Test(request, flag, status);
  open_shared();
  const int dead = atomic_load(&shared->dead);
  if (code || *flag || has_shrunk || !dead) return code;
  if (atomic_load(&shared->is_revoked)) return MPIX_ERR_REVOKED;
  return rank == (dead == 1) ? MPIX_ERR_PROC_FAILED : code;
}

int MPIX_Comm_revoke(MPI_Comm comm) {
  (void)comm;
  atomic_store(&shared->is_revoked, 1);
  return MPI_SUCCESS;
}

int MPIX_Comm_failure_ack(MPI_Comm comm) {
  (void)comm;
  return MPI_SUCCESS;
}

/// Known to the lowest rank alone.
int MPIX_Comm_failure_get_acked(MPI_Comm comm, MPI_Group *group) {
  MPI_Group all;
  int dead = atomic_load(&shared->dead) - 1;
  PMPI_Comm_group(comm, &all);
  PMPI_Group_incl(all, rank == (dead == 0), &dead, group);
  PMPI_Group_free(&all);
  return MPI_SUCCESS;
}

int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *smaller) {
  MPI_Group all, alive;
  int dead = atomic_load(&shared->dead) - 1;
  if (!atomic_load(&shared->is_revoked)) return MPI_ERR_OTHER; /* somebody still waits */
  PMPI_Comm_group(comm, &all);
  PMPI_Group_excl(all, 1, &dead, &alive);
  has_shrunk = 1;
  const int code = PMPI_Comm_create_group(comm, alive, 1, smaller);
  PMPI_Group_free(&all);
  PMPI_Group_free(&alive);
  return code;
}

/// MPICH would wait for the rank that is dead.
int MPI_Finalize(void) {
  open_shared();
  if (!has_shrunk) return PMPI_Finalize();
  fflush(NULL);
  sleep(1); /* the others end, too */
  atomic_store(&shared->is_over, 1);
  _exit(0);
}
