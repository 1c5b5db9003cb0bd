// SPDX-License-Identifier: MIT
/// Every command that uses storages is enqueued by weft__submit. It orders the command with other work on them,
/// enqueues and counts it, and adds it to the profile, the trace and the launch log.
#ifndef WEFT_MEM_SUBMIT_H
#define WEFT_MEM_SUBMIT_H

#include "mem/storage.h"

struct weft__kernel;
struct weft__map_run;
struct weft__value;

typedef struct weft__submission {
  weft__core *core;
  int slot;               /* of `core`: the queue */
  weft__command *command; /* weft__submit sets queue and event; `host` of a map is set by the driver */
  int uses;
  const weft__use *use; /* the storages that the command uses; one may occur twice */
  bool is_ordered;      /* the work it must follow is done */
  /* moves the bytes in the place of the command, which must block; NULL: the command is enqueued */
  weft_status (*carrier)(struct weft__submission *submission);
  void *user; /* the carrier's own */
  /* bytes read and written, for profile, trace and counters. 0 of a launch: all bytes of its storages; 0 of another
     command: it is left out of all three */
  uint64_t bytes;
  /* of a launch: */
  const char *kernel; /* interned */
  const char *prefix; /* prefix of messages */
  const char *what;   /* the operation's name for the user: a literal or interned; NULL: the kernel's name */
  const char *site;   /* the line of the user's call */
  /* of a launch, for recordings: */
  struct weft__kernel *of;
  const struct weft__value *values; /* one per parameter */
  const int *parameter;             /* the parameter of each use; NULL: the values point to the storages' `mem` */
  const weft__checked *checked;     /* what the kernel checks; NULL: nothing */
  const struct weft__map_run *map;  /* of an elementwise function over whole arrays (map/run.h); NULL: another launch */
} weft__submission;

/// Submits the command. A blocking read or write goes through the pinned ring if the ring is faster. A blocking read,
/// except a map, also reports errors of earlier launches (core/deferred.h): with WEFT_ERROR_INDEX the bytes are still
/// valid.
/// Errors: ARGUMENT (a storage is mapped for the host), LAUNCH_LIMIT, DRIVER, MEMORY, LOST, INDEX.
weft_status weft__submit(weft__submission *submission);

#endif
