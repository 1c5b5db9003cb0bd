// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE /* the size of a terminal */
#include "cli/base/progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/secure.h"
#include "base/text.h"
#include "cli/base/text_table.h"

#define ERASE "\r\033[K"
#define GREEN "\033[32m"
#define PLAIN "\033[0m"

enum {
  NAME = 96,       /* bytes of a copied text */
  QUIET_MS = 1000, /* shorter work shows nothing */
  TURN_MS = 200,   /* between two drawings: rare enough to leave measurements alone */
  NARROW = 20,     /* no line on a narrower terminal */
  WIDEST = 120,    /* no longer line on a wider one */
  BAR_LEAST = 10,
  BAR_MOST = 30,
  BAR_STEP = 5, /* the bar keeps its length while the figures become longer */
};

/// The one line of the process. `lock` guards all but the atomic members.
static struct {
  pthread_mutex_t lock;
  pthread_cond_t end;
  pthread_t thread;
  bool is_on;            /* between begin and end */
  bool has_thread;       /* it is drawn */
  bool output_is_beside; /* standard output is a terminal too */
  bool is_away;          /* output has taken its place, until the next part of the work */
  char what[NAME], unit[NAME], part[NAME];
  uint64_t done, total;
  double start;
  atomic_bool is_shown;   /* the terminal shows it */
  atomic_bool is_drawing; /* the thread writes */
  atomic_bool is_quiet;   /* a signal handler has erased it for good */
} line = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const int endings[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
enum { ENDINGS = sizeof endings / sizeof *endings };
static struct sigaction before[ENDINGS];

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void copy_text(char to[NAME], const char *from) {
  snprintf(to, NAME, "%s", from ? from : "");
}

/* ---- the line's text ---- */

static void add_duration(weft__text *text, double seconds) {
  uint64_t s = (uint64_t)(seconds + 0.5);
  if (s < 60)
    weft__text_add(text, "%u s", (unsigned)s);
  else if (s < 3600)
    weft__text_add(text, "%u:%02u min", (unsigned)(s / 60), (unsigned)(s % 60));
  else
    weft__text_add(text, "%llu:%02u h", (unsigned long long)(s / 3600), (unsigned)(s / 60 % 60));
}

/// "5/21 rows, 0.8 rows/s" or "1.5 GiB of 3.0 GiB, 640.0 MiB/s".
static void add_counts(weft__text *text, double seconds) {
  double rate = seconds > 0 ? (double)line.done / seconds : 0;
  if (strcmp(line.unit, "bytes") == 0) {
    weft__text_add_size(text, line.done);
    weft__text_add(text, " of ");
    weft__text_add_size(text, line.total);
    if (line.done) weft__text_add(text, ", ");
    if (line.done) weft__text_add_size(text, (uint64_t)rate);
    if (line.done) weft__text_add(text, "/s");
  } else {
    weft__text_add(text, "%llu/%llu %s", (unsigned long long)line.done, (unsigned long long)line.total, line.unit);
    if (line.done) weft__text_add(text, ", %.*f %s/s", rate < 10 ? 1 : 0, rate, line.unit);
  }
}

static void add_bar(weft__text *text, int width, double share, bool has_colour) {
  int filled = (int)(share * width);
  weft__text_add(text, " [%s", has_colour ? GREEN : "");
  weft__text_fill(text, '#', (size_t)filled);
  weft__text_add(text, "%s", has_colour ? PLAIN : "");
  weft__text_fill(text, '.', (size_t)(width - filled));
  weft__text_add(text, "]");
}

/// Appends the line, at most `columns` wide. What does not fit is left out: first the part in work, then the bar.
static void write_line(weft__text *text, int columns, double seconds, bool has_colour) {
  weft__text tail = {0};
  double share = line.total ? (double)line.done / (double)line.total : 0;
  if (share > 1) share = 1;
  if (!line.total) {
    weft__text_add(&tail, " ");
    add_duration(&tail, seconds);
  } else {
    weft__text_add(&tail, " %3.0f%%, ", 100 * share);
    add_counts(&tail, seconds);
    if (line.done && line.done < line.total) {
      weft__text_add(&tail, ", ");
      add_duration(&tail, seconds * (1 - share) / share);
      weft__text_add(&tail, " left");
    }
  }
  int room = columns - (int)strlen(line.what) - (int)tail.length;
  int part = *line.part ? (int)strlen(line.part) + 2 : 0;
  bool has_part = part && room >= part + (line.total ? BAR_LEAST + 3 : 0);
  int bar = room - (has_part ? part : 0) - 3;
  bar -= bar % BAR_STEP;
  if (bar > BAR_MOST) bar = BAR_MOST;
  weft__text_add(text, "%.*s", columns, line.what);
  if (line.total && bar >= BAR_LEAST) add_bar(text, bar, share, has_colour);
  if (room < 0 && columns > (int)strlen(line.what)) /* a narrow terminal: the beginning of the figures */
    weft__text_add(text, "%.*s", columns - (int)strlen(line.what), weft__text_chars(&tail));
  else if (room >= 0)
    weft__text_add(text, "%s", weft__text_chars(&tail));
  if (has_part) weft__text_add(text, ", %s", line.part);
  text->failed = text->failed || tail.failed;
  weft__text_free(&tail);
}

/* ---- drawing ---- */

static int columns_now(void) {
  struct winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 79;
  return size.ws_col <= WIDEST ? size.ws_col - 1 : WIDEST; /* a full line would wrap on some terminals */
}

static void erase(void) {
  if (!atomic_exchange(&line.is_shown, false)) return;
  ssize_t ignored = write(STDERR_FILENO, ERASE, sizeof ERASE - 1);
  (void)ignored;
}

/// A background process must not write over the shell's line.
static bool is_in_foreground(void) {
  pid_t group = tcgetpgrp(STDERR_FILENO);
  return group < 0 || group == getpgrp();
}

static void draw(double seconds) {
  weft__text text = {0};
  int columns = columns_now();
  if (columns < NARROW || !is_in_foreground()) return;
  weft__text_add(&text, "\r");
  write_line(&text, columns, seconds, table_has_colour(STDERR_FILENO));
  weft__text_add(&text, "\033[K");
  atomic_store(&line.is_drawing, true);
  if (!text.failed && !atomic_load(&line.is_quiet)) {
    ssize_t written = write(STDERR_FILENO, text.chars, text.length);
    if (written > 0) atomic_store(&line.is_shown, true);
  }
  atomic_store(&line.is_drawing, false);
  weft__text_free(&text);
}

static void *redraw(void *unused) {
  (void)unused;
  pthread_mutex_lock(&line.lock);
  while (line.is_on) {
    double seconds = seconds_now() - line.start;
    struct timespec until;
    if (1e3 * seconds >= QUIET_MS && !line.is_away) draw(seconds);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += TURN_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
      until.tv_nsec -= 1000000000L;
      until.tv_sec++;
    }
    pthread_cond_timedwait(&line.end, &line.lock, &until);
  }
  pthread_mutex_unlock(&line.lock);
  return NULL;
}

/* ---- signals ---- */

void cli_progress_erase_in_handler(void) {
  atomic_store(&line.is_quiet, true);
  for (int i = 0; i < 100 && atomic_load(&line.is_drawing); i++)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* the thread's write would follow the erasing */
  erase();
}

/// Erases the line and lets the signal take its normal effect. After a stop the line returns.
static void on_ending(int number) {
  struct sigaction ours;
  sigset_t mask;
  cli_progress_erase_in_handler();
  sigaction(number, &(struct sigaction){.sa_handler = SIG_DFL}, &ours);
  sigemptyset(&mask);
  sigaddset(&mask, number);
  raise(number);
  pthread_sigmask(SIG_UNBLOCK, &mask, NULL); /* here the process ends or stops */
  sigaction(number, &ours, NULL);
  atomic_store(&line.is_quiet, false);
}

static void catch_signals(void) {
  struct sigaction ours = {.sa_handler = on_ending, .sa_flags = SA_RESTART};
  sigemptyset(&ours.sa_mask);
  for (int i = 0; i < ENDINGS; i++) {
    /* signals that the parent ignored stay ignored, as with nohup */
    if (sigaction(endings[i], NULL, &before[i]) == 0 && before[i].sa_handler == SIG_DFL)
      sigaction(endings[i], &ours, NULL);
  }
}

static void release_signals(void) {
  for (int i = 0; i < ENDINGS; i++) {
    struct sigaction now; /* handlers that a driver installed stay */
    if (sigaction(endings[i], NULL, &now) == 0 && now.sa_handler == on_ending) sigaction(endings[i], &before[i], NULL);
  }
}

/* ---- the calls ---- */

static bool start_thread(void) {
  pthread_condattr_t monotonic;
  sigset_t all, mask;
  if (pthread_condattr_init(&monotonic)) return false;
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  bool made = pthread_cond_init(&line.end, &monotonic) == 0;
  pthread_condattr_destroy(&monotonic);
  if (!made) return false;
  sigfillset(&all); /* handlers run in the other threads: they may wait for this one */
  pthread_sigmask(SIG_SETMASK, &all, &mask);
  made = pthread_create(&line.thread, NULL, redraw, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  if (!made) pthread_cond_destroy(&line.end);
  return made;
}

void cli_progress_begin(const char *what, uint64_t total, const char *unit) {
  const char *terminal = weft__getenv("TERM");
  cli_progress_end();
  copy_text(line.what, what);
  copy_text(line.unit, unit);
  copy_text(line.part, NULL);
  line.done = 0;
  line.total = total;
  line.start = seconds_now();
  line.is_on = true;
  line.is_away = false;
  atomic_store(&line.is_quiet, false);
  if (!isatty(STDERR_FILENO) || !terminal || !*terminal || strcmp(terminal, "dumb") == 0) return;
  line.output_is_beside = isatty(STDOUT_FILENO);
  catch_signals();
  line.has_thread = start_thread();
  if (!line.has_thread) release_signals();
}

void cli_progress_at(uint64_t done, const char *part) {
  if (!line.has_thread) return;
  pthread_mutex_lock(&line.lock);
  line.done = done;
  line.is_away = false;
  if (part) copy_text(line.part, part);
  pthread_mutex_unlock(&line.lock);
}

void cli_progress_end(void) {
  pthread_mutex_lock(&line.lock);
  line.is_on = false;
  if (line.has_thread) pthread_cond_signal(&line.end);
  pthread_mutex_unlock(&line.lock);
  if (!line.has_thread) return;
  pthread_join(line.thread, NULL);
  pthread_cond_destroy(&line.end);
  line.has_thread = false;
  erase();
  release_signals();
}

bool cli_progress_is_on(void) {
  return line.is_on;
}

void cli_progress_before_output(void) {
  if (!line.has_thread || !line.output_is_beside) return;
  pthread_mutex_lock(&line.lock);
  line.is_away = true;
  erase();
  pthread_mutex_unlock(&line.lock);
}
