// SPDX-License-Identifier: MIT
/// Memory of the host that ranks share: the sender's device writes a piece there and the receiver's device reads it, so
/// that no processor copies it.
#define _GNU_SOURCE /* memfd_create */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "dist/transport.h"

/* A driver that pins such memory reaches the rate of its own pinned memory, one that does not a third. */
#define LEAST_RATE 0.6
#define TRIAL_BYTES ((int64_t)8 << 20)
enum { TRIALS = 3 };

/* ---- memory ---- */

/// A file of `size_bytes` without a name, all of whose pages exist: to run out of them later would be a SIGBUS.
static int make_file(int64_t size_bytes, char why[WEFT__DIST_WHY_BYTES]) {
  const int file = weft__file_above_output(memfd_create("weft", MFD_CLOEXEC));
  if (file >= 0 && posix_fallocate(file, 0, size_bytes) == 0) return file;
  snprintf(why, WEFT__DIST_WHY_BYTES, "the system shares no %lld bytes of memory", (long long)size_bytes);
  if (file >= 0) close(file);
  return -1;
}

static char *map_file(const weft_cuda_handle *handle, int64_t size_bytes, char why[WEFT__DIST_WHY_BYTES]) {
  void *data = MAP_FAILED;
  if (handle->size_bytes == size_bytes)
    data = mmap(NULL, (size_t)size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, handle->file, 0);
  if (data != MAP_FAILED) return data;
  snprintf(why, WEFT__DIST_WHY_BYTES, "the system maps no %lld bytes of shared memory", (long long)size_bytes);
  return NULL;
}

/* ---- pinning ---- */

/// Seconds of the fastest of some copies of x to `to`; 0: one failed.
static double time_reads(char *to, const weft_array *x, const weft_dist *grid) {
  double least_s = 0;
  for (int k = 0; k <= TRIALS; k++) { /* the first one is not counted */
    const double start_s = weft__dist_now_s();
    if (weft_read_async(to, (size_t)weft_array_size_bytes(x), x, NULL) || weft_context_wait(grid->context)) return 0;
    const double took_s = weft__dist_now_s() - start_s;
    if (k == 1 || (k > 1 && took_s < least_s)) least_s = took_s;
  }
  return least_s;
}

/// Whether copies to `data`, which is registered, are as fast as to memory that the driver pinned: OpenCL does not say
/// whether a driver pins memory of the program's. If not, ordinary copies by several threads are faster.
static bool is_worth(char *data, const weft_dist *grid, int64_t size_bytes) {
  const int64_t bytes = size_bytes < TRIAL_BYTES ? size_bytes : TRIAL_BYTES;
  char *pinned = NULL, line[160];
  weft_array *x = NULL;
  double own_s = 0, s = 0;
  if (weft_empty(&x, grid->context, WEFT_U8, WEFT_SHAPE(bytes)) == WEFT_OK &&
      weft_pinned_alloc(&pinned, grid->context, (size_t)bytes) == WEFT_OK) {
    own_s = time_reads(pinned, x, grid);
    s = time_reads(data, x, grid);
  }
  weft_array_release(&x);
  weft_pinned_free(&pinned);
  snprintf(line, sizeof line, "rank %d: memory that ranks share: %.3g GB/s; memory that the driver pinned: %.3g GB/s",
           grid->rank, s > 0 ? 1e-9 * (double)bytes / s : 0, own_s > 0 ? 1e-9 * (double)bytes / own_s : 0);
  weft_log_write(WEFT_LOG_INFO, line);
  return s > 0 && own_s > LEAST_RATE * s;
}

/// Unpinned memory works too.
static void pin_all(char **of, const weft_dist *grid, int64_t size_bytes) {
  for (int k = 0; k < grid->ranks; k++) {
    char *data = of[(grid->rank + k) % grid->ranks]; /* the own rank's first */
    if (!data) continue;
    if (weft_pinned_register(data, grid->context, (size_t)size_bytes)) {
      weft_log_write(WEFT_LOG_INFO, weft_error_last()->message);
      return;
    }
    if (k == 0 && !grid->is_cpu && !is_worth(data, grid, size_bytes)) {
      weft_pinned_free(&data);
      return;
    }
  }
}

/* ---- open and close ---- */

bool weft__dist_shared_map(char **of, weft_dist *grid, int64_t size_bytes, char why[WEFT__DIST_WHY_BYTES]) {
  weft_cuda_handle *handles = weft__dist_new((size_t)grid->ranks, sizeof *handles);
  weft_cuda_handle own = {.file = -1, .size_bytes = size_bytes};
  int64_t missing = !handles;
  if (weft__dist_all_most(grid, &missing) || missing) {
    free(handles);
    return false;
  }
  own.file = make_file(size_bytes, why);
  missing = !weft__dist_handles_trade(handles, grid, &own, why);
  for (int r = 0; r < grid->ranks && !missing; r++) {
    const weft_cuda_handle *handle = r == grid->rank ? &own : &handles[r];
    if (handle->file >= 0) missing = !(of[r] = map_file(handle, size_bytes, why));
  }
  if (own.file >= 0) close(own.file);
  weft__dist_handles_close(handles, grid);
  if (weft__dist_all_most(grid, &missing)) missing = 1;
  return !missing;
}

void weft__dist_shared_unmap(char **of, const weft_dist *grid, int64_t size_bytes) {
  for (int r = 0; r < grid->ranks; r++) {
    if (of[r]) munmap(of[r], (size_t)size_bytes);
    of[r] = NULL;
  }
}

bool weft__dist_shared_open(char **of, weft_dist *grid, int64_t size_bytes, char why[WEFT__DIST_WHY_BYTES]) {
  const bool is_mapped = weft__dist_shared_map(of, grid, size_bytes, why);
  if (is_mapped) pin_all(of, grid, size_bytes);
  return is_mapped;
}

void weft__dist_shared_close(char **of, const weft_dist *grid, int64_t size_bytes) {
  for (int r = 0; r < grid->ranks; r++) {
    char *data = of[r];
    if (data && weft_is_pinned(grid->context, data, (size_t)size_bytes)) weft_pinned_free(&data);
  }
  weft__dist_shared_unmap(of, grid, size_bytes);
}
