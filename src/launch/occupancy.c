// SPDX-License-Identifier: MIT
/// What a kernel needs on its device, and the block that follows from it.
#include "launch/occupancy.h"

#include <stdlib.h>
#include <string.h>
#include <weft/occupancy.h>

#include "base/checked.h"
#include "context/objects.h"
#include "ocl/codes.h"

/* ---- the block ---- */

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/// The lowest power of two that is at least n, or `most`.
static uint64_t power_of_two(uint64_t n, uint64_t most) {
  uint64_t power = 1;
  while (power < n && 2 * power <= most) power *= 2;
  return power;
}

static uint64_t round_down(uint64_t n, uint64_t multiple) {
  return n > multiple ? n - n % multiple : n;
}

/// Threads of a block for `threads` threads in all: Weft's usual number, within the kernel's limit, and fewer where
/// some compute units would otherwise have no block.
static uint64_t choose_threads(const weft__kernel *kernel, uint64_t threads) {
  const weft_kernel_info *info = &kernel->info;
  const uint64_t units = kernel->core->device->info.compute_units;
  const uint64_t multiple = info->preferred_multiple ? info->preferred_multiple : 1;
  uint64_t block = round_down(least(weft__own_block(kernel->core), info->max_block_threads), multiple);
  while (block >= 2 * multiple && weft_ceil_div(threads, block) < units) block = round_down(block / 2, multiple);
  return block;
}

static weft_status take_required(weft_dim3 *block, const weft__kernel *kernel, bool has_rows) {
  const uint64_t *required = kernel->info.required_block;
  *block = weft__dim3(required[0], required[1], required[2]);
  if (required[2] == 1 && (has_rows || required[1] == 1)) return WEFT_OK;
  return weft__fail(WEFT_ERROR_LAUNCH_LIMIT, "kernel",
                    "%s requires blocks of %llu x %llu x %llu (reqd_work_group_size), which have threads along other "
                    "axes; expected a kernel of %s, or weft_launch",
                    kernel->name, (unsigned long long)required[0], (unsigned long long)required[1],
                    (unsigned long long)required[2], has_rows ? "rows and columns" : "one axis");
}

weft_status weft__choose_block(weft_dim3 *block, const weft__kernel *kernel, const uint64_t *rows, uint64_t columns) {
  const uint64_t *most = kernel->core->device->info.max_block;
  uint64_t all = columns;
  if (kernel->info.required_block[0]) return take_required(block, kernel, rows != NULL);
  if (rows && !weft__multiply_u64(&all, *rows, columns)) all = UINT64_MAX;
  const uint64_t threads = choose_threads(kernel, all);
  if (!rows) {
    *block = weft__dim3(least(threads, most[0]), 1, 1);
    return WEFT_OK;
  }
  /* a warp along the columns, whose elements are adjacent; more of them where there are few rows */
  uint64_t x = power_of_two(columns, least(least(32, threads), most[0]));
  const uint64_t y = power_of_two(*rows, least(threads / x, most[1]));
  while (2 * x * y <= threads && x < columns && 2 * x <= most[0]) x *= 2;
  *block = weft__dim3(x, y, 1);
  return WEFT_OK;
}

/* ---- registers, and blocks at once ---- */

/// The end of the first "'name'" in `log`; NULL if it has no such word.
static const char *behind_quoted(const char *log, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = log; (at = strstr(at, name)); at++)
    if (at > log && at[-1] == '\'' && at[length] == '\'') return at + length;
  return NULL;
}

uint32_t weft__log_registers(const char *log, const char *kernel) {
  const char *used = behind_quoted(log, kernel);
  /* "Compiling entry function 'k' for 'sm_90'", then a line with "Used 24 registers, ..." */
  const char *next = used ? strstr(used, "entry function") : NULL;
  used = used ? strstr(used, "Used ") : NULL;
  if (!used || (next && next < used)) return 0;
  char *end;
  const unsigned long registers = strtoul(used + 5, &end, 10);
  return strncmp(end, " registers", 10) == 0 && registers < 1024 ? (uint32_t)registers : 0;
}

/// What a multiprocessor of NVIDIA's holds, by compute capability (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability"); all have 65536 registers.
static const struct {
  uint32_t capability, threads, blocks, local_kib;
} processors[] = {
    {70, 2048, 32, 96},   {72, 2048, 32, 96},   {75, 1024, 16, 64},   {80, 2048, 32, 164},
    {86, 1536, 16, 100},  {87, 1536, 16, 164},  {89, 1536, 24, 100},  {90, 2048, 32, 228},
    {100, 2048, 32, 228}, {103, 2048, 32, 228}, {120, 1536, 24, 100},
};

uint32_t weft__blocks_at_once(uint32_t *most_threads, uint32_t capability, uint32_t registers, uint64_t block_threads,
                              uint64_t local_bytes) {
  const uint64_t warps = weft_ceil_div(block_threads, 32), warp_registers = (registers * 32 + 255) / 256 * 256;
  for (size_t k = 0; k < sizeof processors / sizeof *processors; k++) {
    if (processors[k].capability != capability || !registers) continue;
    /* registers are given to warps in portions of 256, and to four warps at a time; a block's memory has portions of
       128 bytes, and from 8.0 on the system takes 1 KiB of it */
    const uint64_t by_registers = 65536 / warp_registers / 4 * 4 / warps;
    const uint64_t local = (local_bytes + (capability >= 80 ? 1024 : 0) + 127) / 128 * 128;
    uint64_t blocks = least(processors[k].blocks, processors[k].threads / (32 * warps));
    if (local) blocks = least(blocks, processors[k].local_kib * 1024u / local);
    *most_threads = processors[k].threads;
    return (uint32_t)least(blocks, by_registers);
  }
  return 0;
}

static weft_status find_registers(uint32_t *registers, const weft__kernel *kernel) {
  char *log;
  const int code = weft__driver_text(
      &log,
      &(weft__text_of){.kind = WEFT__TEXT_BUILD_LOG, .program = kernel->program, .device = kernel->core->device->id});
  if (code) return weft__cl_fail(code, "clGetProgramBuildInfo");
  *registers = log ? weft__log_registers(log, kernel->name) : 0;
  free(log);
  return WEFT_OK;
}

static weft_status describe(weft_occupancy *out, const weft__kernel *kernel, const weft_occupancy_params *params) {
  const weft_kernel_info *info = &kernel->info;
  const weft__device *device = kernel->core->device;
  const uint64_t *required = info->required_block;
  weft_occupancy o = {.max_block_threads = info->max_block_threads,
                      .preferred_multiple = info->preferred_multiple,
                      .private_memory_bytes = info->private_memory_bytes,
                      .compute_units = device->info.compute_units};
  o.block_threads = params->block_threads ? params->block_threads
                    : required[0]         ? required[0] * required[1] * required[2]
                                          : choose_threads(kernel, UINT64_MAX);
  if (o.block_threads > o.max_block_threads)
    return weft__fail(WEFT_ERROR_LAUNCH_LIMIT, "block_threads",
                      "`block_threads` is %llu; a block of %s has at most %llu threads on this device",
                      (unsigned long long)o.block_threads, kernel->name, (unsigned long long)o.max_block_threads);
  if (!weft__add_u64(&o.local_memory_bytes, info->local_memory_bytes, params->local_bytes) ||
      !weft__local_fits(device, info->local_memory_bytes, params->local_bytes))
    return weft__fail(
        WEFT_ERROR_LAUNCH_LIMIT, "local_bytes",
        "`local_bytes` is %llu, and %s has %llu bytes of its own; a block has at most %llu on this device",
        (unsigned long long)params->local_bytes, kernel->name, (unsigned long long)info->local_memory_bytes,
        (unsigned long long)device->info.local_memory_bytes);
  WEFT__TRY_RETURN(find_registers(&o.registers, kernel));
  uint32_t most = 0;
  o.blocks_per_unit =
      weft__blocks_at_once(&most, device->capability, o.registers, o.block_threads, o.local_memory_bytes);
  if (most) o.occupancy = (double)(o.blocks_per_unit * weft_ceil_div(o.block_threads, 32) * 32) / most;
  *out = o;
  return WEFT_OK;
}

weft_status weft__kernel_occupancy_at(weft_occupancy *out, const weft_kernel *kernel,
                                      const weft_occupancy_params *params) {
  const weft_occupancy_params p = WEFT__PARAMS(params);
  weft_status rc;
  weft__enter("weft_kernel_occupancy", p.site);
  WEFT__NEED(out);
  WEFT__TRY(weft__handle_check(kernel, WEFT__MAGIC_KERNEL, "kernel"));
  WEFT__TRY(weft__core_check(&kernel->context->core));
  rc = describe(out, &kernel->kernel, &p);
done:
  return weft__leave(rc);
}
