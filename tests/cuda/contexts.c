// SPDX-License-Identifier: MIT
/// Devices, contexts, codes, and the hooks of the tests.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_initialised;
static context primary[MOST_DEVICES], all;
static atomic_long alive, calls, fails_at;
static atomic_int failure;
static const char *_Atomic failed = "";

static _Thread_local context stack[16];
static _Thread_local int depth;

/* ---- hooks ---- */

int standin_begin(const char *function) {
  const long number = atomic_fetch_add(&calls, 1) + 1;
  if (number == atomic_load(&fails_at)) {
    atomic_store(&failed, function);
    return atomic_load(&failure);
  }
  return is_initialised || strcmp(function, "cuInit") == 0 ? OK : NOT_INITIALIZED;
}

long weft_test_cuda_fail(long number, int code) {
  const long before = atomic_exchange(&calls, 0);
  atomic_store(&failure, code);
  atomic_store(&fails_at, number);
  atomic_store(&failed, "");
  return before;
}

long weft_test_cuda_calls(void) {
  return atomic_load(&calls);
}

const char *weft_test_cuda_failed(void) {
  return atomic_load(&failed);
}

long weft_test_cuda_alive(void) {
  return atomic_load(&alive);
}

void standin_count(int change) {
  atomic_fetch_add(&alive, change);
}

/* ---- codes ---- */

static const struct {
  int code;
  const char *name, *text;
} codes[] = {
    {OK, "CUDA_SUCCESS", "no error"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {OPERATING_SYSTEM, "CUDA_ERROR_OPERATING_SYSTEM", "OS call failed"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CONTEXT_IS_DESTROYED, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
};

/// As CUDA's: may be called at any time.
int cuGetErrorName(int code, const char **name) {
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (codes[i].code == code) {
      *name = codes[i].name;
      return OK;
    }
  *name = NULL;
  return INVALID_VALUE;
}

int cuGetErrorString(int code, const char **text) {
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (codes[i].code == code) {
      *text = codes[i].text;
      return OK;
    }
  *text = NULL;
  return INVALID_VALUE;
}

/* ---- devices ---- */

int standin_devices(void) {
  const char *text = getenv("WEFT_TEST_CUDA_DEVICES");
  const int count = text ? atoi(text) : 2;
  return count < 0 ? 0 : count > MOST_DEVICES ? MOST_DEVICES : count;
}

void standin_uuid(unsigned char uuid[16], int device) {
  char text[17];
  snprintf(text, sizeof text, "weft stand-in %02d", device);
  memcpy(uuid, text, 16);
}

int cuInit(unsigned flags) {
  BEGIN;
  if (flags) return INVALID_VALUE;
  is_initialised = true;
  return OK;
}

int cuDeviceGetCount(int *count) {
  BEGIN;
  *count = standin_devices();
  return OK;
}

int cuDeviceGet(int *device, int number) {
  BEGIN;
  if (number < 0 || number >= standin_devices()) return INVALID_DEVICE;
  *device = number;
  return OK;
}

int cuDeviceGetUuid(unsigned char uuid[16], int device) {
  BEGIN;
  if (device < 0 || device >= standin_devices()) return INVALID_DEVICE;
  standin_uuid(uuid, device);
  return OK;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  BEGIN;
  if (device < 0 || device >= standin_devices() || attribute < 1) return INVALID_VALUE;
  *value = 1;
  return OK;
}

/* ---- contexts ---- */

static context make(int device) {
  context made = calloc(1, sizeof *made);
  if (!made) abort();
  *made = (struct CUctx_st){.next = all, .device = device, .references = 1, .is_alive = true};
  return all = made;
}

static void end(context of) {
  of->is_alive = false;
  standin_end_streams(of);
  standin_end_memory(of);
}

int cuDevicePrimaryCtxRetain(context *of, int device) {
  BEGIN;
  if (device < 0 || device >= standin_devices()) return INVALID_DEVICE;
  pthread_mutex_lock(&lock);
  if (primary[device] && primary[device]->is_alive)
    primary[device]->references++;
  else
    primary[device] = make(device);
  *of = primary[device];
  pthread_mutex_unlock(&lock);
  standin_count(1);
  return OK;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  BEGIN_RELEASE;
  pthread_mutex_lock(&lock);
  const bool is_there = device >= 0 && device < MOST_DEVICES && primary[device] && primary[device]->is_alive;
  if (is_there && --primary[device]->references == 0) end(primary[device]);
  pthread_mutex_unlock(&lock);
  if (!is_there) return INVALID_CONTEXT;
  standin_count(-1);
  END_RELEASE(OK);
}

int cuDevicePrimaryCtxReset_v2(int device) {
  BEGIN;
  pthread_mutex_lock(&lock);
  if (primary[device] && primary[device]->is_alive) {
    standin_count(-(int)primary[device]->references);
    end(primary[device]);
  }
  pthread_mutex_unlock(&lock);
  return OK;
}

int cuCtxCreate_v2(context *of, unsigned flags, int device) {
  BEGIN;
  (void)flags;
  if (device < 0 || device >= standin_devices()) return INVALID_DEVICE;
  pthread_mutex_lock(&lock);
  *of = make(device);
  pthread_mutex_unlock(&lock);
  standin_count(1);
  stack[depth++] = *of;
  return OK;
}

int cuCtxDestroy_v2(context of) {
  BEGIN;
  if (!of || !of->is_alive) return INVALID_CONTEXT;
  pthread_mutex_lock(&lock);
  end(of);
  pthread_mutex_unlock(&lock);
  standin_count(-1);
  if (depth && stack[depth - 1] == of) depth--;
  return OK;
}

int standin_current(context *of) {
  if (!depth || !stack[depth - 1]) return INVALID_CONTEXT;
  *of = stack[depth - 1];
  return (*of)->is_alive ? OK : CONTEXT_IS_DESTROYED;
}

int cuCtxPushCurrent_v2(context of) {
  BEGIN;
  if (!of) return INVALID_CONTEXT;
  if (!of->is_alive) return CONTEXT_IS_DESTROYED;
  if (depth == (int)(sizeof stack / sizeof *stack)) return INVALID_VALUE;
  stack[depth++] = of;
  return OK;
}

/// Never made to fail: nobody could do anything about it.
int cuCtxPopCurrent_v2(context *of) {
  if (!depth) return INVALID_CONTEXT;
  *of = stack[--depth];
  return OK;
}

int cuCtxGetCurrent(context *of) {
  *of = depth ? stack[depth - 1] : NULL;
  return OK;
}

int cuCtxSetCurrent(context of) {
  BEGIN;
  if (!depth) depth = 1;
  stack[depth - 1] = of;
  return OK;
}
