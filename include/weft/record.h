// SPDX-License-Identifier: MIT
/// Recordings: calls that are made once, and repeated without checks and without allocation.
///
///     rc = weft_record_begin(context);
///     rc = weft_multiply(&y, x, 2.0f);
///     rc = weft_sum(&s, y, WEFT_ALL_AXES);
///     rc = weft_record_end(&recording);
///     rc = weft_replay(recording);                  /* on what x holds now */
///     rc = weft_replay(recording, WEFT_BIND(x, z)); /* with z in the place of x */
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_RECORD_H
#define WEFT_RECORD_H

#include <weft/array.h>
#include <weft/map.h>
#include <weft/options.h>

WEFT_BEGIN_DECLS

/* ---- recording ----
   Not recorded: copies to the host, results whose size depends on data, random numbers, iterations whose end the host
   decides (least squares; eigenvalues and singular values without LAPACK), CUDA's libraries (not used with
   WEFT_ENGINE=own), images, calls in chunks. What a library on the host computes, such as a product by OpenBLAS, is a
   step of the recording: a replay waits for it. It waits for a solver's failures too, unless the call has .info. */

/// Recorded calls: their commands, and the memory that these use. It may be replayed by any thread, one at a time. The
/// memory, also of arrays released since, is given back with the recording.
typedef struct weft_recording weft_recording;

/// From here on this thread's calls in `context` run as usual and are recorded: launches, copies and fills, also of
/// kernels of your own. C numbers and host memory that a call reads are constants of the recording, with their values
/// of this time. Waits, events and timers are not recorded. A thread makes one recording at a time, and its calls in
/// other contexts, as all calls of other threads, are not part of it. Errors: WEFT_ERROR_ARGUMENT (the thread records
/// already), WEFT_ERROR_UNSUPPORTED (the context checks numbers).
WEFT_API WEFT_NODISCARD weft_status weft_record_begin(weft_context *context);

/// Ends this thread's recording, and makes one kernel of each chain of elementwise calls, or of several small ones: it
/// has their bits, and does not write arrays that were released while recording. What cannot be repeated without the
/// host (see above) is refused by the call itself, and here with its line; the recording is dropped then. Errors:
/// WEFT_ERROR_UNSUPPORTED, WEFT_ERROR_ARGUMENT (the thread does not record), WEFT_ERROR_BUILD.
WEFT_API WEFT_NODISCARD weft_status weft_record_end(weft_recording **recording);

/// Ends this thread's recording and drops it; does nothing if the thread does not record. For cleaning up after a
/// failure: the thread's last error stays.
WEFT_API void weft_record_cancel(void);

/// Adds a reference and returns its argument. NULL is allowed.
WEFT_API weft_recording *weft_recording_retain(weft_recording *recording);
/// Drops a reference and sets *recording to NULL. NULL is allowed. Replays in progress are finished first if they use
/// constants in the host's memory.
WEFT_API void weft_recording_release(weft_recording **recording);

/* ---- replaying ---- */

/// What stands for an array of a recording during a replay: WEFT_BIND(old, now).
typedef struct weft_bind {
  const weft_array *old; /* an array that the recorded calls used */
  const weft_array *now;
} weft_bind;

/// `now` takes the place of `old`, with all other views of old's memory. It must be the same view (dtype, shape,
/// strides, place in its memory) of memory of at least the same size, and the recorded calls must not use its memory
/// otherwise where one of them writes it. A bind holds for one replay.
#define WEFT_BIND(old, now) weft__bind_of((old), (now))

/// weft_replay(recording, binds...) enqueues the recorded commands on the thread's stream, in order with all other work
/// on their arrays. Arrays made while recording get the values of this replay. Does not block. The checks of the
/// recorded calls are not repeated, but indices out of range and assertions are reported as ever. Errors: of binds
/// WEFT_ERROR_ARGUMENT, DTYPE, SHAPE, LAYOUT, CONTEXT, READ_ONLY.
WEFT_API WEFT_NODISCARD weft_status weft_replay(weft_recording *recording, int bind_count, const weft_bind *binds);

/* ---- files ---- */

/// Gives an array of the recording a name, by which weft_recording_array finds it. An old name of `x` remains. Errors:
/// WEFT_ERROR_ARGUMENT (no recorded call uses x's memory; the name is empty, has over 63 bytes, or is another array's).
WEFT_API WEFT_NODISCARD weft_status weft_recording_name(weft_recording *recording, const weft_array *x,
                                                        const char *name);
/// A new handle of the array with this name: recorded commands read and write it. Errors: WEFT_ERROR_ARGUMENT (the
/// message lists the names).
WEFT_API WEFT_NODISCARD weft_status weft_recording_array(weft_array **out, weft_recording *recording, const char *name);

/// Makes or replaces `file` with the recording: commands, kernels as source, names, constants, and the present content
/// of arrays that were not made while recording. Waits for these. Errors: WEFT_ERROR_FILE, WEFT_ERROR_UNSUPPORTED (a
/// kernel was made of a binary).
WEFT_API WEFT_NODISCARD weft_status weft_recording_save(weft_recording *recording, const char *file);
/// Loads such a file in `context` (NULL: the default one): makes the arrays and the kernels, on another device of the
/// same kind from source. Errors: WEFT_ERROR_FILE (cannot be read, damaged, or of another version of Weft),
/// WEFT_ERROR_UNSUPPORTED (it was recorded on a CPU and this is a GPU, or the like), WEFT_ERROR_BUILD,
/// WEFT_ERROR_LAUNCH_LIMIT.
WEFT_API WEFT_NODISCARD weft_status weft_recording_load(weft_recording **recording, weft_context *context,
                                                        const char *file);

/// What a recording has.
typedef struct weft_recording_info {
  uint64_t commands, launches; /* in all; of these, launches of kernels */
  uint64_t buffers;            /* pieces of memory that they use */
  uint64_t made_bytes;         /* of memory made while recording */
  uint64_t constant_bytes;     /* of host memory that its calls read */
  uint64_t replays;            /* so far */
  uint64_t recorded_launches;  /* of the calls, before elementwise ones became fewer */
} weft_recording_info;
WEFT_API WEFT_NODISCARD weft_status weft_recording_get(weft_recording_info *info, const weft_recording *recording);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__record_begin_at(weft_context *context, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__record_end_at(weft_recording **recording, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__replay_at(weft_recording *recording, int bind_count, const weft_bind *binds,
                                                    const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__recording_array_at(weft_array **out, weft_recording *recording,
                                                             const char *name, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__recording_load_at(weft_recording **recording, weft_context *context,
                                                            const char *file, const char *site);

static inline weft_bind weft__bind_of(const weft_array *old, const weft_array *now) {
  weft_bind bind;
  bind.old = old;
  bind.now = now;
  return bind;
}

#define weft_record_begin(context) weft__record_begin_at((context), WEFT_SITE)
#define weft_record_end(recording) weft__record_end_at(WEFT__PLACE(weft_recording, recording), WEFT_SITE)
#define weft_replay(...)                                                       \
  weft__replay_at(WEFT__FIRST(__VA_ARGS__), (int)WEFT__COUNT(__VA_ARGS__) - 1, \
                  WEFT__BINDS(WEFT__COUNT(__VA_ARGS__), __VA_ARGS__, weft__bind_of(NULL, NULL)), WEFT_SITE)
#define weft_recording_array(out, recording, name) \
  weft__recording_array_at(WEFT__PLACE(weft_array, out), (recording), (name), WEFT_SITE)
#define weft_recording_load(recording, context, file) \
  weft__recording_load_at(WEFT__PLACE(weft_recording, recording), (context), (file), WEFT_SITE)

WEFT_END_DECLS

#ifdef __cplusplus
template <size_t Count>
struct weft__bind_list {
  weft_bind bind[Count];
};
#define WEFT__BINDS(count, recording, ...) weft__bind_list<count>{{__VA_ARGS__}}.bind
#else
#define WEFT__BINDS(count, recording, ...) \
  (const weft_bind[]) {                    \
    __VA_ARGS__                            \
  }
#endif

#endif
