// SPDX-License-Identifier: MIT
/// Copies between a device's own memory and pageable host memory, through a ring of pinned staging blocks: the copy
/// threads fill one block while the bus transfers another. For devices whose driver is slow at such copies (quirk
/// stages_slowly).
///
/// PERFORMANCE (H200, driver 580.159, 16 cores, 512 MiB; GB/s in and back): the driver 5 to 10 and 10 to 20; the bus
/// with pinned memory 55. 32 blocks of 1 MiB: with 8 threads 45 and 49, with 3 threads 15 and 32, with 4 threads 19 and
/// 45, with 12 threads no more than with 8. 16 blocks of 2 MiB: equal rates, but slower at begin and end. 8 blocks: 26
/// and 31. Stores past the caches were slower.
#ifndef WEFT_MEM_RING_H
#define WEFT_MEM_RING_H

#include "core/core.h"
#include "mem/copiers.h"
#include "mem/pinned_memory.h"

#define WEFT__RING_SLOTS WEFT__COPY_JOBS
#define WEFT__RING_BLOCK_BYTES ((size_t)1 << 20)
/// From this size on the ring is faster than the driver. GB/s of ring and driver: 25 and 16 for 16 MiB in, 16 and 17
/// for 8; 17 and 9 for 4 MiB back, 7 and 12 for 2.
#define WEFT__RING_LEAST_WRITE_BYTES ((uint64_t)12 << 20)
#define WEFT__RING_LEAST_READ_BYTES ((uint64_t)3 << 20)
/// The least size on a CPU, where a quirk enables the ring for tests.
#define WEFT__RING_LEAST_TEST_BYTES ((uint64_t)1 << 20)

#define WEFT__RING_BYTES (WEFT__RING_SLOTS * WEFT__RING_BLOCK_BYTES)

typedef struct weft__ring {
  pthread_mutex_t lock;                   /* held during a transfer */
  weft__cl_mem mem;                       /* NULL: not made yet */
  char *pinned;                           /* the memory of `mem`, mapped during its lifetime */
  bool failed;                            /* no pinned memory was available: the driver copies */
  unsigned next;                          /* the block used longest ago */
  weft__cl_event event[WEFT__RING_SLOTS]; /* of a block's last copy, which may outlast its transfer; or NULL */
  weft__copiers copiers;
} weft__ring;

void weft__ring_init(weft__ring *ring);
/// Releases the memory and ends the threads. All copies must be done.
void weft__ring_close(weft__ring *ring, weft__pinned_blocks *blocks);
void weft__ring_destroy(weft__ring *ring);

/// Whether copies of this size, to the device (`writes`) or back, use the ring.
bool weft__ring_wants(const weft__core *core, bool writes, uint64_t size_bytes);
/// Makes the ring if it does not exist yet. Returns false if it cannot be made. Waits while another transfer uses it.
bool weft__ring_serves(weft__ring *ring, weft__pinned_blocks *blocks, weft__core *core);

/// Does a WEFT__COMMAND_READ or WRITE in pieces on the slot's queue. A read returns when the bytes are at the host. A
/// write returns when the host memory has been read and may be changed, possibly before the bytes are on the device.
weft_status weft__ring_carry(weft__ring *ring, weft__core *core, int slot, const weft__command *command);

/// Enqueues one piece of a copy, of the kind READ or WRITE, with an event and flushed.
weft_status weft__copy_piece(weft__core *core, int slot, weft__command *command);
/// Waits until a piece's copy is done, and releases its event. Accepts a NULL event. Errors: DRIVER, LOST.
weft_status weft__copy_settle(weft__cl_event *event, weft__core *core);

/// Lends the ring's memory, WEFT__RING_BYTES, to the caller alone until weft__ring_return; all copies with it must be
/// done by then. Waits while another transfer uses it. Call weft__ring_serves first. On failure nothing is lent.
weft_status weft__ring_lend(char **memory, weft__ring *ring, weft__core *core);
void weft__ring_return(weft__ring *ring);

#endif
