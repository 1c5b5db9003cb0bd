// SPDX-License-Identifier: MIT
/// The table, the device and the objects.
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "host_driver.h"

#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host_objects.h"

enum { INVALID_VALUE = -30, NO_TIMES = -7 };

struct _cl_platform_id {
  const char *name;
};
struct _cl_device_id {
  const char *name;
};
static struct _cl_platform_id the_platform = {HOST_PLATFORM};
static struct _cl_device_id the_device = {"host"};

pthread_mutex_t host_mutex = PTHREAD_MUTEX_INITIALIZER;
static host_object *all;
static long alive;
static uint64_t memory_used;

const weft__driver_table *const weft__driver = &host_driver;

void host_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("host driver: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  abort();
}

/* ---- what is there ---- */

static int find_opencl(struct dl_phdr_info *info, size_t size, void *found) {
  (void)size;
  if (info->dlpi_name && strstr(info->dlpi_name, "libOpenCL")) *(bool *)found = true;
  return 0;
}

bool host_driver_sees_opencl(void) {
  bool found = false;
  dl_iterate_phdr(find_opencl, &found);
  return found;
}

static int platforms(weft__cl_platform *out, uint32_t room, uint32_t *count) {
  host_demand(!host_driver_sees_opencl(), "libOpenCL is in this process");
  if (room > 0) out[0] = &the_platform;
  *count = 1;
  return 0;
}

static int devices(weft__cl_device *out, uint32_t room, uint32_t *count, weft__cl_platform platform) {
  host_demand(platform == &the_platform, "devices of no platform");
  if (room > 0) out[0] = &the_device;
  *count = 1;
  return 0;
}

static int device_facts(weft__device_facts *facts, weft__cl_device device, const char *extensions) {
  host_demand(device == &the_device && extensions, "facts of no device");
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  *facts = (weft__device_facts){
      .platform = &the_platform,
      .type = WEFT_DEVICE_TYPE_CPU,
      .compute_units = processors > 0 ? (uint32_t)processors : 1,
      .clock_mhz = 1000,
      .warp_size = 1,
      .address_bits = sizeof(void *) * 8,
      .memory_size_bytes = HOST_MEMORY_BYTES,
      .max_allocation_bytes = HOST_MAX_BUFFER_BYTES,
      .local_memory_bytes = 32768,
      .address_align_bits = HOST_ALIGN_BYTES * 8,
      .max_block_threads = 1024,
      .max_block = {1024, 1024, 64},
      .unified_memory = true,
      .has_fp64 = true,
  };
  return 0;
}

static int text(char *room, size_t room_bytes, size_t *size_bytes, const weft__text_of *of) {
  static const char *const texts[] = {
      [WEFT__TEXT_PLATFORM_NAME] = HOST_PLATFORM,  [WEFT__TEXT_DEVICE_NAME] = "host",
      [WEFT__TEXT_DEVICE_VENDOR] = "Weft's tests", [WEFT__TEXT_DEVICE_VERSION] = "OpenCL 1.2",
      [WEFT__TEXT_DRIVER_VERSION] = "1.0",         [WEFT__TEXT_EXTENSIONS] = "",
      [WEFT__TEXT_PLATFORM_VERSION] = "OpenCL 1.2",
  };
  host_demand((size_t)of->kind < sizeof texts / sizeof *texts, "text %d is a program's, and there is none",
              (int)of->kind);
  bool is_platform = of->kind == WEFT__TEXT_PLATFORM_NAME || of->kind == WEFT__TEXT_PLATFORM_VERSION;
  host_demand(is_platform ? of->platform == &the_platform : of->device == &the_device, "text %d of nothing",
              (int)of->kind);
  *size_bytes = strlen(texts[of->kind]) + 1;
  if (room && room_bytes < *size_bytes) return INVALID_VALUE;
  if (room) memcpy(room, texts[of->kind], *size_bytes);
  return 0;
}

/* ---- objects ---- */

void *host_zeroed(size_t size_bytes) {
  void *memory = calloc(1, size_bytes);
  host_demand(memory, "no memory");
  return memory;
}

void *host_new(weft__cl_kind kind, size_t size_bytes) {
  host_object *object = host_zeroed(size_bytes);
  object->kind = kind;
  object->references = 1;
  object->next = all;
  all = object;
  alive++;
  return object;
}

static const char *name_of(weft__cl_kind kind) {
  static const char *const names[] = {
      [WEFT__CL_CONTEXT] = "context", [WEFT__CL_QUEUE] = "queue",   [WEFT__CL_MEM] = "buffer",
      [WEFT__CL_PROGRAM] = "program", [WEFT__CL_KERNEL] = "kernel", [WEFT__CL_EVENT] = "event"};
  return names[kind];
}

void host_check(const void *object, weft__cl_kind kind, const char *where) {
  const host_object *head = object;
  host_demand(head, "%s: no %s", where, name_of(kind));
  host_demand(head->kind == kind, "%s: not a %s", where, name_of(kind));
  host_demand(head->references > 0, "%s: a %s after its release", where, name_of(kind));
}

static void end_mem(weft__cl_mem mem) {
  if (mem->root != mem) {
    host_drop(mem->root);
  } else {
    host_demand(!mem->mappings, "a buffer's last reference is released while it is mapped");
    memory_used -= mem->size_bytes;
    free(mem->bytes);
    mem->bytes = NULL;
  }
  host_drop(mem->context);
}

void host_hold(void *object) {
  ((host_object *)object)->holds++;
}

static void end_unheld(host_object *object) {
  if (object->references > 0 || object->holds > 0) return;
  alive--;
  if (object->kind == WEFT__CL_MEM) end_mem((weft__cl_mem)object);
  if (object->kind == WEFT__CL_EVENT && ((weft__cl_event)object)->queue) host_drop(((weft__cl_event)object)->queue);
  if (object->kind == WEFT__CL_QUEUE) host_drop(((weft__cl_queue)object)->context);
}

void host_drop(void *object) {
  host_object *head = object;
  head->holds--;
  end_unheld(head);
}

static int retain(weft__cl_kind kind, void *object) {
  host_lock();
  host_check(object, kind, "retain");
  ((host_object *)object)->references++;
  host_unlock();
  return 0;
}

static int release(weft__cl_kind kind, void *object) {
  host_object *head = object;
  host_lock();
  host_check(object, kind, "release");
  bool is_last = --head->references == 0;
  head->holds++;
  if (is_last && kind == WEFT__CL_QUEUE) host_queue_end(object);
  host_drop(object);
  host_unlock();
  return 0;
}

long host_driver_alive(void) {
  host_lock();
  long count = alive;
  host_unlock();
  return count;
}

static int context_create(weft__cl_context *out, weft__cl_platform platform, weft__cl_device device) {
  host_demand(platform == &the_platform && device == &the_device, "a context of no device");
  host_lock();
  *out = host_new(WEFT__CL_CONTEXT, sizeof **out);
  host_unlock();
  return 0;
}

static int queue_info(weft__queue_info *info, weft__cl_queue queue) {
  host_lock();
  host_check(queue, WEFT__CL_QUEUE, "queue_info");
  *info = (weft__queue_info){.context = queue->context, .device = &the_device, .records_times = queue->records_times};
  host_unlock();
  return 0;
}

/* ---- memory ---- */

enum { FRESH = 0xa5, FRESH_BYTES = 1 << 20 }; /* of a large buffer, only the ends are filled */

unsigned char *host_fresh(size_t size_bytes) {
  unsigned char *bytes =
      aligned_alloc(HOST_ALIGN_BYTES, (size_bytes + HOST_ALIGN_BYTES - 1) / HOST_ALIGN_BYTES * HOST_ALIGN_BYTES);
  size_t part = size_bytes < FRESH_BYTES ? size_bytes : FRESH_BYTES;
  if (!bytes) return NULL;
  memset(bytes, FRESH, part);
  memset(bytes + size_bytes - part, FRESH, part);
  return bytes;
}

static int buffer_create(weft__cl_mem *out, weft__cl_context context, const weft__buffer_params *params) {
  bool has_host = params->kind == WEFT__BUFFER_COPIED || params->kind == WEFT__BUFFER_AROUND;
  size_t size = params->size_bytes;
  *out = NULL;
  host_demand(size > 0, "a buffer of 0 bytes");
  host_demand(params->kind <= WEFT__BUFFER_AROUND, "a buffer of kind %d", (int)params->kind);
  host_demand(has_host == (params->host != NULL), "a buffer of kind %d with the host's memory at %p", (int)params->kind,
              params->host);
  if (size > HOST_MAX_BUFFER_BYTES) return WEFT__CL_INVALID_BUFFER_SIZE;
  host_lock();
  host_check(context, WEFT__CL_CONTEXT, "buffer_create");
  unsigned char *bytes = memory_used + size <= HOST_MEMORY_BYTES ? host_fresh(size) : NULL;
  if (bytes) {
    *out = host_new(WEFT__CL_MEM, sizeof **out);
    **out = (struct _cl_mem){.object = (*out)->object,
                             .context = context,
                             .root = *out,
                             .size_bytes = size,
                             .read_only = params->read_only,
                             .bytes = has_host ? memcpy(bytes, params->host, size) : bytes,
                             .around = params->kind == WEFT__BUFFER_AROUND ? params->host : NULL};
    memory_used += size;
    host_hold(context);
  }
  host_unlock();
  return bytes ? 0 : WEFT__CL_OUT_OF_DEVICE_MEMORY;
}

static int sub_buffer_create(weft__cl_mem *out, weft__cl_mem of, bool read_only, uint64_t offset_bytes,
                             uint64_t size_bytes) {
  host_lock();
  host_check(of, WEFT__CL_MEM, "sub_buffer_create");
  host_demand(of->root == of, "a part of a part");
  host_demand(offset_bytes % HOST_ALIGN_BYTES == 0, "a part at %llu, which is not aligned",
              (unsigned long long)offset_bytes);
  host_demand(size_bytes > 0 && offset_bytes <= of->size_bytes && size_bytes <= of->size_bytes - offset_bytes,
              "a part of %llu bytes at %llu of a buffer of %llu", (unsigned long long)size_bytes,
              (unsigned long long)offset_bytes, (unsigned long long)of->size_bytes);
  *out = host_new(WEFT__CL_MEM, sizeof **out);
  **out = (struct _cl_mem){.object = (*out)->object,
                           .context = of->context,
                           .root = of,
                           .offset_bytes = offset_bytes,
                           .size_bytes = size_bytes,
                           .read_only = read_only || of->read_only};
  host_hold(of);
  host_hold(of->context);
  host_unlock();
  return 0;
}

static int mem_info(weft__mem_info *info, weft__cl_mem mem) {
  host_lock();
  host_check(mem, WEFT__CL_MEM, "mem_info");
  *info = (weft__mem_info){.context = mem->context,
                           .size_bytes = mem->size_bytes,
                           .is_buffer = true,
                           .read_only = mem->read_only,
                           .whole = mem->root == mem ? NULL : mem->root,
                           .begin_bytes = mem->offset_bytes};
  host_unlock();
  return 0;
}

/* ---- events ---- */

static int event_state(int *state, weft__cl_event event) {
  host_lock();
  host_check(event, WEFT__CL_EVENT, "event_state");
  *state = event->state;
  host_unlock();
  return 0;
}

static int event_times(uint64_t *start_ns, uint64_t *end_ns, weft__cl_event event) {
  host_lock();
  host_check(event, WEFT__CL_EVENT, "event_times");
  host_demand(event->state == 0, "the times of a command that is not done");
  bool known = event->queue->records_times;
  *start_ns = event->start_ns;
  *end_ns = event->end_ns;
  host_unlock();
  return known ? 0 : NO_TIMES;
}

/* No images, samplers, programs or kernels: entries that are NULL here are never called. */
const weft__driver_table host_driver = {
    .runs_kernels = false,
    .platforms = platforms,
    .devices = devices,
    .device_facts = device_facts,
    .text = text,
    .context_create = context_create,
    .queue_create = host_queue_create,
    .queue_info = queue_info,
    .flush = host_flush,
    .finish = host_finish,
    .retain = retain,
    .release = release,
    .buffer_create = buffer_create,
    .sub_buffer_create = sub_buffer_create,
    .mem_info = mem_info,
    .enqueue = host_enqueue,
    .event_create = host_event_create,
    .event_complete = host_event_complete,
    .event_state = event_state,
    .event_wait = host_event_wait,
    .event_times = event_times,
};
