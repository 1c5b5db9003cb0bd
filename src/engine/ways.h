// SPDX-License-Identifier: MIT
/// The ways to compute an operation. Each operation has one table of them, in the file ways.c of its room: rows in the
/// order in which they are tried, until one has done the task. The last row fits every task.
///
///     static const weft__way ways[] = {
///         {"blas", "on CPUs, f32 and f64", WEFT__BY_HOST, blas_fits, blas_run, true},
///         {"tile", "all", WEFT__BY_KERNELS, NULL, tile_run, false},
///     };
///     const weft__ways weft__matmul_ways = WEFT__WAYS("matmul", ways);
///
///     WEFT__TRY_RETURN(weft__ways_run(&weft__matmul_ways, core, &task));
///
/// WEFT_WAY=matmul:tile,sort:digits tries these ways first, where they fit: for tests and measurements. It is read
/// at the first call of an operation with ways.
#ifndef WEFT_ENGINE_WAYS_H
#define WEFT_ENGINE_WAYS_H

#include "core/core.h"

/// What computes.
typedef enum weft__way_by {
  WEFT__BY_KERNELS, /* of the device */
  WEFT__BY_HOST,    /* loops or a library on the host */
  WEFT__BY_CUDA     /* a library of CUDA's */
} weft__way_by;

typedef struct weft__way {
  const char *name; /* in WEFT_WAY, the trace and `weft ways` */
  const char *when; /* what `fits` asks, for `weft ways` */
  weft__way_by by;
  bool (*fits)(const void *task);                      /* looks at the task and the device alone; NULL: fits all */
  weft_status (*run)(bool *is_done, const void *task); /* if *is_done stays false the next way is tried */
  bool groups_floats; /* adds floats in an order that depends on the device: not in reproducible contexts */
} weft__way;

typedef struct weft__ways {
  const char *operation;
  int count;
  const weft__way *way;
} weft__ways;

#define WEFT__WAYS(name, table) \
  { .operation = (name), .count = (int)(sizeof(table) / sizeof *(table)), .way = (table) }

/// Runs the first way that does the task. Errors: the way's, ARGUMENT (WEFT_WAY names a way that the operation does not
/// have).
weft_status weft__ways_run(const weft__ways *ways, const weft__core *core, const void *task);
/// Reads WEFT_WAY again, while no other thread calls Weft.
void weft__ways_read(void);

#endif
