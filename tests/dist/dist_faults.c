// SPDX-License-Identifier: MIT
/// Ranks that differ, fail, run out of memory or do not come: ends with status 0 if all ranks got their errors. Run
/// under mpirun. With --share N [--turn T] memory runs out in one operation of N, from number T on.
#define _GNU_SOURCE /* syscall */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "dist_support.h"

static int share = 1, first_case = 0;

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void expect(const char *what, weft_status got, weft_status expected, const char *text) {
  checks++;
  if (got != expected || (text && !strstr(weft_error_last()->message, text))) {
    char why[1500];
    snprintf(why, sizeof why, "%s \"%s\"; expected %s with \"%s\"", weft_status_name(got), weft_error_last()->message,
             weft_status_name(expected), text ? text : "");
    report(what, why);
  }
}

typedef weft_status operation(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid);

/* Of calls of dist.h alone: what fails in one rank's own calls, the others do not know. */
#define SHORT(name, ...)                                                                              \
  static weft_status short_##name(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) { \
    (void)grid;                                                                                       \
    return weft_dist_##name(out, x, __VA_ARGS__);                                                     \
  }
SHORT(sum, WEFT_ALL_AXES)
SHORT(argmax, WEFT_ALL_AXES)
SHORT(cumsum, 0)
SHORT(sort, 0)
SHORT(argsort, 0)
SHORT(histogram, 17, -3, 90)
SHORT(resplit, WEFT_DIST_WHOLE)

static weft_status short_order(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  (void)grid;
  return weft_dist_argsort(out, x, 0, .descending = true);
}
static weft_status short_unique(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  (void)grid;
  return weft_dist_unique(out, x);
}
static weft_status short_uniform(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_rng *rng = NULL;
  weft_dist_array *small = NULL;
  (void)x;
  weft_status rc = weft_rng_create(&rng, .seed = 1);
  if (rc == WEFT_OK) rc = weft_dist_uniform(out, grid, rng, WEFT_F64, WEFT_SHAPE(20000 * ranks), 0, 1);
  /* the generators still agree */
  weft_status again = weft_dist_uniform(&small, grid, rng, WEFT_F32, WEFT_SHAPE(10), 0, 1);
  weft_dist_array_release(&small);
  weft_rng_release(&rng);
  return again == WEFT_ERROR_DIST ? again : rc;
}
static weft_status short_product(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_dist_array *a = NULL;
  (void)x;
  weft_status rc = weft_dist_full(&a, grid, WEFT_F32, WEFT_SHAPE(100 * ranks, 100 * ranks), 0, 1);
  if (rc == WEFT_OK) rc = weft_dist_matmul(out, a, a);
  weft_dist_array_release(&a);
  return rc;
}
static weft_status short_topk(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_dist_array *indices = NULL;
  (void)grid;
  const weft_status rc = weft_dist_topk(out, &indices, x, 9);
  weft_dist_array_release(&indices);
  return rc;
}
static weft_status short_eval(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  return weft_dist_eval(out, grid, "x * 2 + 1", WEFT_DIST_VAR(x));
}
static weft_status short_rows(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_dist_array *rows = NULL;
  (void)x;
  weft_status rc = weft_dist_full(&rows, grid, WEFT_F32, WEFT_SHAPE(ranks, 40000), 0, 1);
  if (rc == WEFT_OK) rc = weft_dist_sum(out, rows, 0);
  weft_dist_array_release(&rows);
  return rc;
}
static weft_status short_take(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_dist_array *indices = NULL;
  weft_status rc = weft_dist_arange(&indices, grid, WEFT_I64, 20000 * ranks - 1, -1, -1);
  if (rc == WEFT_OK) rc = weft_dist_take(out, x, indices);
  weft_dist_array_release(&indices);
  return rc;
}
static weft_status short_compress(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_dist_array *mask = NULL;
  weft_status rc = weft_dist_eval(&mask, grid, "x % 3 == 1", WEFT_DIST_VAR(x));
  if (rc == WEFT_OK) rc = weft_dist_compress(out, mask, x);
  weft_dist_array_release(&mask);
  return rc;
}
static weft_status short_halo(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_array *wide = NULL;
  (void)out;
  (void)grid;
  const weft_status rc = weft_dist_halo(&wide, x, .border = WEFT_DIST_WRAP);
  weft_array_release(&wide);
  return rc;
}
static weft_status short_shuffle(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_rng *rng = NULL;
  weft_dist_array *small = NULL;
  weft_status rc = weft_rng_create(&rng, .seed = 1);
  if (rc == WEFT_OK) rc = weft_dist_shuffle(out, rng, x);
  weft_status again = weft_dist_permutation(&small, grid, rng, 3); /* the generators still agree */
  weft_dist_array_release(&small);
  weft_rng_release(&rng);
  return again == WEFT_ERROR_DIST ? again : rc;
}
/// Of integers that by windows are sorted in three passes.
static weft_status short_spread(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_rng *rng = NULL;
  weft_dist_array *integers = NULL;
  (void)x;
  weft_status rc = weft_rng_create(&rng, .seed = 1);
  if (rc == WEFT_OK)
    rc = weft_dist_integers(&integers, grid, rng, WEFT_I32, WEFT_SHAPE(20000 * ranks), -80000 * ranks, 80000 * ranks);
  if (rc == WEFT_OK) rc = weft_dist_sort(out, integers, 0);
  weft_dist_array_release(&integers);
  weft_rng_release(&rng);
  return rc;
}
static weft_status short_gather(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_array *whole = NULL;
  weft_status rc = weft_dist_gather(&whole, x, 1);
  if (rc == WEFT_OK) rc = weft_dist_scatter(out, grid, whole, 1, 0);
  weft_array_release(&whole);
  return rc;
}

/// Waits for all ranks and leaves the processor to them; MPI's own calls keep it busy.
static void meet(void) {
  MPI_Request request;
  int is_done = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  while (MPI_Test(&request, &is_done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !is_done)
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

/// Memory of rank 1 runs out somewhere in an operation: either all ranks have its result, or all get an error.
static int try_shortage(uint64_t limit_bytes, const char *name, operation *run, weft_context *context) {
  weft_context *small = NULL;
  weft_dist *grid = NULL;
  weft_dist_array *x = NULL, *y = NULL;
  weft_status rc;
  int is_ok, least, most;
  if (rank == 1) OK("context", weft_context_create(&small, .memory_limit_bytes = limit_bytes));
  meet();
  OK("create", weft_dist_create(&grid, MPI_COMM_WORLD, .context = small ? small : context, .timeout_s = 20));
  rc = weft_dist_arange(&x, grid, WEFT_F64, 0, 20000 * ranks, 1);
  if (rc == WEFT_OK) rc = run(&y, x, grid);
  is_ok = rc == WEFT_OK;
  meet();
  MPI_Allreduce(&is_ok, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&is_ok, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  checks++;
  if (least != most || (!is_ok && rc != WEFT_ERROR_BUDGET)) {
    char why[1500];
    snprintf(why, sizeof why, "%llu bytes: %s \"%s\" here, %s elsewhere", (unsigned long long)limit_bytes,
             weft_status_name(rc), is_ok ? "" : weft_error_last()->message, least != most ? "otherwise" : "the like");
    report(name, why);
  }
  weft_dist_array_release(&x);
  weft_dist_array_release(&y);
  weft_dist_release(&grid);
  weft_context_release(&small);
  return is_ok;
}

static void try_shortages(weft_context *context) {
  static const struct {
    const char *name;
    operation *run;
  } tried[] = {
      {"eval", short_eval},           {"sum", short_sum},         {"argmax", short_argmax},
      {"cumsum", short_cumsum},       {"sort", short_sort},       {"argsort", short_argsort},
      {"unique", short_unique},       {"take", short_take},       {"compress", short_compress},
      {"halo", short_halo},           {"gather", short_gather},   {"topk", short_topk},
      {"histogram", short_histogram}, {"uniform", short_uniform}, {"product", short_product},
      {"shuffle", short_shuffle},     {"resplit", short_resplit}, {"order", short_order},
      {"rows", short_rows},
  };
  for (int t = 0; t < (int)(sizeof tried / sizeof *tried); t++) {
    if ((t + process + first_case) % share != 0) continue;
    uint64_t limit_bytes = 150 << 10;
    int fails = 0;
    while (limit_bytes < (uint64_t)20 << 20 && !try_shortage(limit_bytes, tried[t].name, tried[t].run, context)) {
      limit_bytes *= 2;
      fails++;
    }
    if (fails == 0) report(tried[t].name, "memory never ran out");
  }
}

static int merges;   /* sorts of this rank that merged for want of memory */
static int refusals; /* memory that ranks do not share for want of messages */

static void on_log(void *user, weft_log_level level, const char *message) {
  (void)user;
  (void)level;
  merges += strstr(message, "sort and merge instead") != NULL;
  refusals += strstr(message, "over a Unix socket") || strstr(message, "another rank has none");
}

/* ---- sockets that take one message at a time ---- */

static _Atomic(int) *queued; /* per rank, shared: messages in its socket; NULL: the sockets are the system's */
static int messages;         /* that this rank has sent meanwhile */

/// The rank whose socket has this address; -1: it is none of Weft's.
static int rank_of(const struct sockaddr_un *address, size_t size_bytes) {
  int of = -1;
  char name[sizeof address->sun_path + 1] = "";
  const size_t before = offsetof(struct sockaddr_un, sun_path) + 1;
  if (!address || size_bytes <= before || size_bytes > sizeof *address || address->sun_family != AF_UNIX) return -1;
  memcpy(name, address->sun_path + 1, size_bytes - before);
  return sscanf(name, "weft-%*d-%d-", &of) == 1 ? of : -1;
}

ssize_t sendmsg(int file, const struct msghdr *message, int flags) {
  const int to = queued ? rank_of(message->msg_name, message->msg_namelen) : -1;
  const double start_s = now_s();
  messages += to >= 0;
  while (to >= 0 && atomic_exchange(&queued[to], 1)) {
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    if (now_s() - start_s < 2) continue;
    errno = EAGAIN;
    return -1;
  }
  return syscall(SYS_sendmsg, file, message, flags);
}

ssize_t recvmsg(int file, struct msghdr *message, int flags) {
  struct sockaddr_un own;
  socklen_t size_bytes = sizeof own;
  const ssize_t got = syscall(SYS_recvmsg, file, message, flags);
  if (queued && got > 0 && !getsockname(file, (struct sockaddr *)&own, &size_bytes) &&
      rank_of(&own, size_bytes) == rank)
    atomic_store(&queued[rank], 0);
  return got;
}

/// Ranks share memory however few messages their sockets hold.
static void try_full_sockets(weft_context *context) {
  weft_dist *grid = NULL;
  MPI_Win window;
  _Atomic(int) *memory;
  MPI_Aint size_bytes = rank == 0 ? ranks * (MPI_Aint)sizeof *memory : 0;
  int unit;
  MPI_Win_allocate_shared(size_bytes, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_shared_query(window, 0, &size_bytes, &unit, &memory);
  for (int r = 0; r < ranks && rank == 0; r++) atomic_store(&memory[r], 0);
  meet();
  queued = memory;
  weft_log_set(WEFT_LOG_INFO, on_log, NULL);
  OK("create", weft_dist_create(&grid, MPI_COMM_WORLD, .context = context));
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
  meet();
  queued = NULL;
  checks++;
  if (messages == 0 || refusals) report("sockets that are full", messages ? "no shared memory" : "no message");
  weft_dist_release(&grid);
  MPI_Win_free(&window);
}

/// Memory that is enough to merge but not to divide: the sort merges, on all ranks. In small steps, so that some limit
/// is between the two needs.
static void try_short_sorts(weft_context *context, const char *name, operation *run) {
  weft_dist *grid = NULL;
  weft_dist_info info = {.ranks = 0};
  int sorted = 0;
  OK("create", weft_dist_create(&grid, MPI_COMM_WORLD, .context = context));
  OK("get", weft_dist_get(&info, grid));
  const bool has_windows = strstr(info.transport, "windows") != NULL;
  weft_dist_release(&grid);
  if (!has_windows) return;
  weft_log_set(WEFT_LOG_INFO, on_log, NULL);
  for (uint64_t limit_bytes = 400 << 10; limit_bytes < 1 << 20; limit_bytes += limit_bytes / 16) {
    const int before = merges;
    const int is_sorted = try_shortage(limit_bytes, name, run, context);
    sorted += is_sorted && merges > before;
  }
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
  checks++;
  if (sorted == 0) report(name, "none merged for want of memory");
}

/// Halo exchanges in two halves, used in wrong ways.
static void try_halves(const weft_dist_array *x) {
  weft_dist_exchange *exchange = NULL, *second = NULL;
  weft_dist_array *y = NULL;
  weft_array *wide = NULL, *other = NULL, *small = NULL;
  expect("nothing to end", weft_dist_halo_end(&exchange), WEFT_ERROR_HANDLE, "expected what weft_dist_halo_begin made");
  expect("too wide", weft_dist_halo_begin(&exchange, &wide, x, .width = 101), WEFT_ERROR_SHAPE, "`.width` is 101");
  OK("small", weft_zeros(&small, NULL, WEFT_F32, WEFT_SHAPE(3)));
  expect("a wrong result", weft_dist_halo_begin(&exchange, &small, x), WEFT_ERROR_SHAPE, "`out` has 3 rows");
  OK("begin", weft_dist_halo_begin(&exchange, &wide, x));
  expect("a second exchange", weft_dist_halo_begin(&second, &other, x), WEFT_ERROR_ARGUMENT, "weft_dist_halo_end");
  if (ranks > 1) expect("a sort meanwhile", weft_dist_sort(&y, x, 0), WEFT_ERROR_ARGUMENT, "weft_dist_halo_end");
  OK("end", weft_dist_halo_end(&exchange));
  if (exchange || second || other) report("halves", "a handle that should be NULL");
  OK("after it", weft_dist_sort(&y, x, 0));
  weft_dist_array_release(&y);
  weft_release(&wide, &small);
}

static void try_faults(weft_context *context) {
  weft_dist *grid = NULL, *none = NULL;
  weft_dist_array *x = NULL, *y = NULL;
  expect("no communicator", weft_dist_create(&none, MPI_COMM_NULL), WEFT_ERROR_ARGUMENT, "MPI_COMM_NULL");
  OK("create", weft_dist_create(&grid, MPI_COMM_WORLD, .context = context, .timeout_s = 60));
  OK("zeros", weft_dist_full(&x, grid, WEFT_F32, WEFT_SHAPE(100), 0, 1));
  if (ranks > 1) {
    expect("another operation", rank == 0 ? weft_dist_sum(&y, x, WEFT_ALL_AXES) : weft_dist_max(&y, x, WEFT_ALL_AXES),
           WEFT_ERROR_DIST, "weft_dist_sum of f32 [100] at ");
    expect("another dtype", weft_dist_full(&y, grid, rank == 1 ? WEFT_I32 : WEFT_F32, WEFT_SHAPE(10), 0, 1),
           WEFT_ERROR_DIST, "rank 1: weft_dist_full of i32 [10] at ");
    for (int call = 0; call < 2; call++) /* both make these calls, in another order */
      expect("another order",
             rank == 0   ? call == 0 ? weft_dist_sum(&y, x, 0) : weft_dist_cumsum(&y, x, 0)
               : call == 0 ? weft_dist_cumsum(&y, x, 0)
                         : weft_dist_sum(&y, x, 0),
             WEFT_ERROR_DIST, call == 0 ? "rank 0: weft_dist_sum" : "rank 0: weft_dist_cumsum");
    expect("another shape", weft_dist_full(&y, grid, WEFT_F32, WEFT_SHAPE(rank == ranks - 1 ? 11 : 10), 0, 1),
           WEFT_ERROR_DIST, "[11]");
    expect("another split", weft_dist_full(&y, grid, WEFT_F32, WEFT_SHAPE(10, 12), rank == 0 ? 0 : 1, 1),
           WEFT_ERROR_DIST, "rank 0: weft_dist_full of f32 [10, 12]");
    expect("a rank fails", weft_dist_full(&y, grid, WEFT_F32, WEFT_SHAPE(10), rank == 1 ? 5 : 0, 1), WEFT_ERROR_AXIS,
           "`axis` is 5");
    expect("memory runs out", weft_dist_full(&y, grid, WEFT_U8, WEFT_SHAPE((int64_t)1 << 50), 0, 1), WEFT_ERROR_MEMORY,
           "");
  }
  if (ranks == 1) {
    expect("memory", weft_dist_full(&y, grid, WEFT_U8, WEFT_SHAPE((int64_t)1 << 50), 0, 1), WEFT_ERROR_MEMORY, "");
    expect("axis", weft_dist_full(&y, grid, WEFT_F32, WEFT_SHAPE(10), 1, 1), WEFT_ERROR_AXIS, "`axis` is 1");
  }
  weft_dist_array *far = NULL;
  OK("arange", weft_dist_arange(&far, grid, WEFT_I64, 50, 150, 1));
  expect("an index out of range", weft_dist_take(&y, x, far), WEFT_ERROR_INDEX, "out of range");
  weft_dist_array_release(&far);
  expect("no file", weft_dist_load(&y, grid, "/nowhere/x.npy", 0), WEFT_ERROR_FILE, "/nowhere/x.npy");
  char file[40];
  snprintf(file, sizeof file, "dist_faults_%d.npy", process);
  OK("a file", weft_dist_save(file, x));
  expect("rows that a file lacks", weft_dist_load(&y, grid, file, 0, .first = 60, .count = 41), WEFT_ERROR_INDEX,
         "has 100 rows");
  if (rank == 0) unlink(file);
  expect("no folder", weft_dist_save("/nowhere/x.npy", x), WEFT_ERROR_FILE, "/nowhere/x.npy");
  expect("text", weft_dist_eval(&y, grid, "x +", WEFT_DIST_VAR(x)), WEFT_ERROR_EXPRESSION, "expr:1:");
  expect("text", weft_dist_eval(&y, grid, "x - max(x)", WEFT_DIST_VAR(x)), WEFT_ERROR_EXPRESSION, "`max` reduces");
  try_halves(x);
  OK("sum", weft_dist_sum(&y, x, WEFT_ALL_AXES)); /* the grid is still in order */
  weft_dist_array_release(&y);
  if (ranks > 1) try_shortages(context);
  if (ranks > 1) try_short_sorts(context, "sort", short_sort);
  if (ranks > 1) try_short_sorts(context, "sort in three passes", short_spread);
  weft_dist_array_release(&x);
  weft_dist_release(&grid);
}

enum { HASTY_ROWS = 9000 };

/// Rows of a halo that are several pieces of the exchange.
static int64_t many_rows(void) {
  return HASTY_ROWS / ranks - 300;
}

/// A grid whose ranks wait for 2 s only, and an array. They begin together, with kernels that are built.
static void open_hasty(weft_dist **grid, weft_dist_array **x, weft_context *context) {
  weft_dist_array *sum = NULL;
  weft_array *wide = NULL;
  OK("create", weft_dist_create(grid, MPI_COMM_WORLD, .context = context, .timeout_s = 60));
  OK("full", weft_dist_full(x, *grid, WEFT_F32, WEFT_SHAPE(HASTY_ROWS), 0, 1));
  OK("sum", weft_dist_sum(&sum, *x, WEFT_ALL_AXES));
  OK("halo", weft_dist_halo(&wide, *x, .width = many_rows(), .border = WEFT_DIST_WRAP));
  weft_array_release(&wide);
  weft_dist_array_release(&sum);
  weft_dist_array_release(x);
  weft_dist_release(grid);
  meet();
  OK("create", weft_dist_create(grid, MPI_COMM_WORLD, .context = context, .timeout_s = 2));
  OK("full", weft_dist_full(x, *grid, WEFT_F32, WEFT_SHAPE(HASTY_ROWS), 0, 1));
  meet();
}

/// The last rank does not come in time: it comes when the others have given up.
static void try_missing(weft_context *context) {
  weft_dist *grid = NULL;
  weft_dist_array *x = NULL, *y = NULL;
  open_hasty(&grid, &x, context);
  if (rank == ranks - 1) {
    meet();
    expect("a rank that comes late", weft_dist_sum(&y, x, WEFT_ALL_AXES), WEFT_ERROR_DIST, "waited 2 s");
  } else {
    char missing[60];
    snprintf(missing, sizeof missing, "for rank %d, whose last call was", ranks - 1);
    expect("a rank that does not come", weft_dist_sum(&y, x, WEFT_ALL_AXES), WEFT_ERROR_DIST, missing);
    expect("after it", weft_dist_sum(&y, x, WEFT_ALL_AXES), WEFT_ERROR_LOST, "can no longer be used");
    meet();
  }
  weft_dist_array_release(&x);
  weft_dist_release(&grid);
}

/// The program's communicator is freed while the grid lives: the grid has its own.
static void try_freed(weft_context *context) {
  MPI_Comm own;
  weft_dist *grid = NULL;
  weft_dist_array *x = NULL, *y = NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  OK("create", weft_dist_create(&grid, own, .context = context));
  MPI_Comm_free(&own);
  OK("freed", weft_dist_full(&x, grid, WEFT_F32, WEFT_SHAPE(100), 0, 1));
  OK("freed", weft_dist_sum(&y, x, WEFT_ALL_AXES));
  weft_dist *world = NULL;
  weft_dist_info info = {.ranks = 0};
  OK("of all", weft_dist_create(&world));
  OK("of all", weft_dist_get(&info, world));
  if (info.ranks != ranks || info.rank != rank) report("of all", "other ranks than MPI_COMM_WORLD's");
  weft_dist_release(&world);
  expect("a freed one", weft_dist_create(&grid, own), WEFT_ERROR_ARGUMENT, "");
  weft_dist_array_release(&x);
  weft_dist_array_release(&y);
  weft_dist_release(&grid);
}

/// The last rank is killed while the others wait for it. MPI's launcher ends the job, or the time limit does; then they
/// print the error.
static int be_killed(weft_context *context) {
  weft_dist *grid = NULL;
  weft_dist_array *x = NULL, *y = NULL;
  meet();
  OK("create", weft_dist_create(&grid, MPI_COMM_WORLD, .context = context, .timeout_s = 5));
  OK("full", weft_dist_full(&x, grid, WEFT_F32, WEFT_SHAPE(1000), 0, 1));
  meet();
  if (rank == ranks - 1) raise(SIGKILL);
  expect("a killed rank", weft_dist_sum(&y, x, WEFT_ALL_AXES), WEFT_ERROR_DIST, "waited 5 s");
  printf("rank %d: %s\n", rank, weft_error_last()->message);
  fflush(NULL);
  _exit(3);
}

/// The last rank stops within an exchange in pieces, as one does that is killed where nobody ends the others.
static void try_stopped(weft_context *context) {
  weft_dist *grid = NULL;
  weft_dist_array *x = NULL;
  weft_dist_exchange *exchange = NULL;
  weft_array *wide = NULL;
  open_hasty(&grid, &x, context);
  OK("begin", weft_dist_halo_begin(&exchange, &wide, x, .width = many_rows(), .border = WEFT_DIST_WRAP));
  if (rank == ranks - 1) meet();
  expect("a rank that stops", weft_dist_halo_end(&exchange), WEFT_ERROR_DIST, "waited 2 s");
  if (rank < ranks - 1) meet();
  expect("after it", weft_dist_halo_begin(&exchange, &wide, x), WEFT_ERROR_LOST, "for their data");
  weft_array_release(&wide);
  weft_dist_array_release(&x);
  weft_dist_release(&grid);
}

/// Stack memory below the caller's frame stays as it is, whatever MPI does once the late rank has come.
static void watch_stack(void) {
  volatile unsigned char sea[100000];
  size_t wrong = 0;
  for (size_t k = 0; k < sizeof sea; k++) sea[k] = 0xa5;
  meet();
  MPI_Barrier(MPI_COMM_WORLD);
  for (size_t k = 0; k < sizeof sea; k++) wrong += sea[k] != 0xa5;
  checks++;
  if (wrong) report("a rank that is late", "MPI wrote into memory of a call that had returned");
}

/// The last rank comes when the others have given up: its message arrives when their call has returned.
static void try_late(weft_context *context) {
  weft_dist *grid = NULL;
  weft_dist_array *x = NULL, *y = NULL;
  open_hasty(&grid, &x, context);
  if (rank == ranks - 1) {
    meet();
    OK("the late rank", weft_dist_full(&y, grid, WEFT_F32, WEFT_SHAPE(HASTY_ROWS), 0, 1));
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    expect("a rank that is late", weft_dist_full(&y, grid, WEFT_F32, WEFT_SHAPE(HASTY_ROWS), 0, 1), WEFT_ERROR_DIST,
           "waited 2 s");
    watch_stack();
  }
  weft_dist_array_release(&x);
  weft_dist_array_release(&y);
  weft_dist_release(&grid);
}

/// The last rank never comes: neither it nor the others wait longer than the time limit, with calls and with what
/// releases the grid.
static void try_absent(weft_context *context) {
  weft_dist *grid = NULL, *other = NULL;
  weft_dist_array *x = NULL, *y = NULL;
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  open_hasty(&grid, &x, context);
  const double start_s = now_s();
  if (rank < ranks - 1) {
    expect("a rank that never comes", weft_dist_sum(&y, x, WEFT_ALL_AXES), WEFT_ERROR_DIST, "whose last call was 3");
    expect("a grid without it", weft_dist_create(&other, own, .context = context, .timeout_s = 1), WEFT_ERROR_DIST,
           "waited 1 s for the others, which make no grid");
  }
  meet();
  weft_dist_array_release(&x);
  weft_dist_release(&grid);
  checks++;
  if (now_s() - start_s > 9) report("a rank that never comes", "the ranks waited");
}

int main(int argc, char **argv) {
  weft_context *context = NULL;
  const bool kills = argc > 1 && strcmp(argv[1], "--kill") == 0, stops = argc > 1 && strcmp(argv[1], "--stop") == 0;
  const bool is_absent = argc > 1 && strcmp(argv[1], "--absent") == 0;
  if (argc > 2 && strcmp(argv[1], "--share") == 0) share = atoi(argv[2]) > 0 ? atoi(argv[2]) : 1;
  if (argc > 4 && strcmp(argv[3], "--turn") == 0) first_case = atoi(argv[4]);
  begin(&argc, &argv);
  if (kills) {
    WEFT_CHECK(weft_context_default(&context));
    return be_killed(context);
  }
  WEFT_CHECK(weft_context_default(&context));
  if (stops) {
    try_stopped(context);
  } else if (is_absent) {
    try_late(context);
    try_absent(context);
  } else {
    if (ranks > 1) try_full_sockets(context);
    try_freed(context);
    try_faults(context);
    if (ranks > 1) try_missing(context);
  }
  fflush(NULL);
  printf("rank %d of %d: %d checks, %d failed\n", rank, ranks, checks, failures);
  fflush(NULL);
  weft_context_release(&context);
  /* MPI ends all ranks when the first one ends; one that gave up has messages left, for which MPI_Finalize may wait,
     but not if a rank never came */
  meet();
  if (ranks > 1 && !is_absent)
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL); /* the launcher takes what they print */
  if (ranks > 1 && !is_absent) _exit(failures ? 1 : 0);
  MPI_Finalize();
  weft_dist *late = NULL;
  expect("after MPI_Finalize", weft_dist_create(&late, MPI_COMM_WORLD), WEFT_ERROR_ARGUMENT, "MPI_Finalize");
  return failures ? 1 : 0;
}
