// SPDX-License-Identifier: MIT
/// Runs chains of calls, each on the results of earlier ones, and compares the arrays with NumPy's.
/// tests/judge/record.py describes the file format; chains.py makes the files.
///   chain_driver FILE [--streams N] [--fail N] [--seed N] [--replay] [--loud]
/// --streams: spreads the calls over N streams. --fail: about one driver call in N fails. A Weft call that fails then
/// returns a status; its new results are missing, the contents of its written arrays are unknown from there on, and all
/// other arrays are as expected. --replay: calls are recorded, in every second chain many in one recording; then their
/// arrays are overwritten, and a replay makes them again. Calls that cannot be recorded are made as usual. --loud:
/// prints each chain and step. Exit status 0, 1 for a failure, 77 without the device.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fault/fault_driver.h"
#include "../judge/primitive.h"
#include "array/array.h"
#include "call_array.h"
#include "mem/recorder.h"

enum { MAX_KEPT = 1024, MAX_STREAMS = 8 };

/* ---- the arrays of a chain ---- */

typedef struct slot {
  weft_array *array; /* NULL: could not be made, or was dropped */
  uint32_t root;     /* the slot that owns the memory; for a view, another slot */
  bool unknown;      /* roots: a call that should have written it failed or had no defined values */
} slot;
static slot slots[MAX_KEPT];
static uint32_t slot_count;

static weft_array *kept(uint32_t number) {
  return number < slot_count ? slots[number].array : NULL;
}

static void keep(weft_array *array, uint32_t root, bool unknown) {
  if (slot_count == MAX_KEPT) {
    fail("chain", "more than %d arrays", MAX_KEPT);
    exit(EXIT_FAILURE);
  }
  slots[slot_count++] = (slot){array, root, unknown};
}

static bool *unknown_of(int64_t number) {
  return &slots[slots[number].root].unknown;
}

/* ---- failures of the driver's calls ---- */

static long fail_every;
static uint64_t random_state;
static fault_record record;
static long struck, calls_failed, calls_spoiled, calls_late, contexts_lost;
static bool was_struck, is_lost; /* since the chain began */
static bool is_limited;          /* limited by WEFT_MEMORY_LIMIT */

static uint64_t draw(uint64_t below) { /* splitmix64 */
  uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (z ^ (z >> 31)) % below;
}

static void arm(void) {
  static const unsigned kinds[] = {0, 0, 1u << FAULT_ENQUEUE, 1u << FAULT_CREATE, 1u << FAULT_WAIT};
  static const int codes[] = {0, 0, -4 /* CL_MEM_OBJECT_ALLOCATION_FAILURE */, -5 /* CL_OUT_OF_RESOURCES */,
                              -6 /* CL_OUT_OF_HOST_MEMORY */};
  if (fail_every == 0) return;
  fault_change(
      &(fault_plan){.call = 1 + (long)draw((uint64_t)fail_every * 2), .kinds = kinds[draw(5)], .code = codes[draw(5)]});
}

/// Whether a driver call failed since the last query; if so, plans the next failure.
static bool has_struck(void) {
  if (record.failed == 0) return false;
  struck += record.failed;
  was_struck = true;
  arm();
  return true;
}

static void note_status(weft_status rc) {
  if (rc == WEFT_ERROR_LOST) is_lost = true;
}

/* ---- steps ---- */

static bool is_broken; /* this chain cannot continue */
static weft_stream *streams[MAX_STREAMS];
static int stream_count = 1;
static char chain_label[160];
static int step_number;
static bool is_loud;

static void use_stream(void) {
  unsigned which = (unsigned)read_u8() % (unsigned)stream_count;
  weft_status rc = WEFT_OK;
  fault_own(true);
  if (which > 0 && !streams[which]) rc = weft_stream_create(&streams[which], judge.context);
  if (rc == WEFT_OK) rc = weft_stream_use(which > 0 ? streams[which] : NULL);
  fault_own(false);
  note_status(rc);
  if (rc && fail_every == 0) fail("stream", "%s", weft_error_last()->message);
}

static weft_ufunc_id ufunc_of(const char *name) {
  for (weft_ufunc_id id = 1; id < WEFT_UFUNC_COUNT; id++)
    if (strcmp(weft_ufunc_name(id), name) == 0) return id;
  return WEFT_UFUNC_NONE;
}

static weft_status call(primitive *p) {
  const test_case *t = &p->t;
  const call_row *row = NULL;
  for (const call_row *own = calls_of_array; own->name && !row; own++)
    if (strcmp(own->name, t->name) == 0) row = own;
  if (!row) row = call_row_of(t->name); /* the judge has an `eval` too, of other variables */
  if (row) return row->call(p);
  if (!ufunc_of(t->name)) fail(t->name, "is not a function that the driver knows");
  weft_operand operand[MAX_RESULTS + MAX_OPERANDS];
  for (int k = 0; k < t->results; k++) operand[k] = result_of(&p->t, k);
  for (int k = 0; k < t->operands; k++) operand[t->results + k] = operand_of(t, k);
  return weft__ufunc_apply_at(ufunc_of(t->name), t->results + t->operands, operand, WEFT_SITE);
}

/* ---- recordings ---- */

static bool replays;
static long calls_replayed, calls_refused;

/// Whether all results of the call are new arrays: a replay of another call would read what the call has written.
static bool can_be_repeated(const test_case *t) {
  for (const call_row *own = calls_of_array; own->name; own++)
    if (strcmp(own->name, t->name) == 0) return false; /* memory of other arrays, and writes into arrays */
  for (int k = 0; k < t->results; k++)
    if (t->result[k].kind != PLACE_NEW) return false;
  return t->status == WEFT_OK;
}

/// Whether the result is a view of an operand.
static bool is_view(const test_case *t, const weft_array *result) {
  for (int k = 0; k < t->storages; k++)
    if (t->storage[k].array && t->storage[k].array->storage == result->storage) return true;
  return false;
}

static weft_status overwrite(test_case *t) {
  weft_status rc = WEFT_OK;
  for (int k = 0; k < t->results && rc == WEFT_OK; k++)
    if (t->result[k].view && !is_view(t, t->result[k].view)) rc = weft_fill(t->result[k].view, 1);
  return rc;
}

/// The call, by a replay of its recording.
static weft_status call_by_replay(primitive *p) {
  weft_recording *recording = NULL;
  test_case *t = &p->t;
  weft_status rc = weft_record_begin(judge.context);
  if (rc) return rc;
  rc = call(p);
  const weft_status ended = weft_record_end(&recording);
  if (ended == WEFT_ERROR_UNSUPPORTED) {
    calls_refused++;
    for (int k = 0; k < t->results; k++) weft_array_release(&t->result[k].view);
    return call(p);
  }
  if (rc == WEFT_OK) rc = ended;
  if (rc == WEFT_OK) rc = overwrite(t);
  if (rc == WEFT_OK) rc = weft_replay(recording);
  calls_replayed += rc == WEFT_OK;
  weft_recording_release(&recording);
  return rc;
}

/* ---- many calls in one recording ---- */

enum { MAX_REFUSED = 256 };

/// An array that existed before the recording, with a copy of what it held.
typedef struct snapshot {
  weft_array *array, *copy;
} snapshot;

static bool has_runs, is_recording; /* of this chain; now */
static snapshot snapshots[2 * MAX_KEPT];
static int snapshot_count;
static uint32_t run_first;                      /* slots from here on are made during the recording */
static int refused[MAX_REFUSED], refused_count; /* functions that cannot be recorded */
static long runs, calls_in_run, calls_in_runs, launches, launches_left;

/// Whether its array can be written at all; a call cannot change others either.
static bool take_snapshot(weft_array *x) {
  snapshot s = {.array = weft_array_retain(x)};
  if (weft_copy(&s.copy, x) == WEFT_OK && weft_copy(&s.array, s.copy) == WEFT_OK) {
    snapshots[snapshot_count++] = s;
    return true;
  }
  weft_release(&s.array, &s.copy);
  return false;
}

static void forget_run(void) {
  while (snapshot_count > 0) {
    snapshot *s = &snapshots[--snapshot_count];
    weft_release(&s->array, &s->copy);
  }
  is_recording = false;
  calls_in_run = 0;
}

static void begin_run(void) {
  run_first = slot_count;
  for (uint32_t k = 0; k < slot_count; k++)
    if (slots[k].array) take_snapshot(slots[k].array);
  is_recording = weft_record_begin(judge.context) == WEFT_OK;
  if (!is_recording) forget_run();
}

/// Ends the recording, overwrites what it made, gives other arrays their old contents, and replays it.
static void end_run(void) {
  weft_recording *recording = NULL;
  weft_recording_info info;
  if (!is_recording) return;
  weft_status rc = weft_record_end(&recording);
  if (rc == WEFT_ERROR_UNSUPPORTED) { /* a call went on by another way */
    forget_run();
    return;
  }
  for (uint32_t k = run_first; k < slot_count && rc == WEFT_OK; k++)
    if (slots[k].array && slots[k].root == k && !weft_array_is_read_only(slots[k].array))
      rc = weft_fill(slots[k].array, 1);
  for (int k = 0; k < snapshot_count && rc == WEFT_OK; k++) rc = weft_copy(&snapshots[k].array, snapshots[k].copy);
  if (rc == WEFT_OK) rc = weft_replay(recording);
  if (rc == WEFT_OK) rc = weft_recording_get(&info, recording);
  if (rc) {
    fail("replay", "%s step %d: %s", chain_label, step_number, weft_error_last()->message);
    is_broken = true;
  } else {
    runs++;
    calls_in_runs += calls_in_run;
    launches += (long)info.recorded_launches;
    launches_left += (long)info.launches;
  }
  weft_recording_release(&recording);
  forget_run();
}

/// Whether the call may be part of a recording of many.
static bool can_be_in_run(const test_case *t) {
  static const char *const of_host[] = {"wrap", "save_and_load",
                                        "write_mapped"}; /* a replay cannot write their memory */
  for (size_t k = 0; k < sizeof of_host / sizeof *of_host; k++)
    if (strcmp(of_host[k], t->name) == 0) return false;
  for (int k = 0; k < refused_count; k++)
    if (refused[k] == t->function) return false;
  return has_runs && t->status == WEFT_OK;
}

/// The call, as part of the recording. If it cannot be, the recording ends without a replay.
static weft_status call_in_run(primitive *p) {
  test_case *t = &p->t;
  weft_array *before[MAX_RESULTS] = {NULL};
  weft_status rc = WEFT_OK;
  weft__recorder *paused = weft__recorder_pause();
  for (int k = 0; k < t->results && rc == WEFT_OK; k++)
    if (t->result[k].kind == PLACE_VIEW) rc = weft_copy(&before[k], t->result[k].view);
  weft__recorder_now = paused;
  if (rc == WEFT_OK) rc = call(p);
  calls_in_run++;
  if (rc == WEFT_ERROR_UNSUPPORTED && strstr(weft_error_last()->message, "it cannot be recorded")) {
    calls_refused++;
    if (refused_count < MAX_REFUSED) refused[refused_count++] = t->function;
    weft_record_cancel();
    forget_run();
    for (int k = 0; k < t->results; k++) {
      if (t->result[k].kind == PLACE_NEW) weft_array_release(&t->result[k].view);
      if (before[k] && weft_copy(&t->result[k].view, before[k])) fail(t->name, "%s", weft_error_last()->message);
    }
    rc = call(p);
  }
  for (int k = 0; k < t->results; k++) weft_array_release(&before[k]);
  return rc;
}

/// Whether a call failed because of WEFT_MEMORY_LIMIT.
static bool is_short_of_memory(weft_status rc) {
  return is_limited && (rc == WEFT_ERROR_BUDGET || rc == WEFT_ERROR_MEMORY);
}

/// Judges a call's status. `sound` is true if the call went as the file says, false if it failed in an allowed way.
static bool judge_status(primitive *p, weft_status rc, bool tainted) {
  test_case *t = &p->t;
  bool hit = has_struck();
  note_status(rc);
  if ((int)rc == t->status) return rc == WEFT_OK;
  if (t->needs_fp64 && is_no_fp64(rc)) return judge.refused++, false;
  if (rc && (hit || tainted || is_short_of_memory(rc))) return calls_failed++, false;
  if (tainted) return false;
  if (rc && was_struck) { /* an earlier failure, reported now */
    calls_late++;
    if (!is_lost) printf("late: %s %s: %s\n", t->name, t->label, weft_error_last()->message);
    return false;
  }
  char what[512];
  describe_primitive(t, NULL, 0, what, sizeof what);
  fail(t->name, "%s step %d, %s: expected %s, we answer %s: %s; %s", chain_label, step_number, t->label,
       weft_status_name((weft_status)t->status), weft_status_name(rc), rc ? weft_error_last()->message : "", what);
  is_broken = true;
  return false;
}

static void run_call(void) {
  static primitive p;
  test_case *t = &p.t;
  use_stream();
  read_head(&p);
  t->skipped = is_broken;
  const bool is_in_run = can_be_in_run(t) && !is_broken;
  if (!is_in_run) end_run();
  if (is_in_run && !is_recording) begin_run();
  weft__recorder *paused = weft__recorder_pause();
  read_rest(&p);
  char what[512];
  bool tainted = false, sound = false;
  for (int k = 0; k < t->storages; k++)
    if (t->storage[k].kept >= 0 && t->storage[k].kept < slot_count) tainted |= *unknown_of(t->storage[k].kept);
  int64_t number[MAX_STORAGES];
  for (int k = 0; k < t->storages; k++) {
    number[k] = t->storage[k].kept >= 0 ? t->storage[k].kept : slot_count;
    if (t->storage[k].kept >= 0) continue;
    if (is_recording && t->storage[k].array) take_snapshot(t->storage[k].array);
    keep(weft_array_retain(t->storage[k].array), slot_count, false);
  }
  weft__recorder_now = paused;
  if (!t->skipped && !t->failed) {
    if (is_loud) {
      describe_primitive(t, NULL, 0, what, sizeof what);
      printf("  %d: %s %s; %s\n", step_number, t->name, t->label, what);
    }
    weft_status rc = is_recording ? call_in_run(&p) : replays && can_be_repeated(t) ? call_by_replay(&p) : call(&p);
    judge.cases++;
    sound = judge_status(&p, rc, tainted);
    if (rc && t->status != WEFT_ERROR_INDEX) /* INDEX is reported when the result exists */
      for (int k = 0; k < t->results; k++)
        if (t->result[k].kind == PLACE_NEW && t->result[k].view && !is_broken) {
          fail(t->name, "%s step %d, %s: %s, but there is a result", chain_label, step_number, t->label,
               weft_status_name(rc));
          is_broken = true;
        }
    if (t->status == WEFT_OK && tainted && rc == WEFT_OK) calls_spoiled++;
  } else if (judge.may_fail) {
    has_struck(); /* an operand could not be made */
  } else if (t->failed) {
    is_broken = true;
  }
  bool known = sound && !tainted;
  if (t->status == WEFT_ERROR_INDEX || (t->status == WEFT_OK && !known))
    for (int k = 0; k < t->results; k++)
      if (t->result[k].kind == PLACE_VIEW) *unknown_of(number[t->result[k].storage]) = true;
  for (int k = 0; k < t->results && t->status == WEFT_OK; k++) {
    uint32_t root = t->result[k].kind == PLACE_NEW ? read_u32() : 0;
    if (!known) t->skipped = true;
    check_result(t, k);
    if (t->failed && known) is_broken = true;
    if (t->result[k].kind != PLACE_NEW) continue;
    keep(weft_array_retain(t->result[k].view), root, root == slot_count && !known);
  }
  free_case(t);
}

/* ---- reading arrays ---- */

enum { LOOK_TO_HOST, LOOK_ASYNC, LOOK_STRIDED, LOOK_MAP, LOOK_PINNED, LOOKS };

static weft_status look_at(uint8_t *got, size_t size, weft_array *x, int how) {
  void *mapped = NULL;
  if (how == LOOK_MAP && (size == 0 || !weft_array_is_contiguous(x) || weft_array_is_read_only(x))) how = LOOK_TO_HOST;
  if (how == LOOK_STRIDED) return weft_read_strided(got, NULL, x);
  if (how == LOOK_TO_HOST) return weft_to_host(got, size, x);
  if (how == LOOK_PINNED) {
    void *pinned = NULL;
    weft_status rc = weft_pinned_alloc(&pinned, judge.context, size + 1);
    if (rc) return rc;
    rc = weft_read_async(pinned, size, x, NULL);
    weft_status waited = wait_for_event();
    if (rc == WEFT_OK && waited == WEFT_OK) memcpy(got, pinned, size);
    weft_pinned_free(&pinned);
    return rc ? rc : waited;
  }
  if (how == LOOK_ASYNC) {
    weft_status rc = weft_read_async(got, size, x, NULL);
    return rc ? rc : weft_context_wait(judge.context);
  }
  weft_status rc = weft_map(&mapped, x, WEFT_MAP_READ);
  if (rc == WEFT_OK) memcpy(got, mapped, size);
  return rc ? rc : weft_unmap(x);
}

static void run_look(void) {
  static primitive p; /* without operands and parameters */
  test_case *t = &p.t;
  memset(&p, 0, sizeof p);
  t->results = 1;
  use_stream();
  uint32_t number = read_u32();
  int how = read_u8() % LOOKS;
  t->tolerance[0].ulps = read_f32();
  t->tolerance[0].any_zero = read_u8();
  t->tolerance[0].absolute = read_f64();
  weft_dtype dtype = (weft_dtype)read_u8();
  weft_shape shape = read_shape();
  uint32_t bytes = read_u32();
  const uint8_t *expected = take(bytes);
  weft_array *x = kept(number);
  if (is_recording && draw(4)) return; /* most recordings go on: what they make is looked at later */
  end_run();
  if (is_broken || !x || *unknown_of(number)) return;
  snprintf(t->name, sizeof t->name, "look");
  snprintf(t->label, sizeof t->label, "%.100s step %d, array %u", chain_label, step_number, number);
  t->function = function_number(t->name);
  uint8_t *got = malloc(bytes + 1);
  memset(got, 0xa5, bytes + 1);
  weft_status rc = look_at(got, bytes, x, how);
  /* a read, or a release before it, failed: the array is unchanged */
  if ((has_struck() || was_struck) && rc && rc != WEFT_ERROR_LOST) {
    if (how == LOOK_MAP && weft_unmap(x) != WEFT_OK) weft_error_clear();
    fault_own(true);
    rc = look_at(got, bytes, x, LOOK_TO_HOST);
    fault_own(false);
  }
  note_status(rc);
  if (is_short_of_memory(rc)) {
    calls_failed++;
  } else if (rc && !(is_lost && fail_every)) {
    fail(t->name, "%s: %s: %s", t->label, weft_status_name(rc), weft_error_last()->message);
    t->failed = true;
  } else if (rc == WEFT_OK) {
    compare_elements(t, 0, dtype, &shape, expected, got, (int64_t)(bytes / weft_dtype_size_bytes(dtype)));
  }
  if (t->failed) is_broken = true;
  free(got);
}

static void run_drop(void) {
  uint32_t number = read_u32();
  if (number < slot_count) weft_array_release(&slots[number].array);
}

/* ---- chains ---- */

static void end_chain(void) {
  weft_status rc = WEFT_OK;
  end_run();
  for (uint32_t k = 0; k < slot_count; k++) weft_array_release(&slots[k].array);
  fault_own(true);
  if (!is_lost) rc = weft_context_wait(judge.context);
  note_status(rc);
  (void)has_struck(); /* a failed release is reported by the wait */
  if (rc && !was_struck) fail("wait", "%s: %s", chain_label, weft_error_last()->message);
  if (is_lost) { /* start again with a new context */
    contexts_lost++;
    if (!was_struck) fail("context", "%s: lost: %s", chain_label, weft_error_last()->message);
    if (weft_stream_use(NULL)) fail("stream", "%s", weft_error_last()->message);
    for (int k = 0; k < MAX_STREAMS; k++) weft_stream_release(&streams[k]);
    rc = weft_context_close(&judge.context);
    if (rc && rc != WEFT_ERROR_LOST) fail("close", "%s: %s", chain_label, weft_error_last()->message);
    if (judge_open()) exit(EXIT_FAILURE);
  }
  fault_own(false);
  (void)has_struck();
}

static long chain_count;

static void run(int kind) {
  read_text(chain_label, sizeof chain_label);
  uint32_t steps = read_u32();
  if (kind != 4) fail("driver", "a case of kind %d", kind);
  slot_count = 0;
  is_broken = was_struck = is_lost = false;
  has_runs = replays && chain_count++ % 2 == 1;
  memset(slots, 0, sizeof slots);
  if (is_loud) printf("%s\n", chain_label);
  arm();
  for (step_number = 0; step_number < (int)steps; step_number++) {
    char letter = (char)read_u8();
    if (letter == 'c') run_call();
    if (letter == 'l') run_look();
    if (letter == 'd') run_drop();
  }
  end_chain();
}

static void finish(void) {
  if (weft_stream_use(NULL)) fail("stream", "%s", weft_error_last()->message);
  for (int k = 0; k < MAX_STREAMS; k++) weft_stream_release(&streams[k]);
  if (replays) printf("%ld calls were replayed, %ld cannot be recorded\n", calls_replayed, calls_refused);
  if (replays)
    printf("%ld recordings of %ld calls; their %ld launches became %ld\n", runs, calls_in_runs, launches,
           launches_left);
  if (replays && calls_replayed == 0 && judge.cases > 50) fail("driver", "no call was replayed");
  if (is_limited) printf("%ld calls had no memory\n", calls_failed);
  if (fail_every == 0) return;
  printf(
      "%ld calls of the driver failed: %ld calls failed then, %ld later, %ld had to do with what these left; "
      "%ld contexts were lost\n",
      struck, calls_failed, calls_late, calls_spoiled, contexts_lost);
  if (struck == 0) fail("driver", "no call of the driver failed");
}

int main(int argc, char **argv) {
  for (int k = 2; k < argc; k++) {
    const char *value = k + 1 < argc ? argv[k + 1] : "0";
    if (strcmp(argv[k], "--loud") == 0) is_loud = true;
    if (strcmp(argv[k], "--replay") == 0) replays = true;
    if (strcmp(argv[k], "--fail") == 0) fail_every = strtol(value, NULL, 10);
    if (strcmp(argv[k], "--seed") == 0) random_state = strtoull(value, NULL, 10);
    if (strcmp(argv[k], "--streams") == 0) stream_count = (int)strtol(value, NULL, 10);
  }
  if (stream_count < 1 || stream_count > MAX_STREAMS) stream_count = MAX_STREAMS;
  judge.kept = kept;
  is_limited = getenv("WEFT_MEMORY_LIMIT") != NULL;
  judge.may_fail = fail_every > 0 || is_limited;
  replays &= !judge.may_fail; /* a call that fails leaves arrays of the recording unknown */
  fault_begin(&record, &(fault_plan){.call = 0});
  int status = judge_main(argc, argv, &(judge_program){"WEFTCH1\n", run, finish, describe_primitive});
  fault_end();
  for (int k = 0; k < FAULT_OBJECT_COUNT && status != 77; k++) {
    if (record.alive[k] == 0) continue;
    printf("FAIL %ld of %ld %s objects are left\n", record.alive[k], record.created[k], fault_object_name(k));
    status = EXIT_FAILURE;
  }
  return status;
}
