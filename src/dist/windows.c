// SPDX-License-Identifier: MIT
/// Memory of the GPUs of one host that the processes see of each other: each rank sends a file descriptor of its own to
/// the others, over a Unix socket.
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "dist/transport.h"

/* A rank that has sent is not far behind. */
#define WAIT_S 10

/// Where a rank receives. The key shows that a message is not of another process.
typedef struct address {
  char name[64];
  uint64_t key;
} address;

typedef struct message {
  uint64_t key; /* of the receiver */
  int rank;     /* of the sender */
  weft_cuda_handle handle;
} message;

typedef union control {
  char bytes[CMSG_SPACE(sizeof(int))];
  struct cmsghdr header; /* for its alignment */
} control;

static void fill_address(struct sockaddr_un *to, socklen_t *length, const char *name) {
  *to = (struct sockaddr_un){.sun_family = AF_UNIX};
  snprintf(to->sun_path + 1, sizeof to->sun_path - 1, "%s", name); /* a leading 0: no file */
  *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
}

/// A socket of this rank; -1: errno says why.
static int open_socket(address *own, const weft_dist *grid) {
  struct sockaddr_un here;
  socklen_t length;
  if (getrandom(&own->key, sizeof own->key, 0) != sizeof own->key) return -1;
  snprintf(own->name, sizeof own->name, "weft-%ld-%d-%016llx", (long)getpid(), grid->rank,
           (unsigned long long)own->key);
  if (getrandom(&own->key, sizeof own->key, 0) != sizeof own->key) return -1; /* the name is no secret */
  const int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  fill_address(&here, &length, own->name);
  const struct timeval wait = {.tv_sec = WAIT_S};
  if (file >= 0 &&
      (setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait) ||
       setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait) || bind(file, (struct sockaddr *)&here, length))) {
    close(file);
    return -1;
  }
  return file;
}

static bool send_handle(int file, const address *to, const message *m) {
  struct sockaddr_un there;
  control room = {{0}};
  struct iovec bytes = {(void *)m, sizeof *m};
  struct msghdr header = {.msg_name = &there,
                          .msg_iov = &bytes,
                          .msg_iovlen = 1,
                          .msg_control = room.bytes,
                          .msg_controllen = sizeof room.bytes};
  fill_address(&there, &header.msg_namelen, to->name);
  struct cmsghdr *files = CMSG_FIRSTHDR(&header);
  files->cmsg_level = SOL_SOCKET;
  files->cmsg_type = SCM_RIGHTS;
  files->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(files), &m->handle.file, sizeof(int));
  return sendmsg(file, &header, MSG_NOSIGNAL) == (ssize_t)sizeof *m;
}

/// The next message of a rank, whose file descriptor is the caller's; others are dropped.
static bool receive_handle(message *m, int file, const address *own, const weft_dist *grid) {
  for (;;) {
    control room = {{0}};
    struct iovec bytes = {m, sizeof *m};
    struct msghdr header = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof room.bytes};
    const ssize_t got = recvmsg(file, &header, MSG_CMSG_CLOEXEC);
    if (got < 0) return false;
    const struct cmsghdr *files = CMSG_FIRSTHDR(&header);
    const bool has_file = files && files->cmsg_level == SOL_SOCKET && files->cmsg_type == SCM_RIGHTS &&
                          files->cmsg_len == CMSG_LEN(sizeof(int));
    int sent = -1;
    if (has_file) memcpy(&sent, CMSG_DATA(files), sizeof sent);
    m->handle.file = sent;
    if (has_file && got == (ssize_t)sizeof *m && m->key == own->key && m->rank >= 0 && m->rank < grid->ranks)
      return true;
    if (has_file) close(sent);
  }
}

/// Sends the handle to all other ranks, and makes arrays of theirs.
static bool trade_handles(weft_array **windows, const weft_dist *grid, int file, const address *all,
                          const weft_cuda_handle *mine, int64_t size_bytes, char why[WEFT__DIST_WHY_BYTES]) {
  message m;
  for (int r = 0; r < grid->ranks; r++) {
    m = (message){all[r].key, grid->rank, *mine};
    if (r != grid->rank && !send_handle(file, &all[r], &m)) {
      snprintf(why, WEFT__DIST_WHY_BYTES, "no message reached rank %d over a Unix socket", r);
      return false;
    }
  }
  for (int k = 1; k < grid->ranks; k++) {
    if (!receive_handle(&m, file, &all[grid->rank], grid)) {
      snprintf(why, WEFT__DIST_WHY_BYTES, "no message came from another rank over a Unix socket");
      return false;
    }
    weft_status rc = WEFT_OK;
    if (!windows[m.rank])
      rc = weft_cuda_import(&windows[m.rank], grid->context, WEFT_U8, WEFT_SHAPE(size_bytes), &m.handle);
    close(m.handle.file);
    if (rc) {
      snprintf(why, WEFT__DIST_WHY_BYTES, "%.190s", weft_error_last()->message);
      return false;
    }
  }
  return true;
}

/// The addresses of all ranks. False: some rank is on another host or has no socket.
static bool find_addresses(address *all, weft_dist *grid, int file, const address *own) {
  MPI_Request request;
  int64_t missing = file < 0 || grid->host_ranks != grid->ranks;
  if (weft__dist_all_most(grid, &missing) || missing) return false;
  return !MPI_Iallgather(own, sizeof *own, MPI_BYTE, all, sizeof *all, MPI_BYTE, grid->comm, &request) &&
         weft__dist_wait(grid, 1, &request) == WEFT_OK;
}

bool weft__dist_windows_open(weft_array **windows, weft_dist *grid, const weft_array *mine,
                             char why[WEFT__DIST_WHY_BYTES]) {
  address own = {{0}, 0}, *all = weft__dist_new((size_t)grid->ranks, sizeof *all);
  weft_cuda_handle handle = {.file = -1};
  int file = -1;
  bool works = all && weft_cuda_export(&handle, mine) == WEFT_OK;
  if (!works) snprintf(why, WEFT__DIST_WHY_BYTES, "%.190s", weft_error_last()->message);
  if (works) file = open_socket(&own, grid);
  works = find_addresses(all, grid, file, &own);
  if (!works && !why[0])
    snprintf(why, WEFT__DIST_WHY_BYTES, "the ranks are on several hosts, or one has no Unix socket");
  if (works) works = trade_handles(windows, grid, file, all, &handle, weft_array_size(mine), why);
  if (handle.file >= 0) close(handle.file);
  if (file >= 0) close(file);
  free(all);
  return works;
}
