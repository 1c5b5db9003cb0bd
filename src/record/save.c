// SPDX-License-Identifier: MIT
/// weft_recording_save (record/recorded_file.h).
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "record/recorded_file.h"

typedef struct writer {
  weft_recording *recording;
  weft__text out;
  int *storage, *buffer; /* by number: the number in the file; -1: not in it */
  const weft__program **program;
  int programs;
  const weft__kernel **kernel;
  int kernels;
} writer;

/* ---- pieces ---- */

static void put(writer *w, const void *bytes, size_t size) {
  weft__text_add_bytes(&w->out, bytes, size);
}

static void put_number(writer *w, int64_t number) {
  put(w, &number, sizeof number);
}

static void put_block(writer *w, const void *bytes, uint64_t size) {
  put_number(w, (int64_t)size);
  put(w, bytes, size);
}

static void put_text(writer *w, const char *text) {
  put_number(w, text != NULL);
  if (text) put_block(w, text, strlen(text));
}

static void put_part(writer *w, weft__recorded_part part, int count) {
  put_number(w, part);
  put_number(w, count);
}

static void put_dim3(writer *w, weft_dim3 v) {
  put_number(w, (int64_t)v.x);
  put_number(w, (int64_t)v.y);
  put_number(w, (int64_t)v.z);
}

/* ---- lists ---- */

/// Numbers the storages and buffers that commands use.
static weft_status number_memory(writer *w, int *storages, int *buffers) {
  const weft_recording *r = w->recording;
  w->storage = weft__new(((size_t)r->storage_count + 1) * sizeof *w->storage);
  w->buffer = weft__new(((size_t)r->buffer_count + 1) * sizeof *w->buffer);
  if (!w->storage || !w->buffer) return WEFT_ERROR_HOST_MEMORY;
  *storages = *buffers = 0;
  for (int k = 0; k < r->storage_count; k++) w->storage[k] = r->storage[k].is_used ? (*storages)++ : -1;
  for (int k = 0; k < r->buffer_count; k++) w->buffer[k] = w->storage[r->buffer[k].storage] < 0 ? -1 : (*buffers)++;
  return WEFT_OK;
}

static weft_status put_storage(writer *w, const weft__recorded_storage *s) {
  const uint64_t bytes = s->storage->size_bytes;
  const bool has_content = !s->is_made && bytes;
  weft_status rc = WEFT_OK;
  put_number(w, (int64_t)bytes);
  put_number(w, s->writes);
  put_number(w, s->is_made);
  put_number(w, has_content);
  if (!has_content) return WEFT_OK;
  char *data = weft__new(bytes);
  if (!data) return WEFT_ERROR_HOST_MEMORY;
  rc = weft__transfer_to_host(data, s->storage, weft__slot_now(&w->recording->context->core), 0, bytes);
  if (rc == WEFT_OK) put(w, data, bytes);
  free(data);
  return rc;
}

static weft_status put_memory(writer *w) {
  const weft_recording *r = w->recording;
  int storages, buffers;
  WEFT__TRY_RETURN(number_memory(w, &storages, &buffers));
  put_part(w, WEFT__PART_STORAGES, storages);
  for (int k = 0; k < r->storage_count; k++)
    if (w->storage[k] >= 0) WEFT__TRY_RETURN(put_storage(w, &r->storage[k]));
  put_part(w, WEFT__PART_BUFFERS, buffers);
  for (int k = 0; k < r->buffer_count; k++) {
    if (w->buffer[k] < 0) continue;
    put_number(w, w->storage[r->buffer[k].storage]);
    put_number(w, r->buffer[k].is_made);
    put_number(w, r->buffer[k].writes);
    put_number(w, r->storage[r->buffer[k].storage].buffer == k);
  }
  return WEFT_OK;
}

static int program_of(const writer *w, const weft__program *program) {
  for (int k = 0; k < w->programs; k++)
    if (w->program[k] == program) return k;
  return -1;
}

static int kernel_of(const writer *w, const weft__kernel *kernel) {
  for (int k = 0; k < w->kernels; k++)
    if (w->kernel[k] == kernel) return k;
  return -1;
}

/// Lists the programs and kernels of the launches.
static weft_status list_kernels(writer *w) {
  const weft_recording *r = w->recording;
  w->program = weft__new(((size_t)r->command_count + 1) * sizeof(void *));
  w->kernel = weft__new(((size_t)r->command_count + 1) * sizeof(void *));
  if (!w->program || !w->kernel) return WEFT_ERROR_HOST_MEMORY;
  for (int k = 0; k < r->command_count; k++) {
    const weft__kernel *kernel = r->command[k].of;
    if (!kernel || kernel_of(w, kernel) >= 0) continue;
    if (!kernel->text[0])
      return weft__fail(WEFT_ERROR_UNSUPPORTED, NULL, "kernel `%s` was made of a binary, and a file has sources",
                        kernel->info.name);
    w->kernel[w->kernels++] = kernel;
    if (program_of(w, kernel->of) < 0) w->program[w->programs++] = kernel->of;
  }
  return WEFT_OK;
}

static weft_status put_kernels(writer *w) {
  WEFT__TRY_RETURN(list_kernels(w));
  put_part(w, WEFT__PART_PROGRAMS, w->programs);
  for (int k = 0; k < w->programs; k++) {
    const weft__stored_program *stored =
        (const weft__stored_program *)((const char *)w->program[k] - offsetof(weft__stored_program, program));
    put_text(w, stored->entry.key.bytes); /* the options, in front of the text */
    put_text(w, w->program[k]->text);
  }
  put_part(w, WEFT__PART_KERNELS, w->kernels);
  for (int k = 0; k < w->kernels; k++) {
    put_number(w, program_of(w, w->kernel[k]->of));
    put_text(w, w->kernel[k]->info.name);
    put_text(w, w->kernel[k]->prefix);
  }
  return WEFT_OK;
}

static void put_arguments(writer *w) {
  const weft_recording *r = w->recording;
  put_part(w, WEFT__PART_BYTES, 1);
  put_block(w, weft__text_chars(&r->bytes), r->bytes.length);
  put_part(w, WEFT__PART_ARGUMENTS, r->argument_count);
  for (int k = 0; k < r->argument_count; k++) {
    const weft__recorded_argument *a = &r->argument[k];
    put_number(w, a->buffer >= 0 ? w->buffer[a->buffer] : a->buffer);
    put_number(w, a->any_width);
    put_number(w, (int64_t)a->at);
    put_number(w, (int64_t)a->size_bytes);
    put_number(w, (int64_t)a->part_offset_bytes);
    put_number(w, (int64_t)a->part_bytes);
  }
  put_part(w, WEFT__PART_USES, r->use_count);
  for (int k = 0; k < r->use_count; k++) {
    const weft__recorded_use *use = &r->use[k];
    const int64_t numbers[] = {w->buffer[use->buffer], use->writes,      use->reads,     use->has_gaps,
                               use->restores,          use->begin_bytes, use->end_bytes, use->at_bytes};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) put_number(w, numbers[i]);
  }
}

static void put_checks(writer *w) {
  const weft_recording *r = w->recording;
  put_part(w, WEFT__PART_CHECKS, r->check_count);
  for (int k = 0; k < r->check_count; k++) {
    const weft__deferred_check *c = &r->check[k].check;
    put_number(w, c->tell != NULL);
    put_text(w, c->function);
    put_text(w, c->site);
    put_text(w, c->argument);
    put_number(w, c->axis);
    put_number(w, c->length);
    put_number(w, c->is_unsigned);
    put_dim3(w, c->grid);
    put_dim3(w, c->block);
    put_number(w, r->check[k].at.parameter);
    put_number(w, (int64_t)r->check[k].at.record_at);
    put_number(w, (int64_t)r->check[k].at.epoch_at);
  }
}

static void put_command(writer *w, const weft__recorded_command *c) {
  put_number(w, c->kind);
  put_number(w, c->uses);
  put_number(w, c->first_use);
  put_text(w, c->what);
  put_number(w, (int64_t)c->bytes);
  if (c->kind == WEFT__COMMAND_LAUNCH) {
    put_number(w, kernel_of(w, c->of));
    put_dim3(w, c->grid);
    put_dim3(w, c->block);
    put_number(w, c->arguments);
    put_number(w, c->first_argument);
    put_number(w, c->check);
    return;
  }
  if (c->kind == WEFT__COMMAND_HOST) {
    put_number(w, c->check);
    put_text(w, c->function->name);
    put_block(w, c->data, c->data_bytes);
    return;
  }
  put_number(w, w->buffer[c->to]);
  put_number(w, c->from >= 0 ? w->buffer[c->from] : -1);
  put_number(w, (int64_t)c->offset_bytes);
  put_number(w, (int64_t)c->from_offset_bytes);
  put_number(w, (int64_t)c->size_bytes);
  put_number(w, c->word);
  put(w, &c->rect, sizeof c->rect);
  put_block(w, c->data, c->data_bytes);
}

static void put_names(writer *w) {
  const weft_recording *r = w->recording;
  put_part(w, WEFT__PART_NAMES, r->name_count);
  for (int k = 0; k < r->name_count; k++) {
    const weft__recorded_name *n = &r->name[k];
    put_text(w, n->name);
    put_number(w, w->buffer[n->buffer]);
    put_number(w, n->dtype);
    put_number(w, n->shape.ndim);
    for (int d = 0; d < n->shape.ndim; d++) {
      put_number(w, n->shape.dim[d]);
      put_number(w, n->stride_bytes[d]);
    }
    put_number(w, n->offset_bytes);
  }
}

static weft_status put_all(writer *w) {
  const weft_recording *r = w->recording;
  const weft__device *device = r->context->core.device;
  put_part(w, WEFT__PART_DEVICE, 1);
  put_number(w, device->info.type);
  put_number(w, device->has_ptx);
  put_text(w, device->info.name);
  WEFT__TRY_RETURN(put_memory(w));
  WEFT__TRY_RETURN(put_kernels(w));
  put_arguments(w);
  put_checks(w);
  put_part(w, WEFT__PART_COMMANDS, r->command_count);
  put_number(w, (int64_t)r->recorded_launches);
  for (int k = 0; k < r->command_count; k++) put_command(w, &r->command[k]);
  put_names(w);
  put_part(w, WEFT__PART_END, 0);
  return w->out.failed ? weft__fail_host_memory(w->out.length) : WEFT_OK;
}

/* ---- the file ---- */

static weft_status write_file(const writer *w, const char *path) {
  char first[WEFT__RECORDED_FIRST_BYTES + 1];
  const char *bytes = weft__text_chars(&w->out);
  weft__new_file file;
  snprintf(first, sizeof first, WEFT__RECORDED_FIRST, weft__hash(bytes, w->out.length, 1), (uint64_t)w->out.length);
  int why = weft__new_file_begin(&file, AT_FDCWD, path, WEFT__FILES_ONLY);
  if (!why) why = weft__new_file_write(&file, first, strlen(first));
  if (!why) why = weft__new_file_write(&file, bytes, w->out.length);
  if (!why) why = weft__new_file_end(&file, true);
  if (!why) return WEFT_OK;
  const char *step = file.step;
  weft__new_file_drop(&file);
  return weft__fail(WEFT_ERROR_FILE, "file", "cannot %s `%s`: %s", step, path, weft__file_error(why));
}

weft_status weft_recording_save(weft_recording *recording, const char *file) {
  weft_status rc;
  writer w = {.recording = recording};
  weft__enter("weft_recording_save", NULL);
  WEFT__NEED(file);
  WEFT__TRY(weft__recording_check(recording));
  WEFT__TRY(weft__recorder_refuse(&recording->context->core, "the host reads arrays"));
  pthread_mutex_lock(&recording->lock);
  rc = put_all(&w);
  pthread_mutex_unlock(&recording->lock);
  WEFT__TRY(rc);
  rc = write_file(&w, file);
done:
  weft__text_free(&w.out);
  free(w.storage);
  free(w.buffer);
  free(w.program);
  free(w.kernel);
  return weft__leave(rc);
}
