// SPDX-License-Identifier: MIT
/// The pool's bound, and why it holds.
///
/// The due bytes of an array are the bytes it requested, and at least SMALLEST_BYTES. D is the sum of the due bytes of
/// all live arrays and arrays being made, P the largest such sum of live arrays so far, R the bytes that are reserved
/// or being reserved. At all times
///
///     active + held + making <= max(1.3 * max(P, D), floor) + R         (1)
///
/// 1. A buffer in use has at most 1.25 times its array's due bytes. A new buffer has the exact size or the capacity of
///    the array's class, which is at most 1.125 times as large. An idle buffer is reused only within the factor 1.25
///    (find). So active + making <= 1.25 * D.
/// 2. The left side of (1) grows only in make_room. There idle buffers are evicted until (1) holds with the new buffer
///    included, or until only reserved buffers are idle. In the second case the left side is at most 1.25 * D + R, by
///    1. Reusing and returning an idle buffer does not change the left side.
/// 3. P never falls. R falls only when all idle buffers are released (weft__pool_trim). D falls when an array is
///    released. If D > P because a buffer is being made, the right side may fall with D. The thread that makes the
///    buffer therefore restores (1) when the buffer is made or refused (made). Until then D includes the requests of
///    threads that wait for the driver. With a single thread there is no such interval.
///
/// The driver frees evicted buffers right after the lock is released, and before the buffer they make room for is
/// requested.
#include "mem/pool.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/environment.h"
#include "mem/out_of_memory.h"
#include "ocl/codes.h"

#define SMALLEST_BYTES 512u
#define LEAST_FLOOR_BYTES ((uint64_t)1 << 20)
#define CLASSES_LOOKED_AT 3 /* the next two are within 1.25 times the size, the third never is */
#define BUFFERS_LOOKED_AT 4
#define MADE_AGAIN_OFTEN 100

/// The capacity of the class that serves `size_bytes` (at most 2^63). *number: the class.
static uint64_t class_of(uint64_t size_bytes, int *number) {
  *number = 0;
  if (size_bytes <= SMALLEST_BYTES) return SMALLEST_BYTES;
  uint64_t last = size_bytes - 1;
  int exponent = 63 - __builtin_clzll(last);
  uint64_t base = (uint64_t)1 << exponent, steps = (last - base) >> (exponent - 3);
  *number = 1 + (exponent - 9) * 8 + (int)steps;
  return base + ((steps + 1) << (exponent - 3));
}

static uint64_t due(uint64_t size_bytes) {
  return size_bytes < SMALLEST_BYTES ? SMALLEST_BYTES : size_bytes;
}

weft_status weft__pool_init(weft__pool *pool, weft__core *core, const weft_context_params *params) {
  bool off;
  WEFT__TRY_RETURN(weft__environment_off(&off, WEFT__ENV_POOL));
  pool->core = core;
  pool->limit_bytes = params->memory_limit_bytes;
  pool->floor_bytes = core->device->info.memory_size_bytes / 1024;
  if (pool->floor_bytes < LEAST_FLOOR_BYTES) pool->floor_bytes = LEAST_FLOOR_BYTES;
  pool->reservation = 1;
  if (!pool->limit_bytes)
    WEFT__TRY_RETURN(
        weft__environment_size(&pool->limit_bytes, WEFT__ENV_MEMORY_LIMIT, core->device->info.memory_size_bytes));
  pool->takes_slabs = params->cuda || (weft__environment_flag(WEFT__ENV_CUDA) && core->device->imports_memory &&
                                       core->device->has_uuid);
  if (pool->takes_slabs) WEFT__TRY_RETURN(weft__cuda_open(core));
  weft__slabs_init(&pool->slabs, core);
  weft__window_init(&pool->window);
  weft__guard_init(&pool->guard, core, params);
  pool->off = params->pool_off || off || core->guard;
  pthread_mutex_init(&pool->lock, NULL);
  return WEFT_OK;
}

void weft__pool_destroy(weft__pool *pool) {
  weft__guard_destroy(&pool->guard);
  weft__slabs_destroy(&pool->slabs);
  weft__window_destroy(&pool->window);
  pthread_mutex_destroy(&pool->lock);
}

void weft__pool_stats(weft__pool *pool, weft_memory_stats *stats) {
  weft__core *core = pool->core;
  pthread_mutex_lock(&pool->lock);
  /* under the lock: memory that leaves the guard is first uncounted there, then counted here */
  uint64_t aside = atomic_load(&pool->guard.aside_bytes),
           aside_requested = atomic_load(&pool->guard.aside_requested_bytes);
  *stats = (weft_memory_stats){
      .active_bytes = pool->active_bytes - aside,
      .held_bytes = pool->held_bytes + aside,
      .managed_bytes = pool->active_bytes + pool->held_bytes,
      .requested_bytes = pool->requested_bytes - aside_requested,
      .reserved_bytes = pool->reserved_bytes,
      .slab_bytes = weft__slabs_size_bytes(&pool->slabs) + weft__window_size_bytes(&pool->window),
      .peak_active_bytes = pool->peak_active_bytes,
      .peak_managed_bytes = pool->peak_managed_bytes,
      .peak_requested_bytes = pool->peak_requested_bytes,
      .device_bytes = core->device->info.memory_size_bytes,
      .limit_bytes = pool->limit_bytes ? pool->limit_bytes : core->device->info.memory_size_bytes,
      .allocations = pool->allocations,
      .pool_hits = pool->hits,
      .driver_allocations = pool->driver_allocations,
      .driver_releases = pool->driver_releases,
      .arrays = weft__ledger_count(&core->ledger, WEFT__LEDGER_STORAGE),
      .to_device_bytes = atomic_load(&core->to_device_bytes),
      .to_host_bytes = atomic_load(&core->to_host_bytes),
      .launches = atomic_load(&core->launch_log.next),
  };
  pthread_mutex_unlock(&pool->lock);
}

void weft__pool_set_limit(weft__pool *pool, uint64_t limit_bytes) {
  pthread_mutex_lock(&pool->lock);
  pool->limit_bytes = limit_bytes;
  pthread_mutex_unlock(&pool->lock);
}

/* ---- driver calls: only these functions make and release buffers ---- */

/// Releases the driver's buffers and keeps the structure.
static void free_memory(weft__storage *storage) {
  if (storage->guarded) weft__guard_end(storage);
  weft__release(storage->mem);
  weft__release(storage->whole);
  storage->mem = storage->whole = NULL;
  if (storage->slab) weft__slabs_give(&storage->pool->slabs, storage);
}

/// Makes the driver allocate the buffer, so that a shortage is found here and not at a later launch.
static int touch(weft__core *core, weft__storage *storage) {
  int slot = weft__slot_now(core);
  /* a buffer of exact size may have a single byte */
  weft__command fill = {.kind = WEFT__COMMAND_FILL, .mem = storage->mem, .size_bytes = 1};
  const weft__profiled profiled = {.kind = WEFT_PROFILE_FILL, .name = "first touch", .bytes = 1};
  int code = weft__slot_enqueue(core, slot, &fill, &profiled);
  if (code) return code;
  weft__storage_mark(storage, slot, true, weft__slot_issue(core, slot));
  /* streams that do not wait for each other: the fill must not run after another stream's write */
  return core->untracked ? weft__driver->finish(fill.queue) : 0;
}

static weft__cuda_failure create_plain(weft__core *core, weft__storage *storage, uint64_t capacity_bytes) {
  weft__cuda_failure failure = {.call = "clCreateBuffer"};
  failure.code = core->guard ? weft__guard_make(core, storage, capacity_bytes)
                             : weft__driver->buffer_create(&storage->mem, core->cl,
                                                           &(weft__buffer_params){.size_bytes = capacity_bytes});
  if (!failure.code && core->device->quirks.lazy_allocation && (failure.code = touch(core, storage)))
    free_memory(storage);
  return failure;
}

/// Takes the buffer from a slab, which CUDA has touched.
static weft__cuda_failure create_shared(weft__pool *pool, weft__storage *storage, uint64_t capacity_bytes) {
  weft__slab_request request = {.size_bytes = capacity_bytes, .class = -1};
  int number;
  if (pool->core->guard) request.zone_bytes = weft__guard_zone_bytes(pool->core);
  if (!pool->off && class_of(capacity_bytes, &number) == capacity_bytes) request.class = number;
  return weft__slabs_take(&pool->slabs, storage, &request);
}

/// A buffer or image being made by the driver.
typedef struct making {
  weft__storage *storage;
  uint64_t size_bytes;
  uint64_t capacity_bytes;
  bool reserve;                  /* for no array yet */
  bool is_shared;                /* with CUDA */
  const weft__image_form *image; /* NULL: a buffer */
} making;

static weft__cuda_failure create(weft__pool *pool, const making *m) {
  m->storage->capacity_bytes = m->capacity_bytes;
  if (m->image)
    return (weft__cuda_failure){.call = "clCreateImage",
                                .code = weft__driver->image_create(&m->storage->mem, pool->core->cl, m->image)};
  return m->is_shared ? create_shared(pool, m->storage, m->capacity_bytes)
                      : create_plain(pool->core, m->storage, m->capacity_bytes);
}

static void destroy(weft__storage *storage) {
  free_memory(storage);
  free(storage);
}

static void destroy_all(weft__storage *list) {
  while (list) {
    weft__storage *next = list->idle.older;  // NOLINT(clang-analyzer-unix.Malloc): no storage is in a list twice
    destroy(list);
    list = next;
  }
}

/* ---- idle buffers; with the lock held ---- */

static bool is_reserved(const weft__pool *pool, const weft__storage *storage) {
  return storage->reservation == pool->reservation;
}

static void put_idle(weft__pool *pool, weft__storage *storage) {
  int number;
  class_of(storage->capacity_bytes, &number);
  pool->held_bytes += storage->capacity_bytes;
  storage->idle = (weft__idle){.class_older = pool->idle[number]};
  if (pool->idle[number]) pool->idle[number]->idle.class_newer = storage;
  pool->idle[number] = storage;
  if (is_reserved(pool, storage)) return; /* reserved buffers are not evicted in order */
  storage->idle.older = pool->newest;
  if (pool->newest) pool->newest->idle.newer = storage;
  pool->newest = storage;
  if (!pool->oldest) pool->oldest = storage;
}

static void take_idle(weft__pool *pool, weft__storage *storage) {
  int number;
  weft__idle *i = &storage->idle;
  class_of(storage->capacity_bytes, &number);
  pool->held_bytes -= storage->capacity_bytes;
  *(i->class_newer ? &i->class_newer->idle.class_older : &pool->idle[number]) = i->class_older;
  if (i->class_older) i->class_older->idle.class_newer = i->class_newer;
  if (!is_reserved(pool, storage)) {
    *(i->newer ? &i->newer->idle.older : &pool->newest) = i->older;
    *(i->older ? &i->older->idle.newer : &pool->oldest) = i->newer;
  }
  storage->idle = (weft__idle){0};
}

/// Removes an idle buffer for its release and puts it before `list`.
static weft__storage *let_go(weft__pool *pool, weft__storage *storage, weft__storage *list) {
  take_idle(pool, storage);
  pool->driver_releases++;
  storage->idle.older = list;
  return storage;
}

static weft__storage *let_all_go(weft__pool *pool, weft__storage *list) {
  for (int c = 0; c < WEFT__POOL_CLASSES && pool->held_bytes; c++)
    while (pool->idle[c]) list = let_go(pool, pool->idle[c], list);
  pool->reserved_bytes = 0;
  pool->reservation++; /* ends the reservation of buffers in use */
  return list;
}

/// Finds an idle buffer for `size_bytes` that wastes at most a quarter of them. A buffer with pending work of other
/// slots is the last choice, because its user waits for them.
static weft__storage *find(weft__pool *pool, uint64_t size_bytes, int number, int slot) {
  weft__storage *busy = NULL;
  int busy_class = -1;
  uint64_t most = due(size_bytes) + due(size_bytes) / 4;
  for (int c = number; c < number + CLASSES_LOOKED_AT && c < WEFT__POOL_CLASSES; c++) {
    weft__storage *storage = pool->idle[c];
    for (int k = 0; storage && k < BUFFERS_LOOKED_AT; k++, storage = storage->idle.class_older) {
      if (storage->capacity_bytes < size_bytes || storage->capacity_bytes > most) continue;
      if (weft__storage_is_free(storage, slot)) return storage;
      if (busy && busy_class != c) continue;
      busy = storage;
      busy_class = c;
    }
  }
  /* without tracking the work of other slots is not waited for */
  return pool->core->untracked ? NULL : busy;
}

/* ---- the bound ---- */

/// The most bytes that the bound allows.
static uint64_t bound(const weft__pool *pool) {
  uint64_t most = pool->due_bytes + pool->making_due_bytes;
  if (pool->peak_due_bytes > most) most = pool->peak_due_bytes;
  most += most / 10 * 3;
  return (most > pool->floor_bytes ? most : pool->floor_bytes) + pool->reserved_bytes + pool->making_reserved_bytes;
}

static uint64_t managed(const weft__pool *pool) {
  return pool->active_bytes + pool->held_bytes + pool->making_bytes;
}

/// Evicts the buffers that were idle longest, until at most `most` bytes are held or only reserved buffers are idle.
/// `for_bound`: because of the bound, not of a limit.
static weft__storage *shrink(weft__pool *pool, uint64_t most, bool for_bound) {
  weft__storage *list = NULL;
  while (pool->oldest && managed(pool) > most) {
    int number;
    class_of(pool->oldest->capacity_bytes, &number);
    pool->was_let_go[number] = for_bound;
    list = let_go(pool, pool->oldest, list);
  }
  return list;
}

/// The most bytes that the budget allows; or the device's memory size, if the driver overcommits and would not refuse.
static uint64_t limit(const weft__pool *pool, bool *by_budget) {
  uint64_t most = UINT64_MAX;
  if (pool->core->device->quirks.overcommits) most = pool->core->device->info.memory_size_bytes;
  *by_budget = pool->limit_bytes && pool->limit_bytes <= most;
  return *by_budget ? pool->limit_bytes : most;
}

static void count_making(weft__pool *pool, const making *m) {
  pool->making_bytes += m->capacity_bytes;
  if (m->reserve)
    pool->making_reserved_bytes += m->capacity_bytes;
  else
    pool->making_due_bytes += due(m->size_bytes);
}

static void count_made(weft__pool *pool, const making *m) {
  pool->making_bytes -= m->capacity_bytes;
  if (m->reserve)
    pool->making_reserved_bytes -= m->capacity_bytes;
  else
    pool->making_due_bytes -= due(m->size_bytes);
}

/// Counts a buffer as being made before the driver call, so that two threads do not get the same room. *list receives
/// the evicted buffers. Returns false if the limit has no room even without idle buffers. m->capacity_bytes becomes the
/// exact size if only the exact size fits.
static bool make_room(weft__pool *pool, making *m, weft__storage **list, bool *by_budget) {
  uint64_t needed = pool->active_bytes + pool->making_bytes, most = limit(pool, by_budget);
  if (needed > most || m->size_bytes > most - needed) return false;
  if (m->capacity_bytes > most - needed) m->capacity_bytes = m->size_bytes;
  count_making(pool, m);
  const uint64_t device_bytes = pool->core->device->info.memory_size_bytes, bounded = bound(pool);
  uint64_t least = most < bounded ? most : bounded;
  /* without a limit: a refusal of the driver would cost all idle buffers */
  if (device_bytes < least) least = device_bytes;
  *list = shrink(pool, least, least == bounded);
  if (managed(pool) > most) *list = let_all_go(pool, *list); /* including reserved ones */
  return true;
}

/* ---- taking and giving ---- */

static void count_taken(weft__pool *pool, weft__storage *storage, uint64_t size_bytes) {
  storage->size_bytes = size_bytes;
  pool->allocations++;
  pool->active_bytes += storage->capacity_bytes;
  pool->requested_bytes += size_bytes;
  pool->due_bytes += due(size_bytes);
  if (pool->active_bytes > pool->peak_active_bytes) pool->peak_active_bytes = pool->active_bytes;
  if (pool->requested_bytes > pool->peak_requested_bytes) pool->peak_requested_bytes = pool->requested_bytes;
  if (pool->due_bytes > pool->peak_due_bytes) pool->peak_due_bytes = pool->due_bytes;
}

static void count_given(weft__pool *pool, const weft__storage *storage) {
  pool->active_bytes -= storage->capacity_bytes;
  pool->requested_bytes -= storage->size_bytes;
  pool->due_bytes -= due(storage->size_bytes);
}

/// Ends the making of `m`, with or without a buffer, and restores the bound.
static void made(weft__pool *pool, const making *m, uint64_t size_bytes, bool is_made) {
  pthread_mutex_lock(&pool->lock);
  count_made(pool, m);
  if (is_made) {
    pool->driver_allocations++;
    if (m->reserve) {
      m->storage->reservation = pool->reservation;
      pool->reserved_bytes += m->capacity_bytes;
      put_idle(pool, m->storage);
    } else {
      count_taken(pool, m->storage, size_bytes);
    }
    uint64_t given = pool->active_bytes + pool->held_bytes;
    if (given > pool->peak_managed_bytes) pool->peak_managed_bytes = given;
  }
  weft__storage *list = shrink(pool, bound(pool), true);
  pthread_mutex_unlock(&pool->lock);
  destroy_all(list);
}

static bool is_too_large(const weft__cuda_failure *failure) {
  return !failure->is_cuda && failure->code == WEFT__CL_INVALID_BUFFER_SIZE;
}

/// Requests the buffer from the driver. If memory runs out, all idle buffers are released and the exact size is tried,
/// which may fit where the rounded size does not.
static weft__cuda_failure ask(weft_status *rc, weft__pool *pool, making *m) {
  weft__cuda_failure failure = create(pool, m);
  /* a size beyond the driver's maximum is not a shortage */
  const bool too_large = is_too_large(&failure);
  if (!weft__cuda_is_out_of_memory(&failure) || (too_large && m->capacity_bytes == m->size_bytes)) return failure;
  if (!too_large) {
    weft__pool_trim(pool);
    /* the driver frees released buffers only after the work on them is done */
    if ((*rc = weft__core_wait(pool->core))) return failure;
  }
  pthread_mutex_lock(&pool->lock);
  count_made(pool, m);
  m->capacity_bytes = m->size_bytes;
  count_making(pool, m);
  pthread_mutex_unlock(&pool->lock);
  return create(pool, m);
}

/// Records that `size_bytes` were refused, and `why`.
static weft_status refuse_for(weft__pool *pool, weft_status status, int cl_code, uint64_t size_bytes, const char *why) {
  weft_memory_stats stats;
  weft__pool_stats(pool, &stats);
  return weft__refuse(pool->core, &stats, status, cl_code, size_bytes, why);
}

/// Records that the driver did not make a buffer.
static weft_status refuse(weft__pool *pool, const weft__cuda_failure *failure, uint64_t size_bytes) {
  const int cl_code = failure->is_cuda ? 0 : failure->code;
  if (is_too_large(failure))
    return refuse_for(pool, WEFT_ERROR_MEMORY, cl_code, size_bytes,
                      "the driver cannot make a single buffer this large (see max_allocation_bytes)");
  if (weft__cuda_is_out_of_memory(failure))
    return refuse_for(pool, WEFT_ERROR_MEMORY, cl_code, size_bytes, "the driver has no more");
  return weft__cuda_failed(pool->core, failure);
}

/// Makes a buffer for an array, a reserve or an image. `m` has size_bytes, reserve, is_shared and image.
static weft_status make(weft__pool *pool, weft__storage **out, making m) {
  const weft_device_info *device = &pool->core->device->info;
  const uint64_t size_bytes = m.size_bytes;
  uint64_t largest = device->allocation_is_hint ? UINT64_MAX : device->max_allocation_bytes;
  int number;
  bool by_budget;
  uint64_t again = 0;
  weft__storage *list = NULL;
  weft_status rc = WEFT_OK;
  if (!size_bytes) m.size_bytes = 1; /* OpenCL has no empty buffers, and kernels need one */
  if (m.size_bytes > largest)
    return refuse_for(pool, WEFT_ERROR_MEMORY, 0, size_bytes,
                      "the device cannot make a single buffer this large (see max_allocation_bytes)");
  m.capacity_bytes = class_of(m.size_bytes, &number);
  if (pool->off || m.image) m.capacity_bytes = m.size_bytes;
  if (m.capacity_bytes > largest) m.capacity_bytes = m.size_bytes;
  m.is_shared = m.is_shared && m.capacity_bytes <= pool->core->cuda->most_bytes;
  if (!(m.storage = weft__new(sizeof *m.storage))) return WEFT_ERROR_HOST_MEMORY;
  m.storage->core = pool->core;
  m.storage->pool = pool;
  m.storage->is_image = m.image != NULL;

  pthread_mutex_lock(&pool->lock);
  bool room = make_room(pool, &m, &list, &by_budget);
  if (room && !m.reserve && !m.image && pool->was_let_go[number]) again = ++pool->made_again;
  pthread_mutex_unlock(&pool->lock);
  if (!room && atomic_load(&pool->guard.aside_bytes)) {
    weft__pool_give_all(pool, weft__guard_trim(&pool->guard));
    pthread_mutex_lock(&pool->lock);
    room = make_room(pool, &m, &list, &by_budget);
    pthread_mutex_unlock(&pool->lock);
  }
  destroy_all(list);
  if (again == MADE_AGAIN_OFTEN) weft__advise_reserve(size_bytes, again);
  if (!room) {
    free(m.storage);
    return by_budget ? refuse_for(pool, WEFT_ERROR_BUDGET, 0, size_bytes, "that is the context's memory limit")
                     : refuse_for(pool, WEFT_ERROR_MEMORY, 0, size_bytes, "the device has no more");
  }
  const weft__cuda_failure failure = ask(&rc, pool, &m);
  made(pool, &m, size_bytes, !failure.code);
  if (!failure.code) {
    *out = m.storage;
    return WEFT_OK;
  }
  free(m.storage);
  return rc ? rc : refuse(pool, &failure, size_bytes);
}

static uint64_t trace_begin(void) {
  return weft__tracing() ? weft__now_ns() : 0;
}

static void trace_end(uint64_t start_ns, uint64_t size_bytes, const char *from) {
  if (!start_ns) return;
  const char *what = weft__trace_subject();
  weft__trace_step(WEFT__STEP_ALLOCATE, weft__now_ns() - start_ns, 0, "%" PRIu64 " bytes%s%s%s", size_bytes,
                   what[0] ? " for " : "", what, from);
}

weft_status weft__pool_take(weft__pool *pool, weft__storage **out, uint64_t size_bytes, bool is_shared) {
  int number;
  uint64_t start_ns = trace_begin();
  weft__storage *storage = NULL;
  bool is_new = false;
  /* idle buffers are shared ones only where all are */
  if (!pool->off && is_shared == pool->takes_slabs) {
    class_of(size_bytes, &number);
    pthread_mutex_lock(&pool->lock);
    if ((storage = find(pool, size_bytes, number, weft__slot_now(pool->core)))) {
      take_idle(pool, storage);
      count_taken(pool, storage, size_bytes);
      pool->hits++;
    }
    pthread_mutex_unlock(&pool->lock);
  }
  if (!storage) {
    WEFT__TRY_RETURN(make(pool, &storage, (making){.size_bytes = size_bytes, .is_shared = is_shared}));
    is_new = true;
  }
  trace_end(start_ns, size_bytes, is_new ? "" : ", from the pool");
  *out = storage;
  return WEFT_OK;
}

weft_status weft__pool_take_image(weft__pool *pool, weft__storage **out, const weft__image_form *form,
                                  uint64_t size_bytes) {
  uint64_t start_ns = trace_begin();
  WEFT__TRY_RETURN(make(pool, out, (making){.size_bytes = size_bytes, .image = form}));
  trace_end(start_ns, size_bytes, ", an image");
  return WEFT_OK;
}

void weft__pool_give(weft__pool *pool, weft__storage *storage) {
  const bool is_kept = !pool->off && !storage->is_image && (pool->takes_slabs || !storage->slab);
  pthread_mutex_lock(&pool->lock);
  count_given(pool, storage);
  if (is_kept)
    put_idle(pool, storage);
  else
    pool->driver_releases++;
  pthread_mutex_unlock(&pool->lock);
  if (!is_kept) destroy(storage);
}

void weft__pool_give_all(weft__pool *pool, weft__storage *list) {
  for (weft__storage *next; list; list = next) {
    next = list->idle.older;
    weft__pool_give(pool, list);
  }
}

void weft__pool_close(weft__pool *pool, weft__storage *storage) {
  pthread_mutex_lock(&pool->lock);
  count_given(pool, storage);
  pool->driver_releases++;
  if (is_reserved(pool, storage)) pool->reserved_bytes -= storage->capacity_bytes;
  pthread_mutex_unlock(&pool->lock);
  free_memory(storage);
}

uint64_t weft__pool_trim(weft__pool *pool) {
  uint64_t aside = atomic_load(&pool->guard.aside_bytes);
  if (aside) weft__pool_give_all(pool, weft__guard_trim(&pool->guard));
  const uint64_t window_bytes = weft__window_trim(&pool->window, pool->core);
  pthread_mutex_lock(&pool->lock);
  uint64_t held = pool->held_bytes + aside + window_bytes;
  weft__storage *list = let_all_go(pool, NULL);
  pthread_mutex_unlock(&pool->lock);
  destroy_all(list);
  return held;
}

weft_status weft__pool_trim_for(bool *again, weft__pool *pool, int code) {
  /* other codes more likely result from the command itself */
  *again = code == WEFT__CL_OUT_OF_DEVICE_MEMORY && weft__pool_trim(pool) > 0;
  weft_status rc = *again ? weft__core_wait(pool->core) : WEFT_OK;
  if (rc) *again = false;
  return rc;
}

weft_status weft__pool_reserve(weft__pool *pool, uint64_t size_bytes) {
  weft__storage *storage;
  if (pool->off) return WEFT_OK; /* no array would ever get it */
  return make(pool, &storage, (making){.size_bytes = size_bytes, .reserve = true, .is_shared = pool->takes_slabs});
}
