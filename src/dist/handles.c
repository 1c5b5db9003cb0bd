// SPDX-License-Identifier: MIT
/// Handles of memory that the ranks of a host give each other: each rank sends a file descriptor of its own to the
/// next one, over a Unix socket, and passes on what it receives. Memory that is passed so has no name, and is gone with
/// the last process that has it.
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"
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
  int rank;     /* whose handle it is */
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
  const int file = weft__file_above_output(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
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
    sent = weft__file_above_output(sent);
    m->handle.file = sent;
    if (sent >= 0 && got == (ssize_t)sizeof *m && m->key == own->key && m->rank >= 0 && m->rank < grid->ranks)
      return true;
    if (sent >= 0) close(sent);
  }
}

/// The handles go round the host's ranks: each rank sends its own to the next one, then in turn what it receives. If
/// each sent to all, the sockets' queues (net.unix.max_dgram_qlen) would fill up and ranks would wait for each other.
/// Here the rank that has sent least can always send: the next one has taken all but one of its messages.
static bool trade(weft_cuda_handle *handles, const weft_dist *grid, int file, const address *all,
                  const weft_cuda_handle *own, char why[WEFT__DIST_WHY_BYTES]) {
  int next = (grid->rank + 1) % grid->ranks;
  while (!weft__dist_is_near(grid, next)) next = (next + 1) % grid->ranks;
  message m = {.rank = grid->rank, .handle = *own};
  for (int k = 1; k < grid->host_ranks; k++) {
    m.key = all[next].key;
    if (!send_handle(file, &all[next], &m)) {
      snprintf(why, WEFT__DIST_WHY_BYTES, "no message reached rank %d over a Unix socket", next);
      return false;
    }
    if (!receive_handle(&m, file, &all[grid->rank], grid)) {
      snprintf(why, WEFT__DIST_WHY_BYTES, "no message came from another rank over a Unix socket");
      return false;
    }
    if (handles[m.rank].file >= 0) close(handles[m.rank].file);
    handles[m.rank] = m.handle;
  }
  return true;
}

bool weft__dist_handles_trade(weft_cuda_handle *handles, weft_dist *grid, const weft_cuda_handle *own,
                              char why[WEFT__DIST_WHY_BYTES]) {
  address here = {{0}, 0}, *all = weft__dist_new((size_t)grid->ranks, sizeof *all);
  const int file = own->file >= 0 ? open_socket(&here, grid) : -1;
  int64_t missing = !all || file < 0;
  for (int r = 0; r < grid->ranks; r++) handles[r] = (weft_cuda_handle){.file = -1};
  if (missing && !why[0])
    snprintf(why, WEFT__DIST_WHY_BYTES, "%s", all ? "this rank has no Unix socket" : "the host has no memory");
  if (weft__dist_all_most(grid, &missing)) missing = 1;
  if (!missing) {
    missing = weft__dist_gather(grid, all, &here, sizeof here) || !trade(handles, grid, file, all, own, why);
    if (weft__dist_all_most(grid, &missing)) missing = 1;
  }
  if (missing && !why[0]) snprintf(why, WEFT__DIST_WHY_BYTES, "another rank has none");
  if (file >= 0) close(file);
  free(all);
  return !missing;
}

void weft__dist_handles_close(weft_cuda_handle *handles, const weft_dist *grid) {
  for (int r = 0; handles && r < grid->ranks; r++)
    if (handles[r].file >= 0) close(handles[r].file);
  free(handles);
}
