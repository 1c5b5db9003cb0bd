// SPDX-License-Identifier: MIT
/// The trace: what each call does on the device, shown step by step on stderr.
///
///   weft: weft_add (main.c:12): 2 allocate   400000 bytes for `a`: 6.1 us
///   weft: weft_add (main.c:12): 3 copy in    400000 bytes of `a`: 206.8 us, 1.9 GB/s
///   weft: weft_add (main.c:12): 1 compile    add for f32, f32: 114.0 ms
///   weft: weft_add (main.c:12): 4 launch     weft_map_add, 98 blocks of 1 thread: 60.5 ms
///   weft: weft_add (main.c:12): 5 copy back  400000 bytes of `out`: 236.5 us, 1.7 GB/s
///   weft: weft_add (main.c:12): 6 return     after 175.5 ms
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_TRACE_H
#define WEFT_TRACE_H

#include <weft/api.h>

WEFT_BEGIN_DECLS

/// Switches the trace on or off for the whole process, as WEFT_TRACE=1 does from the first call on. Each step is waited
/// for before and after, so that its time is its own: nothing overlaps, and the program is slower. Steps are printed in
/// the order they run: arrays are placed before the kernel is chosen, so 2 and 3 come before 1. Steps that a call does
/// not need are missing. The time of a launch includes what the driver compiles then. Off, the trace costs one load per
/// step.
WEFT_API void weft_trace(bool on);

/* ---- behind `weft ways` ---- */

/// A way to compute an operation; WEFT_WAY=operation:name asks for it.
typedef struct weft__way_row {
  const char *operation; /* "sort" */
  const char *name;      /* "tiles" */
  const char *on;        /* "CPUs", "GPUs" or "all": the devices that have it */
  const char *by;        /* "kernels", "host" or "CUDA" */
  const char *when;      /* the tasks that it fits */
  const char *why_not;   /* after weft__ways_watch_at(true): why the latest task passed it over; else NULL */
} weft__way_row;
/// Way `number`, from 0 on: an operation's ways follow each other in the order in which they are tried. False: there
/// are fewer.
WEFT_API bool weft__way_at(weft__way_row *row, int number);
/// Reads WEFT_WAY again, while no other thread calls Weft.
WEFT_API void weft__ways_read_at(void);
/// Notes why tasks pass over ways, while no other thread calls Weft.
WEFT_API void weft__ways_watch_at(bool on);

WEFT_END_DECLS

#endif
