// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "fault_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <weft/weft.h>

#include "fault_driver.h"

/// A lost device behaves alike at neighbouring calls, so it is lost at every twentieth call.
static long onwards_step = 20; /* 60 if WEFT_FAULT_STEP shortens the run */

/// WEFT_FAULT_STEP=3: this run fails every third call, beginning at a random one of the first three, so that successive
/// runs cover all calls. Unset: 1, every call.
static long step = 1, first_of_step = 0;

/// A program's runs without failures take most of a short run's time, so a short run takes every 40th program.
enum { SHORT_PROGRAMS = 40 };
static long first_program = 0;

static bool is_in_turn(long call) {
  return call % step == first_of_step;
}

static void draw_turn(const fault_suite *of) {
  const char *value = getenv("WEFT_FAULT_STEP");
  struct timespec now;
  step = value != NULL ? strtol(value, NULL, 10) : 1;
  if (step < 1) step = 1;
  if (step > 1) onwards_step = 60;
  clock_gettime(CLOCK_REALTIME, &now);
  first_of_step = (long)now.tv_sec % step;
  long programs = 0; /* the first one is drawn among these, so that a suite of fewer than 40 runs one too */
  while (programs < SHORT_PROGRAMS && of->programs[programs].run != NULL) programs++;
  first_program = (long)(now.tv_nsec / 1000) % programs;
  if (step > 1) {
    printf(
        "every 40th program, from number %ld on, and its calls whose number is %ld more than a multiple of %ld "
        "(WEFT_FAULT_STEP)\n",
        first_program, first_of_step, step);
  }
}
enum { EXIT_SKIP = 77, RUN_SECONDS = 120, MAX_SURVIVORS = 64, MAX_EXPECTED = 8, SHOWN_BYTES = 6000, MAX_PROBLEMS = 25 };

/// Shared by the processes. The parent reads it after a child has ended, crashed or not.
typedef struct shared_state {
  long call; /* the call that fails in the current run, 0 before the first */
  bool onwards;
  bool is_done; /* the sweep has reached its end */
  fault_record now, marked;
  fault_heap_record heap_now, heap_marked;
  long left; /* calls until the run's fault_leave, 0 if it did not call it */
  struct {
    long first, last; /* the calls of one section that is expected to fail */
  } expected[MAX_EXPECTED];
  int expected_count;
  /* totals of the program */
  fault_record cold, warm, warm_marked; /* without failures: the first run in a process, the second run, and the second
                                           up to its mark */
  fault_heap_record heap_cold, heap_warm, heap_warm_marked;
  long unswept; /* calls before the mark, which are not failed */
  long failed[FAULT_KIND_COUNT], survived, refused;
  /* totals of all programs */
  long problems;
  long survivors[MAX_SURVIVORS];
} shared_state;

static shared_state *state;
static const fault_suite *suite;
static const fault_program *program;
static FILE *report; /* the terminal, while the programs' stderr goes to a file */
static int said_fd;  /* that file */
static bool shows_output;

// ---- children ----

void fault_problem(const char *format, ...) {
  va_list arguments;
  if (state->problems++ >= MAX_PROBLEMS) return;
  fputs("PROBLEM: ", report);
  va_start(arguments, format);
  vfprintf(report, format, arguments);
  va_end(arguments);
  fputc('\n', report);
  if (state->problems == MAX_PROBLEMS) fputs("(further ones are only counted)\n", report);
  fflush(report);
}

/// Prints the end of the programs' stderr.
static void show_said(void) {
  static char text[SHOWN_BYTES];
  off_t end = lseek(said_fd, 0, SEEK_END), start = end > SHOWN_BYTES ? end - SHOWN_BYTES : 0;
  ssize_t count = pread(said_fd, text, (size_t)(end - start), start);
  if (count > 0 && state->problems <= MAX_PROBLEMS) fprintf(report, "---- it said:\n%.*s\n----\n", (int)count, text);
  fflush(report);
}

static void forget_said(void) {
  if (ftruncate(said_fd, 0) == 0) lseek(said_fd, 0, SEEK_SET);
}

static void describe_fault(char *text, size_t room) {
  if (state->heap_now.failed > 0) {
    snprintf(text, room, "allocation %ld (%zu bytes)%s", state->call, state->heap_now.size,
             state->onwards ? " and all after it" : "");
  } else if (state->now.failed > 0) {
    snprintf(text, room, "call %ld, %s = %d%s", state->call, state->now.function, state->now.code,
             state->onwards ? " and all after it" : "");
  } else {
    snprintf(text, room, "no call failed");
  }
}

int fault_child(void (*run)(void *), void *argument, const char *what) {
  char fault[160];
  long problems_before = state->problems;
  int status = 0, null = open("/dev/null", O_WRONLY);
  pid_t child;

  state->is_done = false;
  forget_said();
  fflush(NULL);
  child = fork();
  if (child == 0) {
    if (!shows_output) {
      dup2(null, STDOUT_FILENO);
      dup2(said_fd, STDERR_FILENO);
    }
    signal(SIGALRM, SIG_DFL);
    alarm(RUN_SECONDS);
    run(argument);
    state->is_done = true;
    exit(EXIT_SUCCESS); /* not _exit: LeakSanitizer runs at exit */
  }
  close(null);
  if (child < 0) {
    fault_problem("fork: %s", strerror(errno));
    return 1;
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  describe_fault(fault, sizeof fault);
  if (WIFSIGNALED(status)) {
    fault_problem("%s: %s: killed by signal %d (%s)%s", what, fault, WTERMSIG(status), strsignal(WTERMSIG(status)),
                  WTERMSIG(status) == SIGALRM ? ": it hung" : "");
    show_said();
  } else if (!state->is_done) {
    fault_problem("%s: %s: the program ended the process, status %d", what, fault, WEXITSTATUS(status));
    show_said();
  } else if (WEXITSTATUS(status) != 0) {
    fault_problem("%s: exit status %d at the end of the process (a sanitizer?)", what, WEXITSTATUS(status));
    show_said();
  }
  return (int)(state->problems - problems_before);
}

void fault_mark(void) {
  state->marked = state->now;
  state->heap_marked = state->heap_now;
}

static long calls_so_far(void) {
  return suite->heap != NULL ? state->heap_now.calls : state->now.calls;
}

void fault_leave(void) {
  state->left = calls_so_far();
}

void fault_expect(bool failure) {
  if (state->expected_count == MAX_EXPECTED) return;
  if (failure)
    state->expected[state->expected_count].first = calls_so_far() + 1;
  else
    state->expected[state->expected_count++].last = calls_so_far();
}

/// Whether the failed call may leave the run's outcome unchanged.
static bool may_be_survived(void) {
  for (int i = 0; i < state->expected_count; i++) {
    if (state->call >= state->expected[i].first && state->call <= state->expected[i].last) return true;
  }
  return state->left > 0 && state->call > state->left;
}

// ---- one run ----

static long total[FAULT_KIND_COUNT]; /* calls failed one by one, of all programs */

/// Makes the thread allocate its error record before allocations are counted: the thread keeps the record.
static void warm_error_record(bool with_detail) {
  int index;
  weft_status rc = with_detail ? weft_device_find(&index, "a device that no machine has") : weft_device_count(NULL);
  if (rc == WEFT_OK) fault_problem("%s: a call that must fail did not", program->name);
}

static int run_once(long call, bool onwards) {
  fault_plan plan = {.call = suite->heap == NULL ? call : 0, .onwards = onwards};
  const char *words[FAULT_MAX_ARGUMENTS + 1] = {program->name};
  int count = 1, status;
  for (; count <= FAULT_MAX_ARGUMENTS && program->arguments[count - 1] != NULL; count++)
    words[count] = program->arguments[count - 1];

  state->call = call;
  state->onwards = onwards;
  state->left = 0;
  state->expected_count = 0;
  memset(&state->marked, 0, sizeof state->marked);
  memset(&state->heap_marked, 0, sizeof state->heap_marked);
  forget_said();
  if (suite->heap != NULL) warm_error_record(false);
  weft_error_clear();
  alarm(RUN_SECONDS);
  fault_begin(&state->now, &plan);
  if (suite->heap != NULL) suite->heap->begin(&state->heap_now, call, onwards);
  status = program->run(count, (char **)words);
  if (suite->heap != NULL) suite->heap->end();
  fault_end();
  fflush(stdout);
  fflush(stderr);
  return status;
}

static bool check_balance(const char *fault) {
  bool is_even = true;
  for (int i = 0; i < FAULT_OBJECT_COUNT; i++) {
    if (state->now.alive[i] == 0) continue;
    fault_problem("%s: %s: of %ld %s objects made or retained, %ld were %s", program->name, fault,
                  state->now.created[i], fault_object_name(i), labs(state->now.alive[i]),
                  state->now.alive[i] > 0 ? "not released" : "released too often");
    is_even = false;
  }
  return is_even;
}

/// The list entry of survivors for the failed call, or -1.
static int find_survivor(void) {
  const char *function = suite->heap != NULL ? "malloc" : state->now.function;
  const char *device = getenv("WEFT_TEST_DEVICE");
  bool is_gpu = device != NULL && strcmp(device, "gpu") == 0;
  for (int i = 0; i < MAX_SURVIVORS && suite->survivors[i].function != NULL; i++) {
    const fault_survivor *s = &suite->survivors[i];
    if (strcmp(s->function, function) == 0 && (is_gpu || !s->only_gpu) &&
        (s->program == NULL || strcmp(s->program, program->name) == 0)) {
      return i;
    }
  }
  return -1;
}

static bool only_releases_failed(void) {
  return state->now.failed_by_kind[FAULT_RELEASE] + state->now.failed_by_kind[FAULT_UNMAP] == state->now.failed;
}

/// Weft's own source text does not help a user. The source of a user's kernel is shown.
static bool shows_own_source(const weft_error *error) {
  return strcmp(error->function, "weft_kernel_create") != 0 &&
         (strstr(error->detail, " | // SPDX-License-Identifier") || strstr(error->detail, " | #pragma OPENCL"));
}

/// Judges a run with a failure in it.
static void judge(int status) {
  const weft_error *error = weft_error_last();
  long problems_before = state->problems;
  char fault[160];
  describe_fault(fault, sizeof fault);
  check_balance(fault);
  if (status == FAULT_BROKEN) {
    fault_problem("%s: %s: a broken promise", program->name, fault);
  } else if (status != 0) {
    state->refused++;
    if (error->status == WEFT_OK)
      fault_problem("%s: %s: failed without a status", program->name, fault);
    else if (error->message[0] == '\0')
      fault_problem("%s: %s: %s without a text", program->name, fault, weft_status_name(error->status));
    else if (error->status == WEFT_ERROR_INTERNAL)
      fault_problem("%s: %s: %s", program->name, fault, error->message);
    if (error->cl_code != 0 && error->cl_name[0] == '\0')
      fault_problem("%s: %s: code %d without its name", program->name, fault, error->cl_code);
    if (shows_own_source(error))
      fault_problem("%s: %s: shows Weft's own source:\n%s", program->name, fault, error->detail);
    if (suite->heap != NULL && error->status != WEFT_ERROR_HOST_MEMORY) {
      fault_problem("%s: %s: %s instead of WEFT_ERROR_HOST_MEMORY: %s", program->name, fault,
                    weft_status_name(error->status), error->message);
    }
    if (suite->heap == NULL && !state->onwards && error->cl_code != state->now.code &&
        strstr(error->message, weft_cl_code_name(state->now.code)) == NULL) {
      fault_problem("%s: %s: the error does not tell of that code: %s", program->name, fault, error->message);
    }
    if (!program->is_silent && !shows_output && lseek(said_fd, 0, SEEK_CUR) == 0) {
      fault_problem("%s: %s: failed and said nothing", program->name, fault);
    }
  } else {
    int survivor = find_survivor();
    state->survived++;
    if (survivor >= 0)
      state->survivors[survivor]++;
    else if (!may_be_survived() && (suite->heap != NULL || !only_releases_failed()))
      fault_problem("%s: %s: it went on as if nothing had been", program->name, fault);
  }
  if (state->problems > problems_before) show_said();
}

// ---- the runs of one program ----

static long failed_in_run(void) {
  return suite->heap != NULL ? state->heap_now.failed : state->now.failed;
}

static bool run_sound(const char *which) {
  int status = run_once(0, false);
  if (status != 0) {
    fault_problem("%s: the %s run fails (%d) though no call does: %s", program->name, which, status,
                  weft_error_last()->message);
    show_said();
  }
  return check_balance(which) && status == 0;
}

static void run_probe(void *unused) {
  (void)unused;
  if (!run_sound("first")) return;
  state->cold = state->now;
  state->heap_cold = state->heap_now;
  if (!run_sound("second")) return;
  state->warm = state->now;
  state->warm_marked = state->marked;
  state->heap_warm = state->heap_now;
  state->heap_warm_marked = state->heap_marked;
}

static void add_failed(void) {
  for (int i = 0; i < FAULT_KIND_COUNT; i++) state->failed[i] += state->now.failed_by_kind[i];
}

static void run_cold(void *call) {
  int status = run_once(*(long *)call, false);
  if (failed_in_run() == 0) return;
  add_failed();
  judge(status);
}

typedef struct sweep {
  long first;
  bool onwards;
} sweep;

/// Fails all calls from `first` on, in one process.
static void run_sweep(void *argument) {
  const sweep *s = argument;
  long alive = 0;
  bool is_first = true; /* nothing to compare with yet; skipped calls may precede it, so it need not be s->first */
  if (!run_sound("warming")) return;
  if (suite->heap != NULL) warm_error_record(true);
  for (long call = s->first;; call += s->onwards ? onwards_step : 1) {
    if (!s->onwards && !is_in_turn(call)) continue;
    int status = run_once(call, s->onwards);
    if (failed_in_run() == 0) break;
    if (!s->onwards) add_failed();
    judge(status);
    if (suite->heap == NULL) continue;
    weft_error_clear();
    if (!is_first && suite->heap->alive() > alive) {
      fault_problem("%s: allocation %ld failing: %ld blocks leak", program->name, call, suite->heap->alive() - alive);
    }
    alive = suite->heap->alive();
    is_first = false;
  }
}

static void sweep_program(bool onwards) {
  sweep s = {.first = 1 + state->unswept, .onwards = onwards};
  while (s.first > 0) {
    fault_child(run_sweep, &s, program->name);
    // After a crash the next process continues after the crashing call; a process that reached its end leaves nothing
    // to do.
    s.first = state->is_done || state->call < s.first ? 0 : state->call + 1;
  }
}

/// Fewer failures than calls would mean that the sweep missed some calls.
static void check_swept(void) {
  for (int i = 0; i < FAULT_KIND_COUNT; i++) {
    long calls = program->from_mark ? state->warm.calls_by_kind[i] - state->warm_marked.calls_by_kind[i]
                                    : state->cold.calls_by_kind[i];
    if (step > 1 || state->failed[i] >= calls) continue;
    fault_problem("%s: makes %ld calls of kind %s, %ld were failed", program->name, calls,
                  fault_kind_name((fault_kind)i), state->failed[i]);
  }
}

static void print_kinds(const long *counts, bool with_none) {
  for (int i = 0; i < FAULT_KIND_COUNT; i++) {
    if (counts[i] > 0 || with_none) printf(" %s %ld", fault_kind_name((fault_kind)i), counts[i]);
  }
}

static void run_program(void) {
  long calls, first_use = 0, refused, survived;
  memset(&state->cold, 0, offsetof(shared_state, problems) - offsetof(shared_state, cold));
  if (fault_child(run_probe, NULL, program->name) > 0) return;
  calls = suite->heap != NULL ? state->heap_warm.calls : state->warm.calls;
  if (program->from_mark)
    state->unswept = suite->heap != NULL ? state->heap_warm_marked.calls : state->warm_marked.calls;
  else
    first_use = (suite->heap != NULL ? state->heap_cold.calls : state->cold.calls) - calls;
  if ((suite->heap != NULL ? state->heap_cold.calls : state->cold.calls) == 0) {
    fault_problem("%s: nothing of it was counted: its calls do not come through here", program->name);
    return;
  }
  if (program->from_mark && state->unswept == 0) fault_problem("%s: it never calls fault_mark()", program->name);

  for (long call = 1; call <= first_use; call++)
    if (is_in_turn(call)) fault_child(run_cold, &call, program->name);
  sweep_program(false);
  if (suite->heap == NULL) check_swept();
  refused = state->refused;
  survived = state->survived;
  state->refused = state->survived = 0;
  sweep_program(true);

  printf("%s: %ld %s", program->name, calls - state->unswept + first_use,
         suite->heap != NULL ? "allocations" : "calls");
  if (first_use > 0) printf(" (%ld at the first use in a process)", first_use);
  if (program->from_mark) printf(" after its context");
  printf(" failed one by one:");
  if (suite->heap == NULL) print_kinds(state->failed, false);
  printf("; %ld refused, %ld survived; every %ldth and all after it: %ld refused, %ld survived\n", refused, survived,
         onwards_step, state->refused, state->survived);
  for (int i = 0; i < FAULT_KIND_COUNT; i++) total[i] += state->failed[i];
  fflush(stdout);
}

// ---- all programs ----

typedef struct device_search {
  weft_status status;
  int count;
} device_search;

static void look_for_device(void *argument) {
  device_search *search = argument;
  int index;
  search->status = weft_device_find(&index, getenv("WEFT_DEVICE"));
  if (search->status == WEFT_ERROR_NO_DEVICE && weft_device_count(&search->count) != WEFT_OK) search->count = 0;
}

static bool is_set(const char *name) {
  const char *value = getenv(name);
  return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

static int prepare(const char *name) {
  const char *wanted = getenv("WEFT_TEST_DEVICE");
  FILE *said = tmpfile();
  int report_fd = dup(STDERR_FILENO);
  state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (state == MAP_FAILED || said == NULL || report_fd < 0) {
    perror(name);
    return EXIT_FAILURE;
  }
  said_fd = fileno(said);
  if (report == NULL) report = fdopen(report_fd, "w");
  if (wanted != NULL && wanted[0] != '\0') setenv("WEFT_DEVICE", wanted, 1);
  return 0;
}

int fault_need_device(const char *name) {
  bool is_strict = is_set("WEFT_TEST_STRICT");
  device_search *search;
  if (state == NULL && prepare(name) != 0) return EXIT_FAILURE;
  search = mmap(NULL, sizeof *search, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (search == MAP_FAILED) return EXIT_FAILURE;
  if (fault_child(look_for_device, search, "looking for a device") > 0) return EXIT_FAILURE;
  if (search->status == WEFT_OK) return 0;
  if (is_set("WEFT_TEST_ANY") && search->count > 0) is_strict = false; /* another device exists and is tested */
  printf("%s: %s: no device (%s)\n", name, is_strict ? "FAIL (WEFT_TEST_STRICT)" : "SKIP",
         weft_status_name(search->status));
  return search->status == WEFT_ERROR_NO_DEVICE && !is_strict ? EXIT_SKIP : EXIT_FAILURE;
}

void fault_report_to(FILE *stream) {
  report = stream;
}

int fault_main(const fault_suite *of, int argc, char **argv) {
  const char *only = NULL;
  long call = 0;
  int ran = 0, status;
  long number = 0;
  suite = of;
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 < argc && strcmp(argv[i], "--program") == 0) {
      only = argv[i + 1];
    } else if (i + 1 < argc && strcmp(argv[i], "--call") == 0) {
      call = strtol(argv[i + 1], NULL, 10);
    } else {
      fprintf(stderr, "usage: %s [--program NAME] [--call K]\n", argv[0]);
      return 2;
    }
  }
  status = fault_need_device(suite->name);
  if (status != 0) return status;
  state->problems = 0;
  draw_turn(suite);
  memset(total, 0, sizeof total);
  memset(state->survivors, 0, sizeof state->survivors);
  for (program = suite->programs; program->run != NULL; program++) {
    if (only != NULL ? strcmp(only, program->name) != 0 : step > 1 && number++ % SHORT_PROGRAMS != first_program)
      continue;
    ran++;
    if (call == 0) {
      run_program();
      continue;
    }
    shows_output = true;
    fault_child(run_cold, &call, program->name);
  }
  if (only != NULL && ran == 0) {
    fprintf(stderr, "%s: there is no program `%s`; expected one of", suite->name, only);
    for (program = suite->programs; program->run != NULL; program++) fprintf(stderr, " %s", program->name);
    fputc('\n', stderr);
    return 2;
  }
  if (suite->heap == NULL && call == 0) {
    printf("failed one by one:");
    print_kinds(total, true);
    putchar('\n');
  }
  for (int i = 0; suite->survivors[i].function != NULL; i++) {
    if (state->survivors[i] > 0) {
      printf("survived %ld times: %s: %s\n", state->survivors[i], suite->survivors[i].function,
             suite->survivors[i].why);
    }
  }
  printf("%s: %d programs, %ld problems\n", suite->name, ran, state->problems);
  return ran == 0 || state->problems > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
