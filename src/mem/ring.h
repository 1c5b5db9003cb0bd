// SPDX-License-Identifier: MIT
/// Copies between a device's own memory and pageable host memory, through a ring of pinned blocks: the copy threads
/// fill one block while the bus carries another. For devices where the driver's own way is slow (quirk stages_slowly).
///
/// PERFORMANCE (H200, driver 580.159, 16 cores, 512 MiB): the driver 5 to 10 GB/s in and 10 to 20 back; 32 blocks of 1
/// MiB with 8 threads 45 and 49, 16 of 2 MiB as much but slower to begin and to end; with 3 threads 15 and 32, with 4
/// 19 and 45, with 12 no more; 8 blocks 26 and 31; the pinned rate is 55. Stores past the caches were slower.
#ifndef WEFT_MEM_RING_H
#define WEFT_MEM_RING_H

#include "core/core.h"
#include "mem/copiers.h"
#include "mem/pinned_memory.h"

#define WEFT__RING_SLOTS WEFT__COPY_JOBS
#define WEFT__RING_BLOCK_BYTES ((size_t)1 << 20)
/// From so many bytes on the ring is faster than the driver: 25 against 16 GB/s for 16 MiB in, 16 against 17 for 8; 17
/// against 9 for 4 MiB back, 7 against 12 for 2.
#define WEFT__RING_LEAST_WRITE_BYTES ((uint64_t)12 << 20)
#define WEFT__RING_LEAST_READ_BYTES ((uint64_t)3 << 20)
/// Where a quirk forces it on a CPU.
#define WEFT__RING_LEAST_TEST_BYTES ((uint64_t)1 << 20)

typedef struct weft__ring {
  pthread_mutex_t lock;                   /* of one transfer */
  weft__cl_mem mem;                       /* NULL: not made yet */
  char *pinned;                           /* its memory, mapped as long as it is there */
  bool failed;                            /* the system pins no more memory: the driver's way it is */
  unsigned next;                          /* the block that was used longest ago */
  weft__cl_event event[WEFT__RING_SLOTS]; /* of the copy that uses a block, also after its transfer returned; NULL: none
                                             does */
  weft__copiers copiers;
} weft__ring;

void weft__ring_init(weft__ring *ring);
/// Gives the memory back and ends the threads. What was copied with it must be done.
void weft__ring_close(weft__ring *ring, weft__pinned_blocks *blocks);
void weft__ring_destroy(weft__ring *ring);

/// Whether a copy of that size is the ring's, to the device (`writes`) or back.
bool weft__ring_wants(const weft__core *core, bool writes, uint64_t size_bytes);
/// Whether the ring is there: made when it is asked for the first time. Waits while another transfer has it.
bool weft__ring_serves(weft__ring *ring, weft__pinned_blocks *blocks, weft__core *core);

/// Does a WEFT__COMMAND_READ or WRITE in pieces on the slot's queue. Returns when the bytes are at the host; of a
/// write: when they were read and may be changed, not when they are on the device.
weft_status weft__ring_carry(weft__ring *ring, weft__core *core, int slot, const weft__command *command);

#endif
