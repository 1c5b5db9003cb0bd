// SPDX-License-Identifier: MIT
#include "mem/pool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "mem/storage.h"
#include "ocl/call.h"

#define SMALLEST_BYTES 512u

uint64_t weft__pool_class(uint64_t size_bytes, int *number) {
  *number = 0;
  if (size_bytes <= SMALLEST_BYTES) return SMALLEST_BYTES;
  uint64_t last = size_bytes - 1;
  int exponent = 9;
  while (last >> (exponent + 1)) exponent++;
  uint64_t base = (uint64_t)1 << exponent, quarter = base / 4, step = (last - base) / quarter;
  *number = 1 + (exponent - 9) * 4 + (int)step;
  return base + (step + 1) * quarter;
}

void weft__pool_init(weft__pool *pool, weft__core *core, const weft_context_params *params) {
  const char *off = getenv("WEFT_POOL");
  pool->core = core;
  weft__guard_init(&pool->guard, core, params);
  pool->off = params->pool_off || (off && strcmp(off, "off") == 0) || core->guard;
  pool->limit_bytes = params->memory_limit_bytes;
  pthread_mutex_init(&pool->lock, NULL);
}

void weft__pool_destroy(weft__pool *pool) {
  weft__guard_destroy(&pool->guard);
  pthread_mutex_destroy(&pool->lock);
}

static void destroy(weft__storage *storage) {
  weft__storage_free_memory(storage);
  free(storage);
}

static weft__storage *take_idle(weft__pool *pool) {
  weft__storage *list = NULL;
  for (int c = 0; c < WEFT__POOL_CLASSES; c++)
    while (pool->idle[c]) {
      weft__storage *storage = pool->idle[c];
      pool->idle[c] = storage->next;
      storage->next = list;
      list = storage;
    }
  pool->held_bytes = 0;
  return list;
}

uint64_t weft__pool_trim(weft__pool *pool) {
  uint64_t aside = atomic_load(&pool->guard.aside_bytes);
  if (aside) weft__guard_trim(&pool->guard);
  pthread_mutex_lock(&pool->lock);
  uint64_t held = pool->held_bytes + aside;
  weft__storage *list = take_idle(pool);
  pthread_mutex_unlock(&pool->lock);
  while (list) {
    weft__storage *next = list->next;
    destroy(list);
    list = next;
  }
  return held;
}

void weft__pool_stats(weft__pool *pool, weft_memory_stats *stats) {
  weft__core *core = pool->core;
  uint64_t aside = atomic_load(&pool->guard.aside_bytes);
  pthread_mutex_lock(&pool->lock);
  *stats = (weft_memory_stats){
      .active_bytes = pool->active_bytes - aside,
      .held_bytes = pool->held_bytes + aside,
      .managed_bytes = pool->active_bytes + pool->held_bytes,
      .peak_active_bytes = pool->peak_active_bytes,
      .peak_managed_bytes = pool->peak_managed_bytes,
      .device_bytes = core->device->info.memory_size_bytes,
      .limit_bytes = pool->limit_bytes ? pool->limit_bytes : core->device->info.memory_size_bytes,
      .allocations = pool->allocations,
      .pool_hits = pool->hits,
      .arrays = weft__ledger_count(&core->ledger, WEFT__LEDGER_STORAGE),
      .to_device_bytes = atomic_load(&core->to_device_bytes),
      .to_host_bytes = atomic_load(&core->to_host_bytes),
      .launches = atomic_load(&core->recent.next),
  };
  pthread_mutex_unlock(&pool->lock);
}

void weft__pool_set_limit(weft__pool *pool, uint64_t limit_bytes) {
  pthread_mutex_lock(&pool->lock);
  pool->limit_bytes = limit_bytes;
  pthread_mutex_unlock(&pool->lock);
}

/// Says who holds the memory: the largest holder in the message, more of them in the detail.
static weft_status refuse(weft__pool *pool, weft_status status, int cl_code, uint64_t size_bytes, const char *why) {
  weft_memory_stats stats;
  weft__text message = {0};
  weft__ledger_row *rows;
  weft__pool_stats(pool, &stats);
  size_t n;
  weft__ledger_sum(&pool->core->ledger, WEFT__LEDGER_STORAGE, WEFT__LEDGER_STORAGE, &rows, &n); /* without them the message is shorter */
  weft__text_add_size(&message, size_bytes);
  weft__text_add(&message, " asked; ");
  weft__text_add_size(&message, stats.managed_bytes);
  weft__text_add(&message, " of ");
  weft__text_add_size(&message, stats.limit_bytes);
  weft__text_add(&message, " held");
  if (n > 0) {
    weft__text_add(&message, ", most by %s (", rows[0].site);
    weft__text_add_size(&message, rows[0].size_bytes);
    weft__text_add(&message, ")");
  }
  weft__text_add(&message, "; %s", why);
  weft__fail_code(status, cl_code, cl_code ? weft_cl_code_name(cl_code) : "", "%s", weft__text_chars(&message));
  weft__text *detail = weft__detail();
  for (size_t i = 0; i < n && i < 8; i++) {
    weft__text_add(detail, "  %s holds ", rows[i].site);
    weft__text_add_size(detail, rows[i].size_bytes);
    weft__text_add(detail, " in %llu storage%s\n", (unsigned long long)rows[i].count, rows[i].count == 1 ? "" : "s");
  }
  free(rows);
  weft__text_free(&message);
  return status;
}

/// Makes the buffer really exist, so that running out is seen here and not at some later launch.
static cl_int touch(weft__core *core, weft__storage *storage) {
  int slot = weft__slot_now(core);
  cl_uchar zero = 0; /* a buffer of exact size may have no more than one byte */
  cl_int code = clEnqueueFillBuffer(core->slot[slot].queue, storage->mem, &zero, sizeof zero, 0, sizeof zero, 0, NULL, NULL);
  if (code == CL_SUCCESS) weft__storage_mark(storage, slot, true, weft__slot_issue(core, slot));
  return code;
}

static cl_int create_buffer(weft__core *core, weft__storage *storage, uint64_t capacity_bytes) {
  cl_int code;
  if (core->guard)
    code = weft__guard_make(core, storage, capacity_bytes);
  else
    storage->mem = clCreateBuffer(core->cl, CL_MEM_READ_WRITE, capacity_bytes, NULL, &code);
  if (code == CL_SUCCESS && core->device->quirks.lazy_allocation) {
    code = touch(core, storage);
    if (code != CL_SUCCESS) weft__storage_free_memory(storage);
  }
  if (code != CL_SUCCESS) storage->mem = NULL;
  storage->capacity_bytes = capacity_bytes;
  return code;
}

static bool is_shortage(cl_int code) {
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY ||
         code == CL_INVALID_BUFFER_SIZE;
}

/// Counts so many bytes as active, if the device's memory and the budget have room for them: before the driver is asked, so that two
/// threads do not get the same room. Where the driver overcommits, its word is not enough.
static bool reserve(weft__pool *pool, uint64_t more_bytes, bool *by_budget) {
  weft__core *core = pool->core;
  uint64_t sum, limit = UINT64_MAX;
  if (core->device->quirks.overcommits) limit = core->device->info.memory_size_bytes;
  pthread_mutex_lock(&pool->lock);
  *by_budget = pool->limit_bytes && pool->limit_bytes <= limit;
  if (*by_budget) limit = pool->limit_bytes;
  bool room = weft__add_u64(&sum, pool->active_bytes + pool->held_bytes, more_bytes) && sum <= limit;
  if (room) pool->active_bytes += more_bytes;
  pthread_mutex_unlock(&pool->lock);
  return room;
}

static void unreserve(weft__pool *pool, uint64_t bytes) {
  pthread_mutex_lock(&pool->lock);
  pool->active_bytes -= bytes;
  pthread_mutex_unlock(&pool->lock);
}

/// A new buffer, counted as active.
static weft_status allocate(weft__pool *pool, weft__storage *storage, uint64_t size_bytes, uint64_t capacity_bytes) {
  weft__core *core = pool->core;
  bool by_budget;
  if (!reserve(pool, capacity_bytes, &by_budget)) {
    /* what the pool keeps counts; and the exact size may fit where the rounded one does not */
    weft__pool_trim(pool);
    capacity_bytes = size_bytes;
    if (!reserve(pool, capacity_bytes, &by_budget))
      return by_budget ? refuse(pool, WEFT_ERROR_BUDGET, 0, size_bytes, "that is the context's memory limit")
                       : refuse(pool, WEFT_ERROR_MEMORY, 0, size_bytes, "the device has no more");
  }
  cl_int code = create_buffer(core, storage, capacity_bytes);
  if (is_shortage(code)) {
    weft__pool_trim(pool);
    /* released buffers come back to the driver when the work on them is done */
    weft_status rc = weft__core_wait(core);
    unreserve(pool, rc ? capacity_bytes : capacity_bytes - size_bytes);
    if (rc) return rc;
    capacity_bytes = size_bytes;
    code = create_buffer(core, storage, size_bytes);
  }
  if (code == CL_SUCCESS) return WEFT_OK;
  unreserve(pool, capacity_bytes);
  if (code == CL_INVALID_BUFFER_SIZE)
    return refuse(pool, WEFT_ERROR_MEMORY, code, size_bytes, "the driver makes no single buffer so large (see max_allocation_bytes)");
  if (is_shortage(code)) return refuse(pool, WEFT_ERROR_MEMORY, code, size_bytes, "the driver has no more");
  return weft__core_failed(core, code, "clCreateBuffer", false);
}

weft_status weft__pool_take(weft__pool *pool, weft__storage **out, uint64_t size_bytes) {
  int number = 0;
  if (size_bytes == 0) size_bytes = 1; /* OpenCL has no empty buffer, and kernels want one */
  uint64_t capacity_bytes = pool->off ? size_bytes : weft__pool_class(size_bytes, &number);
  weft__storage *storage = NULL;
  uint64_t start_ns = weft__tracing() ? weft__now_ns() : 0;
  bool is_new = false;
  pthread_mutex_lock(&pool->lock);
  if (!pool->off && (storage = pool->idle[number])) {
    pool->idle[number] = storage->next;
    pool->held_bytes -= storage->capacity_bytes;
    pool->active_bytes += storage->capacity_bytes;
    pool->hits++;
  }
  pthread_mutex_unlock(&pool->lock);
  if (!storage) {
    if (!(storage = weft__new(sizeof *storage))) return WEFT_ERROR_HOST_MEMORY;
    weft_status rc = allocate(pool, storage, size_bytes, capacity_bytes);
    if (rc) {
      free(storage);
      return rc;
    }
    is_new = true;
  }
  if (start_ns) {
    const char *what = weft__trace_subject();
    weft__trace_step(WEFT__STEP_ALLOCATE, weft__now_ns() - start_ns, 0, "%" PRIu64 " bytes%s%s%s", size_bytes, what[0] ? " for " : "", what,
                     is_new ? "" : ", from the pool");
  }
  pthread_mutex_lock(&pool->lock);
  pool->allocations++;
  if (pool->active_bytes > pool->peak_active_bytes) pool->peak_active_bytes = pool->active_bytes;
  uint64_t managed = pool->active_bytes + pool->held_bytes;
  if (managed > pool->peak_managed_bytes) pool->peak_managed_bytes = managed;
  pthread_mutex_unlock(&pool->lock);
  *out = storage;
  return WEFT_OK;
}

void weft__pool_give(weft__pool *pool, weft__storage *storage) {
  int number = 0;
  pthread_mutex_lock(&pool->lock);
  pool->active_bytes -= storage->capacity_bytes;
  /* a buffer of an odd size (the rounded one did not fit) would never be found again */
  bool keep = !pool->off && weft__pool_class(storage->capacity_bytes, &number) == storage->capacity_bytes;
  if (keep) {
    pool->held_bytes += storage->capacity_bytes;
    storage->next = pool->idle[number];
    pool->idle[number] = storage;
  }
  pthread_mutex_unlock(&pool->lock);
  if (!keep) destroy(storage);
}

void weft__pool_forget(weft__pool *pool, const weft__storage *storage) {
  unreserve(pool, storage->capacity_bytes);
}
