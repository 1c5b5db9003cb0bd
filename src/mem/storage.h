// SPDX-License-Identifier: MIT
/// A storage: one buffer on the device, shared by the arrays that view it, and the order of the work that uses it.
#ifndef WEFT_MEM_STORAGE_H
#define WEFT_MEM_STORAGE_H

#include "mem/pool.h"

/// Somebody who lent memory and wants to know when it is given back: `give_back` is called once, on whatever thread
/// releases last.
typedef struct weft__lender {
  void (*give_back)(void *user); /* NULL: nobody */
  void *user;
} weft__lender;

/// Its place among the pool's idle buffers.
typedef struct weft__idle {
  struct weft__storage *class_newer, *class_older; /* of its size class, by the time of release */
  struct weft__storage *newer, *older;             /* of all */
} weft__idle;

typedef struct weft__storage {
  _Atomic(uint64_t) references;
  weft__pool *pool;
  weft__cl_mem mem;        /* NULL once its context was closed */
  weft__cl_mem whole;      /* guard mode: what mem is a sub-buffer of */
  weft__guarded *guarded;  /* guard mode; NULL: nothing looks after it */
  uint64_t size_bytes;     /* what the array asked for */
  uint64_t capacity_bytes; /* what the buffer has */
  bool adopted;            /* a foreign buffer: never kept by the pool */
  const char *read_only;   /* why it may not be written, a literal; NULL where it may */
  char *host;              /* the caller's memory that the buffer is (mem/host_memory.h); NULL: it has its own */
  void *mapped;            /* where it is mapped for the host (mem/host_memory.h); NULL: nowhere */
  bool mapped_for_write;
  uint64_t mapped_bytes;
  weft__lender lender;       /* whom to tell when it is not used any more */
  _Atomic(uint64_t) writer;  /* the last command that wrote it: number * WEFT__MAX_STREAMS + slot */
  _Atomic(uint64_t) readers; /* the slots that have read it since, a bit each */
  weft__ledger_entry entry;
  uint64_t reservation; /* the pool's, by which its buffer was reserved; 0: by none */
  weft__idle idle;
  uint64_t life; /* its number in the timeline; 0: it has none there */
} weft__storage;

/// A storage of at least `size_bytes` with one reference, from the pool or the driver. Its bytes are whatever they
/// were.
/// Errors: MEMORY, BUDGET (both name who holds what), HOST_MEMORY, DRIVER, LOST.
weft_status weft__storage_create(weft__storage **out, weft__pool *pool, uint64_t size_bytes, const char *site);
/// The same, and the entry of the array that takes the reference is added with it. On failure neither is in the ledger.
weft_status weft__storage_create_for(weft__storage **out, weft__pool *pool, uint64_t size_bytes,
                                     weft__ledger_entry *array_entry, void *array, const char *site);
/// Around a foreign buffer, which is retained. `read_only` as in the structure.
weft_status weft__storage_adopt(weft__storage **out, weft__pool *pool, weft__cl_mem mem, uint64_t size_bytes,
                                const char *read_only, const char *site);
void weft__storage_retain(weft__storage *storage);
/// The last one waits for the context's work if there is a lender, who may give the memory to others at once; else it
/// does not wait.
void weft__storage_release(weft__storage *storage);
/// The same, and takes the entry of the array that gives it back out with it.
void weft__storage_release_of(weft__storage *storage, weft__ledger_entry *array_entry);
/// Gives the buffer back while handles still hold the storage: its context is being closed. It is out of the ledger
/// already.
void weft__storage_close(weft__storage *storage);
/// Gives the driver its buffers back; the structure stays.
void weft__storage_free_memory(weft__storage *storage);

/// A storage that a command uses.
typedef struct weft__use {
  weft__storage *storage;
  bool writes; /* also where it reads besides */
} weft__use;

/// Before a command on `slot` that reads or writes the storage: makes the slot wait for other slots' work on it.
/// Errors: ARGUMENT (the host has it mapped so that the command cannot), DRIVER, LOST.
weft_status weft__storage_order(weft__storage *storage, int slot, bool writes);
/// Whether a command on `slot` that writes the storage would wait for no other slot. Asks no driver.
bool weft__storage_is_free(const weft__storage *storage, int slot);
/// After that command was enqueued as `number` (weft__slot_issue).
void weft__storage_mark(weft__storage *storage, int slot, bool writes, uint64_t number);

#endif
