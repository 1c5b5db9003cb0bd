// SPDX-License-Identifier: MIT
/// Little work on a CPU device whose buffers are the host's memory is done by the calling thread itself, before the
/// call returns, instead of by a command: a launch of PoCL takes 2 to 4 us, and 20 to 60 with a wait for it. The work
/// must give the bits that the command gives. WEFT_WAY=elements:commands: every work is a command.
///
///     const weft__use use[] = {{to, true}, {from, false}};
///     char *place[2];
///     bool may = bytes <= weft__at_once_bytes(core);
///     if (may) WEFT__TRY_RETURN(weft__at_once(&may, place, core, 2, use));
///     if (!may) ... the command ...
#ifndef WEFT_MEM_AT_ONCE_H
#define WEFT_MEM_AT_ONCE_H

#include "mem/storage.h"

/// The most bytes that work of several loops, or over other than consecutive elements, reads and writes: they fit the
/// second-level cache.
#define WEFT__AT_ONCE_BYTES (512 << 10)

/// The most bytes that one loop over consecutive elements reads and writes.
size_t weft__at_once_bytes(const weft__core *core);

/// Whether the host may use the storages now, and where each begins. It may not if work on them may not be done, or if
/// the context's work is observed, recorded or not all known. The second wish for a storage finds out where the driver
/// keeps it, or a later one, with no command queued; until then the host may not. Errors: as weft__reach_open.
weft_status weft__at_once(bool *may, char **place, weft__core *core, int uses, const weft__use *use);
/// As weft__at_once, for work that takes longer than a wait for the queue: waits for the commands on the storages.
weft_status weft__at_once_waiting(bool *may, char **place, weft__core *core, int uses, const weft__use *use);

/// Whether a loop over elements goes backward: in the other direction than the thread's loop before it, so that it
/// begins with those that are still in the first-level and second-level caches. 200 000 additions of f32: 18 us, in one
/// direction 22; 400 KB of zeros: 5.6 us, 6.0.
bool weft__goes_backward(void);

#endif
