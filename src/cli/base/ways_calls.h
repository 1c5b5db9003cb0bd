// SPDX-License-Identifier: MIT
/// Calls whose ways `weft ways` lists and `weft bench ways` times.
#ifndef WEFT_CLI_WAYS_CALLS_H
#define WEFT_CLI_WAYS_CALLS_H

#include <weft/profile.h>
#include <weft/trace.h>

#include "base/text.h"
#include "cli/base/options.h"

/// A call to look at: one result of x, along an axis or with a second array y.
typedef struct ways_call {
  const char *name;
  const char *operations; /* that it uses: "getrf getrs" */
  bool has_axis, has_other;
  weft_status (*run)(weft_array **out, const weft_array *x, const weft_array *y, int axis);
  weft_dtype dtype; /* of its arrays where the user gives none */
} ways_call;

enum { WAYS_CALLS = 32 };
extern const ways_call ways_calls[WAYS_CALLS];

/// A call of arrays of one dtype.
typedef struct ways_case {
  const ways_call *call;
  weft_dtype dtype;
  weft_shape x, y; /* y: without axes if the call has no second array */
  int axis;
} ways_case;

/// A case's random arrays. ways_close releases them, after a failure of ways_open too.
typedef struct ways_arrays {
  const ways_case *of;
  weft_context *context;
  weft_array *x, *y;
} ways_arrays;

weft_status ways_open(ways_arrays *arrays, weft_context *context, const ways_case *of);
void ways_close(ways_arrays *arrays);
/// Calls, and waits for the result.
weft_status ways_run(const ways_arrays *arrays);
/// As ways_run. Makes *rows, the steps of the call: weft_free.
weft_status ways_profile(weft_profile_row **rows, uint64_t *count, const ways_arrays *arrays);
/// Whether the words of a list have the way's operation.
bool ways_name(const char *operations, const weft__way_row *way);
/// Whether a step is the way's.
bool ways_has_run(const weft__way_row *way, const weft_profile_row *rows, uint64_t count);
/// Appends "f64[1000, 1000]".
void ways_add_array(weft__text *text, weft_dtype dtype, weft_shape shape);

#endif
