// SPDX-License-Identifier: MIT
/// Eigenvalues and singular values by Jacobi rotations of rows: cl/linalg/jacobi.cl.
///
/// Singular values: the rows of w = adjoint(a) (of a itself if it is wide) are rotated, w = R w', until they are
/// orthogonal. Their lengths are then the singular values, the rows made 1 long one side's singular vectors, and the
/// product of all rotations the other side's.
///
/// Eigenvalues: so are the rows of w = adjoint(l), where l adjoint(l) = a plus a shift (Veselic and Hari 1989). The
/// rows made 1 long are the adjoint eigenvectors; their Rayleigh quotients are the eigenvalues.
#include "op/linalg/jacobi.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <weft/eval.h>

#include "dtype/dtype.h"
#include "map/cast.h"
#include "op/linalg/blocked.h"
#include "op/linalg/tuning.h"
#include "store/store.h"

#define WARP 32
#define PLACES 5       /* of a group, for what it publishes: rounds, and two numbers of each of two sweeps */
#define LEAST_MARGIN (1 + 1e-6) /* a limit computed in f32 may be as much larger */

/// The arrays of one call: w [batch, p, q]; its rotations [batch, p, p], or NULL.
typedef struct jacobi {
  weft_array *w, *rotations, *scales, *lengths, *changes;
  const char *site;
} jacobi;

static void release(jacobi *f) {
  weft_array_release(&f->w);
  weft_array_release(&f->rotations);
  weft_array_release(&f->scales);
  weft_array_release(&f->lengths);
  weft_array_release(&f->changes);
}

static weft__block_launch launch_of(const jacobi *f, weft__block_kernel kernel, int64_t chunks, uint32_t flags) {
  return (weft__block_launch){.kernel = kernel,
                              .dtype = f->w->dtype,
                              .chunks = (uint64_t)chunks,
                              .args = {.m = (uint64_t)f->w->shape[1],
                                       .n = (uint64_t)f->w->shape[2],
                                       .batches = (uint64_t)f->w->shape[0],
                                       .x = weft__block_matrix_of(f->w),
                                       .flags = flags},
                              .arrays = 3,
                              .what = "jacobi",
                              .site = f->site};
}

/// Makes w from x, which may be a transposed view.
static weft_status prepare(jacobi *f, const weft_array *x, bool wants_rotations, uint32_t flags) {
  weft_context *context = x->context;
  const int64_t batches = x->shape[0], p = x->shape[1];
  const weft_dtype real = weft__real_dtype(x->dtype);
  WEFT__TRY_RETURN(weft__array_create(&f->w, context, x->dtype, weft__array_shape(x), f->site));
  WEFT__TRY_RETURN(weft__array_create(&f->scales, context, real, WEFT_SHAPE(batches), f->site));
  WEFT__TRY_RETURN(weft__array_create(&f->lengths, context, real, WEFT_SHAPE(batches, p), f->site));
  WEFT__TRY_RETURN(weft__array_create(&f->changes, context, WEFT_I32, WEFT_SHAPE(batches), f->site));
  if (wants_rotations) {
    WEFT__TRY_RETURN(weft__array_create(&f->rotations, context, x->dtype, WEFT_SHAPE(batches, p, p), f->site));
    WEFT__TRY_RETURN(weft__identity(f->rotations, f->site));
  }
  weft__block_launch run = launch_of(f, WEFT__BLOCK_JACOBI_PREPARE, 1, flags);
  run.args.x = weft__block_matrix_of(x);
  run.args.y = weft__block_matrix_of(f->w);
  run.args.z.offset = f->scales->offset_bytes;
  run.array[0] = x, run.array[1] = f->w, run.array[2] = f->scales;
  run.writes[1] = run.writes[2] = true;
  return weft__block_run(&run);
}

/// *found: whether `changes` of a matrix is not 0. Waits.
static weft_status find_changes(bool *found, const jacobi *f) {
  const int64_t batches = f->w->shape[0];
  weft_status rc;
  int32_t *changes = weft__new((size_t)batches * sizeof *changes);
  WEFT__TRY(changes ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(weft__array_read(changes, f->changes, true, f->site));
  *found = false;
  for (int64_t b = 0; b < batches; b++)
    if (changes[b]) *found = true;
done:
  free(changes);
  return rc;
}

/// The Cholesky factors of the matrices of w plus a shift, a large one where `changes` is not 0, which is 0 then where
/// there is a factor.
static weft_status factor_shifted(const jacobi *f, const weft_array *square) {
  weft__block_launch run = launch_of(f, WEFT__BLOCK_JACOBI_SHIFT, 1, 0);
  run.args.y = weft__block_matrix_of(square);
  run.args.z.offset = f->changes->offset_bytes;
  run.array[0] = f->w, run.array[1] = square, run.array[2] = f->changes;
  run.writes[0] = true;
  WEFT__TRY_RETURN(weft__block_run(&run));
  return weft__blocked_potrf(f->w, f->changes, f->site);
}

/// Replaces a Hermitian w by its shifted factor's adjoint; *hermitian: w before. A small shift is tried, which is
/// enough for a semidefinite w, then one as large as any eigenvalue. Waits.
static weft_status factor(weft_array **hermitian, jacobi *f) {
  weft_array *square = NULL;
  weft_status rc;
  bool is_indefinite;
  WEFT__TRY(weft__cast(hermitian, f->w, f->w->dtype, f->site));
  WEFT__TRY(weft__block_product(&square, f->w, f->w, f->site));
  WEFT__TRY(weft__fill(f->changes, WEFT_SCALAR(0), f->site));
  WEFT__TRY(factor_shifted(f, square));
  WEFT__TRY(find_changes(&is_indefinite, f));
  if (is_indefinite) {
    WEFT__TRY(weft__assign(f->w, *hermitian, f->site));
    WEFT__TRY(factor_shifted(f, square));
  }
  WEFT__TRY(weft__assign_transposed(square, f->w, true, f->site));
  weft_array *factored = f->w;
  f->w = square;
  square = factored;
done:
  weft_array_release(&square);
  return rc;
}

static weft__block_launch rows_launch(const jacobi *f, weft__block_kernel kernel, uint64_t chunks) {
  weft__block_launch run = launch_of(f, kernel, (int64_t)chunks, 0);
  run.args.z.offset = f->changes->offset_bytes;
  if (f->rotations) {
    run.args.y = weft__block_matrix_of(f->rotations);
    run.args.first = (uint64_t)f->w->shape[1];
  }
  run.array[0] = f->w, run.array[1] = f->rotations ? f->rotations : f->w, run.array[2] = f->changes;
  run.writes[0] = run.writes[1] = run.writes[2] = true;
  return run;
}

/// How rows meet. Blocks of `width` rows, pairs of which are rotated in registers; 1: single rows, where they are.
typedef struct tournament {
  uint64_t width, pairs; /* of blocks in a round */
  uint64_t groups;       /* for each matrix, in a launch of all sweeps; they wait for each other. 0: a launch a round */
} tournament;

static uint64_t width_of(const jacobi *f) {
  const weft_context *context = f->w->context;
  const uint64_t q = (uint64_t)f->w->shape[2], turned = f->rotations ? (uint64_t)f->w->shape[1] : 0;
  for (uint64_t width = weft__linalg_sizes_of(context)->rotated; width > 1; width /= 2) {
    const uint64_t threads = weft__block_rotating(context, width), team = threads / width;
    const uint64_t each_bytes =
        (weft__block_row_part(q, team) + weft__block_row_part(turned, team)) * weft_dtype_size_bytes(f->w->dtype);
    if (team >= WARP && weft__block_rows_fit(context, threads, each_bytes) &&
        (width <= WEFT__ROTATE_WIDTH_OF_LONG || each_bytes <= WEFT__ROTATE_SHORT_BYTES))
      return width;
  }
  return 1;
}

static tournament tournament_of(const jacobi *f) {
  const weft_context *context = f->w->context;
  const weft__device *device = context->core.device;
  const uint64_t p = (uint64_t)f->w->shape[1];
  const uint64_t units = device->info.compute_units / (uint64_t)f->w->shape[0];
  tournament t = {.width = width_of(f)};
  t.pairs = weft_ceil_div(p, 2 * t.width);
  if (t.width > 1 && device->has_ptx && weft__has_device_scope(&context->core))
    t.groups = units < t.pairs ? units : t.pairs;
  return t;
}

/// One round of rotations of rows.
static weft_status rotate(const jacobi *f, const tournament *t, uint32_t round) {
  weft__block_launch run =
      rows_launch(f, t->width > 1 ? WEFT__BLOCK_JACOBI_ROUNDS : WEFT__BLOCK_JACOBI_ROTATE, t->pairs);
  run.args.round = round;
  run.args.width = (uint32_t)t->width;
  if (t->width > 1) run.state = f->changes->storage; /* not used */
  return weft__block_run(&run);
}

/// All sweeps.
static weft_status rotate_all(const jacobi *f, const tournament *t) {
  const uint64_t tickets = t->groups * (uint64_t)f->w->shape[0];
  weft__block_launch run = rows_launch(f, WEFT__BLOCK_JACOBI_ROUNDS, t->groups);
  weft__lookback *exchange;
  weft__lookback_use use;
  WEFT__TRY_RETURN(weft__lookback_begin(&exchange, &use, &f->w->context->store, PLACES * tickets));
  run.args.flags = use.epoch << 2 | 1;
  run.args.ticket = use.first_ticket;
  run.args.width = (uint32_t)t->width;
  run.state = exchange->storage;
  const weft_status rc = weft__block_run(&run);
  weft__lookback_end(exchange, tickets, rc);
  return rc;
}

/// Rotates until no pair was far from orthogonal in a sweep. *goes_on: `changes` says whether one was in the last one.
/// Waits, except if a launch has all sweeps.
static weft_status rotate_until(bool *goes_on, const jacobi *f) {
  const tournament t = tournament_of(f);
  if (t.groups) return rotate_all(f, &t);
  for (int k = 0; *goes_on && k < WEFT__BLOCK_SWEEPS; k++) {
    WEFT__TRY_RETURN(weft__fill(f->changes, WEFT_SCALAR(0), f->site));
    for (uint32_t round = 0; round + 1 < 2 * t.pairs; round++) WEFT__TRY_RETURN(rotate(f, &t, round));
    WEFT__TRY_RETURN(find_changes(goes_on, f));
  }
  return WEFT_OK;
}

/// info: 1 where the rotations did not end, or where the matrix is not finite.
static weft_status set_info(const jacobi *f, weft_array *info, bool is_done) {
  const weft_operand variables[] = {WEFT_NAMED("scale", f->scales), WEFT_NAMED("change", f->changes)};
  return weft__eval_at(WEFT_OPERAND(&info), info->context, is_done ? "isnan(scale)" : "isnan(scale) | (change != 0)",
                       is_done ? 1 : 2, variables, f->site);
}

/// Rotates until nothing changes.
static weft_status iterate(const jacobi *f, weft_array *info) {
  bool goes_on = f->w->shape[1] > 1;
  if (goes_on) WEFT__TRY_RETURN(rotate_until(&goes_on, f));
  return set_info(f, info, !goes_on);
}

static weft_status find_lengths(const jacobi *f) {
  weft__block_launch run = launch_of(f, WEFT__BLOCK_JACOBI_LENGTHS, f->w->shape[1], 0);
  run.args.y.offset = f->lengths->offset_bytes;
  run.arrays = 2;
  run.array[0] = f->w, run.array[1] = f->lengths;
  run.writes[1] = true;
  return weft__block_run(&run);
}

/// Makes the rows of w 1 long and finds their Rayleigh quotients.
static weft_status find_quotients(const jacobi *f, const weft_array *a) {
  weft_array *product = NULL;
  weft_status rc;
  WEFT__TRY(weft__block_product(&product, f->w, a, f->site));
  weft__block_launch run = launch_of(f, WEFT__BLOCK_JACOBI_QUOTIENTS, f->w->shape[1], 0);
  run.args.y = weft__block_matrix_of(product);
  run.args.z.offset = f->lengths->offset_bytes;
  run.array[0] = f->w, run.array[1] = product, run.array[2] = f->lengths;
  run.writes[0] = run.writes[2] = true;
  rc = weft__block_run(&run);
done:
  weft_array_release(&product);
  return rc;
}

/// values: in order.
static weft_status take_values(const jacobi *f, weft_array *values, uint32_t flags) {
  weft__block_launch run = launch_of(f, WEFT__BLOCK_JACOBI_VALUES, 1, flags);
  run.args.x.offset = f->lengths->offset_bytes;
  run.args.y.offset = values->offset_bytes;
  run.args.z.offset = f->scales->offset_bytes;
  run.array[0] = f->lengths, run.array[1] = values, run.array[2] = f->scales;
  run.writes[1] = true;
  return weft__block_run(&run);
}

/// Makes *out: the rows of x, in the order of the values.
static weft_status take_rows(weft_array **out, const jacobi *f, const weft_array *x, uint32_t flags) {
  WEFT__TRY_RETURN(weft__array_create(out, x->context, x->dtype, weft__array_shape(x), f->site));
  weft__block_launch run = launch_of(f, WEFT__BLOCK_JACOBI_ORDER, x->shape[1], flags);
  run.args.n = (uint64_t)x->shape[2];
  run.args.x = weft__block_matrix_of(x);
  run.args.y = weft__block_matrix_of(*out);
  run.args.z.offset = f->lengths->offset_bytes;
  run.array[0] = x, run.array[1] = *out, run.array[2] = f->lengths;
  run.writes[1] = true;
  return weft__block_run(&run);
}

/* ---- eigenvalues ---- */

weft_status weft__jacobi_syevd(weft_array *w, weft_array *a, bool wants_vectors, weft_array *info, const char *site) {
  const uint32_t ascending = WEFT__BLOCK_HERMITIAN;
  jacobi f = {.site = site};
  weft_array *hermitian = NULL, *rows = NULL;
  weft_status rc;
  WEFT__TRY(prepare(&f, a, false, ascending));
  WEFT__TRY(factor(&hermitian, &f));
  WEFT__TRY(iterate(&f, info));
  WEFT__TRY(find_quotients(&f, hermitian));
  WEFT__TRY(take_values(&f, w, ascending));
  if (wants_vectors) {
    WEFT__TRY(take_rows(&rows, &f, f.w, ascending));
    WEFT__TRY(weft__assign_transposed(a, rows, true, site));
  }
done:
  weft_array_release(&hermitian);
  weft_array_release(&rows);
  release(&f);
  return rc;
}

/* ---- singular values ---- */

/// Makes *near [batch, q, k], the vectors of the rotated side, from `rows` [batch, p, q], whose last rows are 0 where
/// the values are 0. Q of the QR factorization of their adjoint has these columns up to their signs, and completes
/// them.
static weft_status complete(weft_array **near, const weft_array *rows, int64_t columns, const char *site) {
  const int64_t batches = rows->shape[0], p = rows->shape[1], q = rows->shape[2];
  weft_context *context = rows->context;
  weft_array *adjoint = NULL, *r = NULL;
  weft_status rc;
  WEFT__TRY(weft__array_create(&adjoint, context, rows->dtype, WEFT_SHAPE(batches, q, p), site));
  WEFT__TRY(weft__assign_transposed(adjoint, rows, true, site));
  WEFT__TRY(weft__array_create(&r, context, rows->dtype, WEFT_SHAPE(batches, columns, p), site));
  WEFT__TRY(weft__array_create(near, context, rows->dtype, WEFT_SHAPE(batches, q, columns), site));
  WEFT__TRY(weft__blocked_geqrf(*near, r, adjoint, site));
  const uint64_t chunks = weft__block_chunks(context, (uint64_t)batches, (uint64_t)(q * p), 1024);
  WEFT__TRY(weft__block_run(&(weft__block_launch){.kernel = WEFT__BLOCK_JACOBI_SIGN,
                                                  .dtype = rows->dtype,
                                                  .chunks = chunks,
                                                  .args = {.m = (uint64_t)q,
                                                           .n = (uint64_t)p,
                                                           .batches = (uint64_t)batches,
                                                           .x = weft__block_matrix_of(*near),
                                                           .y = weft__block_matrix_of(r)},
                                                  .arrays = 2,
                                                  .array = {*near, r},
                                                  .writes = {true, false},
                                                  .what = "jacobi",
                                                  .site = site}));
done:
  weft_array_release(&r);
  weft_array_release(&adjoint);
  return rc;
}

/// *are_short: a row of w is nothing but rounding errors of the longest row of its matrix, as weft_jacobi_order finds
/// it. Waits.
static weft_status find_short(bool *are_short, const jacobi *f) {
  const int64_t batches = f->w->shape[0], p = f->w->shape[1];
  const double epsilon = weft__real_dtype(f->w->dtype) == WEFT_F64 ? DBL_EPSILON : FLT_EPSILON;
  const double least = epsilon * sqrt((double)f->w->shape[2]) * LEAST_MARGIN;
  weft_array *lengths = NULL;
  double *length = weft__new((size_t)(batches * p) * sizeof *length);
  weft_status rc;
  WEFT__TRY(length ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(weft__cast(&lengths, f->lengths, WEFT_F64, f->site));
  WEFT__TRY(weft__array_read(length, lengths, true, f->site));
  *are_short = false;
  for (int64_t b = 0; b < batches; b++) {
    double largest = 0;
    for (int64_t i = 0; i < p; i++) largest = fmax(largest, length[b * p + i]);
    for (int64_t i = 0; i < p; i++)
      if (!(length[b * p + i] > least * largest)) *are_short = true;
  }
done:
  weft_array_release(&lengths);
  free(length);
  return rc;
}

weft_status weft__jacobi_gesdd(weft_array *u, weft_array *s, weft_array *vh, weft_array *a, weft_array *info,
                               const char *site) {
  const bool is_tall = a->shape[1] >= a->shape[2];
  jacobi f = {.site = site};
  weft_array *rows = NULL, *near = NULL, *far = NULL;
  weft_status rc;
  bool completes;
  const weft_array x = is_tall ? weft__array_transposed(a) : weft__array_borrow(a);
  WEFT__TRY(prepare(&f, &x, u != NULL, is_tall ? WEFT__BLOCK_CONJUGATE : 0));
  WEFT__TRY(iterate(&f, info));
  WEFT__TRY(find_lengths(&f));
  WEFT__TRY(take_values(&f, s, 0));
  if (u) {
    WEFT__TRY(take_rows(&rows, &f, f.w, WEFT__BLOCK_UNIT));
    WEFT__TRY(take_rows(&far, &f, f.rotations, 0));
    const int64_t columns = is_tall ? u->shape[2] : vh->shape[1];
    WEFT__TRY(find_short(&completes, &f));
    if (completes || columns > f.w->shape[1]) {
      WEFT__TRY(complete(&near, rows, columns, site));
      WEFT__TRY(is_tall ? weft__assign(u, near, site) : weft__assign_transposed(vh, near, true, site));
    } else {
      WEFT__TRY(is_tall ? weft__assign_transposed(u, rows, true, site) : weft__assign(vh, rows, site));
    }
    WEFT__TRY(is_tall ? weft__assign(vh, far, site) : weft__assign_transposed(u, far, true, site));
  }
done:
  weft_array_release(&far);
  weft_array_release(&near);
  weft_array_release(&rows);
  release(&f);
  return rc;
}
