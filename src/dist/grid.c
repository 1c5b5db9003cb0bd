// SPDX-License-Identifier: MIT
/// The grid: made, described and released.
#include "dist/transport.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/secure.h"

#define MAGIC 0x57644772u /* "WdGr" */
#define RELEASED 0xdeadbeefu

weft_status weft__dist_fail(weft_status status, const char *argument, const char *format, ...) {
  char message[1200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return weft_error_record(status, argument, message);
}

void *weft__dist_new(size_t count, size_t size_bytes) {
  void *memory = calloc(count ? count : 1, size_bytes);
  if (!memory)
    weft__dist_fail(WEFT_ERROR_HOST_MEMORY, NULL, "the host has no memory for %zu bytes", count * size_bytes);
  return memory;
}

weft_status weft__dist_check_grid(const weft_dist *grid) {
  if (!grid || grid->magic != MAGIC)
    return weft__dist_fail(WEFT_ERROR_HANDLE, "grid", "`grid` is %s; expected a grid of weft_dist_create",
                           grid ? "no live grid" : "NULL");
  if (grid->lost[0]) return weft__dist_fail(WEFT_ERROR_LOST, "grid", "this grid can no longer be used: %s", grid->lost);
  return WEFT_OK;
}

/* ---- MPI ---- */

static weft_status check_mpi(MPI_Comm comm) {
  int is_initialized = 0, is_finalized = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  if (!is_initialized)
    return weft__dist_fail(WEFT_ERROR_ARGUMENT, "comm",
                           "MPI is not initialised; call MPI_Init or MPI_Init_thread first");
  if (is_finalized)
    return weft__dist_fail(WEFT_ERROR_ARGUMENT, "comm", "MPI is finalized; no grid can be made after MPI_Finalize");
  if (comm == MPI_COMM_NULL)
    return weft__dist_fail(WEFT_ERROR_ARGUMENT, "comm",
                           "`comm` is MPI_COMM_NULL: it was freed, or this rank is not in it");
  return WEFT_OK;
}

/// MPI's default is to end the program at an error. Errors with `comm` itself belong to its own handler.
static weft_status duplicate(weft_dist *grid, MPI_Comm comm) {
  MPI_Errhandler before;
  MPI_Request request;
  int code = MPI_Comm_get_errhandler(comm, &before);
  if (code) return weft__dist_failed(grid, code, "MPI_Comm_get_errhandler");
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  code = MPI_Comm_idup(comm, &grid->coming, &request);
  MPI_Comm_set_errhandler(comm, before);
  MPI_Errhandler_free(&before);
  if (code) return weft__dist_failed(grid, code, "MPI_Comm_idup");
  MPI_Comm_rank(comm, &grid->rank);
  MPI_Comm_size(comm, &grid->ranks);
  WEFT__TRY_RETURN(weft__dist_wait(grid, 1, &request));
  grid->comm = grid->coming;
  MPI_Comm_set_errhandler(grid->comm, MPI_ERRORS_RETURN);
  code = MPI_Comm_split_type(grid->comm, MPI_COMM_TYPE_SHARED, grid->rank, MPI_INFO_NULL, &grid->host);
  if (code) return weft__dist_failed(grid, code, "MPI_Comm_split_type");
  MPI_Comm_set_errhandler(grid->host, MPI_ERRORS_RETURN);
  MPI_Comm_rank(grid->host, &grid->host_rank);
  MPI_Comm_size(grid->host, &grid->host_ranks);
  return WEFT_OK;
}

static void describe_mpi(weft_dist *grid) {
  char name[MPI_MAX_PROCESSOR_NAME] = "", version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_processor_name(name, &length);
  snprintf(grid->host_name, sizeof grid->host_name, "%.*s", (int)sizeof grid->host_name - 1, name);
  MPI_Get_library_version(version, &length);
  version[strcspn(version, ",\n")] = 0;
  for (char *c = version; *c; c++)
    if (*c == '\t') *c = ' ';
  snprintf(grid->mpi_name, sizeof grid->mpi_name, "%.*s", (int)sizeof grid->mpi_name - 1, version);
}

/* ---- the device ---- */

/// The ranks of a host take the devices like the selected one in turns.
static weft_status open_device(weft_dist *grid, const char *selector) {
  weft_device_info selected, info;
  int index, count, like = 0;
  if (selector)
    WEFT__TRY_RETURN(weft_device_find(&index, selector));
  else
    WEFT__TRY_RETURN(weft_device_used(&index));
  WEFT__TRY_RETURN(weft_device_get(&selected, index));
  WEFT__TRY_RETURN(weft_device_count(&count));
  for (int pass = 0, turn = -1; pass < 2; pass++) { /* first they are counted, then one is taken */
    if (pass) turn = grid->host_rank % like;
    for (int d = 0, k = 0; d < count; d++) {
      WEFT__TRY_RETURN(weft_device_get(&info, d));
      if (info.type != selected.type || strcmp(info.platform, selected.platform) != 0) continue;
      if (pass == 0) like++;
      if (k++ == turn) index = d;
    }
  }
  char number[16];
  snprintf(number, sizeof number, "%d", index);
  return weft_context_create(&grid->context, .device = number);
}

static weft_status open_context(weft_dist *grid, const weft_dist_params *params) {
  weft_device_info device;
  if (params->context && params->device)
    return weft__dist_fail(WEFT_ERROR_ARGUMENT, "device", "`.context` and `.device` are both given; expected one");
  if (params->context)
    grid->context = weft_context_retain(params->context);
  else
    WEFT__TRY_RETURN(open_device(grid, params->device));
  WEFT__TRY_RETURN(weft_context_get_device(&device, grid->context));
  grid->is_cpu = device.type == WEFT_DEVICE_TYPE_CPU;
  return WEFT_OK;
}

/* ---- settings ---- */

/* Large enough for NVLink's rate. */
#define PIECE_BYTES ((int64_t)64 << 20)

static weft_status read_piece(weft_dist *grid) {
  const char *text = weft__getenv("WEFT_DIST_PIECE");
  char *end = NULL;
  grid->piece_bytes = text && text[0] ? strtoll(text, &end, 10) : PIECE_BYTES;
  if (grid->piece_bytes < 4096 || grid->piece_bytes > PIECE_BYTES || grid->piece_bytes % 4096 || (end && *end))
    return weft__dist_fail(WEFT_ERROR_ARGUMENT, "WEFT_DIST_PIECE",
                           "WEFT_DIST_PIECE is `%s`; expected bytes, a multiple of 4096 from 4096 to %lld", text,
                           (long long)PIECE_BYTES);
  return WEFT_OK;
}

void weft__dist_libraries(const char **nccl, const char **driver) {
  *nccl = weft__getenv("WEFT_NCCL_LIBRARY");
  *driver = weft__getenv("WEFT_CUDA_LIBRARY");
  if (!*nccl || !**nccl) *nccl = "libnccl.so.2";
  if (!*driver || !**driver) *driver = "libcuda.so.1";
}

bool weft__dist_tries_gpu_text(void) {
  const char *quirks = weft__getenv("WEFT_QUIRKS");
  return quirks && strstr(quirks, "gpu_kernels");
}

static weft_status read_settings(weft_dist *grid, const weft_dist_params *params) {
  const char *checks = weft__getenv("WEFT_DIST_CHECKS"), *timeout = weft__getenv("WEFT_DIST_TIMEOUT"),
             *progress = weft__getenv("WEFT_PROGRESS");
  grid->checks = !params->checks_off && !(checks && strcmp(checks, "0") == 0);
  grid->shows_progress = progress && progress[0] && strcmp(progress, "0") != 0;
  const char *transport = weft__getenv("WEFT_DIST_TRANSPORT");
  grid->transport_name = transport && transport[0] ? transport : NULL;
  WEFT__TRY_RETURN(read_piece(grid));
  grid->timeout_s = params->timeout_s;
  if (grid->timeout_s == 0 && timeout) {
    char *end;
    grid->timeout_s = strtod(timeout, &end);
    if (end == timeout || *end || !(grid->timeout_s > 0))
      return weft__dist_fail(WEFT_ERROR_ARGUMENT, "WEFT_DIST_TIMEOUT",
                             "WEFT_DIST_TIMEOUT is `%s`; expected seconds, such as 60", timeout);
  }
  if (grid->timeout_s == 0) grid->timeout_s = 300;
  if (!(grid->timeout_s > 0))
    return weft__dist_fail(WEFT_ERROR_ARGUMENT, "timeout_s", "`.timeout_s` is %g; expected seconds above 0",
                           grid->timeout_s);
  return WEFT_OK;
}

/* ---- begin and end ---- */

/// NCCL gives its communicator up only with all ranks; they come within the time limit, or it stays.
static void part(weft_dist *grid) {
  MPI_Request request;
  if (!grid->nccl) return;
  if (MPI_Ibarrier(grid->comm, &request) || weft__dist_wait(grid, 1, &request))
    weft_log_write(WEFT_LOG_WARNING, "weft_dist_release: not all ranks have come; NCCL's communicator stays");
  else
    weft__dist_nccl_close(grid);
}

/// Waits for no other rank: shared memory stays with the ranks that still have it. MPI may still read and write the
/// memory of a lost grid, so all of it stays until the program ends.
static void free_grid(weft_dist *grid) {
  int is_finalized = 0;
  MPI_Finalized(&is_finalized);
  if (!is_finalized && grid->comm != MPI_COMM_NULL && !grid->lost[0]) part(grid);
  if (grid->lost[0]) {
    weft_log_write(WEFT_LOG_INFO, "weft_dist_release: the grid is lost; its communicators and buffers stay");
  } else if (!is_finalized && grid->comm != MPI_COMM_NULL) {
    weft__dist_board_free(grid);
    if (grid->host != MPI_COMM_NULL) MPI_Comm_free(&grid->host);
    MPI_Comm_free(&grid->comm);
    weft__dist_mail_free(grid);
    weft__dist_ring_close(grid);
    weft__dist_rooms_free(grid);
  }
  weft__dist_kernels_free(grid);
  weft_context_release(&grid->context);
  grid->magic = RELEASED;
  if (grid->lost[0]) return; /* MPI may still write the communicator that it was to make */
  free(grid->room);
  free(grid);
}

static weft_status create(weft_dist *grid, MPI_Comm comm, const weft_dist_params *params) {
  WEFT__TRY_RETURN(read_settings(grid, params));
  WEFT__TRY_RETURN(duplicate(grid, comm));
  describe_mpi(grid);
  WEFT__TRY_RETURN(weft__dist_board_make(grid));
  const weft_status rc = open_context(grid, params);
  WEFT__TRY_RETURN(
      weft__dist_rendezvous(grid, &(weft__dist_call){.function = "weft_dist_create", .site = params->site}, rc));
  return weft__dist_transport_choose(grid);
}

weft_status weft__dist_create_at(weft_dist **out, MPI_Comm comm, const weft_dist_params *params) {
  const weft_dist_params options = params ? *params : (weft_dist_params){0};
  weft_dist *grid = NULL;
  weft_status rc;
  weft__dist_enter("weft_dist_create", options.site);
  if (!out || *out)
    WEFT__TRY(weft__dist_fail(WEFT_ERROR_ARGUMENT, "out", "`out` is %s; expected the address of a NULL handle",
                              out ? "the address of a live handle" : "NULL"));
  WEFT__TRY(check_mpi(comm));
  if (!(grid = weft__dist_new(1, sizeof *grid))) WEFT__TRY(WEFT_ERROR_HOST_MEMORY);
  grid->magic = MAGIC;
  grid->references = 1;
  grid->start_s = weft__dist_now_s();
  grid->comm = grid->host = MPI_COMM_NULL;
  WEFT__TRY(create(grid, comm, &options));
  *out = grid;
  grid = NULL;
done:
  if (grid) free_grid(grid);
  return weft__dist_leave(rc);
}

weft_dist *weft__dist_retain(weft_dist *grid) {
  atomic_fetch_add(&grid->references, 1);
  return grid;
}

void weft_dist_release(weft_dist **grid) {
  if (!grid || !*grid) return;
  if ((*grid)->magic == MAGIC && atomic_fetch_sub(&(*grid)->references, 1) == 1) free_grid(*grid);
  *grid = NULL;
}

weft_status weft_dist_get(weft_dist_info *info, const weft_dist *grid) {
  weft_device_info device;
  weft_status rc;
  weft__dist_enter("weft_dist_get", NULL);
  if (!info) WEFT__TRY(weft__dist_fail(WEFT_ERROR_ARGUMENT, "info", "`info` is NULL"));
  WEFT__TRY(weft__dist_check_grid(grid));
  WEFT__TRY(weft_context_get_device(&device, grid->context));
  *info = (weft_dist_info){.rank = grid->rank,
                           .ranks = grid->ranks,
                           .host_rank = grid->host_rank,
                           .host_ranks = grid->host_ranks,
                           .context = grid->context,
                           .transport = grid->transport->what};
  memcpy(info->host, grid->host_name, sizeof info->host);
  memcpy(info->mpi, grid->mpi_name, sizeof info->mpi);
  snprintf(info->device, sizeof info->device, "%s", device.name);
done:
  return weft__dist_leave(rc);
}
