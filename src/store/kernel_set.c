// SPDX-License-Identifier: MIT
#include "store/kernel_set.h"

#include "kernel/cached.h"

#include <stdlib.h>
#include <string.h>

#include "base/secure.h"

#define FILL_UNROLL 4 /* blocks of 16 bytes that a thread fills: as in cl/core.cl */
#define FILL_BLOCKS 4096

/* ---- programs ---- */

static void add_options(weft__text *text, const char *options) {
  /* some drivers refuse two -cl-std options; the user's takes precedence */
  if (!options) options = "";
  bool has_standard = strstr(options, "-cl-std=") != NULL;
  weft__text_add(text, "%s%s%s", has_standard ? "" : "-cl-std=CL1.2", has_standard || !options[0] ? "" : " ", options);
}

/// `text`: options, NUL, the expanded text, which begins at `text_at`.
static weft_status get_of_text(const weft__program **out, bool *was_cached, weft__store *store,
                               const weft__source *source, const weft__text *text, size_t text_at) {
  weft__stored_program *stored = NULL;
  weft_status rc = WEFT_OK;
  const weft__key key = {.kind = WEFT__KIND_PROGRAM, .bytes = weft__text_chars(text), .size = text->length + 1};
  weft__stored_program *found = weft__store_find(store, &key);
  *was_cached = found != NULL;
  if (!found) {
    /* without a lock, so that threads compile in parallel */
    WEFT__TRY((stored = weft__entry_new(sizeof *stored, &key)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
    const char *bytes = stored->entry.key.bytes;
    WEFT__TRY(weft__program_build(&stored->program, store->core, source, bytes + text_at, bytes));
    found = weft__store_add(store, stored);
    stored = NULL;
  }
  *out = &found->program;
done:
  weft__entry_free(store, stored);
  return rc;
}

weft_status weft__program_get(const weft__program **out, bool *was_cached, weft__store *store,
                              const weft__source *source) {
  weft__text text = {0};
  weft_status rc;
  add_options(&text, source->options);
  weft__text_add_bytes(&text, "", 1);
  const size_t text_at = text.length;
  WEFT__TRY(text.failed ? weft__fail_host_memory(text_at) : weft__source_expand(&text, source));
  rc = get_of_text(out, was_cached, store, source, &text, text_at);
done:
  weft__text_free(&text);
  return rc;
}

weft_status weft__program_prepare(weft__store *store, const weft__source *source, const weft__entry_parts *parts) {
  weft__cached_source of;
  weft__text text = {0};
  const weft__program *program;
  bool was_cached;
  weft_status rc;
  WEFT__TRY(weft__cached_source_read(&of, store->core, parts));
  weft__source whole = *source;
  whole.is_for_90a = of.is_for_90a;
  weft__text_add_bytes(&text, of.options.bytes, of.options.size);
  weft__text_add_bytes(&text, "", 1);
  weft__text_add_bytes(&text, of.text.bytes, of.text.size);
  WEFT__TRY(text.failed ? weft__fail_host_memory(of.text.size) : WEFT_OK);
  WEFT__TRY(get_of_text(&program, &was_cached, store, &whole, &text, of.options.size + 1));
  /* with this variable PoCL puts code for the launches into the binary that were not made (`weft prepare`) */
  if (weft__getenv_of_driver("POCL_BINARY_SPECIALIZE_WG")) weft__cached_expect((weft__program *)program, &parts->facts);
done:
  weft__text_free(&text);
  return rc;
}

weft_status weft__program_get_code(const weft__program **out, bool *was_cached, weft__store *store, const char *name,
                                   weft__code *code, const char *options) {
  weft__text key_text = {0}; /* "code", NUL, options, NUL, the bytes */
  weft__stored_program *stored = NULL;
  weft_status rc = WEFT_OK;
  if (!options) options = "";
  weft__text_add_bytes(&key_text, "code", 5);
  weft__text_add_bytes(&key_text, options, strlen(options) + 1);
  weft__text_add_bytes(&key_text, code->bytes, code->size_bytes);
  WEFT__TRY(key_text.failed ? weft__fail_host_memory(code->size_bytes) : WEFT_OK);
  const weft__key key = {.kind = WEFT__KIND_PROGRAM, .bytes = weft__text_chars(&key_text), .size = key_text.length};
  weft__stored_program *found = weft__store_find(store, &key);
  *was_cached = found != NULL;
  if (!found) {
    WEFT__TRY((stored = weft__entry_new(sizeof *stored, &key)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
    const char *kept_options = (const char *)stored->entry.key.bytes + strlen("code") + 1;
    WEFT__TRY(weft__program_load(&stored->program, store->core, name, code, kept_options));
    found = weft__store_add(store, stored);
    stored = NULL;
  }
  *out = &found->program;
done:
  weft__entry_free(store, stored);
  weft__text_free(&key_text);
  return rc;
}

/* ---- kernels ---- */

static void add_source(weft__text *text, const weft__store *store, const weft__kernel_source *source) {
  if (store->core->device->info.has_fp64) weft__text_add(text, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
  weft__text_add(text, "#pragma OPENCL FP_CONTRACT OFF\n");
  if (store->core->reproducible) weft__text_add(text, "#include \"math/fixed.clh\"\n");
  if (weft__has_device_scope(store->core)) weft__text_add(text, "#define WEFT_DEVICE_SCOPE 1\n");
  if (source->write) source->write(text, source->data ? source->data : source->key.bytes);
  weft__text_add(text, "#include \"%s\"\n", source->key.file);
}

static weft_status build(weft__kernel_set **out, weft__store *store, const weft__kernel_source *source) {
  weft__text text = {0};
  const weft__program *program;
  bool was_cached;
  weft_status rc;
  weft__kernel_set *set =
      weft__entry_new(sizeof *set + (size_t)source->key.kernels * sizeof set->kernel[0], &source->key);
  WEFT__TRY(set ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  if (weft__tracing()) weft__trace_about(source->name);
  add_source(&text, store, source);
  WEFT__TRY(text.failed ? weft__fail_host_memory(text.length) : WEFT_OK);
  const weft__source whole = {.name = source->is_users ? source->name : "weft",
                              .text = weft__text_chars(&text),
                              .options = store->options,
                              .is_own = !source->is_users,
                              .is_for_90a = source->is_for_90a,
                              .is_generated = source->is_users};
  WEFT__TRY(weft__program_get(&program, &was_cached, store, &whole));
  for (int k = 0; k < source->key.kernels; k++)
    WEFT__TRY(weft__kernel_open(&set->kernel[k], store->core, program, source->key.kernel[k]));
  *out = weft__store_add(store, set);
  set = NULL;
done:
  weft__entry_free(store, set);
  weft__text_free(&text);
  return weft__while(rc, "building the kernel%s of %s", source->key.kernel[0] ? "s" : "", source->name);
}

weft_status weft__kernels_get(weft__kernel **kernels, weft__store *store, const weft__kernel_source *source) {
  weft__kernel_set *set = weft__store_find(store, &source->key);
  if (!set) WEFT__TRY_RETURN(build(&set, store, source));
  for (int k = 0; k < source->key.kernels; k++) kernels[k] = &set->kernel[k];
  return WEFT_OK;
}

weft_status weft__run_kernel(const weft__kernel_run *run) {
  weft__value value[WEFT__RUN_BUFFERS + 1];
  value[0] = (weft__value){.size_bytes = run->argument_bytes, .data = run->arguments};
  for (int k = 0; k < run->uses; k++)
    value[k + 1] = (weft__value){.size_bytes = sizeof(weft__cl_mem), .data = &run->use[k].storage->mem};
  weft__core *core = run->kernel->core;
  weft__submission launch = {.slot = weft__slot_now(core),
                             .command = &(weft__command){.grid = run->grid, .block = run->block},
                             .uses = run->uses,
                             .use = run->use,
                             .bytes = run->bytes,
                             .what = run->what,
                             .site = run->site,
                             .checked = run->checked,
                             .map = run->map};
  weft_status rc = weft__launch(run->kernel, value, NULL, &launch);
  if (rc) return weft__while(rc, "running %s", run->what);
  weft__counters_launch(&core->usage, run->grid, run->block, run->what);
  return WEFT_OK;
}

weft_status weft__run_fill(const weft__store *store, weft__storage *storage, const weft__fill_run *run,
                           const char *site) {
  const uint64_t threads =
      weft_ceil_div(weft_ceil_div(run->end, 16) - run->begin / 16, store->is_cpu ? FILL_BLOCKS : FILL_UNROLL);
  const uint64_t block = store->is_cpu ? 1 : weft__own_block(store->core);
  weft__kernel *kernel;
  WEFT__TRY_RETURN(weft__own_kernel_get(&kernel, store, WEFT__OWN_FILL));
  const weft__value values[] = {{.size_bytes = sizeof(weft__cl_mem), .data = &storage->mem},
                                {.size_bytes = sizeof *run, .data = run}};
  const weft__use use = {storage, true};
  weft__submission launch = {
      .slot = weft__slot_now(store->core),
      .command = &(weft__command){.grid = weft__own_grid(threads, block), .block = weft__dim3(block, 1, 1)},
      .uses = 1,
      .use = &use,
      .bytes = run->end - run->begin,
      .site = site};
  return weft__launch(kernel, values, NULL, &launch);
}
