// SPDX-License-Identifier: MIT
/// The thread's error record, and the beginning and end of public functions.
///
/// A public function that can fail begins with weft__enter and returns through weft__leave. Nested ones do not count,
/// so messages name the function that the user called. Within one outermost call the first failure is kept; later
/// failures, during cleanup, do not replace it.
#ifndef WEFT_BASE_ERROR_H
#define WEFT_BASE_ERROR_H

#include <stdatomic.h>
#include <weft/status.h>

#include "base/text.h"

/// `site` may be NULL.
void weft__enter(const char *function, const char *site);
weft_status weft__leave(weft_status status);

/// Whether this thread is inside a public function.
bool weft__is_inside(void);
/// Reasons to observe calls as they begin and end. They share one word, so an unobserved call makes only one load.
enum {
  WEFT__WATCH_ENVIRONMENT = 1, /* the environment was not read yet */
  WEFT__WATCH_TRACE = 2,
  WEFT__WATCH_CALLS = 4, /* a listener is registered */
};
extern atomic_int weft__watch;
/// Told of the beginning and end of each outermost call while weft__watch is not 0: the trace and the listeners
/// (base/listeners.c).
typedef struct weft__call_watcher {
  void (*enter)(void);
  void (*leave)(const char *function, const char *site, weft_status status);
} weft__call_watcher;
extern const weft__call_watcher weft__watcher;

/// The public function that this thread runs, and its call site. Outside of public functions both are "".
const char *weft__function(void);
const char *weft__site(void);

/// Records a failure and returns its status, or the status of the first failure if one was recorded already. The
/// message becomes "function: ...". `argument` names the wrong argument; NULL: none.
weft_status weft__fail(weft_status status, const char *argument, const char *format, ...) WEFT_PRINTF(3, 4);
/// weft__fail with an OpenCL error code and its name.
weft_status weft__fail_code(weft_status status, int cl_code, const char *cl_name, const char *format, ...)
    WEFT_PRINTF(4, 5);
/// Records a failure at byte `at` of a text. The message begins "SOURCE:LINE:COLUMN: ", counted from 1 and in
/// characters; the detail has the line with a mark.
void weft__fail_at(weft_status status, const char *argument, const char *source, const char *text, size_t at,
                   const char *format, ...) WEFT_PRINTF(6, 7);
/// Records a failure of an earlier call that is only detected now. `function` and `site` belong to the earlier call; a
/// line of the message names the call that detected the failure.
weft_status weft__fail_earlier(const char *function, const char *site, weft_status status, const char *argument,
                               const char *format, ...) WEFT_PRINTF(5, 6);
/// Records that the host's memory ran out. Allocates nothing.
weft_status weft__fail_host_memory(size_t size_bytes);
/// Adds a line "while ..." to the failure being returned, and returns `status`.
weft_status weft__while(weft_status status, const char *format, ...) WEFT_PRINTF(2, 3);
/// For a caller that goes on without the memory that a step needed: whether *rc says that the device has too little.
/// Then the failure is forgotten, and *rc becomes WEFT_OK.
bool weft__without_memory(weft_status *rc);
/// Between these two calls this thread records no failure: the caller goes on without what failed. They nest.
void weft__quiet_begin(void);
void weft__quiet_end(void);
/// The detail of the failure just recorded, for the caller to extend.
weft__text *weft__detail(void);

/// A step of a function. If it fails, the function goes to its label `done`, where it releases its resources and
/// returns `rc`.
#define WEFT__TRY(step)                      \
  do {                                       \
    if ((rc = (step)) != WEFT_OK) goto done; \
  } while (0)

/// A step of a function that has nothing to release: a failure is returned at once.
#define WEFT__TRY_RETURN(step)              \
  do {                                      \
    weft_status failed_ = (step);           \
    if (failed_ != WEFT_OK) return failed_; \
  } while (0)

/// Like malloc, but zeroes the memory and records WEFT_ERROR_HOST_MEMORY.
void *weft__new(size_t size_bytes);

/// The options of a call: *params, or all zero if `params` is NULL.
#define WEFT__PARAMS(params) ((params) ? *(params) : (__typeof__(*(params))){0})

#endif
