// SPDX-License-Identifier: MIT
#include "base/held.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"

#define BUCKETS 512

typedef struct held_text {
  struct held_text *next;
  size_t holds;
  char string[];
} held_text;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static held_text *bucket[BUCKETS];

static held_text **bucket_of(const char *string) {
  return &bucket[weft__hash(string, strlen(string), 0) % BUCKETS];
}

const char *weft__hold_text(const char *string) {
  const size_t size = strlen(string) + 1;
  held_text **first = bucket_of(string);
  pthread_mutex_lock(&lock);
  held_text *found = *first;
  while (found && strcmp(found->string, string) != 0) found = found->next;
  if (!found && (found = malloc(sizeof *found + size))) {
    memcpy(found->string, string, size);
    found->holds = 0;
    found->next = *first;
    *first = found;
  }
  if (found) found->holds++;
  pthread_mutex_unlock(&lock);
  if (!found) weft__fail_host_memory(sizeof *found + size);
  return found ? found->string : NULL;
}

void weft__hold_again(const char *held) {
  held_text *text = (held_text *)(held - offsetof(held_text, string));
  pthread_mutex_lock(&lock);
  text->holds++;
  pthread_mutex_unlock(&lock);
}

void weft__let_go(const char *held) {
  if (!held) return;
  held_text **at = bucket_of(held);
  pthread_mutex_lock(&lock);
  while (*at && (*at)->string != held) at = &(*at)->next;
  held_text *text = *at;
  if (text && --text->holds == 0)
    *at = text->next;
  else
    text = NULL;
  pthread_mutex_unlock(&lock);
  free(text);
}
