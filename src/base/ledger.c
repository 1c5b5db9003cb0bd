// SPDX-License-Identifier: MIT
#include "base/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/launch_log.h"

const char *weft__ledger_kind_name(weft__ledger_kind kind) {
  static const char *const name[WEFT__LEDGER_KINDS] = {"array", "kernel",   "stream",    "timer",   "event",  "pinned",
                                                       "rng",   "csr",      "image",     "sampler", "ufunc",  "npy",
                                                       "npz",   "snapshot", "recording", "storage", "program"};
  return name[kind];
}

_Thread_local const char *weft__ledger_tag;

void weft__ledger_init(weft__ledger *ledger) {
  pthread_mutex_init(&ledger->lock, NULL);
  for (int k = 0; k < WEFT__LEDGER_KINDS; k++) {
    ledger->head[k].previous = ledger->head[k].next = &ledger->head[k];
    ledger->count[k] = 0;
  }
}

void weft__ledger_destroy(weft__ledger *ledger) {
  pthread_mutex_destroy(&ledger->lock);
}

static void prepare(weft__ledger_entry *entry, weft__ledger_kind kind, void *object, uint64_t size_bytes,
                    const char *site) {
  entry->object = object;
  entry->site = site ? weft__lasting_site(site) : "unknown";
  entry->tag = weft__ledger_tag;
  entry->size_bytes = size_bytes;
  entry->kind = kind;
}

static void link_entry(weft__ledger *ledger, weft__ledger_entry *entry) {
  weft__ledger_entry *head = &ledger->head[entry->kind];
  entry->previous = head->previous;
  entry->next = head;
  head->previous->next = entry;
  head->previous = entry;
  ledger->count[entry->kind]++;
}

void weft__ledger_add(weft__ledger *ledger, weft__ledger_entry *entry, weft__ledger_kind kind, void *object,
                      uint64_t size_bytes, const char *site) {
  prepare(entry, kind, object, size_bytes, site);
  pthread_mutex_lock(&ledger->lock);
  link_entry(ledger, entry);
  pthread_mutex_unlock(&ledger->lock);
}

void weft__ledger_add_array(weft__ledger *ledger, weft__ledger_entry *storage, void *storage_object,
                            weft__ledger_entry *array, void *array_object, uint64_t size_bytes, const char *site) {
  prepare(storage, WEFT__LEDGER_STORAGE, storage_object, size_bytes, site);
  prepare(array, WEFT__LEDGER_ARRAY, array_object, size_bytes, site);
  pthread_mutex_lock(&ledger->lock);
  link_entry(ledger, storage);
  link_entry(ledger, array);
  pthread_mutex_unlock(&ledger->lock);
}

static void unlink_entry(weft__ledger *ledger, weft__ledger_entry *entry) {
  entry->previous->next = entry->next;
  entry->next->previous = entry->previous;
  entry->previous = entry->next = NULL;
  ledger->count[entry->kind]--;
}

void weft__ledger_remove(weft__ledger *ledger, weft__ledger_entry *entry) {
  pthread_mutex_lock(&ledger->lock);
  if (entry->next) unlink_entry(ledger, entry);
  pthread_mutex_unlock(&ledger->lock);
}

void weft__ledger_remove_array(weft__ledger *ledger, weft__ledger_entry *storage, weft__ledger_entry *array) {
  pthread_mutex_lock(&ledger->lock);
  if (array->next) unlink_entry(ledger, array);
  if (storage->next) unlink_entry(ledger, storage);
  pthread_mutex_unlock(&ledger->lock);
}

void weft__ledger_set_tag(weft__ledger *ledger, weft__ledger_entry *entry, const char *tag) {
  pthread_mutex_lock(&ledger->lock);
  entry->tag = tag;
  pthread_mutex_unlock(&ledger->lock);
}

void weft__ledger_each(weft__ledger *ledger, weft__ledger_kind kind, void (*visit)(void *user, void *object),
                       void *user) {
  pthread_mutex_lock(&ledger->lock);
  for (const weft__ledger_entry *e = ledger->head[kind].next; e != &ledger->head[kind]; e = e->next)
    visit(user, e->object);
  pthread_mutex_unlock(&ledger->lock);
}

uint64_t weft__ledger_count(weft__ledger *ledger, weft__ledger_kind kind) {
  pthread_mutex_lock(&ledger->lock);
  uint64_t count = ledger->count[kind];
  pthread_mutex_unlock(&ledger->lock);
  return count;
}

void *weft__ledger_take(weft__ledger *ledger, weft__ledger_kind kind) {
  void *object = NULL;
  pthread_mutex_lock(&ledger->lock);
  weft__ledger_entry *entry = ledger->head[kind].next;
  if (entry != &ledger->head[kind]) {
    object = entry->object;
    unlink_entry(ledger, entry);
  }
  pthread_mutex_unlock(&ledger->lock);
  return object;
}

int weft__ledger_compare(const weft__ledger_row *a, const weft__ledger_row *b) {
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  if (a->foreign != b->foreign) return a->foreign ? 1 : -1;
  int sites = a->site == b->site ? 0 : strcmp(a->site, b->site);
  if (sites) return sites;
  if (!a->tag || !b->tag) return (a->tag != NULL) - (b->tag != NULL);
  return a->tag == b->tag ? 0 : strcmp(a->tag, b->tag);
}

static int by_place(const void *a, const void *b) {
  return weft__ledger_compare(a, b);
}

static int by_size(const void *a, const void *b) {
  const weft__ledger_row *x = a, *y = b;
  if (x->size_bytes != y->size_bytes) return x->size_bytes > y->size_bytes ? -1 : 1;
  if (x->count != y->count) return x->count > y->count ? -1 : 1;
  return by_place(a, b);
}

bool weft__ledger_sum(weft__ledger *ledger, weft__ledger_kind first, weft__ledger_kind last, weft__ledger_row **rows,
                      size_t *count) {
  size_t n = 0;
  pthread_mutex_lock(&ledger->lock);
  for (int k = (int)first; k <= (int)last; k++) n += ledger->count[k];
  weft__ledger_row *row = n ? malloc(n * sizeof *row) : NULL;
  bool failed = n && !row;
  n = 0;
  if (row)
    for (int k = (int)first; k <= (int)last; k++)
      for (const weft__ledger_entry *e = ledger->head[k].next; e != &ledger->head[k]; e = e->next)
        row[n++] = (weft__ledger_row){e->kind, e->site, e->tag, 1, e->size_bytes, e->foreign};
  pthread_mutex_unlock(&ledger->lock);
  *rows = row;
  *count = 0;
  if (n == 0) return !failed;

  /* one source line may have several copies of its string: merge by text */
  qsort(row, n, sizeof *row, by_place);
  size_t kept = 0;
  for (size_t i = 1; i < n; i++) {
    if (by_place(&row[kept], &row[i]) == 0) {
      row[kept].count++;
      row[kept].size_bytes += row[i].size_bytes;
    } else {
      row[++kept] = row[i];
    }
  }
  *count = kept + 1;
  qsort(row, *count, sizeof *row, by_size);
  return true;
}
