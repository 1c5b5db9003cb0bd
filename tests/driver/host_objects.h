// SPDX-License-Identifier: MIT
/// The second driver's objects. One lock guards all of them; commands run without it.
#ifndef WEFT_TESTS_HOST_OBJECTS_H
#define WEFT_TESTS_HOST_OBJECTS_H

#include <pthread.h>

#include "host_driver.h"

/// The head of every object. An object dies when it has no references and no holds; its memory stays, so that a later
/// use is detected.
typedef struct host_object {
  weft__cl_kind kind;
  long references;          /* by the driver's user */
  long holds;               /* by commands and other objects */
  struct host_object *next; /* list of all objects, dead ones too */
} host_object;

struct _cl_context {
  host_object object;
};

struct host_mapping;

typedef struct host_command {
  struct host_command *next;
  weft__command what;
  weft__rect rect;
  weft__cl_event event;         /* NULL: no event was requested */
  struct host_mapping *mapping; /* of MAP and UNMAP */
} host_command;

struct _cl_command_queue {
  host_object object;
  weft__cl_context context;
  bool records_times;
  pthread_t thread;
  bool ends;                        /* the thread ends when all commands are done */
  host_command *first, *last;       /* enqueued, not started */
  uint64_t enqueued, flushed, done; /* commands so far */
  weft__cl_event waits_for;         /* of the barrier that is running */
};

typedef struct host_mapping {
  struct host_mapping *next;
  unsigned char *host; /* its first byte */
  uint64_t begin, end; /* in the root */
  bool read, write;
} host_mapping;

struct _cl_mem {
  host_object object;
  weft__cl_context context;
  weft__cl_mem root; /* itself, unless it is a sub-buffer */
  uint64_t offset_bytes, size_bytes;
  bool read_only;
  /* roots only */
  unsigned char *bytes;
  unsigned char *around;  /* the host's memory of WEFT__BUFFER_AROUND */
  host_mapping *mappings; /* of the root and its sub-buffers */
};

struct _cl_event {
  host_object object;
  weft__cl_queue queue; /* NULL: its user completes it */
  uint64_t number;      /* the command's number in the queue */
  int state;            /* as in OpenCL: 3 queued, 2 submitted, 1 running, 0 done */
  uint64_t start_ns, end_ns;
};

extern pthread_mutex_t host_mutex;

static inline void host_lock(void) {
  pthread_mutex_lock(&host_mutex);
}

static inline void host_unlock(void) {
  pthread_mutex_unlock(&host_mutex);
}

/// Prints the problem and ends the process.
_Noreturn void host_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define host_demand(condition, ...)           \
  do {                                        \
    if (!(condition)) host_fail(__VA_ARGS__); \
  } while (0)

void *host_zeroed(size_t size_bytes);
/// Aligned memory filled with 0xa5; NULL: no memory.
unsigned char *host_fresh(size_t size_bytes);

/* called with the lock: */

/// A new object with a reference.
void *host_new(weft__cl_kind kind, size_t size_bytes);
/// Asserts that the user's object is alive and of this kind.
void host_check(const void *object, weft__cl_kind kind, const char *where);
void host_hold(void *object);
void host_drop(void *object);

/// Flushes the queue and ends its thread after all its commands.
void host_queue_end(weft__cl_queue queue);

/* called without the lock, from the table: */

int host_queue_create(weft__cl_queue *out, weft__cl_context context, weft__cl_device device, bool records_times);
int host_flush(weft__cl_queue queue);
int host_finish(weft__cl_queue queue);
int host_enqueue(weft__command *command);
int host_event_wait(weft__cl_event event);
int host_event_create(weft__cl_event *out, weft__cl_context context);
int host_event_complete(weft__cl_event event, int state);

#endif
