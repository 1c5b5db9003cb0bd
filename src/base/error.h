// SPDX-License-Identifier: MIT
/// The thread's error record, and entering and leaving public functions.
///
/// A public function that can fail begins with weft__enter and returns through weft__leave; nested ones do not count,
/// so that messages name the function the user called. Within one outermost call the first failure wins: later ones,
/// met while cleaning up, do not replace it.
#ifndef WEFT_BASE_ERROR_H
#define WEFT_BASE_ERROR_H

#include <weft/status.h>

#include "base/text.h"

/// `site` may be NULL.
void weft__enter(const char *function, const char *site);
weft_status weft__leave(weft_status status);

/// Whether this thread is inside of a public function.
bool weft__is_inside(void);
/// The public function being run by this thread, and the place it was called from ("" outside of any).
const char *weft__function(void);
const char *weft__site(void);

/// Records a failure and returns its status (that of the first cause, if there is one already). The message becomes
/// "function: ...". `argument` names the argument that was wrong, NULL if none was.
weft_status weft__fail(weft_status status, const char *argument, const char *format, ...) WEFT_PRINTF(3, 4);
/// The same with the OpenCL code behind it.
weft_status weft__fail_code(weft_status status, int cl_code, const char *cl_name, const char *format, ...)
    WEFT_PRINTF(4, 5);
/// A failure at a place of a text, a byte of it: "SOURCE:LINE:COLUMN: ...", from 1 and in characters; the detail has
/// the line with a mark.
void weft__fail_at(weft_status status, const char *argument, const char *source, const char *text, size_t at,
                   const char *format, ...) WEFT_PRINTF(6, 7);
/// A failure of an earlier call that is only seen now: function and site are that one's, and a line says where it was
/// seen.
weft_status weft__fail_earlier(const char *function, const char *site, weft_status status, const char *argument,
                               const char *format, ...) WEFT_PRINTF(5, 6);
/// Out of host memory: needs none itself.
weft_status weft__fail_host_memory(size_t size_bytes);
/// Adds a line "while ..." to the failure that is on its way up, and returns `status`.
weft_status weft__while(weft_status status, const char *format, ...) WEFT_PRINTF(2, 3);
/// The detail of the failure just recorded, to be appended to.
weft__text *weft__detail(void);

/// A step of a function. If it fails, the function goes to its label `done`, where it releases what it holds and
/// returns `rc`.
#define WEFT__TRY(step)                      \
  do {                                       \
    if ((rc = (step)) != WEFT_OK) goto done; \
  } while (0)

/// A step of a function that has nothing to release: it returns the failure.
#define WEFT__TRY_RETURN(step)              \
  do {                                      \
    weft_status failed_ = (step);           \
    if (failed_ != WEFT_OK) return failed_; \
  } while (0)

/// malloc that records WEFT_ERROR_HOST_MEMORY; the memory is zeroed.
void *weft__new(size_t size_bytes);

/// The options of a call: what `params` points to, or those that are all left out where it is NULL.
#define WEFT__PARAMS(params) ((params) ? *(params) : (__typeof__(*(params))){0})

#endif
