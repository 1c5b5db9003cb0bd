// SPDX-License-Identifier: MIT
/// OpenCL's side: functions that stand before the loader's, so that devices of the CPU import the stand-in's memory.
#define _GNU_SOURCE /* RTLD_NEXT */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "standin.h"

enum { OPAQUE_FILE = 0x2060, IMPORT_TYPES = 0x204F, UUID = 0x106A };

/// The loader's function. Weft loads the loader when it needs it, after this library.
static void find_next(void *function, const char *name) {
  void *symbol = dlsym(RTLD_NEXT, name);
  void *loader = symbol ? NULL : dlopen("libOpenCL.so.1", RTLD_NOW);
  *(void **)function = symbol ? symbol : dlsym(loader, name);
}
#define REAL(name)                \
  __extension__({                 \
    __typeof__(name) *function_;  \
    find_next(&function_, #name); \
    function_;                    \
  })

/// The place of a device among its platform's devices.
static int number_of(cl_device_id device) {
  cl_platform_id platform;
  cl_device_id devices[64];
  cl_uint count = 0;
  if (REAL(clGetDeviceInfo)(device, CL_DEVICE_PLATFORM, sizeof(cl_platform_id), &platform, NULL)) return -1;
  if (REAL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 64, devices, &count)) return -1;
  for (cl_uint k = 0; k < count && k < 64; k++)
    if (devices[k] == device) return (int)k;
  return -1;
}

static cl_int give(const void *value, size_t value_bytes, size_t size_bytes, void *room, size_t *found_bytes) {
  if (room && size_bytes < value_bytes) return CL_INVALID_VALUE;
  if (room) memcpy(room, value, value_bytes);
  if (found_bytes) *found_bytes = value_bytes;
  return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size_bytes, void *room, size_t *found_bytes) {
  cl_device_type type = 0;
  if (what == IMPORT_TYPES || what == UUID) REAL(clGetDeviceInfo)(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  if (!(type & CL_DEVICE_TYPE_CPU)) return REAL(clGetDeviceInfo)(device, what, size_bytes, room, found_bytes);
  if (what == IMPORT_TYPES) {
    const cl_uint types[] = {OPAQUE_FILE};
    return give(types, sizeof types, size_bytes, room, found_bytes);
  }
  unsigned char uuid[16];
  standin_uuid(uuid, number_of(device));
  return give(uuid, sizeof uuid, size_bytes, room, found_bytes);
}

/* ---- imported buffers ---- */

typedef struct imported {
  void *memory;
  size_t size_bytes;
  int file;
} imported;

static void CL_CALLBACK forget(cl_mem mem, void *user) {
  imported *i = user;
  (void)mem;
  munmap(i->memory, i->size_bytes);
  close(i->file);
  free(i);
  standin_count(-1);
}

/// What NVIDIA's driver does with allocations of 512 MiB and more on a machine with several GPUs.
static void crash_if_large(int file) {
  const char *text = getenv("WEFT_TEST_CUDA_CRASH_MIB");
  const off_t size = lseek(file, 0, SEEK_END);
  if (text && size >= (off_t)atoi(text) << 20) abort();
}

cl_mem clCreateBufferWithProperties(cl_context of, const cl_ulong *properties, cl_mem_flags flags, size_t size_bytes,
                                    void *host, cl_int *code) {
  *code = standin_begin(__func__) ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_SUCCESS;
  if (*code) return NULL;
  if (!properties || properties[0] != OPAQUE_FILE || host) {
    *code = CL_INVALID_VALUE;
    return NULL;
  }
  imported *i = malloc(sizeof *i);
  if (!i) abort();
  const int file = (int)properties[1];
  crash_if_large(file);
  *i = (imported){mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), size_bytes, file};
  cl_mem mem = NULL;
  *code = CL_INVALID_VALUE;
  if (i->memory != MAP_FAILED) mem = REAL(clCreateBuffer)(of, flags | CL_MEM_USE_HOST_PTR, size_bytes, i->memory, code);
  if (*code) {
    if (i->memory != MAP_FAILED) munmap(i->memory, size_bytes);
    free(i);
    return NULL;
  }
  REAL(clSetMemObjectDestructorCallback)(mem, forget, i);
  standin_count(1);
  return mem;
}
