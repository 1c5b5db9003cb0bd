// SPDX-License-Identifier: MIT
/// Writes binaries: kernel/binary.c has their form.
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "kernel/binary.h"
#include "kernel/program.h"
#include "ocl/codes.h"

static weft_status add_kernel(weft__text *head, const weft__core *core, const weft__program *program, char *name) {
  weft__cl_kernel kernel;
  weft__kernel_limits limits = {0};
  weft__parameter p = {0};
  weft_status rc = WEFT_OK;
  int code = weft__driver->kernel_create(&kernel, program->cl, name);
  if (code) return weft__cl_fail(code, "clCreateKernel");
  if ((code = weft__driver->kernel_limits(&limits, kernel, core->device->id)))
    WEFT__TRY(weft__cl_fail(code, "clGetKernelWorkGroupInfo"));
  weft__text_add(head, "kernel %u %s\n", limits.parameters, name);
  for (uint32_t k = 0; k < limits.parameters; k++) {
    if (program->head)
      WEFT__TRY(weft__binary_parameter(&p, program->head, name, (int)k));
    else
      WEFT__TRY(weft__parameter_read(&p, kernel, k, program->has_arg_info));
    weft__text_add(head, "%d %d %u %d %zu %d %d %s\t%s\n", (int)p.kind, (int)p.dtype, p.lanes, p.is_const, p.size_bytes,
                   p.reads, p.writes, p.name, p.type);
    weft__parameter_clear(&p);
  }
done:
  weft__parameter_clear(&p);
  weft__release(kernel);
  return rc;
}

static weft_status add_kernels(weft__text *head, const weft__core *core, const weft__program *program) {
  char *names;
  weft_status rc = WEFT_OK;
  WEFT__TRY_RETURN(weft__program_kernel_names(&names, program));
  for (char *name = names, *end; *name; name = end) {
    end = name + strcspn(name, ";");
    if (*end) *end++ = 0;
    WEFT__TRY(add_kernel(head, core, program, name));
  }
done:
  free(names);
  return rc;
}

/// The driver's binary. The caller frees *bytes.
static weft_status get_code(char **bytes, size_t *size, const weft__program *program) {
  const weft__text_of of = {.kind = WEFT__TEXT_CODE, .program = program->cl};
  *bytes = NULL;
  int code = weft__driver->text(NULL, 0, size, &of);
  if (code) return weft__cl_fail(code, "clGetProgramInfo");
  if (*size < 2) return weft__fail(WEFT_ERROR_UNSUPPORTED, NULL, "the driver gives no binary of its programs");
  if (!(*bytes = weft__new(*size))) return WEFT_ERROR_HOST_MEMORY;
  code = weft__driver->text(*bytes, *size, size, &of);
  --*size; /* without the zero at its end */
  return code ? weft__cl_fail(code, "clGetProgramInfo") : WEFT_OK;
}

weft_status weft__binary_write(weft__text *out, const weft__core *core, const weft__program *program) {
  weft__text head = {0};
  char *bytes = NULL;
  size_t size;
  weft_status rc;
  weft__binary_identity(&head, core);
  WEFT__TRY(add_kernels(&head, core, program));
  WEFT__TRY(get_code(&bytes, &size, program));
  const uint64_t hash = weft__hash(bytes, size, weft__hash(weft__text_chars(&head), head.length, 1));
  weft__text_add(out, WEFT__BINARY_LINE, hash, head.length, size);
  weft__text_add_bytes(out, weft__text_chars(&head), head.length);
  weft__text_add_bytes(out, bytes, size);
  if (out->failed || head.failed) rc = weft__fail_host_memory(head.length + size);
done:
  free(bytes);
  weft__text_free(&head);
  return rc;
}
