// SPDX-License-Identifier: MIT
/// A context's store: distinct keys, many entries, threads that make one entry at once, and kernels by name.
#include <pthread.h>

#include "context/context.h"
#include "harness.h"

typedef struct numbered {
  weft__entry entry;
  uint64_t number;
} numbered;

typedef struct bytes_key {
  uint8_t a, b, c;
} bytes_key;

static numbered *add(const weft__key *key, uint64_t number) {
  numbered *made = weft__entry_new(sizeof *made, key);
  ck_assert_ptr_nonnull(made);
  made->number = number;
  return weft__store_add(&ctx->store, made);
}

static int count(weft__key_kind kind) {
  int n = 0;
  for (const weft__entry *entry = NULL; (entry = weft__store_next(&ctx->store, entry));) n += entry->key.kind == kind;
  return n;
}

START_TEST(every_member_of_a_key_counts)
{
  static const char file[] = "file", other_file[] = "file", name[] = "name", other_name[] = "name";
  static const int one, two;
  const bytes_key bytes = {1, 2, 3}, other_bytes = {1, 2, 4};
  const char *names[] = {name, other_name}, *same_names[] = {name, other_name}, *turned[] = {other_name, name};
  const weft__key base = {.kind = WEFT__KIND_EVAL,
                          .kernels = 2,
                          .file = file,
                          .kernel = names,
                          .owner = &one,
                          WEFT__KEY_BYTES(bytes_key, &bytes)};
  weft__key key[8];
  for (int k = 0; k < 8; k++) key[k] = base;
  key[1].kind = WEFT__KIND_SELECT;
  key[2].kernels = 1;
  key[3].file = other_file;
  key[4].kernel = turned;
  key[5].owner = &two;
  key[6].bytes = &other_bytes;
  key[7].size = 2;
  for (uint64_t k = 0; k < 8; k++) {
    ck_assert_ptr_null(weft__store_find(&ctx->store, &key[k]));
    ck_assert_uint_eq(add(&key[k], k)->number, k);
  }
  /* the key's own memory may be changed: the store has copies */
  names[0] = NULL;
  for (uint64_t k = 0; k < 8; k++) {
    if (key[k].kernel == names) key[k].kernel = same_names;
    const numbered *found = weft__store_find(&ctx->store, &key[k]);
    ck_assert_ptr_nonnull(found);
    ck_assert_uint_eq(found->number, k);
    ck_assert_uint_eq(add(&key[k], 100)->number, k); /* the first entry stays */
    harness_count(1);
  }
  ck_assert_int_eq(count(WEFT__KIND_EVAL), 7);
  ck_assert_int_eq(count(WEFT__KIND_SELECT), 1);
}
END_TEST

START_TEST(more_entries_than_buckets)
{
  enum { MANY = 5 * WEFT__STORE_BUCKETS };
  for (uint64_t k = 0; k < MANY; k++) add(&(weft__key){.kind = WEFT__KIND_EVAL, .bytes = &k, .size = sizeof k}, k);
  for (uint64_t k = 0; k < MANY; k++) {
    const numbered *found =
        weft__store_find(&ctx->store, &(weft__key){.kind = WEFT__KIND_EVAL, .bytes = &k, .size = sizeof k});
    ck_assert_ptr_nonnull(found);
    ck_assert_uint_eq(found->number, k);
    harness_count(1);
  }
  ck_assert_int_eq(count(WEFT__KIND_EVAL), MANY);
}
END_TEST

enum { THREADS = 4, KEYS = 500 };
static const numbered *kept[THREADS][KEYS];
static pthread_barrier_t begin;

static void *add_all(void *data) {
  const numbered **mine = data;
  pthread_barrier_wait(&begin);
  for (int k = 0; k < KEYS; k++) {
    const weft__key key = {.kind = WEFT__KIND_EVAL, .bytes = &k, .size = sizeof k};
    mine[k] = weft__store_find(&ctx->store, &key);
    if (!mine[k]) mine[k] = add(&key, (uint64_t)k);
  }
  return NULL;
}

START_TEST(threads_that_make_the_same_keep_one)
{
  pthread_t thread[THREADS];
  ck_assert_int_eq(pthread_barrier_init(&begin, NULL, THREADS), 0);
  for (int t = 0; t < THREADS; t++) ck_assert_int_eq(pthread_create(&thread[t], NULL, add_all, kept[t]), 0);
  for (int t = 0; t < THREADS; t++) pthread_join(thread[t], NULL);
  pthread_barrier_destroy(&begin);
  for (int t = 0; t < THREADS; t++)
    for (int k = 0; k < KEYS; k++) {
      ck_assert_ptr_eq(kept[t][k], kept[0][k]);
      ck_assert_uint_eq(kept[t][k]->number, (uint64_t)k);
    }
  ck_assert_int_eq(count(WEFT__KIND_EVAL), KEYS);
  harness_count(THREADS * KEYS);
}
END_TEST

static weft__kernel *kernel_named(const char *name) {
  const char *const names[] = {name}; /* valid only for this call */
  weft__kernel *kernel;
  const weft__kernel_source source = {.name = "core", .key = {.file = "core.cl", .kernel = names, .kernels = 1}};
  ok(weft__kernels_get(&kernel, &ctx->store, &source));
  return kernel;
}

START_TEST(kernels_of_one_program)
{
  const int programs = count(WEFT__KIND_PROGRAM);
  weft__kernel *fill = kernel_named("weft_fill"), *copy = kernel_named("weft_copy_strided");
  ck_assert_str_eq(fill->info.name, "weft_fill");
  ck_assert_str_eq(copy->info.name, "weft_copy_strided");
  ck_assert_ptr_eq(kernel_named("weft_fill"), fill);
  ck_assert_ptr_eq(kernel_named("weft_copy_strided"), copy);
  ck_assert_int_eq(count(WEFT__KIND_PROGRAM), programs);
  harness_count(4);
}
END_TEST

static void add_tests(Suite *suite) {
  TCase *tcase = harness_context_case(suite, "store");
  tcase_add_test(tcase, every_member_of_a_key_counts);
  tcase_add_test(tcase, more_entries_than_buckets);
  tcase_add_test(tcase, threads_that_make_the_same_keep_one);
  tcase_add_test(tcase, kernels_of_one_program);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "store", .add = add_tests});
}
