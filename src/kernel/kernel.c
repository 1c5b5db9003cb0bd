// SPDX-License-Identifier: MIT
#include "kernel/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/assert.h"
#include "kernel/binary.h"
#include "ocl/codes.h"

#define BUILTIN_PREFIX "_cl_" /* added to kernel names by drivers with the quirk prefixes_builtins */

/// The kernel's name in the source, from the name that the driver reports.
static const char *source_name(const weft__core *core, const char *name) {
  const size_t length = strlen(BUILTIN_PREFIX);
  return core->device->quirks.prefixes_builtins && strncmp(name, BUILTIN_PREFIX, length) == 0 ? name + length : name;
}

/// Whether `name`, with *prefix before it, is one of the driver's names, which are separated by ';'.
static bool find_name(const weft__core *core, const char *names, const char *name, const char **prefix) {
  static const char *const prefixes[] = {"", BUILTIN_PREFIX};
  size_t length = strlen(name);
  for (size_t i = 0; i < (core->device->quirks.prefixes_builtins ? 2 : 1); i++) {
    *prefix = prefixes[i];
    size_t before = strlen(*prefix);
    for (const char *p = names; *p; p += strcspn(p, ";"), p += *p == ';')
      if (strcspn(p, ";") == before + length && strncmp(p, *prefix, before) == 0 &&
          strncmp(p + before, name, length) == 0)
        return true;
  }
  return false;
}

static weft_status fail_name(const char *name, const char *names) {
  weft__text list = {0};
  for (const char *p = names; *p; p += strcspn(p, ";"), p += *p == ';') {
    if (p > names) weft__text_add(&list, ", ");
    weft__text_add_bytes(&list, p, strcspn(p, ";"));
  }
  weft_status rc = name ? weft__fail(WEFT_ERROR_KERNEL_NAME, "name", "the source has no kernel `%s`; it has: %s", name,
                                     weft__text_chars(&list))
                        : weft__fail(WEFT_ERROR_KERNEL_NAME, "name",
                                     "`name` is NULL and the source has several kernels: %s", weft__text_chars(&list));
  weft__text_free(&list);
  return rc;
}

/// Sets *chosen to the driver's name of the kernel `name`, or of the only kernel if `name` is NULL. Otherwise the error
/// lists the names in the program.
static weft_status choose_name(char **chosen, const weft__core *core, const weft__program *program, const char *name) {
  char *names;
  const char *prefix = "";
  weft_status rc = WEFT_OK;
  WEFT__TRY_RETURN(weft__program_kernel_names(&names, program));
  bool found = name && find_name(core, names, name, &prefix);
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

static weft_status read_limits(weft__kernel *kernel, weft__cl_kernel instance) {
  weft__kernel_limits limits = {0};
  const weft__device *device = kernel->core->device;
  weft_kernel_info *info = &kernel->info;
  int code = weft__driver->kernel_limits(&limits, instance, device->id);
  if (code) return weft__cl_fail(code, "clGetKernelWorkGroupInfo");
  if (limits.parameters > WEFT_MAX_KERNEL_ARGUMENTS)
    return weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, NULL, "the kernel has %u parameters; Weft passes up to %d",
                      limits.parameters, WEFT_MAX_KERNEL_ARGUMENTS);
  bool is_known = limits.max_block_threads && !device->quirks.own_block_limit;
  info->argument_count = (int)limits.parameters;
  info->max_block_threads = is_known && limits.max_block_threads < device->info.max_block_threads
                                ? limits.max_block_threads
                                : device->info.max_block_threads;
  info->preferred_multiple = limits.preferred_multiple;
  info->local_memory_bytes = limits.local_memory_bytes;
  info->private_memory_bytes = limits.private_memory_bytes;
  for (int i = 0; i < 3; i++) info->required_block[i] = limits.required_block[i];
  return WEFT_OK;
}

static weft_status read_parameters(weft__kernel *kernel, weft__cl_kernel instance, const weft__program *program) {
  int count = kernel->info.argument_count;
  if (count && !(kernel->parameter = weft__new((size_t)count * sizeof *kernel->parameter)))
    return WEFT_ERROR_HOST_MEMORY;
  kernel->parameter_count = count;
  for (int i = 0; i < count; i++) {
    if (program->head)
      WEFT__TRY_RETURN(weft__binary_parameter(&kernel->parameter[i], program->head, kernel->name, i));
    else
      WEFT__TRY_RETURN(weft__parameter_read(&kernel->parameter[i], instance, (uint32_t)i, program->has_arg_info));
    const char *name = source_name(kernel->core, kernel->parameter[i].name);
    memmove(kernel->parameter[i].name, name, strlen(name) + 1);
  }
  return WEFT_OK;
}

weft_status weft__kernel_open(weft__kernel *kernel, weft__core *core, const weft__program *program, const char *name) {
  char *chosen = NULL;
  weft__cl_kernel instance = NULL;
  weft_status rc;
  *kernel = (weft__kernel){.core = core, .prefix = ""};
  WEFT__TRY(choose_name(&chosen, core, program, name));
  int code = weft__driver->kernel_create(&instance, program->cl, chosen);
  if (code) WEFT__TRY(weft__cl_fail(code, "clCreateKernel"));
  /* kept for ever, but not where there is no such kernel */
  WEFT__TRY((kernel->name = weft__intern(chosen)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  if ((code = weft__retain(program->cl))) WEFT__TRY(weft__cl_fail(code, "clRetainProgram"));
  kernel->program = program->cl;
  kernel->of = program;
  kernel->text = program->text;
  kernel->launched = program->launched;
  WEFT__TRY(read_limits(kernel, instance));
  WEFT__TRY(read_parameters(kernel, instance, program));
  kernel->info.name = source_name(core, kernel->name);
  kernel->hidden = weft__kernel_asserts(kernel, program->has_arg_info) ? WEFT__ASSERT_PARAMETERS : 0;
  kernel->info.argument_count -= kernel->hidden;
  kernel->info.build_time_ns = program->build_time_ns;
  rc = weft__instance_of(&kernel->place[0].instance, kernel, instance);
  instance = NULL;
done:
  if (rc) {
    if (chosen || name) weft__while(rc, "opening kernel `%s`", chosen ? chosen : name);
    weft__release(instance);
    weft__kernel_close(kernel);
    weft__kernel_destroy(kernel);
  }
  free(chosen);
  return rc;
}

void weft__kernel_close(weft__kernel *kernel) {
  for (int i = 0; i < WEFT__INSTANCES; i++) {
    weft__instance_release(kernel->core, kernel->place[i].instance);
    kernel->place[i].instance = NULL;
  }
  weft__release(kernel->program);
  kernel->program = NULL;
}

void weft__kernel_destroy(weft__kernel *kernel) {
  for (int i = 0; i < kernel->parameter_count; i++) weft__parameter_clear(&kernel->parameter[i]);
  free(kernel->parameter);
  kernel->parameter = NULL;
  kernel->parameter_count = 0;
}
