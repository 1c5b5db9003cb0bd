// SPDX-License-Identifier: MIT
#include "mem/pinned_memory.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ocl/codes.h"

static int get_queue(weft__cl_queue *queue, weft__pinned_blocks *blocks, weft__core *core) {
  int code = 0;
  pthread_mutex_lock(&blocks->lock);
  if (!blocks->queue) code = weft__driver->queue_create(&blocks->queue, core->cl, core->device->id, false);
  *queue = blocks->queue;
  pthread_mutex_unlock(&blocks->lock);
  return code;
}

int weft__pinned_map(weft__cl_mem *mem, void **data, weft__pinned_blocks *blocks, weft__core *core, void *host,
                     uint64_t size_bytes) {
  const weft__buffer_params params = {
      .kind = host ? WEFT__BUFFER_AROUND : WEFT__BUFFER_PINNED, .size_bytes = size_bytes, .host = host};
  weft__command map = {
      .kind = WEFT__COMMAND_MAP, .blocking = true, .read = true, .write = true, .size_bytes = size_bytes};
  int code = get_queue(&map.queue, blocks, core);
  if (code) return code;
  code = weft__driver->buffer_create(&map.mem, core->cl, &params);
  if (code) return code;
  if ((code = weft__driver->enqueue(&map))) {
    weft__release(map.mem);
    return code;
  }
  *mem = map.mem;
  *data = map.host;
  return 0;
}

void weft__pinned_unmap(weft__pinned_blocks *blocks, weft__cl_mem mem, void *data) {
  /* the driver keeps the buffer until the unmap is done */
  weft__driver->enqueue(
      &(weft__command){.kind = WEFT__COMMAND_UNMAP, .queue = blocks->queue, .mem = mem, .host = data});
  weft__release(mem);
}

static weft_status refused(weft__core *core, int code, uint64_t size_bytes) {
  if (weft__cl_is_out_of_memory(code) || code == WEFT__CL_MAP_FAILURE)
    return weft__fail_code(WEFT_ERROR_MEMORY, code, weft__cl_code_name(code),
                           "the system cannot pin %" PRIu64 " bytes of host memory", size_bytes);
  return weft__while(weft__core_failed(core, code, "clEnqueueMapBuffer", false), "pinning host memory");
}

/* ---- staging ---- */

/// The size from which on a block is not kept, and the unit of sizes.
#define STAGING_MOST_BYTES (UINT64_C(256) << 20)
#define STAGING_UNIT_BYTES (UINT64_C(1) << 20)

static weft__pinned_spare exchange_idle(weft__pinned_blocks *blocks, weft__pinned_spare staging) {
  pthread_mutex_lock(&blocks->lock);
  const weft__pinned_spare before = blocks->idle;
  blocks->idle = staging;
  pthread_mutex_unlock(&blocks->lock);
  return before;
}

static void drop_spare(weft__pinned_blocks *blocks, weft__pinned_spare *staging) {
  if (staging->mem) weft__pinned_unmap(blocks, staging->mem, staging->data);
  *staging = (weft__pinned_spare){0};
}

weft_status weft__pinned_spare_take(weft__pinned_spare *staging, weft__pinned_blocks *blocks, weft__core *core,
                                    uint64_t size_bytes) {
  void *data;
  *staging = exchange_idle(blocks, (weft__pinned_spare){0});
  if (staging->size_bytes >= size_bytes) return WEFT_OK;
  drop_spare(blocks, staging);
  const uint64_t whole_bytes = (size_bytes + STAGING_UNIT_BYTES - 1) / STAGING_UNIT_BYTES * STAGING_UNIT_BYTES;
  int code = weft__pinned_map(&staging->mem, &data, blocks, core, NULL, whole_bytes);
  if (code) {
    *staging = (weft__pinned_spare){0};
    return refused(core, code, whole_bytes);
  }
  staging->data = data;
  staging->size_bytes = whole_bytes;
  return WEFT_OK;
}

void weft__pinned_spare_give(weft__pinned_spare *staging, weft__pinned_blocks *blocks) {
  weft__pinned_spare dropped = *staging;
  if (staging->mem && staging->size_bytes <= STAGING_MOST_BYTES) dropped = exchange_idle(blocks, *staging);
  drop_spare(blocks, &dropped);
  *staging = (weft__pinned_spare){0};
}

void weft__pinned_spare_drop(weft__pinned_blocks *blocks) {
  weft__pinned_spare dropped = exchange_idle(blocks, (weft__pinned_spare){0});
  drop_spare(blocks, &dropped);
}

/* ---- blocks of users ---- */

void weft__pinned_init(weft__pinned_blocks *blocks) {
  pthread_mutex_init(&blocks->lock, NULL);
}

static void destroy(weft__pinned_blocks *blocks, weft__pinned *block) {
  weft__pinned_unmap(blocks, block->mem, block->data);
  if (block->is_foreign) (void)weft__driver->finish(blocks->queue); /* the program may free the memory now */
  free(block);
}

void weft__pinned_close(weft__pinned_blocks *blocks) {
  weft__pinned *block = atomic_exchange(&blocks->first, (weft__pinned *)NULL);
  while (block) {
    weft__pinned *next = block->next;
    destroy(blocks, block);
    block = next;
  }
  weft__pinned_spare_drop(blocks);
  weft__release(blocks->queue);
  blocks->queue = NULL;
}

void weft__pinned_destroy(weft__pinned_blocks *blocks) {
  pthread_mutex_destroy(&blocks->lock);
}

weft_status weft__pinned_create(void **data, weft__pinned_blocks *blocks, weft__core *core, void *host,
                                uint64_t size_bytes, const char *site) {
  void *mapped;
  weft__pinned *block = weft__new(sizeof *block);
  if (!block) return WEFT_ERROR_HOST_MEMORY;
  block->size_bytes = size_bytes;
  block->is_foreign = host != NULL;
  int code = weft__pinned_map(&block->mem, &mapped, blocks, core, host, size_bytes ? size_bytes : 1);
  if (code) {
    free(block);
    return refused(core, code, size_bytes);
  }
  block->data = mapped;
  weft__ledger_add(&core->ledger, &block->entry, WEFT__LEDGER_PINNED, block, size_bytes, site);
  pthread_mutex_lock(&blocks->lock);
  block->next = atomic_load(&blocks->first);
  atomic_store(&blocks->first, block);
  pthread_mutex_unlock(&blocks->lock);
  *data = mapped;
  return WEFT_OK;
}

/// Removes the block that begins at `data` from the list.
static weft__pinned *take(weft__pinned_blocks *blocks, const void *data) {
  weft__pinned *before = NULL;
  pthread_mutex_lock(&blocks->lock);
  weft__pinned *block = atomic_load(&blocks->first);
  while (block && block->data != data) {
    before = block;
    block = block->next;
  }
  if (block && before)
    before->next = block->next;
  else if (block)
    atomic_store(&blocks->first, block->next);
  pthread_mutex_unlock(&blocks->lock);
  return block;
}

bool weft__pinned_release(weft__pinned_blocks *blocks, weft__core *core, const void *data) {
  weft__pinned *block = take(blocks, data);
  if (!block) return false;
  weft__ledger_remove(&core->ledger, &block->entry);
  destroy(blocks, block);
  return true;
}

bool weft__pinned_holds(weft__pinned_blocks *blocks, const void *data, uint64_t size_bytes) {
  uintptr_t begin = (uintptr_t)data;
  bool holds = false;
  if (!atomic_load_explicit(&blocks->first, memory_order_relaxed)) return false;
  pthread_mutex_lock(&blocks->lock);
  for (const weft__pinned *block = atomic_load(&blocks->first); block && !holds; block = block->next) {
    uintptr_t at = (uintptr_t)block->data;
    holds = begin >= at && begin - at <= block->size_bytes && size_bytes <= block->size_bytes - (begin - at);
  }
  pthread_mutex_unlock(&blocks->lock);
  return holds;
}
