// SPDX-License-Identifier: MIT
/// What the parts of the soak share: a thread's state, and how it takes the answers of calls.
#ifndef SOAK_H
#define SOAK_H

#include <pthread.h>
#include <stdatomic.h>
#include <weft/weft.h>

enum { SLOTS = 64, MAILBOXES = 64, LANES = 3, SIDES = 2, MOST_BITS = 18, MOST_ELEMENTS = 1 << MOST_BITS };
/// Arrays up to this are read as a whole; of a larger view (a broadcast one) a part.
enum { SCRATCH_BYTES = 4 * MOST_ELEMENTS, LANE_BYTES = 1 << 16 };

/// A storage, of which a thread has all handles. All its elements are `value`, where that is known.
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

/// Pinned memory that an asynchronous copy may be using: the event is behind that.
typedef struct lane {
  void *data;
  weft_event *event;
  weft_dtype dtype;
  int64_t count; /* elements that were read to it; 0: none to look at */
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
  uint64_t checks, refusals; /* contents looked at; BUDGET answered */
  _Atomic(uint64_t) done;    /* for the progress */
  pthread_t thread;
} worker;

typedef struct soak {
  weft_context *context;
  weft_kernel *step;    /* y[k] = x[k] + 1 */
  weft_stream *foreign; /* another context's */
  uint64_t seed, limit_bytes;
  bool on_cpu;
  slot *_Atomic mailbox[MAILBOXES];
  _Atomic(uint64_t) planted, told; /* indices out of range: launched, and answered */
  _Atomic(int64_t) lent;           /* blocks of host memory that arrays have */
  _Atomic(bool) failed;
} soak;
extern soak all;

uint64_t draw(worker *w);
/// 0 to n - 1.
static inline int64_t draw_below(worker *w, int64_t n) {
  return (int64_t)(draw(w) % (uint64_t)n);
}

/// Says seed, thread and operation, and ends the soak.
void fail(worker *w, const char *what, const char *why);
/// An index out of range is told by whatever waits next, in any thread; false when there are more such answers than
/// causes.
bool was_told(worker *w);
/// Whether rc is OK; else fails.
bool is_ok(worker *w, weft_status rc, const char *what);
/// The same for what makes an array: BUDGET is an answer too, after which some of the thread's arrays are released.
bool is_made(worker *w, weft_status rc, const char *what);
/// Fails where rc is not the status wanted, or the explanation is of another one.
void expect(worker *w, weft_status rc, weft_status wanted, const char *what);

/// Makes a call until it does not tell of somebody's index out of range.
#define CALL(w, rc, call) \
  do (rc) = (call);       \
  while ((rc) == WEFT_ERROR_INDEX && was_told(w))

/* ---- slots ---- */

/// An empty slot, or any after what was there is released.
slot *free_slot(worker *w);
/// One with an array; NULL: none was found in a few tries.
slot *full_slot(worker *w);
void empty_slot(slot *s);
/// Puts an array with a storage of its own into a slot.
void fill_slot(slot *s, weft_array *x, bool known, int value);
/// Whether the elements at `data` are all `value`.
bool all_are(const void *data, weft_dtype dtype, int64_t count, int value);
void fill_host(void *data, weft_dtype dtype, int64_t count, int value);
/// Fails where they are not.
void check_content(worker *w, const void *data, weft_dtype dtype, int64_t count, int value, const char *what);
weft_dtype draw_dtype(worker *w);
/// Nearly log-uniform: at most 2^bits elements, on one to three axes.
weft_shape draw_shape(worker *w, int bits);
int64_t shape_size(weft_shape shape);
/// Waits for a lane's copy, and looks at what it read.
void settle_lane(worker *w, lane *l);

/// One operation, drawn by weight.
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
