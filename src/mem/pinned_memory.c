// SPDX-License-Identifier: MIT
#include "mem/pinned_memory.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ocl/codes.h"

static cl_int get_queue(cl_command_queue *queue, weft__pinned_blocks *blocks, weft__core *core) {
  cl_int code = CL_SUCCESS;
  pthread_mutex_lock(&blocks->lock);
  if (!blocks->queue) {
    cl_command_queue made = clCreateCommandQueue(core->cl, core->device->id, 0, &code);
    if (code == CL_SUCCESS) blocks->queue = made;
  }
  *queue = blocks->queue;
  pthread_mutex_unlock(&blocks->lock);
  return code;
}

cl_int weft__pinned_map(cl_mem *mem, void **data, weft__pinned_blocks *blocks, weft__core *core, uint64_t size_bytes) {
  cl_command_queue queue;
  cl_int code = get_queue(&queue, blocks, core);
  if (code != CL_SUCCESS) return code;
  cl_mem made = clCreateBuffer(core->cl, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size_bytes, NULL, &code);
  if (code != CL_SUCCESS) return code;
  void *mapped = clEnqueueMapBuffer(queue, made, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size_bytes, 0, NULL, NULL, &code);
  if (code != CL_SUCCESS) {
    clReleaseMemObject(made);
    return code;
  }
  *mem = made;
  *data = mapped;
  return CL_SUCCESS;
}

void weft__pinned_unmap(weft__pinned_blocks *blocks, cl_mem mem, void *data) {
  /* the driver keeps the buffer until that is done */
  clEnqueueUnmapMemObject(blocks->queue, mem, data, 0, NULL, NULL);
  clReleaseMemObject(mem);
}

void weft__pinned_init(weft__pinned_blocks *blocks) {
  pthread_mutex_init(&blocks->lock, NULL);
}

static void destroy(weft__pinned_blocks *blocks, weft__pinned *block) {
  weft__pinned_unmap(blocks, block->mem, block->data);
  free(block);
}

void weft__pinned_close(weft__pinned_blocks *blocks) {
  weft__pinned *block = atomic_exchange(&blocks->first, (weft__pinned *)NULL);
  while (block) {
    weft__pinned *next = block->next;
    destroy(blocks, block);
    block = next;
  }
  if (blocks->queue) clReleaseCommandQueue(blocks->queue);
  blocks->queue = NULL;
}

void weft__pinned_destroy(weft__pinned_blocks *blocks) {
  pthread_mutex_destroy(&blocks->lock);
}

weft_status weft__pinned_create(void **data, weft__pinned_blocks *blocks, weft__core *core, uint64_t size_bytes, const char *site) {
  void *mapped;
  weft__pinned *block = weft__new(sizeof *block);
  if (!block) return WEFT_ERROR_HOST_MEMORY;
  block->size_bytes = size_bytes;
  cl_int code = weft__pinned_map(&block->mem, &mapped, blocks, core, size_bytes ? size_bytes : 1);
  if (code != CL_SUCCESS) {
    free(block);
    if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY || code == CL_OUT_OF_RESOURCES ||
        code == CL_INVALID_BUFFER_SIZE || code == CL_MAP_FAILURE)
      return weft__fail_code(WEFT_ERROR_MEMORY, code, weft_cl_code_name(code), "the system pins no %" PRIu64 " bytes of host memory",
                             size_bytes);
    return weft__while(weft__core_failed(core, code, "clEnqueueMapBuffer", false), "pinning host memory");
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

/// Takes the block that begins at `data` out of the list.
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
