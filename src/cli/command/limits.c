// SPDX-License-Identifier: MIT
/// `weft limits`: a device's limits of launches and allocations, in the terms of CUDA and of OpenCL.
#include <unistd.h>

#include "cli/base/options.h"
#include "cli/base/text_table.h"

static const table_column limit_columns[] = {{"limit", "LIMIT"}, {"value", "VALUE"},   {"unit", "UNIT"},
                                             {"cuda", "CUDA"},   {"opencl", "OPENCL"}, {"note", "NOTE"}};
static const table_column prelude_columns[] = {{"word", "PRELUDE"}, {"opencl", "OPENCL"}, {"meaning", "MEANING"}};
enum {
  LIMIT_COLUMNS = sizeof limit_columns / sizeof *limit_columns,
  PRELUDE_COLUMNS = sizeof prelude_columns / sizeof *prelude_columns
};

/// Completes a row that has its limit, value and unit.
static void explain(table *t, const char *cuda, const char *opencl, const char *note) {
  if (cuda)
    table_add_text(t, cuda);
  else
    table_add_none(t);
  if (opencl)
    table_add_text(t, opencl);
  else
    table_add_none(t);
  table_add_text(t, note);
}

static void add_number(table *t, const char *limit, uint64_t value, const char *unit, const char *cuda,
                       const char *opencl, const char *note) {
  table_add_text(t, limit);
  table_add_number(t, value);
  table_add_text(t, unit);
  explain(t, cuda, opencl, note);
}

static void add_size(table *t, const char *limit, uint64_t size_bytes, const char *cuda, const char *opencl,
                     const char *note) {
  table_add_text(t, limit);
  table_add_size(t, size_bytes); /* for people the size includes its unit */
  table_add_text_as(t, "", "bytes");
  explain(t, cuda, opencl, note);
}

static void add_bool(table *t, const char *limit, bool value, const char *opencl, const char *note) {
  table_add_text(t, limit);
  table_add_bool(t, value);
  table_add_text_as(t, "", "");
  explain(t, NULL, opencl, note);
}

static void add_limits(table *t, const weft_device_info *d) {
  static const char *const by_weft = "checked by Weft before the driver sees it";
  add_number(t, "grid x", d->max_grid[0], "blocks", "maxGridSize[0]", NULL, by_weft);
  add_number(t, "grid y", d->max_grid[1], "blocks", "maxGridSize[1]", NULL, by_weft);
  add_number(t, "grid z", d->max_grid[2], "blocks", "maxGridSize[2]", NULL, by_weft);
  add_number(t, "grid x * y * z", d->max_grid_blocks, "blocks", NULL, NULL, by_weft);
  add_number(t, "block x", d->max_block[0], "threads", "maxThreadsDim[0]", "CL_DEVICE_MAX_WORK_ITEM_SIZES[0]", "");
  add_number(t, "block y", d->max_block[1], "threads", "maxThreadsDim[1]", "CL_DEVICE_MAX_WORK_ITEM_SIZES[1]", "");
  add_number(t, "block z", d->max_block[2], "threads", "maxThreadsDim[2]", "CL_DEVICE_MAX_WORK_ITEM_SIZES[2]", "");
  add_number(t, "block x * y * z", d->max_block_threads, "threads", "maxThreadsPerBlock",
             "CL_DEVICE_MAX_WORK_GROUP_SIZE", "a kernel may allow fewer");
  add_number(t, "warp", d->warp_size, "threads", "warpSize", "CL_DEVICE_WARP_SIZE_NV", "threads that run in step");
  add_number(t, "compute units", d->compute_units, "units", "multiProcessorCount", "CL_DEVICE_MAX_COMPUTE_UNITS",
             "blocks run on them");
  add_size(t, "local memory", d->local_memory_bytes, "sharedMemPerBlock", "CL_DEVICE_LOCAL_MEM_SIZE", "per block");
  add_size(t, "memory", d->memory_size_bytes, "totalGlobalMem", "CL_DEVICE_GLOBAL_MEM_SIZE", "");
  add_size(t, "largest allocation", d->max_allocation_bytes, NULL, "CL_DEVICE_MAX_MEM_ALLOC_SIZE",
           d->allocation_is_hint ? "this driver allows more: up to the free memory" : "per array");
  uint64_t largest = d->allocation_is_hint ? d->memory_size_bytes : d->max_allocation_bytes;
  add_number(t, "largest f32 array", largest / weft_dtype_size_bytes(WEFT_F32), "elements", NULL, NULL,
             "with all memory free");
  add_size(t, "alignment of a view", d->address_align_bytes, "textureAlignment", "CL_DEVICE_MEM_BASE_ADDR_ALIGN",
           "where a view that is an argument may start");
  add_bool(t, "images", d->has_images, "CL_DEVICE_IMAGE_SUPPORT", d->has_images ? "" : "weft_image is refused");
  if (d->has_images) {
    add_number(t, "image width", d->max_image_2d[0], "pixels", "maxTexture2D[0]", "CL_DEVICE_IMAGE2D_MAX_WIDTH", "");
    add_number(t, "image height", d->max_image_2d[1], "pixels", "maxTexture2D[1]", "CL_DEVICE_IMAGE2D_MAX_HEIGHT", "");
    add_number(t, "image depth", d->max_image_3d[2], "pixels", "maxTexture3D[2]", "CL_DEVICE_IMAGE3D_MAX_DEPTH",
               "of one with three axes, which may have smaller sides");
  }
  add_bool(t, "f16 arithmetic", d->has_fp16, "cl_khr_fp16", "f16 arrays work either way: computed in f32");
  add_bool(t, "f64, c128", d->has_fp64, "cl_khr_fp64", d->has_fp64 ? "" : "such arrays are refused");
  add_bool(t, "64-bit atomics", d->has_int64_atomics, "cl_khr_int64_base_atomics", "");
}

static void add_prelude(table *t) {
  static const char *const words[][3] = {
      {"threadIdx.x", "get_local_id(0)", "the thread's number in its block; .y is 1, .z is 2"},
      {"blockIdx.x", "get_group_id(0)", "the block's number in the grid"},
      {"blockDim.x", "get_local_size(0)", "threads in a block"},
      {"gridDim.x", "get_num_groups(0)", "blocks in the grid"},
      {"weft_global_id()", "get_global_id(0)",
       "the thread's number in the launch, 64 bits; the flat number where there are y and z"},
      {"__syncthreads()", "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)",
       "all threads of the block wait for each other"},
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    for (int j = 0; j < PRELUDE_COLUMNS; j++) table_add_text(t, words[i][j]);
}

static int run(const cli_args *args) {
  weft_device_info device;
  if (cli_find_device(&device, args) != WEFT_OK) return CLI_FAILED;
  table limits = {.columns = limit_columns, .column_count = LIMIT_COLUMNS};
  table prelude = {.columns = prelude_columns, .column_count = PRELUDE_COLUMNS};
  weft__text text = {0};
  int status = CLI_OK;
  add_limits(&limits, &device);
  add_prelude(&prelude);
  if (cli_flag(args, "--json")) {
    weft__text_add(&text, "{\n  \"device\": {\"number\": %d, \"name\": ", device.index);
    weft__text_add_json(&text, device.name);
    weft__text_add(&text, "},\n  \"limits\": ");
    table_write_json(&text, &limits);
    weft__text_add(&text, ",\n  \"prelude\": ");
    table_write_json(&text, &prelude);
    weft__text_add(&text, "\n}\n");
  } else {
    bool colour = table_has_colour(STDOUT_FILENO);
    weft__text_add(&text, "device %d: %s (%s)\n\n", device.index, device.name, device.opencl_version);
    table_write(&text, &limits, colour);
    weft__text_add(&text, "\nIn kernels that begin with #include \"weft/prelude.clh\":\n\n");
    table_write(&text, &prelude, colour);
  }
  if (text.failed)
    status = cli_fail(args, "not enough memory");
  else
    cli_print(weft__text_chars(&text));
  table_free(&limits);
  table_free(&prelude);
  weft__text_free(&text);
  return status;
}

static const cli_option options[] = {{"--json", NULL, "prints JSON, with sizes in bytes"}, {0}};

const cli_command cli_limits = {
    .name = "limits",
    .synopsis = "",
    .summary = "Shows a device's limits for launches and allocations",
    .description =
        "Each limit has its names in CUDA (cudaDeviceProp) and in OpenCL (clGetDeviceInfo), if it has them.\n"
        "The second table lists CUDA's names that kernels may use, with the OpenCL behind each.\n",
    .options = options,
    .run = run,
};
