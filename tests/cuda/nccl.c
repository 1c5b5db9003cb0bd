// SPDX-License-Identifier: MIT
/// A stand-in for NCCL between processes of one machine: messages are files in a folder, whose name is the unique id.
/// The calls of a group wait for the stream, send all, and then receive. WEFT_TEST_NCCL_FAILS names a function that
/// fails. Source of behaviour: NCCL's manual, 2.18.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "standin.h"

enum { SUCCESS = 0, SYSTEM_ERROR = 2, INVALID_ARGUMENT = 4, INVALID_USAGE = 5, BYTES = 1, MOST_CALLS = 256 };
enum { WAIT_S = 60, NAP_NS = 200000 };

int cuStreamSynchronize(struct CUstream_st *stream);

typedef struct unique_id {
  char bytes[128];
} unique_id;

typedef struct ncclComm {
  char folder[128];
  int ranks, rank;
  long sent[64], received[64]; /* messages to and from each rank */
} * communicator;

typedef struct call {
  bool sends;
  char *data;
  size_t size_bytes;
  int peer;
  communicator comm;
  struct CUstream_st *stream;
} call;

static call calls[MOST_CALLS];
static int call_count, depth;

static bool is_failing(const char *function) {
  const char *name = getenv("WEFT_TEST_NCCL_FAILS");
  return name && strcmp(name, function) == 0;
}
#define BEGIN_NCCL \
  if (is_failing(__func__)) return SYSTEM_ERROR

const char *ncclGetErrorString(int code) {
  return code == SUCCESS ? "no error" : code == SYSTEM_ERROR ? "unhandled system error" : "invalid usage";
}

int ncclGetUniqueId(unique_id *id) {
  BEGIN_NCCL;
  memset(id, 0, sizeof *id);
  const char *folder = getenv("TMPDIR");
  snprintf(id->bytes, sizeof id->bytes, "%.90s/weft-nccl-XXXXXX", folder ? folder : "/tmp");
  return mkdtemp(id->bytes) ? SUCCESS : SYSTEM_ERROR;
}

int ncclCommInitRank(communicator *out, int ranks, unique_id id, int rank) {
  context current;
  BEGIN_NCCL;
  if (standin_current(&current) || !current || ranks > 64) return INVALID_USAGE;
  *out = calloc(1, sizeof **out);
  if (!*out) abort();
  snprintf((*out)->folder, sizeof(*out)->folder, "%.120s", id.bytes);
  (*out)->ranks = ranks;
  (*out)->rank = rank;
  return SUCCESS;
}

int ncclCommDestroy(communicator comm) {
  rmdir(comm->folder); /* the last one finds it empty */
  free(comm);
  return SUCCESS;
}

int ncclCommGetAsyncError(communicator comm, int *code) {
  BEGIN_NCCL;
  *code = comm ? SUCCESS : INVALID_ARGUMENT;
  return SUCCESS;
}

/* ---- messages ---- */

static void name_of(char name[200], communicator comm, int from, int to, long number) {
  snprintf(name, 200, "%s/%d-%d-%ld", comm->folder, from, to, number);
}

static int send_one(const call *c) {
  char name[200], part[208];
  name_of(name, c->comm, c->comm->rank, c->peer, c->comm->sent[c->peer]++);
  snprintf(part, sizeof part, "%s.part", name);
  FILE *file = fopen(part, "wb");
  if (!file) return SYSTEM_ERROR;
  const bool written = fwrite(c->data, 1, c->size_bytes, file) == c->size_bytes;
  return fclose(file) == 0 && written && rename(part, name) == 0 ? SUCCESS : SYSTEM_ERROR;
}

static int receive_one(const call *c) {
  char name[200];
  FILE *file = NULL;
  name_of(name, c->comm, c->peer, c->comm->rank, c->comm->received[c->peer]++);
  for (const time_t start = time(NULL); !(file = fopen(name, "rb"));) {
    if (time(NULL) - start > WAIT_S) return SYSTEM_ERROR;
    nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
  }
  const bool is_whole = fread(c->data, 1, c->size_bytes, file) == c->size_bytes && fgetc(file) == EOF;
  fclose(file);
  unlink(name);
  return is_whole ? SUCCESS : INVALID_USAGE;
}

int ncclGroupStart(void) {
  BEGIN_NCCL;
  depth++;
  return SUCCESS;
}

int ncclGroupEnd(void) {
  int code = SUCCESS;
  if (--depth > 0) return SUCCESS;
  if (is_failing(__func__)) code = SYSTEM_ERROR;
  for (int k = 0; k < call_count && !code; k++)
    if (cuStreamSynchronize(calls[k].stream)) code = SYSTEM_ERROR;
  for (int k = 0; k < call_count && !code; k++)
    if (calls[k].sends) code = send_one(&calls[k]);
  for (int k = 0; k < call_count && !code; k++)
    if (!calls[k].sends) code = receive_one(&calls[k]);
  call_count = 0;
  return code;
}

static int add(call c) {
  if (depth == 0 || call_count == MOST_CALLS || c.peer < 0 || c.peer >= c.comm->ranks) return INVALID_USAGE;
  calls[call_count++] = c;
  return SUCCESS;
}

int ncclSend(const void *data, size_t count, int type, int peer, communicator comm, struct CUstream_st *stream) {
  BEGIN_NCCL;
  return type == BYTES ? add((call){true, (char *)data, count, peer, comm, stream}) : INVALID_ARGUMENT;
}

int ncclRecv(void *data, size_t count, int type, int peer, communicator comm, struct CUstream_st *stream) {
  BEGIN_NCCL;
  return type == BYTES ? add((call){false, data, count, peer, comm, stream}) : INVALID_ARGUMENT;
}
