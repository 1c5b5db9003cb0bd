// SPDX-License-Identifier: MIT
/// Exchange by NCCL, NVIDIA's library for several GPUs, on arrays that CUDA sees. It is loaded at run time; nothing of
/// it is needed to build. Its work is in the order of the context's CUDA stream. Source of names, types and values:
/// NCCL's manual, 2.18.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "dist/transport.h"

typedef struct ncclComm *communicator;
typedef struct CUctx_st *cuda_context;
typedef struct CUstream_st *cuda_stream;

/// What the ranks need to find each other.
typedef struct unique_id {
  char bytes[128];
} unique_id;

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
};

/* ---- the libraries ---- */

static bool load(struct weft__dist_nccl *nccl, char why[WEFT__DIST_WHY_BYTES]) {
  const char *chosen, *driver;
  weft__dist_libraries(&chosen, &driver);
  const char *missing = NULL;
  void *cuda = dlopen(driver, RTLD_NOW | RTLD_LOCAL);
  void *library = cuda ? dlopen(chosen, RTLD_NOW | RTLD_LOCAL) : NULL;
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

/* ---- open and close ---- */

/// This rank's part: the libraries, and a stream on an array's device.
static bool prepare(weft_dist *grid, char why[WEFT__DIST_WHY_BYTES]) {
  weft_array *x = NULL;
  void *pointer;
  weft_status rc;
  if (!(grid->nccl = weft__dist_new(1, sizeof *grid->nccl))) return false;
  WEFT__TRY(weft_empty(&x, grid->context, WEFT_U8, WEFT_SHAPE(1)));
  WEFT__TRY(weft_cuda_pointer(&pointer, x));
  rc = weft_context_cuda_stream(&grid->nccl->stream, grid->context);
done:
  weft_array_release(&x);
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
  free(nccl);
  grid->nccl = NULL;
}

/* ---- the exchange ---- */

/// All messages of this rank, as one group: NCCL runs them side by side.
static int post_all(weft__dist_passage *p, const char **call) {
  const weft_dist *grid = p->grid;
  const struct weft__dist_nccl *nccl = grid->nccl;
  int code = nccl->begin();
  *call = "ncclGroupStart";
  if (code) return code;
  for (int k = 1; k < grid->ranks && !code; k++) {
    const int to = (grid->rank + k) % grid->ranks, from = (grid->rank + grid->ranks - k) % grid->ranks;
    int64_t first, stop;
    weft__dist_span(&first, &stop, grid, &p->from, to);
    *call = "ncclSend";
    if (stop > first)
      code =
          nccl->send((const char *)p->send.data + first, (size_t)(stop - first), BYTES, to, nccl->comm, nccl->stream);
    if (code) break;
    weft__dist_span(&first, &stop, grid, &p->to, from);
    *call = "ncclRecv";
    if (stop > first)
      code = nccl->receive((char *)p->recv.data + first, (size_t)(stop - first), BYTES, from, nccl->comm, nccl->stream);
  }
  const int ended = nccl->end();
  if (!code) *call = "ncclGroupEnd";
  return code ? code : ended;
}

weft_status weft__dist_nccl_start(weft__dist_passage *p) {
  const char *call;
  const struct weft__dist_nccl *nccl = p->grid->nccl;
  WEFT__TRY_RETURN(weft_cuda_stream_after(nccl->stream, p->grid->context));
  WEFT__TRY_RETURN(enter(nccl));
  const int code = post_all(p, &call);
  leave(nccl);
  return code ? failed(nccl, code, call) : WEFT_OK;
}

/// Waits as long as the grid waits. After a failure the messages may still be under way; the grid is lost.
weft_status weft__dist_nccl_finish(weft__dist_passage *p) {
  weft_dist *grid = p->grid;
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
