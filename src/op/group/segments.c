// SPDX-License-Identifier: MIT
/// Reductions of segments: segmented scans, of which the last element of each segment is taken; on CPUs, of arrays with
/// one axis, the totals of segments.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <weft/eval.h>
#include <weft/index.h>
#include <weft/scan.h>

#include "call/call.h"
#include "expr/overload.h"
#include "expr/reduction.h"
#include "map/cast.h"
#include "op/group/group.h"
#include "op/scan/scan.h"

typedef struct segments_run {
  const weft__segments *s;
  const weft__reduction *how;
  bool adds_wide;                   /* floats are added up in f64 */
  bool skips;                       /* NaNs do not count */
  const weft_array *x;              /* the rows in the order of the segments */
  weft_array *moved, *flags, *ends; /* `x` if it had to be moved; where segments begin; the segments' last rows */
  weft_array *counts;               /* i64: elements of each segment */
  bool totals;         /* no scans: `flags` has only the ones where segments begin, and there is no `ends` */
  weft_array *numbers; /* with `skips`: those that are not NaN, of result's shape */
} segments_run;

/// Whether the reduction of no elements is no number.
static bool has_none(const weft__reduction *how) {
  return strstr(how->result, "none") != NULL;
}

weft_status weft__segments_check(weft_reduction_id op, double ddof, weft_dtype dtype) {
  if ((unsigned)op >= WEFT_REDUCE_COUNT || !weft__reduction_row(op)->result)
    return weft__fail(WEFT_ERROR_ARGUMENT, "op", "`op` is %d, which is no reduction that groups have (weft/group.h)",
                      (int)op);
  if (ddof != 0 && !weft__is_variance(op))
    return weft__fail(WEFT_ERROR_ARGUMENT, "ddof", "`ddof` is %g, but `op` is no variance or deviation", ddof);
  if (op == WEFT_REDUCE_PTP && dtype == WEFT_BOOL)
    return weft__fail(WEFT_ERROR_DTYPE, "op", "the values are bool, which has no difference");
  return WEFT_OK;
}

static bool has_fp64(const segments_run *r) {
  return r->s->context->core.device->info.has_fp64;
}

/// The dtype in which floats are added up.
static weft_dtype wide_of(const segments_run *r, weft_dtype dtype) {
  if (weft_dtype_kind(dtype) == 'c') return has_fp64(r) ? WEFT_C128 : WEFT_C64;
  return has_fp64(r) ? WEFT_F64 : WEFT_F32;
}

/// x, of one element for each row or segment, with the number of axes of the rows, to which it then broadcasts.
static weft_array spread(const weft_array *x, int ndim) {
  weft_array wide = weft__array_borrow(x);
  wide.ndim = ndim;
  for (int d = 1; d < ndim; d++) {
    wide.shape[d] = 1;
    wide.stride_bytes[d] = 0;
  }
  return wide;
}

/* ---- segments ---- */

/// counts[k] += 1 for each segment that begins at row k; without `counts`, 1. Refuses offsets out of range.
static weft_status mark(weft_array **marks, const segments_run *r, weft_dtype dtype, bool counts) {
  const weft__segments *s = r->s;
  const weft_array begin = weft__array_part(s->offsets, 0, 0, s->offsets->size - 1);
  WEFT__TRY_RETURN(weft__array_create(marks, s->context, dtype, WEFT_SHAPE(r->x->shape[0] + 1), s->site));
  if (counts || !r->totals) WEFT__TRY_RETURN(weft__fill(*marks, WEFT_SCALAR(0), s->site));
  return (counts ? weft__scatter_add_at : weft__scatter_at)(*marks, WEFT_OPERAND(&begin), WEFT_OPERAND(1),
                                                            WEFT__AXES(0), &(const weft_index_params){.site = s->site});
}

static weft_status find_segments(segments_run *r) {
  const weft__segments *s = r->s;
  const int64_t segments = s->offsets->size - 1;
  const weft_array begin = weft__array_part(s->offsets, 0, 0, segments),
                   end = weft__array_part(s->offsets, 0, 1, segments);
  const weft_operand parts[] = {WEFT_NAMED("a", &begin), WEFT_NAMED("b", &end)};
  WEFT__TRY_RETURN(mark(&r->flags, r, WEFT_U8, false));
  WEFT__TRY_RETURN(weft__eval_at(WEFT_OPERAND(&r->counts), s->context, "b - a", 2, parts, s->site));
  return r->totals ? WEFT_OK
                   : weft__eval_at(WEFT_OPERAND(&r->ends), s->context, "max(b, 1) - 1", 1, &parts[1], s->site);
}

/// As combine.
static weft_status total(weft_array **out, const segments_run *r, const weft_array *values, weft_scan_op op,
                         bool adds_wide) {
  const weft__segments *s = r->s;
  const weft_dtype in = values->dtype;
  const bool adds_up = op == WEFT_SCAN_SUM || op == WEFT_SCAN_PROD;
  weft__scan scan = {.op = op, .in = in, .out = adds_up ? weft__reduction_dtype(WEFT_REDUCE_SUM, in) : in};
  weft_array *wide = NULL;
  weft_status rc;
  if (adds_wide && !weft__is_whole(in)) scan.out = wide_of(r, in);
  if (weft__is_narrow(in) || weft_dtype_kind(in) == 'c') scan.in = scan.out;
  if (scan.in != in || !weft__is_contiguous(values)) {
    WEFT__TRY(weft__cast(&wide, values, scan.in, s->site));
    values = wide;
  }
  WEFT__TRY(weft__array_create(out, s->context, scan.out, WEFT_SHAPE(s->offsets->size - 1), s->site));
  rc = weft__scan_totals(&scan, *out, values, s->offsets, s->site);
done:
  weft_array_release(&wide);
  return rc;
}

/// Combines the values of each segment: *out, a row for each segment.
static weft_status combine(weft_array **out, const segments_run *r, const weft_array *values, weft_scan_op op,
                           bool adds_wide) {
  const weft__segments *s = r->s;
  weft_status rc;
  weft_array *scanned = NULL;
  if (r->totals) return total(out, r, values, op, adds_wide);
  weft_array flags = weft__array_part(r->flags, 0, 0, values->shape[0]);
  flags = spread(&flags, values->ndim);
  flags = weft__array_broadcast(&flags, weft__array_shape(values));
  const bool wide = adds_wide && !weft__is_whole(values->dtype);
  const weft_scan_params params = {.op = op,
                                   .flags = &flags,
                                   .deterministic = wide,
                                   .dtype = wide ? wide_of(r, values->dtype) : WEFT_DTYPE_NONE,
                                   .site = s->site};
  WEFT__TRY(weft__scan_at(WEFT_OPERAND(&scanned), WEFT_OPERAND(values), WEFT__AXES(0), &params));
  rc = weft__take_at(WEFT_OPERAND(out), WEFT_OPERAND(scanned), WEFT_OPERAND(r->ends), WEFT__AXES(0),
                     &(const weft_index_params){.mode = WEFT_INDEX_CLIP, .site = s->site});
done:
  weft_array_release(&scanned);
  return rc;
}

/// The values that are combined; *made is to be released.
static weft_status make_values(const weft_array **values, weft_array **made, const segments_run *r) {
  const bool fills = weft__skips_nan(r->s->op) && !weft__is_whole(r->x->dtype);
  char text[40];
  *values = r->x;
  if (!r->how->values && !fills) return WEFT_OK;
  snprintf(text, sizeof text, "x if x == x else %g", weft__reduction_neutral(r->s->op));
  const weft_operand variable[] = {WEFT_NAMED("x", r->x)};
  WEFT__TRY_RETURN(weft__eval_elements_at(WEFT_OPERAND(made), r->s->context, fills ? text : r->how->values, 1, variable,
                                          r->s->site));
  *values = *made;
  return WEFT_OK;
}

/// Counts the elements that are not NaN.
static weft_status count_numbers(segments_run *r) {
  weft_status rc;
  weft_array *is_number = NULL;
  if (!r->skips || weft__is_whole(r->x->dtype)) return WEFT_OK;
  const weft_operand variable[] = {WEFT_NAMED("x", r->x)};
  WEFT__TRY(weft__eval_at(WEFT_OPERAND(&is_number), r->s->context, "x == x", 1, variable, r->s->site));
  WEFT__TRY(combine(&r->numbers, r, is_number, WEFT_SCAN_SUM, false));
  const weft_array all = spread(r->counts, r->x->ndim);
  const weft_operand parts[] = {WEFT_NAMED("k", r->numbers), WEFT_NAMED("all", &all)};
  rc = weft__eval_at(WEFT_OPERAND(&r->numbers), r->s->context, "k if all > 0 else 0", 2, parts, r->s->site);
done:
  weft_array_release(&is_number);
  return rc;
}

/// Elements of each segment, with the number of axes of the rows.
static weft_array counted(const segments_run *r) {
  return r->numbers ? weft__array_borrow(r->numbers) : spread(r->counts, r->x->ndim);
}

/* ---- results ---- */

/// Makes the squared distances of the elements from the mean of their segment.
static weft_status square_distances(weft_array **squares, const segments_run *r, const weft_array *sums) {
  const weft__segments *s = r->s;
  weft_status rc;
  weft_array *marks = NULL, *places = NULL, *mean = NULL, *means = NULL;
  const bool is_complex = weft_dtype_kind(r->x->dtype) == 'c';
  const weft_array count = counted(r);
  char text[160];
  WEFT__TRY(mark(&marks, r, WEFT_I64, true));
  const weft_array each = weft__array_part(marks, 0, 0, r->x->shape[0]);
  WEFT__TRY(weft__cumulate_at(WEFT_SCAN_SUM, WEFT_OPERAND(&places), WEFT_OPERAND(&each), WEFT__AXES(0),
                              &(const weft_scan_params){.site = s->site}));
  const weft_operand place[] = {WEFT_NAMED("x", places)};
  WEFT__TRY(weft__eval_at(WEFT_OPERAND(&places), s->context, "max(x, 1) - 1", 1, place, s->site));
  const weft_operand parts[] = {WEFT_NAMED("y", sums), WEFT_NAMED("k", &count)};
  snprintf(text, sizeof text, "y / %s(max(k, 1))", has_fp64(r) ? "f64" : "f32");
  WEFT__TRY(weft__eval_at(WEFT_OPERAND(&mean), s->context, text, 2, parts, s->site));
  WEFT__TRY(weft__take_at(WEFT_OPERAND(&means), WEFT_OPERAND(mean), WEFT_OPERAND(places), WEFT__AXES(0),
                          &(const weft_index_params){.mode = WEFT_INDEX_CLIP, .site = s->site}));
  const weft_operand pair[] = {WEFT_NAMED("x", r->x), WEFT_NAMED("m", means)};
  snprintf(text, sizeof text, "d = %s(x) - m; q = %s; %s", weft_dtype_name(wide_of(r, r->x->dtype)),
           is_complex ? "real(d) * real(d) + imag(d) * imag(d)" : "d * d", r->skips ? "q if x == x else 0" : "q");
  rc = weft__eval_at(WEFT_OPERAND(squares), s->context, text, 2, pair, s->site);
done:
  weft_array_release(&marks);
  weft_array_release(&places);
  weft_array_release(&mean);
  weft_array_release(&means);
  return rc;
}

/// Writes the result from the combined values.
static weft_status finish(weft_operand out, const segments_run *r, const weft_array *combined) {
  const weft__segments *s = r->s;
  const weft_dtype dtype = weft__reduction_dtype(s->op, r->x->dtype);
  const weft_array elements = counted(r);
  const bool whole = weft__is_whole(dtype);
  char text[200];
  /* the counts take part as floats where they divide */
  const bool divides = r->adds_wide && !whole;
  snprintf(text, sizeof text, "k = %s(c); %s(%s)", divides ? has_fp64(r) ? "f64" : "f32" : "i64",
           weft_dtype_name(dtype), r->how->result);
  weft_operand parts[4] = {WEFT_NAMED("y", combined), WEFT_NAMED("c", &elements)};
  int count = 2;
  const weft_scalar none = whole                           ? WEFT_SCALAR((int64_t)0)
                           : weft_dtype_kind(dtype) == 'c' ? WEFT_SCALAR(((weft_c128){(double)NAN, (double)NAN}))
                                                           : WEFT_SCALAR((double)NAN);
  if (has_none(r->how)) parts[count++] = WEFT_NAMED("none", none);
  if (weft__is_variance(s->op)) parts[count++] = WEFT_NAMED("ddof", floor(s->ddof));
  return weft__eval_at(out, s->context, text, count, parts, s->site);
}

static weft_status reduce(weft_operand out, segments_run *r) {
  const weft__segments *s = r->s;
  weft_status rc;
  weft_array *made = NULL, *first = NULL, *second = NULL, *squares = NULL;
  const weft_array *values;
  WEFT__TRY(find_segments(r));
  WEFT__TRY(make_values(&values, &made, r));
  WEFT__TRY(count_numbers(r));
  WEFT__TRY(combine(&first, r, values, r->how->op, r->adds_wide));
  if (s->op == WEFT_REDUCE_PTP) {
    WEFT__TRY(combine(&second, r, values, WEFT_SCAN_MIN, false));
    const weft_operand pair[] = {WEFT_NAMED("a", first), WEFT_NAMED("b", second)};
    WEFT__TRY(weft__eval_at(WEFT_OPERAND(&first), s->context, "a - b", 2, pair, s->site));
  }
  if (weft__is_variance(s->op)) {
    WEFT__TRY(square_distances(&squares, r, first));
    weft_array_release(&first);
    WEFT__TRY(combine(&first, r, squares, WEFT_SCAN_SUM, true));
  }
  rc = finish(out, r, first);
done:
  weft_array_release(&made);
  weft_array_release(&first);
  weft_array_release(&second);
  weft_array_release(&squares);
  return rc;
}

/// The result if there are no rows, or no segments.
static weft_status reduce_nothing(weft_operand out, const segments_run *r) {
  weft_status rc;
  weft_array *zeros = NULL;
  segments_run none = *r;
  weft_shape shape = weft__array_shape(r->x);
  shape.dim[0] = r->s->offsets->size - 1;
  none.numbers = none.counts = NULL;
  WEFT__TRY(weft__array_create(&zeros, r->s->context, weft__reduction_dtype(r->s->op, r->x->dtype), shape, r->s->site));
  WEFT__TRY(weft__fill(zeros, WEFT_SCALAR(0), r->s->site));
  WEFT__TRY(weft__array_create(&none.counts, r->s->context, WEFT_I64, WEFT_SHAPE(shape.dim[0]), r->s->site));
  WEFT__TRY(weft__fill(none.counts, WEFT_SCALAR(0), r->s->site));
  rc = finish(out, &none, zeros);
done:
  weft_array_release(&none.counts);
  weft_array_release(&zeros);
  return rc;
}

weft_status weft__segments_run(weft_operand out, const weft__segments *s) {
  segments_run r = {.s = s, .x = s->x};
  weft_status rc;
  WEFT__TRY(weft__segments_check(s->op, s->ddof, s->x->dtype));
  r.how = weft__reduction_row(s->op);
  r.adds_wide = r.how->op == WEFT_SCAN_SUM || r.how->op == WEFT_SCAN_PROD;
  r.skips = weft__skips_nan(s->op) && has_none(r.how);
  r.totals = s->context->store.is_cpu && s->x->ndim == 1 && weft__is_contiguous(s->offsets);
  if (s->order && s->x->shape[0] > 0) {
    WEFT__TRY(weft__take_at(WEFT_OPERAND(&r.moved), WEFT_OPERAND(s->x), WEFT_OPERAND(s->order), WEFT__AXES(0),
                            &(const weft_index_params){.site = s->site}));
    r.x = r.moved;
  }
  rc = r.x->size == 0 || s->offsets->size == 1 ? reduce_nothing(out, &r) : reduce(out, &r);
done:
  weft_array_release(&r.moved);
  weft_array_release(&r.flags);
  weft_array_release(&r.ends);
  weft_array_release(&r.counts);
  weft_array_release(&r.numbers);
  return rc;
}
