// SPDX-License-Identifier: MIT
/// A whole distributed array as text: rank 0 gets the elements that are shown, no more.
#include "dist/dist_array.h"

/// Rows of a rank's part along one axis: of the whole axis' rows `first` to `stop` - 1 what the part has.
static weft_status rows_between(weft_array **out, const weft_array *x, int axis, int64_t part_first, int64_t first,
                                int64_t stop, const char *site) {
  const int64_t count = weft_array_length(x, axis);
  const int64_t from = first < part_first ? part_first : first;
  const int64_t to = stop > part_first + count ? part_first + count : stop;
  return weft__slice_at(out, x, weft__axes_int(axis), from < to ? from - part_first : 0,
                        from < to ? to - part_first : 0, &(weft_slice_params){.site = site});
}

/// What a summary shows of one axis: `edge` elements at each end. One more, which is not shown, keeps the axis long
/// enough for a summary.
static weft_status shorten(weft_array **x, const weft_dist_array *whole, int axis, int64_t edge, const char *site) {
  const int64_t n = whole->shape.dim[axis], part_first = axis == whole->axis ? whole->first : 0;
  weft_array *ends[2] = {NULL}, *joined = NULL;
  weft_status rc;
  if (n <= 2 * edge + 1) return WEFT_OK;
  WEFT__TRY(rows_between(&ends[0], *x, axis, part_first, 0, edge + 1, site));
  WEFT__TRY(rows_between(&ends[1], *x, axis, part_first, n - edge, n, site));
  WEFT__TRY(weft__concatenate_at(weft__operand_result(&joined), ends, 2, weft__axes_int(axis), site));
  weft_array_release(x);
  *x = joined;
  joined = NULL;
done:
  weft_release(&ends[0], &ends[1], &joined);
  return rc;
}

/// The array as rank 0 prints it. *options: with a threshold that fits.
static weft_status shown_part(weft_array **out, const weft_dist_array *x, weft_print_params *options) {
  const int64_t threshold = options->threshold ? options->threshold : 1000;
  const int64_t edge = options->edge_items > 0 ? options->edge_items : 3;
  weft_array *local = weft_array_retain(x->local);
  weft_dist_array *joined = NULL;
  int64_t size = 1;
  weft_status rc = WEFT_OK;
  for (int d = 0; d < x->shape.ndim; d++) size *= x->shape.dim[d];
  if (threshold < 0 || size <= threshold) {
    WEFT__TRY(weft__dist_gather_at(out, x, 0, options->site));
  } else {
    for (int d = 0; d < x->shape.ndim && !rc; d++) rc = shorten(&local, x, d, edge, options->site);
    weft__dist_call call = weft__dist_call_of("weft_dist_array_print", options->site, x);
    WEFT__TRY(weft__dist_rendezvous(x->grid, &call, rc));
    if (x->axis == WEFT_DIST_WHOLE) {
      *out = weft_array_retain(local);
    } else {
      WEFT__TRY(weft__dist_from_local_at(&joined, x->grid, local, x->axis, options->site));
      WEFT__TRY(weft__dist_gather_at(out, joined, 0, options->site));
    }
    options->threshold = 1;
  }
done:
  weft_array_release(&local);
  weft_dist_array_release(&joined);
  return rc;
}

static weft_status check(const weft_dist_array *x, const weft_print_params *options) {
  WEFT__TRY_RETURN(weft__dist_check(x, "x"));
  if (options->edge_items < 0 || options->threshold < -1 || options->line_width < 0 || options->precision < -1)
    return weft__dist_fail(WEFT_ERROR_ARGUMENT, "params",
                           "an option is negative: .precision %d, .threshold %lld, .edge_items %d, .line_width %d",
                           options->precision, (long long)options->threshold, options->edge_items, options->line_width);
  return WEFT_OK;
}

weft_status weft__dist_array_to_text_at(char **text, const weft_dist_array *x, const weft_print_params *params) {
  weft_print_params options = params ? *params : (weft_print_params){0};
  weft_array *shown = NULL;
  weft_status rc;
  weft__dist_enter("weft_dist_array_to_text", options.site);
  if (!text || *text)
    WEFT__TRY(weft__dist_fail(WEFT_ERROR_ARGUMENT, "text", "`text` is %s; expected the address of a NULL pointer",
                              text ? "the address of a pointer that is not NULL" : "NULL"));
  WEFT__TRY(check(x, &options));
  rc = shown_part(&shown, x, &options);
  if (!rc && x->grid->rank == 0) rc = weft__array_to_text_at(text, WEFT_OPERAND(shown), &options);
  const weft__dist_call call = weft__dist_call_of("weft_dist_array_to_text", options.site, x);
  const weft_status met = weft__dist_rendezvous(x->grid, &call, rc);
  if (met && !rc && x->grid->rank == 0) {
    weft_free(*text);
    *text = NULL;
  }
  rc = met;
done:
  weft_array_release(&shown);
  return weft__dist_leave(rc);
}

weft_status weft__dist_array_print_at(FILE *stream, const weft_dist_array *x, const weft_print_params *params) {
  weft_print_params options = params ? *params : (weft_print_params){0};
  weft_array *shown = NULL;
  weft_status rc;
  weft__dist_enter("weft_dist_array_print", options.site);
  WEFT__TRY(check(x, &options));
  rc = shown_part(&shown, x, &options);
  if (!rc && x->grid->rank == 0) rc = weft__array_print_at(stream, WEFT_OPERAND(shown), &options);
  const weft__dist_call call = weft__dist_call_of("weft_dist_array_print", options.site, x);
  rc = weft__dist_rendezvous(x->grid, &call, rc);
done:
  weft_array_release(&shown);
  return weft__dist_leave(rc);
}
