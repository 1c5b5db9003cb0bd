// SPDX-License-Identifier: MIT
/// VkFFT, compiled on stand-ins for OpenCL and for the allocator.
#include "op/fft/vkfft_plan.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"

#ifdef WEFT__VKFFT

#define VKFFT_BACKEND 3
#include <CL/cl.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <memory.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

/* ---- what VkFFT allocates ---- */

/// A block that VkFFT allocated. All that is left is freed after planning: VkFFT does not free everything after a
/// failure of its own.
typedef struct vk_block {
  struct vk_block *next, *previous;
  size_t size_bytes;
  _Alignas(16) char data[1];
} vk_block;

typedef struct vk_recorder {
  weft__vkfft_plan *plan;
  const weft__vkfft_device *device;
  vk_block blocks; /* head of the list */
  jmp_buf out;     /* leaves VkFFT, which does not survive every failure */
  size_t wanted;   /* bytes of the allocation that failed; 0: none failed */
  bool runs;       /* the launches belong to the transform, not to its preparation */
} vk_recorder;

static _Thread_local vk_recorder *recorder; /* of the plan that this thread makes */

static void *vk_calloc(size_t count, size_t size) {
  vk_block *block = size && count > (SIZE_MAX / 2) / size ? NULL : calloc(1, sizeof *block + count * size);
  if (!block) {
    recorder->wanted = count * size + 1;
    longjmp(recorder->out, 1);
  }
  block->size_bytes = count * size;
  block->next = recorder->blocks.next;
  block->previous = &recorder->blocks;
  block->next->previous = recorder->blocks.next = block;
  return block->data;
}

static void *vk_malloc(size_t size) {
  return vk_calloc(1, size);
}

static void vk_free(void *data) {
  if (!data) return;
  vk_block *block = (vk_block *)(void *)((char *)data - offsetof(vk_block, data));
  block->next->previous = block->previous;
  block->previous->next = block->next;
  free(block);
}

/// A copy that outlives VkFFT, owned by the plan.
static void *vk_keep(const void *data, size_t size) {
  void *copy = malloc(size);
  if (!copy) {
    recorder->wanted = size;
    longjmp(recorder->out, 1);
  }
  memcpy(copy, data, size);
  return copy;
}

/* ---- stand-ins for OpenCL ---- */

/* Handles are positions in the plan, counted from 1. */
#define VK_HANDLE(type, index) ((type)(uintptr_t)((index) + 1))
#define VK_INDEX(handle) ((int)(uintptr_t)(handle)-1)

static int vk_next(int *count, int room) {
  if (*count == room) longjmp(recorder->out, 1); /* the plan has no room: as if VkFFT had none */
  return (*count)++;
}

static cl_int vk_device_info(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *size_ret) {
  const weft__vkfft_device *d = recorder->device;
  const size_t block[] = {(size_t)d->max_block[0], (size_t)d->max_block[1], (size_t)d->max_block[2]};
  const size_t threads = (size_t)d->block_threads;
  const cl_ulong local = d->local_bytes;
  const cl_uint vendor = d->vendor, dimensions = 3;
  (void)device, (void)size_ret;
  if (what == CL_DEVICE_VENDOR_ID) return memcpy(value, &vendor, sizeof vendor), CL_SUCCESS;
  if (what == CL_DEVICE_MAX_WORK_GROUP_SIZE) return memcpy(value, &threads, sizeof threads), CL_SUCCESS;
  if (what == CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS) return memcpy(value, &dimensions, sizeof dimensions), CL_SUCCESS;
  if (what == CL_DEVICE_LOCAL_MEM_SIZE) return memcpy(value, &local, sizeof local), CL_SUCCESS;
  if (what != CL_DEVICE_MAX_WORK_ITEM_SIZES || size > sizeof block) return CL_INVALID_VALUE;
  return memcpy(value, block, size), CL_SUCCESS;
}

static cl_mem vk_create_buffer(cl_context context, cl_mem_flags flags, size_t size, void *data, cl_int *code) {
  weft__vkfft_plan *plan = recorder->plan;
  const int k = vk_next(&plan->buffers, WEFT__VKFFT_BUFFERS);
  (void)context, (void)flags;
  plan->buffer[k].size_bytes = size;
  if (data) plan->buffer[k].data = vk_keep(data, size);
  if (code) *code = CL_SUCCESS;
  return VK_HANDLE(cl_mem, k);
}

static cl_int vk_write_buffer(cl_mem mem, size_t offset, size_t size, const void *data) {
  weft__vkfft_buffer *buffer = &recorder->plan->buffer[VK_INDEX(mem)];
  if (offset || size > buffer->size_bytes) return CL_INVALID_VALUE;
  if (!buffer->data) {
    char *all = vk_malloc((size_t)buffer->size_bytes);
    buffer->data = vk_keep(all, (size_t)buffer->size_bytes);
    vk_free(all);
  }
  memcpy(buffer->data, data, size);
  return CL_SUCCESS;
}

static cl_program vk_create_program(cl_context context, cl_uint count, const char **text, const size_t *length,
                                    cl_int *code) {
  weft__vkfft_plan *plan = recorder->plan;
  const int k = vk_next(&plan->programs, WEFT__VKFFT_PROGRAMS);
  (void)context, (void)count, (void)length;
  plan->program[k] = vk_keep(text[0], strlen(text[0]) + 1);
  *code = CL_SUCCESS;
  return VK_HANDLE(cl_program, k);
}

/// A kernel has the handle of its program, and its own last arguments.
typedef struct vk_kernel {
  int program, values;
  weft__vkfft_value value[WEFT__VKFFT_VALUES];
} vk_kernel;

static cl_kernel vk_create_kernel(cl_program program, const char *name, cl_int *code) {
  vk_kernel *kernel = vk_malloc(sizeof *kernel);
  (void)name;
  kernel->program = VK_INDEX(program);
  *code = CL_SUCCESS;
  return (cl_kernel)(void *)kernel;
}

/// The offset that VkFFT is given, in bytes: the kernels' offsets show from it how large the elements are.
#define VK_OFFSET (UINT64_C(1) << 20)

static cl_int vk_set_argument(cl_kernel handle, cl_uint index, size_t size, const void *data) {
  vk_kernel *kernel = (vk_kernel *)(void *)handle;
  uint64_t wide[2] = {0};
  uint32_t narrow[2] = {0};
  if (index >= WEFT__VKFFT_VALUES) return CL_INVALID_ARG_INDEX;
  weft__vkfft_value *value = &kernel->value[index];
  *value = (weft__vkfft_value){.buffer = -1, .size = size};
  if (kernel->values <= (int)index) kernel->values = (int)index + 1;
  if (size == sizeof wide) {
    memcpy(wide, data, sizeof wide);
  } else {
    memcpy(wide, data, sizeof wide[0]);
    if (size == sizeof(cl_mem) && wide[0] >= 1 && wide[0] <= (uint64_t)recorder->plan->buffers) {
      value->buffer = (int)wide[0] - 1;
      return CL_SUCCESS;
    }
    memcpy(narrow, data, sizeof narrow);
    for (int k = 0; k < 2; k++) wide[k] = narrow[k];
  }
  for (int k = 0; k < 2; k++) value->element_bytes[k] = wide[k] ? VK_OFFSET / wide[k] : 0;
  return size == sizeof wide || size == sizeof narrow ? CL_SUCCESS : CL_INVALID_ARG_SIZE;
}

static cl_int vk_enqueue(cl_kernel handle, const size_t *global, const size_t *local) {
  weft__vkfft_plan *plan = recorder->plan;
  const vk_kernel *kernel = (const vk_kernel *)(void *)handle;
  weft__vkfft_launch *launch = &plan->launch[vk_next(&plan->launches, WEFT__VKFFT_LAUNCHES)];
  launch->program = kernel->program;
  launch->is_setup = !recorder->runs;
  launch->values = kernel->values;
  for (int d = 0; d < 3; d++) {
    launch->block[d] = local[d];
    launch->grid[d] = global[d] / local[d];
  }
  for (int k = 0; k < kernel->values; k++) {
    launch->value[k] = kernel->value[k];
    if (kernel->value[k].buffer < 0) continue;
    weft__vkfft_buffer *buffer = &plan->buffer[kernel->value[k].buffer];
    *(launch->is_setup ? &buffer->in_setup : &buffer->in_runs) = true;
  }
  if (!launch->is_setup && launch->value[1].buffer == WEFT__VKFFT_FROM) plan->overwrites_from = true;
  return CL_SUCCESS;
}

static cl_command_queue vk_create_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                                        cl_int *code) {
  (void)context, (void)device, (void)properties;
  *code = CL_SUCCESS;
  return VK_HANDLE(cl_command_queue, 0);
}

static cl_program vk_no_program(cl_context context, cl_uint devices, const cl_device_id *device, const size_t *size,
                                const unsigned char **binary, cl_int *status, cl_int *code) {
  (void)context, (void)devices, (void)device, (void)size, (void)binary, (void)status;
  *code = CL_INVALID_VALUE;
  return NULL;
}

static inline char *vk_locale(int category, const char *name) {
  (void)category, (void)name;
  return (char *)(uintptr_t) "C"; /* weft__vkfft_plan_make has set the thread's; setlocale would change the process's */
}

#define VK_DONE(...) CL_SUCCESS
#define VK_NOTHING(...) CL_INVALID_VALUE
#define clGetDeviceInfo vk_device_info
#define clCreateBuffer vk_create_buffer
#define clEnqueueWriteBuffer(queue, mem, blocks, offset, size, data, events, wait, event) \
  vk_write_buffer(mem, offset, size, data)
#define clCreateProgramWithSource vk_create_program
#define clCreateProgramWithBinary vk_no_program
#define clCreateKernel vk_create_kernel
#define clSetKernelArg vk_set_argument
#define clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, events, wait, event) \
  vk_enqueue(kernel, global, local)
#define clCreateCommandQueue vk_create_queue
#define clBuildProgram VK_DONE
#define clFinish VK_DONE
#define clReleaseCommandQueue VK_DONE
#define clReleaseKernel VK_DONE
#define clReleaseMemObject VK_DONE
#define clReleaseProgram VK_DONE
#define clEnqueueReadBuffer VK_NOTHING /* 1.2 reads nothing back while it plans */
#define clGetProgramInfo VK_NOTHING
#define clGetProgramBuildInfo VK_NOTHING
#define malloc vk_malloc
#define calloc vk_calloc
#define free vk_free
#define setlocale vk_locale
#define printf VK_DONE

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O0") /* it writes text: compiling it optimized takes six times as long */
#endif
#include <vkFFT.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

#undef malloc
#undef calloc
#undef free
#undef setlocale
#undef printf

/* ---- plans ---- */

static void configure(VkFFTConfiguration *c, const weft__vkfft_request *r, const weft__vkfft_device *device) {
  c->FFTdim = r->inner > 1 ? 2 : 1;
  c->size[0] = r->inner > 1 ? r->inner : r->length;
  c->size[1] = r->inner > 1 ? r->length : 1;
  c->size[2] = 1;
  c->omitDimension[0] = r->inner > 1;
  c->numberBatches = r->batch;
  c->doublePrecision = r->is_f64;
  c->performR2C = r->kind != WEFT__FFT_COMPLEX;
  c->normalize = r->scaled;
  c->makeForwardPlanOnly = !r->inverse;
  c->makeInversePlanOnly = r->inverse;
  c->specifyOffsetsAtLaunch = 1;
  /* Tables of sines are more exact than the native ones that VkFFT's kernels compute else. Longer rows would lose a
     twentieth of the speed to them, or more. */
  c->useLUT = r->is_f64 || r->inner > 1 || r->length <= 8192;
  c->maxTempLength = 50000; /* characters of a part of a kernel's text: VkFFT's default is 5000 */
  c->useUint64 = r->is_wide;
  if (device->vendor == WEFT__VKFFT_NVIDIA) c->coalescedMemory = 64; /* bytes; VkFFT takes 32 */
}

/// Elements of FROM and TO, and the strides of the two.
static void place(VkFFTConfiguration *c, const weft__vkfft_request *r, cl_mem *from, cl_mem *to, uint64_t sizes[2]) {
  const uint64_t element = r->is_f64 ? 16 : 8, half = r->length / 2 + 1;
  const bool is_real = r->kind != WEFT__FFT_COMPLEX;
  const uint64_t complex_bytes = r->batch * r->inner * (is_real ? half : r->length) * element;
  const uint64_t real_bytes = r->batch * r->length * element / 2;
  sizes[0] = complex_bytes;
  sizes[1] = is_real ? real_bytes : complex_bytes;
  c->buffer = r->kind == WEFT__FFT_TO_REAL ? from : to;
  c->bufferSize = &sizes[0];
  if (is_real) {
    c->bufferStride[0] = half;
    c->bufferStride[1] = c->bufferStride[2] = half;
    c->isInputFormatted = 1;
    c->inverseReturnToInputBuffer = r->kind == WEFT__FFT_TO_REAL;
    c->inputBuffer = r->kind == WEFT__FFT_TO_REAL ? to : from;
    c->inputBufferSize = &sizes[1];
    c->inputBufferStride[0] = c->inputBufferStride[1] = c->inputBufferStride[2] = r->length;
  } else if (!r->in_place) {
    c->isInputFormatted = 1;
    c->inputBuffer = from;
    c->inputBufferSize = &sizes[1];
    for (int d = 0; d < 3; d++) c->inputBufferStride[d] = d || r->inner == 1 ? r->length * r->inner : r->inner;
    for (int d = 0; d < 3; d++) c->bufferStride[d] = c->inputBufferStride[d];
  }
}

/// VkFFT 1.2 gives wrong numbers for inverse transforms by Bluestein's algorithm in more than one pass over memory.
static bool is_wrong(const VkFFTApplication *application) {
  const VkFFTPlan *inverse = application->localFFTPlan_inverse;
  for (int d = 0; inverse && d < 2; d++)
    if (application->useBluesteinFFT[d] && inverse->numAxisUploads[d] > 1) return true;
  return false;
}

static int record(const weft__vkfft_request *request) {
  weft__vkfft_plan *plan = recorder->plan;
  cl_mem from = VK_HANDLE(cl_mem, WEFT__VKFFT_FROM), to = VK_HANDLE(cl_mem, WEFT__VKFFT_TO);
  cl_device_id device = VK_HANDLE(cl_device_id, 0);
  cl_context context = VK_HANDLE(cl_context, 0);
  cl_command_queue queue = VK_HANDLE(cl_command_queue, 0);
  uint64_t sizes[2];
  VkFFTConfiguration configuration = {0};
  VkFFTApplication *application = vk_malloc(sizeof *application);
  VkFFTLaunchParams launch = {0};
  configuration.device = &device;
  configuration.context = &context;
  configure(&configuration, request, recorder->device);
  place(&configuration, request, &from, &to, sizes);
  plan->buffers = WEFT__VKFFT_OWN;
  int code = (int)initializeVkFFT(application, configuration);
  if (code) return code;
  if (is_wrong(application)) return -1; /* as if VkFFT had no plan */
  recorder->runs = true;
  launch.commandQueue = &queue;
  launch.bufferOffset = launch.inputBufferOffset = VK_OFFSET;
  code = (int)VkFFTAppend(application, request->inverse ? 1 : -1, &launch);
  deleteVkFFT(application);
  return code;
}

/// Lets the launch's grid be one-dimensional, for devices whose grids have few blocks along the other axes.
static weft_status flatten(weft__vkfft_plan *plan, weft__vkfft_launch *launch) {
  weft__text text = {0};
  const uint64_t *grid = launch->grid;
  weft__text_add(&text,
                 "#define get_group_id(d) ((d) == 0 ? get_group_id(0) %% %" PRIu64
                 "u : (d) == 1 ? get_group_id(0) / %" PRIu64 "u %% %" PRIu64 "u : get_group_id(0) / %" PRIu64
                 "u)\n"
                 "#define get_global_id(d) (get_group_id(d) * get_local_size(d) + get_local_id(d))\n%s",
                 grid[0], grid[0], grid[1], grid[0] * grid[1], plan->program[launch->program]);
  const size_t length = text.length;
  if (!(plan->program[plan->programs] = weft__text_take(&text))) return weft__fail_host_memory(length);
  launch->program = plan->programs++;
  launch->grid[0] *= launch->grid[1] * launch->grid[2];
  launch->grid[1] = launch->grid[2] = 1;
  return WEFT_OK;
}

weft_status weft__vkfft_plan_make(bool *made, weft__vkfft_plan *plan, const weft__vkfft_request *request,
                                  const weft__vkfft_device *device) {
  vk_recorder r = {.plan = plan, .device = device};
  r.blocks.next = r.blocks.previous = &r.blocks;
  /* VkFFT writes numbers with printf: a decimal comma would break its kernels */
  const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!c) return weft__fail_host_memory(0);
  const locale_t before = uselocale(c);
  volatile int code = -1;
  recorder = &r;
  if (!setjmp(r.out)) code = record(request);
  recorder = NULL;
  uselocale(before);
  freelocale(c);
  while (r.blocks.next != &r.blocks) {
    vk_block *block = r.blocks.next;
    r.blocks.next = block->next;
    free(block);
  }
  if (r.wanted) return weft__fail_host_memory(r.wanted);
  *made = code == 0;
  if (!*made) return WEFT_OK;
  for (int k = 0; k < plan->launches && *made; k++) {
    if (plan->launch[k].grid[1] <= device->max_grid[1] && plan->launch[k].grid[2] <= device->max_grid[2]) continue;
    *made = plan->programs < WEFT__VKFFT_PROGRAMS; /* without room for one more it is as if VkFFT had no plan */
    if (*made) WEFT__TRY_RETURN(flatten(plan, &plan->launch[k]));
  }
  return WEFT_OK;
}

static int vk_version(void) {
  return VkFFTGetVersion();
}

#else

weft_status weft__vkfft_plan_make(bool *made, weft__vkfft_plan *plan, const weft__vkfft_request *request,
                                  const weft__vkfft_device *device) {
  (void)plan, (void)request, (void)device;
  *made = false;
  return WEFT_OK;
}

static int vk_version(void) {
  return 0;
}

#endif

int (*const weft__vkfft_version)(void) = vk_version;

void weft__vkfft_plan_clear(weft__vkfft_plan *plan) {
  for (int k = 0; k < plan->programs; k++) free(plan->program[k]);
  for (int k = 0; k < plan->buffers; k++) free(plan->buffer[k].data);
  *plan = (weft__vkfft_plan){0};
}
