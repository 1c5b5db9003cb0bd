// SPDX-License-Identifier: MIT
/// Queues and their commands.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host_objects.h"

enum { QUEUED = 3, SUBMITTED = 2, RUNNING = 1, DONE = 0, PATIENCE_S = 5, LOST = 0xa5 };

/// Signalled when a command is flushed or done, or a queue ends.
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static unsigned long long show(uint64_t number) {
  return number;
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- commands ---- */

static void copy_rows(const weft__rect *r, unsigned char *device, unsigned char *host, bool to_host) {
  for (uint64_t s = 0; s < r->slices; s++) {
    for (uint64_t y = 0; y < r->rows; y++) {
      unsigned char *there = device + r->offset_bytes + s * r->slice_pitch + y * r->row_pitch;
      unsigned char *here = host + s * r->host_slice_pitch + y * r->host_row_pitch;
      memcpy(to_host ? here : there, to_host ? there : here, r->row_bytes);
    }
  }
}

/// Copies nothing for read-only memory: no kernel wrote it, so the host's copy is current and may not be writable.
static void run_map(const host_mapping *m, weft__cl_mem root) {
  if (root->around && root->read_only) return;
  if (m->read)
    memcpy(m->host, root->bytes + m->begin, m->end - m->begin);
  else
    memset(m->host, LOST, m->end - m->begin);
}

static void run_unmap(host_mapping *m, weft__cl_mem root) {
  if (m->write) memcpy(root->bytes + m->begin, m->host, m->end - m->begin);
  if (!root->around) free(m->host);
  free(m);
}

static void run(const host_command *command) {
  const weft__command *c = &command->what;
  weft__cl_mem root = c->mem ? c->mem->root : NULL;
  unsigned char *bytes = root ? root->bytes + c->mem->offset_bytes : NULL;
  switch (c->kind) {
    case WEFT__COMMAND_READ:
      memcpy(c->host, bytes + c->offset_bytes, c->size_bytes);
      break;
    case WEFT__COMMAND_WRITE:
      memcpy(bytes + c->offset_bytes, c->host, c->size_bytes);
      break;
    case WEFT__COMMAND_READ_RECT:
    case WEFT__COMMAND_WRITE_RECT:
      copy_rows(&command->rect, bytes, c->host, c->kind == WEFT__COMMAND_READ_RECT);
      break;
    case WEFT__COMMAND_COPY:
      memcpy(bytes + c->offset_bytes, c->from->root->bytes + c->from->offset_bytes + c->from_offset_bytes,
             c->size_bytes);
      break;
    case WEFT__COMMAND_FILL:
      for (uint64_t i = 0; i < c->size_bytes; i++)
        bytes[c->offset_bytes + i] = (unsigned char)(c->word >> i % WEFT__FILL_WORD * 8);
      break;
    case WEFT__COMMAND_MAP:
      run_map(command->mapping, root);
      break;
    case WEFT__COMMAND_UNMAP:
      run_unmap(command->mapping, root);
      break;
    default:
      break;
  }
}

/* ---- a queue's thread ---- */

/// Holds or drops the objects that a command uses.
static void each(const host_command *c, void (*act)(void *)) {
  void *const uses[] = {c->what.mem, c->what.from, c->what.after, c->event};
  for (int k = 0; k < 4; k++)
    if (uses[k]) act(uses[k]);
}

static void set_state(host_command *command, int state) {
  weft__cl_event event = command->event;
  if (!event) return;
  event->state = state;
  if (state == RUNNING) event->start_ns = now_ns();
  if (state == DONE) event->end_ns = now_ns();
}

/// Called with the lock; releases it while the command runs.
static void run_next(weft__cl_queue queue) {
  host_command *command = queue->first;
  queue->first = command->next;
  queue->waits_for = command->what.after;
  while (queue->waits_for && queue->waits_for->state > DONE) pthread_cond_wait(&changed, &host_mutex);
  queue->waits_for = NULL;
  set_state(command, RUNNING);
  host_unlock();
  run(command);
  host_lock();
  set_state(command, DONE);
  queue->done++;
  each(command, host_drop);
  free(command);
  pthread_cond_broadcast(&changed);
}

static void *serve(void *of) {
  weft__cl_queue queue = of;
  host_lock();
  while (!queue->ends || queue->first) {
    if (queue->done < queue->flushed)
      run_next(queue);
    else
      pthread_cond_wait(&changed, &host_mutex);
  }
  host_unlock();
  return NULL;
}

int host_queue_create(weft__cl_queue *out, weft__cl_context context, weft__cl_device device, bool records_times) {
  host_demand(device, "a queue of no device");
  host_lock();
  host_check(context, WEFT__CL_CONTEXT, "queue_create");
  weft__cl_queue queue = host_new(WEFT__CL_QUEUE, sizeof *queue);
  queue->context = context;
  queue->records_times = records_times;
  host_hold(context);
  host_demand(pthread_create(&queue->thread, NULL, serve, queue) == 0, "no thread for a queue");
  host_unlock();
  *out = queue;
  return 0;
}

/* ---- waiting ---- */

static void flush(weft__cl_queue queue) {
  for (host_command *c = queue->first; c; c = c->next)
    if (c->event && c->event->state == QUEUED) c->event->state = SUBMITTED;
  queue->flushed = queue->enqueued;
  pthread_cond_broadcast(&changed);
}

/// Fails if the wait would never end.
static void check_progress(const struct _cl_command_queue *queue, uint64_t number) {
  host_demand(number <= queue->flushed, "a wait of %d s for a command that was not flushed", PATIENCE_S);
  /* an event that the driver's user completes may take any time */
  if (queue->waits_for && queue->waits_for->queue) check_progress(queue->waits_for->queue, queue->waits_for->number);
}

static void wait_for(weft__cl_queue queue, uint64_t number) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += PATIENCE_S;
  while (queue->done < number) {
    if (pthread_cond_timedwait(&changed, &host_mutex, &until) == 0) continue;
    check_progress(queue, number);
    until.tv_sec += PATIENCE_S;
  }
}

int host_flush(weft__cl_queue queue) {
  host_lock();
  host_check(queue, WEFT__CL_QUEUE, "flush");
  flush(queue);
  host_unlock();
  return 0;
}

int host_finish(weft__cl_queue queue) {
  host_lock();
  host_check(queue, WEFT__CL_QUEUE, "finish");
  flush(queue);
  host_hold(queue);
  wait_for(queue, queue->enqueued);
  host_drop(queue);
  host_unlock();
  return 0;
}

int host_event_wait(weft__cl_event event) {
  host_lock();
  host_check(event, WEFT__CL_EVENT, "event_wait");
  host_demand(event->queue, "a wait of the host for an event that its user completes");
  host_hold(event);
  wait_for(event->queue, event->number);
  host_drop(event);
  host_unlock();
  return 0;
}

void host_queue_end(weft__cl_queue queue) {
  flush(queue);
  queue->ends = true;
  wait_for(queue, queue->enqueued);
  host_unlock();
  pthread_join(queue->thread, NULL);
  host_lock();
}

/* ---- enqueuing ---- */

static bool is_rect(const weft__command *c) {
  return c->kind == WEFT__COMMAND_READ_RECT || c->kind == WEFT__COMMAND_WRITE_RECT;
}

/// Asserts that members which a kind does not use are zero.
static void check_members(const weft__command *c) {
  const int kind = (int)c->kind;
  bool has_mem = kind >= WEFT__COMMAND_READ && kind <= WEFT__COMMAND_UNMAP, is_copy = kind == WEFT__COMMAND_COPY;
  bool transfers = kind >= WEFT__COMMAND_READ && kind <= WEFT__COMMAND_WRITE_RECT, is_map = kind == WEFT__COMMAND_MAP;
  bool has_size = has_mem && !is_rect(c) && kind != WEFT__COMMAND_UNMAP;
  host_demand(kind > WEFT__COMMAND_LAUNCH && kind <= WEFT__COMMAND_BARRIER, "command %d: none, or a launch", kind);
  host_demand(has_mem == (c->mem != NULL), "command %d with the buffer %p", kind, (void *)c->mem);
  host_demand(is_copy == (c->from != NULL), "command %d from the buffer %p", kind, (void *)c->from);
  host_demand(is_rect(c) == (c->rect != NULL), "command %d with the rectangle %p", kind, (const void *)c->rect);
  host_demand((transfers || kind == WEFT__COMMAND_UNMAP) == (c->host != NULL), "command %d at the host's %p", kind,
              c->host);
  host_demand(has_size == (c->size_bytes > 0), "command %d of %llu bytes", kind, show(c->size_bytes));
  host_demand(has_size || c->offset_bytes == 0, "command %d at %llu", kind, show(c->offset_bytes));
  host_demand(is_copy || c->from_offset_bytes == 0, "command %d from %llu", kind, show(c->from_offset_bytes));
  host_demand(transfers || is_map || !c->blocking, "command %d cannot block", kind);
  host_demand(is_map == (c->read || c->write), "command %d reads and writes: %d, %d", kind, c->read, c->write);
  host_demand(kind == WEFT__COMMAND_BARRIER || !c->after, "command %d after an event", kind);
  host_demand(kind == WEFT__COMMAND_FILL || !c->word, "command %d with the word %u", kind, c->word);
  host_demand((c->offset_bytes | c->size_bytes) % WEFT__FILL_WORD == 0 || c->word == (c->word & 0xff) * 0x01010101u,
              "a fill of parts of the word %#x", c->word);
}

/// Asserts that the bytes lie in the buffer, and that the host has not mapped them for writing (or at all, if the
/// command writes).
static void check_range(const weft__command *c, weft__cl_mem mem, uint64_t offset_bytes, uint64_t size_bytes,
                        bool writes) {
  host_check(mem, WEFT__CL_MEM, "enqueue");
  host_demand(mem->context == c->queue->context, "command %d: a buffer of another context", (int)c->kind);
  host_demand(offset_bytes <= mem->size_bytes && size_bytes <= mem->size_bytes - offset_bytes,
              "command %d: %llu bytes at %llu of a buffer of %llu", (int)c->kind, show(size_bytes), show(offset_bytes),
              show(mem->size_bytes));
  uint64_t begin = mem->offset_bytes + offset_bytes, end = begin + size_bytes;
  for (const host_mapping *m = mem->root->mappings; m; m = m->next)
    host_demand(end <= m->begin || m->end <= begin || !(writes || m->write),
                "command %d: where the host has mapped the buffer", (int)c->kind);
}

/// The extent of the rectangle in memory.
static uint64_t span_of(const weft__rect *r, uint64_t row_pitch, uint64_t slice_pitch) {
  host_demand(r->row_bytes && r->rows && r->slices, "an empty rectangle");
  host_demand(row_pitch <= HOST_MAX_BUFFER_BYTES && slice_pitch <= HOST_MAX_BUFFER_BYTES &&
                  r->rows <= HOST_MAX_BUFFER_BYTES && r->slices <= HOST_MAX_BUFFER_BYTES,
              "a rectangle larger than any buffer");
  host_demand(row_pitch >= r->row_bytes && slice_pitch >= r->rows * row_pitch && slice_pitch % row_pitch == 0,
              "a rectangle of %llu rows of %llu bytes with pitches of %llu and %llu", show(r->rows), show(r->row_bytes),
              show(row_pitch), show(slice_pitch));
  return (r->slices - 1) * slice_pitch + (r->rows - 1) * row_pitch + r->row_bytes;
}

static void check_memory(const weft__command *c) {
  bool writes =
      c->kind != WEFT__COMMAND_READ && c->kind != WEFT__COMMAND_READ_RECT && (c->kind != WEFT__COMMAND_MAP || c->write);
  if (is_rect(c)) {
    span_of(c->rect, c->rect->host_row_pitch, c->rect->host_slice_pitch);
    check_range(c, c->mem, c->rect->offset_bytes, span_of(c->rect, c->rect->row_pitch, c->rect->slice_pitch), writes);
  } else if (c->kind == WEFT__COMMAND_UNMAP) {
    host_check(c->mem, WEFT__CL_MEM, "enqueue");
  } else if (c->mem) {
    check_range(c, c->mem, c->offset_bytes, c->size_bytes, writes);
  }
  if (!c->from) return;
  check_range(c, c->from, c->from_offset_bytes, c->size_bytes, false);
  uint64_t to = c->mem->offset_bytes + c->offset_bytes, from = c->from->offset_bytes + c->from_offset_bytes;
  host_demand(c->mem->root != c->from->root || to + c->size_bytes <= from || from + c->size_bytes <= to,
              "a copy of %llu bytes from %llu to %llu of the same buffer", show(c->size_bytes), show(from), show(to));
}

/// Adds a mapping to the buffer.
static host_mapping *map(const weft__command *c) {
  weft__cl_mem root = c->mem->root;
  uint64_t begin = c->mem->offset_bytes + c->offset_bytes;
  host_mapping *m = host_zeroed(sizeof *m);
  *m = (host_mapping){
      .next = root->mappings, .begin = begin, .end = begin + c->size_bytes, .read = c->read, .write = c->write};
  m->host = root->around ? root->around + begin : host_fresh(c->size_bytes);
  host_demand(m->host, "no memory to map %llu bytes", show(c->size_bytes));
  return root->mappings = m;
}

/// Removes the mapping from the buffer.
static host_mapping *unmap(const weft__command *c) {
  host_mapping **at = &c->mem->root->mappings;
  while (*at && (*at)->host != c->host) at = &(*at)->next;
  host_demand(*at, "an unmap of what is not mapped");
  host_mapping *m = *at;
  *at = m->next;
  return m;
}

int host_event_create(weft__cl_event *out, weft__cl_context context) {
  host_lock();
  host_check(context, WEFT__CL_CONTEXT, "event_create");
  *out = host_new(WEFT__CL_EVENT, sizeof **out);
  (*out)->state = SUBMITTED;
  host_unlock();
  return 0;
}

int host_event_complete(weft__cl_event event, int state) {
  host_lock();
  host_check(event, WEFT__CL_EVENT, "event_complete");
  host_demand(!event->queue && state <= 0, "the event of a command, or the state %d, is completed", state);
  host_demand(event->state > DONE, "an event is completed twice");
  event->state = state;
  pthread_cond_broadcast(&changed);
  host_unlock();
  return 0;
}

static weft__cl_event event_of_command(weft__cl_queue queue) {
  weft__cl_event event = host_new(WEFT__CL_EVENT, sizeof *event);
  event->queue = queue;
  event->number = queue->enqueued + 1;
  event->state = QUEUED;
  host_hold(queue);
  return event;
}

static void append(weft__cl_queue queue, host_command *command) {
  if (queue->first)
    queue->last->next = command;
  else
    queue->first = command;
  queue->last = command;
  queue->enqueued++;
}

int host_enqueue(weft__command *c) {
  host_lock();
  host_check(c->queue, WEFT__CL_QUEUE, "enqueue");
  check_members(c);
  check_memory(c);
  if (c->after) host_check(c->after, WEFT__CL_EVENT, "enqueue");
  host_command *command = host_zeroed(sizeof *command);
  command->what = *c;
  if (c->rect) command->rect = *c->rect;
  if (c->event) *c->event = command->event = event_of_command(c->queue);
  if (c->kind == WEFT__COMMAND_UNMAP) command->mapping = unmap(c);
  if (c->kind == WEFT__COMMAND_MAP) {
    command->mapping = map(c);
    c->host = command->mapping->host;
  }
  each(command, host_hold);
  append(c->queue, command);
  if (c->blocking) {
    flush(c->queue);
    wait_for(c->queue, c->queue->enqueued);
  }
  host_unlock();
  return 0;
}
