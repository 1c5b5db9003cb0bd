// SPDX-License-Identifier: MIT
/// Exchange by NCCL, NVIDIA's library for several GPUs, on arrays that CUDA sees. If one of the ranks' arrays is not in
/// such memory, as large ones where the quirk small_imports holds, all go in pieces through a buffer that is. NCCL is
/// loaded at run time; nothing of it is needed to build. Its work is in the order of the context's CUDA stream. Source
/// of names, types and values: NCCL's manual, 2.18.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/secure.h"
#include "dist/transport.h"

typedef struct ncclComm *communicator;
typedef struct CUctx_st *cuda_context;
typedef struct CUstream_st *cuda_stream;

/// What the ranks need to find each other.
typedef struct unique_id {
  char bytes[128];
} unique_id;

/* The buffer has a half for sending and one for receiving; in each, every other rank has a part. */
#define HALF_BYTES ((int64_t)32 << 20)

enum { SUCCESS = 0, IN_PROGRESS = 7, BYTES = 1, CUDA_NOT_READY = 600 };

// clang-format off
/* member, symbol, parameters */
#define NCCL_CALLS(X) \
  X(get_id, "ncclGetUniqueId", (unique_id *id)) \
  X(init, "ncclCommInitRank", (communicator *out, int ranks, unique_id id, int rank)) \
  X(destroy, "ncclCommDestroy", (communicator comm)) \
  X(state, "ncclCommGetAsyncError", (communicator comm, int *code)) \
  X(begin, "ncclGroupStart", (void)) \
  X(end, "ncclGroupEnd", (void)) \
  X(send, "ncclSend", (const void *data, size_t count, int type, int peer, communicator comm, cuda_stream stream)) \
  X(receive, "ncclRecv", (void *data, size_t count, int type, int peer, communicator comm, cuda_stream stream))
/* of CUDA's driver: NCCL works on the thread's current context */
#define CUDA_CALLS(X) \
  X(context_of, "cuStreamGetCtx", (cuda_stream stream, cuda_context *out)) \
  X(push, "cuCtxPushCurrent_v2", (cuda_context context)) \
  X(pop, "cuCtxPopCurrent_v2", (cuda_context *out)) \
  X(query, "cuStreamQuery", (cuda_stream stream))
// clang-format on

struct weft__dist_nccl {
#define MEMBER(name, symbol, parameters) int(*name) parameters;
  NCCL_CALLS(MEMBER)
  CUDA_CALLS(MEMBER)
#undef MEMBER
  const char *(*text_of)(int code);
  communicator comm; /* NULL: not made */
  cuda_context context;
  cuda_stream stream;
  weft_array *buffer;
  char *buffer_data; /* for CUDA */
  bool has_told;
};

/* ---- the libraries ---- */

static bool load(struct weft__dist_nccl *nccl, char why[WEFT__DIST_WHY_BYTES]) {
  const char *chosen, *driver;
  weft__dist_libraries(&chosen, &driver);
  const char *missing = NULL;
  void *cuda = weft__library_open(driver, RTLD_NOW | RTLD_LOCAL);
  void *library = cuda ? weft__library_open(chosen, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!cuda || !library) {
    snprintf(why, WEFT__DIST_WHY_BYTES, "%.190s", dlerror());
    return false;
  }
#define FIND(from, name, symbol) \
  if (!(*(void **)&nccl->name = dlsym(from, symbol))) missing = symbol;
#define FIND_NCCL(name, symbol, parameters) FIND(library, name, symbol)
#define FIND_CUDA(name, symbol, parameters) FIND(cuda, name, symbol)
  NCCL_CALLS(FIND_NCCL)
  CUDA_CALLS(FIND_CUDA)
  FIND(library, text_of, "ncclGetErrorString")
#undef FIND_CUDA
#undef FIND_NCCL
#undef FIND
  if (missing) snprintf(why, WEFT__DIST_WHY_BYTES, "the library has no %s", missing);
  return !missing;
}

static weft_status failed(const struct weft__dist_nccl *nccl, int code, const char *call) {
  return weft__dist_fail(WEFT_ERROR_DIST, NULL, "%s failed: %s", call, nccl->text_of(code));
}

/// With the context as the thread's current one.
static weft_status enter(const struct weft__dist_nccl *nccl) {
  const int code = nccl->push(nccl->context);
  return code ? weft__dist_fail(WEFT_ERROR_DRIVER, NULL, "cuCtxPushCurrent failed with code %d", code) : WEFT_OK;
}

static void leave(const struct weft__dist_nccl *nccl) {
  cuda_context context;
  (void)nccl->pop(&context);
}

/* ---- the buffer ---- */

/// Of a piece for one rank: whole elements.
static int64_t part_bytes(const weft_dist *grid) {
  const int64_t half = grid->piece_bytes < HALF_BYTES ? grid->piece_bytes : HALF_BYTES;
  const int64_t part = half / (grid->ranks > 1 ? grid->ranks - 1 : 1) / 16 * 16;
  return part ? part : 16;
}

static int64_t half_bytes(const weft_dist *grid) {
  return part_bytes(grid) * (grid->ranks > 1 ? grid->ranks - 1 : 1);
}

/// Where piece `k` for, or from, a rank is in an array of this side. False: there is no such piece.
static bool find_piece(int64_t *first, int64_t *stop, const weft_dist *grid, const weft__dist_side *side, int peer,
                       int64_t k) {
  weft__dist_span(first, stop, grid, side, peer);
  *first += k * part_bytes(grid);
  if (*first >= *stop) return false;
  if (*stop - *first > part_bytes(grid)) *stop = *first + part_bytes(grid);
  return true;
}

static int64_t place_of(const weft_dist *grid, int peer, bool receives) {
  const int64_t index = peer < grid->rank ? peer : peer - 1;
  return (receives ? half_bytes(grid) : 0) + index * part_bytes(grid);
}

static weft_status make_buffer(weft_dist *grid) {
  struct weft__dist_nccl *nccl = grid->nccl;
  weft_array *ordinary = NULL;
  void *data;
  weft_status rc;
  WEFT__TRY(weft_empty(&ordinary, grid->context, WEFT_U8, WEFT_SHAPE(2 * half_bytes(grid))));
  WEFT__TRY(weft_cuda_share(&nccl->buffer, ordinary));
  WEFT__TRY(weft_cuda_pointer(&data, nccl->buffer));
  nccl->buffer_data = data;
done:
  weft_array_release(&ordinary);
  return rc;
}

static void tell_once(const weft_dist *grid) {
  struct weft__dist_nccl *nccl = grid->nccl;
  char line[200];
  if (nccl->has_told) return;
  nccl->has_told = true;
  snprintf(line, sizeof line, "rank %d: arrays that are not in CUDA's memory go to NCCL through a buffer of %lld bytes",
           grid->rank, (long long)weft_array_size(nccl->buffer));
  weft_log_write(WEFT_LOG_INFO, line);
}

/// Copies piece `k` of each rank into the buffer, or out of it.
static weft_status copy_pieces(weft__dist_passage *p, int64_t k, bool receives) {
  const weft_dist *grid = p->grid;
  const weft__dist_side *side = receives ? &p->to : &p->from;
  const weft_dtype dtype = weft_array_dtype(side->array);
  const int64_t element = (int64_t)weft_dtype_size_bytes(dtype);
  weft_array *buffer = NULL, *part = NULL, *slot = NULL;
  size_t offset;
  weft_status rc;
  struct _cl_mem *mem = weft_array_cl_mem(grid->nccl->buffer, &offset);
  WEFT__TRY(weft_array_adopt(&buffer, grid->context, mem, offset, dtype, WEFT_SHAPE(2 * half_bytes(grid) / element)));
  for (int peer = 0; peer < grid->ranks; peer++) {
    int64_t first, stop;
    if (peer == grid->rank || !find_piece(&first, &stop, grid, side, peer, k)) continue;
    const int64_t place = place_of(grid, peer, receives);
    WEFT__TRY(weft__dist_part_of(&part, side->array, first, stop));
    WEFT__TRY(weft__dist_part_of(&slot, buffer, place, place + stop - first));
    WEFT__TRY(receives ? weft_copy(&part, slot) : weft_copy(&slot, part));
    weft_release(&part, &slot);
  }
done:
  weft_release(&buffer, &part, &slot);
  return rc;
}

/* ---- open and close ---- */

/// This rank's part: the libraries, memory that CUDA sees, and a stream.
static bool prepare(weft_dist *grid, char why[WEFT__DIST_WHY_BYTES]) {
  weft_status rc;
  if (!(grid->nccl = weft__dist_new(1, sizeof *grid->nccl))) return false;
  WEFT__TRY(make_buffer(grid));
  rc = weft_context_cuda_stream(&grid->nccl->stream, grid->context);
done:
  if (rc) snprintf(why, WEFT__DIST_WHY_BYTES, "%.190s", weft_error_last()->message);
  if (rc || !load(grid->nccl, why)) return false;
  const int code = grid->nccl->context_of(grid->nccl->stream, &grid->nccl->context);
  if (code) snprintf(why, WEFT__DIST_WHY_BYTES, "cuStreamGetCtx failed with code %d", code);
  return !code;
}

/// The ranks' part: they find each other. NCCL refuses two ranks with one GPU.
static bool join(weft_dist *grid, char why[WEFT__DIST_WHY_BYTES]) {
  struct weft__dist_nccl *nccl = grid->nccl;
  struct {
    int code;
    unique_id id;
  } start = {0};
  if (enter(nccl)) return false;
  if (grid->rank == 0) start.code = nccl->get_id(&start.id);
  if (weft__dist_broadcast(grid, &start, sizeof start, 0)) start.code = IN_PROGRESS;
  const int code = start.code ? start.code : nccl->init(&nccl->comm, grid->ranks, start.id, grid->rank);
  leave(nccl);
  if (code) snprintf(why, WEFT__DIST_WHY_BYTES, "NCCL: %.180s", nccl->text_of(code));
  if (code) nccl->comm = NULL;
  return !code;
}

bool weft__dist_nccl_open(weft_dist *grid, char why[WEFT__DIST_WHY_BYTES]) {
  int64_t refused = !prepare(grid, why);
  if (weft__dist_all_most(grid, &refused)) refused = 1;
  if (!refused) return join(grid, why);
  if (!why[0]) snprintf(why, WEFT__DIST_WHY_BYTES, "another rank cannot use it");
  return false;
}

void weft__dist_nccl_close(weft_dist *grid) {
  struct weft__dist_nccl *nccl = grid->nccl;
  if (nccl && nccl->comm && enter(nccl) == WEFT_OK) {
    (void)nccl->destroy(nccl->comm);
    leave(nccl);
  }
  if (nccl) weft_array_release(&nccl->buffer);
  free(nccl);
  grid->nccl = NULL;
}

/* ---- the exchange ---- */

/// Where CUDA finds the message for, or from, a rank, or its piece `k`. NULL: no bytes.
static char *message_of(size_t *size_bytes, const weft__dist_passage *p, int peer, int64_t k, bool receives) {
  const weft_dist *grid = p->grid;
  const weft__dist_side *side = receives ? &p->to : &p->from;
  char *data = receives ? p->recv.data : p->send.data;
  int64_t first, stop;
  if (p->is_unseen) {
    if (!find_piece(&first, &stop, grid, side, peer, k)) return NULL;
    data = grid->nccl->buffer_data + place_of(grid, peer, receives);
  } else {
    weft__dist_span(&first, &stop, grid, side, peer);
    if (first == stop) return NULL;
    data += first;
  }
  *size_bytes = (size_t)(stop - first);
  return data;
}

/// All messages of this rank, or their pieces `k`, as one group: NCCL runs them side by side.
static int post_all(weft__dist_passage *p, int64_t k, const char **call) {
  const weft_dist *grid = p->grid;
  const struct weft__dist_nccl *nccl = grid->nccl;
  int code = nccl->begin();
  *call = "ncclGroupStart";
  if (code) return code;
  for (int distance = 1; distance < grid->ranks && !code; distance++) {
    const int to = (grid->rank + distance) % grid->ranks, from = (grid->rank + grid->ranks - distance) % grid->ranks;
    size_t bytes = 0;
    char *data = message_of(&bytes, p, to, k, false);
    *call = "ncclSend";
    if (data) code = nccl->send(data, bytes, BYTES, to, nccl->comm, nccl->stream);
    if (code) break;
    data = message_of(&bytes, p, from, k, true);
    *call = "ncclRecv";
    if (data) code = nccl->receive(data, bytes, BYTES, from, nccl->comm, nccl->stream);
  }
  const int ended = nccl->end();
  if (!code) *call = "ncclGroupEnd";
  return code ? code : ended;
}

static weft_status post(weft__dist_passage *p, int64_t k) {
  const char *call;
  const struct weft__dist_nccl *nccl = p->grid->nccl;
  if (p->is_unseen) WEFT__TRY_RETURN(copy_pieces(p, k, false));
  WEFT__TRY_RETURN(weft_cuda_stream_after(nccl->stream, p->grid->context));
  WEFT__TRY_RETURN(enter(nccl));
  const int code = post_all(p, k, &call);
  leave(nccl);
  return code ? failed(nccl, code, call) : WEFT_OK;
}

/// Waits as long as the grid waits. After a failure the messages may still be under way; the grid is lost.
static weft_status wait_for(weft_dist *grid) {
  const struct weft__dist_nccl *nccl = grid->nccl;
  const double since_s = weft__dist_now_s();
  WEFT__TRY_RETURN(enter(nccl));
  weft_status rc = WEFT_OK;
  for (;;) {
    int state = SUCCESS;
    const int code = nccl->state(nccl->comm, &state), done = nccl->query(nccl->stream);
    if (code || (state && state != IN_PROGRESS)) WEFT__TRY(failed(nccl, code ? code : state, "the exchange by NCCL"));
    if (done && done != CUDA_NOT_READY)
      WEFT__TRY(weft__dist_fail(WEFT_ERROR_DIST, NULL, "cuStreamQuery failed with code %d", done));
    if (!done) break;
    WEFT__TRY(weft__dist_pause(grid, since_s));
  }
  rc = weft_context_after_cuda(grid->context, nccl->stream);
done:
  leave(nccl);
  return rc;
}

/// Whether this rank has a piece `k`.
static bool has_piece(const weft__dist_passage *p, int64_t k) {
  const weft_dist *grid = p->grid;
  int64_t first, stop;
  for (int r = 0; r < grid->ranks; r++)
    if (r != grid->rank &&
        (find_piece(&first, &stop, grid, &p->from, r, k) || find_piece(&first, &stop, grid, &p->to, r, k)))
      return true;
  return false;
}

weft_status weft__dist_nccl_start(weft__dist_passage *p) {
  if (p->is_unseen) tell_once(p->grid);
  return !p->is_unseen || has_piece(p, 0) ? post(p, 0) : WEFT_OK;
}

weft_status weft__dist_nccl_finish(weft__dist_passage *p) {
  if (!p->is_unseen) return wait_for(p->grid);
  for (int64_t k = 0; has_piece(p, k); k++) {
    if (k > 0) WEFT__TRY_RETURN(post(p, k));
    WEFT__TRY_RETURN(wait_for(p->grid));
    WEFT__TRY_RETURN(copy_pieces(p, k, true));
  }
  return WEFT_OK;
}
