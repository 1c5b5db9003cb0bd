// SPDX-License-Identifier: MIT
#include "store/builtin.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/embedded.h"

static const char *const core_names[WEFT__CORE_KERNELS] = {"weft_fill", "weft_copy_strided", "weft_introspect"};

static weft_status open_kernel(weft__kernel *kernel, weft__programs *programs, const char *file, const char *options, const char *name) {
  const char *text = weft__embedded_find(file);
  weft__program *program;
  bool was_cached;
  if (!text) return weft__fail(WEFT_ERROR_INTERNAL, NULL, "the library has no embedded source `%s`", file);
  const weft__source source = {.name = file, .text = text, .is_own = true};
  weft_status rc = weft__program_get(&program, &was_cached, programs, &source, options);
  if (rc == WEFT_OK) rc = weft__kernel_open(kernel, programs->core, program, name);
  return weft__while(rc, "building Weft's own `%s`", file);
}

weft_status weft__builtins_open(weft__builtins *builtins, weft__programs *programs) {
  weft_status rc = WEFT_OK;
  builtins->programs = programs;
  pthread_mutex_init(&builtins->lock, NULL);
  for (int k = 0; k < WEFT__CORE_KERNELS; k++) builtins->core[k].core = programs->core;
  for (int k = 0; k < WEFT__CORE_KERNELS && rc == WEFT_OK && weft__driver->runs_kernels; k++) /* else a launch refuses them */
    rc = open_kernel(&builtins->core[k], programs, "core.cl", NULL, core_names[k]);
  if (rc) {
    weft__builtins_close(builtins);
    weft__builtins_destroy(builtins);
  }
  return rc;
}

void weft__builtins_close(weft__builtins *builtins) {
  for (int k = 0; k < WEFT__CORE_KERNELS; k++) {
    weft__kernel_close(&builtins->core[k]);
    weft__kernel_destroy(&builtins->core[k]);
  }
  while (builtins->first) {
    weft__builtin *builtin = builtins->first;
    builtins->first = builtin->next;
    weft__kernel_close(&builtin->kernel);
    weft__kernel_destroy(&builtin->kernel);
    free(builtin->options);
    free(builtin);
  }
}

void weft__builtins_destroy(weft__builtins *builtins) {
  pthread_mutex_destroy(&builtins->lock);
}

static weft__builtin *find(weft__builtins *builtins, const char *file, const char *options) {
  weft__builtin *builtin = builtins->first;
  while (builtin && (strcmp(builtin->file, file) != 0 || strcmp(builtin->options, options) != 0)) builtin = builtin->next;
  return builtin;
}

static weft__builtin *make(weft_status *rc, weft__builtins *builtins, const char *file, const char *options) {
  size_t size = strlen(options) + 1;
  weft__builtin *builtin = weft__new(sizeof *builtin);
  *rc = builtin && (builtin->options = weft__new(size)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY;
  if (*rc == WEFT_OK) {
    builtin->file = file;
    memcpy(builtin->options, options, size);
    *rc = open_kernel(&builtin->kernel, builtins->programs, file, options, NULL);
  }
  if (*rc == WEFT_OK) return builtin;
  if (builtin) free(builtin->options);
  free(builtin);
  return NULL;
}

weft_status weft__builtin_get(weft__kernel **kernel, weft__builtins *builtins, const char *file, const char *options) {
  weft_status rc = WEFT_OK;
  /* held while building: a second thread that wants the same kernel had better wait for it */
  pthread_mutex_lock(&builtins->lock);
  weft__builtin *builtin = find(builtins, file, options);
  if (!builtin && (builtin = make(&rc, builtins, file, options))) {
    builtin->next = builtins->first;
    builtins->first = builtin;
  }
  pthread_mutex_unlock(&builtins->lock);
  if (builtin) *kernel = &builtin->kernel;
  return rc;
}
