// SPDX-License-Identifier: MIT
#include "cli/base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void read_all(weft__text *bytes, int descriptor) {
  char block[4096];
  for (;;) {
    ssize_t count = read(descriptor, block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    weft__text_add_bytes(bytes, block, (size_t)count);
  }
}

/// Does not return. The exit handlers of drivers do not run: some of them crash.
_Noreturn static void be_child(int descriptor, const child *c) {
  alarm((unsigned)c->seconds);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* an expected death leaves no core file */
  int messages = c->messages >= 0 ? c->messages : open("/dev/null", O_WRONLY);
  if (messages >= 0) dup2(messages, STDERR_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO); /* output of a driver must not mix with ours */
  int status = c->work(descriptor, c->of);
  fflush(NULL);
  _exit(status);
}

bool child_start(child_process *process, const child *c) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  fflush(NULL); /* otherwise the child would write our buffers again */
  process->pid = fork();
  if (process->pid < 0) {
    int reason = errno;
    close(ends[0]);
    close(ends[1]);
    errno = reason;
    return false;
  }
  if (process->pid == 0) {
    close(ends[0]);
    be_child(ends[1], c);
  }
  close(ends[1]);
  process->descriptor = ends[0];
  return true;
}

void child_wait(child_end *end, const child_process *process) {
  int status = 0;
  while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFSIGNALED(status)) end->signal = WTERMSIG(status);
  if (WIFEXITED(status)) end->exit_status = WEXITSTATUS(status);
  end->answered = WIFEXITED(status) && end->exit_status == 0;
}

bool child_run(weft__text *bytes, child_end *end, const child *c) {
  child_process process;
  *end = (child_end){.seconds = c->seconds};
  if (!child_start(&process, c)) return false;
  read_all(bytes, process.descriptor);
  close(process.descriptor);
  child_wait(end, &process);
  return true;
}

void child_describe_end(weft__text *text, const child_end *end) {
  if (end->signal == SIGALRM)
    weft__text_add(text, "no reply within %d s", end->seconds);
  else if (end->signal)
    weft__text_add(text, "killed by signal %d (%s)", end->signal, strsignal(end->signal));
  else
    weft__text_add(text, "it ended the process, with exit status %d", end->exit_status);
}
