// SPDX-License-Identifier: MIT
#include "mem/guard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/log.h"
#include "base/scratch.h"
#include "cl/weft/checks.h"
#include "mem/storage.h"

#define ZONE_BYTES 4096u /* more where a device's sub-buffers need it */
#define POISON 0xdb
#define ASIDE_BYTES (8u << 20)
#define ASIDE_COUNT 64
#define PIECE_BYTES 16384u /* looked at at once */

_Static_assert(sizeof(weft__guard_header) <= WEFT__GUARD_BEFORE - 64,
               "known bytes lie between the header and the array");
_Static_assert(WEFT__GUARD_BEFORE + WEFT__GUARD_SPARE < ZONE_BYTES, "the zone has room for them");

void weft__guard_init(weft__guard *guard, weft__core *core, const weft_context_params *params) {
  guard->core = core;
  guard->live.previous = guard->live.next = &guard->live;
  guard->aside.previous = guard->aside.next = &guard->aside;
  /* a launch that needs memory has the lock, and what it does about that may trim */
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&guard->lock, &recursive);
  pthread_mutexattr_destroy(&recursive);
  const char *checks = weft__environment_text(WEFT__ENV_CHECKS);
  const bool numbers = checks && strcmp(checks, "numbers") == 0;
  core->checks_numbers = params->numbers || numbers;
  core->guard = params->checks || (weft__environment_flag(WEFT__ENV_CHECKS) && !numbers) ? guard : NULL;
}

void weft__guard_destroy(weft__guard *guard) {
  weft__text_free(&guard->remembered);
  pthread_mutex_destroy(&guard->lock);
}

static void link_last(weft__guarded *ring, weft__guarded *g) {
  g->previous = ring->previous;
  g->next = ring;
  ring->previous->next = g;
  ring->previous = g;
}

static void unlink_from_ring(weft__guard *guard, weft__guarded *g) {
  if (!g->next) return;
  g->previous->next = g->next;
  g->next->previous = g->previous;
  g->previous = g->next = NULL;
  if (!g->is_aside) return;
  atomic_fetch_sub(&guard->aside_requested_bytes, g->storage->size_bytes);
  atomic_fetch_sub(&guard->aside_bytes, g->storage->capacity_bytes);
  guard->aside_count--;
  g->is_aside = false;
}

/* ---- known bytes ---- */

/// Another one at each place of each zone, so that a kernel that copies from behind one array to behind another is
/// seen; never one of the bytes of small numbers, nor POISON.
static unsigned char known_byte(uint32_t zone, uint64_t place) {
  uint32_t x = zone * 0x9e3779b1u + (uint32_t)place * 0x85ebca77u;
  x ^= x >> 15;
  x *= 0x2c1b3c6du;
  x ^= x >> 13;
  unsigned char byte = (unsigned char)(0x81 + x % 0x7d);
  return byte == POISON ? 0xfe : byte;
}

static weft__guard_header header_of(const weft__storage *storage) {
  return (weft__guard_header){.magic = WEFT__GUARD_MAGIC, .size_bytes = storage->size_bytes};
}

/// What the bytes from `at` on of a zone ought to be.
static void expect(unsigned char *bytes, const weft__guarded *g, bool is_front, uint64_t at, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) bytes[i] = known_byte(2 * g->serial + is_front, at + i);
  if (!is_front || at + count < g->zone_bytes) return;
  /* the piece that ends at the array has it all */
  const weft__guard_header header = header_of(g->storage);
  unsigned char *place = bytes + count - WEFT__GUARD_BEFORE;
  memset(place - WEFT__GUARD_SPARE, 0, WEFT__GUARD_SPARE);
  memcpy(place, &header, sizeof header);
}

/* ---- reading and writing zones, in pieces of ZONE_BYTES ---- */

static uint64_t place_of(const weft__guarded *g, bool is_front, uint64_t at) {
  return at + (is_front ? 0 : g->zone_bytes + g->storage->capacity_bytes);
}

/// A command on the context's own queue.
static int do_now(weft__guard *guard, weft__command command) {
  command.blocking = command.kind != WEFT__COMMAND_FILL;
  return weft__slot_enqueue(guard->core, 0, &command, NULL);
}

static int write_zones(weft__guard *guard, const weft__guarded *g) {
  unsigned char bytes[ZONE_BYTES];
  weft__command write = {
      .kind = WEFT__COMMAND_WRITE, .mem = g->storage->whole, .size_bytes = sizeof bytes, .host = bytes};
  int code = 0;
  for (int is_front = 0; is_front < 2; is_front++)
    for (uint64_t at = 0; at < g->zone_bytes && !code; at += ZONE_BYTES) {
      expect(bytes, g, is_front, at, sizeof bytes);
      write.offset_bytes = place_of(g, is_front, at);
      code = do_now(guard, write);
    }
  return code;
}

/// NVIDIA's driver cannot fill single bytes beyond 2 GiB (docs/drivers.md): whole words are filled, the rest is
/// written.
static int fill(weft__guard *guard, const weft__storage *storage) {
  unsigned char rest[WEFT__FILL_WORD] = {POISON, POISON, POISON, POISON};
  weft__command fill = {.kind = WEFT__COMMAND_FILL, .mem = storage->mem, .word = POISON * UINT32_C(0x01010101)};
  weft__command write = {.kind = WEFT__COMMAND_WRITE, .mem = storage->mem, .host = rest};
  write.size_bytes = storage->capacity_bytes % WEFT__FILL_WORD;
  write.offset_bytes = fill.size_bytes = storage->capacity_bytes - write.size_bytes;
  const int code = fill.size_bytes ? do_now(guard, fill) : 0;
  return code || !write.size_bytes ? code : do_now(guard, write);
}

/// The header is as it was made, or with an index that was refused; what a kernel may change in it becomes what is
/// expected.
static void take_header(weft__overrun *overrun, unsigned char *place, const weft__storage *storage) {
  const weft__guard_header clean = header_of(storage);
  weft__guard_header header;
  memcpy(&header, place, sizeof header);
  if (header.magic != clean.magic || header.size_bytes != clean.size_bytes || header.state != 1 ||
      header.element_bytes == 0)
    return;
  overrun->refused = (weft__overrun_index){.index = header.index,
                                           .element_bytes = header.element_bytes,
                                           .line = (unsigned)header.line,
                                           .follows_line = header.follows_line != 0};
  memcpy(overrun->refused.thread, header.thread, sizeof header.thread);
  memcpy(overrun->refused.block, header.block, sizeof header.block);
  memcpy(overrun->refused.file, header.file, sizeof header.file);
  overrun->refused.file[sizeof header.file - 1] = 0;
  memcpy(place, &clean, sizeof clean);
  memset(place - WEFT__GUARD_SPARE, 0, WEFT__GUARD_SPARE);
}

/// What memory has, and what it must have.
typedef struct compared {
  unsigned char bytes[PIECE_BYTES], expected[PIECE_BYTES];
} compared;

static int look_at_zones(weft__overrun *overrun, weft__guard *guard, const weft__guarded *g, compared *w) {
  unsigned char *bytes = w->bytes, *expected = w->expected;
  const weft__storage *storage = g->storage;
  weft__command read = {.kind = WEFT__COMMAND_READ, .mem = storage->whole, .size_bytes = ZONE_BYTES, .host = bytes};
  for (int is_front = 1; is_front >= 0; is_front--)
    for (uint64_t at = 0; at < g->zone_bytes; at += ZONE_BYTES) {
      read.offset_bytes = place_of(g, is_front, at);
      int code = do_now(guard, read);
      if (code) return code;
      bool has_header = is_front && at + ZONE_BYTES >= g->zone_bytes;
      if (has_header) take_header(overrun, bytes + ZONE_BYTES - WEFT__GUARD_BEFORE, storage);
      expect(expected, g, is_front, at, ZONE_BYTES);
      int64_t from = is_front ? (int64_t)at - (int64_t)g->zone_bytes : (int64_t)(storage->size_bytes + at);
      weft__overrun_compare(overrun, bytes, expected, ZONE_BYTES, from);
    }
  return 0;
}

/// Memory that is aside must still be as it was filled.
static int look_inside(weft__overrun *overrun, weft__guard *guard, const weft__guarded *g, compared *w) {
  weft__command read = {.kind = WEFT__COMMAND_READ, .mem = g->storage->mem, .host = w->bytes};
  memset(w->expected, POISON, sizeof w->expected);
  for (uint64_t at = 0; at < g->storage->size_bytes; at += PIECE_BYTES) {
    uint64_t rest = g->storage->size_bytes - at;
    read.offset_bytes = at;
    read.size_bytes = rest < PIECE_BYTES ? rest : PIECE_BYTES;
    int code = do_now(guard, read);
    if (code) return code;
    weft__overrun_compare(overrun, w->bytes, w->expected, read.size_bytes, (int64_t)at);
  }
  return 0;
}

static weft__overrun nothing_about(const weft__guarded *g) {
  return (weft__overrun){.site = g->storage->entry.site,
                         .what = g->what,
                         .size_bytes = g->storage->size_bytes,
                         .element_bytes = g->element_bytes};
}

static int repair(weft__guard *guard, weft__guarded *g) {
  int code = WEFT__CL_OUT_OF_RESOURCES;
  /* twice, as what the next launch does to a damaged zone may be missed */
  for (int attempt = 0; attempt < 2 && code; attempt++) {
    code = g->is_aside ? fill(guard, g->storage) : 0;
    if (!code) code = write_zones(guard, g);
  }
  g->is_damaged = code != 0;
  return code;
}

/// Looks, and repairs what is damaged: so that it is reported once.
static int look(weft__overrun *overrun, weft__guard *guard, weft__guarded *g) {
  compared *w = weft__scratch_begin(sizeof *w);
  *overrun = nothing_about(g);
  if (!w) return WEFT__CL_OUT_OF_HOST_MEMORY;
  int code = g->is_damaged ? repair(guard, g) : 0; /* damage is reported already */
  if (!code) code = look_at_zones(overrun, guard, g, w);
  if (!code && !weft__overrun_is_any(overrun) && g->is_aside) {
    overrun->released = true;
    code = look_inside(overrun, guard, g, w);
  }
  weft__scratch_end(w);
  if (!weft__overrun_is_any(overrun)) return code;
  int repaired = repair(guard, g);
  return code ? code : repaired;
}

/* ---- a storage's life ---- */

uint64_t weft__guard_zone_bytes(const weft__core *core) {
  uint64_t align = core->device->info.address_align_bytes;
  return weft_ceil_div(align > ZONE_BYTES ? align : ZONE_BYTES, ZONE_BYTES) * ZONE_BYTES;
}

int weft__guard_make(weft__core *core, weft__storage *storage, uint64_t size_bytes) {
  uint64_t zone_bytes = weft__guard_zone_bytes(core);
  storage->whole = storage->mem = NULL;
  if (size_bytes > SIZE_MAX - 2 * zone_bytes) return WEFT__CL_INVALID_BUFFER_SIZE;
  int code = weft__driver->buffer_create(&storage->whole, core->cl,
                                         &(weft__buffer_params){.size_bytes = size_bytes + 2 * zone_bytes});
  if (!code) code = weft__driver->sub_buffer_create(&storage->mem, storage->whole, false, zone_bytes, size_bytes);
  if (!code) return 0;
  weft__release(storage->whole);
  storage->whole = NULL;
  return code;
}

weft_status weft__guard_begin(weft__storage *storage) {
  weft__core *core = storage->core;
  weft__guard *guard = core->guard;
  WEFT__TRY_RETURN(weft__storage_order(storage, 0, true)); /* where its first use was on another stream */
  weft__guarded *g = weft__new(sizeof *g);
  if (!g) return WEFT_ERROR_HOST_MEMORY;
  g->storage = storage;
  g->zone_bytes = weft__guard_zone_bytes(core);
  pthread_mutex_lock(&guard->lock);
  g->serial = guard->serial++;
  const char *call = "clEnqueueFillBuffer";
  int code = fill(guard, storage);
  if (!code) {
    call = "clEnqueueWriteBuffer";
    code = write_zones(guard, g);
  }
  if (!code) {
    link_last(&guard->live, g);
    storage->guarded = g;
  }
  pthread_mutex_unlock(&guard->lock);
  if (!code) return WEFT_OK;
  free(g);
  return weft__while(weft__core_failed(core, code, call, true), "putting guards around %" PRIu64 " bytes",
                     storage->size_bytes);
}

void weft__guard_name(weft__storage *storage, uint64_t element_bytes, const char *what) {
  weft__guarded *g = storage->guarded;
  if (!g) return;
  pthread_mutex_lock(&storage->core->guard->lock);
  g->element_bytes = element_bytes;
  snprintf(g->what, sizeof g->what, "%s", what);
  pthread_mutex_unlock(&storage->core->guard->lock);
}

void weft__guard_end(weft__storage *storage) {
  weft__guarded *g = storage->guarded;
  if (!g) return;
  weft__guard *guard = storage->core->guard;
  pthread_mutex_lock(&guard->lock);
  unlink_from_ring(guard, g);
  pthread_mutex_unlock(&guard->lock);
  storage->guarded = NULL;
  free(g);
}

weft__cl_mem weft__guard_whole(const weft__storage *storage, uint64_t *begin) {
  *begin = storage->guarded ? storage->guarded->zone_bytes : 0;
  return storage->guarded ? storage->whole : storage->mem;
}

/* ---- released memory ---- */

static bool is_usable(weft__core *core) {
  return !atomic_load(&core->closed) && !atomic_load(&core->lost);
}

/// Something was found where no call can report it: the log has it, and the next wait says it.
static void remember(weft__guard *guard, const weft__overrun *overrun) {
  weft__text text = {0};
  weft__text_add(&text, "somebody ");
  weft__overrun_report(&text, overrun, NULL);
  weft__text_add(&text, "; ");
  weft__launch_log_describe_since(&guard->core->launch_log, guard->checked, &text);
  weft__log(WEFT_LOG_ERROR, "guard mode: %s", weft__text_chars(&text));
  if (guard->remembered.length == 0)
    guard->remembered = text;
  else
    weft__text_free(&text);
}

/// A look at a storage whose release has nobody to tell.
static int look_unasked(weft__guard *guard, weft__guarded *g) {
  weft__overrun overrun;
  int code = look(&overrun, guard, g);
  if (weft__overrun_is_any(&overrun))
    remember(guard, &overrun);
  else if (code && !guard->failed)
    guard->failed = code;
  return code;
}

/// The oldest that is aside, looked at once more; NULL if nothing is aside, or there is room without it.
static weft__storage *take_oldest(weft__guard *guard, uint64_t room_for_bytes, bool all) {
  weft__guarded *g = guard->aside.next;
  bool is_full = guard->aside_count >= ASIDE_COUNT || atomic_load(&guard->aside_bytes) + room_for_bytes > ASIDE_BYTES;
  if (g == &guard->aside || !(all || is_full)) return NULL;
  if (is_usable(guard->core)) look_unasked(guard, g);
  unlink_from_ring(guard, g);
  return g->storage;
}

static weft_status wait_for_others(weft__storage *storage) {
  weft__core *core = storage->core;
  return core->untracked ? weft__core_wait(core) : weft__storage_order(storage, 0, true);
}

/// Fills it with POISON, and waits for that.
static bool spoil(weft__guard *guard, const weft__storage *storage) {
  int code = fill(guard, storage);
  if (!code) code = weft__driver->finish(guard->core->slot[0].queue);
  if (code && !guard->failed) guard->failed = code;
  return !code;
}

/// Takes storages that are aside: all of them, or those whose room is wanted.
static weft__storage *take_list(weft__guard *guard, uint64_t room_for_bytes, bool all) {
  weft__storage *list = NULL;
  for (weft__storage *old; (old = take_oldest(guard, room_for_bytes, all)); list = old) old->idle.older = list;
  return list;
}

bool weft__guard_put_aside(weft__storage **given_back, weft__storage *storage) {
  weft__guarded *g = storage->guarded;
  weft__guard *guard = storage->core->guard;
  /* copies on other streams may be under way */
  bool kept = is_usable(guard->core) && wait_for_others(storage) == WEFT_OK;
  pthread_mutex_lock(&guard->lock);
  kept = kept && !look_unasked(guard, g) && storage->capacity_bytes <= ASIDE_BYTES && spoil(guard, storage);
  if (kept) {
    *given_back = take_list(guard, storage->capacity_bytes, false);
    unlink_from_ring(guard, g);
    g->is_aside = true;
    link_last(&guard->aside, g);
    atomic_fetch_add(&guard->aside_bytes, storage->capacity_bytes);
    atomic_fetch_add(&guard->aside_requested_bytes, storage->size_bytes);
    guard->aside_count++;
  }
  pthread_mutex_unlock(&guard->lock);
  return kept;
}

weft__storage *weft__guard_trim(weft__guard *guard) {
  pthread_mutex_lock(&guard->lock);
  weft__storage *list = take_list(guard, 0, true);
  pthread_mutex_unlock(&guard->lock);
  return list;
}

/* ---- looking ---- */

weft_status weft__guard_check_storage(weft__overrun *overrun, weft__storage *storage) {
  weft__core *core = storage->core;
  *overrun = (weft__overrun){0};
  if (!storage->guarded) return WEFT_OK;
  int code = look(overrun, core->guard, storage->guarded);
  if (!code || weft__overrun_is_any(overrun)) return WEFT_OK;
  return weft__while(weft__core_failed(core, code, "clEnqueueReadBuffer", true), "looking at the guards of an array");
}

static weft_status look_at_ring(weft__guard *guard, weft__guarded *ring, uint64_t *found, weft__text *more) {
  for (weft__guarded *g = ring->next; g != ring; g = g->next) {
    weft__overrun overrun;
    int code = look(&overrun, guard, g);
    if (code && !weft__overrun_is_any(&overrun))
      return weft__while(weft__core_failed(guard->core, code, "clEnqueueReadBuffer", true),
                         "looking at the guards of all arrays");
    if (!weft__overrun_is_any(&overrun)) continue;
    if ((*found)++ == 0) {
      weft__text text = {0};
      weft__overrun_report(&text, &overrun, NULL);
      weft__text_add(&text, "; ");
      weft__launch_log_describe_since(&guard->core->launch_log, guard->checked, &text);
      weft__fail(WEFT_ERROR_BOUNDS, NULL, "somebody %s", weft__text_chars(&text));
      weft__text_free(&text);
    } else {
      weft__text_add(more, "  also ");
      weft__overrun_report(more, &overrun, NULL);
      weft__text_add(more, "\n");
    }
    weft__overrun_report_rest(more, &overrun, NULL);
  }
  return WEFT_OK;
}

weft_status weft__guard_check(weft__guard *guard) {
  uint64_t found = 0;
  weft__text more = {0};
  pthread_mutex_lock(&guard->lock);
  if (guard->remembered.length) {
    weft__fail(WEFT_ERROR_BOUNDS, NULL, "%s", weft__text_chars(&guard->remembered));
    weft__text_free(&guard->remembered);
    guard->remembered = (weft__text){0};
    found++;
  }
  weft_status rc;
  const int failed = guard->failed;
  guard->failed = 0;
  if (failed)
    WEFT__TRY(weft__while(weft__core_failed(guard->core, failed, "clEnqueueReadBuffer", true),
                          "looking at an array when it was released"));
  WEFT__TRY(look_at_ring(guard, &guard->live, &found, &more));
  WEFT__TRY(look_at_ring(guard, &guard->aside, &found, &more));
  guard->checked = atomic_load(&guard->core->launch_log.next);
done:
  pthread_mutex_unlock(&guard->lock);
  if (found) {
    rc = WEFT_ERROR_BOUNDS;
    weft__text_add(weft__detail(), "%s", weft__text_chars(&more));
  }
  weft__text_free(&more);
  return rc;
}
