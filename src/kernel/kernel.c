// SPDX-License-Identifier: MIT
#include "kernel/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "ocl/codes.h"

/// Whether `name` is one of the names, which are separated by ';'. PoCL (3.1) defines OpenCL's functions as macros, so that a kernel called
/// `mix` is `_cl_mix` there: then *prefix is "_cl_".
static bool find_name(const char *names, const char *name, const char **prefix) {
  static const char *const prefixes[] = {"", "_cl_"};
  size_t length = strlen(name);
  for (size_t i = 0; i < 2; i++) {
    *prefix = prefixes[i];
    size_t before = strlen(*prefix);
    for (const char *p = names; *p; p += strcspn(p, ";"), p += *p == ';')
      if (strcspn(p, ";") == before + length && strncmp(p, *prefix, before) == 0 && strncmp(p + before, name, length) == 0) return true;
  }
  return false;
}

static weft_status fail_name(const char *name, const char *names) {
  weft__text list = {0};
  for (const char *p = names; *p; p += strcspn(p, ";"), p += *p == ';') {
    if (p > names) weft__text_add(&list, ", ");
    weft__text_add_bytes(&list, p, strcspn(p, ";"));
  }
  weft_status rc =
      name ? weft__fail(WEFT_ERROR_KERNEL_NAME, "name", "the source has no kernel `%s`; it has: %s", name, weft__text_chars(&list))
           : weft__fail(WEFT_ERROR_KERNEL_NAME, "name", "`name` is NULL and the source has several kernels: %s", weft__text_chars(&list));
  weft__text_free(&list);
  return rc;
}

/// The kernel's name as the driver has it: of `name`, or of the only kernel where that is NULL. Else says which names there are.
static weft_status choose_name(char **chosen, const weft__program *program, const char *name) {
  char *names;
  const char *prefix = "";
  weft_status rc = weft__program_kernel_names(&names, program);
  if (rc) return rc;
  bool found = name && find_name(names, name, &prefix);
  if (!name && names[0] && !strchr(names, ';')) {
    *chosen = names;
    return WEFT_OK;
  }
  if (found && (*chosen = weft__new(strlen(prefix) + strlen(name) + 1))) {
    strcat(strcpy(*chosen, prefix), name);
  } else if (found) {
    rc = WEFT_ERROR_HOST_MEMORY;
  } else if (!names[0]) {
    rc = weft__fail(WEFT_ERROR_KERNEL_NAME, "name", "the source has no __kernel function");
  } else {
    rc = fail_name(name, names);
  }
  free(names);
  return rc;
}

static weft_status read_limits(weft__kernel *kernel, cl_kernel instance) {
  cl_device_id id = kernel->core->device->id;
  weft_kernel_info *info = &kernel->info;
  size_t block_threads = 0, multiple = 0, required[3] = {0};
  cl_ulong local = 0, private_bytes = 0;
  cl_int code = clGetKernelWorkGroupInfo(instance, id, CL_KERNEL_WORK_GROUP_SIZE, sizeof block_threads, &block_threads, NULL);
  if (code == CL_SUCCESS)
    code = clGetKernelWorkGroupInfo(instance, id, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof multiple, &multiple, NULL);
  if (code == CL_SUCCESS) code = clGetKernelWorkGroupInfo(instance, id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required, NULL);
  if (code == CL_SUCCESS) code = clGetKernelWorkGroupInfo(instance, id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
  if (code == CL_SUCCESS)
    code = clGetKernelWorkGroupInfo(instance, id, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private_bytes, &private_bytes, NULL);
  if (code != CL_SUCCESS) return weft__cl_fail(code, "clGetKernelWorkGroupInfo");
  uint64_t device_threads = kernel->core->device->info.max_block_threads;
  bool is_known = block_threads && !kernel->core->device->quirks.own_block_limit;
  info->max_block_threads = is_known && block_threads < device_threads ? block_threads : device_threads;
  info->preferred_multiple = multiple;
  info->local_memory_bytes = local;
  info->private_memory_bytes = private_bytes;
  for (int i = 0; i < 3; i++) info->required_block[i] = required[i];
  return WEFT_OK;
}

static weft_status read_parameters(weft__kernel *kernel, cl_kernel instance, bool has_arg_info) {
  cl_uint count = 0;
  cl_int code = clGetKernelInfo(instance, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
  if (code != CL_SUCCESS) return weft__cl_fail(code, "clGetKernelInfo");
  if (count > WEFT_MAX_KERNEL_ARGUMENTS)
    return weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, NULL, "the kernel has %u parameters; Weft passes up to %d", count,
                      WEFT_MAX_KERNEL_ARGUMENTS);
  if (count && !(kernel->parameter = weft__new(count * sizeof *kernel->parameter))) return WEFT_ERROR_HOST_MEMORY;
  kernel->parameter_count = (int)count;
  kernel->info.argument_count = (int)count;
  weft_status rc = WEFT_OK;
  for (cl_uint i = 0; i < count && rc == WEFT_OK; i++) rc = weft__parameter_read(&kernel->parameter[i], instance, i, has_arg_info);
  return rc;
}

weft_status weft__kernel_open(weft__kernel *kernel, weft__core *core, const weft__program *program, const char *name) {
  char *chosen = NULL;
  cl_kernel instance = NULL;
  *kernel = (weft__kernel){.core = core, .prefix = ""};
  weft_status rc = choose_name(&chosen, program, name);
  if (rc == WEFT_OK && !(kernel->name = weft__intern(chosen))) rc = WEFT_ERROR_HOST_MEMORY;
  if (rc) goto fail;
  cl_int code;
  instance = clCreateKernel(program->cl, kernel->name, &code);
  if (code != CL_SUCCESS) {
    instance = NULL;
    rc = weft__cl_fail(code, "clCreateKernel");
    goto fail;
  }
  code = clRetainProgram(program->cl);
  if (code != CL_SUCCESS) {
    rc = weft__cl_fail(code, "clRetainProgram");
    goto fail;
  }
  kernel->program = program->cl;
  kernel->text = program->text;
  rc = read_parameters(kernel, instance, program->has_arg_info);
  if (rc == WEFT_OK) rc = read_limits(kernel, instance);
  if (rc) goto fail;
  kernel->info.name = kernel->name;
  kernel->info.build_time_ns = program->build_time_ns;
  atomic_store(&kernel->idle[0], instance);
  free(chosen);
  return WEFT_OK;
fail:
  if (chosen || name) weft__while(rc, "opening kernel `%s`", chosen ? chosen : name);
  if (instance) clReleaseKernel(instance);
  weft__kernel_close(kernel);
  weft__kernel_destroy(kernel);
  free(chosen);
  return rc;
}

void weft__kernel_close(weft__kernel *kernel) {
  for (int i = 0; i < WEFT__IDLE_INSTANCES; i++) {
    cl_kernel instance = atomic_exchange(&kernel->idle[i], (cl_kernel)NULL);
    if (instance) clReleaseKernel(instance);
  }
  if (kernel->program) clReleaseProgram(kernel->program);
  kernel->program = NULL;
}

void weft__kernel_destroy(weft__kernel *kernel) {
  for (int i = 0; i < kernel->parameter_count; i++) weft__parameter_clear(&kernel->parameter[i]);
  free(kernel->parameter);
  kernel->parameter = NULL;
  kernel->parameter_count = 0;
}
