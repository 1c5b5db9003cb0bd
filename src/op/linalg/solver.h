// SPDX-License-Identifier: MIT
/// Shared by the functions of weft/linalg.h: a call (call/call.h) over stacks of matrices, with results that may be
/// unwanted, work arrays, and the report of matrices that failed.
///
///     static const weft__solver_function function = {.name = "weft_cholesky", .result = {"l"}, .operand = {"a"}};
///     weft__solver s;
///     weft__solver_open(&s, &function, &l, &a, p.info, p.site);
///     WEFT__TRY(weft__solver_begin(&s, true));                     operands, dtype, stack, square matrices
///     WEFT__TRY(weft__solver_result(&l, &s, 0, s.dtype, 2, s.m, s.n));
///     WEFT__TRY(weft__solver_load(l, &s, 0, false));               operand 0, broadcast and cast
///     weft_array flat = weft__solver_flat(&s, l, 2);               [batch, m, n]
///     WEFT__TRY(weft__step_potrf(&flat, s.info, s.call.site));
///     rc = weft__solver_report(&s, WEFT__NOT_POSITIVE);
///   done:
///     return weft__solver_close(&s, rc);
#ifndef WEFT_OP_LINALG_SOLVER_H
#define WEFT_OP_LINALG_SOLVER_H

#include <weft/linalg.h>

#include "call/call.h"
#include "mem/pinned_memory.h"
#include "op/linalg/block.h"
#include "op/linalg/small.h"

enum { WEFT__SOLVER_RESULTS = 4, WEFT__SOLVER_OPERANDS = 3, WEFT__SOLVER_WORKS = 12 };

/// A public function. Results and operands are the named ones.
typedef struct weft__solver_function {
  const char *name;
  const char *result[WEFT__SOLVER_RESULTS + 1], *operand[WEFT__SOLVER_OPERANDS + 1]; /* NULL behind the last */
  int pivots; /* the operand that is pivots; 0: none is */
} weft__solver_function;

typedef struct weft__solver {
  weft__call call;
  weft_operand result[WEFT__SOLVER_RESULTS + 1]; /* the wanted results, without gaps, then info */
  const char *name[WEFT__SOLVER_RESULTS + 1];
  int at[WEFT__SOLVER_RESULTS]; /* the index of each result in `result`; -1: not wanted */
  int pivots;                   /* as given */
  int info_at;                  /* of .info; -1: the call reports failures */
  weft_dtype dtype, real;
  weft_shape stack;
  int64_t batch, m, n; /* matrices in the stack, and sides of operand 0 */
  weft_array *info;    /* i32 [batch] */
  weft_array *work[WEFT__SOLVER_WORKS];
  int works;
  weft__pinned_spare sent; /* of weft__solver_ask: where `info` comes to, and when it has come */
  weft__point arrival;
} weft__solver;

/// Enters the public function. Results that are NULL are not wanted; `info` is the caller's option. Cannot fail.
void weft__solver_open(weft__solver *s, const weft__solver_function *function, const weft_operand *results,
                       const weft_operand *operands, weft_array **info, const char *site);
/// Uploads and checks operands; finds dtype, stack, and the sides of operand 0. `is_square`: its matrices must be.
/// Errors: DTYPE, SHAPE, and weft__call_operands'.
weft_status weft__solver_begin(weft__solver *s, bool is_square);
/// weft__solver_begin for operands of any dtype: it does not set `dtype` and `real`.
weft_status weft__solver_matrices(weft__solver *s, bool is_square);
/// For a second operand, the right-hand side: broadcasts its stack with the first one's, and checks that it has `m`
/// rows. *columns: the right-hand sides; *is_vector: b has one axis, and so has each solution. Errors: SHAPE.
weft_status weft__solver_right(int64_t *columns, bool *is_vector, weft__solver *s, int k);
/// Makes `info`. Call it after the results.
weft_status weft__solver_info(weft__solver *s);
/// Releases what was made for the call, delivers results, and leaves the public function.
weft_status weft__solver_close(weft__solver *s, weft_status rc);

/// Multiplies each matrix of flat, [batch, m, n] in s->dtype, by *factor, a power of two of s->real in [batch, 1, 1],
/// which the call releases: 1, unless its largest element is so large or small that squares and inverses are not
/// representable. *factor: NULL without elements.
weft_status weft__solver_even(weft_array **factor, weft__solver *s, weft_array *flat);

bool weft__solver_wants(const weft__solver *s, int k);
/// A contiguous array for result k, of the stack's axes and `axes` (0 to 2) more, of lengths `rows` and `columns`. If
/// the result is not wanted, a work array. A given array is written only by weft__solver_close.
weft_status weft__solver_result(weft_array **out, weft__solver *s, int k, weft_dtype dtype, int axes, int64_t rows,
                                int64_t columns);
weft_status weft__solver_work(weft_array **out, weft__solver *s, weft_dtype dtype, int axes, int64_t rows,
                              int64_t columns);
/// Copies operand k, cast and broadcast, to `to`, whose matrices are its shape. `is_turned`: transposed.
weft_status weft__solver_load(weft_array *to, const weft__solver *s, int k, bool is_turned);
/// The matrices of operand k, for reading: the operand itself if nothing must be cast, broadcast or made contiguous,
/// else a copy.
weft_status weft__solver_read(const weft_array **out, weft__solver *s, int k);
/// x as [batch, its last `axes` axes]; with one axis as [batch, n, 1] for `axes` 1.
weft_array weft__solver_flat(const weft__solver *s, const weft_array *x, int axes);

typedef enum weft__solver_failure {
  WEFT__NOT_POSITIVE,
  WEFT__SINGULAR,
  WEFT__SINGULAR_DIAGONAL,
  WEFT__NOT_CONVERGED
} weft__solver_failure;
/// `info` is complete: the device sends it before it does what is enqueued later, for which weft__solver_report then
/// does not wait. Not needed.
weft_status weft__solver_ask(weft__solver *s);
/// The step of a replay that does the same.
extern const struct weft__host_function weft__host_solved;
/// Reports the first matrix that failed. Waits, except if the caller wanted `info`. Errors: SINGULAR, CONVERGENCE.
weft_status weft__solver_report(weft__solver *s, weft__solver_failure failure);

/// *a: the systems of operand 0, for weft__solver_gesv with the right-hand sides `b`: a copy, or the operand itself
/// where it is only read.
weft_status weft__solver_systems(weft_array **a, weft__solver *s, const weft_array *b);

/// LU of a, then A X = b in place, or with `inverts` b = inverse(A): arrays and info as for weft__step_getrf and
/// weft__step_getrs; a is overwritten.
weft_status weft__solver_gesv(weft__solver *s, weft_array *b, weft_array *a, bool inverts);

#endif
