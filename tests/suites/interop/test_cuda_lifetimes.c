// SPDX-License-Identifier: MIT
/// Memory shared with CUDA and between contexts, released in every order. On an NVIDIA GPU with CUDA itself,
/// elsewhere with the stand-in of tests/cuda.
#include <stdio.h>

#include "cuda_peer.h"
#include "dlpack_peer.h"
#include "harness.h"

enum { N = CUDA_N };

/* ---- every order ---- */

enum { OWNER, USER, ARRAY, PEER, TENSOR, OUTSIDE, THINGS };

/* What is shared: an array of OWNER, a tensor of it, the array in USER's context on its memory, and an array of USER's
   context around memory that CUDA code has made. */
typedef struct shared {
  weft_context *owner, *user;
  weft_array *array, *peer, *outside;
  DLManagedTensorVersioned *tensor;
  cuda_memory memory;
  bool is_given_back;
} shared;

static void give_back(void *of) {
  shared *s = of;
  s->is_given_back = true;
}

static void make(shared *s) {
  *s = (shared){0};
  ok(weft_context_create(&s->owner, .device = device.selector, .cuda = true));
  ok(weft_context_create(&s->user, .device = device.selector, .cuda = true));
  ck_assert(cuda_peer_open(&cuda, s->owner));
  s->memory = cuda_peer_make(&cuda, N * sizeof(int32_t), true);
  ck_assert_int_eq(cuda.cuMemsetD32Async(s->memory.address, 7, N, NULL), 0);
  ok(weft_arange(&s->array, s->owner, WEFT_I32, 3, N + 3, 1));
  ok(weft_to_dlpack((struct DLManagedTensorVersioned **)&s->tensor, s->array));
  ok(weft_peer_array(&s->peer, s->user, s->array));
  ok(weft_from_cuda(&s->outside, s->user, WEFT_I32, WEFT_SHAPE(N), (void *)(uintptr_t)s->memory.address,
                    .give_back = give_back, .user = s));
}

static void release(shared *s, int thing, bool closes) {
  weft_context **context = thing == OWNER ? &s->owner : &s->user;
  if (thing == ARRAY) weft_array_release(&s->array);
  if (thing == PEER) weft_array_release(&s->peer);
  if (thing == OUTSIDE) weft_array_release(&s->outside);
  if (thing == TENSOR) s->tensor->deleter(s->tensor);
  if (thing > USER) return;
  if (!closes) {
    weft_context_release(context);
    return;
  }
  const weft_status rc = weft_context_close(context);
  ck_assert_msg(rc == WEFT_OK || rc == WEFT_ERROR_LEAK, "%s", harness_error_text());
}

/* What is still there has its elements. */
static void check(const shared *s, const bool *is_gone, bool closes) {
  int32_t got[N];
  /* a close ends the arrays of the context, and the memory that its array lent */
  const bool owner_is_closed = closes && is_gone[OWNER], user_is_closed = closes && is_gone[USER];
  if (!is_gone[ARRAY] && !owner_is_closed) cuda_expect_array(s->array, 3, 1);
  if (!is_gone[PEER] && !user_is_closed) {
    const weft_status rc = weft_to_host(got, sizeof got, s->peer);
    ck_assert(rc == WEFT_OK || owner_is_closed);
    if (rc == WEFT_OK && !owner_is_closed) ck_assert_int_eq(got[N - 1], N + 2);
  }
  if (!is_gone[OUTSIDE] && !user_is_closed) cuda_expect_array(s->outside, 7, 0);
  if (is_gone[OUTSIDE]) ck_assert(s->is_given_back);
}

/* Releases all in one order. */
static void run(const int *order, bool closes) {
  shared s;
  bool is_gone[THINGS] = {false};
  make(&s);
  for (int k = 0; k < THINGS; k++) {
    release(&s, order[k], closes);
    is_gone[order[k]] = true;
    check(&s, is_gone, closes);
  }
  cuda_peer_free(&cuda, &s.memory);
  cuda_peer_close(&cuda);
  if (cuda.alive) ck_assert_int_eq(cuda_left(0), 0);
}

/* The order with this number of all orders of the things. */
static void order_of(int order[THINGS], int number) {
  int left[THINGS], count = THINGS;
  for (int k = 0; k < THINGS; k++) left[k] = k;
  for (int k = 0; k < THINGS; k++) {
    const int at = number % count;
    order[k] = left[at];
    number /= count--;
    for (int j = at; j < count; j++) left[j] = left[j + 1];
  }
}

enum { ORDERS = 720, PARTS = 24 };

START_TEST(any_order_of_releases)
{
  int order[THINGS];
  /* a context on a GPU takes 0.2 to 0.4 s: a sixth of the orders there */
  const int step = device.type == WEFT_DEVICE_TYPE_GPU ? 6 * PARTS : PARTS;
  for (int number = _i; number < ORDERS; number += step) {
    order_of(order, number);
    run(order, false);
    run(order, true);
    harness_count(2);
  }
}
END_TEST

static void add(Suite *s) {
  TCase *c = harness_case(s, "cuda_lifetimes");
  tcase_set_timeout(c, 300);
  tcase_add_loop_test(c, any_order_of_releases, 0, PARTS);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "cuda_lifetimes", .add = add});
}
