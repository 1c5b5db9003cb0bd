// SPDX-License-Identifier: MIT
#include "fault_heap.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "fault_driver.h"

// The linker's names: calls of x in the program become __wrap_x; __real_x is the C library's function.
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *string);
char *__wrap_strndup(const char *string, size_t room);
void __wrap_free(void *block);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fault_heap_record unread, *record = &unread;
static long first, alive;
static bool all_after;

// The blocks alive, in an open-addressed set, so that freeing blocks from elsewhere (getline, the C library) is not
// counted.
enum { SLOTS = 1 << 16 };
static void *set[SLOTS];
static char removed; /* its address marks a removed slot */

static size_t slot_of(const void *block) {
  return (size_t)(((uintptr_t)block >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 48) & (SLOTS - 1);
}

static void *keep(void *block) {
  size_t i, probes = 0;
  if (block == NULL) return NULL;
  pthread_mutex_lock(&lock);
  for (i = slot_of(block); set[i] != NULL && set[i] != &removed && probes < SLOTS; i = (i + 1) % SLOTS) probes++;
  set[i] = block;
  alive++;
  pthread_mutex_unlock(&lock);
  return block;
}

static void drop(const void *block) {
  size_t i, probes = 0;
  pthread_mutex_lock(&lock);
  for (i = slot_of(block); set[i] != NULL && set[i] != block && probes < SLOTS; i = (i + 1) % SLOTS) probes++;
  if (set[i] == block) {
    set[i] = &removed;
    alive--;
  }
  pthread_mutex_unlock(&lock);
}

static bool strikes(size_t size) {
  bool struck;
  if (fault_is_own()) return false;
  pthread_mutex_lock(&lock);
  record->calls++;
  struck = first != 0 && (all_after ? record->calls >= first : record->calls == first);
  if (struck && record->failed++ == 0) record->size = size;
  pthread_mutex_unlock(&lock);
  if (struck) errno = ENOMEM;
  return struck;
}

static void heap_begin(fault_heap_record *into, long call, bool onwards) {
  pthread_mutex_lock(&lock);
  memset(into, 0, sizeof *into);
  record = into;
  first = call;
  all_after = onwards;
  pthread_mutex_unlock(&lock);
}

static void heap_end(void) {
  pthread_mutex_lock(&lock);
  record = &unread;
  first = 0;
  pthread_mutex_unlock(&lock);
}

static long heap_alive(void) {
  long count;
  pthread_mutex_lock(&lock);
  count = alive;
  pthread_mutex_unlock(&lock);
  return count;
}

const fault_heap_hooks fault_heap = {heap_begin, heap_end, heap_alive};

void *__wrap_malloc(size_t size) {
  return strikes(size) ? NULL : keep(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
  return strikes(count * size) ? NULL : keep(__real_calloc(count, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return strikes(size) ? NULL : keep(__real_aligned_alloc(alignment, size));
}

void *__wrap_realloc(void *block, size_t size) {
  void *moved;
  if (strikes(size)) return NULL;
  // Remove it from the set first: once it is freed, another thread may get its address.
  if (block != NULL) drop(block);
  moved = __real_realloc(block, size);
  if (moved == NULL && size != 0) keep(block);
  return keep(moved);
}

char *__wrap_strndup(const char *string, size_t room) {
  size_t length = 0;
  char *copy;
  while (length < room && string[length] != '\0') length++;
  copy = __wrap_malloc(length + 1);
  if (copy == NULL) return NULL;
  memcpy(copy, string, length);
  copy[length] = '\0';
  return copy;
}

char *__wrap_strdup(const char *string) {
  return __wrap_strndup(string, SIZE_MAX - 1);
}

void __wrap_free(void *block) {
  if (block == NULL) return;
  drop(block);
  __real_free(block);
}
