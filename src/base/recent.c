// SPDX-License-Identifier: MIT
#include "base/recent.h"

#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"

void weft__recent_describe(const weft__recent *recent, weft__text *text) {
  uint64_t next = atomic_load(&recent->next);
  if (next == 0) {
    weft__text_add(text, "nothing was launched before");
    return;
  }
  weft__text_add(text, "the last launches were ");
  for (uint64_t back = 1; back <= WEFT__RECENT_LENGTH && back <= next; back++) {
    uint64_t i = (next - back) % WEFT__RECENT_LENGTH;
    const char *name = atomic_load(&recent->ring[i].name), *site = atomic_load(&recent->ring[i].site);
    weft__text_add(text, "%s%s (%s)", back > 1 ? ", " : "", name ? name : "?", site ? site : "?");
  }
}

typedef struct interned {
  struct interned *next;
  char string[];
} interned;

#define BUCKETS 512

const char *weft__intern(const char *string) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static interned *bucket[BUCKETS];
  size_t size = strlen(string) + 1;
  interned **first = &bucket[weft__hash(string, size, 0) % BUCKETS];
  pthread_mutex_lock(&lock);
  interned *found = *first;
  while (found && strcmp(found->string, string) != 0) found = found->next;
  if (!found) {
    found = weft__new(sizeof *found + size);
    if (found) {
      memcpy(found->string, string, size);
      found->next = *first;
      *first = found;
    }
  }
  pthread_mutex_unlock(&lock);
  return found ? found->string : NULL;
}
