// SPDX-License-Identifier: MIT
/// Programs in the cache on disk (disk/folder.h) and in memory (disk/packed.h). The key is everything that a program's
/// code depends on: Weft's version, platform, device, driver and their versions, the processor of a CPU device, the
/// options, the whole text. The file has it in full. No failure here is an error of the call that builds.
#ifndef WEFT_KERNEL_CACHED_H
#define WEFT_KERNEL_CACHED_H

#include "disk/entry.h"
#include "kernel/program.h"

/// Builds the program from the cache, and says in `said` what the cache did, for the trace: "cache hit", "cache miss",
/// "cache miss: its file was changed"; "" if it was not asked. False: it must be built from its text.
bool weft__cached_find(weft__program *program, weft__core *core, weft__text *said);
/// Keeps a program that was built from its text, if the cache is to have it and `is_end` is as its driver needs it:
/// where code is made at launches, a program is kept at the end of its context.
void weft__cached_keep(weft__program *program, weft__core *core, bool is_end);

/// What a file of the cache was built of.
typedef struct weft__cached_source {
  weft__part options, text;
  bool is_for_90a;
} weft__cached_source;

/// Reads it from the key. Errors: UNSUPPORTED (made by another version of Weft, or on another kind of device).
weft_status weft__cached_source_read(weft__cached_source *of, const weft__core *core, const weft__entry_parts *parts);
/// Where the driver makes code at launches: the launches of another machine's file are expected of this program too.
void weft__cached_expect(weft__program *program, const weft__part *facts);

/// Notes a launch, where the driver makes code for each size of block. `last` is the kernel's, of its last launch.
void weft__cached_launched(weft__launched *launched, _Atomic(uint64_t) *last, const char *kernel, weft_dim3 grid,
                           weft_dim3 block);
void weft__launched_free(weft__launched *launched);

#endif
