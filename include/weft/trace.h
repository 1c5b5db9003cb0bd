// SPDX-License-Identifier: MIT
/// What calls do on the device: shown step by step on stderr, and counted.
///
/// A call with host memory does six things by itself: it compiles the kernel, allocates memory on the device, copies
/// in, launches, copies back, and returns. The trace shows each with its bytes and its time:
///
///   weft: weft_add (main.c:12): 2 allocate   400000 bytes for `a`: 6.1 us
///   weft: weft_add (main.c:12): 3 copy in    400000 bytes of `a`: 206.8 us, 1.9 GB/s
///   ...
///   weft: weft_add (main.c:12): 1 compile    add for f32, f32: 114.0 ms
///   weft: weft_add (main.c:12): 4 launch     weft_map_add, 98 blocks of 1 thread: 60.5 ms
///   weft: weft_add (main.c:12): 5 copy back  400000 bytes of `out`: 236.5 us, 1.7 GB/s
///   weft: weft_add (main.c:12): 6 return     after 175.5 ms
///
/// Steps stand in the order in which they happen, with the numbers of that list: the kernel depends on where the arrays
/// lie, so that they come before it. Steps a call does not need (the kernel is there, the arrays are on the device) are
/// not there. Host memory that a CPU
/// device uses where it is has a line that says so: "3 copy in    8000000 bytes of `a` used where they are, no copy".
#ifndef WEFT_TRACE_H
#define WEFT_TRACE_H

#include <weft/context.h>

WEFT_BEGIN_DECLS

/// Switches the trace on or off for the whole process; so does the environment's WEFT_TRACE=1 (anything but empty and
/// 0), which is read at the first call of Weft. While it is on, every step of every call is waited for, before and
/// after, so that the times are the step's own: nothing overlaps, and a program is slower. Some drivers compile a part
/// of a kernel at its first launch; that time is in the launch. Off, it costs a load per step. Thread: any.
WEFT_API void weft_trace(bool on);

/// What a context has done so far. Launches count the kernels of all calls, Weft's own fills, copies and casts
/// included.
typedef struct weft_usage {
  uint64_t launches;
  /* of functions over arrays (copies and casts of views too) and of weft_launch, with fewer than full_threads threads
     (full_blocks blocks) */
  uint64_t small_launches;
  uint64_t full_threads; /* what the device holds at once, as it is counted here; 0: blocks are what counts */
  uint64_t full_blocks;  /* the same in blocks, for a CPU */
  uint64_t builds;       /* programs built; the context's own is the first */
  uint64_t build_time_ns;
  /* host memory given to a function over arrays (WEFT_HOST), which copied it to the device for this one call; not what
     a CPU device used where it is */
  uint64_t copies_in;
  uint64_t copies_in_bytes;
  uint64_t copies_back; /* results that such a function copied to host memory (WEFT_HOST_OUT) */
  uint64_t copies_back_bytes;
} weft_usage;

/// Writes what `context` has done so far. Nothing is reset: the difference of two is what was done between them.
///
/// Small launches: a GPU hides the time that memory takes by having many more threads than it can run in the same
/// cycle. OpenCL does not tell how many a device keeps at once, only how many compute units it has and how large a
/// block may be, which one unit must hold: full_threads is the product of the two, 132 * 1024 on an H200, and a launch
/// of fewer leaves a part of the device without work. (weft_add and its like give each thread of a GPU 16 bytes or
/// more, so this is some hundred thousand elements.) A CPU runs a block on one core: full_blocks is the number of its
/// compute units. The first copy in, copy back and small launch of a context each write a line to the log
/// (weft_log_set, WEFT_LOG_WARNING), with the line of the program and what to do about it. weft_memory_get has the
/// bytes of all copies, weft_from_host and weft_to_host included.
/// Errors: WEFT_ERROR_HANDLE, WEFT_ERROR_ARGUMENT. Does not wait. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_usage_get(weft_usage *usage, const weft_context *context);

WEFT_END_DECLS

#endif
