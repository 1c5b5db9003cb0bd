// SPDX-License-Identifier: MIT
/// Launching a kernel: checks the limits, which some drivers do not handle well, and submits.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "kernel/cached.h"
#include "kernel/kernel.h"
#include "mem/guard.h"
#include "ocl/codes.h"

/// Checks the lengths of a grid or block `v`: each must be between 1 and its limit.
static weft_status check_lengths(const weft__kernel *kernel, const char *what, const uint64_t v[3],
                                 const uint64_t limit[3]) {
  for (int i = 0; i < 3; i++) {
    if (v[i] == 0)
      return weft__fail(WEFT_ERROR_LAUNCH_LIMIT, what,
                        "%s%s is %" PRIu64 " x %" PRIu64 " x %" PRIu64 "; every length must be at least 1",
                        kernel->prefix, what, v[0], v[1], v[2]);
    if (v[i] > limit[i])
      return weft__fail(WEFT_ERROR_LAUNCH_LIMIT, what, "%s%s.%c is %" PRIu64 ", over the limit of %" PRIu64 " on %s",
                        kernel->prefix, what, "xyz"[i], v[i], limit[i], kernel -> core -> device -> info.name);
  }
  return WEFT_OK;
}

weft_status weft__launch_check(const weft__kernel *kernel, weft_dim3 grid, weft_dim3 block, uint64_t local_bytes) {
  const weft_device_info *device = &kernel->core->device->info;
  const uint64_t g[3] = {grid.x, grid.y, grid.z}, b[3] = {block.x, block.y, block.z};
  WEFT__TRY_RETURN(check_lengths(kernel, "grid", g, device->max_grid));
  WEFT__TRY_RETURN(check_lengths(kernel, "block", b, device->max_block));

  /* no overflow: grid lengths are at most 2^31 - 1 or 65535, block lengths a few thousand */
  uint64_t threads = b[0] * b[1] * b[2];
  if (threads > device->max_block_threads)
    return weft__fail(WEFT_ERROR_LAUNCH_LIMIT, "block",
                      "%sblock %" PRIu64 " x %" PRIu64 " x %" PRIu64 " has %" PRIu64
                      " threads, over this device's %" PRIu64,
                      kernel->prefix, b[0], b[1], b[2], threads, device->max_block_threads);
  if (threads > kernel->info.max_block_threads)
    return weft__fail(WEFT_ERROR_LAUNCH_LIMIT, "block",
                      "%sblock has %" PRIu64 " threads; this kernel can have %" PRIu64
                      " on this device (it needs registers or local memory for each)",
                      kernel->prefix, threads, kernel->info.max_block_threads);
  const uint64_t *required = kernel->info.required_block;
  if (required[0] && (b[0] != required[0] || b[1] != required[1] || b[2] != required[2]))
    return weft__fail(WEFT_ERROR_LAUNCH_LIMIT, "block",
                      "%sblock is %" PRIu64 " x %" PRIu64 " x %" PRIu64 "; the kernel requires %" PRIu64 " x %" PRIu64
                      " x %" PRIu64 " (reqd_work_group_size)",
                      kernel->prefix, b[0], b[1], b[2], required[0], required[1], required[2]);
  uint64_t blocks = g[0] * g[1] * g[2];
  if (blocks > device->max_grid_blocks)
    return weft__fail(WEFT_ERROR_LAUNCH_LIMIT, "grid",
                      "%sgrid %" PRIu64 " x %" PRIu64 " x %" PRIu64 " has more blocks than the %" PRIu64 " of %s",
                      kernel->prefix, g[0], g[1], g[2], device->max_grid_blocks, device->name);
  for (int i = 0; i < 3; i++)
    if (g[i] * b[i] > SIZE_MAX)
      return weft__fail(WEFT_ERROR_LAUNCH_LIMIT, "grid", "%sgrid.%c * block.%c does not fit this machine's size_t",
                        kernel->prefix, "xyz"[i], "xyz"[i]);

  const uint64_t own = kernel->info.local_memory_bytes;
  if (!weft__local_fits(kernel->core->device, own, local_bytes)) {
    uint64_t all;
    if (!weft__add_u64(&all, own, local_bytes)) all = UINT64_MAX;
    return weft__fail(WEFT_ERROR_LAUNCH_LIMIT, NULL,
                      "%slocal memory of %" PRIu64 " bytes (%" PRIu64 " of the kernel, %" PRIu64
                      " by arguments) is over this device's %" PRIu64,
                      kernel->prefix, all, own, local_bytes, device->local_memory_bytes);
  }
  return WEFT_OK;
}

static weft_status create(weft__cl_kernel *instance, const weft__kernel *kernel) {
  int code = weft__driver->kernel_create(instance, kernel->program, kernel->name);
  return code ? weft__core_failed(kernel->core, code, "clCreateKernel", false) : WEFT_OK;
}

weft_status weft__instance_of(weft__instance **instance, const weft__kernel *kernel, weft__cl_kernel cl) {
  *instance = weft__new(sizeof **instance + (size_t)kernel->parameter_count * sizeof(weft__kept_argument));
  if (*instance)
    (*instance)->cl = cl;
  else
    weft__release(cl);
  return *instance ? WEFT_OK : WEFT_ERROR_HOST_MEMORY;
}

void weft__instance_release(weft__core *core, weft__instance *instance) {
  if (!instance) return;
  weft__core_retire(core, instance->cl);
  free(instance);
}

static weft_status make(weft__instance **instance, const weft__kernel *kernel) {
  weft__cl_kernel cl;
  WEFT__TRY_RETURN(create(&cl, kernel));
  return weft__instance_of(instance, kernel, cl);
}

/// Takes a place, whose instance may have to be made; NULL: all are taken.
static weft__instance_place *take_place(weft__kernel *kernel) {
  for (int i = 0; i < WEFT__INSTANCES; i++)
    if (!atomic_exchange_explicit(&kernel->place[i].is_taken, true, memory_order_acquire)) return &kernel->place[i];
  return NULL;
}

/// Sets an integer parameter whose type the driver does not report: tries the sizes that hold the value until the
/// driver accepts one. Needs a little-endian host, like all hosts of such drivers.
static int set_any_width(weft__cl_kernel instance, uint32_t index, const weft__value *value) {
  int64_t integer = value->room.i64;
  int code = WEFT__CL_INVALID_ARG_SIZE;
  for (size_t size = 8; size >= 1 && code == WEFT__CL_INVALID_ARG_SIZE; size /= 2) {
    int64_t beyond = size == 8 ? 0 : integer >> (8 * size - 1);
    bool fits = beyond == 0 || beyond == -1 || (integer > 0 && beyond == 1);
    if (fits) code = weft__driver->kernel_set(instance, index, size, &value->room.i64);
  }
  return code;
}

static int set_one(weft__cl_kernel cl, int i, const weft__value *value) {
  if (value->any_width) return set_any_width(cl, (uint32_t)i, value);
  return weft__driver->kernel_set(cl, (uint32_t)i, value->size_bytes, value->data);
}

static weft_status fail_to_set(const weft__kernel *kernel, int i, const weft__value *value, int code) {
  const weft__parameter *p = &kernel->parameter[i];
  if (code == WEFT__CL_INVALID_ARG_SIZE)
    return weft__fail_code(WEFT_ERROR_KERNEL_ARGUMENT, code, weft__cl_code_name(code),
                           "%s: argument %d `%s` is %zu bytes here, the kernel's %s has another size", kernel->name, i,
                           p->name, value->size_bytes, p->type);
  return weft__while(weft__core_failed(kernel->core, code, "clSetKernelArg", false), "setting argument %d `%s` of %s",
                     i, p->name, kernel->name);
}

static bool are_equal(const void *a, const void *b, size_t size_bytes) {
  /* these without a call */
  if (size_bytes == 8) return memcmp(a, b, 8) == 0;
  if (size_bytes == 4) return memcmp(a, b, 4) == 0;
  return memcmp(a, b, size_bytes) == 0;
}

/// Sets the arguments that the instance does not have.
static weft_status set_arguments(const weft__kernel *kernel, weft__instance *instance, const weft__value *values) {
  const uint64_t released = atomic_load_explicit(&weft__released_arguments, memory_order_relaxed);
  const bool is_known = released == instance->released;
  for (int i = 0; i < kernel->parameter_count; i++) {
    const weft__value *value = &values[i];
    weft__kept_argument *kept = &instance->argument[i];
    const size_t size_bytes = value->size_bytes;
    if (is_known && kept->size_bytes == size_bytes && !value->is_set_always &&
        are_equal(kept->bytes, value->data, size_bytes))
      continue;
    kept->size_bytes = 0;
    const int code = set_one(instance->cl, i, value);
    if (code) return fail_to_set(kernel, i, value, code);
    if (value->is_set_always || size_bytes > sizeof kept->bytes) continue;
    kept->size_bytes = size_bytes;
    memcpy(kept->bytes, value->data, size_bytes);
  }
  instance->released = released;
  return WEFT_OK;
}

weft_status weft__kernel_instance(weft__cl_kernel *instance, const weft__kernel *kernel, const weft__value *values) {
  WEFT__TRY_RETURN(create(instance, kernel));
  for (int i = 0; i < kernel->parameter_count; i++) {
    const int code = set_one(*instance, i, &values[i]);
    if (!code) continue;
    weft__release(*instance);
    *instance = NULL;
    return fail_to_set(kernel, i, &values[i], code);
  }
  return WEFT_OK;
}

static weft_status launch(weft__kernel *kernel, const weft__value *values, const int *parameter, weft__submission *l) {
  weft__instance_place *place = take_place(kernel);
  weft__instance *instance = place ? place->instance : NULL;
  weft_status rc;
  if (!instance) WEFT__TRY(make(&instance, kernel));
  if (place) place->instance = instance;
  l->core = kernel->core;
  l->command->kind = WEFT__COMMAND_LAUNCH;
  l->command->kernel = instance->cl;
  l->kernel = kernel->name;
  l->prefix = kernel->prefix;
  l->of = kernel;
  l->values = values;
  l->parameter = parameter;
  WEFT__TRY(set_arguments(kernel, instance, values));
  WEFT__TRY(weft__submit(l));
  if (kernel->launched)
    weft__cached_launched(kernel->launched, &kernel->last_launched, kernel->name, l->command->grid, l->command->block);
done:
  if (place)
    atomic_store_explicit(&place->is_taken, false, memory_order_release);
  else
    weft__instance_release(kernel->core, instance);
  return rc;
}

weft_status weft__launch(weft__kernel *kernel, const weft__value *values, const int *parameter, weft__submission *l) {
  weft__guard *guard = kernel->core->guard;
  if (!guard) return launch(kernel, values, parameter, l);
  pthread_mutex_lock(&guard->lock); /* one launch at a time, so that an overrun is attributed to the right launch */
  weft_status rc;
  WEFT__TRY(launch(kernel, values, parameter, l));
  WEFT__TRY(weft__launch_check_zones(kernel, parameter, l));
done:
  pthread_mutex_unlock(&guard->lock);
  return rc;
}

uint64_t weft__own_block(const weft__core *core) {
  uint64_t block = core->device->info.type == WEFT_DEVICE_TYPE_CPU ? 1024 : 256;
  return block < core->device->info.max_block_threads ? block : core->device->info.max_block_threads;
}

weft_dim3 weft__own_grid(uint64_t threads, uint64_t block) {
  uint64_t blocks = weft_ceil_div(threads, block);
  return weft__dim3(blocks ? blocks : 1, 1, 1);
}
