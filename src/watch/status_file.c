// SPDX-License-Identifier: MIT
#include "watch/status_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/file.h"
#include "base/log.h"
#include "base/secure.h"
#include "context/context.h"
#include "machine/proc.h"

enum { PERIOD_MS = 500 };

/// A process is busy if it uses more than this part of a processor, 1 / 20, even if it enqueues nothing.
enum { BUSY_PART = 20 };

/// The interval of writes while the process only uses processor time.
#define REFRESH_NS 10000000000

/// A published context.
typedef struct status_file {
  struct status_file *next;
  weft_context *context;
  int number;
  uint64_t counted;   /* a sum of counters; it differs after a change */
  int64_t started_ns; /* Unix times */
  int64_t active_ns;  /* last activity of the process */
  int64_t written_ns; /* active_ns of the last write; 0: not written yet */
} status_file;

/// The publisher of this process, started by its first published context. A forked child has no contexts and does not
/// use it.
static struct publisher {
  pthread_mutex_t lock;
  pthread_cond_t wake;
  pthread_t thread;
  bool is_running, stop;
  pid_t pid;
  status_file *first;
  int contexts;                 /* published so far, for numbering */
  int64_t processor_ns;         /* processor time of the process at the last check */
  weft_monitor_process process; /* this process */
  weft__proc_stat stat;
} publisher = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int64_t clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- the folder ---- */

int weft__status_file_folder(int which, bool make) {
  char name[32] = "weft";
  const char *parent = which == 0 ? weft__getenv("XDG_RUNTIME_DIR") : "/tmp";
  struct stat found;
  if (!parent || parent[0] != '/') return -1;
  if (which != 0) snprintf(name, sizeof name, "weft-%u", (unsigned)geteuid());
  int outer = weft__file_above_output(open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (outer < 0) return -1;
  /* write nothing into another user's folder, even if the environment names it */
  if (which == 0 && (fstat(outer, &found) != 0 || found.st_uid != geteuid())) {
    close(outer);
    errno = EACCES;
    return -1;
  }
  if (make) mkdirat(outer, name, 0700);
  int folder = weft__file_above_output(openat(outer, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  close(outer);
  if (folder < 0) return -1;
  if (fstat(folder, &found) == 0 && found.st_uid == geteuid() && (found.st_mode & 077) == 0) return folder;
  close(folder);
  errno = EACCES;
  return -1;
}

static int open_folder(void) {
  int folder = -1;
  for (int i = 0; i < WEFT__STATUS_FILE_FOLDERS && folder < 0; i++) folder = weft__status_file_folder(i, true);
  return folder;
}

/* ---- a file ---- */

static uint64_t kernel_bytes(weft__ledger *ledger) {
  weft__ledger_row *rows;
  size_t count;
  uint64_t bytes = 0;
  weft__ledger_sum(ledger, WEFT__LEDGER_PROGRAM, WEFT__LEDGER_PROGRAM, &rows, &count);
  for (size_t i = 0; i < count; i++) bytes += rows[i].size_bytes;
  free(rows);
  return bytes;
}

static void describe(weft__text *text, const status_file *p, const weft_memory_stats *s) {
  weft__core *core = &p->context->core;
  const weft_device_info *device = &core->device->info;
  weft__ledger_row *rows;
  size_t count;
  weft__text_add(text,
                 "{\"format\": %d, \"pid\": %d, \"pid_namespace\": %" PRIu64 ", \"start_ticks\": %" PRIu64
                 ", \"parent\": %" PRId64,
                 WEFT__STATUS_FILE_FORMAT, (int)publisher.pid, weft__proc_namespace(), publisher.stat.start_ticks,
                 publisher.stat.parent);
  weft__text_add(text, ", \"name\": ");
  weft__text_add_json(text, publisher.process.name);
  weft__text_add(text, ", \"context\": %d, \"device\": ", p->number);
  weft__text_add_json(text, device->name);
  weft__text_add(text, ", \"device_index\": %d, \"pci_bus_id\": ", device->index);
  weft__text_add_json(text, device->pci_bus_id);
  weft__text_add(text, ", \"started_ns\": %" PRId64 ", \"active_ns\": %" PRId64, p->started_ns, p->active_ns);
  weft__text_add(text, ", \"active_bytes\": %" PRIu64 ", \"held_bytes\": %" PRIu64 ", \"peak_active_bytes\": %" PRIu64,
                 s->active_bytes, s->held_bytes, s->peak_active_bytes);
  weft__text_add(text, ", \"kernel_programs\": %" PRIu64 ", \"kernel_bytes\": %" PRIu64,
                 weft__ledger_count(&core->ledger, WEFT__LEDGER_PROGRAM), kernel_bytes(&core->ledger));
  weft__text_add(text, ", \"launches\": %" PRIu64 ", \"sites\": [", s->launches);
  /* on failure the list stays empty */
  weft__ledger_sum(&core->ledger, WEFT__LEDGER_STORAGE, WEFT__LEDGER_STORAGE, &rows, &count);
  for (size_t i = 0, named = 0; i < count && named < WEFT_MONITOR_SITES; i++) {
    weft__text site = {0};
    if (rows[i].foreign) continue; /* foreign bytes are not part of the live and held figures */
    weft__text_add(&site, rows[i].tag ? "%s (%s)" : "%s", rows[i].site, rows[i].tag);
    weft__text_add(text, "%s{\"site\": ", named++ ? ", " : "");
    weft__text_add_json(text, weft__text_chars(&site));
    weft__text_free(&site);
    weft__text_add(text, ", \"storages\": %" PRIu64 ", \"size_bytes\": %" PRIu64 "}", rows[i].count,
                   rows[i].size_bytes);
  }
  weft__text_add(text, "]}\n");
  free(rows);
}

static void file_name(char name[48], const status_file *p) {
  snprintf(name, 48, "%d-%d.json", (int)publisher.pid, p->number);
}

/// Writes the file. Returns false, with errno set, on failure.
static bool write_file(const status_file *p, const weft__text *text) {
  weft__new_file file;
  char name[48];
  int folder = open_folder();
  if (folder < 0) return false;
  file_name(name, p);
  int why = weft__new_file_begin(&file, folder, name, WEFT__FILES_ONLY);
  close(folder);
  if (why == 0) why = weft__new_file_write(&file, text->chars, text->length);
  if (why == 0) why = weft__new_file_end(&file, false); /* no sync: the file is of use only while the process lives */
  weft__new_file_drop(&file);
  errno = why == WEFT__NOT_A_FILE ? EEXIST : why;
  return why == 0;
}

static void remove_file(const status_file *p) {
  char name[48];
  file_name(name, p);
  /* in both folders, because the chosen folder may have changed */
  for (int i = 0; i < WEFT__STATUS_FILE_FOLDERS; i++) {
    int folder = weft__status_file_folder(i, false);
    if (folder < 0) continue;
    unlinkat(folder, name, 0);
    close(folder);
  }
}

/// Checks a context and rewrites its file if it is out of date.
static bool look(status_file *p, bool process_is_busy) {
  weft_memory_stats s;
  weft__text text = {0};
  weft__pool_stats(&p->context->pool, &s);
  /* the counters only grow, so successive sums are not equal by chance */
  uint64_t counted =
      s.allocations + s.launches + s.to_device_bytes + s.to_host_bytes + s.active_bytes + s.managed_bytes;
  bool changed = p->written_ns == 0 || counted != p->counted;
  if (changed || process_is_busy) p->active_ns = clock_ns(CLOCK_REALTIME);
  p->counted = counted;
  if (!changed && p->active_ns - p->written_ns < REFRESH_NS) return true;
  describe(&text, p, &s);
  bool ok = !text.failed && write_file(p, &text);
  if (ok) p->written_ns = p->active_ns;
  weft__text_free(&text);
  return ok;
}

/* ---- the thread ---- */

static void *run(void *unused) {
  (void)unused;
  pthread_mutex_lock(&publisher.lock);
  while (!publisher.stop) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += PERIOD_MS * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (publisher.first)
      pthread_cond_timedwait(&publisher.wake, &publisher.lock, &until);
    else
      pthread_cond_wait(&publisher.wake, &publisher.lock);
    if (publisher.stop) break;
    int64_t used = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    bool busy = used - publisher.processor_ns > PERIOD_MS * (int64_t)1000000 / BUSY_PART;
    publisher.processor_ns = used;
    for (status_file *p = publisher.first; p; p = p->next) look(p, busy);
  }
  pthread_mutex_unlock(&publisher.lock);
  return NULL;
}

/// Runs when the process ends or unloads the library. Contexts may still be alive.
static void leave(void) {
  if (getpid() != publisher.pid) return;
  pthread_mutex_lock(&publisher.lock);
  bool running = publisher.is_running;
  publisher.stop = true;
  publisher.is_running = false;
  pthread_cond_signal(&publisher.wake);
  pthread_mutex_unlock(&publisher.lock);
  if (running) pthread_join(publisher.thread, NULL);
  pthread_mutex_lock(&publisher.lock);
  while (publisher.first) {
    status_file *p = publisher.first;
    publisher.first = p->next;
    remove_file(p);
    free(p);
  }
  pthread_mutex_unlock(&publisher.lock);
}

/// Starts the thread, with the lock held. Returns false, with errno set, if no thread can be created.
static bool start(void) {
  pthread_condattr_t attributes;
  sigset_t all, before;
  if (publisher.is_running) return true;
  if (publisher.stop) return false; /* the process is ending */
  publisher.pid = getpid();
  publisher.process.pid = publisher.pid;
  publisher.processor_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  weft__proc_describe(&publisher.process);
  weft__proc_stat_read(&publisher.stat, publisher.pid);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&publisher.wake, &attributes);
  pthread_condattr_destroy(&attributes);
  /* the program's signals must reach its own threads */
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  int code = pthread_create(&publisher.thread, NULL, run, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = code;
  publisher.is_running = code == 0;
  if (code == 0) atexit(leave);
  return code == 0;
}

weft_status weft__status_file_begin(weft_context *context) {
  if (!weft__environment_flag(WEFT__ENV_TOP)) return WEFT_OK;
  status_file *p = calloc(1, sizeof *p);
  pthread_mutex_lock(&publisher.lock);
  bool ok = p && start();
  if (ok) {
    *p = (status_file){.context = context, .number = publisher.contexts++, .started_ns = clock_ns(CLOCK_REALTIME)};
    ok = look(p, false);
  }
  int code = errno;
  if (ok) {
    p->next = publisher.first;
    publisher.first = p;
    pthread_cond_signal(&publisher.wake);
  }
  pthread_mutex_unlock(&publisher.lock);
  if (ok) return WEFT_OK;
  free(p);
  weft__log(WEFT_LOG_WARNING,
            "WEFT_TOP=%s: the context is not published: neither XDG_RUNTIME_DIR/weft nor /tmp/weft-%u can be written, "
            "or is this user's "
            "alone (%s)",
            weft__environment_text(WEFT__ENV_TOP), (unsigned)geteuid(), strerror(code));
  return WEFT_OK;
}

void weft__status_file_end(weft_context *context) {
  pthread_mutex_lock(&publisher.lock);
  status_file **link = &publisher.first, *p;
  while ((p = *link) && p->context != context) link = &p->next;
  if (p) {
    *link = p->next;
    remove_file(p);
    free(p);
  }
  pthread_mutex_unlock(&publisher.lock);
}
