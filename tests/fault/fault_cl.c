// SPDX-License-Identifier: MIT
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300 /* the table has newer functions too */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "fault_cl.h"

#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault_cl_table.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fault_record unread, *record = &unread;
static fault_plan plan;
static _Thread_local bool is_own;

// ---- the loader's functions ----

#define FAULT_POINTER(type, name, parameters) type(CL_API_CALL *name) parameters;
#define FAULT_POINTER_STATUS(kind, name, parameters, arguments) FAULT_POINTER(cl_int, name, parameters)
#define FAULT_POINTER_QUERY(name, parameters, arguments) FAULT_POINTER(cl_int, name, parameters)
#define FAULT_POINTER_CREATE(kind, object, type, name, parameters, arguments) FAULT_POINTER(type, name, parameters)
#define FAULT_POINTER_COUNT(object, name, type) FAULT_POINTER(cl_int, name, (type))

static struct {
  FAULT_CL_TABLE(FAULT_POINTER_STATUS, FAULT_POINTER_QUERY, FAULT_POINTER_CREATE, FAULT_POINTER_COUNT, FAULT_POINTER_COUNT,
                 FAULT_POINTER_QUERY, FAULT_POINTER)
} real;

static void find(void *loader, const char *name, void *pointer) {
  // A loader of OpenCL 1.2 lacks the newer names; whoever calls one has asked for the version first.
  void *function = dlsym(loader, name);
  memcpy(pointer, &function, sizeof function);
}

static void load(void) {
  // By handle, since a plain look-up by name would find this file's functions.
  void *loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (loader == NULL) {
    fprintf(stderr, "fault_cl: %s\n", dlerror());
    exit(1);
  }
#define FAULT_FIND(type, name, parameters) find(loader, #name, &real.name);
#define FAULT_FIND_STATUS(kind, name, parameters, arguments) FAULT_FIND(, name, )
#define FAULT_FIND_QUERY(name, parameters, arguments) FAULT_FIND(, name, )
#define FAULT_FIND_CREATE(kind, object, type, name, parameters, arguments) FAULT_FIND(, name, )
#define FAULT_FIND_COUNT(object, name, type) FAULT_FIND(, name, )
  FAULT_CL_TABLE(FAULT_FIND_STATUS, FAULT_FIND_QUERY, FAULT_FIND_CREATE, FAULT_FIND_COUNT, FAULT_FIND_COUNT, FAULT_FIND_QUERY, FAULT_FIND)
}

// ---- counting and deciding ----

static const struct {
  const char *name;
  cl_int code;
} kinds[] = {
#define FAULT_ROW(kind, name, code) [kind] = {#name, code},
    FAULT_KINDS(FAULT_ROW)
#undef FAULT_ROW
};

static const char *const objects[] = {
#define FAULT_ROW(object, name) [object] = #name,
    FAULT_OBJECTS(FAULT_ROW)
#undef FAULT_ROW
};

const char *fault_kind_name(fault_kind kind) {
  return kinds[kind].name;
}

const char *fault_object_name(fault_object object) {
  return objects[object];
}

void fault_begin(fault_record *into, const fault_plan *what) {
  pthread_mutex_lock(&lock);
  memset(into, 0, sizeof *into);
  record = into;
  plan = *what;
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

/// A wait that polls asks as often as the device takes: the repetitions have no number, so that a program makes the same calls each time.
static bool is_repeated_poll(const char *function) {
  static _Thread_local const char *last = "";
  bool is_repeated = strcmp(function, "clGetEventInfo") == 0 && strcmp(last, function) == 0;
  last = function;
  return is_repeated;
}

/// Counts a call; true, with the code, where it has to fail.
static bool strikes(fault_kind kind, const char *function, cl_uint parameter, cl_int *code) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  bool struck = false, is_repeated = is_repeated_poll(function);
  pthread_once(&once, load);
  pthread_mutex_lock(&lock);
  if (!is_own && (plan.function == NULL || strcmp(plan.function, function) == 0) && (plan.kinds == 0 || (plan.kinds >> kind & 1) != 0)) {
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
      record->parameter = parameter;
      record->kind = kind;
      record->code = *code;
    }
    record->failed++;
    record->failed_by_kind[kind]++;
  }
  pthread_mutex_unlock(&lock);
  return struck;
}

static void tally(fault_object object, long change) {
  pthread_mutex_lock(&lock);
  record->alive[object] += change;
  if (change > 0) record->created[object] += change;
  pthread_mutex_unlock(&lock);
}

static void tally_event(const cl_event *event) {
  if (event != NULL && *event != NULL) tally(FAULT_EVENT, 1);
}

// ---- the functions ----

/* A wait that fails waits all the same: a device that is really lost works no more, this one would go on with memory that is given back. */
#define FAULT_DEFINE_STATUS(kind, name, parameters, arguments)       \
  cl_int CL_API_CALL name parameters {                               \
    cl_int code;                                                     \
    if (!strikes(kind, #name, 0, &code)) return real.name arguments; \
    if ((kind) == FAULT_WAIT) (void)real.name arguments;             \
    return code;                                                     \
  }
#define FAULT_DEFINE_QUERY(name, parameters, arguments)                                 \
  cl_int CL_API_CALL name parameters {                                                  \
    cl_int code;                                                                        \
    return strikes(FAULT_QUERY, #name, param_name, &code) ? code : real.name arguments; \
  }
#define FAULT_DEFINE_CREATE(kind, object, type, name, parameters, arguments) \
  type CL_API_CALL name parameters {                                         \
    cl_int code;                                                             \
    type made = NULL;                                                        \
    if (!strikes(kind, #name, 0, &code))                                     \
      made = real.name arguments;                                            \
    else if (errcode_ret != NULL)                                            \
      *errcode_ret = code;                                                   \
    if (made != NULL) tally(object, 1);                                      \
    return made;                                                             \
  }
#define FAULT_DEFINE_RETAIN(object, name, type)              \
  cl_int CL_API_CALL name(type of) {                         \
    cl_int code;                                             \
    if (strikes(FAULT_RETAIN, #name, 0, &code)) return code; \
    code = real.name(of);                                    \
    if (code == CL_SUCCESS) tally(object, 1);                \
    return code;                                             \
  }
#define FAULT_DEFINE_RELEASE(object, name, type)              \
  cl_int CL_API_CALL name(type of) {                          \
    cl_int code, failure;                                     \
    bool struck = strikes(FAULT_RELEASE, #name, 0, &failure); \
    code = real.name(of);                                     \
    if (code == CL_SUCCESS) tally(object, -1);                \
    return struck ? failure : code;                           \
  }
#define FAULT_DEFINE_ENQUEUE(name, parameters, arguments)     \
  cl_int CL_API_CALL name parameters {                        \
    cl_int code;                                              \
    if (strikes(FAULT_ENQUEUE, #name, 0, &code)) return code; \
    code = real.name arguments;                               \
    if (code == CL_SUCCESS) tally_event(event);               \
    return code;                                              \
  }
#define FAULT_DEFINE_SPECIAL(type, name, parameters)

FAULT_CL_TABLE(FAULT_DEFINE_STATUS, FAULT_DEFINE_QUERY, FAULT_DEFINE_CREATE, FAULT_DEFINE_RETAIN, FAULT_DEFINE_RELEASE,
               FAULT_DEFINE_ENQUEUE, FAULT_DEFINE_SPECIAL)

cl_int CL_API_CALL clCreateKernelsInProgram(cl_program program, cl_uint room, cl_kernel *kernels, cl_uint *found) {
  cl_int code;
  cl_uint made = 0;
  if (strikes(FAULT_CREATE, "clCreateKernelsInProgram", 0, &code)) return code;
  code = real.clCreateKernelsInProgram(program, room, kernels, &made);
  if (code == CL_SUCCESS && kernels != NULL && made > 0) tally(FAULT_KERNEL, (long)made);
  if (code == CL_SUCCESS && found != NULL) *found = made;
  return code;
}

void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset,
                                     size_t size, FAULT_WAIT_PARAMETERS, cl_int *errcode_ret) {
  cl_int code;
  void *mapped;
  if (strikes(FAULT_MAP, "clEnqueueMapBuffer", 0, &code)) {
    if (errcode_ret != NULL) *errcode_ret = code;
    return NULL;
  }
  mapped = real.clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, FAULT_WAIT_LIST, errcode_ret);
  if (mapped != NULL) {
    tally(FAULT_MAPPING, 1);
    tally_event(event);
  }
  return mapped;
}

cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *mapped, FAULT_WAIT_PARAMETERS) {
  cl_int code, failure;
  bool struck = strikes(FAULT_UNMAP, "clEnqueueUnmapMemObject", 0, &failure);
  code = real.clEnqueueUnmapMemObject(queue, memory, mapped, wait_count, wait_list, struck ? NULL : event);
  if (code == CL_SUCCESS) {
    tally(FAULT_MAPPING, -1);
    if (!struck) tally_event(event);
  }
  return struck ? failure : code;
}
