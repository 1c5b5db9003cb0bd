// SPDX-License-Identifier: MIT
#include "cli/base/capture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

/// The last byte through the pipe. End of file is not enough, because a process started by the driver may keep the pipe
/// open for long. No demo prints this byte.
static const char end_mark = 0;

/// Passes everything on until the end mark. If the output fails, it still reads, because otherwise the driver would
/// wait forever.
static void *pass_on(void *argument) {
  capture *c = argument;
  size_t prefix_length = strlen(c->prefix), column = 0;
  bool matches = true, ended = false; /* threads may write into each other's lines, so the whole line must match */
  char block[65536];
  while (!ended) {
    ssize_t got = read(c->in, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size_t count = (size_t)got;
    const char *end = memchr(block, end_mark, count);
    if (end) {
      count = (size_t)(end - block);
      ended = true;
    }
    for (size_t i = 0; i < count; i++) {
      if (block[i] == '\n') {
        c->lines += matches && column > prefix_length;
        column = 0;
        matches = true;
      } else {
        if (column < prefix_length ? block[i] != c->prefix[column] : !strchr(c->rest, block[i])) matches = false;
        column++;
      }
    }
    if (!c->write_error) c->write_error = weft__file_write(c->output, block, count);
  }
  return NULL;
}

bool capture_start(capture *c, const char *prefix, const char *rest) {
  int ends[2], reason;
  *c = (capture){.prefix = prefix, .rest = rest};
  fflush(stdout);
  if (pipe(ends) != 0) return false;
  c->in = ends[0];
  c->out = ends[1];
  c->output = dup(STDOUT_FILENO);
  if (c->output < 0) goto fail;
  reason = pthread_create(&c->reader, NULL, pass_on, c);
  if (reason) {
    errno = reason;
    goto fail;
  }
  dup2(c->out, STDOUT_FILENO);
  return true;
fail:
  reason = errno;
  if (c->output >= 0) close(c->output);
  close(c->in);
  close(c->out);
  errno = reason;
  return false;
}

void capture_stop(capture *c) {
  fflush(stdout); /* drivers also print through the C library */
  weft__file_write(c->out, &end_mark, 1);
  pthread_join(c->reader, NULL);
  dup2(c->output, STDOUT_FILENO);
  close(c->output);
  close(c->in);
  close(c->out);
}
