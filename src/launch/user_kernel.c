// SPDX-License-Identifier: MIT
/// Users' kernels: from source or file to a handle.
#include <weft/kernel.h>

#include <stdlib.h>
#include <string.h>

#include "context/objects.h"

/// Sets the text and the folder of the source to be built. `text` and `folder` own the strings that had to be made.
static weft_status make_source(weft__source *source, const weft_kernel_params *params, weft__text *text,
                               weft__text *folder) {
  if (!params->source == !params->file)
    return weft__fail(WEFT_ERROR_ARGUMENT, "params", "%s; expected one of .source and .file",
                      params->source ? "a source and a file are given" : "no source is given");
  source->name = params->source_name ? params->source_name : params->file ? params->file : "kernel.cl";
  if (strpbrk(source->name, "\"\n\\"))
    return weft__fail(WEFT_ERROR_ARGUMENT, "source_name",
                      "`.source_name` is `%s`; a quote, backslash or line end cannot be part of it", source->name);
  source->defines = params->defines;
  source->include_path = params->include_path;
  source->options = params->options;
  source->text = params->source;
  if (params->source) return WEFT_OK;
  WEFT__TRY_RETURN(weft__read_file(text, params->file));
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

static weft_status create(weft_kernel **out, weft_context *context, const weft_kernel_params *params,
                          const char *site) {
  weft__source source = {0};
  weft__text text = {0}, folder = {0};
  const weft__program *program;
  weft_status rc;
  weft_kernel *kernel = NULL;
  bool was_cached;
  WEFT__TRY(weft__context_resolve(&context, context));
  WEFT__TRY(make_source(&source, params, &text, &folder));
  source.checks = context->core.guard;
  WEFT__TRY((kernel = weft__new(sizeof *kernel)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(weft__program_get(&program, &was_cached, &context->store, &source, params->options));
  WEFT__TRY(weft__kernel_open(&kernel->kernel, &context->core, program, params->name));
  WEFT__TRY(set_prefix(&kernel->kernel));
  weft__object_begin(&kernel->object, WEFT__MAGIC_KERNEL, context->object.generation);
  kernel->kernel.info.was_cached = was_cached;
  kernel->context = weft_context_retain(context);
  weft__ledger_add(&context->core.ledger, &kernel->entry, WEFT__LEDGER_KERNEL, kernel, 0, site);
  *out = kernel;
  kernel = NULL;
done:
  weft__text_free(&text);
  weft__text_free(&folder);
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

weft_status weft_kernel_get(weft_kernel_info *info, const weft_kernel *kernel) {
  weft__enter("weft_kernel_get", NULL);
  WEFT__NEED(info);
  weft_status rc;
  WEFT__TRY(weft__handle_check(kernel, WEFT__MAGIC_KERNEL, "kernel"));
  *info = kernel->kernel.info;
done:
  return weft__leave(rc);
}
