// SPDX-License-Identifier: MIT
/// Users' kernels: from source or file to a handle.
#include <weft/kernel.h>

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "context/objects.h"
#include "kernel/binary.h"
#include "launch/user_launch.h"

/// What a kernel is made of: text, or code.
typedef struct origin {
  weft__source source;
  weft__code code;
  bool is_code;
  weft__text text, folder; /* of a file */
} origin;

static weft_status check_one(const weft_kernel_params *p) {
  const int given = (p->source != NULL) + (p->file != NULL) + (p->binary != NULL) + (p->il != NULL);
  if (given != 1)
    return weft__fail(WEFT_ERROR_ARGUMENT, "params", "%s; expected one of .source, .file, .binary and .il",
                      given ? "several sources are given" : "no source is given");
  if (p->binary ? !p->binary_bytes : p->il && !p->il_bytes)
    return weft__fail(WEFT_ERROR_ARGUMENT, p->binary ? "binary_bytes" : "il_bytes",
                      "`%s` is 0; expected the number of bytes", p->binary ? "binary_bytes" : "il_bytes");
  return WEFT_OK;
}

/// Finds code: in memory, or in a file that begins as such.
static weft_status find_code(origin *o, const weft__core *core, const weft_kernel_params *p) {
  const void *bytes = p->binary ? p->binary : p->il;
  size_t size = p->binary ? p->binary_bytes : p->il_bytes;
  if (p->file) bytes = weft__text_chars(&o->text), size = o->text.length;
  const bool is_il = p->file ? weft__is_il(bytes, size) : p->il != NULL;
  o->is_code = !p->source && (is_il || !p->file || weft__is_binary(bytes, size));
  if (!o->is_code) return WEFT_OK;
  if (p->defines && p->defines[0])
    return weft__fail(WEFT_ERROR_ARGUMENT, "defines", "`.defines` are for a source; these bytes are compiled already");
  const char *argument = p->file ? p->file : p->binary ? "binary" : "il";
  return (is_il ? weft__il_read : weft__binary_read)(&o->code, core, bytes, size, argument);
}

/// Sets the text and the folder of the source to be built, or the code.
static weft_status make_source(origin *o, const weft__core *core, const weft_kernel_params *params) {
  weft__source *source = &o->source;
  weft__text *text = &o->text, *folder = &o->folder;
  WEFT__TRY_RETURN(check_one(params));
  source->name = params->source_name ? params->source_name
                 : params->file      ? params->file
                 : params->source    ? "kernel.cl"
                                     : "kernel.bin";
  if (strpbrk(source->name, "\"\n\\"))
    return weft__fail(WEFT_ERROR_ARGUMENT, "source_name",
                      "`.source_name` is `%s`; a quote, backslash or line end cannot be part of it", source->name);
  source->defines = params->defines;
  source->include_path = params->include_path;
  source->options = params->options;
  source->text = params->source;
  if (params->source) return WEFT_OK;
  if (params->file) WEFT__TRY_RETURN(weft__read_file(text, params->file));
  WEFT__TRY_RETURN(find_code(o, core, params));
  if (o->is_code) return WEFT_OK;
  const char *slash = strrchr(params->file, '/');
  if (slash)
    weft__text_add_bytes(folder, params->file, slash == params->file ? 1 : (size_t)(slash - params->file));
  else
    weft__text_add_bytes(folder, ".", 1);
  if (folder->failed) return weft__fail_host_memory(strlen(params->file));
  if (strlen(weft__text_chars(text)) != text->length)
    return weft__fail(WEFT_ERROR_FILE, "file", "`%s` is not text: it has a zero byte", params->file);
  source->text = weft__text_chars(text);
  source->folder = weft__text_chars(folder);
  return WEFT_OK;
}

static weft_status set_prefix(weft__kernel *kernel) {
  weft__text text = {0};
  weft__text_add(&text, "%s: ", kernel->name);
  kernel->prefix = text.failed ? NULL : weft__intern(weft__text_chars(&text));
  if (text.failed) weft__fail_host_memory(text.length);
  weft__text_free(&text);
  if (kernel->prefix) return WEFT_OK;
  weft__kernel_close(kernel);
  weft__kernel_destroy(kernel);
  return WEFT_ERROR_HOST_MEMORY;
}

weft_status weft__kernel_source_hash(uint64_t *hash, weft_context *context, const weft_kernel_params *params) {
  origin o = {.is_code = false};
  weft__text text = {0};
  weft_status rc;
  WEFT__TRY(make_source(&o, &context->core, params));
  weft__text_add(&text, "%s\n", params->options ? params->options : "");
  if (!o.is_code) WEFT__TRY(weft__source_expand(&text, &o.source));
  *hash = weft__hash(weft__text_chars(&text), text.length, *hash);
  if (o.is_code) *hash = weft__hash(o.code.bytes, o.code.size_bytes, *hash);
  if (text.failed) rc = weft__fail_host_memory(text.length);
done:
  weft__text_free(&text);
  weft__text_free(&o.text);
  weft__text_free(&o.folder);
  free(o.code.head);
  return rc;
}

/// Builds the program that the options describe.
static weft_status get_program(const weft__program **program, bool *was_cached, weft_context *context,
                               const weft_kernel_params *params) {
  origin o = {.is_code = false};
  weft_status rc;
  WEFT__TRY(make_source(&o, &context->core, params));
  o.source.checks = context->core.guard;
  rc = o.is_code ? weft__program_get_code(program, was_cached, &context->store, o.source.name, &o.code, params->options)
                 : weft__program_get(program, was_cached, &context->store, &o.source);
done:
  weft__text_free(&o.text);
  weft__text_free(&o.folder);
  free(o.code.head);
  return rc;
}

static weft_status create(weft_kernel **out, weft_context *context, const weft_kernel_params *params,
                          const char *site) {
  const weft__program *program;
  weft_status rc;
  weft_kernel *kernel = NULL;
  bool was_cached;
  WEFT__TRY(weft__context_resolve(&context, context));
  WEFT__TRY((kernel = weft__new(sizeof *kernel)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(get_program(&program, &was_cached, context, params));
  WEFT__TRY(weft__kernel_open(&kernel->kernel, &context->core, program, params->name));
  WEFT__TRY(set_prefix(&kernel->kernel));
  weft__object_begin(&kernel->object, WEFT__MAGIC_KERNEL, context->object.generation);
  kernel->kernel.info.was_cached = was_cached;
  kernel->context = weft_context_retain(context);
  weft__ledger_add(&context->core.ledger, &kernel->entry, WEFT__LEDGER_KERNEL, kernel, 0, site);
  *out = kernel;
  kernel = NULL;
done:
  free(kernel);
  return rc;
}

weft_status weft__kernel_create_at(weft_kernel **out, weft_context *context, const weft_kernel_params *params) {
  const weft_kernel_params p = WEFT__PARAMS(params);
  weft__enter("weft_kernel_create", p.site);
  WEFT__NEED_NULL_RESULT(out);
  return weft__leave(create(out, context, &p, p.site));
}

static void destroy(weft_kernel *k) {
  weft__ledger_remove(&k->context->core.ledger, &k->entry);
  weft__kernel_close(&k->kernel);
  weft__kernel_destroy(&k->kernel);
  weft_context_release(&k->context);
  weft__object_free(&k->object);
}

WEFT__DEFINE_COUNTED(weft_kernel, WEFT__MAGIC_KERNEL, destroy)

/// Appends "saxpy(float* y, float a)" and a line end.
static weft_status add_kernel(weft__text *out, weft_context *context, const weft__program *program, const char *name) {
  weft__kernel kernel;
  WEFT__TRY_RETURN(weft__kernel_open(&kernel, &context->core, program, name));
  weft__text_add(out, "%s(", kernel.info.name);
  for (int k = 0; k < kernel.info.argument_count; k++) {
    const weft__parameter *p = &kernel.parameter[k];
    const bool is_const = p->is_const && p->kind == WEFT__PARAMETER_POINTER && strncmp(p->type, "const ", 6) != 0;
    weft__text_add(out, "%s%s%s %s", k ? ", " : "", is_const ? "const " : "", p->type, p->name);
  }
  weft__text_add(out, ")\n");
  weft__kernel_close(&kernel);
  weft__kernel_destroy(&kernel);
  return WEFT_OK;
}

weft_status weft__kernel_list_at(char **text, weft_context *context, const weft_kernel_params *params) {
  const weft_kernel_params p = WEFT__PARAMS(params);
  const weft__program *program;
  weft__text out = {0};
  char *names = NULL;
  bool was_cached;
  weft_status rc;
  weft__enter("weft_kernel_list", p.site);
  WEFT__NEED(text);
  *text = NULL;
  WEFT__TRY(weft__context_resolve(&context, context));
  WEFT__TRY(get_program(&program, &was_cached, context, &p));
  WEFT__TRY(weft__program_kernel_names(&names, program));
  for (char *name = names, *end; *name; name = end) {
    end = name + strcspn(name, ";");
    if (*end) *end++ = 0;
    if (!p.name || strcmp(p.name, name) == 0) WEFT__TRY(add_kernel(&out, context, program, name));
  }
  WEFT__TRY((*text = weft__text_take(&out)) ? WEFT_OK : weft__fail_host_memory(1));
done:
  free(names);
  weft__text_free(&out);
  return weft__leave(rc);
}

weft_status weft_kernel_binary(void **bytes, size_t *size_bytes, const weft_kernel *kernel) {
  weft__text out = {0};
  weft_status rc;
  weft__enter("weft_kernel_binary", NULL);
  WEFT__NEED(bytes);
  WEFT__NEED(size_bytes);
  *bytes = NULL;
  *size_bytes = 0;
  WEFT__TRY(weft__handle_check(kernel, WEFT__MAGIC_KERNEL, "kernel"));
  WEFT__TRY(weft__core_check(&kernel->context->core));
  WEFT__TRY(weft__binary_write(&out, &kernel->context->core, kernel->kernel.of));
  *size_bytes = out.length;
  *bytes = weft__text_take(&out);
done:
  weft__text_free(&out);
  return weft__leave(rc);
}

weft_status weft_kernel_get(weft_kernel_info *info, const weft_kernel *kernel) {
  weft__enter("weft_kernel_get", NULL);
  WEFT__NEED(info);
  weft_status rc;
  WEFT__TRY(weft__handle_check(kernel, WEFT__MAGIC_KERNEL, "kernel"));
  *info = kernel->kernel.info;
done:
  return weft__leave(rc);
}
