// SPDX-License-Identifier: MIT
/// What a call answers, the explanation behind it, and the log.
///
/// Every fallible function returns a weft_status; 0 is success. The explanation of the last failure is kept per thread
/// and read with weft_error_last(). A successful call leaves it as it is; the next failing call replaces it.
#ifndef WEFT_STATUS_H
#define WEFT_STATUS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/api.h>

WEFT_BEGIN_DECLS

/// The statuses come in bands of a hundred, so that a program can treat a whole band alike (weft_status_band).
typedef enum weft_status {
  WEFT_OK = 0,

  /* 100: the call is wrong; the same call will fail again */
  WEFT_ERROR_ARGUMENT = 100, /* a value no function of this kind accepts: NULL, negative, unknown enum */
  WEFT_ERROR_HANDLE,         /* not a live object of the expected type: NULL, uninitialised or released */
  WEFT_ERROR_DTYPE,          /* dtype not accepted here, or no such conversion */
  WEFT_ERROR_SHAPE,          /* shapes differ, do not broadcast, or sizes do not match */
  WEFT_ERROR_AXIS,           /* axis out of range or given twice */
  WEFT_ERROR_INDEX,          /* index out of range */
  WEFT_ERROR_LAYOUT,         /* strides do not allow it; a contiguous copy would */
  WEFT_ERROR_CONTEXT,        /* objects of different contexts */
  WEFT_ERROR_OVERFLOW,       /* a size or a value does not fit its type */
  WEFT_ERROR_EXPRESSION,     /* the text of an expression or a signature; the message points into it */
  WEFT_ERROR_READ_ONLY,      /* memory that was handed to Weft not to be written */

  /* 200: the machine lacks something */
  WEFT_ERROR_NO_DEVICE = 200, /* no device, or none that matches */
  WEFT_ERROR_UNSUPPORTED,     /* the device cannot do this */
  WEFT_ERROR_VERSION,         /* headers and library of different versions */

  /* 300: memory */
  WEFT_ERROR_MEMORY = 300, /* the device has no more memory */
  WEFT_ERROR_HOST_MEMORY,  /* the host has no more memory */
  WEFT_ERROR_BUDGET,       /* the context's memory limit */
  WEFT_ERROR_LEAK,         /* objects were still alive when their context was closed */

  /* 400: kernels and launches */
  WEFT_ERROR_BUILD = 400,     /* the source does not compile; the log is in the error's detail */
  WEFT_ERROR_KERNEL_NAME,     /* no kernel of that name in the source */
  WEFT_ERROR_KERNEL_ARGUMENT, /* number, type or value of a launch's arguments */
  WEFT_ERROR_LAUNCH_LIMIT,    /* grid, block or local memory over the limits */
  WEFT_ERROR_BOUNDS,          /* a kernel reached outside its arrays; seen in guard mode (WEFT_CHECKS=1) */

  /* 500: the context can no longer be used */
  WEFT_ERROR_LOST = 500, /* a fatal failure on the device; the error names the first cause */
  WEFT_ERROR_CLOSED,     /* the context was closed */
  WEFT_ERROR_FORKED,     /* the context was made before fork() */

  /* 600: from outside */
  WEFT_ERROR_DRIVER = 600, /* an OpenCL call failed; cl_code says how */
  WEFT_ERROR_FILE,         /* a file could not be read or written */
  WEFT_ERROR_INTERNAL,     /* a mistake in Weft: please report it */
} weft_status;

#define WEFT_STATUS_IS_USE(status) (weft_status_band(status) == 100)

/// The enum's name, "WEFT_ERROR_SHAPE". Never NULL. Thread: any.
WEFT_API const char *weft_status_name(weft_status status);
/// The band: 0, 100, ... 600. Thread: any.
WEFT_API int weft_status_band(weft_status status);

/// The explanation of a failure. Strings are never NULL ("" where there is nothing to say) and stay valid until the
/// same thread's next failing call.
typedef struct weft_error {
  weft_status status;
  int cl_code;          /* the OpenCL code behind it, 0 if none */
  const char *cl_name;  /* its name, "CL_OUT_OF_RESOURCES" */
  const char *function; /* the public function that failed, "weft_launch" */
  const char *argument; /* the argument that was wrong */
  const char *site;     /* the caller's "file:line" */
  const char *message;  /* one line, and a line "while ..." for each level above the first cause */
  const char *detail;   /* build log, numbered source, holders of memory: any length */
} weft_error;

/// The calling thread's last failure; status WEFT_OK if there was none. Never NULL. Works before any context exists.
WEFT_API const weft_error *weft_error_last(void);
/// Forgets it. Thread: any, its own.
WEFT_API void weft_error_clear(void);
/// Writes status, message, OpenCL name, site and detail of the last failure to `stream`.
WEFT_API void weft_error_print(FILE *stream);

/// Frees a string or block that a Weft function handed to the caller. NULL is fine. Thread: any.
WEFT_API void weft_free(void *memory);

typedef enum weft_log_level {
  WEFT_LOG_NONE = 0,
  WEFT_LOG_ERROR,
  WEFT_LOG_WARNING,
  WEFT_LOG_INFO,
  WEFT_LOG_DEBUG,
} weft_log_level;

/// Receives what the library has to say beside its return values. `message` is valid during the call. It may be called
/// from any thread that calls Weft and from the driver's own, one at a time, and must not call Weft itself.
typedef void weft_log_callback(void *user, weft_log_level level, const char *message);

/// Sends messages up to `level` to `callback`; NULL turns the log off (the default). For the whole process. Thread:
/// any.
WEFT_API void weft_log_set(weft_log_level level, weft_log_callback *callback, void *user);

/// For functions that release what they hold at a label: goes there when `call` fails. weft_error_last() has the
/// explanation.
#define WEFT_TRY(call, label)          \
  do {                                 \
    if ((call) != WEFT_OK) goto label; \
  } while (0)

/* most errors already name this place: do not print it twice */
static inline void weft__check_failed(const char *site) {
  if (strcmp(weft_error_last()->site, site) != 0) fprintf(stderr, "%s: ", site);
  weft_error_print(stderr);
}
/// For applications: prints the error, with the place, and exits with status 1 when `call` fails. The library itself
/// never exits.
#define WEFT_CHECK(call)             \
  do {                               \
    if ((call) != WEFT_OK) {         \
      weft__check_failed(WEFT_SITE); \
      exit(EXIT_FAILURE);            \
    }                                \
  } while (0)

WEFT_END_DECLS

#endif
