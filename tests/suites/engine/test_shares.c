// SPDX-License-Identifier: MIT
// The pool of threads for work on the host: each share is computed once, by callers on several threads, from within a
// share, and in a forked process.
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/shares.h"
#include "harness.h"

typedef struct counting {
  atomic_int calls[WEFT__MOST_SHARES];
  int inner; /* shares of a task that each share has itself */
} counting;

static void *count(void *user) {
  const weft__share *share = user;
  counting *c = (counting *)share->all;
  atomic_fetch_add(&c->calls[share->number], 1);
  if (c->inner) {
    counting inner = {.inner = 0};
    weft__run_shares(c->inner, count, &inner);
    for (int k = 0; k < c->inner; k++)
      if (atomic_load(&inner.calls[k]) != 1) atomic_fetch_add(&c->calls[share->number], 100);
  }
  return NULL;
}

/// Whether each of the shares was computed once.
static bool are_counted(int shares, int inner) {
  counting c = {.inner = inner};
  weft__run_shares(shares, count, &c);
  for (int k = 0; k < WEFT__MOST_SHARES; k++)
    if (atomic_load(&c.calls[k]) != (k < shares)) return false;
  return true;
}

START_TEST(each_share_is_computed_once)
{
  for (int shares = 1; shares <= WEFT__MOST_SHARES; shares++) {
    ck_assert_msg(are_counted(shares, 0), "%d shares", shares);
    harness_count(1);
  }
  for (int k = 0; k < 2000; k++) ck_assert(are_counted(1 + k % 5, 0));
}
END_TEST

START_TEST(a_share_has_shares)
{
  for (int shares = 1; shares <= 16; shares++) ck_assert_msg(are_counted(shares, 7), "%d shares", shares);
}
END_TEST

static void *call_often(void *failures) {
  for (int k = 0; k < 300; k++)
    if (!are_counted(2 + k % 6, k % 3)) atomic_fetch_add((atomic_int *)failures, 1);
  return NULL;
}

START_TEST(callers_on_several_threads)
{
  pthread_t thread[6];
  atomic_int failures = 0;
  for (int k = 0; k < 6; k++) ck_assert_int_eq(pthread_create(&thread[k], NULL, call_often, &failures), 0);
  for (int k = 0; k < 6; k++) pthread_join(thread[k], NULL);
  ck_assert_int_eq(failures, 0);
}
END_TEST

START_TEST(a_forked_process_has_its_own)
{
  ck_assert(are_counted(8, 0));
  const pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) _exit(are_counted(8, 3) && are_counted(2, 0) ? 0 : 1);
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  ck_assert(are_counted(8, 0));
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "shares");
  tcase_set_timeout(tc, 60);
  tcase_add_test(tc, each_share_is_computed_once);
  tcase_add_test(tc, a_share_has_shares);
  tcase_add_test(tc, callers_on_several_threads);
  tcase_add_test(tc, a_forked_process_has_its_own);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "shares", .add = add});
}
