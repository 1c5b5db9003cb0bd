// SPDX-License-Identifier: MIT
/// The live objects of a context, with the source lines that made them. Each object contains its entry, so adding one
/// allocates nothing.
#ifndef WEFT_BASE_LEDGER_H
#define WEFT_BASE_LEDGER_H

#include <pthread.h>

#include <weft/api.h>

#include "base/text.h"

/// Handles are the objects that users may forget to release. A storage is the memory that array handles share.
typedef enum weft__ledger_kind {
  WEFT__LEDGER_ARRAY = 0,
  WEFT__LEDGER_KERNEL,
  WEFT__LEDGER_STREAM,
  WEFT__LEDGER_TIMER,
  WEFT__LEDGER_EVENT,
  WEFT__LEDGER_PINNED, /* host memory that the device accesses directly */
  WEFT__LEDGER_RNG,
  WEFT__LEDGER_CSR, /* a sparse matrix; its arrays are entries of their own */
  WEFT__LEDGER_IMAGE,
  WEFT__LEDGER_SAMPLER,
  WEFT__LEDGER_UFUNC, /* user-defined */
  WEFT__LEDGER_NPY,   /* a mapped file */
  WEFT__LEDGER_NPZ,   /* an open archive */
  WEFT__LEDGER_SNAPSHOT,
  WEFT__LEDGER_RECORDING,
  WEFT__LEDGER_STORAGE,
  WEFT__LEDGER_PROGRAM,
  WEFT__LEDGER_KINDS,
} weft__ledger_kind;

#define WEFT__LEDGER_HANDLE_KINDS ((int)WEFT__LEDGER_STORAGE) /* the kinds before STORAGE are handles */

typedef struct weft__ledger_entry {
  struct weft__ledger_entry *previous, *next;
  void *object;
  const char *site;
  const char *tag; /* NULL: no tag */
  uint64_t size_bytes;
  weft__ledger_kind kind;
  bool foreign; /* bytes that no pool allocated and no budget counts: wrapped or adopted */
} weft__ledger_entry;

typedef struct weft__ledger {
  pthread_mutex_t lock;
  weft__ledger_entry head[WEFT__LEDGER_KINDS]; /* each is the head of a ring */
  uint64_t count[WEFT__LEDGER_KINDS];
} weft__ledger;

/// "array", "kernel", ...
const char *weft__ledger_kind_name(weft__ledger_kind kind);

/// The tag of this thread's new entries, from weft__intern; NULL: no tag.
extern _Thread_local const char *weft__ledger_tag;

void weft__ledger_init(weft__ledger *ledger);
void weft__ledger_destroy(weft__ledger *ledger);
/// Adds an entry with this thread's tag. `site` is copied once; NULL becomes "unknown". The caller sets `foreign`
/// before.
void weft__ledger_add(weft__ledger *ledger, weft__ledger_entry *entry, weft__ledger_kind kind, void *object,
                      uint64_t size_bytes, const char *site);
/// Does nothing for an entry that is not in a ledger.
void weft__ledger_remove(weft__ledger *ledger, weft__ledger_entry *entry);
/// Adds an array and its storage under one lock, because locking is a large part of the cost of making an array.
void weft__ledger_add_array(weft__ledger *ledger, weft__ledger_entry *storage, void *storage_object,
                            weft__ledger_entry *array, void *array_object, uint64_t size_bytes, const char *site);
void weft__ledger_remove_array(weft__ledger *ledger, weft__ledger_entry *storage, weft__ledger_entry *array);
/// `tag` is interned or NULL, as in weft__ledger_tag.
void weft__ledger_set_tag(weft__ledger *ledger, weft__ledger_entry *entry, const char *tag);
/// Calls `visit` with each object of a kind, in the order of creation. The ledger is locked meanwhile.
void weft__ledger_each(weft__ledger *ledger, weft__ledger_kind kind, void (*visit)(void *user, void *object),
                       void *user);
uint64_t weft__ledger_count(weft__ledger *ledger, weft__ledger_kind kind);
/// Removes the first entry of a kind and returns its object; NULL if there is no entry.
void *weft__ledger_take(weft__ledger *ledger, weft__ledger_kind kind);

/// One line of a report: all objects of one kind and tag that one source line made. Foreign objects have their own
/// line.
typedef struct weft__ledger_row {
  weft__ledger_kind kind;
  const char *site;
  const char *tag; /* NULL: no tag */
  uint64_t count;
  uint64_t size_bytes;
  bool foreign;
} weft__ledger_row;

/// Sums up the kinds from `first` to `last`. Rows are sorted by bytes, then by number of objects, the largest first.
/// The caller frees *rows; NULL if there is no object. False, with *rows NULL and *count 0, if the host has no memory;
/// that is not recorded.
bool weft__ledger_sum(weft__ledger *ledger, weft__ledger_kind first, weft__ledger_kind last, weft__ledger_row **rows,
                      size_t *count);

/// Orders rows by kind, foreign, site and tag: 0 if all are equal.
int weft__ledger_compare(const weft__ledger_row *a, const weft__ledger_row *b);

#endif
