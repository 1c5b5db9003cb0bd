// SPDX-License-Identifier: MIT
/// What kernels find out too late for the call that launched them: an index out of range. Each checking launch has a
/// record in a small buffer; the kernel writes the first bad element there (cl/deferred.clh), and the next wait or read
/// that succeeds looks at the records of the launches that are done by then. The launch in whose order the first one is
/// becomes the error. Where nothing is pending, nothing is read.
///
///     weft__deferred_use use;
///     WEFT__TRY_RETURN(weft__deferred_begin(&use, core, &check));
///     rc = ... launch on weft__slot_now(core), with the buffer use.records, use.record and use.epoch ...
///     weft__deferred_end(core, &use, rc);
///
/// A record belongs to the launch whose epoch it carries, so none is cleared between launches.
#ifndef WEFT_CORE_DEFERRED_H
#define WEFT_CORE_DEFERRED_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/error.h"
#include "ocl/driver.h"

#define WEFT__DEFERRED_RECORDS 128
#define WEFT__DEFERRED_FLAT (-1)

struct weft__core;
struct weft__covered;

/// What the message says. The strings must live as long as the process.
typedef struct weft__deferred_check {
  const char *function; /* the public one */
  const char *site;
  const char *argument; /* whose elements are checked: "indices" */
  int axis;             /* that they must lie in; FLAT: all elements, in their order */
  int64_t length;       /* of it */
  bool is_unsigned;     /* they are u64 */
} weft__deferred_check;

typedef enum weft__deferred_state {
  WEFT__DEFERRED_FREE = 0,
  WEFT__DEFERRED_TAKEN,
  WEFT__DEFERRED_PENDING
} weft__deferred_state;

typedef struct weft__deferred_entry {
  weft__deferred_state state;
  uint32_t epoch;
  int slot;
  uint64_t number; /* a command of the slot at or after the launch */
  uint64_t order;
  weft__deferred_check check;
} weft__deferred_entry;

typedef struct weft__deferred {
  pthread_mutex_t lock;
  _Atomic(int) pending; /* launches whose records were not read, and a failure that was not told */
  weft__cl_mem records; /* NULL: nothing was checked yet */
  uint32_t epoch;
  uint64_t order;
  weft__deferred_entry entry[WEFT__DEFERRED_RECORDS];
  bool failed; /* what follows was found */
  uint64_t failed_order, position, index;
  weft__deferred_check failure;
} weft__deferred;

/// What a launch is told.
typedef struct weft__deferred_use {
  weft__cl_mem records;
  uint32_t record, epoch;
} weft__deferred_use;

void weft__deferred_init(weft__deferred *deferred);
void weft__deferred_close(weft__deferred *deferred);
void weft__deferred_destroy(weft__deferred *deferred);

/// Takes a record. Where all are in use it waits for the launches so far. On failure nothing is taken.
weft_status weft__deferred_begin(weft__deferred_use *use, struct weft__core *core, const weft__deferred_check *check);
/// The launch is enqueued, or (where rc is not WEFT_OK) did not happen.
void weft__deferred_end(struct weft__core *core, const weft__deferred_use *use, weft_status rc);

/// After a wait or a blocking read that covered so much: WEFT_ERROR_INDEX where a launch of that found one. It is told
/// once.
weft_status weft__deferred_report(struct weft__core *core, const struct weft__covered *covered);

#endif
