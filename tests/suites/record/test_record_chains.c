// SPDX-License-Identifier: MIT
// Random chains of elementwise calls in recordings, which become one kernel, and copies of them on other arrays, which
// share it: over all functions and dtypes, bit by bit against the calls. WEFT_TEST_CHAINS=N runs N chains, from number
// WEFT_TEST_FIRST_CHAIN on.
#include <stdio.h>
#include <unistd.h>

#include "dtype/dtype.h"
#include "expr/overload.h"
#include "harness.h"
#include "views.h"

enum {
  ROWS = 12,
  COLUMNS = 50,
  ELEMENTS = ROWS * COLUMNS,
  INPUTS = 4,
  STEPS = 14,
  SLOTS = INPUTS + STEPS, /* of a copy of a chain */
  COPIES = 5,
  ALL_SLOTS = COPIES * SLOTS,
  MOST = 4,
  TRIES = 4
};

/* ---- random chains ---- */

/// How a step sees its arrays: all of them, a part, or in another order; or one row or column of one array.
static const char *const views[] = {":", ":", ":", ":", ":", ":", "::-1", "1:", ":-1", ":, ::2", ":, 1::2"};
static const char *const lines[] = {"3:4", ":1, ::-1", ":, 2:3"};

static const char *const texts[] = {"a * b + c",       "where(a > b, a, c)", "a * 2 + i",
                                    "i1 * 2 - i0 + b", "a * s - s",          "abs(a) + n"};

typedef enum step_kind { STEP_UFUNC, STEP_EVAL, STEP_CAST, STEP_COPY } step_kind;

typedef struct step {
  step_kind kind;
  weft_ufunc_id id[TRIES]; /* the first one that accepts the dtypes */
  const char *text;
  int operand[MOST]; /* slots */
  const char *view[MOST];
  bool is_number[MOST]; /* a number in the operand's place */
  double number;
  weft_dtype dtype; /* of a cast, or of an array that is given for the result; NONE: the call makes the result */
  int into;         /* the slot whose view is the result; -1: a new one */
  const char *into_view;
  int gone; /* the slot that is released after the step; -1: none */
} step;

typedef struct chain {
  int steps;
  step step[STEPS];
  weft_dtype input[INPUTS];
  int copies;
  bool is_side_by_side; /* each step of all copies; else copy by copy */
} chain;

static bool one_in(harness_random *random, int count) {
  return harness_between(random, 1, count) == 1;
}

#define ANY(random, list) (list)[harness_between(random, 0, (int64_t)(sizeof(list) / sizeof *(list)) - 1)]

/* Most chains are of these, whose calls alone are built once. */
static const weft_ufunc_id common[] = {WEFT_UFUNC_ADD,     WEFT_UFUNC_SUBTRACT, WEFT_UFUNC_MULTIPLY,
                                       WEFT_UFUNC_MAXIMUM, WEFT_UFUNC_NEGATIVE, WEFT_UFUNC_ABS,
                                       WEFT_UFUNC_SQUARE,  WEFT_UFUNC_LESS};
static const weft_dtype common_dtypes[] = {WEFT_F32, WEFT_F16, WEFT_I8};

static weft_dtype draw_dtype(harness_random *random, bool is_common) {
  if (is_common) return ANY(random, common_dtypes);
  for (;;) {
    const weft_dtype dtype = (weft_dtype)harness_between(random, 1, WEFT_DTYPE_COUNT - 1);
    if (harness_has_dtype(dtype)) return dtype;
  }
}

static void draw_step(step *s, harness_random *random, int slots, bool is_common) {
  static const step_kind kinds[] = {STEP_UFUNC, STEP_UFUNC, STEP_UFUNC, STEP_UFUNC,
                                    STEP_EVAL,  STEP_EVAL,  STEP_CAST,  STEP_COPY};
  s->kind = ANY(random, kinds);
  for (int k = 0; k < TRIES; k++)
    s->id[k] = is_common ? ANY(random, common) : (weft_ufunc_id)harness_between(random, 1, WEFT_UFUNC_COUNT - 1);
  if (one_in(random, 2)) s->id[TRIES - 1] = WEFT_UFUNC_ADD;
  s->text = ANY(random, texts);
  s->into = one_in(random, 3) ? (int)harness_between(random, 0, slots - 1) : -1;
  s->into_view = s->into >= 0 || one_in(random, 8) ? ANY(random, views) : ":";
  for (int k = 0; k < MOST; k++) { /* often what the last steps made */
    const int oldest = one_in(random, 3) || slots < 4 ? 0 : slots - 3;
    s->operand[k] = (int)harness_between(random, oldest, slots - 1);
    s->view[k] = one_in(random, 12) ? ANY(random, lines) : one_in(random, 12) ? ANY(random, views) : s->into_view;
    s->is_number[k] = k > 0 && one_in(random, 5);
  }
  s->number = (double)harness_between(random, -4, 12) / (one_in(random, 2) ? 4 : 1);
  s->dtype = one_in(random, 4) ? draw_dtype(random, is_common) : WEFT_DTYPE_NONE;
  s->gone = one_in(random, 2) ? (int)harness_between(random, INPUTS - 1, slots) : -1;
}

static void draw_chain(chain *c, harness_random *random) {
  c->steps = (int)harness_between(random, 3, STEPS);
  const bool is_common = !one_in(random, 4);
  for (int k = 0; k < INPUTS; k++) c->input[k] = draw_dtype(random, is_common);
  if (one_in(random, 2)) /* of one dtype, more calls are possible */
    for (int k = 1; k < INPUTS; k++) c->input[k] = c->input[0];
  for (int n = 0; n < c->steps; n++) draw_step(&c->step[n], random, INPUTS + n, is_common);
  c->copies = one_in(random, 2) ? 1 : (int)harness_between(random, 2, COPIES);
  c->is_side_by_side = one_in(random, 2);
}

static weft_operand number_of(const step *s) {
  return s->number == (int64_t)s->number
             ? (weft_operand){.kind = WEFT_OPERAND_SCALAR,
                              .as.scalar = {.dtype = WEFT_I64, .value.i = (int64_t)s->number}}
             : (weft_operand){.kind = WEFT_OPERAND_SCALAR, .as.scalar = {.dtype = WEFT_F64, .value.f = s->number}};
}

static weft_status call_ufunc(weft_array **out, weft_array *const *x, const step *s, weft_ufunc_id id) {
  const weft__op *row = weft__op_row(id);
  const int results = weft__op_results(row), operands = weft__op_operands(row);
  weft_operand operand[2 * MOST];
  weft_array *more = NULL;
  operand[0] = (weft_operand){.kind = WEFT_OPERAND_RESULT, .as.result = out};
  operand[1] = (weft_operand){.kind = WEFT_OPERAND_RESULT, .as.result = &more};
  for (int k = 0; k < operands; k++)
    operand[results + k] =
        s->is_number[k] ? number_of(s) : (weft_operand){.kind = WEFT_OPERAND_ARRAY, .as.array = x[k]};
  weft_status rc = weft_ufunc_apply(id, results + operands, operand);
  weft_array_release(&more);
  return rc;
}

/// Floats beyond an integer's range have no defined value there.
static bool is_defined_cast(weft_dtype from, weft_dtype to) {
  return !strchr("iu", weft_dtype_kind(to)) || !strchr("fc", weft_dtype_kind(from));
}

static weft_status call_step(weft_array **out, weft_array *const *x, const step *s) {
  const weft_dtype to = s->dtype ? s->dtype : weft_array_dtype(x[0]);
  weft_status rc = WEFT_ERROR_DTYPE;
  switch (s->kind) {
    case STEP_UFUNC:
      for (int k = 0; k < TRIES && rc; k++) rc = call_ufunc(out, x, s, s->id[k]);
      return rc;
    case STEP_EVAL:
      return weft_eval(out, ctx, s->text, WEFT_NAMED("a", x[0]), WEFT_NAMED("b", x[1]), WEFT_NAMED("c", x[2]),
                       WEFT_NAMED("s", s->number));
    case STEP_CAST:
      return *out || !is_defined_cast(weft_array_dtype(x[0]), to) ? WEFT_ERROR_DTYPE : weft_cast(out, x[0], to);
    default:
      return weft_copy(out, x[0]);
  }
}

/// The array of a slot; of the last one before it that has one, if it has none.
static weft_array *array_of(weft_array *const *slot, int number) {
  while (number > 0 && !slot[number]) number--;
  return slot[number];
}

/// Makes the step's call. It may fail, for its dtypes or shapes: then it has no result.
static void run_step(weft_array **slot, const step *s, int at) {
  weft_array *x[MOST] = {NULL}, *into = NULL;
  weft_status rc = WEFT_OK;
  for (int k = 0; k < MOST && !rc; k++) rc = weft_view(&x[k], array_of(slot, s->operand[k]), s->view[k]);
  if (rc) goto done;
  /* into an array, else into one of another dtype, else into a new one */
  rc = WEFT_ERROR_ARGUMENT;
  if (s->into >= 0) rc = weft_view(&into, array_of(slot, s->into), s->into_view);
  if (s->into >= 0 && !rc) rc = call_step(&into, x, s);
  for (int is_given = s->dtype && s->kind != STEP_CAST; is_given >= 0 && rc; is_given--) {
    if (is_given) ok(weft_empty(&slot[at], ctx, s->dtype, weft_array_shape(x[0])));
    rc = call_step(&slot[at], x, s);
    if (rc) weft_array_release(&slot[at]);
  }
done:
  for (int k = 0; k < MOST; k++) weft_array_release(&x[k]);
  weft_array_release(&into);
}

static void run_chain(weft_array **slot, const chain *c) {
  for (int k = 0; k < c->steps * c->copies; k++) {
    const int n = c->is_side_by_side ? k / c->copies : k % c->steps;
    weft_array **own = slot + SLOTS * (c->is_side_by_side ? k % c->copies : k / c->steps);
    run_step(own, &c->step[n], INPUTS + n);
    if (c->step[n].gone >= INPUTS) weft_array_release(&own[c->step[n].gone]);
  }
}

static bool is_input(int slot) {
  return slot % SLOTS < INPUTS;
}

static void make_inputs(weft_array **slot, const chain *c, uint64_t salt) {
  static char bytes[ELEMENTS * 16];
  harness_random random = harness_random_start(salt);
  for (int k = 0; k < c->copies * SLOTS; k++) {
    if (!is_input(k)) continue;
    const weft_dtype dtype = c->input[k % SLOTS];
    elements_random(&random, dtype, bytes, ELEMENTS);
    for (int e = 0; e < ELEMENTS; e++) /* most of sizes for which functions differ */
      if (!one_in(&random, 6))
        element_set(dtype, bytes + (size_t)e * weft_dtype_size_bytes(dtype),
                    (double)harness_between(&random, 0, 2000) / 100, 0);
    ok(weft_from_host(&slot[k], ctx, dtype, WEFT_SHAPE(ROWS, COLUMNS), bytes));
  }
}

static void release_all(weft_array **slot) {
  for (int k = 0; k < ALL_SLOTS; k++) weft_array_release(&slot[k]);
}

/// Whether elements have the same bits, or are NaN in the same places.
static bool is_same(weft_dtype dtype, const char *a, const char *b) {
  const weft_dtype part = weft__real_dtype(dtype);
  const size_t size = weft_dtype_size_bytes(part);
  if (weft_dtype_kind(part) != 'f') return memcmp(a, b, size) == 0;
  for (size_t at = 0; at < weft_dtype_size_bytes(dtype); at += size) {
    const long double x = element_get(part, a + at), y = element_get(part, b + at);
    if (memcmp(a + at, b + at, size) != 0 && !(x != x && y != y)) return false;
  }
  return true;
}

static void compare(weft_array *got, weft_array *expected, const char *what, int slot) {
  static char a[ELEMENTS * 16], b[ELEMENTS * 16];
  const weft_dtype dtype = weft_array_dtype(expected);
  const size_t size = weft_dtype_size_bytes(dtype);
  ok(weft_to_host(a, (size_t)weft_array_size_bytes(got), got));
  ok(weft_to_host(b, (size_t)weft_array_size_bytes(expected), expected));
  for (int64_t e = 0; e < weft_array_size(expected); e++)
    if (!is_same(dtype, a + (size_t)e * size, b + (size_t)e * size))
      ck_abort_msg("%s: slot %d of %s, element %" PRId64 ": the replay has 0x%" PRIx64 ", the call 0x%" PRIx64, what,
                   slot, weft_dtype_name(dtype), e, *(uint64_t *)(a + (size_t)e * size),
                   *(uint64_t *)(b + (size_t)e * size));
}

static void print_chain(const chain *c) {
  printf("  %d copies%s\n", c->copies, c->is_side_by_side ? " side by side" : "");
  for (int k = 0; k < INPUTS; k++) printf("  %d: %s\n", k, weft_dtype_name(c->input[k]));
  for (int n = 0; n < c->steps; n++) {
    const step *s = &c->step[n];
    const char *what[] = {"", s->text, "cast", "copy"};
    printf("  %d: %s", INPUTS + n, what[s->kind]);
    for (int k = 0; k < TRIES && s->kind == STEP_UFUNC; k++) printf("%s%s", k ? "|" : "", weft_ufunc_name(s->id[k]));
    for (int k = 0; k < MOST; k++) printf(" %d[%s]%s", s->operand[k], s->view[k], s->is_number[k] ? "=n" : "");
    printf(" n %g dtype %s into %d[%s] gone %d\n", s->number, s->dtype ? weft_dtype_name(s->dtype) : "-", s->into,
           s->into_view, s->gone);
  }
}

/// Replays the recording from its file, on arrays of that.
static void compare_file(weft_recording *recording, weft_array **x, weft_array **y) {
  char path[64], name[16];
  weft_recording *loaded = NULL;
  snprintf(path, sizeof path, "/tmp/weft-record-chains-%ld", (long)getpid());
  bool is_named[ALL_SLOTS] = {false};
  for (int k = 0; k < ALL_SLOTS; k++) {
    snprintf(name, sizeof name, "%d", k);
    is_named[k] = x[k] && weft_recording_name(recording, x[k], name) == WEFT_OK;
  }
  ok(weft_recording_save(recording, path));
  ok(weft_recording_load(&loaded, ctx, path));
  unlink(path);
  ok(weft_replay(loaded));
  for (int k = 0; k < ALL_SLOTS; k++) {
    weft_array *found = NULL;
    snprintf(name, sizeof name, "%d", k);
    if (!is_named[k]) continue;
    ok(weft_recording_array(&found, loaded, name));
    compare(found, y[k], "from the file", k);
    weft_array_release(&found);
  }
  weft_recording_release(&loaded);
}

/// Records a chain on some arrays; replays it on others, written into these, bound for these, and from a file.
static void compare_chain(const chain *c, int number, weft_recording_info *all) {
  weft_array *x[ALL_SLOTS] = {NULL}, *y[ALL_SLOTS] = {NULL}, *z[ALL_SLOTS] = {NULL};
  weft_recording *recording = NULL;
  weft_recording_info info;
  const uint64_t salt = 100 * (uint64_t)number;
  make_inputs(x, c, salt);
  ok(weft_record_begin(ctx));
  run_chain(x, c);
  ok(weft_record_end(&recording));
  ok(weft_recording_get(&info, recording));
  all->launches += info.launches;
  all->recorded_launches += info.recorded_launches;
  make_inputs(y, c, salt + 1);
  for (int k = 0; k < ALL_SLOTS; k++)
    if (x[k] && y[k]) ok(weft_copy(&x[k], y[k]));
  run_chain(y, c);
  if (number % 4 == 0) compare_file(recording, x, y);
  ok(weft_replay(recording));
  for (int k = 0; k < ALL_SLOTS; k++)
    if (x[k]) compare(x[k], y[k], "replayed", k);
  release_all(y);
  make_inputs(y, c, salt + 2);
  make_inputs(z, c, salt + 2);
  run_chain(y, c);
  weft_bind bind[COPIES * INPUTS];
  int binds = 0;
  for (int k = 0; k < ALL_SLOTS; k++) {
    char name[16];
    snprintf(name, sizeof name, "bound %d", k);
    if (!is_input(k) || !x[k]) continue;
    if (weft_recording_name(recording, x[k], name) == WEFT_OK) bind[binds++] = WEFT_BIND(x[k], z[k]);
  }
  ok((weft_replay)(recording, binds, bind));
  for (int k = 0; k < ALL_SLOTS; k++) {
    if (x[k] && !is_input(k)) compare(x[k], y[k], "bound", k);
    if (z[k]) compare(z[k], y[k], "bound, of the bound", k);
  }
  weft_recording_release(&recording);
  release_all(x);
  release_all(y);
  release_all(z);
  harness_count(1);
}

START_TEST(replays_have_the_bits_of_the_calls)
{
  const char *wanted = getenv("WEFT_TEST_CHAINS"), *from = getenv("WEFT_TEST_FIRST_CHAIN");
  const int first = from ? atoi(from) : 0, chains = first + (wanted ? atoi(wanted) : 5);
  weft_recording_info all = {0};
  for (int k = first; k < chains; k++) {
    harness_random random = harness_random_start(4200 + (uint64_t)k);
    chain c;
    draw_chain(&c, &random);
    if (wanted) printf("chain %d\n", k);
    if (wanted && chains - first == 1) print_chain(&c);
    fflush(stdout);
    compare_chain(&c, k, &all);
  }
  if (wanted) printf("%d launches became %d\n", (int)all.recorded_launches, (int)all.launches);
  if (chains - first > 100) ck_assert_uint_lt(all.launches, all.recorded_launches * 9 / 10);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "record_chains");
  tcase_set_timeout(tc, getenv("WEFT_TEST_CHAINS") ? 36000 : 200);
  tcase_add_test(tc, replays_have_the_bits_of_the_calls);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "record_chains", .add = add});
}
