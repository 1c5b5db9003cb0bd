// SPDX-License-Identifier: MIT
/// Makes the driver's calls fail. fault_driver.c defines the program's `weft__driver` (src/ocl/driver.h): a table
/// around OpenCL's, which counts the library's calls, fails the planned ones, and forwards the others. The program is
/// linked with the static library.
///
/// A failed create makes nothing. A failed release or unmap has still released, like a driver that reports an earlier
/// error there. A failed query returns nonsense.
#ifndef FAULT_DRIVER_H
#define FAULT_DRIVER_H

#include <stdbool.h>

#include "ocl/driver.h"

#define FAULT_KINDS(X)                                      \
  X(FAULT_QUERY, query, WEFT__CL_OUT_OF_RESOURCES)          \
  X(FAULT_CREATE, create, WEFT__CL_OUT_OF_HOST_MEMORY)      \
  X(FAULT_RETAIN, retain, WEFT__CL_OUT_OF_RESOURCES)        \
  X(FAULT_RELEASE, release, WEFT__CL_OUT_OF_RESOURCES)      \
  X(FAULT_BUILD, build, -11 /* CL_BUILD_PROGRAM_FAILURE */) \
  X(FAULT_ARGUMENT, argument, WEFT__CL_INVALID_ARG_SIZE)    \
  X(FAULT_ENQUEUE, enqueue, WEFT__CL_OUT_OF_RESOURCES)      \
  X(FAULT_MAP, map, WEFT__CL_MAP_FAILURE)                   \
  X(FAULT_UNMAP, unmap, WEFT__CL_OUT_OF_RESOURCES)          \
  X(FAULT_WAIT, wait, WEFT__CL_OUT_OF_RESOURCES)

// clang-format off
typedef enum fault_kind {
#define FAULT_ENUM(kind, name, code) kind,
  FAULT_KINDS(FAULT_ENUM)
#undef FAULT_ENUM
  FAULT_KIND_COUNT
} fault_kind;
// clang-format on

/// Objects are counted by their weft__cl_kind, mappings after them.
enum { FAULT_MAPPING = WEFT__CL_EVENT + 1, FAULT_OBJECT_COUNT };

/// The call that fails. All zero: no call.
typedef struct fault_plan {
  long call;            /* the number of the call, from 1 */
  bool onwards;         /* the call and all calls after it: the device is lost */
  int code;             /* the error code; 0: one that fits the kind */
  const char *function; /* count only calls of this function: one of the table, or as in weft__command_call */
  unsigned kinds;       /* count only the calls of these kinds (1u << kind); 0: of every kind */
} fault_plan;

/// Calls since fault_begin.
typedef struct fault_record {
  long calls; /* calls that the plan counts */
  long calls_by_kind[FAULT_KIND_COUNT];
  long failed;
  long failed_by_kind[FAULT_KIND_COUNT];
  /* the first failed call */
  char function[48];
  fault_kind kind;
  int code;
  /* objects: successful creates and retains; those not yet released */
  long created[FAULT_OBJECT_COUNT];
  long alive[FAULT_OBJECT_COUNT];
} fault_record;

/// Clears *record and counts into it from here on, failing calls by `plan`.
void fault_begin(fault_record *record, const fault_plan *plan);
/// Changes the plan: calls are numbered from 1 again, while objects keep being counted.
void fault_change(const fault_plan *plan);
/// Ends failing and counting.
void fault_end(void);
/// Between fault_own(true) and fault_own(false) the thread's calls belong to the test: objects are counted, but calls
/// (and allocations) have no number and do not fail.
void fault_own(bool own);
bool fault_is_own(void);

const char *fault_kind_name(fault_kind kind);
const char *fault_object_name(int object);

#endif
