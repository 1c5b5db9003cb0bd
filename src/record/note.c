// SPDX-License-Identifier: MIT
/// Notes the commands of a thread's calls, as weft__submit is about to enqueue them.
#include <string.h>

#include "base/hash.h"
#include "record/recording.h"

static weft_recording *of(weft__recorder *recorder) {
  return (weft_recording *)((char *)recorder - offsetof(weft_recording, recorder));
}

/* ---- storages ---- */

static int *slot_of(const weft_recording *r, const weft__storage *storage) {
  uint64_t at = weft__hash_word(1, (uint64_t)(uintptr_t)storage);
  for (;; at++) {
    int *slot = &r->slot[at & (uint64_t)(r->slots - 1)];
    if (!*slot || r->storage[*slot - 1].storage == storage) return slot;
  }
}

int weft__recorded_find(const weft_recording *r, const weft__storage *storage) {
  return r->slots ? *slot_of(r, storage) - 1 : -1;
}

/// Doubles the table when it is half full.
static weft_status make_slots(weft_recording *r) {
  if (2 * (r->storage_count + 1) <= r->slots) return WEFT_OK;
  const int slots = r->slots ? 2 * r->slots : 64;
  int *made = weft__new((size_t)slots * sizeof *made);
  if (!made) return WEFT_ERROR_HOST_MEMORY;
  free(r->slot);
  r->slot = made;
  r->slots = slots;
  for (int k = 0; k < r->storage_count; k++) *slot_of(r, r->storage[k].storage) = k + 1;
  return WEFT_OK;
}

static weft_status add_buffer(weft_recording *r, int storage, bool is_made) {
  weft__recorded_buffer *buffer = WEFT__RECORDED_ADD(r, buffer);
  if (!buffer) return WEFT_ERROR_HOST_MEMORY;
  buffer->storage = storage;
  buffer->is_made = is_made;
  r->storage[storage].buffer = r->buffer_count - 1;
  return WEFT_OK;
}

weft_status weft__recorded_add_storage(int *number, weft_recording *r, weft__storage *storage, bool is_made) {
  WEFT__TRY_RETURN(make_slots(r));
  weft__recorded_storage *added = WEFT__RECORDED_ADD(r, storage);
  if (!added) return WEFT_ERROR_HOST_MEMORY;
  added->is_made = is_made;
  *number = r->storage_count - 1;
  if (add_buffer(r, *number, is_made)) {
    r->storage_count--;
    return WEFT_ERROR_HOST_MEMORY;
  }
  weft__storage_retain(storage);
  added->storage = storage;
  *slot_of(r, storage) = *number + 1;
  return WEFT_OK;
}

static weft_status keep(weft__recorder *recorder, weft__storage *storage) {
  int number;
  return weft__recorded_add_storage(&number, of(recorder), storage, true);
}

/// The search goes round: storages are often released in the order in which they were made.
static weft__storage *reuse(weft__recorder *recorder, uint64_t size_bytes) {
  weft_recording *r = of(recorder);
  for (int n = 0; n < r->storage_count; n++) {
    if (++r->made_storage >= r->storage_count) r->made_storage = 0;
    weft__recorded_storage *s = &r->storage[r->made_storage];
    if (!s->is_made || s->storage->size_bytes != size_bytes || atomic_load(&s->storage->references) != 1) continue;
    if (s->storage->guarded || s->storage->read_only) continue;
    if (add_buffer(r, r->made_storage, true)) return NULL; /* out of memory: a new storage is tried, and fails */
    weft__storage_retain(s->storage);
    return s->storage;
  }
  return NULL;
}

/* ---- failures ---- */

static void spoil(weft__recorder *recorder, const char *why) {
  weft_recording *r = of(recorder);
  if (r->failure) return;
  r->failure = WEFT_ERROR_UNSUPPORTED;
  const char *site = weft__site();
  weft__text_add(&r->refusal, "%s%s%s cannot be recorded: %s", weft__function(), site[0] ? " at " : "", site, why);
}

/* ---- commands ---- */

static weft_status use_buffer(int *buffer, weft_recording *r, weft__storage *storage, bool writes) {
  int number = weft__recorded_find(r, storage);
  if (number < 0) WEFT__TRY_RETURN(weft__recorded_add_storage(&number, r, storage, false));
  *buffer = r->storage[number].buffer;
  r->storage[number].is_used = true;
  r->storage[number].writes |= writes;
  r->buffer[*buffer].writes |= writes;
  return WEFT_OK;
}

/// Whether the use is of the buffer in which kernels report what they find.
static bool is_checks(const weft__submission *s, const weft__use *use) {
  return s->core->deferred.records && use->storage->mem == s->core->deferred.records;
}

static weft_status note_uses(weft__recorded_command *c, weft_recording *r, const weft__submission *s) {
  c->first_use = r->use_count;
  for (int k = 0; k < s->uses; k++) {
    if (is_checks(s, &s->use[k])) continue;
    weft__recorded_use *use = WEFT__RECORDED_ADD(r, use);
    if (!use) return WEFT_ERROR_HOST_MEMORY;
    use->writes = s->use[k].writes;
    WEFT__TRY_RETURN(use_buffer(&use->buffer, r, s->use[k].storage, use->writes));
    c->uses++;
  }
  return WEFT_OK;
}

/// The use that argument k of a launch is; -1: none.
static int use_of(const weft__submission *s, int k) {
  const weft__value *value = &s->values[k];
  for (int u = 0; u < s->uses && value->data; u++) {
    if (s->parameter && s->parameter[u] == k) return u;
    if (value->data == &s->use[u].storage->mem) return u;
  }
  return -1;
}

static weft_status note_argument(weft_recording *r, const weft__submission *s, int k) {
  const weft__value *value = &s->values[k];
  const int use = use_of(s, k);
  weft__cl_mem mem = NULL;
  weft__recorded_argument *a = WEFT__RECORDED_ADD(r, argument);
  if (!a) return WEFT_ERROR_HOST_MEMORY;
  if (value->data && value->size_bytes == sizeof mem) memcpy(&mem, value->data, sizeof mem);
  if (s->checked && mem && mem == s->core->deferred.records) {
    a->buffer = WEFT__RECORDED_CHECKS;
  } else if (use >= 0) {
    WEFT__TRY_RETURN(use_buffer(&a->buffer, r, s->use[use].storage, s->use[use].writes));
    if (value->data != &s->use[use].storage->mem) {
      a->part_offset_bytes = value->part_offset_bytes;
      a->part_bytes = value->part_bytes;
    }
  } else {
    a->buffer = value->data ? WEFT__RECORDED_BYTES : WEFT__RECORDED_LOCAL;
    a->any_width = value->data && value->any_width;
    a->size_bytes = a->any_width ? sizeof value->room.i64 : value->size_bytes;
    a->at = r->bytes.length;
    if (value->data) weft__text_add_bytes(&r->bytes, value->data, a->size_bytes);
  }
  return r->bytes.failed ? weft__fail_host_memory(value->size_bytes) : WEFT_OK;
}

static weft_status note_check(weft__recorded_command *c, weft_recording *r, const weft__checked *checked) {
  weft__recorded_check *check = WEFT__RECORDED_ADD(r, check);
  if (!check) return WEFT_ERROR_HOST_MEMORY;
  *check = (weft__recorded_check){*checked->check, *checked};
  c->check = r->check_count - 1;
  return WEFT_OK;
}

/// Keeps what an elementwise launch computes. A user's function stays a launch of its own.
static weft_status note_map(weft__recorded_command *c, weft_recording *r, const weft__map_run *run) {
  const weft__formula *f = &run->plan->formula;
  if (f->body) return WEFT_OK;
  weft__recorded_map *map = WEFT__RECORDED_ADD(r, map);
  if (!map) return WEFT_ERROR_HOST_MEMORY;
  *map = (weft__recorded_map){
      .plan = run->plan, .shape = run->shape, .first_view = r->view_count, .first_word = r->word_count};
  map->views = f->results;
  for (int k = 0; k < f->inputs; k++) map->views += !f->input[k].is_scalar;
  for (int k = 0; k < map->views; k++) {
    const weft_array x = weft__array_broadcast(run->array[k], run->shape);
    weft__recorded_view *view = WEFT__RECORDED_ADD(r, view);
    if (!view) return WEFT_ERROR_HOST_MEMORY;
    WEFT__TRY_RETURN(use_buffer(&view->buffer, r, x.storage, k < f->results));
    view->dtype = x.dtype;
    view->offset_bytes = x.offset_bytes;
    for (int d = 0; d < x.ndim; d++) view->stride_bytes[d] = x.shape[d] > 1 ? x.stride_bytes[d] : 0;
  }
  for (int k = 0; k < 2 * f->scalars; k++) {
    uint64_t *word = WEFT__RECORDED_ADD(r, word);
    if (!word) return WEFT_ERROR_HOST_MEMORY;
    *word = run->scalars[k];
  }
  c->map = r->map_count - 1;
  return WEFT_OK;
}

/// Keeps a user's kernel, which may be released before the recording.
static weft_status hold(weft_recording *r, weft__kernel *kernel) {
  if (!kernel->prefix[0]) return WEFT_OK; /* Weft's own: the context's store has it */
  weft_kernel *whole = (weft_kernel *)((char *)kernel - offsetof(weft_kernel, kernel));
  for (int k = 0; k < r->user_kernel_count; k++)
    if (r->user_kernel[k] == whole) return WEFT_OK;
  weft_kernel **held = WEFT__RECORDED_ADD(r, user_kernel);
  if (!held) return WEFT_ERROR_HOST_MEMORY;
  *held = weft_kernel_retain(whole);
  return WEFT_OK;
}

static weft_status note_launch(weft__recorded_command *c, weft_recording *r, const weft__submission *s) {
  WEFT__TRY_RETURN(hold(r, s->of));
  c->of = s->of;
  c->grid = s->command->grid;
  c->block = s->command->block;
  c->first_argument = r->argument_count;
  c->arguments = s->of->parameter_count;
  for (int k = 0; k < c->arguments; k++) WEFT__TRY_RETURN(note_argument(r, s, k));
  if (s->checked) WEFT__TRY_RETURN(note_check(c, r, s->checked));
  return s->map ? note_map(c, r, s->map) : WEFT_OK;
}

/// Keeps the host's bytes of a write.
static weft_status note_data(weft__recorded_command *c, weft_recording *r, const weft__command *command) {
  c->data_bytes = command->size_bytes;
  if (command->kind == WEFT__COMMAND_WRITE_RECT) {
    c->rect = *command->rect;
    c->data_bytes = (c->rect.slices - 1) * c->rect.host_slice_pitch + (c->rect.rows - 1) * c->rect.host_row_pitch +
                    c->rect.row_bytes;
  }
  if (!(c->data = weft__new(c->data_bytes))) return WEFT_ERROR_HOST_MEMORY;
  memcpy(c->data, command->host, c->data_bytes);
  r->constant_bytes += c->data_bytes;
  return WEFT_OK;
}

/// Finds the buffers of a copy, a fill or a write.
static weft_status note_memory(weft__recorded_command *c, weft_recording *r, const weft__submission *s) {
  const weft__command *command = s->command;
  c->to = c->from = -1;
  for (int k = 0; k < s->uses; k++) {
    if (s->use[k].writes && s->use[k].storage->mem == command->mem)
      WEFT__TRY_RETURN(use_buffer(&c->to, r, s->use[k].storage, true));
    if (!s->use[k].writes && s->use[k].storage->mem == command->from)
      WEFT__TRY_RETURN(use_buffer(&c->from, r, s->use[k].storage, false));
  }
  const bool is_whole = c->to >= 0 && (c->from >= 0 || command->kind != WEFT__COMMAND_COPY);
  return is_whole ? WEFT_OK : weft__recorder_refuse(s->core, "it copies memory of another context");
}

static bool uses_image(const weft__submission *s) {
  for (int k = 0; k < s->uses; k++)
    if (s->use[k].storage->is_image) return true;
  return false;
}

/// Why the command cannot be repeated; NULL: it can.
static const char *objection(const weft__submission *s) {
  if (s->carrier) return "it copies memory of another context";
  if (uses_image(s)) return "it uses an image";
  switch (s->command->kind) {
    case WEFT__COMMAND_READ:
    case WEFT__COMMAND_READ_RECT:
      return "the host reads its result, which a replay would not wait for; read after weft_replay";
    case WEFT__COMMAND_MAP:
    case WEFT__COMMAND_UNMAP:
      return "the host uses the memory";
    default:
      return NULL;
  }
}

/// The lengths of the lists.
typedef struct list_ends {
  int commands, arguments, uses, checks, maps, views, words;
} list_ends;

static list_ends ends_of(const weft_recording *r) {
  return (list_ends){r->command_count, r->argument_count, r->use_count, r->check_count,
                     r->map_count,     r->view_count,     r->word_count};
}

/// Takes back what was noted of a command.
static void forget(weft_recording *r, const weft__recorded_command *c, const list_ends *before) {
  free(c->data);
  r->argument_count = before->arguments;
  r->use_count = before->uses;
  r->check_count = before->checks;
  r->map_count = before->maps;
  r->view_count = before->views;
  r->word_count = before->words;
  r->command_count = before->commands;
}

static weft_status note_host_uses(weft__recorded_command *c, weft_recording *r, const weft__host_work *work) {
  c->first_use = r->use_count;
  for (int k = 0; k < work->uses; k++) {
    const weft__host_use *from = &work->use[k];
    weft__recorded_use *use = WEFT__RECORDED_ADD(r, use);
    if (!use) return WEFT_ERROR_HOST_MEMORY;
    *use = (weft__recorded_use){.writes = from->writes,
                                .reads = from->reads,
                                .has_gaps = from->has_gaps,
                                .restores = from->restores,
                                .begin_bytes = from->begin_bytes,
                                .end_bytes = from->end_bytes,
                                .at_bytes = from->at_bytes};
    WEFT__TRY_RETURN(use_buffer(&use->buffer, r, from->storage, from->writes));
    c->uses++;
  }
  return WEFT_OK;
}

static weft_status note_host(weft__recorder *recorder, const weft__host_work *work) {
  weft_recording *r = of(recorder);
  const list_ends ends = ends_of(r);
  weft_status rc;
  weft__recorded_command *c = WEFT__RECORDED_ADD(r, command);
  if (!c) return WEFT_ERROR_HOST_MEMORY;
  *c = (weft__recorded_command){.kind = WEFT__COMMAND_HOST,
                                .what = work->what,
                                .site = work->site ? weft__lasting_site(work->site) : NULL,
                                .to = -1,
                                .from = -1,
                                .check = -1,
                                .map = -1,
                                .function = work->function,
                                .data_bytes = work->function->task_bytes};
  WEFT__TRY(note_host_uses(c, r, work));
  if (work->check) WEFT__TRY(note_check(c, r, &(weft__checked){.check = work->check}));
  WEFT__TRY((c->data = weft__new(c->data_bytes)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  memcpy(c->data, work->task, c->data_bytes);
done:
  if (rc) forget(r, c, &ends);
  return rc;
}

static weft_status note(weft__recorder *recorder, const weft__submission *s) {
  weft_recording *r = of(recorder);
  const char *why = objection(s);
  if (why) return weft__recorder_refuse(s->core, why);
  const list_ends ends = ends_of(r);
  weft__recorded_command *c = WEFT__RECORDED_ADD(r, command);
  if (!c) return WEFT_ERROR_HOST_MEMORY;
  *c = (weft__recorded_command){.kind = s->command->kind,
                                .what = s->what,
                                .site = s->site ? weft__lasting_site(s->site) : NULL,
                                .bytes = s->bytes,
                                .check = -1,
                                .map = -1};
  weft_status rc;
  WEFT__TRY(note_uses(c, r, s));
  if (c->kind == WEFT__COMMAND_LAUNCH) {
    rc = note_launch(c, r, s);
  } else {
    c->offset_bytes = s->command->offset_bytes;
    c->from_offset_bytes = s->command->from_offset_bytes;
    c->size_bytes = s->command->size_bytes;
    c->word = s->command->word;
    WEFT__TRY(note_memory(c, r, s));
    if (s->command->host) rc = note_data(c, r, s->command);
  }
done:
  if (rc) forget(r, c, &ends);
  return rc;
}

void weft__recorder_open(weft_recording *r) {
  r->recorder = (weft__recorder){.core = &r->context->core,
                                 .lookback = &r->lookback,
                                 .note = note,
                                 .note_host = note_host,
                                 .reuse = reuse,
                                 .keep = keep,
                                 .spoil = spoil};
}
