// SPDX-License-Identifier: MIT
#include "cli/base/ways_calls.h"

#include <string.h>

#include "base/error.h"

#define CALL(name, call)                                                                                \
  static weft_status run_##name(weft_array **out, const weft_array *x, const weft_array *y, int axis) { \
    (void)y, (void)axis;                                                                                \
    return call;                                                                                        \
  }
CALL(sort, weft_sort(out, x, axis))
CALL(argsort, weft_argsort(out, x, axis))
CALL(median, weft_median(out, x, axis))
CALL(topk, weft_topk(out, NULL, x, 8, axis))
CALL(partition, weft_partition_kth(out, x, WEFT_SHAPE(0), axis))
CALL(unique, weft_unique(out, x))
CALL(isin, weft_isin(out, x, y))
CALL(searchsorted, weft_searchsorted(out, x, y))
CALL(merge, weft_merge(out, x, y))
CALL(sum, weft_sum(out, x, axis))
CALL(std, weft_std(out, x, axis))
CALL(cumsum, weft_cumsum(out, x, axis))
CALL(matmul, weft_matmul(out, x, y))
CALL(solve, weft_solve(out, x, y))
CALL(inv, weft_inv(out, x))
CALL(qr, weft_qr(out, NULL, x))
CALL(eigh, weft_eigh(out, NULL, x))
CALL(fft, weft_fft(out, x, axis))
CALL(svd, weft_svd(NULL, out, NULL, x))
CALL(histogram, weft_histogram(out, x, 100))
CALL(nonzero, weft_nonzero(out, x))
CALL(take, weft_take(out, x, y, axis, .mode = WEFT_INDEX_WRAP))
CALL(softmax, weft_softmax(out, x, axis))
CALL(label, weft_label(out, x))
CALL(packbits, weft_packbits(out, x, axis))
CALL(roll, weft_roll(out, x, 5, axis))
CALL(uniform_filter, weft_uniform_filter(out, x, WEFT_SHAPE(5), WEFT_ALL_AXES))
CALL(median_filter, weft_median_filter(out, x, WEFT_SHAPE(5), WEFT_ALL_AXES))
CALL(zoom, weft_zoom(out, x, 2))
CALL(shift, weft_shift(out, x, 0.5, .order = WEFT_SPLINE_LINEAR))
CALL(rolling, weft_rolling(out, x, 100, axis, .op = WEFT_REDUCE_MAX))
CALL(stack, weft_stack(out, ((weft_array *[]){(weft_array *)x, (weft_array *)x}), 2, axis))

const ways_call ways_calls[WAYS_CALLS] = {
    {"sort", "sort", true, false, run_sort, WEFT_F32},
    {"argsort", "sort", true, false, run_argsort, WEFT_F32},
    {"median", "quantile sort", true, false, run_median, WEFT_F32},
    {"topk", "topk sort", true, false, run_topk, WEFT_F32},
    {"partition", "partition sort", true, false, run_partition, WEFT_F32},
    {"unique", "unique sort", false, false, run_unique, WEFT_F32},
    {"isin", "search sort", false, true, run_isin, WEFT_F32},
    {"searchsorted", "search", false, true, run_searchsorted, WEFT_F32},
    {"merge", "merge", false, true, run_merge, WEFT_F32},
    {"sum", "reduce", true, false, run_sum, WEFT_F32},
    {"std", "reduce", true, false, run_std, WEFT_F32},
    {"cumsum", "scan", true, false, run_cumsum, WEFT_F32},
    {"matmul", "matmul", false, true, run_matmul, WEFT_F32},
    {"solve", "getrf getrs trsm", false, true, run_solve, WEFT_F32},
    {"inv", "getrf getrs trsm", false, false, run_inv, WEFT_F32},
    {"qr", "geqrf", false, false, run_qr, WEFT_F32},
    {"eigh", "syevd", false, false, run_eigh, WEFT_F32},
    {"fft", "fft", true, false, run_fft, WEFT_F32},
    {"svd", "gesdd", false, false, run_svd, WEFT_F32},
    {"histogram", "histogram extent", false, false, run_histogram, WEFT_F32},
    {"nonzero", "select", false, false, run_nonzero, WEFT_F32},
    {"take", "take", true, true, run_take, WEFT_I64},
    {"softmax", "normalize", true, false, run_softmax, WEFT_F32},
    {"label", "label", false, false, run_label, WEFT_F32},
    {"packbits", "bits", true, false, run_packbits, WEFT_U8},
    {"roll", "arrange", true, false, run_roll, WEFT_F32},
    {"stack", "join", true, false, run_stack, WEFT_F32},
    {"uniform_filter", "passes pass", false, false, run_uniform_filter, WEFT_F32},
    {"median_filter", "footprint", false, false, run_median_filter, WEFT_F32},
    {"zoom", "spline transform", false, false, run_zoom, WEFT_F32},
    {"shift", "transform", false, false, run_shift, WEFT_F32},
    {"rolling", "rolling", true, false, run_rolling, WEFT_F32},
};

static weft_status make(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape, uint64_t seed) {
  weft_rng *rng = NULL;
  weft_array *wide = NULL;
  weft_status rc;
  const char kind = weft_dtype_kind(dtype);
  WEFT__TRY(weft_rng_create(&rng, .context = context, .seed = seed));
  WEFT__TRY(weft_uniform(&wide, rng, WEFT_F32, shape, 0, kind == 'b' ? 2 : kind == 'f' || kind == 'c' ? 1 : 100));
  rc = weft_cast(out, wide, dtype);
done:
  weft_array_release(&wide);
  weft_rng_release(&rng);
  return rc;
}

weft_status ways_open(ways_arrays *a, weft_context *context, const ways_case *of) {
  *a = (ways_arrays){.of = of, .context = context};
  WEFT__TRY_RETURN(make(&a->x, context, of->dtype, of->x, 1));
  return of->y.ndim ? make(&a->y, context, of->dtype, of->y, 2) : WEFT_OK;
}

void ways_close(ways_arrays *a) {
  weft_release(&a->x, &a->y);
}

weft_status ways_run(const ways_arrays *a) {
  weft_array *out = NULL;
  weft_status rc;
  WEFT__TRY(a->of->call->run(&out, a->x, a->y, a->of->axis));
  rc = weft_context_wait(a->context);
done:
  weft_array_release(&out);
  return rc;
}

weft_status ways_profile(weft_profile_row **rows, uint64_t *count, const ways_arrays *a) {
  weft_array *out = NULL;
  weft_status rc;
  WEFT__TRY(weft_profile_clear(a->context));
  WEFT__TRY(weft_profile_start(a->context));
  WEFT__TRY(a->of->call->run(&out, a->x, a->y, a->of->axis));
  WEFT__TRY(weft_profile_stop(a->context));
  rc = weft_profile_get(rows, count, NULL, a->context);
done:
  weft_array_release(&out);
  return rc;
}

bool ways_name(const char *operations, const weft__way_row *way) {
  const size_t length = strlen(way->operation);
  for (const char *at = operations; *at; at += strcspn(at, " "), at += strspn(at, " "))
    if (strcspn(at, " ") == length && strncmp(at, way->operation, length) == 0) return true;
  return false;
}

bool ways_has_run(const weft__way_row *way, const weft_profile_row *rows, uint64_t count) {
  const size_t length = strlen(way->operation);
  for (uint64_t k = 0; k < count; k++)
    if (strncmp(rows[k].way, way->operation, length) == 0 && rows[k].way[length] == ':' &&
        strcmp(rows[k].way + length + 1, way->name) == 0)
      return true;
  return false;
}

void ways_add_array(weft__text *text, weft_dtype dtype, weft_shape shape) {
  weft__text_add(text, "%s[", weft_dtype_name(dtype));
  for (int k = 0; k < shape.ndim; k++) weft__text_add(text, "%s%lld", k ? ", " : "", (long long)shape.dim[k]);
  weft__text_add(text, "]");
}
