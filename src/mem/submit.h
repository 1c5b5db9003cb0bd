// SPDX-License-Identifier: MIT
/// The one way to enqueue a command that uses storages: weft__submit orders it with other work on them, enqueues and
/// counts it, and tells the profile, the trace and the log of launches.
#ifndef WEFT_MEM_SUBMIT_H
#define WEFT_MEM_SUBMIT_H

#include "mem/storage.h"

typedef struct weft__submission {
  weft__core *core;
  int slot;               /* of `core`: the queue */
  weft__command *command; /* weft__submit sets its queue and event; of a map `host` is the result */
  int uses;
  const weft__use *use; /* the storages that the command uses; one may be there twice */
  bool is_ordered;      /* what it must come after is done */
  uint64_t bytes;       /* it reads and writes so many, for profile, trace and counters. 0 of a launch: all bytes of its
                     storages; 0 of another command: it appears in none of them */
  /* of a launch: */
  const char *kernel; /* interned */
  const char *prefix; /* in front of messages */
  const char *what;   /* the user's word for it: a literal or interned; NULL: the kernel's name */
  const char *site;   /* the line of the user's call */
} weft__submission;

/// A blocking read or write goes through the pinned ring where that is faster. A blocking read, but no map, also
/// reports errors of earlier launches (core/deferred.h): WEFT_ERROR_INDEX, and the bytes are there all the same.
/// Errors: ARGUMENT (a storage is mapped for the host), LAUNCH_LIMIT, DRIVER, MEMORY, LOST, INDEX.
weft_status weft__submit(weft__submission *submission);

#endif
