// SPDX-License-Identifier: MIT
/// The object: its begin, its end, names, and what it has.
#include "record/recording.h"

#include <stdlib.h>
#include <string.h>

#include "base/scratch.h"
#include "map/cast.h"

void *weft__recorded_grow(void *list, int *count, int *room, size_t size) {
  void **elements = list;
  if (*count == *room) {
    const int wanted = *room ? 2 * *room : 16;
    void *made = realloc(*elements, (size_t)wanted * size);
    if (!made) {
      weft__fail_host_memory((size_t)wanted * size);
      return NULL;
    }
    *elements = made;
    *room = wanted;
  }
  void *added = (char *)*elements + (size_t)(*count)++ * size;
  return memset(added, 0, size);
}

/* ---- life ---- */

weft_status weft__recording_create(weft_recording **out, weft_context *context, const char *site) {
  weft_recording *r = weft__new(sizeof *r);
  if (!r) return WEFT_ERROR_HOST_MEMORY;
  weft__object_begin(&r->object, WEFT__MAGIC_RECORDING, context->object.generation);
  r->context = weft_context_retain(context);
  pthread_mutex_init(&r->lock, NULL);
  weft__lookback_init(&r->lookback);
  weft__ledger_add(&context->core.ledger, &r->entry, WEFT__LEDGER_RECORDING, r, 0, site);
  *out = r;
  return WEFT_OK;
}

/// Releases the driver's objects and the memory.
static void close_recording(weft_recording *r) {
  if (r->is_closed) return;
  r->is_closed = true;
  weft__core *core = &r->context->core;
  /* writes of constants read the host's memory, which is freed next */
  if (r->constant_bytes && r->was_begun && !atomic_load(&core->lost)) weft__core_wait(core);
  for (int k = 0; k < r->command_count; k++) {
    weft__core_retire(core, r->command[k].instance);
    r->command[k].instance = NULL;
  }
  for (int k = 0; k < r->argument_count; k++) {
    weft__release(r->argument[k].part);
    r->argument[k].part = NULL;
  }
  for (int k = 0; k < r->kernel_count; k++) weft__kernel_close(&r->kernel[k]);
  weft__lookback_close(&r->lookback);
  for (int k = 0; k < r->storage_count; k++) weft__storage_release(r->storage[k].storage);
  r->storage_count = 0;
}

static void destroy(weft_recording *r) {
  weft__ledger_remove(&r->context->core.ledger, &r->entry);
  close_recording(r);
  for (int k = 0; k < r->command_count; k++) free(r->command[k].data);
  for (int k = 0; k < r->kernel_count; k++) weft__kernel_destroy(&r->kernel[k]);
  for (int k = 0; k < r->user_kernel_count; k++) weft_kernel_release(&r->user_kernel[k]);
  void *const lists[] = {r->command, r->argument, r->use,   r->buffer,      r->storage, r->check, r->map, r->view,
                         r->word,    r->name,     r->place, r->user_kernel, r->kernel,  r->owner, r->slot};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) free(lists[k]);
  weft__text_free(&r->bytes);
  weft__text_free(&r->refusal);
  weft__lookback_destroy(&r->lookback);
  pthread_mutex_destroy(&r->lock);
  weft_context_release(&r->context);
  weft__object_free(&r->object);
}

WEFT__DEFINE_COUNTED(weft_recording, WEFT__MAGIC_RECORDING, destroy)

weft_status weft__recordings_begin(weft_context *context) {
  (void)context;
  return WEFT_OK;
}

void weft__recordings_end(weft_context *context) {
  weft_recording *r;
  while ((r = weft__ledger_take(&context->core.ledger, WEFT__LEDGER_RECORDING))) close_recording(r);
}

weft_status weft__recording_check(weft_recording *r) {
  WEFT__TRY_RETURN(weft__handle_check(r, WEFT__MAGIC_RECORDING, "recording"));
  return weft__core_check(&r->context->core);
}

/* ---- recording ---- */

static weft_recording *recording_now(void) {
  weft__recorder *recorder = weft__recorder_now;
  return recorder ? (weft_recording *)((char *)recorder - offsetof(weft_recording, recorder)) : NULL;
}

/// Stops recording. The caller owns the recording; NULL if the thread does not record.
static weft_recording *stop(void) {
  weft_recording *r = recording_now();
  weft__recorder_now = NULL;
  if (!r) return NULL;
  r->recorder = (weft__recorder){0};
  if (!r->is_closed) weft__lookback_close(&r->lookback);
  return r;
}

void weft_record_cancel(void) {
  weft_recording *r = stop();
  weft_recording_release(&r);
}

weft_status weft__record_begin_at(weft_context *context, const char *site) {
  weft_status rc;
  weft_recording *now = recording_now(), *made = NULL;
  weft__enter("weft_record_begin", site);
  WEFT__TRY(weft__context_resolve(&context, context));
  if (now && now->is_closed) { /* its context was closed */
    weft_record_cancel();
    now = NULL;
  }
  if (now)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, NULL, "this thread records already, since %s; weft_record_end ends that",
                         now->entry.site));
  if (context->core.checks_numbers)
    WEFT__TRY(weft__fail(WEFT_ERROR_UNSUPPORTED, "context",
                         "`context` checks numbers (WEFT_CHECKS=numbers), for which the host reads every result"));
  WEFT__TRY(weft__recording_create(&made, context, site));
  weft__recorder_open(made);
  weft__recorder_now = &made->recorder;
done:
  return weft__leave(rc);
}

static weft_status make_instance(weft_recording *r, weft__recorded_command *c) {
  typedef struct list {
    weft__value value[WEFT_MAX_KERNEL_ARGUMENTS + WEFT__RUN_BUFFERS];
    weft__cl_mem mem[WEFT_MAX_KERNEL_ARGUMENTS + WEFT__RUN_BUFFERS];
  } list;
  weft_status rc;
  list *l = weft__scratch_begin(sizeof *l);
  if (!l) return WEFT_ERROR_HOST_MEMORY;
  for (int k = 0; k < c->arguments; k++) {
    weft__recorded_argument *a = &r->argument[c->first_argument + k];
    l->mem[k] = r->context->core.deferred.records;
    if (a->buffer >= 0) WEFT__TRY(weft__recorded_mem(&l->mem[k], a, r->storage[r->buffer[a->buffer].storage].storage));
    l->value[k] = weft__recorded_value(r, a, &l->mem[k]);
  }
  rc = weft__kernel_instance(&c->instance, c->of, l->value);
done:
  weft__scratch_end(l);
  return rc;
}

/// Lists the arguments that are each buffer, and notes which ones commands use.
static weft_status list_places(weft_recording *r) {
  int all = 0;
  for (int u = 0; u < r->use_count; u++) r->buffer[r->use[u].buffer].is_used = true;
  r->owner = weft__new(((size_t)r->argument_count + 1) * sizeof *r->owner);
  r->place = weft__new(((size_t)r->argument_count + 1) * sizeof *r->place);
  if (!r->owner || !r->place) return WEFT_ERROR_HOST_MEMORY;
  for (int a = 0; a < r->argument_count; a++) r->owner[a] = -1; /* a file may have arguments of no launch */
  for (int k = 0; k < r->command_count; k++)
    for (int a = 0; a < r->command[k].arguments; a++) r->owner[r->command[k].first_argument + a] = k;
  for (int a = 0; a < r->argument_count; a++)
    if (r->owner[a] >= 0 && r->argument[a].buffer >= 0) r->buffer[r->argument[a].buffer].places++;
  for (int b = 0; b < r->buffer_count; b++) {
    r->buffer[b].first_place = all;
    all += r->buffer[b].places;
    r->buffer[b].places = 0;
  }
  for (int a = 0; a < r->argument_count; a++) {
    if (r->owner[a] < 0 || r->argument[a].buffer < 0) continue;
    weft__recorded_buffer *buffer = &r->buffer[r->argument[a].buffer];
    r->place[buffer->first_place + buffer->places++] = a;
  }
  r->place_count = r->place_room = all;
  return WEFT_OK;
}

weft_status weft__recording_finish(weft_recording *r) {
  for (int k = 0; k < r->command_count; k++)
    if (r->command[k].kind == WEFT__COMMAND_LAUNCH)
      WEFT__TRY_RETURN(weft__while(make_instance(r, &r->command[k]), "preparing launch %d, %s", k,
                                   r->command[k].what ? r->command[k].what : r->command[k].of->name));
  return list_places(r);
}

weft_status weft__record_end_at(weft_recording **recording, const char *site) {
  weft_status rc;
  weft_recording *r;
  weft__enter("weft_record_end", site);
  WEFT__NEED_NULL_RESULT(recording);
  if (!(r = stop()))
    return weft__leave(
        weft__fail(WEFT_ERROR_ARGUMENT, NULL, "this thread does not record; weft_record_begin begins a recording"));
  WEFT__TRY(weft__core_check(&r->context->core));
  if (r->failure)
    WEFT__TRY(weft__fail(r->failure, NULL, "%s (recording since %s)", weft__text_chars(&r->refusal), r->entry.site));
  WEFT__TRY(weft__recording_fuse(r));
  WEFT__TRY(weft__recording_finish(r));
  *recording = r;
  r = NULL;
done:
  weft_recording_release(&r);
  return weft__leave(rc);
}

/* ---- names ---- */

static weft_status check_name(const char *name) {
  const size_t length = name ? strlen(name) : 0;
  if (length > 0 && length < WEFT__RECORDED_NAME) return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, "name", "`name` has %zu bytes; expected 1 to %d", length,
                    WEFT__RECORDED_NAME - 1);
}

static weft__recorded_name *find_name(const weft_recording *r, const char *name) {
  for (int k = 0; k < r->name_count; k++)
    if (strcmp(r->name[k].name, name) == 0) return &r->name[k];
  return NULL;
}

weft_status weft_recording_name(weft_recording *recording, const weft_array *x, const char *name) {
  weft_status rc;
  weft__enter("weft_recording_name", NULL);
  WEFT__TRY(weft__recording_check(recording));
  WEFT__TRY(weft__array_check(x, "x"));
  WEFT__TRY(check_name(name));
  if (find_name(recording, name))
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "name", "`name` is \"%s\", the name of another array", name));
  const int storage = weft__recorded_find(recording, x->storage);
  if (storage < 0 || !recording->storage[storage].is_used)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "x", "no recorded call uses the memory of `x`"));
  weft__recorded_name *added = WEFT__RECORDED_ADD(recording, name);
  WEFT__TRY(added ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  memcpy(added->name, name, strlen(name) + 1);
  added->buffer = recording->storage[storage].buffer;
  added->dtype = x->dtype;
  added->shape = weft__array_shape(x);
  memcpy(added->stride_bytes, x->stride_bytes, sizeof added->stride_bytes);
  added->offset_bytes = x->offset_bytes;
done:
  return weft__leave(rc);
}

static weft_status fail_no_name(const weft_recording *r, const char *name) {
  weft__text list = {0};
  for (int k = 0; k < r->name_count; k++) weft__text_add(&list, "%s%s", k ? ", " : "", r->name[k].name);
  weft_status rc = weft__fail(WEFT_ERROR_ARGUMENT, "name", "no array of the recording is named \"%s\"; it names: %s",
                              name, r->name_count ? weft__text_chars(&list) : "none");
  weft__text_free(&list);
  return rc;
}

weft_status weft__recording_array_at(weft_array **out, weft_recording *recording, const char *name, const char *site) {
  weft_status rc;
  weft__enter("weft_recording_array", site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(weft__recording_check(recording));
  WEFT__TRY(check_name(name));
  const weft__recorded_name *n = find_name(recording, name);
  WEFT__TRY(n ? WEFT_OK : fail_no_name(recording, name));
  weft__storage *storage = recording->storage[recording->buffer[n->buffer].storage].storage;
  WEFT__TRY(weft__array_wrap(out, recording->context, storage, n->dtype, 0, site));
  weft__set_contiguous(*out, n->shape);
  memcpy((*out)->stride_bytes, n->stride_bytes, sizeof n->stride_bytes);
  (*out)->offset_bytes = n->offset_bytes;
done:
  return weft__leave(rc);
}

weft_status weft_recording_get(weft_recording_info *info, const weft_recording *recording) {
  weft_status rc;
  weft__enter("weft_recording_get", NULL);
  WEFT__NEED(info);
  WEFT__TRY(weft__recording_check((weft_recording *)recording));
  *info = (weft_recording_info){.commands = (uint64_t)recording->command_count,
                                .buffers = 0,
                                .recorded_launches = recording->recorded_launches,
                                .constant_bytes = recording->constant_bytes,
                                .replays = recording->replays};
  for (int k = 0; k < recording->command_count; k++)
    info->launches += recording->command[k].kind == WEFT__COMMAND_LAUNCH;
  for (int k = 0; k < recording->storage_count; k++) {
    const weft__recorded_storage *s = &recording->storage[k];
    info->buffers += s->is_used;
    if (s->is_made && s->storage) info->made_bytes += s->storage->size_bytes;
  }
done:
  return weft__leave(rc);
}
