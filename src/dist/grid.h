// SPDX-License-Identifier: MIT
/// Inside libweft-mpi: the grid of ranks, what every collective call begins with, and the exchange of bytes.
#ifndef WEFT_DIST_GRID_H
#define WEFT_DIST_GRID_H

#include <stdatomic.h>
#include <weft/dist.h>

#include "base/error.h"

struct weft__dist_board;
struct weft__dist_mail;
struct weft__dist_nccl;
struct weft__dist_ring;
struct weft__dist_rooms;
struct weft__dist_transport;
typedef struct weft__dist_kernel weft__dist_kernel;

struct weft_dist {
  uint32_t magic;
  _Atomic(int) references;
  MPI_Comm comm;   /* a duplicate: messages of the program do not meet Weft's; MPI_COMM_NULL: not made yet */
  MPI_Comm coming; /* what MPI writes while it makes `comm` */
  MPI_Comm host;   /* the ranks of this host */
  int rank, ranks, host_rank, host_ranks;
  char host_name[64], mpi_name[96];
  weft_context *context;
  bool is_cpu; /* arrays are in the host's memory */
  bool checks;
  bool shows_progress; /* WEFT_PROGRESS */
  double start_s;      /* when it was made */
  double timeout_s;
  const char *transport_name; /* WEFT_DIST_TRANSPORT; NULL: the best */
  int64_t piece_bytes;
  uint64_t serial;                /* of the collective call */
  uint64_t failed_call;           /* in which all ranks learned of a failure: they meet no more in it */
  struct weft__dist_board *board; /* where each rank is */
  const struct weft__dist_transport *transport;
  bool is_trading;              /* an exchange is under way */
  struct weft__dist_ring *ring; /* NULL: the transport needs none; so is the next */
  struct weft__dist_nccl *nccl;
  struct weft__dist_rooms *rooms; /* for sorts; NULL: none was used yet */
  bool refuses_rooms;             /* on all ranks: some rank has no memory for them */
  bool refuses_spread;            /* on all ranks: some rank's device cannot sort so */
  struct weft__dist_mail *mail;   /* NULL: nothing was collected yet */
  uint64_t collected;             /* in which all ranks have met: the same number on all of them */
  weft__dist_kernel *kernels;     /* of leaves, that were used */
  char *room;                     /* `room_bytes`, of a call of MPI with small numbers */
  size_t room_bytes;
  char lost[600]; /* why the grid can no longer be used; "": it can */
};

/// What a rank is about to do. Ranks that do not say the same fail.
typedef struct weft__dist_call {
  const char *function, *site;
  weft_dtype dtype; /* WEFT_DTYPE_NONE: no array */
  weft_shape shape;
  int64_t numbers[3]; /* axes, roots and so on */
  const char *text;   /* an expression or a file; NULL: none */
  bool has_files;     /* the ranks meet without checks too: one reads or removes what another has written */
} weft__dist_call;

/// Records a failure with a formatted message.
weft_status weft__dist_fail(weft_status status, const char *argument, const char *format, ...) WEFT_PRINTF(3, 4);
/// calloc, whose failure is recorded.
void *weft__dist_new(size_t count, size_t size_bytes);

/// The begin and the end of a function of the library: weft_error_enter and weft_error_leave.
void weft__dist_enter(const char *function, const char *site);
weft_status weft__dist_leave(weft_status rc);
/// The number of the outermost function that this thread is in.
uint64_t weft__dist_call_number(void);
/// The ranks of the present call meet, with WEFT_PROGRESS: its line says what they do.
void weft__dist_note(const weft_dist *grid, const weft__dist_call *call);
enum { WEFT__DIST_PLACE_BYTES = 240 };
/// "weft_dist_sum of f32 [1000, 3] at main.c:40"
void weft__dist_describe(char text[WEFT__DIST_PLACE_BYTES], const weft__dist_call *call);

/// The files of NCCL and of CUDA's driver: the environment's, unless the program runs with another user's rights.
void weft__dist_libraries(const char **nccl, const char **driver);
/// Whether WEFT_QUIRKS asks for the GPU's kernels on CPUs.
bool weft__dist_tries_gpu_text(void);

/// Checks the handle. Records WEFT_ERROR_HANDLE or WEFT_ERROR_LOST.
weft_status weft__dist_check_grid(const weft_dist *grid);
weft_dist *weft__dist_retain(weft_dist *grid);

/// The grid can no longer be used, because of the last error. Returns `rc`.
weft_status weft__dist_lose(weft_dist *grid, weft_status rc);

/// The ranks come together before they exchange data: all have to be about to do the same, and none may have failed.
/// `rc`: this rank's status so far, which is returned if it is a failure. Errors: WEFT_ERROR_DIST, WEFT_ERROR_LOST, the
/// status of another rank.
weft_status weft__dist_rendezvous(weft_dist *grid, const weft__dist_call *call, weft_status rc);

/// weft__dist_rendezvous, at which every rank also learns the others' `number`. `all`: may be NULL with a failure.
weft_status weft__dist_rendezvous_with(weft_dist *grid, const weft__dist_call *call, weft_status rc, int64_t *all,
                                       int64_t number);

/// Memory for small collections, made when it is first used.
void weft__dist_mail_free(weft_dist *grid);
void weft__dist_kernels_free(weft_dist *grid);
/// Memory into which ranks write, made for large sorts.
void weft__dist_rooms_free(weft_dist *grid);

/// Where ranks are: shared memory of a host.
weft_status weft__dist_board_make(weft_dist *grid);
void weft__dist_board_free(weft_dist *grid);

/// Whether rank r is on this rank's host.
bool weft__dist_is_near(const weft_dist *grid, int r);

/// Seconds of a clock that only goes forward.
double weft__dist_now_s(void);
/// For a loop that waits since `start_s` without progress: pauses briefly. WEFT_ERROR_DIST: the time limit is over, and
/// the grid is lost.
weft_status weft__dist_pause(weft_dist *grid, double start_s);
/// Waits for MPI's requests, at most the grid's time limit. Errors: WEFT_ERROR_DIST.
weft_status weft__dist_wait(weft_dist *grid, int count, MPI_Request *requests);
/// The status for an error code of MPI: WEFT_ERROR_DIST, or WEFT_ERROR_LOST if a rank has died; then the grid is lost.
weft_status weft__dist_failed(weft_dist *grid, int code, const char *call);

/* Small collective calls. MPI uses copies: the caller may free its memory when the call has returned. If one fails, the
   grid is lost, and the copies stay with it. */

/// Every rank's `size_bytes` bytes, in the order of the ranks.
weft_status weft__dist_gather(weft_dist *grid, void *all, const void *own, size_t size_bytes);
/// Every rank's `count` numbers, in the order of the ranks.
static inline weft_status weft__dist_all_numbers(weft_dist *grid, int64_t *all, const int64_t *own, int count) {
  return weft__dist_gather(grid, all, own, (size_t)count * sizeof *own);
}
/// The bytes of one rank, on every rank.
weft_status weft__dist_broadcast(weft_dist *grid, void *bytes, int size_bytes, int root);
/// The sums over the ranks of `count` numbers each.
weft_status weft__dist_all_sums(weft_dist *grid, int64_t *sums, const int64_t *own, int64_t count);
/// The greatest of the ranks' numbers.
weft_status weft__dist_all_most(weft_dist *grid, int64_t *number);
/// Of each of `count` words the greatest among the ranks.
weft_status weft__dist_all_greatest(weft_dist *grid, uint64_t *words, int count);

/// Bytes at[r] to at[r + 1] of `all`, below INT_MAX, from every rank r's `own`: one call of MPI, which may send them
/// along a tree, and which uses the caller's memory until it succeeds.
weft_status weft__dist_all_bytes(weft_dist *grid, void *all, const int64_t *at, const void *own);

/// The first row of rank r among n rows; r = ranks: n.
static inline int64_t weft__dist_first(const weft_dist *grid, int64_t n, int r) {
  const int64_t ranks = grid->ranks; /* n r / ranks without the product, which may overflow */
  return n / ranks * r + n % ranks * r / ranks;
}

#endif
