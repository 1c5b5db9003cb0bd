// SPDX-License-Identifier: MIT
/// Shared by the filters: the call with its border, and passes with a window along one axis.
#ifndef WEFT_OP_FILTER_FILTER_H
#define WEFT_OP_FILTER_FILTER_H

#include <weft/filter.h>

#include "array/axes.h"
#include "call/call.h"
#include "cl/filter/args.h"
#include "cl/filter/transform_args.h"
#include "engine/host_step.h"
#include "engine/ways.h"

/// The elements outside of an array.
typedef struct weft__edge {
  int border;        /* WEFT__BORDER_* */
  uint64_t fill[2];  /* CONSTANT: the bytes of an element */
  weft_scalar value; /* as it was given */
} weft__edge;
/// Errors: ARGUMENT, OVERFLOW. `usual` is what WEFT_BORDER_DEFAULT means.
weft_status weft__edge_of(weft__edge *edge, weft_border_mode mode, weft_scalar value, weft_border_mode usual,
                          weft_dtype dtype);

#define WEFT__FILTER_NUMBERS (WEFT_MAX_NDIM * (WEFT_MAX_NDIM + 1)) /* of a matrix with its offset */
#define WEFT__WINDOW_EXCHANGES 518 /* of WEFT__WINDOW_COUNT elements, at most */

/// A call with a result of x's shape and dtype, x the first operand.
typedef struct weft__filtering {
  weft__call call;
  weft_operand out, operand[2];
  const char *what; /* for messages, usage and the trace: "gaussian filter" */
  weft_dtype dtype; /* of x and the result; NONE: x's own */
  weft__edge edge;
  int axes, axis[WEFT_MAX_NDIM];
} weft__filtering;

/// Makes x contiguous, the result, the border and the list of axes. Errors: also DTYPE, AXIS.
weft_status weft__filter_open(weft__filtering *t, const char *name, const char *const *operand_names, weft_axes axes,
                              weft_border_mode mode, weft_scalar value, const char *site);
weft_status weft__filter_close(weft__filtering *t, weft_status rc);

/// Number k of a list with one number for all axes, or one for each.
static inline int64_t weft__filter_number(const weft_shape *list, int k) {
  return list->ndim == 0 ? 0 : list->dim[list->ndim == 1 ? 0 : k];
}
/// Errors: ARGUMENT, for a list whose length is neither 1 nor the number of axes.
weft_status weft__filter_check_list(const weft__filtering *t, const weft_shape *list, const char *argument);
/// The sizes of a window: at least 1. Errors: ARGUMENT.
weft_status weft__filter_check_size(const weft__filtering *t, const weft_shape *size);
/// The elements in front of the middle one of a window of `size` elements. Errors: ARGUMENT, of an origin that moves
/// the middle out of the window. `is_reversed`: the window is turned around, as by a convolution.
weft_status weft__filter_before(int64_t *before, const weft__filtering *t, const weft_shape *origin, int k,
                                int64_t size, bool is_reversed);

/// A window along one axis.
typedef struct weft__line {
  int axis, op; /* WEFT__FILTER_* */
  int64_t taps, before;
  const weft_array *weights; /* SUM: contiguous, of weft__filter_sum_dtype */
  bool is_reversed;
} weft__line;

/// Operand 1's numbers, at most WEFT__FILTER_NUMBERS, with which the operand has dtype f64, or f32 where that is
/// missing. Waits.
weft_status weft__filter_read(double *number, weft__call *c);
/// A contiguous array of `dtype`, f64 or f32, of numbers that the host knows.
weft_status weft__filter_make(weft_array **out, weft_context *context, weft_dtype dtype, const double *number,
                              int64_t count, const char *site);

/// Adds what cl/filter/number.clh needs for elements of a dtype: the macros of cl/element.clh and integers' limits.
void weft__filter_define(weft__text *text, weft_dtype dtype);
/// The dtype of sums over elements.
weft_dtype weft__filter_sum_dtype(const weft_context *context, weft_dtype dtype);
/// The host's dtype of sums: f32 for floats up to f32, else f64.
weft_dtype weft__filter_host_sum(weft_dtype dtype);
/// The call's result from x, by one pass after the other; without any a copy.
weft_status weft__filter_passes(weft__filtering *t, const weft__line *line, int lines);

/// The task of the ways to filter with windows along axes, one after the other.
typedef struct weft__passes {
  weft__filtering *filtering;
  const weft__line *line;
  int lines; /* 1 or more */
} weft__passes;
WEFT__WAY_FUNCTIONS(passes, plane);
WEFT__WAY_FUNCTION(passes, each);
extern const weft__ways weft__passes_ways;

/// The task of the ways to make one pass from `from` to `to`, contiguous arrays of one shape and dtype.
typedef struct weft__pass {
  const weft__filtering *filtering;
  weft_array *to;
  const weft_array *from;
  const weft__line *line;
  int64_t before, after; /* elements of the window; fewer than the line's where these give the same */
} weft__pass;
WEFT__WAY_FUNCTIONS(pass, rolling);
bool weft__pass_longer_fits(const void *task);
WEFT__WAY_FUNCTIONS(pass, host);
WEFT__WAY_FUNCTIONS(pass, tiles);
WEFT__WAY_FUNCTION(pass, steps);
extern const weft__ways weft__pass_ways;
extern const weft__host_function weft__host_window;

/// A window of any shape.
typedef struct weft__footprint {
  int op;
  int64_t taps;
  const int64_t *offset;     /* taps times as many as the array has axes: from the middle element */
  const weft_array *weights; /* SUM: contiguous, of weft__filter_sum_dtype, a weight for each */
  int64_t rank;              /* RANK: the number of the wanted element in order */
} weft__footprint;

/// The offsets of a window of `size` elements along each of the call's axes, of which those with a false `keeps` are
/// left out (NULL: none). Returns their number, or -1 for want of memory; the caller frees *offset.
int64_t weft__footprint_offsets(int64_t **offset, const weft__filtering *t, const int64_t size[],
                                const int64_t before[], bool is_reversed, const uint8_t *keeps);
/// Adds what cl/sort/key.clh needs.
void weft__filter_define_keys(weft__text *text, weft_dtype dtype);
/// A window's filter from `from` to `to`, contiguous arrays of one shape and dtype that share no memory.
weft_status weft__filter_footprint(const weft__filtering *t, weft_array *to, const weft_array *from,
                                   const weft__footprint *window);

/// The task of the ways to do so.
typedef struct weft__footprint_task {
  const weft__filtering *filtering;
  weft_array *to;
  const weft_array *from;
  const weft__footprint *window;
} weft__footprint_task;
WEFT__WAY_FUNCTIONS(footprint, host);
WEFT__WAY_FUNCTIONS(footprint, slide);
WEFT__WAY_FUNCTION(footprint, kernels);
extern const weft__ways weft__footprint_ways;

/// Exchanges, each of which puts the lesser one of two elements first, and the place to which they bring the element of
/// a rank.
typedef struct weft__window_order {
  int exchanges, place;
  uint8_t exchange[WEFT__WINDOW_EXCHANGES][2];
} weft__window_order;
/// For a window of up to WEFT__WINDOW_COUNT elements.
void weft__window_order_of(weft__window_order *order, int taps, int rank);

/// The task of the ways to replace the elements of *spline by the coefficients along an axis.
typedef struct weft__spline_task {
  weft_array **spline, **spare; /* *spare: memory for that, or NULL; replaced, too */
  int axis, border;
  const char *what, *site;
} weft__spline_task;
WEFT__WAY_FUNCTIONS(spline, tiles);
WEFT__WAY_FUNCTION(spline, lines);
extern const weft__ways weft__spline_ways;

/// The task of the ways to compute elements at places of x, or by cubic splines from coefficients.
typedef struct weft__transform_task {
  const weft_array *to, *from, *places; /* places NULL: by the matrix */
  const double (*matrix)[WEFT_MAX_NDIM + 1];
  weft__transform_args args; /* of the kernel: without where arrays begin */
  int taps;                  /* elements of a spline along an axis: 1, 2, 4 */
  const char *what, *site;
} weft__transform_task;
WEFT__WAY_FUNCTIONS(transform, host);
WEFT__WAY_FUNCTION(transform, kernels);
extern const weft__ways weft__transform_ways;
extern const weft__host_function weft__host_transform;

/// The task of the ways to find distances along one axis, from those along the axes before.
typedef struct weft__distance_pass {
  const weft__filtering *filtering;
  weft__axis_split split;
  double step;                                /* the squared distance of neighbours along the axis */
  bool is_first, is_last;                     /* of the passes */
  bool is_kept;                               /* the nearest zeros are wanted */
  const weft_array *to;                       /* squared distances or, of the last pass, distances */
  const weft_array *from;                     /* squared distances or, of the first pass, bytes that are zero or not */
  const weft_array *nearest, *nearest_before; /* places of the nearest zeros, after and before */
} weft__distance_pass;
WEFT__WAY_FUNCTION(distance, host);
WEFT__WAY_FUNCTION(distance, kernels);
extern const weft__ways weft__distance_ways;
extern const weft__host_function weft__host_distance;

/// A call of weft_label whose x has elements, the task of its ways.
typedef struct weft__labelling {
  weft__filtering *filtering;
  int64_t neighbours;      /* in front of an element */
  const weft_array *table; /* i64: their offsets along each axis */
  weft_array **regions;    /* made by the way: its last element is the number of regions */
} weft__labelling;
WEFT__WAY_FUNCTIONS(label, host);
WEFT__WAY_FUNCTION(label, kernels);
extern const weft__ways weft__label_ways;
extern const weft__host_function weft__host_label;

#endif
