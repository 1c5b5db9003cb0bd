// SPDX-License-Identifier: MIT
#include "cuda/cuda.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cuda/abroad.h"
#include "cuda/imports.h"
#include "ocl/codes.h"

/* ---- the device ---- */

/// Finds CUDA's number of the core's device by its UUID: CUDA_VISIBLE_DEVICES and the two drivers' orders may differ.
static weft_status find_device(int *device, const weft__core *core) {
  weft_status rc = WEFT_OK;
  int count = 0;
  WEFT__CUDA_TRY(device_count, &count);
  for (int number = 0; number < count; number++) {
    unsigned char uuid[16];
    WEFT__CUDA_TRY(device_get, device, number);
    WEFT__CUDA_TRY(device_uuid, uuid, *device);
    if (memcmp(uuid, core->device->uuid, sizeof uuid) == 0) return WEFT_OK;
  }
  rc = weft__fail(WEFT_ERROR_UNSUPPORTED, "cuda",
                  "device %d, %s, is none of the %d devices that CUDA lists (CUDA_VISIBLE_DEVICES may hide it)",
                  core->device->info.index, core->device->info.name, count);
done:
  return rc;
}

static bool takes_memory(const weft__core *core) {
  return core->device->imports_memory && core->device->has_uuid;
}

static weft_status check_device(const weft__core *core) {
  const weft_device_info *info = &core->device->info;
  if (takes_memory(core)) return WEFT_OK;
  return weft__fail(WEFT_ERROR_UNSUPPORTED, "cuda",
                    "device %d, %s, cannot share memory with CUDA: its OpenCL driver does not import file descriptors "
                    "(cl_khr_external_memory_opaque_fd)",
                    info->index, info->name);
}

static weft__cuda_properties properties(int device) {
  return (weft__cuda_properties){.type = WEFT__CUDA_PINNED,
                                 .handle_types = WEFT__CUDA_FILE_DESCRIPTOR,
                                 .location_type = WEFT__CUDA_ON_DEVICE,
                                 .device = device};
}

static weft_status open_locked(weft__core *core) {
  weft_status rc;
  weft__cuda *cuda = NULL;
  WEFT__TRY(check_device(core));
  WEFT__TRY(weft__cuda_load());
  if (!(cuda = weft__new(sizeof *cuda))) WEFT__TRY(WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(find_device(&cuda->device, core));
  WEFT__CUDA_TRY(primary_retain, &cuda->context, cuda->device);
  const weft__cuda_properties of = properties(cuda->device);
  WEFT__TRY(weft__cuda_enter(cuda));
  const int code = weft__cuda_api.granularity(&cuda->granule_bytes, &of, 0);
  weft__cuda_leave();
  if (code) WEFT__TRY(weft__cuda_fail(code, "cuMemGetAllocationGranularity"));
  cuda->most_bytes = weft__imports_most_bytes(core);
  pthread_mutex_init(&cuda->lock, NULL);
  pthread_mutex_init(&cuda->stepping, NULL);
  core->cuda = cuda;
  return WEFT_OK;
done:
  if (cuda && cuda->context) weft__cuda_api.primary_release(cuda->device);
  free(cuda);
  return weft__while(rc, "opening CUDA's side of device %d", core->device->info.index);
}

weft_status weft__cuda_open(weft__core *core) {
  pthread_mutex_lock(&core->lock);
  weft_status rc = core->cuda ? WEFT_OK : open_locked(core);
  pthread_mutex_unlock(&core->lock);
  return rc;
}

void weft__cuda_close(weft__core *core) {
  weft__cuda *cuda = core->cuda;
  weft__abroad_leave(core);
  if (!cuda) return;
  if (!weft__cuda_api.push(cuda->context)) { /* a context that was destroyed has no library's objects */
    for (int k = 0; k < WEFT__CUDA_LIBRARIES; k++)
      if (cuda->handle[k].object) cuda->handle[k].destroy(cuda->handle[k].object);
    weft__cuda_leave();
  }
  weft__cuda_order_end(core);
  weft__cuda_api.primary_release(cuda->device);
  pthread_mutex_destroy(&cuda->lock);
  pthread_mutex_destroy(&cuda->stepping);
  core->cuda = NULL;
  free(cuda);
}

weft_status weft__cuda_enter(weft__cuda *cuda) {
  const int code = weft__cuda_api.push(cuda->context);
  return code ? weft__cuda_fail(code, "cuCtxPushCurrent") : WEFT_OK;
}

weft_status weft__cuda_context_of(weft__cuda_context *context, const weft__cuda *cuda, weft__cuda_stream stream) {
  *context = cuda->context;
  const int code = weft__cuda_stream_is_default(stream) ? 0 : weft__cuda_api.stream_context(stream, context);
  return code ? weft__while(weft__cuda_fail(code, "cuStreamGetCtx"), "looking at `cuda_stream`") : WEFT_OK;
}

weft_status weft__cuda_enter_stream(weft__cuda *cuda, weft__cuda_stream stream) {
  weft__cuda_context context;
  WEFT__TRY_RETURN(weft__cuda_context_of(&context, cuda, stream));
  const int pushed = weft__cuda_api.push(context);
  return pushed ? weft__cuda_fail(pushed, "cuCtxPushCurrent") : WEFT_OK;
}

void weft__cuda_leave(void) {
  weft__cuda_context context;
  weft__cuda_api.pop(&context);
}

/* ---- memory ---- */

#define CUDA_STEP(call, ...)                                                                                        \
  do {                                                                                                              \
    failure =                                                                                                       \
        (weft__cuda_failure){true, weft__cuda_api.call(__VA_ARGS__), weft__cuda_symbols[WEFT__CUDA_NUMBER_##call]}; \
    if (failure.code) goto done;                                                                                    \
  } while (0)

weft__cuda_failure weft__cuda_memory_import(weft__cl_mem *mem, const weft__core *to, int file, uint64_t size_bytes) {
  const weft__buffer_params params = {.kind = WEFT__BUFFER_IMPORTED, .size_bytes = size_bytes, .file = file};
  return (weft__cuda_failure){false, weft__driver->buffer_create(mem, to->cl, &params), "clCreateBufferWithProperties"};
}

/// CUDA opens the file as open() does.
static int export_file(int *file, uint64_t handle) {
  const int code = weft__cuda_api.memory_export(file, handle, WEFT__CUDA_FILE_DESCRIPTOR, 0);
  if (code) return code;
  *file = weft__file_above_output(*file);
  return *file < 0 ? WEFT__CUDA_OPERATING_SYSTEM : 0;
}

/// Exports memory and imports it into OpenCL.
static weft__cuda_failure import(weft__cl_mem *mem, const weft__core *core, uint64_t handle, uint64_t size_bytes) {
  weft__cuda_failure failure;
  int file = -1;
  failure = (weft__cuda_failure){true, export_file(&file, handle), "cuMemExportToShareableHandle"};
  if (failure.code) return failure;
  failure = weft__cuda_memory_import(mem, core, file, size_bytes);
  if (failure.code) close(file);
  return failure;
}

/// Maps the memory at an address of CUDA's.
static weft__cuda_failure map(weft__cuda_memory *memory, int device) {
  const weft__cuda_access access = {WEFT__CUDA_ON_DEVICE, device, WEFT__CUDA_READ_WRITE};
  weft__cuda_failure failure;
  uint64_t address = 0;
  bool is_mapped = false;
  CUDA_STEP(address_reserve, &address, memory->size_bytes, 0, 0, 0);
  CUDA_STEP(map, address, memory->size_bytes, 0, memory->handle, 0);
  is_mapped = true;
  CUDA_STEP(set_access, address, memory->size_bytes, &access, 1);
  memory->address = address;
done:
  if (failure.code && is_mapped) weft__cuda_api.unmap(address, memory->size_bytes);
  if (failure.code && address) weft__cuda_api.address_free(address, memory->size_bytes);
  return failure;
}

weft__cuda_failure weft__cuda_memory_make(weft__cuda_memory *memory, weft__core *core, uint64_t size_bytes) {
  weft__cuda *cuda = core->cuda;
  weft__cuda_failure failure;
  const weft__cuda_properties of = properties(cuda->device);
  const uint64_t granule = cuda->granule_bytes;
  bool is_inside = false;
  *memory = (weft__cuda_memory){.size_bytes = weft_ceil_div(size_bytes, granule) * granule};
  CUDA_STEP(push, cuda->context);
  is_inside = true;
  CUDA_STEP(memory_create, &memory->handle, memory->size_bytes, &of, 0);
  if ((failure = map(memory, cuda->device)).code) goto done;
  failure = import(&memory->mem, core, memory->handle, memory->size_bytes);
done:
  if (is_inside) weft__cuda_leave();
  if (failure.code) weft__cuda_memory_free(memory, core);
  return failure;
}

void weft__cuda_memory_unmap(const weft__cuda_memory *memory, weft__cuda *cuda) {
  /* a context that was destroyed has released all */
  if (weft__cuda_api.push(cuda->context)) return;
  if (memory->address) {
    weft__cuda_api.unmap(memory->address, memory->size_bytes);
    weft__cuda_api.address_free(memory->address, memory->size_bytes);
  }
  weft__cuda_api.memory_release(memory->handle);
  weft__cuda_leave();
}

void weft__cuda_memory_free(weft__cuda_memory *memory, weft__core *core) {
  if (memory->handle) weft__abroad_drop(memory, core);
  if (memory->mem) weft__imports_remember(core, memory->size_bytes);
  weft__release(memory->mem);
  if (memory->handle && !weft__cuda_unmap_later(core, memory)) weft__cuda_memory_unmap(memory, core->cuda);
  *memory = (weft__cuda_memory){0};
}

weft__cuda_failure weft__cuda_memory_around(weft__cuda_memory *memory, uint64_t *offset_bytes, weft__core *core,
                                            uint64_t address, uint64_t size_bytes) {
  weft__cuda *cuda = core->cuda;
  weft__cuda_failure failure;
  weft__cuda_properties of = {0};
  uint64_t handle = 0, base = 0;
  size_t length = 0;
  bool is_inside = false;
  *memory = (weft__cuda_memory){0};
  CUDA_STEP(push, cuda->context);
  is_inside = true;
  /* memory of cudaMalloc has no handle */
  if (weft__cuda_api.handle_of(&handle, (void *)(uintptr_t)address)) goto done;
  CUDA_STEP(properties_of, &of, handle);
  CUDA_STEP(address_range, &base, &length, address);
  const bool is_whole = address >= base && size_bytes <= length - (address - base);
  if (!is_whole || length > cuda->most_bytes || of.device != cuda->device ||
      !(of.handle_types & WEFT__CUDA_FILE_DESCRIPTOR))
    goto done;
  *memory = (weft__cuda_memory){.address = base, .size_bytes = length};
  *offset_bytes = address - base;
  failure = import(&memory->mem, core, handle, length);
done:
  if (handle) weft__cuda_api.memory_release(handle);
  if (is_inside) weft__cuda_leave();
  return failure;
}

weft__cuda_failure weft__cuda_memory_for(weft__cl_mem *mem, const weft__core *to, const weft__cuda_memory *memory,
                                         const weft__core *owner) {
  weft__cuda_failure failure;
  *mem = NULL;
  CUDA_STEP(push, owner->cuda->context);
  failure = import(mem, to, memory->handle, memory->size_bytes);
  weft__cuda_leave();
done:
  return failure;
}

weft__cuda_failure weft__cuda_memory_export(int *file, const weft__cuda_memory *memory, const weft__core *owner) {
  weft__cuda_failure failure;
  CUDA_STEP(push, owner->cuda->context);
  failure = (weft__cuda_failure){true, export_file(file, memory->handle), "cuMemExportToShareableHandle"};
  weft__cuda_leave();
done:
  return failure;
}

bool weft__cuda_imports(const weft__core *to) {
  return takes_memory(to) && weft__cuda_is_there();
}

bool weft__cuda_reaches(const weft__core *to, weft__core *owner) {
  return takes_memory(owner) && weft__cuda_imports(to) && weft__cuda_open(owner) == WEFT_OK;
}

bool weft__cuda_is_out_of_memory(const weft__cuda_failure *failure) {
  if (!failure->call) return false; /* of the device: what the pool gives back does not help */
  return failure->is_cuda ? failure->code == WEFT__CUDA_OUT_OF_MEMORY : weft__cl_is_out_of_memory(failure->code);
}

weft_status weft__cuda_failed(weft__core *core, const weft__cuda_failure *failure) {
  if (!failure->call) return weft__fail_host_memory((size_t)failure->code);
  return failure->is_cuda ? weft__cuda_fail(failure->code, failure->call)
                          : weft__core_failed(core, failure->code, failure->call, false);
}
