// SPDX-License-Identifier: MIT
/// Inside libweft-mpi: the distributed array, and moving its rows.
#ifndef WEFT_DIST_ARRAY_H
#define WEFT_DIST_ARRAY_H

#include "dist/grid.h"

struct weft_dist_array {
  uint32_t magic;
  weft_dist *grid; /* retained */
  weft_shape shape;
  int axis; /* or WEFT_DIST_WHOLE */
  int64_t first, count;
  weft_array *local; /* contiguous */
};

/// Checks the handle and its grid.
weft_status weft__dist_check(const weft_dist_array *x, const char *name);
/// Checks also that the array is split along its first axis; `axes`: how many it must have, 0: any number.
weft_status weft__dist_check_rows(const weft_dist_array *x, const char *name, int axes);
/// Checks that `out` can take a new handle.
weft_status weft__dist_check_out(const void *out, const void *handle);
/// The axis from 0 on; with `allows_whole` also WEFT_DIST_WHOLE. Errors: WEFT_ERROR_AXIS.
weft_status weft__dist_check_axis(int *axis, weft_shape shape, bool allows_whole);
/// The only axis of `axes`, from 0 on. WEFT_ALL_AXES: WEFT_DIST_WHOLE.
weft_status weft__dist_one_axis(int *axis, weft_axes axes, weft_shape shape);

/// WEFT_ERROR_DTYPE of complex numbers.
weft_status weft__dist_check_real(const weft_dist_array *x);
/// The name of the function: "weft_dist_sum".
const char *weft__dist_reduction_function(weft_reduction_id id);

/// What this rank has of `shape` split along `axis`.
void weft__dist_part(int64_t *first, weft_shape *part, const weft_dist *grid, weft_shape shape, int axis);
/// Makes the handle around `local`, which it takes over, also if it fails.
weft_status weft__dist_wrap(weft_dist_array **out, weft_dist *grid, weft_shape shape, int axis, weft_array *local);
/// The end of a function whose ranks have met: all make the handle around *local, which is taken over, or none does.
/// `rc`: this rank's status so far.
weft_status weft__dist_finish(weft_dist_array **out, weft_dist *grid, const weft__dist_call *call, weft_shape shape,
                              int axis, weft_array **local, weft_status rc);
/// An array with new memory.
weft_status weft__dist_new_array(weft_dist_array **out, weft_dist *grid, weft_dtype dtype, weft_shape shape, int axis,
                                 const char *site);

/// The call of a function with an array.
weft__dist_call weft__dist_call_of(const char *function, const char *site, const weft_dist_array *x);

/// All of a generator's state, in one number: for the ranks' comparison.
int64_t weft__dist_rng_hash(const weft_rng_state *s);
/// Splits an array along another axis than its own: the core of weft_dist_resplit.
weft_status weft__dist_swap(weft_dist_array **out, const weft_dist_array *x, int axis, const char *site);

/* ---- moving ---- */

/// The bytes of an array for MPI: on a CPU device the array's memory itself, else a copy in host memory.
typedef struct weft__dist_bytes {
  weft_array *array;
  void *data; /* NULL: no bytes */
  void *copy; /* NULL: none is needed */
  bool writes, is_mapped;
} weft__dist_bytes;

/// Waits for the array's work. `x` is contiguous.
weft_status weft__dist_bytes_begin(weft__dist_bytes *bytes, const weft_dist *grid, weft_array *x, bool writes);
/// Gives the bytes back; what was written is in the array if `rc` is WEFT_OK. Returns `rc`, or its own failure.
weft_status weft__dist_bytes_end(weft__dist_bytes *bytes, weft_status rc);

/// One side of an exchange: bytes at[r] to at[r + 1] of a contiguous array go to rank r, or come from it. With `to_all`
/// all bytes from 0 to at[ranks] go to every rank. With `view` rank r gets or gives the elements of view[r], of any
/// strides (NULL: no bytes), for transports that take views: both sides have views of one shape. With `take`, on the
/// side that receives, nothing is copied into the array: the function gets the bytes that came, which are to be
/// `first` to `stop` - 1 of it, as elements of its dtype; for rings that hand them out.
typedef struct weft__dist_side {
  weft_array *array;
  const int64_t *at;
  bool to_all;
  weft_array *const *view;
  weft_status (*take)(void *taker, weft_array *came, int64_t first, int64_t stop);
  void *taker;
} weft__dist_side;
/// The ranks meet and exchange bytes. `rc`: this rank's status so far.
weft_status weft__dist_trade(weft_dist *grid, const weft__dist_call *call, const weft__dist_side *from,
                             const weft__dist_side *to, weft_status rc);

/// Rows of a contiguous array along its first axis move to other ranks: rank r has rows from[r] to from[r + 1] - 1 of
/// them all and gets rows to[r] to to[r + 1] - 1, in `*out`, which is made. Collective: `rc` is this rank's status so
/// far.
weft_status weft__dist_move(weft_array **out, weft_dist *grid, const weft__dist_call *call, const weft_array *rows,
                            const int64_t *from, const int64_t *to, weft_status rc);
/// weft__dist_move to the ranks' shares of n rows.
weft_status weft__dist_move_to_shares(weft_array **out, weft_dist *grid, const weft__dist_call *call,
                                      const weft_array *rows, const int64_t *from, weft_status rc);
/// An array of the ranks' rows, in their order; each has any number of them, with `axis` as its first one. `shape`: of
/// the whole array, with any length along `axis`.
weft_status weft__dist_join(weft_dist_array **out, weft_dist *grid, const weft__dist_call *call, const weft_array *rows,
                            weft_shape shape, int axis, weft_status rc);
/// All ranks' rows, in their order, on every rank.
weft_status weft__dist_collect(weft_array **out, weft_dist *grid, const weft__dist_call *call, const weft_array *rows,
                               weft_status rc);
/// The last row of the ranks before this one that have any: one row, or none. `rows`: this rank's share of n rows.
weft_status weft__dist_row_before(weft_array **before, weft_dist *grid, const weft__dist_call *call,
                                  const weft_array *rows, int64_t n, weft_status rc);
/// Bytes of a row along the first axis.
int64_t weft__dist_row_bytes(weft_dtype dtype, weft_shape shape);
/// ranks + 1 places: the first row of each rank's share of n rows.
int64_t *weft__dist_shares(const weft_dist *grid, int64_t n);

/// x with axis `from` at the place of axis `to`, contiguous: a view where the elements lie so, else a copy.
weft_status weft__dist_turn(weft_array **out, const weft_array *x, int from, int to, const char *site);

#endif
