// SPDX-License-Identifier: MIT
/// Shared by the files of `weft verify`: a run of calls on one device, and the table of calls.
#ifndef WEFT_CLI_VERIFY_H
#define WEFT_CLI_VERIFY_H

#include "cli/base/cli.h"

enum { VERIFY_MOST_RESULTS = 160 };

/// A result, as bytes in `bytes` of its run.
typedef struct verify_result {
  weft_dtype dtype;
  size_t offset, count;
} verify_result;

/// What the calls of one row made on one device. NaNs are replaced by one NaN: their bits may differ.
typedef struct verify_run {
  weft_context *context;
  uint64_t seed;
  weft__text bytes;
  verify_result result[VERIFY_MOST_RESULTS];
  int results;
  /* operands, made once for a context */
  weft_array *flat, *other, *wide, *complex, *narrow; /* f32, f32, f64, c64, f16; one axis */
  weft_array *near_one, *matrix, *wide_matrix, *square, *index;
} verify_run;

/// A function. The table is the one place for what reproducible contexts promise; docs/accuracy.md shows it.
typedef struct verify_row {
  const char *name;
  weft_status (*call)(verify_run *run); /* NULL: no promise */
  const char *bound;                    /* without a promise: what holds instead */
} verify_row;

/// Ends with a row without a name. Functions over elements (weft/ufuncs.h) are not in it: verify_ufunc calls them.
extern const verify_row verify_rows[];

/// NULL if the element-wise function `name` has the same bits everywhere, else what holds instead.
const char *verify_ufunc_bound(const char *name);
/// Calls an element-wise function with all its dtypes that are floats.
weft_status verify_ufunc(verify_run *run, weft_ufunc_id id);

weft_status verify_open(verify_run *run);
void verify_close(verify_run *run);
/// Takes a result: *y is released and set to NULL.
weft_status verify_keep(verify_run *run, weft_array **y);
/// An array of `count` numbers that depend on the seed and `salt`: of all magnitudes, with special values; or,
/// if `high` is greater than `low`, uniform from `low` to `high`.
weft_status verify_numbers(weft_array **x, const verify_run *run, weft_dtype dtype, int64_t count, int salt, double low,
                           double high);

#endif
