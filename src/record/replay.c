// SPDX-License-Identifier: MIT
/// Replays: the arguments that are bound arrays are set, then all commands are enqueued.
#include <string.h>

#include "record/recording.h"

/// After this many commands a replay waits, if the host is too far ahead of the device (core/pace.c).
#define PACE_COMMANDS 256

typedef struct replay {
  weft_recording *recording;
  weft__core *core;
  int slot;
  int binds;
  const weft_bind *bind;
  const char *site;
} replay;

/* ---- arguments ---- */

weft__value weft__recorded_value(const weft_recording *r, const weft__recorded_argument *a, const weft__cl_mem *mem) {
  weft__value value = {.size_bytes = a->size_bytes, .any_width = a->any_width};
  if (a->buffer >= 0 || a->buffer == WEFT__RECORDED_CHECKS) {
    value.size_bytes = sizeof *mem;
    value.data = mem;
  } else if (a->buffer == WEFT__RECORDED_BYTES) {
    value.data = weft__text_chars(&r->bytes) + a->at;
    if (a->any_width) memcpy(&value.room.i64, value.data, sizeof value.room.i64);
  }
  return value;
}

weft_status weft__recorded_mem(weft__cl_mem *mem, weft__recorded_argument *a, weft__storage *storage) {
  *mem = storage->mem;
  if (!a->part_bytes) return WEFT_OK;
  uint64_t begin;
  weft__cl_mem whole = weft__guard_whole(storage, &begin);
  int code =
      weft__driver->sub_buffer_create(mem, whole, storage->read_only, begin + a->part_offset_bytes, a->part_bytes);
  if (code) return weft__core_failed(storage->core, code, "clCreateSubBuffer", false);
  weft__release(a->part); /* commands that were enqueued with it keep its memory */
  a->part = *mem;
  return WEFT_OK;
}

static weft_status set_place(const replay *p, int place, weft__storage *storage) {
  const weft_recording *r = p->recording;
  weft__recorded_command *c = &r->command[r->owner[place]];
  weft__cl_mem mem;
  WEFT__TRY_RETURN(weft__recorded_mem(&mem, &r->argument[place], storage));
  int code = weft__driver->kernel_set(c->instance, (uint32_t)(place - c->first_argument), sizeof mem, &mem);
  return code ? weft__core_failed(p->core, code, "clSetKernelArg", false) : WEFT_OK;
}

static weft__storage *storage_of(const weft_recording *r, int buffer) {
  const weft__recorded_buffer *b = &r->buffer[buffer];
  return b->bound ? b->bound : r->storage[b->storage].storage;
}

/// Sets the arguments of bound buffers, and sets arguments that the last replay bound back.
static weft_status set_places(const replay *p) {
  weft_recording *r = p->recording;
  for (int b = 0; b < r->buffer_count; b++) {
    weft__recorded_buffer *buffer = &r->buffer[b];
    if (!buffer->bound && !buffer->is_moved) continue;
    buffer->is_moved = true; /* also if only some can be set */
    for (int k = 0; k < buffer->places; k++)
      WEFT__TRY_RETURN(set_place(p, r->place[buffer->first_place + k], storage_of(r, b)));
    buffer->is_moved = buffer->bound != NULL;
  }
  return WEFT_OK;
}

/* ---- binds ---- */

static weft_status fail_bind(const replay *p, int k, weft_status status, const char *why) {
  const weft_array *old = p->bind[k].old, *now = p->bind[k].now;
  weft__text text = {0};
  weft__text_add(&text, "the array of bind %d is ", k);
  weft__add_shape(&text, now->dtype, weft__array_shape(now));
  weft__text_add(&text, ", the recorded one ");
  weft__add_shape(&text, old->dtype, weft__array_shape(old));
  weft_status rc = weft__fail(status, "now", "%s: %s", weft__text_chars(&text), why);
  weft__text_free(&text);
  return rc;
}

static weft_status check_view(const replay *p, int k) {
  const weft_array *old = p->bind[k].old, *now = p->bind[k].now;
  if (old->dtype != now->dtype) return fail_bind(p, k, WEFT_ERROR_DTYPE, "expected the same dtype");
  if (old->ndim != now->ndim || memcmp(old->shape, now->shape, (size_t)old->ndim * sizeof old->shape[0]) != 0)
    return fail_bind(p, k, WEFT_ERROR_SHAPE, "expected the same shape");
  if (memcmp(old->stride_bytes, now->stride_bytes, (size_t)old->ndim * sizeof old->stride_bytes[0]) != 0 ||
      old->offset_bytes != now->offset_bytes)
    return fail_bind(p, k, WEFT_ERROR_LAYOUT,
                     "expected the same strides and the same place in its memory; weft_copy makes a plain array");
  if (old->storage->size_bytes > now->storage->size_bytes)
    return fail_bind(p, k, WEFT_ERROR_LAYOUT, "it is a view of less memory than the recorded one");
  return WEFT_OK;
}

/// The buffer that the bind is of.
static int bound_buffer(const replay *p, int k) {
  return p->recording->storage[weft__recorded_find(p->recording, p->bind[k].old->storage)].buffer;
}

/// Whether commands use both buffers, which are the same memory, and one of them writes it.
static bool collide(const weft_recording *r, int one, int other) {
  const weft__recorded_buffer *a = &r->buffer[one], *b = &r->buffer[other];
  if (one == other || !a->is_used || !b->is_used || (!a->writes && !b->writes)) return false;
  return storage_of(r, one)->mem == storage_of(r, other)->mem; /* one memory may be of several storages */
}

/// Whether a bind's array is used for another array too, and one of the two is written.
static bool is_used_twice(const replay *p, int k) {
  const weft_recording *r = p->recording;
  const weft__storage *storage = p->bind[k].now->storage;
  const int buffer = bound_buffer(p, k);
  if (storage->is_public || weft__recorded_find(r, storage) >= 0) {
    for (int b = 0; b < r->buffer_count; b++)
      if (collide(r, buffer, b)) return true;
  } else { /* not the recording's: only other binds are of it */
    for (int j = 0; j < p->binds; j++)
      if (p->bind[j].now->storage == storage && collide(r, buffer, bound_buffer(p, j))) return true;
  }
  return false;
}

static weft_status bind_one(const replay *p, int k) {
  weft_recording *r = p->recording;
  const weft_array *old = p->bind[k].old, *now = p->bind[k].now;
  WEFT__TRY_RETURN(weft__array_check(old, "old"));
  WEFT__TRY_RETURN(weft__array_check(now, "now"));
  if (now->context != r->context)
    return weft__fail(WEFT_ERROR_CONTEXT, "now",
                      "the array of bind %d belongs to another context than the recording" WEFT__COPY_HINT, k);
  const int storage = weft__recorded_find(r, old->storage);
  if (storage < 0 || !r->storage[storage].is_used)
    return weft__fail(WEFT_ERROR_ARGUMENT, "old", "no recorded call uses the memory of the first array of bind %d", k);
  WEFT__TRY_RETURN(check_view(p, k));
  weft__recorded_buffer *buffer = &r->buffer[r->storage[storage].buffer];
  if (buffer->bound) return weft__fail(WEFT_ERROR_ARGUMENT, "old", "bind %d is of memory that another bind is of", k);
  if (buffer->writes && now->storage->read_only)
    return weft__fail(WEFT_ERROR_READ_ONLY, "now",
                      "the array of bind %d is read-only (%s), and the recording writes it", k,
                      now->storage->read_only);
  buffer->bound = now->storage;
  return WEFT_OK;
}

static weft_status bind_all(const replay *p) {
  for (int k = 0; k < p->binds; k++) WEFT__TRY_RETURN(bind_one(p, k));
  for (int k = 0; k < p->binds; k++)
    if (is_used_twice(p, k))
      return weft__fail(WEFT_ERROR_ARGUMENT, "now",
                        "recorded calls use the memory of the array of bind %d for another array too, and write it", k);
  return WEFT_OK;
}

static void unbind(weft_recording *r) {
  for (int b = 0; b < r->buffer_count; b++) r->buffer[b].bound = NULL;
}

/* ---- order ---- */

/// Makes the slot wait for other work on the memory.
static weft_status order(const replay *p) {
  weft_recording *r = p->recording;
  for (int k = 0; k < r->storage_count; k++) {
    const weft__recorded_storage *s = &r->storage[k];
    if (s->is_used) WEFT__TRY_RETURN(weft__storage_order(s->storage, p->slot, s->writes));
  }
  for (int b = 0; p->binds && b < r->buffer_count; b++)
    if (r->buffer[b].bound) WEFT__TRY_RETURN(weft__storage_order(r->buffer[b].bound, p->slot, r->buffer[b].writes));
  return WEFT_OK;
}

/// Marks the memory as used by the commands up to `number`.
static void mark(const replay *p, uint64_t number) {
  weft_recording *r = p->recording;
  for (int k = 0; k < r->storage_count; k++)
    if (r->storage[k].is_used) weft__storage_mark(r->storage[k].storage, p->slot, r->storage[k].writes, number);
  for (int b = 0; p->binds && b < r->buffer_count; b++)
    if (r->buffer[b].bound) weft__storage_mark(r->buffer[b].bound, p->slot, r->buffer[b].writes, number);
}

/* ---- commands ---- */

static weft__command command_of(const weft_recording *r, const weft__recorded_command *c) {
  weft__command command = {.kind = c->kind};
  if (c->kind == WEFT__COMMAND_LAUNCH) {
    command.kernel = c->instance;
    command.grid = c->grid;
    command.block = c->block;
    return command;
  }
  command.word = c->word;
  command.mem = storage_of(r, c->to)->mem;
  if (c->from >= 0) command.from = storage_of(r, c->from)->mem;
  command.offset_bytes = c->offset_bytes;
  command.from_offset_bytes = c->from_offset_bytes;
  command.size_bytes = c->size_bytes;
  command.host = c->data;
  if (c->kind == WEFT__COMMAND_WRITE_RECT) command.rect = &c->rect;
  return command;
}

/// Enqueues the command as weft__submit does: with its row in the profile and the trace, and the checks of guard mode.
static weft_status submit(const replay *p, const weft__recorded_command *c) {
  const weft_recording *r = p->recording;
  weft__use use[WEFT_MAX_KERNEL_ARGUMENTS + WEFT__RUN_BUFFERS];
  weft__command command = command_of(r, c);
  for (int k = 0; k < c->uses; k++)
    use[k] = (weft__use){storage_of(r, r->use[c->first_use + k].buffer), r->use[c->first_use + k].writes};
  weft__submission s = {.core = p->core,
                        .slot = p->slot,
                        .command = &command,
                        .uses = c->uses,
                        .use = use,
                        .bytes = c->bytes,
                        .what = c->what,
                        .site = p->site};
  if (c->kind != WEFT__COMMAND_LAUNCH) return weft__submit(&s);
  s.kernel = c->of->name;
  s.prefix = c->of->prefix;
  WEFT__TRY_RETURN(weft__submit(&s));
  return p->core->guard ? weft__launch_check_zones(c->of, NULL, &s) : WEFT_OK;
}

static weft_status enqueue(const replay *p, const weft__recorded_command *c) {
  weft__command command = command_of(p->recording, c);
  if (c->kind == WEFT__COMMAND_LAUNCH) weft__launch_log_add(&p->core->launch_log, c->of->name, p->site);
  int code = weft__slot_enqueue(p->core, p->slot, &command, NULL);
  if (code) return weft__core_failed(p->core, code, weft__command_call(&command), false);
  weft__slot_issue(p->core, p->slot);
  return WEFT_OK;
}

/// Tells the kernel of a checking launch where to report.
static weft_status pass_check(const replay *p, const weft__recorded_command *c, const weft__recorded_check *check,
                              const weft__deferred_use *use) {
  const weft_recording *r = p->recording;
  int code = 0;
  for (int k = 0; k < c->arguments && !code; k++)
    if (r->argument[c->first_argument + k].buffer == WEFT__RECORDED_CHECKS)
      code = weft__driver->kernel_set(c->instance, (uint32_t)k, sizeof use->records, &use->records);
  const weft__recorded_argument *a = &r->argument[c->first_argument + check->at.parameter];
  char *bytes = (char *)weft__text_chars(&r->bytes) + a->at;
  memcpy(bytes + check->at.record_at, &use->record, sizeof use->record);
  memcpy(bytes + check->at.epoch_at, &use->epoch, sizeof use->epoch);
  if (!code) code = weft__driver->kernel_set(c->instance, (uint32_t)check->at.parameter, a->size_bytes, bytes);
  return code ? weft__core_failed(p->core, code, "clSetKernelArg", false) : WEFT_OK;
}

/// Runs a step of the host, which waits for the commands before it.
static weft_status run_host(const replay *p, const weft__recorded_command *c) {
  const weft_recording *r = p->recording;
  weft__host_use use[WEFT__HOST_USES];
  int code;
  for (int k = 0; k < c->uses; k++) {
    const weft__recorded_use *from = &r->use[c->first_use + k];
    use[k] = (weft__host_use){.storage = storage_of(r, from->buffer),
                              .begin_bytes = from->begin_bytes,
                              .end_bytes = from->end_bytes,
                              .at_bytes = from->at_bytes,
                              .has_gaps = from->has_gaps,
                              .reads = from->reads,
                              .writes = from->writes,
                              .restores = from->restores};
  }
  const weft__host_work work = {.context = r->context,
                                .uses = c->uses,
                                .use = use,
                                .function = c->function,
                                .task = c->data,
                                .check = c->check >= 0 ? &r->check[c->check].check : NULL,
                                .what = c->what,
                                .site = p->site};
  WEFT__TRY_RETURN(weft__slot_wait(p->core, p->slot)); /* commands are marked as the storages' last ones at the end */
  WEFT__TRY_RETURN(weft__host_step(&code, &work));
  return code ? weft__while(weft__host_failed(code, &work), "replaying %s%s%s", c->what, c->site ? " of " : "",
                            c->site ? c->site : "")
              : WEFT_OK;
}

static weft_status run_one(const replay *p, const weft__recorded_command *c, bool is_slow) {
  if (c->kind == WEFT__COMMAND_HOST) return run_host(p, c);
  if (c->check < 0) return is_slow ? submit(p, c) : enqueue(p, c);
  const weft__recorded_check *check = &p->recording->check[c->check];
  weft__deferred_use use;
  WEFT__TRY_RETURN(weft__deferred_begin(&use, p->core, &check->check));
  weft_status rc = pass_check(p, c, check, &use);
  if (rc == WEFT_OK) rc = is_slow ? submit(p, c) : enqueue(p, c);
  weft__deferred_end(p->core, &use, p->slot, rc);
  return rc;
}

static weft_status run(const replay *p) {
  weft_recording *r = p->recording;
  const bool is_slow = weft__is_observed(p->core); /* each command must go through weft__submit */
  weft_status rc = WEFT_OK;
  for (int k = 0; k < r->command_count; k++) {
    if (k % PACE_COMMANDS == 0) WEFT__TRY(weft__slot_pace(p->core, p->slot));
    WEFT__TRY(run_one(p, &r->command[k], is_slow));
  }
done:
  mark(p, atomic_load(&p->core->slot[p->slot].issued));
  return rc;
}

static weft_status prepare_and_run(const replay *p) {
  WEFT__TRY_RETURN(bind_all(p));
  WEFT__TRY_RETURN(order(p));
  WEFT__TRY_RETURN(set_places(p));
  p->recording->was_begun = true;
  WEFT__TRY_RETURN(run(p));
  p->recording->replays++;
  return WEFT_OK;
}

weft_status weft__replay_at(weft_recording *recording, int bind_count, const weft_bind *binds, const char *site) {
  weft_status rc;
  weft__enter("weft_replay", site);
  WEFT__TRY(weft__recording_check(recording));
  if (bind_count < 0 || (bind_count > 0 && !binds))
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "binds", "`binds` is a list of %d binds at %s", bind_count,
                         binds ? "an address" : "NULL"));
  weft__core *core = &recording->context->core;
  WEFT__TRY(weft__recorder_refuse(core, "it replays another recording"));
  const replay p = {recording, core, weft__slot_now(core), bind_count, binds, site};
  pthread_mutex_lock(&recording->lock);
  rc = prepare_and_run(&p);
  if (bind_count) unbind(recording);
  pthread_mutex_unlock(&recording->lock);
done:
  return weft__leave(rc);
}
