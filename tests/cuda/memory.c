// SPDX-License-Identifier: MIT
/// Memory: files in memory that can be exported, and their mappings; plain memory that cannot.
#define _GNU_SOURCE /* memfd_create */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "standin.h"

typedef struct properties {
  int type, handle_types, location_type, device;
  void *windows_attributes;
  unsigned char flags[8];
} properties;

typedef struct allowed {
  int location_type, device;
  int flags;
} allowed;

typedef struct memory {
  struct memory *next; /* all ever made */
  properties of;
  int file;
  size_t size_bytes;
  long references; /* handles; mappings hold it too */
} memory;

/// A range of addresses: reserved, and perhaps mapped; or memory of cuMemAlloc.
typedef struct range {
  struct range *next;
  context owner;
  uint64_t address;
  size_t size_bytes;
  memory *mapped;
  bool is_plain;
} range;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static memory *memories;
static range *ranges;
static uint64_t used_bytes;

static uint64_t total_bytes(void) {
  const char *text = getenv("WEFT_TEST_CUDA_MEMORY");
  return text ? strtoull(text, NULL, 10) : (uint64_t)8 << 30;
}

/* ---- with the lock held ---- */

static memory *find_memory(uint64_t handle) {
  memory *m = memories;
  while (m && ((uint64_t)(uintptr_t)m != handle || m->references == 0)) m = m->next;
  return m;
}

static range **find_range(uint64_t address) {
  range **place = &ranges;
  while (*place && (address < (*place)->address || address - (*place)->address >= (*place)->size_bytes))
    place = &(*place)->next;
  return place;
}

static void drop(memory *m) {
  if (--m->references > 0) return;
  close(m->file);
  used_bytes -= m->size_bytes;
  standin_count(-1);
}

static void add_range(uint64_t address, size_t size_bytes, bool is_plain, context owner) {
  range *r = calloc(1, sizeof *r);
  if (!r) abort();
  *r = (range){.next = ranges, .owner = owner, .address = address, .size_bytes = size_bytes, .is_plain = is_plain};
  ranges = r;
  standin_count(1);
}

static void remove_range(range **place) {
  range *r = *place;
  *place = r->next;
  if (r->mapped) drop(r->mapped);
  munmap((void *)(uintptr_t)r->address, r->size_bytes);
  free(r);
  standin_count(-1);
}

void standin_end_memory(context of) {
  pthread_mutex_lock(&lock);
  for (range **place = &ranges; *place;)
    if ((*place)->owner == of && (*place)->is_plain)
      remove_range(place);
    else
      place = &(*place)->next;
  pthread_mutex_unlock(&lock);
}

/* ---- memory that can be exported ---- */

int cuMemGetAllocationGranularity(size_t *size_bytes, const properties *of, int kind) {
  BEGIN;
  if (of->type != 1 || of->location_type != 1 || kind < 0 || kind > 1) return INVALID_VALUE;
  *size_bytes = GRANULE_BYTES;
  return OK;
}

int cuMemCreate(uint64_t *handle, size_t size_bytes, const properties *of, unsigned long long flags) {
  BEGIN;
  if (flags || of->type != 1 || of->location_type != 1 || of->device < 0 || of->device >= standin_devices() ||
      !size_bytes || size_bytes % GRANULE_BYTES)
    return INVALID_VALUE;
  pthread_mutex_lock(&lock);
  int code = used_bytes + size_bytes > total_bytes() ? OUT_OF_MEMORY : OK;
  memory *m = calloc(1, sizeof *m);
  if (!m) abort();
  if (!code) {
    *m = (memory){.next = memories, .of = *of, .size_bytes = size_bytes, .references = 1};
    m->file = memfd_create("weft stand-in", MFD_CLOEXEC);
    if (m->file < 0 || ftruncate(m->file, (off_t)size_bytes)) code = OPERATING_SYSTEM;
  }
  if (code) {
    free(m);
  } else {
    memories = m;
    used_bytes += size_bytes;
    standin_count(1);
    *handle = (uint64_t)(uintptr_t)m;
  }
  pthread_mutex_unlock(&lock);
  return code;
}

int cuMemRelease(uint64_t handle) {
  BEGIN_RELEASE;
  pthread_mutex_lock(&lock);
  memory *m = find_memory(handle);
  if (m) drop(m);
  pthread_mutex_unlock(&lock);
  END_RELEASE(m ? OK : INVALID_VALUE);
}

int cuMemExportToShareableHandle(void *file, uint64_t handle, int kind, unsigned long long flags) {
  BEGIN;
  pthread_mutex_lock(&lock);
  memory *m = find_memory(handle);
  int code = m && !flags && (m->of.handle_types & kind) == kind && kind == 1 ? OK : INVALID_VALUE;
  if (!code) {
    const int copy = dup(m->file);
    if (copy < 0) code = OPERATING_SYSTEM;
    *(int *)file = copy;
  }
  pthread_mutex_unlock(&lock);
  return code;
}

/// The file is not taken over: as CUDA, which leaves it to the caller.
int cuMemImportFromShareableHandle(uint64_t *handle, void *file, int kind) {
  BEGIN;
  struct stat theirs, ours;
  if (kind != 1 || fstat((int)(intptr_t)file, &theirs)) return INVALID_VALUE;
  pthread_mutex_lock(&lock);
  memory *m = memories;
  while (m && (m->references == 0 || fstat(m->file, &ours) || ours.st_ino != theirs.st_ino)) m = m->next;
  if (m) {
    m->references++;
    *handle = (uint64_t)(uintptr_t)m;
  }
  pthread_mutex_unlock(&lock);
  return m ? OK : INVALID_VALUE;
}

int cuMemRetainAllocationHandle(uint64_t *handle, void *address) {
  BEGIN;
  pthread_mutex_lock(&lock);
  range *r = *find_range((uint64_t)(uintptr_t)address);
  if (r && r->mapped) {
    r->mapped->references++;
    *handle = (uint64_t)(uintptr_t)r->mapped;
  }
  const int code = r && r->mapped ? OK : INVALID_VALUE;
  pthread_mutex_unlock(&lock);
  return code;
}

int cuMemGetAllocationPropertiesFromHandle(properties *of, uint64_t handle) {
  BEGIN;
  pthread_mutex_lock(&lock);
  memory *m = find_memory(handle);
  if (m) *of = m->of;
  pthread_mutex_unlock(&lock);
  return m ? OK : INVALID_VALUE;
}

/* ---- addresses ---- */

int cuMemAddressReserve(uint64_t *address, size_t size_bytes, size_t align, uint64_t at, unsigned long long flags) {
  BEGIN;
  (void)align;
  if (!size_bytes || size_bytes % GRANULE_BYTES || at || flags) return INVALID_VALUE;
  void *place = mmap(NULL, size_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return OUT_OF_MEMORY;
  pthread_mutex_lock(&lock);
  add_range((uint64_t)(uintptr_t)place, size_bytes, false, NULL);
  pthread_mutex_unlock(&lock);
  *address = (uint64_t)(uintptr_t)place;
  return OK;
}

int cuMemAddressFree(uint64_t address, size_t size_bytes) {
  BEGIN_RELEASE;
  pthread_mutex_lock(&lock);
  range **place = find_range(address);
  const bool is_right = *place && !(*place)->mapped && (*place)->address == address &&
                        (*place)->size_bytes == size_bytes && !(*place)->is_plain;
  if (is_right) remove_range(place);
  pthread_mutex_unlock(&lock);
  END_RELEASE(is_right ? OK : INVALID_VALUE);
}

int cuMemMap(uint64_t address, size_t size_bytes, size_t offset, uint64_t handle, unsigned long long flags) {
  BEGIN;
  pthread_mutex_lock(&lock);
  memory *m = find_memory(handle);
  range *r = *find_range(address);
  const bool is_right = m && r && !flags && !offset && !r->mapped && r->address == address &&
                        r->size_bytes == size_bytes && m->size_bytes == size_bytes;
  if (is_right) {
    mmap((void *)(uintptr_t)address, size_bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, m->file, 0);
    m->references++;
    r->mapped = m;
  }
  pthread_mutex_unlock(&lock);
  return is_right ? OK : INVALID_VALUE;
}

int cuMemUnmap(uint64_t address, size_t size_bytes) {
  BEGIN_RELEASE;
  pthread_mutex_lock(&lock);
  range *r = *find_range(address);
  const bool is_right = r && r->mapped && r->address == address && r->size_bytes == size_bytes;
  if (is_right) {
    mmap((void *)(uintptr_t)address, size_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
         0);
    drop(r->mapped);
    r->mapped = NULL;
  }
  pthread_mutex_unlock(&lock);
  END_RELEASE(is_right ? OK : INVALID_VALUE);
}

int cuMemSetAccess(uint64_t address, size_t size_bytes, const allowed *to, size_t count) {
  BEGIN;
  pthread_mutex_lock(&lock);
  range *r = *find_range(address);
  const bool is_right = r && r->mapped && r->address == address && r->size_bytes == size_bytes && count >= 1 &&
                        to->location_type == 1 && to->flags == 3;
  if (is_right) mprotect((void *)(uintptr_t)address, size_bytes, PROT_READ | PROT_WRITE);
  pthread_mutex_unlock(&lock);
  return is_right ? OK : INVALID_VALUE;
}

int cuMemGetAddressRange_v2(uint64_t *base, size_t *size_bytes, uint64_t address) {
  BEGIN;
  pthread_mutex_lock(&lock);
  range *r = *find_range(address);
  if (r && base) *base = r->address;
  if (r && size_bytes) *size_bytes = r->size_bytes;
  pthread_mutex_unlock(&lock);
  return r ? OK : INVALID_VALUE;
}

int cuPointerGetAttribute(void *value, int attribute, uint64_t address) {
  enum { MEMORY_TYPE = 2, DEVICE_ORDINAL = 9, DEVICE_MEMORY = 2 };
  BEGIN;
  pthread_mutex_lock(&lock);
  range *r = *find_range(address);
  const int device = r && r->mapped ? r->mapped->of.device : r && r->owner ? r->owner->device : 0;
  pthread_mutex_unlock(&lock);
  if (!r || (attribute != MEMORY_TYPE && attribute != DEVICE_ORDINAL)) return INVALID_VALUE;
  *(int *)value = attribute == MEMORY_TYPE ? DEVICE_MEMORY : device;
  return OK;
}

/* ---- plain memory ---- */

int cuMemAlloc_v2(uint64_t *address, size_t size_bytes) {
  BEGIN;
  context current;
  const int code = standin_current(&current);
  if (code) return code;
  void *place = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED || !size_bytes) return OUT_OF_MEMORY;
  pthread_mutex_lock(&lock);
  add_range((uint64_t)(uintptr_t)place, size_bytes, true, current);
  pthread_mutex_unlock(&lock);
  *address = (uint64_t)(uintptr_t)place;
  return OK;
}

int cuMemFree_v2(uint64_t address) {
  BEGIN;
  pthread_mutex_lock(&lock);
  range **place = find_range(address);
  const bool is_right = *place && (*place)->is_plain && (*place)->address == address;
  if (is_right) remove_range(place);
  pthread_mutex_unlock(&lock);
  return is_right ? OK : INVALID_VALUE;
}

/* ---- the host's memory ---- */

int cuMemHostAlloc(void **host, size_t size_bytes, unsigned flags) {
  BEGIN;
  context current;
  const int code = flags > 7 || !size_bytes ? INVALID_VALUE : standin_current(&current);
  if (code) return code;
  *host = calloc(1, size_bytes);
  if (!*host) return OUT_OF_MEMORY;
  standin_count(1);
  return OK;
}

int cuMemFreeHost(void *host) {
  BEGIN_RELEASE;
  free(host);
  standin_count(-1);
  END_RELEASE(OK);
}
