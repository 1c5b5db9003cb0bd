// SPDX-License-Identifier: MIT
#include "kernel/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "core/pocl_cache.h"
#include "kernel/cached.h"
#include "kernel/cuda_words.h"
#include "kernel/names.h"
#include "kernel/ptx.h"
#include "ocl/codes.h"

enum {
  MAX_TRIES = 8 /* to build a program beside other processes that build it too */
};

void weft__program_close(weft__program *program, weft__core *core) {
  weft__ledger_remove(&core->ledger, &program->entry);
  weft__release(program->cl);
  program->cl = NULL;
  free(program->head);
  program->head = NULL;
  weft__launched_free(program->launched);
  program->launched = NULL;
}

/// Adds the log. If the driver counts lines of the expanded text and names it <kernel>, the user's own files and lines
/// are substituted.
static void add_log(weft__text *out, const char *log, const char *text, bool ignores_line) {
  static const char place[] = "<kernel>:";
  weft__text name = {0};
  for (const char *next; ignores_line && (next = strstr(log, place)); log = next) {
    char *end;
    weft__text_add_bytes(out, log, (size_t)(next - log));
    next += sizeof place - 1;
    unsigned physical = (unsigned)strtoul(next, &end, 10), line;
    if (end == next) {
      weft__text_add(out, "%s", place);
      continue;
    }
    weft__source_origin(text, physical, &name, &line);
    weft__text_add(out, "%s:%u", weft__text_chars(&name), line);
    next = end;
  }
  weft__text_add(out, "%s", log);
  weft__text_free(&name);
}

static void add_numbered(weft__text *out, const char *text) {
  unsigned number = 1;
  for (const char *line = text; *line; number++) {
    size_t length = strcspn(line, "\n");
    weft__text_add(out, "%5u | %.*s\n", number, (int)length, line);
    line += length + (line[length] == '\n');
  }
}

/// Reports the driver's log, then the numbered source if it is the user's. `text` is the expanded source that was
/// built.
static weft_status build_failed(weft__core *core, weft__cl_program program, int code, const weft__source *source,
                                const char *text, const char *options) {
  const char *name = weft__cl_code_name(code), *device = core->device->info.name;
  if (source->is_own)
    weft__fail_code(WEFT_ERROR_BUILD, code, name, "Weft's own kernels do not compile for %s (%s); the log follows",
                    device, name);
  else
    weft__fail_code(WEFT_ERROR_BUILD, code, name, "`%s` does not compile for %s (%s); the log follows", source->name,
                    device, name);
  weft__text *detail = weft__detail();
  weft__text_add(detail, "device: %s, driver %s\noptions: %s\n", core->device->info.name,
                 core->device->info.driver_version, options);
  for (size_t i = 0; source->defines && source->defines[i]; i++)
    weft__text_add(detail, "defined: %s\n", source->defines[i]);
  char *log;
  weft__text_add(detail, "log:\n");
  weft__driver_text(&log,
                    &(weft__text_of){.kind = WEFT__TEXT_BUILD_LOG, .program = program, .device = core->device->id});
  if (log && log[0])
    add_log(detail, log, text, core->device->quirks.ignores_line);
  else
    weft__text_add(detail, "the driver has none");
  weft__text_add(detail, "\n");
  if (!source->is_own && !source->is_generated) {
    weft__text_add(detail, "source:\n");
    add_numbered(detail, source->text);
  }
  if (!source->is_own) weft__cuda_words_hint(detail, text, log ? log : "");
  free(log);
  return WEFT_ERROR_BUILD;
}

/// PoCL fails where two processes build the same program at once into the same cache folder. Its log then has no line
/// with "error".
static bool may_have_raced(const weft__program *program, const weft__core *core, int code) {
  if (!weft__cl_is_build_error(code) || !core->device->quirks.builds_in_files) return false;
  char *log;
  weft__driver_text(&log,
                    &(weft__text_of){.kind = WEFT__TEXT_BUILD_LOG, .program = program->cl, .device = core->device->id});
  const bool names_error = log && strstr(log, "error");
  free(log);
  return !names_error;
}

static int build_with(weft__program *program, weft__core *core, const char *options, const char **call) {
  *call = "clCreateProgramWithSource";
  int code = weft__driver->program_create(&program->cl, core->cl, program->text);
  if (code) return code;
  *call = "clBuildProgram";
  for (int tries = 1;; tries++) {
    code = weft__driver->program_build(program->cl, core->device->id, options);
    if (tries == MAX_TRIES || !may_have_raced(program, core, code)) return code;
    weft__log(WEFT_LOG_DEBUG, "a build failed without an error in its log: try %d", tries + 1);
  }
}

/// Builds the program again, with the instructions that NVIDIA's driver accepts only in a binary.
static int build_for_90a(weft__program *program, weft__core *core, const char **call) {
  weft__text edited = {0};
  weft__cl_program first = program->cl;
  char *ptx;
  *call = "clGetProgramInfo";
  int code = weft__driver_text(&ptx, &(weft__text_of){.kind = WEFT__TEXT_CODE, .program = first});
  if (!code) {
    *call = "clCreateProgramWithBinary";
    code = weft__ptx_for_90a(&edited, ptx)
               ? weft__driver->program_load(&program->cl, core->cl, core->device->id, weft__text_chars(&edited),
                                            edited.length + 1, false)
               : WEFT__CL_OUT_OF_HOST_MEMORY;
  }
  if (!code) {
    weft__release(first);
    *call = "clBuildProgram";
    code = weft__driver->program_build(program->cl, core->device->id, "");
  } else {
    program->cl = first;
  }
  free(ptx);
  weft__text_free(&edited);
  return code;
}

static const char arg_info[] = " -cl-kernel-arg-info";

int weft__program_compile(weft__program *program, weft__core *core, const char **call) {
  weft__text full = {0};
  *call = "clBuildProgram";
  weft__text_add(&full, "%s%s", program->options, arg_info);
  int code = full.failed ? WEFT__CL_OUT_OF_HOST_MEMORY : build_with(program, core, weft__text_chars(&full), call);
  program->has_arg_info = !core->device->quirks.no_arg_info;
  if (weft__cl_is_build_error(code) && core->device->quirks.arg_info_breaks) {
    weft__release(program->cl);
    code = build_with(program, core, program->options, call);
    program->has_arg_info = false;
  }
  weft__text_free(&full);
  if (!code && program->is_for_90a) {
    code = build_for_90a(program, core, call);
    program->has_arg_info = false;
  }
  return code;
}

/// Whether the driver can build at all.
static weft_status check_driver(const weft__core *core) {
  if (!weft__driver->runs_kernels) return weft__no_kernels();
  if (!core->device->quirks.builds_in_files) return WEFT_OK;
  weft__text why = {0};
  weft_status rc =
      weft__cache_works(&why) ? WEFT_OK : weft__fail(WEFT_ERROR_DRIVER, NULL, "%s", weft__text_chars(&why));
  weft__text_free(&why);
  return rc;
}

/// Reports the build's time. `said`: what the cache did.
static void tell_built(const weft__program *program, const char *name, const weft__text *said) {
  const char *what = weft__trace_subject(), *from = weft__text_chars(said);
  if (weft__tracing())
    weft__trace_step(WEFT__STEP_COMPILE, program->build_time_ns, 0, "%s%s%s%s", what[0] ? what : name,
                     from[0] ? " (" : "", from, from[0] ? ")" : "");
  weft__log(WEFT_LOG_DEBUG, "built `%s` in %.1f ms%s%s", name, (double)program->build_time_ns * 1e-6,
            from[0] ? ", " : "", from);
}

/// Reports a failure, or records the program that was built.
static weft_status end_build(weft__program *program, weft__core *core, const weft__source *source, int code,
                             const char *call, const weft__text *said) {
  if (program->cl && weft__cl_is_build_error(code))
    return build_failed(core, program->cl, code, source, program->text, program->options);
  if (code) return weft__while(weft__core_failed(core, code, call, false), "building `%s`", source->name);
  weft__counters_build(&core->usage, program->build_time_ns, program->cached == WEFT__CACHE_HIT);
  tell_built(program, source->name, said);
  weft__ledger_add(&core->ledger, &program->entry, WEFT__LEDGER_PROGRAM, program,
                   strlen(program->options) + 1 + strlen(program->text), weft__site());
  return WEFT_OK;
}

weft_status weft__program_load(weft__program *program, weft__core *core, const char *name, weft__code *code,
                               const char *options) {
  const weft__source source = {.name = name, .text = "", .is_generated = true};
  const char *call = code->is_il ? "clCreateProgramWithIL" : "clCreateProgramWithBinary";
  weft__text full = {0};
  WEFT__TRY_RETURN(check_driver(core));
  WEFT__TRY_RETURN(weft__names_check_code(core, name, code));
  const uint64_t start = weft__now_ns();
  weft__text_add(&full, "%s%s", options, code->is_il ? arg_info : "");
  if (full.failed) return weft__fail_host_memory(strlen(options));
  int failed =
      weft__driver->program_load(&program->cl, core->cl, core->device->id, code->bytes, code->size_bytes, code->is_il);
  if (!failed) {
    call = "clBuildProgram";
    failed = weft__driver->program_build(program->cl, core->device->id, weft__text_chars(&full));
  }
  weft__text_free(&full);
  program->text = "";
  program->options = options;
  program->has_arg_info = code->head || !core->device->quirks.no_arg_info;
  program->head = code->head;
  code->head = NULL;
  program->build_time_ns = weft__now_ns() - start;
  return end_build(program, core, &source, failed, call, &(weft__text){0});
}

weft_status weft__program_build(weft__program *program, weft__core *core, const weft__source *source, const char *text,
                                const char *options) {
  const char *call = "";
  weft__text said = {0};
  int code = 0;
  WEFT__TRY_RETURN(check_driver(core));
  if (!source->is_generated) WEFT__TRY_RETURN(weft__names_check_text(core, text));
  const uint64_t start = weft__now_ns();
  program->text = text;
  program->options = options;
  program->is_for_90a = source->is_for_90a;
  if (!weft__cached_find(program, core, &said)) code = weft__program_compile(program, core, &call);
  program->build_time_ns = weft__now_ns() - start;
  const weft_status rc = end_build(program, core, source, code, call, &said);
  weft__text_free(&said);
  if (rc == WEFT_OK) weft__cached_keep(program, core, false);
  return rc;
}

weft_status weft__no_kernels(void) {
  return weft__fail(WEFT_ERROR_UNSUPPORTED, NULL, "the driver runs no kernels");
}

weft_status weft__program_kernel_names(char **names, const weft__program *program) {
  int code = weft__driver_text(names, &(weft__text_of){.kind = WEFT__TEXT_KERNEL_NAMES, .program = program->cl});
  return code ? weft__cl_fail(code, "clGetProgramInfo") : WEFT_OK;
}
