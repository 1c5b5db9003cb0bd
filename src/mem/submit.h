// SPDX-License-Identifier: MIT
/// The one way of a command that uses storages: it is ordered with other work on them, enqueued, counted, and told to the profile, the
/// trace and the log of launches.
#ifndef WEFT_MEM_SUBMIT_H
#define WEFT_MEM_SUBMIT_H

#include "mem/storage.h"

typedef struct weft__submission {
  weft__core *core;
  int slot;
  weft__command *command; /* its queue and event are submit's; a map's host is its result */
  int uses;
  const weft__use *use; /* of the storages behind the command; one may be there twice */
  bool is_ordered;      /* what it must come after is done */
  uint64_t bytes;       /* that it reads and writes, for profile, trace and counters. 0: of a launch all of its storages; of another command
                           none, and nobody is told */
  /* of a launch: */
  const char *kernel; /* interned */
  const char *prefix; /* of messages */
  const char *what;   /* the user's word for it: a literal or interned; NULL: the kernel's name */
  const char *site;
} weft__submission;

/// Submits the command. A read or write that blocks goes through the pinned ring where that is faster, and one that blocks reports what
/// earlier work has to say (core/deferred.h): WEFT_ERROR_INDEX, with the bytes there all the same. A map alone does not. Errors: ARGUMENT
/// (a storage is mapped for the host), LAUNCH_LIMIT, DRIVER, MEMORY, LOST, INDEX.
weft_status weft__submit(weft__submission *submission);

#endif
