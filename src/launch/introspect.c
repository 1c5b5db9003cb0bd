// SPDX-License-Identifier: MIT
/// Thread records: launches weft_introspect of the core program and reads the records back.
#include <weft/introspect.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "cl/shared.h"
#include "context/context.h"
#include "mem/lifetime.h"
#include "mem/transfer.h"

_Static_assert(sizeof(weft_thread_record) == 128, "cl/core.cl writes 16 ulongs for each record");

/// Completes the window's counts and checks that it lies inside `total`. `what` is "block" or "thread".
static weft_status fit(uint64_t first, uint64_t *count, uint64_t total, const char *what) {
  if (first < total && *count == 0) *count = total - first;
  if (first < total && *count <= total - first) return WEFT_OK;
  if (*count == 0)
    return weft__fail(WEFT_ERROR_INDEX, "window", "`window` begins at %s %" PRIu64 ", and there are %" PRIu64, what,
                      first, total);
  return weft__fail(WEFT_ERROR_INDEX, "window",
                    "`window` asks for %" PRIu64 " %ss from number %" PRIu64 ", and there are %" PRIu64, *count, what,
                    first, total);
}

/// Checks that every record was written. The buffer was filled with ones before, and no flat id is that large.
static weft_status check_written(const weft_thread_record *records, uint64_t count) {
  for (uint64_t i = 0; i < count; i++)
    if (records[i].flat_id == UINT64_MAX)
      return weft__fail(WEFT_ERROR_DRIVER, NULL,
                        "record %" PRIu64 " of %" PRIu64 " was not written: its thread did not run", i, count);
  return WEFT_OK;
}

static weft_status record(weft_thread_record *records, weft__storage *storage, weft__kernel *kernel, weft_dim3 grid,
                          weft_dim3 block, const weft__record_window *window, const char *site) {
  int slot = weft__slot_now(kernel->core);
  uint64_t size_bytes = window->block_count * window->thread_count * sizeof *records;
  memset(records, 0xff, size_bytes);
  WEFT__TRY_RETURN(weft__transfer_to_device(storage, slot, 0, size_bytes, records));
  const weft__value values[] = {{.size_bytes = sizeof storage->mem, .data = &storage->mem},
                                {.size_bytes = sizeof *window, .data = window}};
  const weft__use use = {storage, true};
  weft__submission launch = {.slot = slot,
                             .command = &(weft__command){.grid = grid, .block = block},
                             .uses = 1,
                             .use = &use,
                             .what = "introspect",
                             .site = site};
  WEFT__TRY_RETURN(weft__launch(kernel, values, NULL, &launch));
  WEFT__TRY_RETURN(weft__transfer_to_host(records, storage, slot, 0, size_bytes));
  return check_written(records, window->block_count * window->thread_count);
}

weft_status weft__introspect_at(weft_thread_record **records, uint64_t *count, weft_context *context, weft_dim3 grid,
                                weft_dim3 block, const weft_introspect_params *params) {
  weft_status rc;
  weft__storage *storage = NULL;
  weft__kernel *kernel;
  uint64_t total = 0, size_bytes = 0;
  const weft_introspect_params p = WEFT__PARAMS(params);
  weft__enter("weft_introspect", p.site);
  WEFT__NEED(records);
  WEFT__NEED(count);
  *records = NULL;
  *count = 0;
  WEFT__TRY(weft__context_resolve(&context, context));
  WEFT__TRY(weft__own_kernel_get(&kernel, &context->store, WEFT__OWN_INTROSPECT));
  WEFT__TRY(weft__launch_check(kernel, grid, block, 0));
  weft__record_window window = {p.first_block, p.block_count, p.first_thread, p.thread_count};
  WEFT__TRY(fit(window.first_block, &window.block_count, grid.x * grid.y * grid.z, "block"));
  WEFT__TRY(fit(window.first_thread, &window.thread_count, block.x * block.y * block.z, "thread"));
  if (!weft__multiply_u64(&total, window.block_count, window.thread_count) ||
      !weft__multiply_u64(&size_bytes, total, sizeof **records) || size_bytes > PTRDIFF_MAX)
    WEFT__TRY(weft__fail(WEFT_ERROR_OVERFLOW, "window",
                         "the records of %" PRIu64 " blocks with %" PRIu64
                         " threads each exceed any memory; request fewer",
                         window.block_count, window.thread_count));
  WEFT__TRY(weft__storage_create(&storage, &context->pool, size_bytes, p.site));
  WEFT__TRY((*records = malloc((size_t)size_bytes)) ? WEFT_OK : weft__fail_host_memory((size_t)size_bytes));
  WEFT__TRY(record(*records, storage, kernel, grid, block, &window, p.site));
  *count = total;
done:
  weft__storage_release(storage);
  if (rc) {
    free(*records);
    *records = NULL;
  }
  return weft__leave(rc);
}
