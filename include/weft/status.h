// SPDX-License-Identifier: MIT
/// Statuses, and the explanation of the calling thread's last failure.
///
///     WEFT_CHECK(weft_add(&y, x, x));         prints the explanation and exits
///     if (weft_add(&y, x, x) != WEFT_OK) fprintf(stderr, "%s\n", weft_error_last()->message);
///
/// A successful call does not change the explanation; the next failing call replaces it.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_STATUS_H
#define WEFT_STATUS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/api.h>

WEFT_BEGIN_DECLS

/// Statuses come in bands of a hundred, so that a program can handle a band as one case (weft_status_band).
typedef enum weft_status {
  WEFT_OK = 0,

  /* 100: the call is wrong; the same call will fail again */
  WEFT_ERROR_ARGUMENT = 100, /* an invalid value: NULL, negative, unknown enum */
  WEFT_ERROR_HANDLE,         /* not a live object of the expected type: NULL, uninitialised or released */
  WEFT_ERROR_DTYPE,          /* dtype or conversion not supported by the function */
  WEFT_ERROR_SHAPE,          /* shapes differ, do not broadcast, or sizes do not match */
  WEFT_ERROR_AXIS,           /* axis out of range or given twice */
  WEFT_ERROR_INDEX,          /* index out of range */
  WEFT_ERROR_LAYOUT,         /* the strides do not allow the operation; a contiguous copy does */
  WEFT_ERROR_CONTEXT,        /* objects of different contexts */
  WEFT_ERROR_OVERFLOW,       /* a size or a value does not fit its type */
  WEFT_ERROR_EXPRESSION,     /* mistake in a text (expression, signature, indices); the message has the place */
  WEFT_ERROR_READ_ONLY,      /* memory that was given to Weft for reading only */

  /* 200: the machine lacks something */
  WEFT_ERROR_NO_DEVICE = 200, /* no device, or none that matches */
  WEFT_ERROR_UNSUPPORTED,     /* the device lacks a feature, such as f64 */
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
  WEFT_ERROR_BOUNDS,          /* a kernel accessed memory outside its arrays; found in guard mode (WEFT_CHECKS=1) */
  WEFT_ERROR_ASSERT,          /* a WEFT_ASSERT of a kernel did not hold; found by the next call that waits */

  /* 500: the context can no longer be used */
  WEFT_ERROR_LOST = 500, /* a fatal failure on the device; the error names the first cause */
  WEFT_ERROR_CLOSED,     /* the context was closed */
  WEFT_ERROR_FORKED,     /* the context was made before fork() */

  /* 600: from outside */
  WEFT_ERROR_DRIVER = 600, /* an OpenCL call failed with cl_code */
  WEFT_ERROR_FILE,         /* a file could not be read or written */
  WEFT_ERROR_INTERNAL,     /* a mistake in Weft: please report it */

  /* 700: the values have no solution (weft/linalg.h), or no number */
  WEFT_ERROR_SINGULAR = 700, /* a matrix is singular, or not positive definite */
  WEFT_ERROR_CONVERGENCE,    /* an iteration did not converge */
  WEFT_ERROR_NUMBERS,        /* a call made NaN or infinity of finite numbers; found with WEFT_CHECKS=numbers */

  /* 800: between processes (weft/dist.h) */
  WEFT_ERROR_DIST = 800, /* ranks differ, one did not come in time, or MPI failed */
} weft_status;

/// Whether the call was wrong: the same call will fail again.
#define WEFT_STATUS_IS_USE(status) (weft_status_band(status) == 100)

/// The enum's name, "WEFT_ERROR_SHAPE". Never NULL.
WEFT_API const char *weft_status_name(weft_status status);
/// The band: 0, 100, ... 800.
WEFT_API int weft_status_band(weft_status status);

/// The explanation of a failure. Strings are never NULL; they stay valid until the thread's next failing call.
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

/// The calling thread's last failure, never NULL; its status is WEFT_OK if no call has failed. Needs no context.
WEFT_API const weft_error *weft_error_last(void);
/// Forgets the calling thread's last failure.
WEFT_API void weft_error_clear(void);
/// Writes status, message, OpenCL name, site and detail of the last failure to `stream`; nothing if it is NULL.
WEFT_API void weft_error_print(FILE *stream);

/// Goes to `label` if `call` fails: for functions that release their objects there.
#define WEFT_TRY(call, label)          \
  do {                                 \
    if ((call) != WEFT_OK) goto label; \
  } while (0)

/* most errors name this place already */
static inline void weft__check_failed(const char *site) {
  if (strcmp(weft_error_last()->site, site) != 0) fprintf(stderr, "%s: ", site);
  weft_error_print(stderr);
}
/// Prints the error with its place and exits with status 1 if `call` fails: for small programs.
#define WEFT_CHECK(call)             \
  do {                               \
    if ((call) != WEFT_OK) {         \
      weft__check_failed(WEFT_SITE); \
      exit(EXIT_FAILURE);            \
    }                                \
  } while (0)

/* ---- for libraries on top of Weft ----
   A function of such a library calls weft_error_enter first and returns weft_error_leave(status). Between the two the
   first failure is kept, of Weft's functions or of its own; the message names the function and its caller's place. */

/// Begins a function. The texts must live as long as the program; `site` may be NULL.
WEFT_API void weft_error_enter(const char *function, const char *site);
/// Records a failure and returns `status`. `argument` is the wrong argument's name, or NULL. If a failure was recorded
/// since weft_error_enter, that one stays, and its status is returned.
WEFT_API weft_status weft_error_record(weft_status status, const char *argument, const char *message);
/// Adds the line "while `step`" to the recorded failure, if `status` is one, and returns `status`.
WEFT_API weft_status weft_error_while(weft_status status, const char *step);
/// Ends a function and returns `status`.
WEFT_API weft_status weft_error_leave(weft_status status);

WEFT_END_DECLS

#endif
