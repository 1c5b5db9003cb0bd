// SPDX-License-Identifier: MIT
/// Shared by the parts of the soak: a thread's state, and the handling of statuses.
#ifndef SOAK_H
#define SOAK_H

#include <pthread.h>
#include <stdatomic.h>
#include <weft/weft.h>

enum { SLOTS = 64, MAILBOXES = 64, LANES = 3, SIDES = 2, MOST_BITS = 18, MOST_ELEMENTS = 1 << MOST_BITS };
/// Arrays up to this size are read as a whole; of a larger view (a broadcast one) a part is read.
enum { SCRATCH_BYTES = 4 * MOST_ELEMENTS, LANE_BYTES = 1 << 16 };

/// A storage; one thread owns all its handles. All elements are `value`, if known.
typedef struct family {
  int references; /* slots */
  int64_t size;   /* elements */
  int value;
  bool known;
} family;

typedef struct slot {
  weft_array *x;
  family *of;
} slot;

/// Pinned memory that an asynchronous copy may be using; the event follows the copy.
typedef struct lane {
  void *data;
  weft_event *event;
  weft_dtype dtype;
  int64_t count; /* elements read into it; 0: nothing to check */
  int value;
  bool known, busy;
} lane;

typedef struct worker {
  int number;
  uint64_t state, operation, most_operations, end_ns;
  const char *name; /* of the operation */
  slot slot[SLOTS];
  lane lane[LANES];
  weft_stream *side[SIDES];
  void *scratch;
  uint64_t checks, refusals; /* contents checked; calls refused with BUDGET */
  _Atomic(uint64_t) done;    /* for the progress display */
  pthread_t thread;
} worker;

typedef struct soak {
  weft_context *context;
  weft_kernel *step;    /* y[k] = x[k] + 1 */
  weft_stream *foreign; /* belongs to another context */
  uint64_t seed, limit_bytes;
  bool on_cpu;
  slot *_Atomic mailbox[MAILBOXES];
  _Atomic(uint64_t) planted, told; /* indices out of range: launched, and reported */
  _Atomic(int64_t) lent;           /* blocks of host memory in use by arrays */
  _Atomic(bool) failed;
} soak;
extern soak all;

uint64_t draw(worker *w);
/// A random number from 0 to n - 1.
static inline int64_t draw_below(worker *w, int64_t n) {
  return (int64_t)(draw(w) % (uint64_t)n);
}

/// Prints seed, thread and operation, and ends the soak.
void fail(worker *w, const char *what, const char *why);
/// Notes a report of an index out of range, which the next wait of any thread may return. False if there are more
/// reports than causes.
bool was_told(worker *w);
/// Whether rc is OK; otherwise ends the soak.
bool is_ok(worker *w, weft_status rc, const char *what);
/// is_ok for calls that make an array: BUDGET is accepted too, and then some of the thread's arrays are released.
bool is_made(worker *w, weft_status rc, const char *what);
/// Ends the soak if rc is not the wanted status, or the error record has another status.
void expect(worker *w, weft_status rc, weft_status wanted, const char *what);

/// Repeats a call until it reports no other call's index out of range.
#define CALL(w, rc, call) \
  do (rc) = (call);       \
  while ((rc) == WEFT_ERROR_INDEX && was_told(w))

/* ---- slots ---- */

/// Returns an empty slot; releases an array if it must.
slot *free_slot(worker *w);
/// A slot with an array; NULL: a few tries found none.
slot *full_slot(worker *w);
void empty_slot(slot *s);
/// Puts an array with its own storage into a slot.
void fill_slot(slot *s, weft_array *x, bool known, int value);
/// Whether the elements at `data` are all `value`.
bool all_are(const void *data, weft_dtype dtype, int64_t count, int value);
void fill_host(void *data, weft_dtype dtype, int64_t count, int value);
/// Ends the soak if the elements are not all `value`.
void check_content(worker *w, const void *data, weft_dtype dtype, int64_t count, int value, const char *what);
weft_dtype draw_dtype(worker *w);
/// Nearly log-uniform: at most 2^bits elements on one to three axes.
weft_shape draw_shape(worker *w, int bits);
int64_t shape_size(weft_shape shape);
/// Waits for a lane's copy, and checks its data.
void settle_lane(worker *w, lane *l);

/// Runs one operation, drawn by weight.
void operate(worker *w);

/* ---- operations, by file ---- */

/* making.c */
void make_empty(worker *w);
void make_full(worker *w);
void make_from_host(worker *w);
void make_view(worker *w);
void make_scope(worker *w);
void make_wrapped(worker *w);
void make_large(worker *w);
void drop(worker *w);
void share(worker *w);
void hand_over(worker *w);
/* using.c */
void look(worker *w);
void read_back(worker *w);
void write_part(worker *w);
void add_one(worker *w);
void add_in_place(worker *w);
void reduce(worker *w);
void copy(worker *w);
void step(worker *w);
void strided(worker *w);
void write_lane(worker *w);
void read_lane(worker *w);
void events(worker *w);
void map(worker *w);
/* asking.c */
void use_stream(worker *w);
void renew_stream(worker *w);
void renew_pinned(worker *w);
void wait(worker *w);
void tag(worker *w);
void figures(worker *w);
void snapshots(worker *w);
void report(worker *w);
void trim(worker *w);
void mistake(worker *w);
void late_mistake(worker *w);

#endif
