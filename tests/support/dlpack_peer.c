// SPDX-License-Identifier: MIT
#include "dlpack_peer.h"

#include <time.h>

#include "harness.h"

static void count_deletion(producer *p) {
  cl_int state = CL_COMPLETE;
  p->deleted++;
  if (p->done)
    ck_assert_int_eq(clGetEventInfo(p->done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL),
                     CL_SUCCESS);
  ck_assert_msg(state == CL_COMPLETE, "given back while work on it runs");
}

static void delete_versioned(DLManagedTensorVersioned *self) {
  count_deletion(self->manager_ctx);
}

static void delete_unversioned(DLManagedTensor *self) {
  count_deletion(self->manager_ctx);
}

cl_mem make_buffer(cl_context context, cl_mem_flags flags) {
  cl_int code = 0;
  int32_t data[PRODUCED];
  for (int i = 0; i < PRODUCED; i++) data[i] = i;
  cl_mem buffer = clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, sizeof data, data, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  return buffer;
}

void produce_with(producer *p, cl_mem_flags flags) {
  *p = (producer){.shape = {4, 6}, .strides = {6, 1}, .buffer = make_buffer(weft_context_cl_context(ctx), flags)};
  p->tensor = (DLManagedTensorVersioned){.version = {1, 0}, .manager_ctx = p, .deleter = delete_versioned};
  p->tensor.dl_tensor = (DLTensor){.data = p->buffer,
                                   .device = {kDLOpenCL, 0},
                                   .ndim = 2,
                                   .dtype = {kDLInt, 32, 1},
                                   .shape = p->shape,
                                   .strides = p->strides};
  p->unversioned = (DLManagedTensor){.dl_tensor = p->tensor.dl_tensor, .manager_ctx = p, .deleter = delete_unversioned};
}

void produce(producer *p) {
  produce_with(p, CL_MEM_READ_WRITE);
}

void end_producer(producer *p) {
  cl_uint references = 0;
  for (int wait = 0; wait < 100; wait++) { /* PoCL's commands hold their buffers and release them on another thread */
    ck_assert_int_eq(clGetMemObjectInfo(p->buffer, CL_MEM_REFERENCE_COUNT, sizeof references, &references, NULL),
                     CL_SUCCESS);
    if (references == 1) break;
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  ck_assert_uint_eq(references, 1);
  ck_assert_int_eq(clReleaseMemObject(p->buffer), CL_SUCCESS);
}

uint64_t storages(void) {
  weft_memory_stats stats;
  ok(weft_memory_get(&stats, ctx));
  return stats.arrays;
}

DLManagedTensorVersioned *export_of(const weft_array *x) {
  DLManagedTensorVersioned *tensor = NULL;
  ok(weft_to_dlpack(&tensor, x));
  ck_assert_ptr_nonnull(tensor);
  ck_assert(tensor->deleter != NULL);
  return tensor;
}

weft_kernel *make_spin(void) {
  weft_kernel *kernel = NULL;
  ok(weft_kernel_create(&kernel, ctx,
                        .source = "kernel void spin(global int *y, uint n) {\n"
                                  "  uint v = (uint)y[0] + 7;\n"
                                  "  for (uint i = 0; i < n; i++) v = v * 1664525u + 1013904223u;\n"
                                  "  y[0] = v != 12345u;\n"
                                  "}\n",
                        .name = "spin"));
  return kernel;
}
