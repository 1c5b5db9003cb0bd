// SPDX-License-Identifier: MIT
/// Copies between storages of different contexts. Which way serves two contexts is chosen in
/// op/create/context_copy.c. All ways are ordered with the work on both storages, each in its own context.
#ifndef WEFT_MEM_RELAY_H
#define WEFT_MEM_RELAY_H

#include "mem/storage.h"

typedef struct weft__relay {
  weft__storage *to, *from;
  int to_slot, from_slot; /* each of its storage's context */
  uint64_t to_offset_bytes, from_offset_bytes, size_bytes;
} weft__relay;

/// Add to a failure which side of the copy failed.
weft_status weft__relay_reading(const weft__relay *relay, weft_status rc);
weft_status weft__relay_writing(const weft__relay *relay, weft_status rc);

/// Between contexts on one device of one cl_context: one copy on the device. Does not block. The ranges must not
/// overlap.
weft_status weft__relay_within(const weft__relay *relay);
/// One of the devices works in the host's memory (weft__host_reaches): weft__transfer_to_device copies from there, or
/// weft__transfer_to_host to there. Blocks until earlier work and the copy have read `from`, and, if only the target is
/// such a device, until the bytes are there.
weft_status weft__relay_in_place(const weft__relay *relay);
/// Between GPUs of NVIDIA, or contexts on one: on the device, over memory that both contexts import: an array's own
/// if CUDA made it, else a window. Small copies go through the host's memory, as by
/// weft__relay_through_ring. Blocks until the bytes have arrived.
weft_status weft__relay_by_window(const weft__relay *relay);
/// Between devices with memory of their own: in pieces through the pinned ring of one of them. One bus writes a piece
/// while the other reads the next, and no processor touches the bytes. Small copies, and all copies if the system
/// pins no memory, are read and written by a blocking call each. Blocks until the bytes have arrived.
weft_status weft__relay_through_ring(const weft__relay *relay);

#endif
