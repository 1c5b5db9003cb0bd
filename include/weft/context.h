// SPDX-License-Identifier: MIT
/// A context: one device, its queue, its memory pool and its kernels. Everything else is made in one.
///
/// Reference counted: create gives one reference, retain adds one, release drops one and sets the pointer to NULL.
/// Arrays, kernels and streams hold their context, so any order of release is safe. A context may be used from several
/// threads at once.
#ifndef WEFT_CONTEXT_H
#define WEFT_CONTEXT_H

#include <weft/device.h>
#include <weft/version.h>

WEFT_BEGIN_DECLS

typedef struct weft_context weft_context;

/// How a blocking call waits for the device.
typedef enum weft_wait_policy {
  WEFT_WAIT_AUTO = 0, /* sleep where the driver's own wait would burn a core, else the driver's wait */
  WEFT_WAIT_SPIN,     /* always the driver's wait: lowest latency, may burn a core */
  WEFT_WAIT_SLEEP,    /* always sleep after a short spin */
} weft_wait_policy;

/// Zero is the default for every field.
typedef struct weft_context_params {
  const char *device; /* a selector as in weft_device_find; NULL: the thread's device (weft_device_use) */
  weft_wait_policy wait;
  bool profiling;              /* queues record device times, for weft_timer; costs a little on every launch */
  bool pool_off;               /* every array gets a buffer of its exact size (also WEFT_POOL=off) */
  uint64_t memory_limit_bytes; /* refuse to hold more than this; 0: WEFT_MEMORY_LIMIT, else the device's memory */
  bool checks;       /* guard mode, for finding mistakes in kernels; slow (also WEFT_CHECKS=1): see weft/memory.h */
  bool tracking_off; /* streams do not wait for each other by themselves (also WEFT_TRACKING=off): wrong answers unless
                        you order them */
  uint64_t ahead_limit_ns; /* how far the host may run ahead (see below); 0: half a second; UINT64_MAX: no limit */
  const char *site;        /* set by the macros */
} weft_context_params;

/// ahead_limit_ns limits how far the host runs ahead of the device, so that a program ends soon after Ctrl-C and its
/// queue stays short. A call that enqueues returns at once while its stream is below the limit; else it first waits
/// until a part of the queued work is done. The limit of each stream is the number of commands that the device does in
/// ahead_limit_ns, estimated from earlier commands: at most 1024, at first 16, and at least two however long they take.
/// The cost per launch is negligible: Weft enqueues a marker every 512 commands, or twice in ahead_limit_ns. The
/// default limit does not apply to a context with a queue that other code can use: one from weft_context_adopt, or one
/// returned by weft_context_cl_queue or weft_stream_cl_queue, from that call on. Commands on such a queue may depend on
/// an event that this thread sets later, and other streams may wait for their results, so waiting could deadlock. An
/// explicit limit applies there too. WEFT_AHEAD=off in the environment removes the default limit; any other text there
/// is WEFT_ERROR_ARGUMENT.

/// Makes a context and builds the core kernels (fill, copy, introspection) from the source embedded in the library:
/// weft_context_create(&c), weft_context_create(&c, .device = "gpu", .profiling = true). What *out held is not looked
/// at; it is set to NULL on failure. Blocks while the driver compiles (about 0.1 s with a cold cache). Thread: any.
/// Errors: WEFT_ERROR_NO_DEVICE, WEFT_ERROR_VERSION, WEFT_ERROR_BUILD, WEFT_ERROR_DRIVER, WEFT_ERROR_HOST_MEMORY.
WEFT_API WEFT_NODISCARD weft_status weft_context_create(weft_context **out, const weft_context_params *params);

/// A reference to the default context of the thread's device, made when first asked for and shared by all threads.
/// Release it as any other; the process keeps it for the next call, until weft_context_close ends it. After a LOST,
/// close it to get a new one.
WEFT_API WEFT_NODISCARD weft_status weft_context_default(weft_context **out);

/// Adds a reference and returns its argument. NULL is fine. Thread: any.
WEFT_API weft_context *weft_context_retain(weft_context *context);
/// Drops a reference and sets *context to NULL. The last one (the context's own, and those of its arrays and kernels)
/// frees it; that waits for the device. Thread: any.
WEFT_API void weft_context_release(weft_context **context);

/// Ends a context: waits for the device, frees all device memory and driver objects in it, drops the reference and sets
/// *context to NULL. What was still alive is freed too; its handles stay valid but every use answers WEFT_ERROR_CLOSED,
/// and they must still be released. Returns WEFT_ERROR_LEAK when arrays, kernels, streams, timers, events, pinned
/// blocks or generators were still alive: the message names the lines that made them. WEFT_LEAKS=1 in the environment
/// prints the leaks on stderr as well. WEFT_LEAKS=error also prints, when the process ends, leaks in contexts that were
/// never closed (including a released context that one of its objects still holds) and leaked objects without a
/// context: generators, ufunc objects, mapped .npy files, snapshots. After any leak, also one that a close reported,
/// the process then ends with status 23 (LeakSanitizer's) in place of its own. A *context that is NULL is fine. Errors:
/// WEFT_ERROR_LEAK, WEFT_ERROR_LOST (everything is freed all the same), WEFT_ERROR_CLOSED (through another reference;
/// this one is dropped). Thread: any, no other call on it at the same time.
WEFT_API WEFT_NODISCARD weft_status weft_context_close(weft_context **context);

/// Waits until everything enqueued in the context, on all its streams, has finished. A failure of earlier work is
/// reported here and names the last launches; an index out of range (weft/index.h) is told here or by the read that
/// comes first.
/// Errors: WEFT_ERROR_LOST, WEFT_ERROR_DRIVER, WEFT_ERROR_INDEX. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_context_wait(weft_context *context);

/// Describes the context's device. Errors: WEFT_ERROR_HANDLE, WEFT_ERROR_ARGUMENT. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_context_get_device(weft_device_info *info, const weft_context *context);

/* ---- behind the functions ---- */

/* the version of the headers that the caller was built with is checked by the library */
WEFT_API WEFT_NODISCARD weft_status weft__context_create_at(weft_context **out, const weft_context_params *params,
                                                            int header_version);
WEFT_API WEFT_NODISCARD weft_status weft__context_default_at(weft_context **out, int header_version, const char *site);

#define weft_context_create(...)                                                                     \
  weft__context_create_at(WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_context_params, __VA_ARGS__), \
                          WEFT_VERSION_NUMBER)
#define weft_context_default(out) weft__context_default_at((out), WEFT_VERSION_NUMBER, WEFT_SITE)

WEFT_END_DECLS

#endif
