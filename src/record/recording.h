// SPDX-License-Identifier: MIT
/// A recording: the commands, their arguments, and the memory that they use. Commands name memory by buffers: a storage
/// whose array was released while recording is used again for another one, as another buffer, so that a bind of the
/// later array does not move what the earlier one used.
#ifndef WEFT_RECORD_RECORDING_H
#define WEFT_RECORD_RECORDING_H

#include <weft/record.h>

#include "array/array.h"
#include "context/objects.h"
#include "engine/host_step.h"
#include "map/run.h"
#include "mem/recorder.h"
#include "mem/submit.h"
#include "store/lookback.h"

#define WEFT__RECORDED_NAME 64 /* bytes, with the NUL */

/// What an argument is, in the place of a buffer's number.
enum { WEFT__RECORDED_BYTES = -1, WEFT__RECORDED_LOCAL = -2, WEFT__RECORDED_CHECKS = -3 };

typedef struct weft__recorded_argument {
  int buffer;                             /* its number, or one of the above */
  bool any_width;                         /* as weft__value's */
  uint64_t at, size_bytes;                /* BYTES: the place in recording->bytes; LOCAL: the size alone */
  uint64_t part_offset_bytes, part_bytes; /* a sub-buffer of the buffer; 0 bytes: all of it */
  weft__cl_mem part;                      /* the sub-buffer that the kernel has: kernels hold no references */
} weft__recorded_argument;

typedef struct weft__recorded_use {
  int buffer;
  bool writes;
  /* of a step of the host, as weft__host_use: */
  bool reads, has_gaps, restores;
  int64_t begin_bytes, end_bytes, at_bytes;
} weft__recorded_use;

/// A launch or step of the host that checks (core/deferred.h).
typedef struct weft__recorded_check {
  weft__deferred_check check;
  weft__checked at; /* of a launch */
} weft__recorded_check;

/// An array of an elementwise launch, broadcast to the launch's shape.
typedef struct weft__recorded_view {
  int buffer;
  weft_dtype dtype;
  int64_t offset_bytes;
  int64_t stride_bytes[WEFT_MAX_NDIM]; /* 0 along an axis of length 1 */
} weft__recorded_view;

/// What an elementwise launch computes, for weft__recording_fuse.
typedef struct weft__recorded_map {
  const weft__plan *plan;
  weft_shape shape;
  int views, first_view; /* in recording->view: results, then inputs */
  int first_word;        /* in recording->word: two words for each of the formula's scalars */
} weft__recorded_map;

typedef struct weft__recorded_command {
  weft__command_kind kind;
  int uses, first_use; /* in recording->use */
  int to, from;        /* not of a launch: the buffer that is written; COPY: and the one that is read */
  const char *what, *site;
  uint64_t bytes;
  /* LAUNCH: */
  weft__kernel *of;
  weft__cl_kernel instance; /* with the arguments set */
  weft_dim3 grid, block;
  int arguments, first_argument; /* in recording->argument */
  int check;                     /* also of a step of the host: in recording->check; -1: none */
  int map;                       /* in recording->map; -1: not known as elementwise */
  /* other commands, as weft__command: */
  uint64_t offset_bytes, from_offset_bytes, size_bytes;
  uint32_t word;
  weft__rect rect;
  char *data; /* WRITE, WRITE_RECT: a copy of the host's bytes; HOST: of the task; owned */
  uint64_t data_bytes;
  const weft__host_function *function; /* HOST */
} weft__recorded_command;

typedef struct weft__recorded_buffer {
  int storage;              /* in recording->storage */
  bool is_made;             /* made while recording: every replay writes what it reads of it */
  bool is_used, writes;     /* a command uses it, writes it */
  bool is_moved;            /* the kernels have another buffer in its place, of the last replay */
  int places, first_place;  /* in recording->place: arguments that are this buffer */
  weft__storage *bound;     /* during a replay */
} weft__recorded_buffer;

typedef struct weft__recorded_storage {
  weft__storage *storage; /* retained; NULL: no command uses it since launches were fused */
  bool writes, is_made, is_used;
  int buffer; /* the number of its present buffer, while recording */
} weft__recorded_storage;

typedef struct weft__recorded_name {
  char name[WEFT__RECORDED_NAME];
  int buffer;
  weft_dtype dtype;
  weft_shape shape;
  int64_t stride_bytes[WEFT_MAX_NDIM];
  int64_t offset_bytes;
} weft__recorded_name;

/// A growing list; `count` is the number of its elements.
#define WEFT__RECORDED_LIST(type, name) \
  type *name;                           \
  int name##_count, name##_room

struct weft_recording {
  weft__object object;
  weft__recorder recorder; /* while recording */
  weft_context *context;   /* retained */
  weft__ledger_entry entry;
  bool is_closed;       /* its driver's objects are released */
  pthread_mutex_t lock; /* of a replay */
  WEFT__RECORDED_LIST(weft__recorded_command, command);
  WEFT__RECORDED_LIST(weft__recorded_argument, argument);
  WEFT__RECORDED_LIST(weft__recorded_use, use);
  WEFT__RECORDED_LIST(weft__recorded_buffer, buffer);
  WEFT__RECORDED_LIST(weft__recorded_storage, storage);
  WEFT__RECORDED_LIST(weft__recorded_check, check);
  WEFT__RECORDED_LIST(weft__recorded_map, map); /* this list and the next two only while recording */
  WEFT__RECORDED_LIST(weft__recorded_view, view);
  WEFT__RECORDED_LIST(uint64_t, word);
  WEFT__RECORDED_LIST(weft__recorded_name, name);
  WEFT__RECORDED_LIST(int, place);                 /* numbers of arguments, by buffer */
  WEFT__RECORDED_LIST(weft_kernel *, user_kernel); /* retained: of launches */
  WEFT__RECORDED_LIST(weft__kernel, kernel);       /* of a loaded recording; else the context's store has them */
  int *owner;                                      /* by argument: its command */
  weft__text bytes;                                /* the arguments' */
  int *slot;                                       /* a table that finds storages: numbers + 1, by hash; 0: none */
  int slots;                                       /* a power of two */
  int made_storage;                                /* where the search for storages to reuse goes on */
  weft__lookback lookback;
  weft__text refusal; /* why it fails: "weft_to_host at main.c:12: ..."; empty: it does not */
  weft_status failure;
  uint64_t replays, constant_bytes;
  bool was_begun;             /* a replay, which may have failed */
  uint64_t recorded_launches; /* before launches were fused */
};

/// Makes room for one more element of a list; NULL with HOST_MEMORY recorded.
void *weft__recorded_grow(void *list, int *count, int *room, size_t size);
#define WEFT__RECORDED_ADD(recording, name)                                                       \
  (weft__recorded_grow(&(recording)->name, &(recording)->name##_count, &(recording)->name##_room, \
                       sizeof *(recording)->name)                                                 \
       ? &(recording)->name[(recording)->name##_count - 1]                                        \
       : NULL)

/// Sets the functions by which the thread's calls are noted (note.c).
void weft__recorder_open(weft_recording *recording);
/// The number of the storage; -1: it is not in the recording.
int weft__recorded_find(const weft_recording *recording, const weft__storage *storage);
/// Adds a storage and its first buffer, and retains it. Errors: HOST_MEMORY.
weft_status weft__recorded_add_storage(int *number, weft_recording *recording, weft__storage *storage, bool is_made);

/// Makes a recording without commands. Errors: HOST_MEMORY.
weft_status weft__recording_create(weft_recording **out, weft_context *context, const char *site);
/// Makes one kernel of each chain of elementwise launches, which does not write what nobody can see (record/fuse.c).
/// Errors: BUILD, LAUNCH_LIMIT, DRIVER, HOST_MEMORY; the recording can only be released then.
weft_status weft__recording_fuse(weft_recording *recording);
/// Makes the kernels' objects, and the lists that replays use, of the noted commands. Errors: DRIVER, HOST_MEMORY.
weft_status weft__recording_finish(weft_recording *recording);
/// Checks a recording and its context. Errors: HANDLE, CLOSED, FORKED, LOST.
weft_status weft__recording_check(weft_recording *recording);

/// The value of an argument for a driver's kernel. `mem` is the buffer's, or its part's.
weft__value weft__recorded_value(const weft_recording *recording, const weft__recorded_argument *argument,
                                 const weft__cl_mem *mem);
/// The memory of an argument, of this storage in the place of its buffer. A sub-buffer is made, and takes the place of
/// the argument's last one. Errors: DRIVER.
weft_status weft__recorded_mem(weft__cl_mem *mem, weft__recorded_argument *argument, weft__storage *storage);

/// Followers of a context's life (context/context.h): ends the recordings of a context that is being closed.
weft_status weft__recordings_begin(weft_context *context);
void weft__recordings_end(weft_context *context);

#endif
