// SPDX-License-Identifier: MIT
/// Eigenvalues and singular values by Jacobi rotations of rows: cl/linalg/jacobi.cl.
///
/// Singular values: the rows of w = adjoint(a) (of a itself if it is wide) are rotated, w = R w', until they are
/// orthogonal. Their lengths are then the singular values, the rows made 1 long one side's singular vectors, and the
/// product of all rotations the other side's.
///
/// Eigenvalues: rows and columns of w = a are rotated until w is diagonal. The rows of the rotations' product are the
/// adjoint eigenvectors.
#include "op/linalg/jacobi.h"

#include <weft/ufuncs.h>

#include "dtype/dtype.h"
#include "op/linalg/blocked.h"
#include "store/store.h"

#define SWEEPS_MOST 40

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

/// Per matrix: its scale and size, and the rotations of a round.
static int64_t scale_length(int64_t p) {
  return 2 + 4 * ((p + 1) / 2);
}

static weft__block_matrix scales_of(const jacobi *f) {
  return (weft__block_matrix){.offset = f->scales->offset_bytes, .batch = f->scales->shape[1]};
}

/// Makes w from x, which may be a transposed view.
static weft_status prepare(jacobi *f, const weft_array *x, bool wants_rotations, uint32_t flags) {
  weft_context *context = x->context;
  const int64_t batches = x->shape[0], p = x->shape[1];
  const weft_dtype real = weft__real_dtype(x->dtype);
  WEFT__TRY_RETURN(weft__array_create(&f->w, context, x->dtype, weft__array_shape(x), f->site));
  WEFT__TRY_RETURN(weft__array_create(&f->scales, context, real, WEFT_SHAPE(batches, scale_length(p)), f->site));
  WEFT__TRY_RETURN(weft__array_create(&f->lengths, context, real, WEFT_SHAPE(batches, p), f->site));
  WEFT__TRY_RETURN(weft__array_create(&f->changes, context, WEFT_I32, WEFT_SHAPE(batches), f->site));
  if (wants_rotations) {
    WEFT__TRY_RETURN(weft__array_create(&f->rotations, context, x->dtype, WEFT_SHAPE(batches, p, p), f->site));
    WEFT__TRY_RETURN(weft__identity(f->rotations, f->site));
  }
  weft__block_launch run = launch_of(f, WEFT__BLOCK_JACOBI_PREPARE, 1, flags);
  run.args.x = weft__block_matrix_of(x);
  run.args.y = weft__block_matrix_of(f->w);
  run.args.z = scales_of(f);
  run.array[0] = x, run.array[1] = f->w, run.array[2] = f->scales;
  run.writes[1] = run.writes[2] = true;
  return weft__block_run(&run);
}

static weft__block_launch rows_launch(const jacobi *f, weft__block_kernel kernel, int64_t chunks) {
  const int64_t p = f->w->shape[1];
  weft__block_launch run = launch_of(f, kernel, chunks, 0);
  run.args.z.offset = f->changes->offset_bytes;
  if (f->rotations) {
    run.args.y = weft__block_matrix_of(f->rotations);
    run.args.first = (uint64_t)p;
  }
  run.array[0] = f->w, run.array[1] = f->rotations ? f->rotations : f->w, run.array[2] = f->changes;
  run.writes[0] = run.writes[1] = run.writes[2] = true;
  return run;
}

/// One round of rotations of rows.
static weft_status rotate_rows(const jacobi *f, uint32_t round) {
  weft__block_launch run = rows_launch(f, WEFT__BLOCK_JACOBI_ROTATE, (f->w->shape[1] + 1) / 2);
  run.args.round = round;
  return weft__block_run(&run);
}

/// The groups for each matrix of a launch of all rounds, which wait for each other; 0: a launch for each round. Each
/// has at most two pairs of a round; with more, a launch costs less than they do.
static uint64_t rounds_groups(const jacobi *f) {
  const weft_context *context = f->w->context;
  const weft__device *device = context->core.device;
  const uint64_t pairs = ((uint64_t)f->w->shape[1] + 1) / 2, batches = (uint64_t)f->w->shape[0];
  if (context->store.is_cpu || !device->has_ptx || !weft__has_device_scope(&context->core)) return 0;
  const uint64_t most = device->info.compute_units / batches;
  return 2 * most < pairs ? 0 : most < pairs ? most : pairs;
}

/// All rounds of rotations of rows.
static weft_status rotate_rounds(const jacobi *f, uint64_t groups) {
  const uint64_t tickets = groups * (uint64_t)f->w->shape[0];
  weft__block_launch run = rows_launch(f, WEFT__BLOCK_JACOBI_ROUNDS, (int64_t)groups);
  weft__lookback *exchange;
  weft__lookback_use use;
  WEFT__TRY_RETURN(weft__lookback_begin(&exchange, &use, &f->w->context->store, tickets));
  run.args.flags = use.epoch << 2 | 1;
  run.args.round = use.first_ticket;
  run.state = exchange->storage;
  const weft_status rc = weft__block_run(&run);
  weft__lookback_end(exchange, rc ? 0 : tickets);
  return rc;
}

/// One round of rotations of rows and columns.
static weft_status rotate_both(const jacobi *f, uint32_t round) {
  const int64_t p = f->w->shape[1], pairs = (p + 1) / 2;
  const uint64_t threads = weft__block_threads(f->w->context, WEFT__BLOCK_JACOBI_ANGLES);
  weft__block_launch run =
      launch_of(f, WEFT__BLOCK_JACOBI_ANGLES, (int64_t)weft_ceil_div((uint64_t)pairs, threads > 1 ? threads : 64), 0);
  run.args.round = round;
  run.args.y.offset = f->changes->offset_bytes;
  run.args.z = scales_of(f);
  run.array[0] = f->w, run.array[1] = f->changes, run.array[2] = f->scales;
  run.writes[1] = run.writes[2] = true;
  WEFT__TRY_RETURN(weft__block_run(&run));
  run.kernel = WEFT__BLOCK_JACOBI_ROWS;
  run.chunks = (uint64_t)pairs;
  run.args.y = weft__block_matrix_of(f->rotations);
  run.array[1] = f->rotations;
  run.writes[0] = true, run.writes[2] = false;
  WEFT__TRY_RETURN(weft__block_run(&run));
  run.kernel = WEFT__BLOCK_JACOBI_COLUMNS;
  run.chunks = (uint64_t)p;
  run.arrays = 2;
  run.array[1] = f->scales;
  run.writes[1] = false;
  return weft__block_run(&run);
}

/// One sweep. *is_done: no pair was rotated. Waits.
static weft_status sweep(bool *is_done, const jacobi *f, bool is_hermitian) {
  const int64_t p = f->w->shape[1], rounds = p + (p & 1) - 1, batches = f->w->shape[0];
  weft_status rc;
  int32_t *changes = weft__new((size_t)batches * sizeof *changes);
  WEFT__TRY(changes ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(weft__fill(f->changes, WEFT_SCALAR(0), f->site));
  const uint64_t groups = is_hermitian ? 0 : rounds_groups(f);
  if (groups) WEFT__TRY(rotate_rounds(f, groups));
  for (uint32_t round = 0; !groups && round < rounds; round++)
    WEFT__TRY(is_hermitian ? rotate_both(f, round) : rotate_rows(f, round));
  WEFT__TRY(weft__array_read(changes, f->changes, true, f->site));
  *is_done = true;
  for (int64_t b = 0; b < batches; b++)
    if (changes[b]) *is_done = false;
done:
  free(changes);
  return rc;
}

/// info: 1 where the rotations did not end, or where the matrix is not finite.
static weft_status set_info(const jacobi *f, weft_array *info, bool is_done) {
  weft_array flat = weft__array_part(f->scales, 1, 0, 1), *is_nan = NULL;
  weft_status rc;
  flat.ndim = 1;
  if (is_done) WEFT__TRY(weft__fill(f->changes, WEFT_SCALAR(0), f->site));
  const weft_operand nan[] = {WEFT_OPERAND(&is_nan), WEFT_OPERAND(&flat)};
  WEFT__TRY(weft__ufunc_apply_at(WEFT_UFUNC_ISNAN, 2, nan, f->site));
  const weft_operand either[] = {WEFT_OPERAND(&info), WEFT_OPERAND(f->changes), WEFT_OPERAND(is_nan)};
  WEFT__TRY(weft__ufunc_apply_at(WEFT_UFUNC_MAXIMUM, 3, either, f->site));
done:
  weft_array_release(&is_nan);
  return rc;
}

/// Rotates until nothing changes, then finds the rows' lengths, or the diagonal.
static weft_status iterate(const jacobi *f, weft_array *info, bool is_hermitian) {
  bool is_done = f->w->shape[1] < 2;
  for (int k = 0; !is_done && k < SWEEPS_MOST; k++) WEFT__TRY_RETURN(sweep(&is_done, f, is_hermitian));
  weft__block_launch run = launch_of(f, is_hermitian ? WEFT__BLOCK_JACOBI_DIAGONAL : WEFT__BLOCK_JACOBI_LENGTHS,
                                     is_hermitian ? 1 : f->w->shape[1], 0);
  run.args.y.offset = f->lengths->offset_bytes;
  run.arrays = 2;
  run.array[0] = f->w, run.array[1] = f->lengths;
  run.writes[1] = true;
  WEFT__TRY_RETURN(weft__block_run(&run));
  return set_info(f, info, is_done);
}

/// values: in order.
static weft_status take_values(const jacobi *f, weft_array *values, uint32_t flags) {
  weft__block_launch run = launch_of(f, WEFT__BLOCK_JACOBI_VALUES, 1, flags);
  run.args.x.offset = f->lengths->offset_bytes;
  run.args.y.offset = values->offset_bytes;
  run.args.z = scales_of(f);
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
  weft_array *rows = NULL;
  weft_status rc;
  WEFT__TRY(prepare(&f, a, true, ascending));
  WEFT__TRY(iterate(&f, info, true));
  WEFT__TRY(take_values(&f, w, ascending));
  if (wants_vectors) {
    WEFT__TRY(take_rows(&rows, &f, f.rotations, ascending));
    WEFT__TRY(weft__assign_transposed(a, rows, true, site));
  }
done:
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

weft_status weft__jacobi_gesdd(weft_array *u, weft_array *s, weft_array *vh, weft_array *a, weft_array *info,
                               const char *site) {
  const bool is_tall = a->shape[1] >= a->shape[2];
  jacobi f = {.site = site};
  weft_array *rows = NULL, *near = NULL, *far = NULL;
  weft_status rc;
  const weft_array x = is_tall ? weft__block_transposed(a) : weft__array_borrow(a);
  WEFT__TRY(prepare(&f, &x, u != NULL, is_tall ? WEFT__BLOCK_CONJUGATE : 0));
  WEFT__TRY(iterate(&f, info, false));
  WEFT__TRY(take_values(&f, s, 0));
  if (u) {
    WEFT__TRY(take_rows(&rows, &f, f.w, WEFT__BLOCK_UNIT));
    WEFT__TRY(take_rows(&far, &f, f.rotations, 0));
    WEFT__TRY(complete(&near, rows, is_tall ? u->shape[2] : vh->shape[1], site));
    WEFT__TRY(is_tall ? weft__assign(u, near, site) : weft__assign_transposed(vh, near, true, site));
    WEFT__TRY(is_tall ? weft__assign(vh, far, site) : weft__assign_transposed(u, far, true, site));
  }
done:
  weft_array_release(&far);
  weft_array_release(&near);
  weft_array_release(&rows);
  release(&f);
  return rc;
}
