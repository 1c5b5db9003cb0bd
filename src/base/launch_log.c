// SPDX-License-Identifier: MIT
#include "base/launch_log.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"

/// Adds the launches from number `first` up to `next`, exclusive, that are still known, newest first.
static void add_launches(const weft__launch_log *log, uint64_t first, uint64_t next, weft__text *text) {
  for (uint64_t back = 1; back <= WEFT__LAUNCH_LOG_LENGTH && back <= next - first; back++) {
    uint64_t i = (next - back) % WEFT__LAUNCH_LOG_LENGTH;
    const char *name = atomic_load(&log->ring[i].name), *site = atomic_load(&log->ring[i].site);
    weft__text_add(text, "%s%s (%s)", back > 1 ? ", " : "", name ? name : "?", site ? site : "?");
  }
}

void weft__launch_log_describe(const weft__launch_log *log, weft__text *text) {
  uint64_t next = atomic_load(&log->next);
  weft__text_add(text, next ? "the last launches were " : "nothing was launched before");
  add_launches(log, 0, next, text);
}

void weft__launch_log_describe_since(const weft__launch_log *log, uint64_t first, weft__text *text) {
  uint64_t next = atomic_load(&log->next);
  weft__text_add(text, next > first ? "launched since the last look: " : "nothing was launched since the last look");
  add_launches(log, first, next, text);
}

typedef struct interned {
  struct interned *next;
  char string[];
} interned;

#define BUCKETS 512

/// NULL if the host has no memory; that is not recorded.
static const char *keep(const char *string, size_t size) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static interned *bucket[BUCKETS];
  interned **first = &bucket[weft__hash(string, size, 0) % BUCKETS];
  pthread_mutex_lock(&lock);
  interned *found = *first;
  while (found && strcmp(found->string, string) != 0) found = found->next;
  if (!found) {
    found = malloc(sizeof *found + size);
    if (found) {
      memcpy(found->string, string, size);
      found->next = *first;
      *first = found;
    }
  }
  pthread_mutex_unlock(&lock);
  return found ? found->string : NULL;
}

const char *weft__intern(const char *string) {
  size_t size = strlen(string) + 1;
  const char *kept = keep(string, size);
  if (!kept) weft__fail_host_memory(sizeof(interned) + size);
  return kept;
}

const char *weft__lasting_site(const char *site) {
  /* few lines repeat often: found by address, with the text compared, as another plugin may use the address now */
  static _Thread_local struct { const char *given, *kept; } known[32];
  if (!site) return NULL;
  size_t at = ((uintptr_t)site >> 3 ^ (uintptr_t)site >> 8) % (sizeof known / sizeof *known);
  if (known[at].given == site && strcmp(site, known[at].kept) == 0) return known[at].kept;
  const char *kept = keep(site, strlen(site) + 1);
  if (!kept) return "unknown";
  known[at].given = site;
  known[at].kept = kept;
  return kept;
}
