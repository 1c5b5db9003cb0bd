// SPDX-License-Identifier: MIT
/// The ways to compute an operation. Each operation has one table of them, in the file ways.c of its room: rows in the
/// order in which they are tried, until one has done the task. On each device one of the rows fits every task.
///
///     static const weft__way ways[] = {
///         WEFT__WAY(scan, host, CPUS, HOST, "all but users' operations"), // weft__scan_host_fits, weft__scan_host_run
///         WEFT__WAY(scan, passes, GPUS, KERNELS, "rows: three launches"),
///         WEFT__WAY_FOR_ALL(scan, columns, ALL, KERNELS, "all: a thread for each column"), // weft__scan_columns_run
///     };
///     const weft__ways weft__scan_ways = WEFT__WAYS("scan", ways);
///
///     WEFT__TRY_RETURN(weft__ways_run(&weft__scan_ways, context, &task));
///
/// WEFT_WAY=matmul:tile,sort:digits tries these ways first, where they fit: for tests and measurements. It is read
/// at the first call of an operation with ways; elements:commands, which has no table to run, when a context is made.
#ifndef WEFT_ENGINE_WAYS_H
#define WEFT_ENGINE_WAYS_H

#include "context/context.h"

/// The devices that have the way. A CPU that takes the kernels of GPUs counts as a GPU (weft__store.is_cpu).
typedef enum weft__way_on { WEFT__ON_ALL, WEFT__ON_CPUS, WEFT__ON_GPUS } weft__way_on;

/// What computes.
typedef enum weft__way_by {
  WEFT__BY_KERNELS, /* of the device */
  WEFT__BY_HOST,    /* loops or a library on the host */
  WEFT__BY_CUDA     /* a library of CUDA's */
} weft__way_by;

typedef struct weft__way {
  const char *name; /* in WEFT_WAY, the trace and `weft ways` */
  weft__way_on on;
  weft__way_by by;
  const char *when;                                    /* what `fits` asks, for `weft ways` */
  bool (*fits)(const void *task);                      /* looks at the task and the device alone; NULL: fits all */
  weft_status (*run)(bool *is_done, const void *task); /* if *is_done stays false the next way is tried */
  bool groups_floats; /* adds floats in an order that depends on the device: not in reproducible contexts */
} weft__way;

typedef struct weft__ways {
  const char *operation;
  int count;
  const weft__way *way;
  bool is_exact; /* all ways give the same bits: on CPUs, reproducible contexts have the ways of CPUs too */
} weft__ways;

/// A row in the order of the members above: one that fits all, and one with a condition.
#define WEFT__WAY_FOR_ALL(operation, way, on, by, when) \
  { #way, WEFT__ON_##on, WEFT__BY_##by, when, NULL, weft__##operation##_##way##_run, false }
#define WEFT__WAY(operation, way, on, by, when) \
  { #way, WEFT__ON_##on, WEFT__BY_##by, when, weft__##operation##_##way##_fits, weft__##operation##_##way##_run, false }
/// Declares the functions of a row, or of a row that fits all.
#define WEFT__WAY_FUNCTIONS(operation, name)                \
  bool weft__##operation##_##name##_fits(const void *task); \
  WEFT__WAY_FUNCTION(operation, name)
#define WEFT__WAY_FUNCTION(operation, name) \
  weft_status weft__##operation##_##name##_run(bool *is_done, const void *task)
#define WEFT__WAYS(name, table) \
  { .operation = (name), .count = (int)(sizeof(table) / sizeof *(table)), .way = (table) }
#define WEFT__EXACT_WAYS(name, table) \
  { .operation = (name), .count = (int)(sizeof(table) / sizeof *(table)), .way = (table), .is_exact = true }

/// The operations that have ways.
// clang-format off
#define WEFT__OPERATIONS(X) \
  X(arrange) X(at) X(bits) X(choose) X(csr_matmul) X(csr_transpose) X(distance) X(elements) X(extent) X(fft) \
  X(footprint) X(geqrf) X(gesdd) X(getrf) X(getrs) X(histogram) X(indices) X(is_sorted) X(join) X(label) X(many) \
  X(matmul) X(merge) X(normalize) X(numbers) X(partition) X(pass) X(passes) X(potrf) X(quantile) X(range) \
  X(reduce) X(repeat) X(rolling) X(scan) X(scatter) X(search) X(select) X(sort) X(spline) X(syevd) X(take) \
  X(topk) X(transform) X(triangle) X(trsm) X(unique) X(unique_flags)
// clang-format on

/// Runs the first way that does the task. Errors: the way's, ARGUMENT (WEFT_WAY names no operation, or a way that the
/// operation does not have).
weft_status weft__ways_run(const weft__ways *ways, const weft_context *context, const void *task);
/// Reads WEFT_WAY again, while no other thread calls Weft.
void weft__ways_read(void);
/// On: from now on weft__way_why_not tells of the ways that tasks ask, while no other thread calls Weft.
void weft__ways_watch(bool on);
/// Why the latest task that asked the way passed it over; NULL: it ran, or no task asked it.
const char *weft__way_why_not(const weft__way *way);

#endif
