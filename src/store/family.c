// SPDX-License-Identifier: MIT
#include "store/family.h"

#include <stdlib.h>
#include <string.h>

weft_status weft__is_cpu(bool *is_cpu, weft_context *context) {
  weft__plans *plans;
  weft_status rc = weft__plans_of(&plans, context);
  *is_cpu = rc == WEFT_OK && plans->is_cpu;
  return rc;
}

bool weft__device_scope(const weft_context *context) {
  const weft__device *device = context->core.device;
  return device->quirks.device_scope && !device->quirks.no_device_scope && device->info.has_int64_atomics;
}

static void add_source(weft__text *text, const weft__plans *plans, const weft__family_source *source) {
  if (plans->has_fp64) weft__text_add(text, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
  weft__text_add(text, "#pragma OPENCL FP_CONTRACT OFF\n");
  if (weft__device_scope(plans->context)) weft__text_add(text, "#define WEFT_DEVICE_SCOPE 1\n");
  if (source->write) source->write(text, source->data ? source->data : source->key);
  weft__text_add(text, "#include \"%s\"\n", source->file);
}

static void close_kernels(weft__family *family) {
  while (family->kernels > 0) {
    weft__kernel *kernel = &family->kernel[--family->kernels];
    weft__kernel_close(kernel);
    weft__kernel_destroy(kernel);
  }
}

static weft_status build(weft__family **out, weft__plans *plans, const weft__family_source *source, const unsigned char *key,
                         size_t key_size) {
  weft__text text = {0};
  weft__program *program;
  bool was_cached;
  weft__family *family = weft__new(sizeof *family + key_size);
  if (!family) return WEFT_ERROR_HOST_MEMORY;
  memcpy(family + 1, key, key_size);
  family->key = (const unsigned char *)(family + 1);
  family->key_size = key_size;
  if (weft__tracing()) weft__trace_about(source->name);
  add_source(&text, plans, source);
  const weft__source with = {.name = "weft", .text = weft__text_chars(&text), .is_own = true};
  weft_status rc = text.failed ? weft__fail_host_memory(text.length) : WEFT_OK;
  if (rc == WEFT_OK) rc = weft__program_get(&program, &was_cached, &plans->context->programs, &with, plans->options);
  for (int k = 0; k < source->kernels && rc == WEFT_OK; k++) {
    rc = weft__kernel_open(&family->kernel[k], &plans->context->core, program, source->kernel[k]);
    if (rc == WEFT_OK) family->kernels++;
  }
  weft__text_free(&text);
  if (rc) {
    close_kernels(family);
    free(family);
    return weft__while(rc, "building the kernels of %s", source->name);
  }
  *out = family;
  return WEFT_OK;
}

static weft__family *find(weft__plans *plans, const unsigned char *key, size_t key_size) {
  weft__family *family = atomic_load_explicit(&plans->family[weft__plan_hash(key, key_size)], memory_order_acquire);
  while (family && (family->key_size != key_size || memcmp(family->key, key, key_size) != 0)) family = family->next;
  return family;
}

/// Keeps it, unless another thread was first.
static weft__family *add(weft__plans *plans, weft__family *made) {
  unsigned bucket = weft__plan_hash(made->key, made->key_size);
  pthread_mutex_lock(&plans->lock);
  weft__family *other = find(plans, made->key, made->key_size);
  if (!other) {
    made->next = atomic_load_explicit(&plans->family[bucket], memory_order_relaxed);
    atomic_store_explicit(&plans->family[bucket], made, memory_order_release);
  }
  pthread_mutex_unlock(&plans->lock);
  if (!other) return made;
  close_kernels(made);
  free(made);
  return other;
}

weft_status weft__family_get(weft__kernel **kernels, weft_context *context, const weft__family_source *source) {
  unsigned char room[512], *key = room;
  size_t file = strlen(source->file) + 1, names = 0;
  weft__plans *plans;
  weft_status rc = weft__plans_of(&plans, context);
  if (rc) return rc;
  for (int k = 0; k < source->kernels; k++) names += strlen(source->kernel[k]) + 1;
  size_t size = file + names + source->key_size;
  if (size > sizeof room && !(key = weft__new(size))) return WEFT_ERROR_HOST_MEMORY;
  unsigned char *at = key + file;
  memcpy(key, source->file, file);
  for (int k = 0; k < source->kernels; k++) {
    size_t length = strlen(source->kernel[k]) + 1;
    memcpy(at, source->kernel[k], length);
    at += length;
  }
  if (source->key_size) memcpy(at, source->key, source->key_size);
  weft__family *family = find(plans, key, size);
  if (!family) {
    rc = build(&family, plans, source, key, size);
    if (rc == WEFT_OK) family = add(plans, family);
  }
  for (int k = 0; k < source->kernels && rc == WEFT_OK; k++) kernels[k] = &family->kernel[k];
  if (key != room) free(key);
  return rc;
}

void weft__families_close(weft__plans *plans) {
  for (int b = 0; b < WEFT__PLAN_BUCKETS; b++)
    for (weft__family *family = atomic_load(&plans->family[b]); family; family = family->next)
      for (int k = 0; k < family->kernels; k++) weft__kernel_close(&family->kernel[k]);
}

void weft__families_destroy(weft__plans *plans) {
  for (int b = 0; b < WEFT__PLAN_BUCKETS; b++)
    for (weft__family *family = atomic_load(&plans->family[b]), *next; family; family = next) {
      next = family->next;
      close_kernels(family);
      free(family);
    }
}

weft_status weft__family_run(weft_context *context, weft__kernel *kernel, weft_dim3 grid, weft_dim3 block, const void *arguments,
                             size_t argument_bytes, int uses, const weft__use *use, const char *what, const char *site) {
  weft__value value[WEFT__FAMILY_BUFFERS + 1];
  value[0] = (weft__value){.size_bytes = argument_bytes, .data = arguments};
  for (int k = 0; k < uses; k++) value[k + 1] = (weft__value){.size_bytes = sizeof(weft__cl_mem), .data = &use[k].storage->mem};
  const weft__launching launching = {.kernel = kernel,
                                     .slot = weft__slot_now(&context->core),
                                     .grid = grid,
                                     .block = block,
                                     .values = value,
                                     .uses = uses,
                                     .use = use,
                                     .what = what,
                                     .site = site};
  weft_status rc = weft__launch(&launching);
  if (rc) return weft__while(rc, "running %s", what);
  weft__counters_launch(&context->core.usage, grid, block, what);
  return WEFT_OK;
}
