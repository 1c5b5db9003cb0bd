// SPDX-License-Identifier: MIT
#include "cuda_peer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <weft/opencl.h>

#include "harness.h"

#define GRANULE_BYTES ((size_t)2 << 20)
#define UUID_KHR 0x106A

typedef struct properties {
  int type, handle_types, location_type, device;
  void *windows_attributes;
  unsigned char flags[8];
} properties;

typedef struct access_to {
  int location_type, device, flags;
} access_to;

bool cuda_peer_load(cuda_peer *peer) {
  const char *name = getenv("WEFT_CUDA_LIBRARY");
  void *library = dlopen(name ? name : "libcuda.so.1", RTLD_NOW);
  *peer = (cuda_peer){.device = -1};
  if (!library) return false;
#define FIND(member, symbol) (*(void **)(&peer->member) = dlsym(library, symbol))
#define FIND_CALL(name, parameters) \
  if (!FIND(name, #name)) return false;
  CUDA_PEER_CALLS(FIND_CALL)
  FIND(strike, "weft_test_cuda_fail");
  FIND(calls, "weft_test_cuda_calls");
  FIND(failed, "weft_test_cuda_failed");
  FIND(alive, "weft_test_cuda_alive");
  FIND(slow, "weft_test_cuda_slow");
  FIND(hold, "weft_test_cuda_hold");
  return peer->cuInit(0) == 0;
}

bool cuda_peer_open(cuda_peer *peer, const weft_context *context) {
  typedef int get_info(struct _cl_device_id *, unsigned, size_t, void *, size_t *);
  unsigned char wanted[16], uuid[16];
  int count = 0;
  get_info *info;
  *(void **)&info = dlsym(RTLD_DEFAULT, "clGetDeviceInfo");
  if (!cuda_peer_load(peer) || peer->cuDeviceGetCount(&count) || !info ||
      info(weft_context_cl_device(context), UUID_KHR, sizeof wanted, wanted, NULL))
    return false;
  for (int d = 0; d < count && peer->device < 0; d++)
    if (!peer->cuDeviceGetUuid(uuid, d) && memcmp(uuid, wanted, sizeof uuid) == 0) peer->device = d;
  return peer->device >= 0 && !peer->cuDevicePrimaryCtxRetain(&peer->context, peer->device) &&
         !peer->cuCtxPushCurrent_v2(peer->context);
}

void cuda_peer_close(cuda_peer *peer) {
  cuda_context context;
  if (!peer->context) return;
  peer->cuCtxPopCurrent_v2(&context);
  peer->cuDevicePrimaryCtxRelease_v2(peer->device);
  peer->context = NULL;
}

cuda_memory cuda_peer_make(const cuda_peer *peer, size_t size_bytes, bool exportable) {
  const properties of = {.type = 1, .handle_types = exportable, .location_type = 1, .device = peer->device};
  const access_to access = {1, peer->device, 3};
  cuda_memory m = {.size_bytes = (size_bytes + GRANULE_BYTES - 1) / GRANULE_BYTES * GRANULE_BYTES};
  ck_assert_int_eq(peer->cuMemCreate(&m.handle, m.size_bytes, &of, 0), 0);
  ck_assert_int_eq(peer->cuMemAddressReserve(&m.address, m.size_bytes, 0, 0, 0), 0);
  ck_assert_int_eq(peer->cuMemMap(m.address, m.size_bytes, 0, m.handle, 0), 0);
  ck_assert_int_eq(peer->cuMemSetAccess(m.address, m.size_bytes, &access, 1), 0);
  return m;
}

void cuda_peer_free(const cuda_peer *peer, cuda_memory *m) {
  ck_assert_int_eq(peer->cuMemUnmap(m->address, m->size_bytes), 0);
  ck_assert_int_eq(peer->cuMemAddressFree(m->address, m->size_bytes), 0);
  ck_assert_int_eq(peer->cuMemRelease(m->handle), 0);
  *m = (cuda_memory){0};
}

/* ---- of the suites ---- */

cuda_peer cuda;

void cuda_open(bool shared) {
  ok(weft_context_create(&ctx, .device = device.selector, .cuda = shared));
  ck_assert_msg(cuda_peer_open(&cuda, ctx), "CUDA's driver library is not usable");
}

long cuda_left(long before) {
  enum { TRIES = 5000 };
  for (int k = 0; k < TRIES && cuda.alive() > before; k++) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  return cuda.alive() - before;
}

void cuda_close(void) {
  cuda_peer_close(&cuda);
  ok(weft_context_close(&ctx));
  if (cuda.alive) ck_assert_int_eq(cuda_left(0), 0);
}

uint64_t cuda_address(const weft_array *x) {
  void *address = NULL;
  ok(weft_cuda_pointer(&address, x));
  return (uint64_t)(uintptr_t)address;
}

static void expect_steps(const int32_t *got, int32_t first, int32_t step) {
  for (int i = 0; i < CUDA_N; i++) ck_assert_msg(got[i] == first + i * step, "element %d is %d", i, got[i]);
}

void cuda_expect(uint64_t address, int32_t first, int32_t step) {
  int32_t got[CUDA_N];
  ck_assert_int_eq(cuda.cuMemcpyDtoH_v2(got, address, sizeof got), 0);
  expect_steps(got, first, step);
}

void cuda_expect_array(const weft_array *x, int32_t first, int32_t step) {
  int32_t got[CUDA_N];
  ok(weft_to_host(got, sizeof got, x));
  expect_steps(got, first, step);
}

long cuda_fail_in_turn(weft_status program(void), long first, long step, int code,
                       void check(const char *call, weft_status rc)) {
  long before = cuda.alive();
  ok(program());
  cuda.strike(0, 0);
  ok(program());
  const long calls = cuda.strike(0, 0);
  for (long k = 1 + first; k <= calls; k += step) {
    char name[64];
    cuda.strike(k, code);
    const weft_status rc = program();
    snprintf(name, sizeof name, "%s", cuda.failed());
    cuda.strike(0, 0);
    check(name, rc);
    /* without a current context nothing can be released; without a wait nothing may be */
    const bool leaves = strcmp(name, "cuCtxPushCurrent_v2") == 0 || strcmp(name, "cuCtxSynchronize") == 0;
    const long left = leaves ? 0 : cuda_left(before);
    ck_assert_msg(left <= 0, "call %ld, %s: %ld things are left", k, name, left);
    ok(program());
    before = leaves ? cuda.alive() : before + left; /* the first may count a buffer that is about to go */
  }
  harness_count(calls / step);
  return calls;
}
