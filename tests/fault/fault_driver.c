// SPDX-License-Identifier: MIT
#include "fault_driver.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fault_record unread, *record = &unread;
static fault_plan plan;
static pthread_t program_thread;
static _Thread_local bool is_own;

// ---- counting and deciding ----

static const struct {
  const char *name;
  int code;
} kinds[] = {
#define FAULT_ROW(kind, name, code) [kind] = {#name, code},
    FAULT_KINDS(FAULT_ROW)
#undef FAULT_ROW
};

const char *fault_kind_name(fault_kind kind) {
  return kinds[kind].name;
}

const char *fault_object_name(int object) {
  static const char *const names[] = {
      [WEFT__CL_CONTEXT] = "context", [WEFT__CL_QUEUE] = "queue",   [WEFT__CL_MEM] = "buffer",
      [WEFT__CL_PROGRAM] = "program", [WEFT__CL_KERNEL] = "kernel", [WEFT__CL_SAMPLER] = "sampler",
      [WEFT__CL_EVENT] = "event",     [FAULT_MAPPING] = "mapping"};
  return names[object];
}

void fault_begin(fault_record *into, const fault_plan *what) {
  pthread_mutex_lock(&lock);
  memset(into, 0, sizeof *into);
  record = into;
  plan = *what;
  program_thread = pthread_self();
  pthread_mutex_unlock(&lock);
}

void fault_change(const fault_plan *what) {
  pthread_mutex_lock(&lock);
  record->calls = 0;
  record->failed = 0;
  plan = *what;
  pthread_mutex_unlock(&lock);
}

void fault_end(void) {
  pthread_mutex_lock(&lock);
  record = &unread;
  memset(&plan, 0, sizeof plan);
  pthread_mutex_unlock(&lock);
}

void fault_own(bool own) {
  is_own = own;
}

bool fault_is_own(void) {
  return is_own;
}

/// Whether a call repeats the last poll of a wait. The number of polls depends on the device's speed; uncounted
/// repetitions let a program make the same calls each time.
static bool is_repeated_poll(const char *function) {
  static _Thread_local const char *last = "";
  bool is_repeated = strcmp(function, "event_state") == 0 && strcmp(last, function) == 0;
  last = function;
  return is_repeated;
}

/// Whether one of Weft's threads ends what the program began: at any time, so with another number in each run.
static bool is_an_end(fault_kind kind, const char *function) {
  return !pthread_equal(pthread_self(), program_thread) &&
         (kind == FAULT_RELEASE || strcmp(function, "event_complete") == 0);
}

/// Counts a call; returns true, with the code, if it has to fail.
static bool strikes(fault_kind kind, const char *function, int *code) {
  bool struck = false, is_repeated = is_repeated_poll(function);
  pthread_mutex_lock(&lock);
  if (!is_own && !is_an_end(kind, function) && (plan.function == NULL || strcmp(plan.function, function) == 0) &&
      (plan.kinds == 0 || (plan.kinds >> kind & 1) != 0)) {
    if (!is_repeated) {
      record->calls++;
      record->calls_by_kind[kind]++;
    }
    struck = plan.call != 0 && (plan.onwards ? record->calls >= plan.call : record->calls == plan.call && !is_repeated);
  }
  if (struck) {
    *code = plan.code != 0 ? plan.code : kinds[kind].code;
    if (record->failed == 0) {
      snprintf(record->function, sizeof record->function, "%s", function);
      record->kind = kind;
      record->code = *code;
    }
    record->failed++;
    record->failed_by_kind[kind]++;
  }
  pthread_mutex_unlock(&lock);
  return struck;
}

static void tally(int object, long change) {
  pthread_mutex_lock(&lock);
  record->alive[object] += change;
  if (change > 0) record->created[object] += change;
  pthread_mutex_unlock(&lock);
}

// ---- the functions ----

#define QUERY(name, result, parameters, arguments)                               \
  static int name parameters {                                                   \
    int code;                                                                    \
    if (!strikes(FAULT_QUERY, #name, &code)) return weft__opencl.name arguments; \
    memset(result, 0x5a, sizeof *result);                                        \
    return code;                                                                 \
  }
#define CREATE(name, object, parameters, arguments)                               \
  static int name parameters {                                                    \
    int code;                                                                     \
    *out = NULL;                                                                  \
    if (!strikes(FAULT_CREATE, #name, &code)) code = weft__opencl.name arguments; \
    if (*out != NULL) tally(object, 1);                                           \
    return code;                                                                  \
  }
/* A wait that fails still waits: a device that is really lost stops working, but this one would go on with memory that
   was released. */
#define STATUS(name, kind, parameters, arguments)                         \
  static int name parameters {                                            \
    int code;                                                             \
    if (!strikes(kind, #name, &code)) return weft__opencl.name arguments; \
    if ((kind) == FAULT_WAIT) (void)weft__opencl.name arguments;          \
    return code;                                                          \
  }

// clang-format off
QUERY(platforms, count, (weft__cl_platform *platforms_, uint32_t room, uint32_t *count), (platforms_, room, count))
QUERY(devices, count, (weft__cl_device *devices_, uint32_t room, uint32_t *count, weft__cl_platform platform),
      (devices_, room, count, platform))
QUERY(text, size_bytes, (char *room, size_t room_bytes, size_t *size_bytes, const weft__text_of *of),
      (room, room_bytes, size_bytes, of))
QUERY(queue_info, info, (weft__queue_info *info, weft__cl_queue queue), (info, queue))
QUERY(mem_info, info, (weft__mem_info *info, weft__cl_mem mem), (info, mem))
QUERY(image_kind, kind, (const char **kind, weft__cl_mem image), (kind, image))
QUERY(image_supported, is, (bool *is, weft__cl_context context, const weft__image_form *form), (is, context, form))
QUERY(image_form, form, (weft__image_form *form, weft__cl_mem image), (form, image))
QUERY(sampler_context, context, (weft__cl_context *context, weft__cl_sampler sampler), (context, sampler))
QUERY(kernel_limits, limits, (weft__kernel_limits *limits, weft__cl_kernel kernel, weft__cl_device device),
      (limits, kernel, device))
QUERY(parameter_info, info, (weft__parameter_info *info, weft__cl_kernel kernel, uint32_t index), (info, kernel, index))
QUERY(event_state, state, (int *state, weft__cl_event event), (state, event))
QUERY(event_times, start_ns, (uint64_t *start_ns, uint64_t *end_ns, weft__cl_event event), (start_ns, end_ns, event))
CREATE(context_create, WEFT__CL_CONTEXT, (weft__cl_context *out, weft__cl_platform platform, weft__cl_device device),
       (out, platform, device))
CREATE(queue_create, WEFT__CL_QUEUE,
       (weft__cl_queue *out, weft__cl_context context, weft__cl_device device, bool times),
       (out, context, device, times))
CREATE(buffer_create, WEFT__CL_MEM, (weft__cl_mem *out, weft__cl_context context, const weft__buffer_params *params),
       (out, context, params))
CREATE(sub_buffer_create, WEFT__CL_MEM,
       (weft__cl_mem *out, weft__cl_mem mem, bool read_only, uint64_t offset, uint64_t size),
       (out, mem, read_only, offset, size))
CREATE(image_create, WEFT__CL_MEM, (weft__cl_mem *out, weft__cl_context context, const weft__image_form *form),
       (out, context, form))
CREATE(sampler_create, WEFT__CL_SAMPLER,
       (weft__cl_sampler *out, weft__cl_context context, const weft__sampler_form *form), (out, context, form))
CREATE(program_create, WEFT__CL_PROGRAM, (weft__cl_program *out, weft__cl_context context, const char *source),
       (out, context, source))
CREATE(program_load, WEFT__CL_PROGRAM,
       (weft__cl_program *out, weft__cl_context context, weft__cl_device device, const void *code_, size_t size,
        bool is_il),
       (out, context, device, code_, size, is_il))
CREATE(kernel_create, WEFT__CL_KERNEL, (weft__cl_kernel *out, weft__cl_program program, const char *name),
       (out, program, name))
CREATE(event_create, WEFT__CL_EVENT, (weft__cl_event *out, weft__cl_context context), (out, context))
STATUS(program_build, FAULT_BUILD, (weft__cl_program program, weft__cl_device device, const char *options),
       (program, device, options))
STATUS(kernel_set, FAULT_ARGUMENT, (weft__cl_kernel kernel, uint32_t index, size_t size, const void *data),
       (kernel, index, size, data))
STATUS(flush, FAULT_WAIT, (weft__cl_queue queue), (queue))
STATUS(finish, FAULT_WAIT, (weft__cl_queue queue), (queue))
STATUS(event_wait, FAULT_WAIT, (weft__cl_event event), (event))
// clang-format on

static int device_facts(weft__device_facts *facts, weft__cl_device device, const char *extensions) {
  int code;
  if (!strikes(FAULT_QUERY, "device_facts", &code)) return weft__opencl.device_facts(facts, device, extensions);
  memset(facts, 0x5a, sizeof *facts);
  facts->asked = "CL_DEVICE_TYPE";
  return code;
}

static int retain(weft__cl_kind kind, void *object) {
  int code;
  if (strikes(FAULT_RETAIN, "retain", &code)) return code;
  code = weft__opencl.retain(kind, object);
  if (code == 0) tally((int)kind, 1);
  return code;
}

static int release(weft__cl_kind kind, void *object) {
  int code, failure;
  bool struck = strikes(FAULT_RELEASE, "release", &failure);
  code = weft__opencl.release(kind, object);
  if (code == 0) tally((int)kind, -1);
  return struck ? failure : code;
}

static int enqueue(weft__command *command) {
  int code, failure;
  bool is_map = command->kind == WEFT__COMMAND_MAP, is_unmap = command->kind == WEFT__COMMAND_UNMAP;
  weft__cl_event *event = command->event;
  bool struck = strikes(is_map     ? FAULT_MAP
                        : is_unmap ? FAULT_UNMAP
                                   : FAULT_ENQUEUE,
                        weft__command_call(command), &failure);
  if (struck && event != NULL) *event = NULL;
  if (struck && !is_unmap) return failure;
  weft__command forwarded = *command;
  if (struck) forwarded.event = NULL;
  code = weft__opencl.enqueue(&forwarded);
  command->host = forwarded.host;
  if (code == 0 && (is_map || is_unmap)) tally(FAULT_MAPPING, is_map ? 1 : -1);
  if (code == 0 && forwarded.event != NULL) tally(WEFT__CL_EVENT, 1);
  return struck ? failure : code;
}

/// A completion that fails still completes: nothing else would ever let the waiting commands run.
static int event_complete(weft__cl_event event, int state) {
  int code, failure;
  const bool struck = strikes(FAULT_ENQUEUE, "event_complete", &failure);
  code = weft__opencl.event_complete(event, state);
  return struck ? failure : code;
}

static const weft__driver_table table = {
    .runs_kernels = true,
    .platforms = platforms,
    .devices = devices,
    .device_facts = device_facts,
    .text = text,
    .context_create = context_create,
    .queue_create = queue_create,
    .queue_info = queue_info,
    .flush = flush,
    .finish = finish,
    .retain = retain,
    .release = release,
    .buffer_create = buffer_create,
    .sub_buffer_create = sub_buffer_create,
    .mem_info = mem_info,
    .image_kind = image_kind,
    .image_supported = image_supported,
    .image_create = image_create,
    .image_form = image_form,
    .sampler_create = sampler_create,
    .sampler_context = sampler_context,
    .program_create = program_create,
    .program_load = program_load,
    .program_build = program_build,
    .kernel_create = kernel_create,
    .kernel_limits = kernel_limits,
    .parameter_info = parameter_info,
    .kernel_set = kernel_set,
    .enqueue = enqueue,
    .event_create = event_create,
    .event_complete = event_complete,
    .event_state = event_state,
    .event_wait = event_wait,
    .event_times = event_times,
};

const weft__driver_table *const weft__driver = &table;
