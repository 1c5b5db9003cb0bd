// SPDX-License-Identifier: MIT
/// Makes OpenCL calls fail. Linked into an executable, fault_cl.c defines the OpenCL functions itself, so that the library's calls (and the
/// executable's own) arrive there; it counts them, fails those that the plan names, and forwards the others to the system's loader.
///
/// A failed create makes nothing; a failed release or unmap has really released, as a driver would that reports an earlier error there.
#ifndef FAULT_CL_H
#define FAULT_CL_H

#include <stdbool.h>

#define FAULT_KINDS(X)                             \
  X(FAULT_QUERY, query, CL_OUT_OF_RESOURCES)       \
  X(FAULT_CREATE, create, CL_OUT_OF_HOST_MEMORY)   \
  X(FAULT_RETAIN, retain, CL_OUT_OF_RESOURCES)     \
  X(FAULT_RELEASE, release, CL_OUT_OF_RESOURCES)   \
  X(FAULT_BUILD, build, CL_BUILD_PROGRAM_FAILURE)  \
  X(FAULT_ARGUMENT, argument, CL_INVALID_ARG_SIZE) \
  X(FAULT_ENQUEUE, enqueue, CL_OUT_OF_RESOURCES)   \
  X(FAULT_MAP, map, CL_MAP_FAILURE)                \
  X(FAULT_UNMAP, unmap, CL_OUT_OF_RESOURCES)       \
  X(FAULT_WAIT, wait, CL_OUT_OF_RESOURCES)         \
  X(FAULT_CALLBACK, callback, CL_OUT_OF_RESOURCES)

// clang-format off
typedef enum fault_kind {
#define FAULT_ENUM(kind, name, code) kind,
  FAULT_KINDS(FAULT_ENUM)
#undef FAULT_ENUM
  FAULT_KIND_COUNT
} fault_kind;
// clang-format on

#define FAULT_OBJECTS(X)        \
  X(FAULT_DEVICE, device)       \
  X(FAULT_CONTEXT, context)     \
  X(FAULT_COMMAND_QUEUE, queue) \
  X(FAULT_MEMORY, buffer)       \
  X(FAULT_PROGRAM, program)     \
  X(FAULT_KERNEL, kernel)       \
  X(FAULT_EVENT, event)         \
  X(FAULT_SAMPLER, sampler)     \
  X(FAULT_MAPPING, mapping)

// clang-format off
typedef enum fault_object {
#define FAULT_ENUM(object, name) object,
  FAULT_OBJECTS(FAULT_ENUM)
#undef FAULT_ENUM
  FAULT_OBJECT_COUNT
} fault_object;
// clang-format on

/// Which call fails. All zero: none.
typedef struct fault_plan {
  long call;            /* the number of the call, from 1 */
  bool onwards;         /* and all that follow: the device is lost */
  int code;             /* with this code; 0: one that fits the kind */
  const char *function; /* count only the calls of this function */
  unsigned kinds;       /* count only the calls of these kinds (1u << kind); 0: of every kind */
} fault_plan;

/// What was called since fault_begin.
typedef struct fault_record {
  long calls; /* those the plan counts */
  long calls_by_kind[FAULT_KIND_COUNT];
  long failed;
  long failed_by_kind[FAULT_KIND_COUNT];
  /* the first that failed */
  char function[48];
  unsigned parameter; /* a query's param_name, else 0 */
  fault_kind kind;
  int code;
  /* objects: successful creates and retains, and what of these was not released */
  long created[FAULT_OBJECT_COUNT];
  long alive[FAULT_OBJECT_COUNT];
} fault_record;

/// Empties *record and counts into it from here on, failing what `plan` says.
void fault_begin(fault_record *record, const fault_plan *plan);
/// Goes on with another plan: calls are numbered from 1 again, objects are counted on.
void fault_change(const fault_plan *plan);
/// Ends failing and counting.
void fault_end(void);
/// What the thread calls between fault_own(true) and fault_own(false) is the test's: objects are counted, but the calls (and allocations) have
/// no number and do not fail.
void fault_own(bool own);
bool fault_is_own(void);

const char *fault_kind_name(fault_kind kind);
const char *fault_object_name(fault_object object);

#endif
