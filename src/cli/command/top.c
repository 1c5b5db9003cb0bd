// SPDX-License-Identifier: MIT
/// `weft top`: shows the devices' load and the users of their memory, once or repeatedly.
#define _DEFAULT_SOURCE /* the size of a terminal */
#include "cli/command/top.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/secure.h"
#include "cli/base/options.h"

#define HOME "\033[H"
#define REST_OF_LINE "\033[K"
#define REST_OF_SCREEN "\033[J"
#define HIDE_CURSOR "\033[?25l"
#define SHOW_CURSOR "\033[?25h"

enum { WIDEST = 120 };

typedef struct wishes {
  double interval_s;
  int64_t count; /* 0: unlimited */
  bool json;
} wishes;

/* ---- the command line ---- */

static int read_wishes(wishes *w, const cli_args *args) {
  const char *interval = cli_value(args, "--interval"), *count = cli_value(args, "--count");
  char *end;
  bool once = cli_flag(args, "--once");
  *w = (wishes){.interval_s = 2, .json = cli_flag(args, "--json")};
  if (once && (interval || count))
    return cli_usage_error(args, "--once and %s do not go together", interval ? "--interval" : "--count");
  if (interval) {
    w->interval_s = strtod(interval, &end);
    if (end == interval || *end || !(w->interval_s >= 0.1 && w->interval_s <= 86400))
      return cli_usage_error(args, "--interval %s: expected seconds, from 0.1 to 86400", interval);
  }
  if (cli_parse_number(&w->count, args, "--count", 1, INT64_MAX) != CLI_OK) return CLI_USAGE;
  /* without a terminal the table is printed once, unless the user asks for more */
  if (once || (!interval && !count && !isatty(STDOUT_FILENO))) w->count = 1;
  return CLI_OK;
}

/* ---- the terminal ---- */

static volatile sig_atomic_t ended, stopped_before;

static void on_end(int number) {
  (void)number;
  ended = 1;
}

static void on_continue(int number) {
  (void)number;
  stopped_before = 1;
}

static void on_resize(int number) {
  (void)number; /* the signal alone ends the pause */
}

/// The terminal's state, to be restored.
typedef struct terminal {
  bool is_screen; /* the table is redrawn in place */
  bool has_keys;  /* `q` is read from standard input */
  struct termios before;
} terminal;

static void take_keys(const terminal *t) {
  struct termios keys = t->before;
  keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  keys.c_cc[VMIN] = 0;
  keys.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &keys);
}

static void begin(terminal *t, const wishes *w) {
  const int endings[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  const char *name = weft__getenv("TERM");
  struct sigaction action = {.sa_handler = on_end};
  *t = (terminal){0};
  if (w->count == 1) return;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    struct sigaction before;
    /* signals that the parent ignored stay ignored, as with nohup */
    if (sigaction(endings[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(endings[i], &action, NULL);
  }
  if (w->json || !isatty(STDOUT_FILENO) || !name || strcmp(name, "dumb") == 0) return;
  t->is_screen = true;
  cli_print(HIDE_CURSOR HOME REST_OF_SCREEN);
  action.sa_flags = SA_RESTART; /* lets the current output finish; the pause ends anyway */
  action.sa_handler = on_continue;
  sigaction(SIGCONT, &action, NULL);
  action.sa_handler = on_resize;
  sigaction(SIGWINCH, &action, NULL);
  /* a background process would be stopped for changing the terminal */
  t->has_keys =
      isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp() && tcgetattr(STDIN_FILENO, &t->before) == 0;
  if (t->has_keys) take_keys(t);
}

static void end(const terminal *t) {
  if (t->has_keys) tcsetattr(STDIN_FILENO, TCSANOW, &t->before);
  if (t->is_screen) cli_print(SHOW_CURSOR);
  cli_flush();
}

static void measure(int *columns, int *lines) {
  struct winsize size;
  *columns = TOP_WIDTH;
  *lines = 0;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return;
  *columns = size.ws_col < WIDEST ? size.ws_col : WIDEST;
  *lines = size.ws_row;
}

/// Draws the text over the screen, as many lines as fit.
static void draw(const char *text, int lines) {
  cli_print(HOME);
  for (int line = 1; *text; line++) {
    size_t length = strcspn(text, "\n");
    weft__text one = {0};
    weft__text_add(&one, "%.*s" REST_OF_LINE, (int)length, text);
    text += length + (text[length] == '\n');
    bool is_last = !*text || line == lines;
    if (!is_last) weft__text_add(&one, "\n");
    cli_print(weft__text_chars(&one));
    weft__text_free(&one);
    if (is_last) break;
  }
  cli_print(REST_OF_SCREEN);
}

/// Pauses until the next turn. True if the user quits.
static bool pause_for(const terminal *t, double seconds) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double until = (double)now.tv_sec + (double)now.tv_nsec * 1e-9 + seconds;
  for (;;) {
    struct pollfd keys = {.fd = t->has_keys ? STDIN_FILENO : -1, .events = POLLIN};
    clock_gettime(CLOCK_MONOTONIC, &now);
    double left = until - (double)now.tv_sec - (double)now.tv_nsec * 1e-9;
    if (ended) return true;
    if (left <= 0) return false;
    int ready = poll(&keys, 1, (int)ceil(left * 1000 < 60000 ? left * 1000 : 60000));
    if (stopped_before) {
      stopped_before = 0;
      if (t->has_keys) take_keys(t);
      if (t->is_screen) cli_print(HIDE_CURSOR);
      return ended;
    }
    if (ready < 0 && errno == EINTR && !ended && t->is_screen) return false; /* the size changed: draw again */
    if (ready > 0) {
      char key = 0;
      ssize_t count = read(STDIN_FILENO, &key, 1);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0 || key == 'q' || key == 'Q') return true;
    }
  }
}

/* ---- the run ---- */

static int show(const cli_args *args, const wishes *w, const terminal *t, int first, int last) {
  top_view view;
  weft__text text = {0};
  int columns, lines, status = CLI_OK;
  weft_status rc = top_read(&view, first, last);
  if (rc == WEFT_ERROR_HOST_MEMORY) return cli_fail(args, "not enough memory");
  if (rc) return cli_report(args);
  measure(&columns, &lines);
  if (w->json)
    top_write_json(&text, &view);
  else
    top_write_table(&text, &view, columns);
  if (text.failed)
    status = cli_fail(args, "not enough memory");
  else if (t->is_screen)
    draw(weft__text_chars(&text), lines);
  else
    cli_print(weft__text_chars(&text));
  cli_flush();
  weft__text_free(&text);
  top_free(&view);
  return status;
}

static int run(const cli_args *args) {
  wishes w;
  weft_device_info device;
  terminal t;
  int count, status = read_wishes(&w, args);
  if (status != CLI_OK) return status;
  /* this explains a driver that dies during the listing, and checks that there is a device */
  if (cli_find_device(&device, args) != WEFT_OK) return CLI_FAILED;
  if (weft_device_count(&count) != WEFT_OK) return cli_report(args);
  bool all = !cli_flag(args, "--device");
  begin(&t, &w);
  for (long turn = 1; !ended; turn++) {
    status = show(args, &w, &t, all ? 0 : device.index, all ? count - 1 : device.index);
    if (status != CLI_OK || cli_output_failed() || turn == w.count || pause_for(&t, w.interval_s)) break;
    if (!w.json && !t.is_screen) cli_print("\n");
  }
  end(&t);
  return status;
}

static const cli_option options[] = {
    {"--once", NULL,
     "shows one update, then exits; default if output is no terminal and neither option below is given"},
    {"--interval", "S", "seconds between two updates (default: 2)"},
    {"--count", "N", "exits after N updates"},
    {"--json", NULL, "prints JSON, a line for each update; sizes in bytes, unknown values null"},
    {0},
};

const cli_command cli_top = {
    .name = "top",
    .synopsis = "",
    .summary = "Shows what the devices are doing and who holds their memory",
    .description =
        "Shows for each device what nvidia-smi shows, from NVML for an NVIDIA GPU and from /proc for a CPU; N/A: not "
        "available.\n"
        "Then the processes that use them: C computes, G draws, D has a CPU device's driver loaded; and the memory of "
        "Weft\n"
        "programs that run with WEFT_TOP=1: in live arrays, held for reuse, the peak, and the source lines that hold "
        "most.\n"
        "A process that holds memory and seems to have finished its work is listed with the command that ends it;\n"
        "`weft top` does not end it. On a terminal the table is redrawn every two seconds, until q or Ctrl-C. Without\n"
        "--device all devices are shown, whatever WEFT_DEVICE says.\n",
    .options = options,
    .run = run,
};
