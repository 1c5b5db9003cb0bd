// SPDX-License-Identifier: MIT
/// Scopes: released and kept arrays, refused calls, and threads.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dlpack_peer.h"
#include "harness.h"

static uint64_t alive(void) {
  weft_memory_stats s;
  ok(weft_memory_get(&s, ctx));
  harness_count(1);
  return s.arrays;
}

/// The number of handles, including views.
static uint64_t handles(void) {
  weft_snapshot *snapshot = NULL;
  size_t n;
  uint64_t count = 0;
  ok(weft_snapshot_create(&snapshot, ctx));
  const weft_snapshot_row *rows = weft_snapshot_rows(&n, snapshot);
  for (size_t i = 0; i < n; i++)
    if (strcmp(rows[i].kind, "array") == 0) count += rows[i].count;
  weft_snapshot_release(&snapshot);
  return count;
}

static weft_array *numbers(int64_t count) {
  weft_array *x = NULL;
  ok(weft_arange(&x, ctx, WEFT_I32, 0, count, 1));
  return x;
}

static int32_t first_of(const weft_array *x) {
  int32_t host[64];
  ok(weft_to_host(host, (size_t)weft_array_size_bytes(x), x));
  return host[0];
}

typedef struct heard {
  int count;
  char text[1000];
} heard;

static void hear(void *user, weft_log_level level, const char *message) {
  heard *h = user;
  if (level > WEFT_LOG_WARNING || !strstr(message, "scope")) return;
  h->count++;
  snprintf(h->text + strlen(h->text), sizeof h->text - strlen(h->text), "%s\n", message);
}

/* ---- released by the scope ---- */

START_TEST(frees_what_was_made_inside)
{
  weft_scope scope;
  weft_array *before = numbers(10);
  ok(weft_scope_begin(&scope));
  weft_array *x = numbers(10), *y = NULL, *view = NULL, *copy = NULL, *unique = NULL, *sorted = NULL,
             *parts[2] = {NULL};
  ok(weft_add(&y, x, 1));
  ok(weft_add(&y, y, x)); /* in place: no new array */
  ok(weft_slice(&view, y, 0, 2, 5));
  ok(weft_copy(&copy, view));
  ok(weft_unique(&unique, x));
  ok(weft_sort(&sorted, x, 0));
  ok(weft_split(parts, x, 2, 0));
  ok(weft_add(&before, before, x));
  /* temporaries of calls: host memory, a source that is not contiguous */
  int32_t host[5] = {0};
  weft_array *odd = NULL;
  ok(weft_slice(&odd, x, 0, 0, WEFT_END, .step = 2));
  ok(weft_to_host(host, sizeof host, odd));
  ok(weft_add(WEFT_HOST_OUT(host, WEFT_I32, WEFT_SHAPE(5)), odd, WEFT_HOST(host, WEFT_I32, WEFT_SHAPE(5))));
  ck_assert_int_eq(host[4], 16);
  ck_assert_uint_eq(handles(), 10);
  ck_assert_uint_gt(alive(), 1);
  ok(weft_scope_end(&scope));
  ck_assert_uint_eq(alive(), 1);
  ck_assert_uint_eq(handles(), 1);
  ck_assert_int_eq(first_of(before), 0);
  weft_array_release(&before);
}
END_TEST

START_TEST(keeps)
{
  weft_scope outer, inner;
  ok(weft_scope_begin(&outer));
  weft_array *early = numbers(3);
  ok(weft_scope_begin(&inner));
  weft_array *x = numbers(4), *y = numbers(5);
  ok(weft_scope_keep(x));
  ok(weft_scope_keep(x)); /* no longer in the inner scope: no effect */
  ok(weft_scope_keep(early));
  ck_assert_uint_eq(alive(), 3);
  ok(weft_scope_end(&inner));
  ck_assert_uint_eq(alive(), 2);
  weft_array *z = numbers(6);
  ok(weft_scope_keep(x)); /* also out of the outer scope */
  ok(weft_scope_end(&outer));
  ck_assert_uint_eq(alive(), 1);
  ck_assert_int_eq(weft_array_length(x, 0), 4);
  weft_array_release(&x);
  ck_assert_uint_eq(alive(), 0);
  (void)y, (void)z;
}
END_TEST

START_TEST(keep_of_what_is_in_no_scope)
{
  weft_scope scope;
  weft_array *x = numbers(3);
  ok(weft_scope_begin(&scope));
  ok(weft_scope_keep(x));
  ok(weft_scope_end(&scope));
  ck_assert_int_eq(weft_array_length(x, 0), 3);
  weft_array_release(&x);
}
END_TEST

START_TEST(releases_and_references_inside)
{
  weft_scope scope;
  ok(weft_scope_begin(&scope));
  weft_array *x = numbers(3), *y = numbers(4), *z = numbers(5);
  weft_array_release(&x);
  ck_assert_uint_eq(alive(), 2); /* released at once */
  weft_array *mine = weft_array_retain(y), *second = weft_array_retain(z);
  weft_array_release(&second);
  ck_assert_uint_eq(alive(), 2);
  ok(weft_scope_end(&scope));
  ck_assert_uint_eq(alive(), 1);
  ck_assert_int_eq(weft_array_length(mine, 0), 4);
  weft_array_release(&mine);
  ck_assert_uint_eq(alive(), 0);
}
END_TEST

START_TEST(a_view_outlives_the_scope_of_its_source)
{
  weft_scope scope;
  weft_array *view = NULL;
  ok(weft_scope_begin(&scope));
  weft_array *x = numbers(8);
  ok(weft_slice(&view, x, 0, 3, 6));
  ok(weft_scope_keep(view));
  ok(weft_scope_end(&scope));
  ck_assert_uint_eq(alive(), 1);
  ck_assert_int_eq(first_of(view), 3);
  weft_array_release(&view);
  ck_assert_uint_eq(alive(), 0);
}
END_TEST

START_TEST(a_tensor_of_others_is_in_no_scope)
{
  weft_scope scope;
  struct DLManagedTensorVersioned *tensor = NULL;
  ok(weft_scope_begin(&scope));
  weft_array *x = numbers(8);
  ok(weft_to_dlpack(&tensor, x));
  ok(weft_scope_end(&scope));
  ck_assert_uint_eq(alive(), 1);
  ck_assert_uint_eq(handles(), 1);
  ok(weft_scope_begin(&scope));
  weft_array *back = NULL;
  ok(weft_from_dlpack(&back, ctx, tensor));
  ck_assert_int_eq(first_of(back), 0);
  ok(weft_scope_end(&scope)); /* calls the tensor's deleter */
  ck_assert_uint_eq(alive(), 0);
  ck_assert_uint_eq(handles(), 0);
}
END_TEST

START_TEST(a_loop_uses_the_same_memory)
{
  weft_memory_stats before, after;
  weft_scope scope;
  for (int i = 0; i < 200; i++) {
    if (i == 3) ok(weft_memory_get(&before, ctx));
    ok(weft_scope_begin(&scope));
    weft_array *x = NULL, *y = NULL;
    ok(weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(1 << 16)));
    ok(weft_empty(&y, ctx, WEFT_U8, WEFT_SHAPE(1 << 20)));
    ok(weft_scope_end(&scope));
  }
  ok(weft_memory_get(&after, ctx));
  ck_assert_uint_eq(after.managed_bytes, before.managed_bytes);
  ck_assert_uint_eq(after.active_bytes, 0);
}
END_TEST

START_TEST(a_failed_call_leaves_nothing_in_the_scope)
{
  weft_scope scope;
  ok(weft_scope_begin(&scope));
  weft_array *x = numbers(3), *y = numbers(4), *z = NULL;
  expect_error(weft_add(&z, x, y), WEFT_ERROR_SHAPE, "weft_add");
  expect_error(weft_take(&z, x, 7, 9), WEFT_ERROR_AXIS, "weft_take");
  ck_assert_uint_eq(handles(), 2);
  ok(weft_scope_end(&scope));
  ck_assert_uint_eq(handles(), 0);
}
END_TEST

/* ---- nesting, forgotten scopes, mistakes ---- */

static int begin_and_forget(void) {
  weft_scope scope;
  ok(weft_scope_begin(&scope));
  numbers(7);
  return __LINE__ - 2;
}

START_TEST(an_outer_scope_ends_forgotten_ones)
{
  heard h = {0};
  char site[2][64];
  weft_scope outer, last;
  weft_log_set(WEFT_LOG_WARNING, hear, &h);
  ok(weft_scope_begin(&outer));
  for (int i = 0; i < 2; i++) snprintf(site[i], sizeof site[i], "test_scope.c:%d was never ended", begin_and_forget());
  snprintf(site[1], sizeof site[1], "begun at %s", __FILE__); /* the error also names the outer scope's line */
  ok(weft_scope_begin(&last));
  ok(weft_scope_end(&last));
  ck_assert_int_eq(h.count, 0);
  ck_assert_uint_eq(alive(), 2);
  ok(weft_scope_end(&outer));
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
  ck_assert_uint_eq(alive(), 0);
  ck_assert_int_eq(h.count, 2);
  ck_assert_msg(strstr(h.text, site[0]) && strstr(h.text, site[1]), "%s", h.text);
}
END_TEST

static void *end_it(void *data) {
  static char why[400];
  weft_status rc = weft_scope_end(data);
  snprintf(why, sizeof why, "%s: %s", weft_status_name(rc), weft_error_last()->message);
  return why;
}

START_TEST(mistakes)
{
  weft_scope scope, never = {.id = UINT64_MAX};
  weft_array *x = numbers(3);
  expect_error(weft_scope_keep(x), WEFT_ERROR_ARGUMENT, "weft_scope_keep", "no scope is open");
  expect_error(weft_scope_begin(NULL), WEFT_ERROR_ARGUMENT, "weft_scope_begin", "@scope", "NULL");
  expect_error(weft_scope_end(NULL), WEFT_ERROR_ARGUMENT, "weft_scope_end", "@scope", "NULL");
  expect_error(weft_scope_end(&never), WEFT_ERROR_ARGUMENT, "weft_scope_end", "@scope", "never begun");
  ok(weft_scope_begin(&scope));
  expect_error(weft_scope_keep(NULL), WEFT_ERROR_HANDLE, "weft_scope_keep", "@x", "NULL");
  expect_error(weft_scope_keep(harness_garbage()), WEFT_ERROR_HANDLE, "weft_scope_keep", "@x");
  expect_error(weft_scope_end(&never), WEFT_ERROR_ARGUMENT, "weft_scope_end", "@scope", "never begun");
  numbers(4);
  pthread_t thread;
  void *why;
  ck_assert_int_eq(pthread_create(&thread, NULL, end_it, &scope), 0);
  ck_assert_int_eq(pthread_join(thread, &why), 0);
  ck_assert_msg(strstr(why, "WEFT_ERROR_ARGUMENT") && strstr(why, "not open in this thread"), "%s", (char *)why);
  ck_assert_uint_eq(alive(), 2); /* wrong calls end nothing */
  ok(weft_scope_end(&scope));
  ck_assert_uint_eq(alive(), 1);
  expect_error(weft_scope_end(&scope), WEFT_ERROR_ARGUMENT, "weft_scope_end", "@scope", "ended before");
  weft_array_release(&x);
}
END_TEST

/* ---- contexts and processes ---- */

START_TEST(the_context_is_closed_meanwhile)
{
  char site[64];
  weft_scope scope;
  harness_context_open();
  ok(weft_scope_begin(&scope));
  weft_array *x = numbers(3);
  snprintf(site, sizeof site, "test_scope.c:");
  expect_error(weft_context_close(&ctx), WEFT_ERROR_LEAK, "weft_context_close", site, "1 array");
  expect_error(weft_fill(x, 1), WEFT_ERROR_CLOSED, "weft_fill");
  ok(weft_scope_keep(x));
  ok(weft_scope_end(&scope));
  weft_array_release(&x);
}
END_TEST

static atomic_bool is_over;

static void *busy(void *data) {
  weft_status *status = data;
  weft_scope scope;
  weft_array *x = NULL;
  *status = weft_scope_begin(&scope);
  if (*status == WEFT_OK) *status = weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(64));
  /* later calls only look the array up */
  while (!atomic_load(&is_over) && *status == WEFT_OK) *status = weft_scope_keep(x);
  if (*status == WEFT_OK) *status = weft_scope_end(&scope);
  weft_array_release(&x);
  return NULL;
}

/// A forked child makes no driver call and does not hang, whatever another thread was doing at the fork.
START_TEST(in_a_forked_child)
{
  weft_scope scope, own;
  weft_status status = WEFT_OK;
  pthread_t thread;
  ok(weft_scope_begin(&scope));
  weft_array *x = numbers(3);
  ck_assert_int_eq(pthread_create(&thread, NULL, busy, &status), 0);
  for (int i = 0; i < 40; i++) {
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
      alarm(20);
      bool fine =
          weft_scope_begin(&own) == WEFT_OK && weft_scope_end(&own) == WEFT_OK && weft_scope_end(&scope) == WEFT_OK;
      _exit(fine ? 0 : 1);
    }
    int end = -1;
    ck_assert_int_eq(waitpid(child, &end, 0), child);
    ck_assert_int_eq(end, 0);
  }
  atomic_store(&is_over, true);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  ck_assert_int_eq(status, WEFT_OK);
  ck_assert_int_eq(first_of(x), 0);
  ok(weft_scope_end(&scope));
  ck_assert_uint_eq(alive(), 0);
}
END_TEST

/* ---- threads ---- */

typedef struct left {
  weft_array *x, *y;
  int line; /* that made y */
  weft_status status;
} left;

static void *leave_open(void *data) {
  left *l = data;
  weft_scope outer, inner;
  l->status = weft_scope_begin(&outer);
  if (l->status == WEFT_OK) l->status = weft_empty(&l->x, ctx, WEFT_U8, WEFT_SHAPE(8));
  if (l->status == WEFT_OK) l->status = weft_scope_begin(&inner);
  l->line = __LINE__ + 1;
  if (l->status == WEFT_OK) l->status = weft_empty(&l->y, ctx, WEFT_U8, WEFT_SHAPE(8));
  return NULL;
}

START_TEST(a_thread_ends_with_open_scopes)
{
  heard h = {0};
  left l = {0};
  pthread_t thread;
  char site[64];
  harness_context_open();
  weft_log_set(WEFT_LOG_WARNING, hear, &h);
  ck_assert_int_eq(pthread_create(&thread, NULL, leave_open, &l), 0);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
  ck_assert_int_eq(l.status, WEFT_OK);
  ck_assert_int_eq(h.count, 2);
  ck_assert_msg(strstr(h.text, "test_scope.c:") != NULL, "%s", h.text);
  ck_assert_uint_eq(alive(), 2);
  ck_assert_int_eq(weft_array_length(l.y, 0), 8);
  snprintf(site, sizeof site, "test_scope.c:%d", l.line);
  expect_error(weft_context_close(&ctx), WEFT_ERROR_LEAK, "weft_context_close", site, "2 objects");
  weft_array_release(&l.x);
  weft_array_release(&l.y);
}
END_TEST

enum { THREADS = 4, ROUNDS = 300, HANDED = 8 };

/// What one thread makes in its scope and another releases while the first ends it.
typedef struct handed {
  pthread_barrier_t barrier;
  weft_array *x[HANDED];
  weft_status status;
} handed;

static void *release_them(void *data) {
  handed *h = data;
  for (int round = 0; round < ROUNDS; round++) {
    pthread_barrier_wait(&h->barrier);
    /* own references: the scope's end and these releases race for the last reference */
    for (int i = 0; i < HANDED; i++) weft_array_release(&h->x[i]);
    pthread_barrier_wait(&h->barrier);
  }
  return NULL;
}

START_TEST(another_thread_releases_meanwhile)
{
  handed h = {.status = WEFT_OK};
  pthread_t thread;
  ck_assert_int_eq(pthread_barrier_init(&h.barrier, NULL, 2), 0);
  ck_assert_int_eq(pthread_create(&thread, NULL, release_them, &h), 0);
  for (int round = 0; round < ROUNDS; round++) {
    weft_scope scope;
    ok(weft_scope_begin(&scope));
    for (int i = 0; i < HANDED; i++) {
      weft_array *x = NULL;
      ok(weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(64)));
      h.x[i] = weft_array_retain(x);
    }
    pthread_barrier_wait(&h.barrier);
    ok(weft_scope_end(&scope));
    pthread_barrier_wait(&h.barrier);
  }
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  pthread_barrier_destroy(&h.barrier);
  ck_assert_uint_eq(alive(), 0);
}
END_TEST

/// Another thread drops the scope's reference before the scope ends.
static void *release_ours(void *data) {
  weft_array **x = data;
  for (int i = 0; i < HANDED; i += 2) weft_array_release(&x[i]);
  return NULL;
}

START_TEST(another_thread_drops_the_scopes_reference)
{
  for (int round = 0; round < 20; round++) {
    weft_scope scope;
    weft_array *x[HANDED] = {NULL};
    pthread_t thread;
    ok(weft_scope_begin(&scope));
    for (int i = 0; i < HANDED; i++) ok(weft_empty(&x[i], ctx, WEFT_U8, WEFT_SHAPE(64)));
    ck_assert_int_eq(pthread_create(&thread, NULL, release_ours, x), 0);
    for (int i = 0; i < HANDED; i++) { /* both sides change the scope's list */
      weft_array *more = NULL;
      ok(weft_empty(&more, ctx, WEFT_U8, WEFT_SHAPE(64)));
      if (i % 2) weft_array_release(&more);
    }
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_uint_eq(alive(), HANDED);
    ok(weft_scope_end(&scope));
    ck_assert_uint_eq(alive(), 0);
  }
}
END_TEST

static void *own_scopes(void *data) {
  weft_status *status = data;
  for (int round = 0; round < ROUNDS && *status == WEFT_OK; round++) {
    weft_scope outer, inner;
    weft_array *x = NULL, *y = NULL, *z = NULL;
    *status = weft_scope_begin(&outer);
    if (*status == WEFT_OK) *status = weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(64));
    if (*status == WEFT_OK) *status = weft_scope_begin(&inner);
    if (*status == WEFT_OK) *status = weft_slice(&y, x, 0, 1, 9);
    if (*status == WEFT_OK) *status = weft_reshape(&z, y, WEFT_SHAPE(2, 4));
    if (*status == WEFT_OK) *status = weft_scope_keep(z);
    if (*status == WEFT_OK) *status = weft_scope_end(&inner);
    if (*status == WEFT_OK && weft_array_ndim(z) != 2) *status = WEFT_ERROR_INTERNAL;
    if (*status == WEFT_OK) *status = weft_scope_end(&outer);
  }
  return NULL;
}

START_TEST(each_thread_has_its_own)
{
  pthread_t threads[THREADS];
  weft_status status[THREADS] = {WEFT_OK};
  for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_create(&threads[i], NULL, own_scopes, &status[i]), 0);
  for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < THREADS; i++) ck_assert_int_eq(status[i], WEFT_OK);
  ck_assert_uint_eq(handles(), 0);
  harness_count(THREADS * ROUNDS);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "freed");
  tcase_add_test(tc, frees_what_was_made_inside);
  tcase_add_test(tc, keeps);
  tcase_add_test(tc, keep_of_what_is_in_no_scope);
  tcase_add_test(tc, releases_and_references_inside);
  tcase_add_test(tc, a_view_outlives_the_scope_of_its_source);
  tcase_add_test(tc, a_tensor_of_others_is_in_no_scope);
  tcase_add_test(tc, a_loop_uses_the_same_memory);
  tcase_add_test(tc, a_failed_call_leaves_nothing_in_the_scope);
  tc = harness_context_case(suite, "nested");
  tcase_add_test(tc, an_outer_scope_ends_forgotten_ones);
  tcase_add_test(tc, mistakes);
  tcase_add_test(tc, in_a_forked_child);
  tc = harness_context_case(suite, "threads");
  tcase_add_test(tc, another_thread_releases_meanwhile);
  tcase_add_test(tc, another_thread_drops_the_scopes_reference);
  tcase_add_test(tc, each_thread_has_its_own);
  tc = harness_case(suite, "own context");
  tcase_add_test(tc, the_context_is_closed_meanwhile);
  tcase_add_test(tc, a_thread_ends_with_open_scopes);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "scope", .add = add});
}
