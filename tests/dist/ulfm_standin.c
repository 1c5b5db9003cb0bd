// SPDX-License-Identifier: MIT
/// A stand-in for an MPI that goes on without ranks that die (ULFM), for programs linked with it and MPICH. MPICH's own
/// launcher ends all ranks when one dies. Here a rank that raises SIGKILL stops working instead. The lowest of the
/// other ranks gets the error of its death, the others only after MPIX_Comm_revoke: they may wait for a live rank.
/// WEFT_TEST_ULFM names a file that the ranks share; WEFT_TEST_ULFM_IN a call that makes a communicator, in which the
/// last rank dies.
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct {
  _Atomic(int) dead; /* the rank in MPI_COMM_WORLD, plus 1; 0: all live */
  _Atomic(int) is_revoked, ended;
} * shared;
static int rank, ranks, has_shrunk;
static MPI_Comm unmade = MPI_COMM_NULL; /* a rank died while it was made */

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

static _Noreturn void wait_for_the_end(void) {
  while (atomic_load(&shared->ended) < ranks - 1) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  _exit(0);
}

/// The rank that dies: it only waits until the others end.
int raise(int sig) {
  open_shared();
  if (sig != SIGKILL) abort();
  atomic_store(&shared->dead, rank + 1);
  wait_for_the_end();
}

/// The last rank dies in this call, and the others wait until it has.
static int dies_in(const char *call, MPI_Request request) {
  const char *where = getenv("WEFT_TEST_ULFM_IN");
  int is_done = request == MPI_REQUEST_NULL;
  if (has_shrunk || !where || strcmp(where, call) != 0) return 0;
  open_shared();
  while (rank == ranks - 1 ? !is_done : !atomic_load(&shared->dead))
    if (!is_done) PMPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
  if (rank == ranks - 1) raise(SIGKILL);
  return 1;
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *copy, MPI_Request *request) {
  const int code = PMPI_Comm_idup(comm, copy, request);
  if (dies_in("MPI_Comm_idup", *request)) unmade = *copy;
  return code;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part) {
  const int code = PMPI_Comm_split_type(comm, type, key, info, part);
  return dies_in("MPI_Comm_split_type", MPI_REQUEST_NULL) && rank == 0 ? MPIX_ERR_PROC_FAILED : code;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  *flag = 0;
  const int code = unmade == MPI_COMM_NULL || has_shrunk ? PMPI_Test(request, flag, status) : MPI_SUCCESS;
  open_shared();
  const int dead = atomic_load(&shared->dead);
  if (code || *flag || has_shrunk || !dead) return code;
  if (atomic_load(&shared->is_revoked)) return MPIX_ERR_REVOKED;
  return rank == (dead == 1) ? MPIX_ERR_PROC_FAILED : code;
}

static void check(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL || comm == unmade) abort();
}

int MPIX_Comm_revoke(MPI_Comm comm) {
  check(comm);
  atomic_store(&shared->is_revoked, 1);
  return MPI_SUCCESS;
}

int MPIX_Comm_failure_ack(MPI_Comm comm) {
  check(comm);
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
  atomic_fetch_add(&shared->ended, 1);
  wait_for_the_end();
}
