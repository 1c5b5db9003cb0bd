// SPDX-License-Identifier: MIT
/// The door for recordings (src/record): while a thread records its calls in a context, weft__submit notes each command
/// before it is enqueued, memory comes from the recording, and what a replay cannot repeat is refused.
#ifndef WEFT_MEM_RECORDER_H
#define WEFT_MEM_RECORDER_H

#include "mem/storage.h"

struct weft__host_work;
struct weft__lookback;
struct weft__submission;

/// The head of a recording in progress. Its functions are the recording's.
typedef struct weft__recorder {
  weft__core *core;
  struct weft__lookback *lookback; /* the scratch memory of its communicating blocks (store/lookback.h) */
  /// Notes a command that is enqueued next. Errors: UNSUPPORTED (it cannot be recorded), HOST_MEMORY.
  weft_status (*note)(struct weft__recorder *recorder, const struct weft__submission *submission);
  /// Notes a step of the host that was done (engine/host_step.h), whose uses are ranges. Errors: HOST_MEMORY.
  weft_status (*note_host)(struct weft__recorder *recorder, const struct weft__host_work *work);
  /// A storage of exactly this size whose arrays were all released while recording, with a new reference; NULL: none.
  weft__storage *(*reuse)(struct weft__recorder *recorder, uint64_t size_bytes);
  /// Keeps a storage that was made. Errors: HOST_MEMORY.
  weft_status (*keep)(struct weft__recorder *recorder, weft__storage *storage);
  /// The call that this thread runs cannot be repeated: the recording fails at its end.
  void (*spoil)(struct weft__recorder *recorder, const char *why);
} weft__recorder;

/// The recording of this thread's calls; NULL: none.
extern _Thread_local weft__recorder *weft__recorder_now;

/// The recording of this thread's calls in a context; NULL: none.
static inline weft__recorder *weft__recorder_of(const weft__core *core) {
  weft__recorder *recorder = weft__recorder_now;
  return recorder && recorder->core == core ? recorder : NULL;
}

/// Ends a step that a replay cannot repeat, if this thread records. `why` follows "it cannot be recorded: ". Errors:
/// UNSUPPORTED.
weft_status weft__recorder_refuse(const weft__core *core, const char *why);

/// Stops recording until the caller assigns the returned value to weft__recorder_now: what is made meanwhile outlives
/// the recording.
static inline weft__recorder *weft__recorder_pause(void) {
  weft__recorder *recorder = weft__recorder_now;
  weft__recorder_now = NULL;
  return recorder;
}

#endif
