// SPDX-License-Identifier: MIT
/// Checkpoints: a computation that goes on with other numbers of ranks has the bits of one that was never interrupted;
/// and what happens to damaged, missing and half-written ones. Run under mpirun.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "dist_support.h"

enum { N = 20011, STEPS = 6 };

typedef struct state {
  weft_dist_array *x, *whole;
  weft_rng *rng;
  int64_t step;
  double time;
} state;

#define ITEMS(s)                                                                              \
  {                                                                                           \
    {"x", .array = &(s)->x}, {"whole", .array = &(s)->whole}, {"generator", .rng = (s)->rng}, \
        {"step", .integer = &(s)->step}, {                                                    \
      "time", .number = &(s)->time                                                            \
    }                                                                                         \
  }
enum { COUNT = 5 };

static char folder[100];

static int reductions, broken_reduction; /* MPI's calls; the number of the one that fails, 0: none */

/// Fails on all ranks at once: none waits for another.
int MPI_Iallreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request) {
  if (++reductions == broken_reduction) return MPI_ERR_OTHER;
  return PMPI_Iallreduce(send, recv, count, type, op, comm, request);
}

static void close_state(state *s) {
  weft_dist_array_release(&s->x);
  weft_dist_array_release(&s->whole);
  weft_rng_release(&s->rng);
}

static void start(state *s, weft_dist *grid) {
  *s = (state){0};
  OK("rng", weft_rng_create(&s->rng, .seed = 11));
  OK("x", weft_dist_full(&s->x, grid, WEFT_F64, WEFT_SHAPE(N), 0, 1));
  OK("whole", weft_dist_full(&s->whole, grid, WEFT_I32, WEFT_SHAPE(3, 2), WEFT_DIST_WHOLE, 5));
}

/// Random numbers, a sum over all ranks and a running sum: a wrong state would show.
static void go_on(state *s, weft_dist *grid, int64_t last) {
  for (; s->step < last; s->step++) {
    weft_dist_array *noise = NULL, *sum = NULL, *sums = NULL, *next = NULL;
    OK("noise", weft_dist_normal(&noise, grid, s->rng, WEFT_F64, WEFT_SHAPE(N), 0, 1));
    OK("sum", weft_dist_mean(&sum, noise, WEFT_ALL_AXES));
    OK("cumsum", weft_dist_cumsum(&sums, noise, 0));
    OK("eval", weft_dist_eval(&next, grid, "x * 0.9 + c - m", WEFT_DIST_NAMED("x", s->x), WEFT_DIST_NAMED("c", sums),
                              WEFT_DIST_NAMED("m", sum)));
    weft_dist_array_release(&s->x);
    s->x = next;
    s->time += 0.1;
    weft_dist_array_release(&noise);
    weft_dist_array_release(&sum);
    weft_dist_array_release(&sums);
  }
}

static void expect_equal(const char *what, const state *s, const state *expected) {
  double *data = malloc(2 * N * sizeof *data);
  weft_array *x = NULL, *y = NULL;
  int own;
  weft_dist_array_info info;
  OK(what, weft_dist_gather(&x, s->x, 0));
  OK(what, weft_dist_array_get(&info, s->x));
  weft_dist_info grid;
  OK(what, weft_dist_get(&grid, info.grid));
  own = grid.rank;
  OK(what, weft_dist_gather(&y, expected->x, 0));
  if (own == 0) {
    OK(what, weft_to_host(data, N * sizeof *data, x));
    OK(what, weft_to_host(data + N, N * sizeof *data, y));
    checks++;
    if (memcmp(data, data + N, N * sizeof *data) != 0) report(what, "other bits");
  }
  if (s->step != expected->step || s->time != expected->time) report(what, "another step or time");
  weft_release(&x, &y);
  free(data);
}

/// Goes on from the checkpoint with the first `count` ranks.
static void continue_with(int count, const state *expected) {
  MPI_Comm some;
  weft_dist *grid = NULL;
  char what[40];
  snprintf(what, sizeof what, "%d ranks of %d", count, ranks);
  MPI_Comm_split(MPI_COMM_WORLD, rank < count ? 0 : MPI_UNDEFINED, rank, &some);
  if (some == MPI_COMM_NULL) return;
  OK(what, weft_dist_create(&grid, some, .timeout_s = 20));
  state s = {0};
  OK(what, weft_rng_create(&s.rng, .seed = 1));
  const weft_dist_item items[] = ITEMS(&s);
  OK(what, weft_dist_checkpoint_load(folder, grid, items, COUNT));
  go_on(&s, grid, STEPS);
  expect_equal(what, &s, expected);
  close_state(&s);
  weft_dist_release(&grid);
  MPI_Comm_free(&some);
}

static void expect(const char *what, weft_status got, weft_status expected, const char *text) {
  checks++;
  if (got == expected && (!text || strstr(weft_error_last()->message, text))) return;
  char why[1000];
  snprintf(why, sizeof why, "%s \"%s\"; expected %s with \"%s\"", weft_status_name(got), weft_error_last()->message,
           weft_status_name(expected), text ? text : "");
  report(what, why);
}

/// Rank 0 changes the folder between two calls.
static void change(const char *command) {
  char line[400];
  MPI_Barrier(MPI_COMM_WORLD);
  snprintf(line, sizeof line, "cd '%s' && %s", folder, command);
  if (rank == 0 && system(line) != 0) report("change", line);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void expect_damaged(const char *what, weft_dist *grid, weft_status expected, const char *text) {
  state s = {0};
  OK(what, weft_rng_create(&s.rng, .seed = 1));
  const weft_dist_item items[] = ITEMS(&s);
  s.step = 99;
  expect(what, weft_dist_checkpoint_load(folder, grid, items, COUNT), expected, text);
  if (s.x || s.whole || s.step != 99) report(what, "something was written");
  close_state(&s);
}

/// A list is somebody else's text: it neither names files that the next save removes, nor ends the numbers.
static void try_forged_lists(weft_dist *grid, state *s, const state *expected) {
  const weft_dist_item items[] = ITEMS(s);
  change(
      "cp checkpoint.json good && echo data > precious && "
      "sed 's/\"x\\.[0-9]*\\.npy\"/\"precious\"/' good > checkpoint.json");
  expect_damaged("a file of another form", grid, WEFT_ERROR_FILE, "damaged");
  OK("save over it", weft_dist_checkpoint_save(folder, grid, items, COUNT));
  change("test -f precious && rm precious good");
  change(
      "n=$(sed -n 's/.*\"serial\": \\([0-9]*\\),/\\1/p' checkpoint.json) && m=9223372036854775807 && "
      "for f in *.$n.npy; do mv $f ${f%.$n.npy}.$m.npy; done && "
      "sed -i \"s/\\(serial.: \\)$n,/\\1$m,/; s/\\.$n\\.npy/.$m.npy/\" checkpoint.json");
  continue_with(ranks, expected);
  for (int k = 0; k < 2; k++) {
    OK("save behind the greatest number", weft_dist_checkpoint_save(folder, grid, items, COUNT));
    continue_with(ranks, expected);
  }
  change("! ls *.9223372036854775807.npy 2> /dev/null");
}

/// A disk that takes no more than 4 KiB a file: the old checkpoint stays.
static void try_full_disk(weft_dist *grid, state *s) {
  struct rlimit before, small;
  const weft_dist_item items[] = ITEMS(s);
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &before);
  small = before;
  small.rlim_cur = 4096;
  setrlimit(RLIMIT_FSIZE, &small);
  expect("a full disk", weft_dist_checkpoint_save(folder, grid, items, COUNT), WEFT_ERROR_FILE, "x.");
  setrlimit(RLIMIT_FSIZE, &before);
  change("test $(ls | wc -l) = 3"); /* nothing is left of the new one */
}

/// MPI fails when the ranks meet for the last time, with the new checkpoint in its place.
static void try_broken_end(weft_dist *grid, state *s) {
  const weft_dist_item items[] = ITEMS(s);
  reductions = 0;
  OK("save", weft_dist_checkpoint_save(folder, grid, items, COUNT));
  broken_reduction = reductions;
  reductions = 0;
  expect("a broken end", weft_dist_checkpoint_save(folder, grid, items, COUNT), WEFT_ERROR_DIST,
         "MPI_Iallreduce failed");
  broken_reduction = 0;
  change("test $(ls x.*.npy whole.*.npy | wc -l) = 2");
}

/// Ranks that do not compare their calls still wait for what rank 0, which is late, makes and removes.
static void try_unchecked(state *s) {
  weft_dist *grid = NULL;
  weft_dist_array *x = NULL;
  const weft_dist_item items[] = {{"x", .array = &x}, {"step", .integer = &s->step}};
  OK("create", weft_dist_create(&grid, MPI_COMM_WORLD, .timeout_s = 20, .checks_off = true));
  OK("x", weft_dist_full(&x, grid, WEFT_F64, WEFT_SHAPE(N), 0, 1));
  for (int k = 0; k < 2; k++) {
    if (rank == 0) nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    OK("unchecked", weft_dist_checkpoint_save(folder, grid, items, 2));
  }
  weft_dist_array_release(&x);
  OK("unchecked", weft_dist_checkpoint_load(folder, grid, items, 2));
  weft_dist_array_release(&x);
  weft_dist_release(&grid);
}

/// A path for which there is no memory on rank 0, which reads the list.
static void try_long_path(weft_dist *grid) {
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* they would end the program */
  enum { LENGTH = 64 << 20, ROOM = 32 << 20 };
  struct rlimit before, small;
  unsigned long pages = 0;
  int64_t number = 0;
  const weft_dist_item items[] = {{"step", .integer = &number}};
  char *path = malloc(LENGTH + 1);
  memset(path, 'a', LENGTH);
  path[LENGTH] = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%lu", &pages) != 1) report("a long path", "/proc/self/statm cannot be read");
  if (file) fclose(file);
  getrlimit(RLIMIT_AS, &before);
  small = before;
  small.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ROOM;
  setrlimit(RLIMIT_AS, &small);
  expect("a long path", weft_dist_checkpoint_load(path, grid, items, 1), WEFT_ERROR_HOST_MEMORY,
         "no memory for the path of a checkpoint's file");
  setrlimit(RLIMIT_AS, &before);
  free(path);
#else
  (void)grid;
#endif
}

static void try_wrong(weft_dist *grid, state *s) {
  weft_dist_array *x = NULL;
  int64_t number = 0;
  const weft_dist_item bad_name[] = {{"a/b", .integer = &number}},
                       twice[] = {{"a", .integer = &number}, {"a", .integer = &number}};
  const weft_dist_item none[] = {{.name = "a"}}, missing[] = {{"y", .array = &x}}, kind[] = {{"step", .array = &x}};
  const weft_dist_item given[] = {{"x", .array = &s->x}};
  expect("a name", weft_dist_checkpoint_save(folder, grid, bad_name, 1), WEFT_ERROR_ARGUMENT, "`a/b`");
  expect("a name twice", weft_dist_checkpoint_save(folder, grid, twice, 2), WEFT_ERROR_ARGUMENT, "two items");
  expect("nothing", weft_dist_checkpoint_save(folder, grid, none, 1), WEFT_ERROR_ARGUMENT, "expected one");
  expect("no list", weft_dist_checkpoint_save(folder, grid, NULL, 1), WEFT_ERROR_ARGUMENT, "`items`");
  expect("no array", weft_dist_checkpoint_save(folder, grid, missing, 1), WEFT_ERROR_HANDLE, "`y`");
  expect("no folder", weft_dist_checkpoint_load("nowhere", grid, missing, 1), WEFT_ERROR_FILE,
         "nowhere/checkpoint.json");
  expect("no item", weft_dist_checkpoint_load(folder, grid, missing, 1), WEFT_ERROR_ARGUMENT, "no item `y`");
  expect("another kind", weft_dist_checkpoint_load(folder, grid, kind, 1), WEFT_ERROR_ARGUMENT, "is an integer");
  expect("a live array", weft_dist_checkpoint_load(folder, grid, given, 1), WEFT_ERROR_ARGUMENT, "NULL handle");
  expect("a file in the way", weft_dist_checkpoint_save("/dev/null/x", grid, twice, 1), WEFT_ERROR_FILE, "/dev/null");
}

int main(int argc, char **argv) {
  weft_dist *grid = NULL, *single = NULL;
  state s, expected;
  int total = 0;
  begin(&argc, &argv);
  snprintf(folder, sizeof folder, "dist_checkpoint_%d", process);
  OK("create", weft_dist_create(&grid, MPI_COMM_WORLD, .timeout_s = 20));
  OK("create", weft_dist_create(&single, MPI_COMM_SELF));
  start(&expected, single);
  go_on(&expected, single, STEPS);
  start(&s, grid);
  const weft_dist_item items[] = ITEMS(&s);
  for (int64_t k = 1; k <= STEPS / 2; k++) { /* each replaces the one before */
    go_on(&s, grid, k);
    OK("save", weft_dist_checkpoint_save(folder, grid, items, COUNT));
  }
  change("test $(ls | wc -l) = 3");
  for (int count = 1; count <= ranks; count++) continue_with(count, &expected);
  try_wrong(grid, &s);
  try_full_disk(grid, &s);
  try_long_path(grid);
  go_on(&s, grid, STEPS);
  continue_with(ranks, &expected);

  change("cp checkpoint.json good && head -c 200 good > checkpoint.json");
  expect_damaged("half a list", grid, WEFT_ERROR_FILE, "damaged");
  change("echo '{}' > checkpoint.json");
  expect_damaged("another list", grid, WEFT_ERROR_FILE, "damaged");
  change("sed 's/20011/20012/' good > checkpoint.json");
  expect_damaged("another shape", grid, WEFT_ERROR_FILE, "another dtype or shape");
  change("sed 's|x\\.3|../x.3|' good > checkpoint.json");
  expect_damaged("a file elsewhere", grid, WEFT_ERROR_FILE, "damaged");
  change("cp good checkpoint.json && mv x.3.npy x.npy && head -c 5000 x.npy > x.3.npy");
  expect_damaged("half a file", grid, WEFT_ERROR_FILE, "x.3.npy");
  change("rm x.3.npy");
  expect_damaged("no file", grid, WEFT_ERROR_FILE, "x.3.npy");
  OK("save over it", weft_dist_checkpoint_save(folder, grid, items, COUNT));
  try_forged_lists(grid, &s, &expected);
  try_broken_end(grid, &s);
  continue_with(ranks, &expected);
  try_unchecked(&s);
  change("rm -r \"$PWD\"");

  close_state(&s);
  close_state(&expected);
  weft_dist_release(&grid);
  weft_dist_release(&single);
  MPI_Allreduce(&failures, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks: %d checks, %d failed\n", ranks, checks, total);
  MPI_Finalize();
  return total ? 1 : 0;
}
