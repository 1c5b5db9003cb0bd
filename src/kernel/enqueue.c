// SPDX-License-Identifier: MIT
/// A launch: its limits, checked before the driver can go wrong over them, and the enqueue itself.
#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"
#include "kernel/kernel.h"
#include "mem/out_of_memory.h"
#include "ocl/codes.h"

/// `v` is a grid or block; each length must be from 1 to its limit.
static weft_status check_lengths(const weft__kernel *kernel, const char *what, const uint64_t v[3], const uint64_t limit[3]) {
  for (int i = 0; i < 3; i++) {
    if (v[i] == 0)
      return weft__fail(WEFT_ERROR_LAUNCH_LIMIT, what, "%s%s is %" PRIu64 " x %" PRIu64 " x %" PRIu64 "; every length must be at least 1",
                        kernel->prefix, what, v[0], v[1], v[2]);
    if (v[i] > limit[i])
      return weft__fail(WEFT_ERROR_LAUNCH_LIMIT, what, "%s%s.%c is %" PRIu64 ", over the limit of %" PRIu64 " on %s", kernel->prefix, what,
                        "xyz"[i], v[i], limit[i], kernel -> core -> device -> info.name);
  }
  return WEFT_OK;
}

weft_status weft__launch_check(const weft__kernel *kernel, weft_dim3 grid, weft_dim3 block, uint64_t local_bytes) {
  const weft_device_info *device = &kernel->core->device->info;
  const uint64_t g[3] = {grid.x, grid.y, grid.z}, b[3] = {block.x, block.y, block.z};
  weft_status rc = check_lengths(kernel, "grid", g, device->max_grid);
  if (rc == WEFT_OK) rc = check_lengths(kernel, "block", b, device->max_block);
  if (rc) return rc;

  /* each length is at most 2^31 - 1 or 65535, and a block's at most a few thousand: no product of these overflows */
  uint64_t threads = b[0] * b[1] * b[2];
  if (threads > device->max_block_threads)
    return weft__fail(WEFT_ERROR_LAUNCH_LIMIT, "block",
                      "%sblock %" PRIu64 " x %" PRIu64 " x %" PRIu64 " has %" PRIu64 " threads, over this device's %" PRIu64,
                      kernel->prefix, b[0], b[1], b[2], threads, device->max_block_threads);
  if (threads > kernel->info.max_block_threads)
    return weft__fail(WEFT_ERROR_LAUNCH_LIMIT, "block",
                      "%sblock has %" PRIu64 " threads; this kernel can have %" PRIu64
                      " on this device (it needs registers or local memory for each)",
                      kernel->prefix, threads, kernel->info.max_block_threads);
  const uint64_t *required = kernel->info.required_block;
  if (required[0] && (b[0] != required[0] || b[1] != required[1] || b[2] != required[2]))
    return weft__fail(WEFT_ERROR_LAUNCH_LIMIT, "block",
                      "%sblock is %" PRIu64 " x %" PRIu64 " x %" PRIu64 "; the kernel demands %" PRIu64 " x %" PRIu64 " x %" PRIu64
                      " (reqd_work_group_size)",
                      kernel->prefix, b[0], b[1], b[2], required[0], required[1], required[2]);
  uint64_t blocks = g[0] * g[1] * g[2];
  if (blocks > device->max_grid_blocks)
    return weft__fail(WEFT_ERROR_LAUNCH_LIMIT, "grid",
                      "%sgrid %" PRIu64 " x %" PRIu64 " x %" PRIu64 " has more blocks than the %" PRIu64 " of %s", kernel->prefix, g[0],
                      g[1], g[2], device->max_grid_blocks, device->name);
  for (int i = 0; i < 3; i++)
    if (g[i] * b[i] > SIZE_MAX)
      return weft__fail(WEFT_ERROR_LAUNCH_LIMIT, "grid", "%sgrid.%c * block.%c does not fit this machine's size_t", kernel->prefix,
                        "xyz"[i], "xyz"[i]);

  uint64_t local = 0;
  if (!weft__add_u64(&local, kernel->info.local_memory_bytes, local_bytes) || local > device->local_memory_bytes)
    return weft__fail(WEFT_ERROR_LAUNCH_LIMIT, NULL,
                      "%slocal memory of %" PRIu64 " bytes (%" PRIu64 " of the kernel, %" PRIu64
                      " by arguments) is over this device's %" PRIu64,
                      kernel->prefix, local, kernel->info.local_memory_bytes, local_bytes, device->local_memory_bytes);
  return WEFT_OK;
}

static cl_kernel borrow(weft__kernel *kernel, cl_int *code) {
  for (int i = 0; i < WEFT__IDLE_INSTANCES; i++) {
    cl_kernel instance = atomic_exchange_explicit(&kernel->idle[i], (cl_kernel)NULL, memory_order_acquire);
    if (instance) {
      *code = CL_SUCCESS;
      return instance;
    }
  }
  return clCreateKernel(kernel->program, kernel->name, code);
}

static void give_back(weft__kernel *kernel, cl_kernel instance) {
  for (int i = 0; i < WEFT__IDLE_INSTANCES; i++) {
    cl_kernel none = NULL;
    if (atomic_compare_exchange_strong_explicit(&kernel->idle[i], &none, instance, memory_order_release, memory_order_relaxed)) return;
  }
  clReleaseKernel(instance);
}

/// An integer for a parameter whose type the driver does not tell: the sizes that hold it, until the driver takes one. Little-endian hosts
/// only, as all are that such drivers run on.
static cl_int set_any_width(cl_kernel instance, cl_uint index, const weft__value *value) {
  int64_t integer = value->room.i64;
  cl_int code = CL_INVALID_ARG_SIZE;
  for (size_t size = 8; size >= 1 && code == CL_INVALID_ARG_SIZE; size /= 2) {
    int64_t beyond = size == 8 ? 0 : integer >> (8 * size - 1);
    bool fits = beyond == 0 || beyond == -1 || (integer > 0 && beyond == 1);
    if (fits) code = clSetKernelArg(instance, index, size, &value->room.i64);
  }
  return code;
}

static weft_status set_arguments(weft__kernel *kernel, cl_kernel instance, const weft__value *values) {
  for (int i = 0; i < kernel->parameter_count; i++) {
    const weft__parameter *p = &kernel->parameter[i];
    bool any_width = p->kind == WEFT__PARAMETER_UNKNOWN && values[i].any_width;
    cl_int code = any_width ? set_any_width(instance, (cl_uint)i, &values[i])
                            : clSetKernelArg(instance, (cl_uint)i, values[i].size_bytes, values[i].data);
    if (code == CL_SUCCESS) continue;
    if (code == CL_INVALID_ARG_SIZE)
      return weft__fail_code(WEFT_ERROR_KERNEL_ARGUMENT, code, weft_cl_code_name(code),
                             "%s: argument %d `%s` is %zu bytes here, the kernel's %s has another size", kernel->name, i, p->name,
                             values[i].size_bytes, p->type);
    return weft__while(weft__core_failed(kernel->core, code, "clSetKernelArg", false), "setting argument %d `%s` of %s", i, p->name,
                       kernel->name);
  }
  return WEFT_OK;
}

/// Waits for the launch that began at start_ns, and tells of it.
static weft_status tell(const weft__launching *l, uint64_t start_ns) {
  uint64_t end_ns;
  char shape[128];
  const weft__kernel *kernel = l->kernel;
  weft_dim3 grid = l->grid, block = l->block;
  weft_status rc = weft__slot_settle(kernel->core, l->slot, &end_ns);
  if (grid.y * grid.z * block.y * block.z == 1)
    snprintf(shape, sizeof shape, "%" PRIu64 " block%s of %" PRIu64 " thread%s", grid.x, grid.x == 1 ? "" : "s", block.x,
             block.x == 1 ? "" : "s");
  else
    snprintf(shape, sizeof shape, "%" PRIu64 " x %" PRIu64 " x %" PRIu64 " blocks of %" PRIu64 " x %" PRIu64 " x %" PRIu64 " threads",
             grid.x, grid.y, grid.z, block.x, block.y, block.z);
  if (end_ns > start_ns) weft__trace_step(WEFT__STEP_LAUNCH, end_ns - start_ns, 0, "%s, %s", kernel->name, shape);
  return weft__while(rc, "waiting for %s, to time it for the trace", kernel->name);
}

static weft_status order(const weft__launching *l) {
  weft_status rc = WEFT_OK;
  for (int k = 0; k < l->uses && rc == WEFT_OK; k++) rc = weft__storage_order(l->use[k].storage, l->slot, l->use[k].writes);
  return rc;
}

static void mark(const weft__launching *l, uint64_t number) {
  /* reads first: what is both read and written counts as written */
  for (int writes = 0; writes < 2; writes++)
    for (int k = 0; k < l->uses; k++)
      if (l->use[k].writes == writes) weft__storage_mark(l->use[k].storage, l->slot, writes, number);
}

/// The event that the launch gets; NULL when nobody profiles.
static cl_event *profile_event(const weft__launching *l, weft__profiled *command) {
  weft__profile *profile = &l->kernel->core->profile;
  command->event = NULL;
  if (!weft__profiling(profile)) return NULL;
  uint64_t bytes = l->bytes;
  for (int k = 0; k < l->uses && l->bytes == 0; k++) bytes += l->use[k].storage->size_bytes;
  weft__profile_begin(profile, command, WEFT_PROFILE_KERNEL, l->what ? l->what : l->kernel->name, l->kernel->name, l->site, l->slot, bytes);
  command->bytes_are_most = l->bytes == 0;
  return &command->event;
}

static weft_status enqueue(const weft__launching *l, cl_kernel instance) {
  weft__kernel *kernel = l->kernel;
  weft__core *core = kernel->core;
  const size_t local[3] = {l->block.x, l->block.y, l->block.z};
  const size_t global[3] = {l->grid.x * l->block.x, l->grid.y * l->block.y, l->grid.z * l->block.z};
  cl_uint dimensions = l->grid.z * l->block.z > 1 ? 3 : l->grid.y * l->block.y > 1 ? 2 : 1;
  weft_status rc = WEFT_OK;
  weft__launch_log_add(&core->recent, kernel->name, l->site);
  bool again = false;
  weft__profiled command;
  cl_event *event = profile_event(l, &command);
  cl_int code = clEnqueueNDRangeKernel(core->slot[l->slot].queue, instance, dimensions, NULL, global, local, 0, NULL, event);
  if (code != CL_SUCCESS && l->uses) rc = weft__out_of_memory_help(&again, l->use[0].storage->pool, code);
  if (again) code = clEnqueueNDRangeKernel(core->slot[l->slot].queue, instance, dimensions, NULL, global, local, 0, NULL, event);
  weft__profile_done(&core->profile, &command);
  if (rc || code == CL_SUCCESS) return rc;
  /* a device that died over earlier work answers so too: then the wait says it */
  if (code == CL_OUT_OF_RESOURCES) rc = weft__slot_wait(core, l->slot);
  if (rc) return rc;
  if (code == CL_OUT_OF_RESOURCES || code == CL_INVALID_WORK_GROUP_SIZE)
    return weft__fail_code(WEFT_ERROR_LAUNCH_LIMIT, code, weft_cl_code_name(code),
                           "%sthe driver has no room for a block of %" PRIu64
                           " threads of this kernel (%s): fewer threads, or less local memory, may do",
                           kernel->prefix, l->block.x * l->block.y * l->block.z, weft_cl_code_name(code));
  return weft__while(weft__core_failed(core, code, "clEnqueueNDRangeKernel", false), "launching %s", kernel->name);
}

static weft_status launch(const weft__launching *l) {
  weft__kernel *kernel = l->kernel;
  weft__core *core = kernel->core;
  cl_int code;
  uint64_t start_ns = 0;
  weft_status rc = weft__slot_pace(core, l->slot);
  if (rc == WEFT_OK) rc = order(l);
  if (rc) return rc;
  cl_kernel instance = borrow(kernel, &code);
  if (code != CL_SUCCESS) return weft__core_failed(core, code, "clCreateKernel", false);
  rc = set_arguments(kernel, instance, l->values);
  if (rc == WEFT_OK) rc = weft__slot_settle(core, l->slot, &start_ns);
  if (rc == WEFT_OK) rc = enqueue(l, instance);
  give_back(kernel, instance);
  if (rc) return rc;
  mark(l, weft__slot_issue(core, l->slot));
  if (start_ns) rc = tell(l, start_ns);
  if (core->sync && rc == WEFT_OK) rc = weft__while(weft__slot_wait(core, l->slot), "waiting for %s, as WEFT_SYNC=1 asks", kernel->name);
  return rc;
}

weft_status weft__launch(const weft__launching *l) {
  weft__guard *guard = l->kernel->core->guard;
  if (!guard) return launch(l);
  weft__guard_lock(guard);
  weft_status rc = launch(l);
  if (rc == WEFT_OK) rc = weft__launch_check_zones(l);
  weft__guard_unlock(guard);
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
