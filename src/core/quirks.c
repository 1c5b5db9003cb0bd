// SPDX-License-Identifier: MIT
#include "core/quirks.h"

#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/wide.h"

/// A platform is recognised by a part of its name; ANY_TYPE means all types of device.
#define ANY_TYPE (-1)

typedef struct quirk_row {
  const char *name; /* in WEFT_QUIRKS */
  size_t offset;    /* of the bool in weft__quirks */
  const char *platform;
  int type;
  const char *source;
} quirk_row;

#define QUIRK(field) #field, offsetof(weft__quirks, field)

/// Rows of one quirk are adjacent.
static const quirk_row table[] = {
    {QUIRK(wait_burns_core), "NVIDIA", ANY_TYPE,
     "driver 580.159 on H200: clFinish, clWaitForEvents and an event callback each use 100 % of a core; a polled event "
     "with naps 4 %"},
    {QUIRK(lazy_allocation), "NVIDIA", ANY_TYPE,
     "driver 580.159 on H200: six buffers of 35 GB are made on a 140 GB card; the fourth one's first use fails with "
     "-4"},
    {QUIRK(overcommits), "Portable Computing Language", WEFT_DEVICE_TYPE_CPU,
     "PoCL 3.1: buffers are malloc'ed and never refused; the system ends the process when pages run out"},
    {QUIRK(allocation_is_hint), "NVIDIA", ANY_TYPE,
     "driver 580.159 on H200: a buffer over CL_DEVICE_MAX_MEM_ALLOC_SIZE (35 GB) works over its whole range"},
    {QUIRK(unlisted_fp16), "NVIDIA", WEFT_DEVICE_TYPE_GPU,
     "driver 580.159 on H200: cl_khr_fp16 is not listed, half arithmetic compiles and runs"},
    {QUIRK(unlisted_rounding), "Intel(R) OpenCL", WEFT_DEVICE_TYPE_CPU,
     "Intel's runtime for CPUs 2026.22: `weft verify` finds the bits of PoCL in 4801 quotients, reciprocals and roots"},
    {QUIRK(few_blocks), "Portable Computing Language", ANY_TYPE,
     "PoCL 3.1: 2^31 blocks work, 2^32 end the process with SIGILL, 2^40 with an assertion in pthread_scheduler.c"},
    {QUIRK(own_block_limit), "NVIDIA", ANY_TYPE,
     "driver 580.159 on H200: CL_KERNEL_WORK_GROUP_SIZE is 256 for kernels that run with blocks of 1024"},
    {QUIRK(arg_info_breaks), "NVIDIA", ANY_TYPE,
     "driver 580.159 on H200: with -cl-kernel-arg-info a kernel without parameters, even beside others, ends in "
     "\"ptxas: Parsing error "
     "near '}'\""},
    {QUIRK(ignores_line), "NVIDIA", ANY_TYPE,
     "driver 580.159 on H200: an error in line 2 behind a #line 1 \"kernel.cl\" is reported as <kernel>:3"},
    {QUIRK(device_scope), "NVIDIA", WEFT_DEVICE_TYPE_GPU,
     "driver 580.159 on H200: 131072 blocks that each wait for the one before, in the order of a ticket, end with the "
     "right values"},
    {QUIRK(device_scope), "Portable Computing Language", WEFT_DEVICE_TYPE_CPU,
     "PoCL 3.1: a block runs to its end on one thread, in an order in which blocks with lower tickets were started "
     "before"},
    {QUIRK(wraps_in_place), "Portable Computing Language", WEFT_DEVICE_TYPE_CPU,
     "PoCL 3.1: kernels use the pointer of CL_MEM_USE_HOST_PTR itself, whatever its alignment; map and unmap move "
     "nothing"},
    {QUIRK(finish_at_exit), "Portable Computing Language", ANY_TYPE,
     "PoCL 3.1: in 1 of 100 programs that end while a kernel is being compiled, the compiling thread uses what exit() "
     "took down, SIGSEGV"},
    {QUIRK(prefixes_builtins), "Portable Computing Language", ANY_TYPE,
     "PoCL 3.1: OpenCL's functions are macros, so that a kernel `mix` is _cl_mix, and a parameter `step` _cl_step"},
    {QUIRK(builds_in_files), "Portable Computing Language", ANY_TYPE,
     "PoCL 3.1: without a writable cache folder clBuildProgram fails with an empty log; below 1 MiB LLVM exits; of 7 "
     "processes that build the same programs at once, in 14 of 40 runs a build failed in one, without an error in its "
     "log"},
    {QUIRK(short_names), "Portable Computing Language", ANY_TYPE,
     "PoCL 3.1: NAME.so has a kernel's machine code; where NAME has over 252 bytes, the launch and the query of the "
     "program's binary abort (\"Final linking of kernel ... failed\")"},
    {QUIRK(short_names), "NVIDIA", WEFT_DEVICE_TYPE_GPU,
     "580.159: clGetProgramInfo copies the kernels' names one by one into 256 bytes (AddressSanitizer: a strcpy behind "
     "them); with a name of 300 bytes a program in plain C aborts in free()"},
    {QUIRK(builds_at_launch), "Portable Computing Language", ANY_TYPE,
     "PoCL 3.1: a binary that is taken after the first launch with a block of 64 has the code for it, one taken before "
     "has not; all later binaries of a program equal its first"},
    {QUIRK(rect_whole_rows), "NVIDIA", WEFT_DEVICE_TYPE_GPU,
     "driver 580.159 on H200: clEnqueueReadBufferRect of 5 rows of 96 bytes, 1000 apart, in a buffer of 4096 bytes "
     "fails with -30"},
    {QUIRK(stages_slowly), "NVIDIA", WEFT_DEVICE_TYPE_GPU,
     "driver 580.159 on H200: pageable memory at 5 to 7 GB/s in and 10 to 16 back; pinned memory at 55 both ways"},
    {QUIRK(late_release), "NVIDIA", ANY_TYPE,
     "driver 580.159 on H100: two or three threads launch on one queue and release each kernel at once; with "
     "MALLOC_PERTURB_ a thread of the driver reads freed memory, SIGSEGV in 6 of 6 runs, in none if a wait comes "
     "first"},
    {QUIRK(roomy_local), "NVIDIA", WEFT_DEVICE_TYPE_GPU,
     "driver 580.159 on H200: CL_DEVICE_LOCAL_MEM_SIZE is 49152, and kernels with 231424 bytes of __local variables "
     "build and run"},
    {QUIRK(small_imports), "NVIDIA", WEFT_DEVICE_TYPE_GPU,
     "driver 580.159 on two H200: clCreateBufferWithProperties crashes with memory of cuMemCreate of 512 MiB and more; "
     "510 MiB work, and any size with one GPU in the machine"},
    {QUIRK(images_of_whole), "Portable Computing Language", ANY_TYPE,
     "PoCL 3.1: clEnqueueCopyBufferToImage and clEnqueueCopyImageToBuffer with a sub-buffer, SIGSEGV"},
    {QUIRK(rows_by_host), "NVIDIA", WEFT_DEVICE_TYPE_GPU,
     "driver 580.159 on H100: clEnqueueCopyBufferToImage and clEnqueueCopyImageToBuffer of a layer behind "
     "the first of an image1d_array_t return -30; clEnqueueWriteImage and clEnqueueReadImage work"},
    {QUIRK(large_imports), NULL, ANY_TYPE, "switched on by WEFT_QUIRKS only"},
    {QUIRK(wraps_small), NULL, ANY_TYPE, "switched on by WEFT_QUIRKS only"},
    {QUIRK(no_device_scope), NULL, ANY_TYPE, "switched on by WEFT_QUIRKS only"},
    {QUIRK(no_arg_info), NULL, ANY_TYPE, "switched on by WEFT_QUIRKS only"},
    {QUIRK(no_fp64), NULL, ANY_TYPE, "switched on by WEFT_QUIRKS only"},
    {QUIRK(no_images), NULL, ANY_TYPE, "switched on by WEFT_QUIRKS only"},
    {QUIRK(no_imports), NULL, ANY_TYPE, "switched on by WEFT_QUIRKS only"},
    {QUIRK(no_int64_atomics), NULL, ANY_TYPE, "switched on by WEFT_QUIRKS only"},
    {QUIRK(small_local), NULL, ANY_TYPE, "switched on by WEFT_QUIRKS only"},
    {QUIRK(gpu_kernels), NULL, ANY_TYPE, "switched on by WEFT_QUIRKS only"},
    {QUIRK(no_avx512), NULL, ANY_TYPE, "switched on by WEFT_QUIRKS only"},
    {QUIRK(no_avx2), NULL, ANY_TYPE, "switched on by WEFT_QUIRKS only"},
    {QUIRK(cpu_kernels), "rusticl", ANY_TYPE,
     "Mesa 25.0.7: of several structures assigned to elements of a private array only the last is stored"},
};

#define ROWS (sizeof table / sizeof *table)

static void set(weft__quirks *quirks, size_t offset) {
  *(bool *)((char *)quirks + offset) = true;
}

static weft_status fail_unknown(const char *name, int length) {
  weft__text names = {0};
  for (size_t row = 0; row < ROWS; row++)
    if (row == 0 || table[row].offset != table[row - 1].offset)
      weft__text_add(&names, "%s%s", row ? ", " : "", table[row].name);
  weft_status rc =
      weft__fail(WEFT_ERROR_ARGUMENT, "WEFT_QUIRKS", "WEFT_QUIRKS names `%.*s`, which is no quirk; there are %s",
                 length, name, weft__text_chars(&names));
  weft__text_free(&names);
  return rc;
}

static weft_status add_from_environment(weft__quirks *quirks) {
  const char *p = weft__environment_text(WEFT__ENV_QUIRKS);
  while (p && *p) {
    size_t length = strcspn(p, ",");
    size_t row = 0;
    while (row < ROWS && !(strlen(table[row].name) == length && strncmp(table[row].name, p, length) == 0)) row++;
    if (row < ROWS) {
      set(quirks, table[row].offset);
    } else if (length > 0) {
      return fail_unknown(p, (int)length);
    }
    p += length;
    if (*p) p++;
  }
  return WEFT_OK;
}

weft_status weft__quirks_find(weft__quirks *quirks, const char *platform, weft_device_type type) {
  *quirks = (weft__quirks){0};
  for (size_t row = 0; row < ROWS; row++)
    if (table[row].platform && strstr(platform, table[row].platform) &&
        (table[row].type == ANY_TYPE || table[row].type == (int)type))
      set(quirks, table[row].offset);
  WEFT__TRY_RETURN(add_from_environment(quirks));
  atomic_store_explicit(&weft__most_width, quirks->no_avx2 ? 0 : quirks->no_avx512 ? 1 : 2, memory_order_relaxed);
  return WEFT_OK;
}
