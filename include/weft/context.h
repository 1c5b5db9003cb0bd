// SPDX-License-Identifier: MIT
/// A context: one device with its queue, memory pool and kernels. Arrays, kernels and streams are made in one.
///
///     weft_context *context = NULL;
///     rc = weft_context_create(&context, .device = "gpu");
///     rc = weft_context_close(&context);
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_CONTEXT_H
#define WEFT_CONTEXT_H

#include <weft/device.h>
#include <weft/version.h>

WEFT_BEGIN_DECLS

/// A device made ready: its queue, memory pool and built kernels. Every other object belongs to one.
typedef struct weft_context weft_context;

/// How a blocking call waits for the device.
typedef enum weft_wait_policy {
  WEFT_WAIT_AUTO = 0, /* sleeps if the driver's own wait would occupy a core, else the driver's wait */
  WEFT_WAIT_SPIN,     /* always the driver's wait: lowest latency, may occupy a core */
  WEFT_WAIT_SLEEP,    /* always sleeps, after a short spin */
} weft_wait_policy;

/// Options of weft_context_create. `ahead_limit_ns` limits how far the host runs ahead of the device: a call that
/// enqueues first waits while its stream has more queued commands than the device does in that time, as estimated from
/// earlier commands (at most 1024, 16 at first, never fewer than 2). The default does not apply to a context whose
/// queue other code can use (weft_context_adopt, weft_context_cl_queue, weft_stream_cl_queue). WEFT_AHEAD=off removes
/// the default. See docs/guide.md, "Long jobs".
typedef struct weft_context_params {
  const char *device; /* a selector as in weft_device_find; NULL: the thread's device (weft_device_use) */
  weft_wait_policy wait;
  bool profiling;              /* queues record device times, for weft_timer; costs a little on every launch */
  bool pool_off;               /* every array gets a buffer of its exact size (also WEFT_POOL=off) */
  uint64_t memory_limit_bytes; /* budget for active and held memory; 0: WEFT_MEMORY_LIMIT, else the device's memory */
  bool checks;       /* guard mode, for finding mistakes in kernels; slow (also WEFT_CHECKS=1): see weft/memory.h */
  bool numbers;      /* a call that makes NaN or infinity of finite numbers is WEFT_ERROR_NUMBERS; slow (also
                        WEFT_CHECKS=numbers) */
  bool tracking_off; /* streams do not wait for each other automatically (also WEFT_TRACKING=off): wrong results unless
                        you order them */
  bool reproducible; /* floats have the same bits on every device (also WEFT_REPRODUCIBLE=1): see docs/accuracy.md */
  bool cuda;         /* arrays are made in memory that CUDA sees too (also WEFT_CUDA=1): see weft/cuda.h */
  uint64_t ahead_limit_ns; /* how far the host may run ahead (see above); 0: half a second; UINT64_MAX: no limit */
  const char *site;        /* set by the macros */
} weft_context_params;

/// Makes a context and builds the library's core kernels. The old value of *out is ignored; *out is NULL on failure.
/// Blocks while the driver compiles (about 0.1 s with a cold cache). Errors: WEFT_ERROR_NO_DEVICE, WEFT_ERROR_VERSION
/// (headers and library differ), WEFT_ERROR_BUILD, WEFT_ERROR_UNSUPPORTED (`.reproducible` on a device that rounds
/// otherwise than IEEE 754 asks).
WEFT_API WEFT_NODISCARD weft_status weft_context_create(weft_context **out, const weft_context_params *params);

/// Returns a reference to the default context of the thread's device, which all threads share; the first call makes it.
/// Release it as any other: the process keeps it until weft_context_close ends it. After WEFT_ERROR_LOST, close it to
/// get a new one. Errors: as for weft_context_create.
WEFT_API WEFT_NODISCARD weft_status weft_context_default(weft_context **out);

/// Adds a reference and returns its argument. NULL is allowed.
WEFT_API weft_context *weft_context_retain(weft_context *context);
/// Drops a reference and sets *context to NULL. NULL is allowed. The last release (objects of the
/// context hold references too) waits for the device and frees the context.
WEFT_API void weft_context_release(weft_context **context);

/// Ends a context: waits for the device, frees its device memory and driver objects, drops the reference and sets
/// *context to NULL; a NULL *context is allowed. Handles to its objects must still be released; any other use is
/// WEFT_ERROR_CLOSED. No other call may use the context meanwhile. Errors: WEFT_ERROR_LEAK (objects were alive; the
/// message names the lines that made them, and WEFT_LEAKS=1 prints them, see docs/guide.md, "Finding a leak"),
/// WEFT_ERROR_LOST (all is freed even then), WEFT_ERROR_CLOSED (closed before; this reference is dropped); others as
/// for weft_context_wait.
WEFT_API WEFT_NODISCARD weft_status weft_context_close(weft_context **context);

/// Waits until all work on all streams of the context has finished. A failure of earlier work is reported here and
/// names the last launches; an index out of range (weft/index.h) and a WEFT_ASSERT of a kernel are reported here or by
/// an earlier read. Errors: WEFT_ERROR_INDEX, WEFT_ERROR_ASSERT, WEFT_ERROR_BOUNDS (guard mode).
WEFT_API WEFT_NODISCARD weft_status weft_context_wait(weft_context *context);

/// Describes the context's device.
WEFT_API WEFT_NODISCARD weft_status weft_context_get_device(weft_device_info *info, const weft_context *context);

/* ---- behind the functions ---- */

/* the library checks the version of the headers that the caller was built with */
WEFT_API WEFT_NODISCARD weft_status weft__context_create_at(weft_context **out, const weft_context_params *params,
                                                            int header_version);
WEFT_API WEFT_NODISCARD weft_status weft__context_default_at(weft_context **out, int header_version, const char *site);

#define weft_context_create(...)                                               \
  weft__context_create_at(WEFT__PLACE(weft_context, WEFT__FIRST(__VA_ARGS__)), \
                          WEFT__OPTIONS(weft_context_params, __VA_ARGS__), WEFT_VERSION_NUMBER)
#define weft_context_default(out) \
  weft__context_default_at(WEFT__PLACE(weft_context, out), WEFT_VERSION_NUMBER, WEFT_SITE)

WEFT_END_DECLS

#endif
