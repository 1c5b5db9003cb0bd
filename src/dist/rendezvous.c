// SPDX-License-Identifier: MIT
/// How ranks come together: a check that all do the same, a time limit, and a board that says where each rank is.
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dist/transport.h"

/* A rank polls for this long, then with naps, which are short beside it. In between it lets others run: ranks may be
   more than the cores, which the kernels of CPUs need too. */
#define SPIN_S 5e-3
#define CPU_SPIN_S 1e-3
#define NAP_NS 50000

/// A rank's place, in memory that the ranks of a host share.
typedef struct place {
  _Atomic(uint64_t) serial; /* of the collective call that the rank has reached */
  char call[WEFT__DIST_PLACE_BYTES];
} place;

/* What the ranks compare: the greatest hash, the complement of the least, the greatest status with its rank. */
enum { HASH, COMPLEMENT, STATUS, COMPARED };

/* The memory is no window of MPI's: to free that, every rank would have to come. */
struct weft__dist_board {
  uint64_t *rows;    /* of all ranks: what they compare, and a number */
  bool *is_near;     /* per rank of the grid: on this rank's host */
  char **of;         /* per rank: its place; NULL: on another host, or memory cannot be shared */
  place *own, alone; /* alone: where memory cannot be shared */
};

/* ---- the board ---- */

/// Which ranks are on this host.
static void find_near(bool *is_near, const weft_dist *grid) {
  MPI_Group all, host;
  MPI_Comm_group(grid->comm, &all);
  MPI_Comm_group(grid->host, &host);
  for (int r = 0; r < grid->ranks; r++) {
    int rank;
    MPI_Group_translate_ranks(all, 1, &r, host, &rank);
    is_near[r] = rank != MPI_UNDEFINED;
  }
  MPI_Group_free(&all);
  MPI_Group_free(&host);
}

weft_status weft__dist_board_make(weft_dist *grid) {
  struct weft__dist_board *board = weft__dist_new(1, sizeof *board);
  char why[WEFT__DIST_WHY_BYTES] = "";
  if (!(grid->board = board)) return WEFT_ERROR_HOST_MEMORY;
  board->own = &board->alone;
  board->is_near = weft__dist_new((size_t)grid->ranks, sizeof *board->is_near);
  board->of = weft__dist_new((size_t)grid->ranks, sizeof *board->of);
  board->rows = weft__dist_new((size_t)grid->ranks, (COMPARED + 1) * sizeof *board->rows);
  if (!board->is_near || !board->of || !board->rows) return WEFT_ERROR_HOST_MEMORY;
  find_near(board->is_near, grid);
  if (weft__dist_shared_map(board->of, grid, sizeof(place), why)) {
    board->own = (place *)(void *)board->of[grid->rank];
  } else {
    weft__dist_shared_unmap(board->of, grid, sizeof(place));
    weft_log_write(WEFT_LOG_INFO, why);
  }
  return WEFT_OK;
}

void weft__dist_board_free(weft_dist *grid) {
  struct weft__dist_board *board = grid->board;
  if (!board) return;
  if (board->of) weft__dist_shared_unmap(board->of, grid, sizeof(place));
  free(board->is_near);
  free(board->of);
  free(board->rows);
  free(board);
  grid->board = NULL;
}

bool weft__dist_is_near(const weft_dist *grid, int r) {
  return grid->board->is_near[r];
}

void weft__dist_describe(char text[WEFT__DIST_PLACE_BYTES], const weft__dist_call *call) {
  int used = snprintf(text, WEFT__DIST_PLACE_BYTES, "%s", call->function);
#define ADD(...) \
  used +=        \
      used < WEFT__DIST_PLACE_BYTES ? snprintf(text + used, (size_t)(WEFT__DIST_PLACE_BYTES - used), __VA_ARGS__) : 0
  if (call->dtype != WEFT_DTYPE_NONE) {
    ADD(" of %s [", weft_dtype_name(call->dtype));
    for (int d = 0; d < call->shape.ndim; d++) ADD("%s%lld", d ? ", " : "", (long long)call->shape.dim[d]);
    ADD("]");
  }
  if (call->text) ADD(" `%.60s`", call->text);
  if (call->site && call->site[0]) ADD(" at %s", call->site);
#undef ADD
}

/* ---- the time limit ---- */

double weft__dist_now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/// While the grid is made.
static weft_status give_up_early(weft_dist *grid) {
  snprintf(grid->lost, sizeof grid->lost, "rank %d of %d waited %g s for the others, which make no grid", grid->rank,
           grid->ranks, grid->timeout_s);
  return weft__dist_fail(WEFT_ERROR_DIST, NULL, "%s (WEFT_DIST_TIMEOUT)", grid->lost);
}

/// The grid is lost: names the ranks that have not come.
static weft_status give_up(weft_dist *grid) {
  const struct weft__dist_board *board = grid->board;
  const uint64_t serial = grid->serial;
  if (!board) return give_up_early(grid);
  int used = snprintf(grid->lost, sizeof grid->lost, "rank %d waited %g s in call %llu, %s, ", grid->rank,
                      grid->timeout_s, (unsigned long long)serial, board->own->call);
  int named = 0;
  const int room = sizeof grid->lost;
#define ADD(...) used += used < room ? snprintf(grid->lost + used, (size_t)(room - used), __VA_ARGS__) : 0
  for (int r = 0; r < grid->ranks; r++) {
    const place *p = r == grid->rank ? board->own : (const place *)(const void *)board->of[r];
    if (p && atomic_load(&p->serial) >= serial) continue;
    ADD("%s", named++ ? "; " : "for ");
    if (!p)
      ADD("rank %d%s, its place is not known", r, board->is_near[r] ? "" : " is on another host");
    else if (atomic_load(&p->serial) == 0)
      ADD("rank %d, which has made no call", r);
    else
      ADD("rank %d, whose last call was %llu, %s", r, (unsigned long long)atomic_load(&p->serial), p->call);
  }
  if (!named) ADD("which all ranks have reached, for their data");
#undef ADD
  return weft__dist_fail(WEFT_ERROR_DIST, NULL, "%s (WEFT_DIST_TIMEOUT)", grid->lost);
}

weft_status weft__dist_lose(weft_dist *grid, weft_status rc) {
  if (!grid->lost[0]) snprintf(grid->lost, sizeof grid->lost, "%s", weft_error_last()->message);
  return rc;
}

weft_status weft__dist_pause(weft_dist *grid, double start_s) {
  const double waited = weft__dist_now_s() - start_s;
  if (waited > grid->timeout_s) return give_up(grid);
  if (waited > (grid->is_cpu ? CPU_SPIN_S : SPIN_S))
    nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
  else
    sched_yield();
  return WEFT_OK;
}

weft_status weft__dist_wait(weft_dist *grid, int count, MPI_Request *requests) {
  const double start_s = weft__dist_now_s();
  for (;;) {
    int is_done = 1;
    for (int k = 0; k < count && is_done; k++) {
      if (requests[k] == MPI_REQUEST_NULL) continue;
      const int code = MPI_Test(&requests[k], &is_done, MPI_STATUS_IGNORE);
      if (code) return weft__dist_failed(grid, code, "MPI_Test");
    }
    if (is_done) return WEFT_OK;
    WEFT__TRY_RETURN(weft__dist_pause(grid, start_s));
  }
}

/* ---- the check ---- */

static uint64_t hash(uint64_t h, const void *data, size_t size_bytes) {
  const unsigned char *bytes = data;
  for (size_t k = 0; k < size_bytes; k++) h = (h ^ bytes[k]) * 1099511628211u; /* FNV-1a */
  return h;
}

/// The call without its place: ranks may call from different lines.
static uint64_t hash_of(const weft_dist *grid, const weft__dist_call *call) {
  uint64_t h = hash(14695981039346656037u, call->function, strlen(call->function));
  /* without checks a rank that failed alone may have met less often */
  if (grid->checks) h = hash(h, &grid->serial, sizeof grid->serial);
  h = hash(h, &call->dtype, sizeof call->dtype);
  h = hash(h, call->shape.dim, (size_t)call->shape.ndim * sizeof call->shape.dim[0]);
  h = hash(h, call->numbers, sizeof call->numbers);
  return call->text ? hash(h, call->text, strlen(call->text)) : h;
}

/// All ranks compare the texts of their calls and fail.
static weft_status report_difference(weft_dist *grid, const char own[WEFT__DIST_PLACE_BYTES]) {
  char *all = weft__dist_new((size_t)grid->ranks, WEFT__DIST_PLACE_BYTES);
  if (!all) return weft__dist_lose(grid, WEFT_ERROR_HOST_MEMORY); /* the others wait in the next call of MPI */
  weft_status rc = weft__dist_gather(grid, all, own, WEFT__DIST_PLACE_BYTES);
  int other = 1;
  while (other < grid->ranks - 1 && strcmp(all + (size_t)other * WEFT__DIST_PLACE_BYTES, all) == 0) other++;
  if (rc == WEFT_OK)
    rc = weft__dist_fail(WEFT_ERROR_DIST, NULL,
                         "the ranks make different calls: rank 0: %s; rank %d: %s; this is rank %d: %s", all, other,
                         all + (size_t)other * WEFT__DIST_PLACE_BYTES, grid->rank, own);
  free(all);
  return rc;
}

/// Tells all ranks why rank `failed` cannot go on.
static weft_status report_failure(weft_dist *grid, int failed, weft_status status, weft_status own) {
  char text[400] = "";
  if (failed == grid->rank) snprintf(text, sizeof text, "%s", weft_error_last()->message);
  WEFT__TRY_RETURN(weft__dist_broadcast(grid, text, sizeof text, failed));
  return own ? own : weft__dist_fail(status, NULL, "rank %d failed: %s", failed, text);
}

static bool compares(const weft_dist *grid, const weft__dist_call *call) {
  return grid->checks || call->has_files;
}

/// The rank is where it compares its call with the others'. False: it does not get there.
static bool arrive(uint64_t mine[COMPARED], char text[WEFT__DIST_PLACE_BYTES], weft_dist *grid,
                   const weft__dist_call *call, weft_status rc) {
  /* ranks in different functions would meet in different numbers */
  if (grid->lost[0] || (rc && grid->failed_call == weft__dist_call_number())) return false;
  grid->serial++;
  weft__dist_note(grid, call);
  weft__dist_describe(text, call);
  memcpy(grid->board->own->call, text, WEFT__DIST_PLACE_BYTES);
  atomic_store(&grid->board->own->serial, grid->serial);
  if (!compares(grid, call)) return true;
  mine[HASH] = hash_of(grid, call);
  mine[COMPLEMENT] = ~mine[HASH];
  mine[STATUS] = rc ? (uint64_t)rc << 32 | (uint64_t)grid->rank : 0;
  return true;
}

/// The status of a rank that did not get there.
static weft_status absent(const weft_dist *grid, weft_status rc) {
  return rc ? rc : weft__dist_check_grid(grid);
}

static weft_status judge(weft_dist *grid, const uint64_t all[COMPARED], const char text[WEFT__DIST_PLACE_BYTES],
                         weft_status rc) {
  const uint64_t failed = all[STATUS];
  const bool differs = all[HASH] != ~all[COMPLEMENT];
  if (failed || differs) grid->failed_call = weft__dist_call_number();
  if (failed) return report_failure(grid, (int)(failed & 0xffffffffu), (weft_status)(failed >> 32), rc);
  return differs ? report_difference(grid, text) : rc;
}

weft_status weft__dist_rendezvous(weft_dist *grid, const weft__dist_call *call, weft_status rc) {
  char text[WEFT__DIST_PLACE_BYTES];
  uint64_t words[COMPARED];
  if (!arrive(words, text, grid, call, rc)) return absent(grid, rc);
  if (!compares(grid, call)) return rc;
  WEFT__TRY_RETURN(weft__dist_all_greatest(grid, words, COMPARED));
  return judge(grid, words, text, rc);
}

/// What weft__dist_rendezvous reduces, from the ranks' rows, which have the rank's own number behind it.
static void reduce_rows(uint64_t most[COMPARED], int64_t *numbers, const uint64_t *rows, int ranks) {
  memset(most, 0, COMPARED * sizeof *most);
  for (int r = 0; r < ranks; r++, rows += COMPARED + 1) {
    for (int k = 0; k < COMPARED; k++) most[k] = rows[k] > most[k] ? rows[k] : most[k];
    if (numbers) numbers[r] = (int64_t)rows[COMPARED];
  }
}

weft_status weft__dist_rendezvous_with(weft_dist *grid, const weft__dist_call *call, weft_status rc, int64_t *all,
                                       int64_t number) {
  char text[WEFT__DIST_PLACE_BYTES];
  uint64_t mine[COMPARED + 1] = {0}, most[COMPARED], *rows = grid->board->rows;
  if (!arrive(mine, text, grid, call, rc)) return absent(grid, rc);
  mine[COMPARED] = (uint64_t)number;
  WEFT__TRY_RETURN(weft__dist_gather(grid, rows, mine, sizeof mine));
  reduce_rows(most, all, rows, grid->ranks);
  return compares(grid, call) ? judge(grid, most, text, rc) : rc;
}
