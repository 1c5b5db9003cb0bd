// SPDX-License-Identifier: MIT
/// The table of transports, and those in which MPI sees whole arrays.
#include "dist/transport.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- the host's memory ---- */

static bool open_host(weft_dist *grid, char why[WEFT__DIST_WHY_BYTES]) {
  (void)grid;
  (void)why;
  return true;
}

static weft_status begin_host(weft__dist_passage *p) {
  WEFT__TRY_RETURN(weft__dist_bytes_begin(&p->send, p->grid, p->from.array, false));
  return weft__dist_bytes_begin(&p->recv, p->grid, p->to.array, true);
}

static weft_status start_host(weft__dist_passage *p) {
  const int r = p->grid->rank;
  int64_t first, stop;
  if (p->from.to_all && p->to.at[p->grid->ranks] <= INT_MAX)
    return weft__dist_all_bytes(p->grid, p->recv.data, p->to.at, p->send.data);
  weft__dist_span(&first, &stop, p->grid, &p->from, r);
  if (stop > first)
    memcpy((char *)p->recv.data + p->to.at[r], (const char *)p->send.data + first, (size_t)(stop - first));
  return weft__dist_exchange_start(p);
}

static weft_status end_host(weft__dist_passage *p, weft_status rc) {
  rc = weft__dist_bytes_end(&p->recv, rc);
  return weft__dist_bytes_end(&p->send, rc);
}

/* ---- CUDA's memory, by an MPI that reaches it ---- */

static bool open_direct(weft_dist *grid, char why[WEFT__DIST_WHY_BYTES]) {
  weft_array *x = NULL;
  void *pointer;
  /* Open MPI and MPICH have this function, others need not */
  int (*query)(void);
  *(void **)&query = dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support");
  const bool is_named = grid->transport_name && strcmp(grid->transport_name, "mpi") == 0;
  weft_status rc = weft_empty(&x, grid->context, WEFT_U8, WEFT_SHAPE(1));
  if (!rc) rc = weft_cuda_pointer(&pointer, x);
  weft_array_release(&x);
  if (rc)
    snprintf(why, WEFT__DIST_WHY_BYTES, "%.150s", weft_error_last()->message);
  else if (!grid->is_cpu && !(query ? query() : is_named)) /* it would crash */
    snprintf(why, WEFT__DIST_WHY_BYTES, "the MPI library does not say that it reads the GPU's memory");
  return !why[0];
}

/// Copies what stays on this rank.
static weft_status copy_own(weft__dist_passage *p) {
  const int r = p->grid->rank;
  int64_t first, stop;
  weft_array *from = NULL, *to = NULL;
  weft_status rc = WEFT_OK;
  weft__dist_span(&first, &stop, p->grid, &p->from, r);
  if (stop == first) return WEFT_OK;
  WEFT__TRY(weft__dist_part_of(&from, p->from.array, first, stop));
  WEFT__TRY(weft__dist_part_of(&to, p->to.array, p->to.at[r], p->to.at[r + 1]));
  rc = weft_copy(&to, from);
done:
  weft_release(&from, &to);
  return rc;
}

weft_status weft__dist_find_pointers(weft__dist_passage *p) {
  weft_status rc = weft_cuda_pointer(&p->send.data, p->from.array);
  if (!rc) rc = weft_cuda_pointer(&p->recv.data, p->to.array);
  p->is_unseen = rc == WEFT_ERROR_UNSUPPORTED;
  return p->is_unseen ? WEFT_OK : rc;
}

static weft_status begin_pointers(weft__dist_passage *p) {
  WEFT__TRY_RETURN(copy_own(p));
  return weft__dist_find_pointers(p);
}

static weft_status begin_direct(weft__dist_passage *p) {
  WEFT__TRY_RETURN(begin_pointers(p));
  return weft_context_wait(p->grid->context); /* MPI knows nothing of the work on the arrays */
}

static weft_status begin_nothing(weft__dist_passage *p) {
  (void)p;
  return WEFT_OK;
}

static weft_status end_nothing(weft__dist_passage *p, weft_status rc) {
  (void)p;
  return rc;
}

/* ---- in pieces ---- */

static bool open_windows(weft_dist *grid, char why[WEFT__DIST_WHY_BYTES]) {
  return weft__dist_ring_open(grid, WEFT__DIST_WINDOWS, why);
}

static bool open_shared(weft_dist *grid, char why[WEFT__DIST_WHY_BYTES]) {
  return weft__dist_ring_open(grid, WEFT__DIST_SHARED, why);
}

static bool open_staged(weft_dist *grid, char why[WEFT__DIST_WHY_BYTES]) {
  return weft__dist_ring_open(grid, WEFT__DIST_PINNED, why);
}

/* ---- the table ---- */

static const weft__dist_transport table[] = {
    {"window", "windows in the GPUs' memory", true, true, false, false, open_windows, begin_nothing,
     weft__dist_ring_start, weft__dist_ring_finish, end_nothing},
    {"nccl", "NCCL", false, false, true, true, weft__dist_nccl_open, begin_pointers, weft__dist_nccl_start,
     weft__dist_nccl_finish, end_nothing},
    {"mpi", "MPI on the GPU's memory", false, false, true, false, open_direct, begin_direct, weft__dist_exchange_start,
     weft__dist_exchange_finish, end_nothing},
    {"shared", "memory of the host that ranks share", true, false, false, false, open_shared, begin_nothing,
     weft__dist_ring_start, weft__dist_ring_finish, end_nothing},
    {"staged", "pinned staging", true, false, false, false, open_staged, begin_nothing, weft__dist_ring_start,
     weft__dist_ring_finish, end_nothing},
    {"host", "host memory", false, false, false, false, open_host, begin_host, start_host, weft__dist_exchange_finish,
     end_host},
};
enum { TRANSPORTS = sizeof table / sizeof *table };

const weft__dist_transport *weft__dist_transport_host(void) {
  return &table[TRANSPORTS - 1];
}

/// The row with which to begin.
static weft_status find_first(int64_t *row, const weft_dist *grid) {
  const char *name = grid->transport_name;
  *row = grid->is_cpu ? TRANSPORTS - 1 : 0;
  if (!name) return WEFT_OK;
  for (*row = 0; *row < TRANSPORTS; ++*row)
    if (strcmp(table[*row].name, name) == 0) return WEFT_OK;
  return weft__dist_fail(WEFT_ERROR_ARGUMENT, "WEFT_DIST_TRANSPORT",
                         "WEFT_DIST_TRANSPORT is `%s`; expected window, nccl, mpi, shared, staged or host", name);
}

weft_status weft__dist_transport_choose(weft_dist *grid) {
  const weft__dist_call call = {.function = "weft_dist_create"};
  int64_t row = 0;
  WEFT__TRY_RETURN(weft__dist_rendezvous(grid, &call, find_first(&row, grid)));
  WEFT__TRY_RETURN(weft__dist_all_most(grid, &row)); /* of devices of several kinds, what all can use */
  for (; row < TRANSPORTS; row++) {
    char why[WEFT__DIST_WHY_BYTES] = "", line[WEFT__DIST_WHY_BYTES + 100];
    int64_t refused = !table[row].open(grid, why);
    if (refused) {
      snprintf(line, sizeof line, "rank %d: exchange by %s is not possible: %s", grid->rank, table[row].what, why);
      weft_log_write(WEFT_LOG_INFO, line);
    }
    WEFT__TRY_RETURN(weft__dist_all_most(grid, &refused));
    grid->transport = &table[row];
    if (!refused) break;
    weft__dist_ring_close(grid);
    weft__dist_nccl_close(grid);
  }
  return WEFT_OK;
}
