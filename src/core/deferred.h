// SPDX-License-Identifier: MIT
/// Errors that kernels find after the launching call has returned: an index out of range, an assertion. Each
/// checking launch has a record in a small buffer, into which the kernel writes the first bad element
/// (cl/deferred.clh). The next successful wait or read looks at the records of the launches that are done by then,
/// and reports the failure that was launched first. If no launch is pending, nothing is read.
///
///     weft__deferred_use use;
///     WEFT__TRY_RETURN(weft__deferred_begin(&use, core, &check));
///     rc = ... launch on a slot, with the buffer use.records, use.record and use.epoch ...
///     weft__deferred_end(core, &use, slot, rc);
///
/// A record carries the epoch of the launch that wrote it, so records are not cleared between launches.
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

struct weft__deferred_check;
/// Records the failure of the launch as this thread's error, and returns its status.
typedef weft_status weft__deferred_tell(const struct weft__deferred_check *check, uint64_t position, uint64_t index);

/// The parts of the message. The strings must live as long as the context is open.
typedef struct weft__deferred_check {
  weft__deferred_tell *tell; /* NULL: an index is out of range */
  const char *function;      /* the public function */
  const char *site;
  const char *argument; /* the argument whose elements are checked: "indices" */
  int axis;             /* the axis that the elements index; FLAT: all elements of the array, in order */
  int64_t length;       /* of the axis */
  bool is_unsigned;     /* the elements are u64 */
  const char *text;     /* for `tell`: the kernel's expanded source, and its launch; `argument` is its name */
  weft_dim3 grid, block;
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
  bool is_found; /* by the host, with the fields below: no kernel writes the record */
  uint64_t position, index;
} weft__deferred_entry;

typedef struct weft__deferred {
  pthread_mutex_t lock;
  _Atomic(int) pending; /* launches whose records were not read yet, and a failure that was not reported yet */
  weft__cl_mem records; /* NULL: no launch was checked yet */
  uint32_t epoch;
  uint64_t order;
  weft__deferred_entry entry[WEFT__DEFERRED_RECORDS];
  bool failed; /* a failure was found; the fields below describe it */
  uint64_t failed_order, position, index;
  weft__deferred_check failure;
} weft__deferred;

/// What a checking launch is passed.
typedef struct weft__deferred_use {
  weft__cl_mem records;
  uint32_t record, epoch;
} weft__deferred_use;

/// A launch that checks, for recordings: where its arguments have what it was passed.
typedef struct weft__checked {
  const weft__deferred_check *check;
  int parameter;              /* of the kernel: its bytes have `record` and `epoch` */
  size_t record_at, epoch_at; /* bytes in the parameter */
} weft__checked;

void weft__deferred_init(weft__deferred *deferred);
void weft__deferred_close(weft__deferred *deferred);
void weft__deferred_destroy(weft__deferred *deferred);

/// Takes a record. If all are in use, waits for the launches so far. On failure nothing is taken.
weft_status weft__deferred_begin(weft__deferred_use *use, struct weft__core *core, const weft__deferred_check *check);
/// Call it after the launch was enqueued on the slot, or with its failure in rc.
void weft__deferred_end(struct weft__core *core, const weft__deferred_use *use, int slot, weft_status rc);

/// Keeps a failure that the host found, which the next wait for the slot reports. Errors: as weft__deferred_begin.
weft_status weft__deferred_found(struct weft__core *core, const weft__deferred_check *check, int slot,
                                 uint64_t position, uint64_t index);

/// Call it after a wait or a blocking read that covered these commands: WEFT_ERROR_INDEX if one of their launches found
/// a bad index, WEFT_ERROR_ASSERT if an assertion failed. Each failure is reported once.
weft_status weft__deferred_report(struct weft__core *core, const struct weft__covered *covered);

#endif
