// SPDX-License-Identifier: MIT
/// `weft mpi bench`: operations over all ranks beside Weft's ordinary calls on one device.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/ranks/mpi_ranks.h"

#define ALLREDUCE_ELEMENTS ((int64_t)1 << 26) /* of f32: 256 MiB */
#define STENCIL_SIDE ((int64_t)1 << 14)
enum { STEPS = 8 };
#define BUS_BYTES ((int64_t)32 << 20) /* of all ranks: they stay in the processor's cache */
enum { BUS_PIECES = 4 };
#define FIVE_POINTS "c + 0.1 * (n + s + w + e - 4 * c)"

/// The arrays of a work.
typedef enum kind { VECTOR, KEYS, SQUARE, PLATE, ROWS } kind;

/// Pinned memory for copies both ways at once.
typedef struct bus {
  char *data; /* BUS_PIECES pieces */
  int64_t piece_bytes;
  weft_stream *stream;
  weft_array *y; /* a piece */
} bus;

typedef struct bench {
  const mpi_ranks *here;
  weft_dist *grid;
  weft_context *context;
  weft_rng *rng, *own; /* the ranks' one, and rank 0's for its ordinary calls */
  weft_dist_array *x;
  bus *bus;
  int64_t n; /* on each rank */
} bench;

/// A row of the table. The results are released by the works.
typedef struct work {
  const char *name;
  kind input;
  weft_status (*run)(const bench *b);                        /* over the ranks */
  weft_status (*plain)(const bench *b, const weft_array *x); /* on one device */
  int sent; /* bytes by the bytes of the rank's array; see sent_bytes */
} work;

/* ---- the works ---- */

static weft_status run_eval(const bench *b) {
  weft_dist_array *y = NULL;
  const weft_status rc = weft_dist_eval(&y, b->grid, "x * 2 + 1", WEFT_DIST_NAMED("x", b->x));
  weft_dist_array_release(&y);
  return rc;
}
static weft_status plain_eval(const bench *b, const weft_array *x) {
  weft_array *y = NULL;
  const weft_status rc = weft_eval(&y, b->context, "x * 2 + 1", WEFT_VAR(x));
  weft_array_release(&y);
  return rc;
}
static weft_status run_uniform(const bench *b) {
  weft_dist_array *y = NULL;
  weft_dist_array_info info;
  WEFT__TRY_RETURN(weft_dist_array_get(&info, b->x));
  const weft_status rc = weft_dist_uniform(&y, b->grid, b->rng, WEFT_F32, info.shape, 0, 1);
  weft_dist_array_release(&y);
  return rc;
}
static weft_status plain_uniform(const bench *b, const weft_array *x) {
  weft_array *y = NULL;
  const weft_status rc = weft_uniform(&y, b->own, WEFT_F32, weft_array_shape(x), 0, 1);
  weft_array_release(&y);
  return rc;
}

#define WORK(name, call, ...)                                       \
  static weft_status run_##name(const bench *b) {                   \
    weft_dist_array *y = NULL;                                      \
    const weft_status rc = weft_dist_##call(&y, b->x, __VA_ARGS__); \
    weft_dist_array_release(&y);                                    \
    return rc;                                                      \
  }
#define PLAIN(name, call, ...)                                           \
  static weft_status plain_##name(const bench *b, const weft_array *x) { \
    weft_array *y = NULL;                                                \
    (void)b;                                                             \
    const weft_status rc = weft_##call(&y, __VA_ARGS__);                 \
    weft_array_release(&y);                                              \
    return rc;                                                           \
  }
WORK(sum, sum, WEFT_ALL_AXES)
PLAIN(sum, sum, x, WEFT_ALL_AXES)
WORK(max, max, WEFT_ALL_AXES)
PLAIN(max, max, x, WEFT_ALL_AXES)
WORK(argmax, argmax, WEFT_ALL_AXES)
PLAIN(argmax, argmax, x, WEFT_ALL_AXES)
WORK(cumsum, cumsum, 0)
PLAIN(cumsum, cumsum, x, 0)
WORK(sort, sort, 0)
PLAIN(sort, sort, x, 0)
WORK(argsort, argsort, 0)
PLAIN(argsort, argsort, x, 0)
WORK(resplit, resplit, 1)
PLAIN(copy, copy, x)
WORK(allreduce, sum, 0)

static weft_status run_unique(const bench *b) {
  weft_dist_array *y = NULL;
  const weft_status rc = weft_dist_unique(&y, b->x);
  weft_dist_array_release(&y);
  return rc;
}
PLAIN(unique, unique, x)

/* ---- the bus: what an exchange through the host's memory can reach ---- */

static weft_status open_bus(bus *u, const bench *b) {
  if (u->y) return WEFT_OK;
  u->piece_bytes = BUS_BYTES / BUS_PIECES / b->here->ranks / 4096 * 4096 + 4096;
  WEFT__TRY_RETURN(weft_pinned_alloc(&u->data, b->context, (size_t)(BUS_PIECES * u->piece_bytes)));
  memset(u->data, 0, (size_t)(BUS_PIECES * u->piece_bytes));
  WEFT__TRY_RETURN(weft_stream_create(&u->stream, b->context));
  return weft_zeros(&u->y, b->context, WEFT_F32, WEFT_SHAPE(u->piece_bytes / 4));
}

static void close_bus(bus *u) {
  weft_array_release(&u->y);
  weft_stream_release(&u->stream);
  weft_pinned_free(&u->data);
}

/// Copies x to the host's memory and, at the same time, as many bytes from there.
static weft_status plain_bus(const bench *b, const weft_array *x) {
  bus *u = b->bus;
  weft_array *from = NULL, *to = NULL;
  weft_status rc;
  WEFT__TRY(open_bus(u, b));
  const int64_t n = weft_array_size(x), most = u->piece_bytes / 4;
  for (int64_t first = 0, k = 0; first < n; first += most, k++) {
    const int64_t count = n - first < most ? n - first : most;
    char *out = u->data + k % BUS_PIECES * u->piece_bytes, *in = u->data + (k + 2) % BUS_PIECES * u->piece_bytes;
    WEFT__TRY(weft_slice(&from, x, 0, first, first + count));
    WEFT__TRY(weft_slice(&to, u->y, 0, 0, count));
    WEFT__TRY(weft_read_async(out, (size_t)count * 4, from, u->stream));
    WEFT__TRY(weft_write_async(to, in, (size_t)count * 4, NULL));
    weft_release(&from, &to);
  }
  rc = WEFT_OK;
done:
  weft_release(&from, &to);
  return rc;
}

static weft_status run_bus(const bench *b) {
  return plain_bus(b, weft_dist_local(b->x));
}

/* ---- five points of a plate, whose edges stay ---- */

/// `count` rows of an array.
typedef struct rows {
  const weft_array *x;
  int64_t first, count;
} rows;

/// The columns of rows without the outer ones, moved by `right`.
static weft_status columns_of(weft_array **out, rows of, int64_t right) {
  weft_array *taken = NULL;
  const int64_t side = weft_array_length(of.x, 1);
  weft_status rc;
  WEFT__TRY(weft_slice(&taken, of.x, 0, of.first, of.first + of.count));
  rc = weft_slice(out, taken, 1, 1 + right, side - 1 + right);
done:
  weft_array_release(&taken);
  return rc;
}

/// Rows of y from the rows `c` of x, and from the rows above and below them.
static weft_status step(rows y, rows c, rows above, rows below) {
  weft_array *out = NULL, *at[5] = {NULL};
  weft_status rc;
  WEFT__TRY(columns_of(&out, y, 0));
  WEFT__TRY(columns_of(&at[0], c, 0));
  WEFT__TRY(columns_of(&at[1], above, 0));
  WEFT__TRY(columns_of(&at[2], below, 0));
  WEFT__TRY(columns_of(&at[3], c, -1));
  WEFT__TRY(columns_of(&at[4], c, 1));
  rc = weft_eval(&out, weft_array_context(y.x), FIVE_POINTS, WEFT_NAMED("c", at[0]), WEFT_NAMED("n", at[1]),
                 WEFT_NAMED("s", at[2]), WEFT_NAMED("w", at[3]), WEFT_NAMED("e", at[4]));
done:
  weft_release(&out, &at[0], &at[1], &at[2], &at[3], &at[4]);
  return rc;
}

static weft_status inner_step(weft_array *y, const weft_array *x) {
  const int64_t count = weft_array_length(x, 0) - 2;
  return step((rows){y, 1, count}, (rows){x, 1, count}, (rows){x, 0, count}, (rows){x, 2, count});
}

static weft_status plain_stencil(const bench *b, const weft_array *x) {
  weft_array *y = NULL;
  weft_status rc;
  WEFT__TRY(weft_empty(&y, b->context, WEFT_F32, weft_array_shape(x)));
  rc = inner_step(y, x);
done:
  weft_array_release(&y);
  return rc;
}

/// The inner rows are computed while the neighbours' rows travel, then the first row and the last one.
static weft_status run_stencil(const bench *b) {
  const weft_array *x = weft_dist_local(b->x);
  const int64_t last = weft_array_length(x, 0) - 1;
  weft_dist_exchange *exchange = NULL;
  weft_array *edges = NULL, *y = NULL;
  weft_status rc;
  WEFT__TRY(weft_dist_halo_begin(&exchange, &edges, b->x, .border = WEFT_DIST_WRAP, .edges_only = true));
  WEFT__TRY(weft_empty(&y, b->context, WEFT_F32, weft_array_shape(x)));
  WEFT__TRY(inner_step(y, x));
  WEFT__TRY(weft_dist_halo_end(&exchange));
  WEFT__TRY(step((rows){y, 0, 1}, (rows){x, 0, 1}, (rows){edges, 0, 1}, (rows){x, 1, 1}));
  rc = step((rows){y, last, 1}, (rows){x, last, 1}, (rows){x, last - 1, 1}, (rows){edges, 1, 1});
done:
  if (exchange && weft_dist_halo_end(&exchange)) rc = rc ? rc : WEFT_ERROR_DIST;
  weft_release(&edges, &y);
  return rc;
}

/* SENT of works by the bytes of their arrays: p - 1 of p parts leave a rank, once or twice, or all of them. */
enum { NOTHING = 0, ONCE = 1, TWICE = 2, EDGES = 3, WHOLE = 4 };
static const work works[] = {
    {"eval", VECTOR, run_eval, plain_eval, NOTHING},
    {"uniform", VECTOR, run_uniform, plain_uniform, NOTHING},
    {"sum", VECTOR, run_sum, plain_sum, NOTHING},
    {"max", VECTOR, run_max, plain_max, NOTHING},
    {"argmax", VECTOR, run_argmax, plain_argmax, NOTHING},
    {"cumsum", VECTOR, run_cumsum, plain_cumsum, NOTHING},
    {"sort", KEYS, run_sort, plain_sort, ONCE},
    {"argsort", KEYS, run_argsort, plain_argsort, ONCE},
    {"unique", KEYS, run_unique, plain_unique, ONCE},
    {"resplit", SQUARE, run_resplit, plain_copy, ONCE},
    {"stencil", PLATE, run_stencil, plain_stencil, EDGES},
    {"allreduce", ROWS, run_allreduce, plain_copy, TWICE},
    {"bus", VECTOR, run_bus, plain_bus, WHOLE},
};
enum { WORKS = sizeof works / sizeof *works };

/* ---- their arrays ---- */

static int64_t side_of(const bench *b) {
  int64_t side = 4; /* a plate has an inside */
  while (side < STENCIL_SIDE && 4 * side * side <= b->n) side *= 2;
  return side;
}

static weft_shape shape_of(const bench *b, kind input) {
  const int64_t ranks = b->here->ranks, columns = b->n < 1024 ? b->n : 1024;
  switch (input) {
    case SQUARE:
      return WEFT_SHAPE(b->n / columns * ranks, columns);
    case PLATE:
      return WEFT_SHAPE(side_of(b) * ranks, side_of(b));
    case ROWS:
      return WEFT_SHAPE(ranks, b->n < ALLREDUCE_ELEMENTS ? b->n : ALLREDUCE_ELEMENTS);
    default:
      return WEFT_SHAPE(b->n * ranks);
  }
}

static weft_status make_input(bench *b, kind input) {
  const weft_shape shape = shape_of(b, input);
  if (input == KEYS) return weft_dist_integers(&b->x, b->grid, b->rng, WEFT_U32, shape, 0, (int64_t)UINT32_MAX + 1);
  return weft_dist_uniform(&b->x, b->grid, b->rng, WEFT_F32, shape, 0, 1);
}

/// Bytes that a rank has to send.
static double sent_bytes(const bench *b, const work *w) {
  const double ranks = b->here->ranks;
  if (w->sent == WHOLE) return (double)weft_array_size_bytes(weft_dist_local(b->x));
  if (w->sent == EDGES) return b->here->ranks > 1 ? 2 * 4.0 * (double)side_of(b) : 0;
  return w->sent * (ranks - 1) / ranks * (double)weft_array_size_bytes(weft_dist_local(b->x));
}

/* ---- times ---- */

/// `x`: of the ordinary call; NULL: over the ranks.
static weft_status time_work(double *seconds, const bench *b, const work *w, const weft_array *x) {
  double times[MPI_REPEATS];
  const int calls = w->input == PLATE ? STEPS : 1; /* a simulation does not wait after each step */
  for (int k = -1; k < MPI_REPEATS; k++) {         /* the first one builds kernels */
    if (!x) MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int call = 0; call < calls; call++) WEFT__TRY_RETURN(x ? w->plain(b, x) : w->run(b));
    WEFT__TRY_RETURN(weft_context_wait(b->context));
    if (k >= 0) times[k] = (MPI_Wtime() - start) / calls;
  }
  *seconds = mpi_median(times, MPI_REPEATS);
  return WEFT_OK;
}

/// Rank 0 alone; the others sleep meanwhile.
static weft_status time_alone(double *seconds, const bench *b, const work *w) {
  MPI_Request request;
  int is_done = 0;
  weft_status rc = WEFT_OK;
  if (b->here->rank == 0) rc = time_work(seconds, b, w, weft_dist_local(b->x));
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  while (!is_done) {
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    if (!is_done) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return rc;
}

static weft_status measure(table *t, bench *b, const work *w) {
  double together = 0, alone = 0;
  weft_status rc;
  WEFT__TRY(make_input(b, w->input));
  WEFT__TRY(time_alone(&alone, b, w));
  WEFT__TRY(time_work(&together, b, w, NULL));
  if (b->here->rank == 0) {
    const double elements = (double)weft_array_size(weft_dist_local(b->x)) * b->here->ranks;
    table_add_text(t, w->name);
    table_add_decimal(t, together * 1e3, 3);
    table_add_decimal(t, elements / together * 1e-6, 1);
    table_add_decimal(t, alone * 1e3, 3);
    table_add_decimal(t, alone / together, 2);
    if (w->sent)
      table_add_decimal(t, sent_bytes(b, w) / together * 1e-9, 2);
    else
      table_add_none(t);
  }
done:
  weft_dist_array_release(&b->x);
  return rc;
}

/* ---- the names ---- */

/// Whether `only` has the name; "": it has all.
static bool is_chosen(const char *only, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = only; *at; at += strcspn(at, ","), at += *at == ',')
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || !at[length])) return true;
  return !only[0];
}

/// Whether all names of `only` are known.
static bool check_names(const mpi_ranks *here, const char *only) {
  for (const char *at = only; *at; at += strcspn(at, ","), at += *at == ',') {
    const int length = (int)strcspn(at, ",");
    bool is_known = false;
    for (int k = 0; k < WORKS; k++)
      is_known |= strlen(works[k].name) == (size_t)length && strncmp(at, works[k].name, (size_t)length) == 0;
    if (is_known) continue;
    if (here->rank == 0) fprintf(stderr, "weft mpi: --only names `%.*s`; expected some of", length, at);
    for (int k = 0; k < WORKS && here->rank == 0; k++) fprintf(stderr, " %s", works[k].name);
    if (here->rank == 0) fprintf(stderr, "\n");
    return false;
  }
  return true;
}

weft_status mpi_bench(bool *is_wrong, const mpi_ranks *here, weft_dist *grid, int64_t n, const char *only) {
  static const table_column columns[] = {{"operation", "OPERATION"},      {"time_ms", "TIME ms"},
                                         {"rate_million_s", "MILLION/s"}, {"one_device_ms", "ONE DEVICE ms"},
                                         {"efficiency", "EFFICIENCY"},    {"sent_gb_s", "SENT GB/s"}};
  table t = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
  bus u = {0};
  bench b = {.here = here, .grid = grid, .bus = &u, .n = n};
  weft_dist_info info;
  weft_status rc = WEFT_OK;
  *is_wrong = !check_names(here, only);
  if (*is_wrong) goto done;
  WEFT__TRY(weft_dist_get(&info, grid));
  b.context = info.context;
  WEFT__TRY(weft_rng_create(&b.rng, .seed = 1, .context = info.context));
  WEFT__TRY(weft_rng_create(&b.own, .seed = 2, .context = info.context));
  if (here->rank == 0 && !here->is_json)
    printf("%d ranks by %s, %lld elements on each: f32, of sorts u32\n", here->ranks, info.transport, (long long)n);
  for (int k = 0; k < WORKS; k++)
    if (is_chosen(only, works[k].name)) WEFT__TRY(measure(&t, &b, &works[k]));
  mpi_print_table(here, "operations", &t, here->is_json, true);
done:
  close_bus(&u);
  weft_rng_release(&b.rng);
  weft_rng_release(&b.own);
  table_free(&t);
  return rc;
}
