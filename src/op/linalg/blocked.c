// SPDX-License-Identifier: MIT
/// Cholesky, LU and triangular solves in blocks. Cholesky and the solves halve the matrix until a half fits a kernel,
/// so that most of the work is in few large products. LU goes from left to right in panels, which it halves in the same
/// way (Toledo 1997).
#include "op/linalg/blocked.h"

#include "map/cast.h"
#include "op/linalg/tuning.h"
#include "store/store.h"

/* ---- triangular solves ---- */

/// op(T) X = B, where t has its axes exchanged already if op transposes.
typedef struct solve {
  int64_t side;
  bool is_upper, is_unit, conjugates;
  const char *site;
} solve;

static uint32_t flags_of(const solve *s) {
  return (s->is_upper ? WEFT__BLOCK_REVERSE : 0) | (s->is_unit ? WEFT__BLOCK_UNIT : 0) |
         (s->conjugates ? WEFT__BLOCK_CONJUGATE : 0);
}

static weft_status solve_block(const solve *s, const weft_array *t, weft_array *b) {
  const weft_context *context = b->context;
  const uint64_t batches = (uint64_t)b->shape[0], columns = (uint64_t)b->shape[2];
  return weft__block_run(&(weft__block_launch){
      .kernel = WEFT__BLOCK_SOLVE,
      .dtype = b->dtype,
      .chunks = weft__block_chunks(context, batches, columns, weft__linalg_sizes_of(context)->solve_columns),
      .args = {.m = (uint64_t)t->shape[1],
               .n = columns,
               .batches = batches,
               .x = weft__block_matrix_of(t),
               .y = weft__block_matrix_of(b),
               .flags = flags_of(s)},
      .arrays = 2,
      .array = {t, b},
      .writes = {false, true},
      .what = "triangular solve",
      .site = s->site});
}

/// b = b - op(t) x
static weft_status subtract_known(const solve *s, const weft_array *t, const weft_array *x, weft_array *b) {
  weft_array *conjugated = NULL;
  weft_status rc;
  if (s->conjugates) WEFT__TRY(weft__block_conjugated(&conjugated, t, s->site));
  WEFT__TRY(weft__block_subtract(b, conjugated ? conjugated : t, x, s->site));
done:
  weft_array_release(&conjugated);
  return rc;
}

static weft_status solve_part(const solve *s, const weft_array *t, weft_array *b) {
  const int64_t n = t->shape[1], columns = b->shape[2];
  if (n <= s->side) return solve_block(s, t, b);
  const int64_t h = weft__block_half(n, s->side);
  const weft_array above = weft__block_part(t, 0, h, 0, h), below = weft__block_part(t, h, n - h, h, n - h);
  weft_array top = weft__block_part(b, 0, h, 0, columns), bottom = weft__block_part(b, h, n - h, 0, columns);
  if (s->is_upper) {
    const weft_array corner = weft__block_part(t, 0, h, h, n - h);
    WEFT__TRY_RETURN(solve_part(s, &below, &bottom));
    WEFT__TRY_RETURN(subtract_known(s, &corner, &bottom, &top));
    return solve_part(s, &above, &top);
  }
  const weft_array corner = weft__block_part(t, h, n - h, 0, h);
  WEFT__TRY_RETURN(solve_part(s, &above, &top));
  WEFT__TRY_RETURN(subtract_known(s, &corner, &top, &bottom));
  return solve_part(s, &below, &bottom);
}

/// Few right-hand sides: one launch, whose groups wait for each other. A launch for each block of rows would take
/// longer than its work.
static weft_status solve_chain(const solve *s, const weft_array *t, weft_array *b, const weft_array *from) {
  const uint64_t m = (uint64_t)t->shape[1], n = (uint64_t)b->shape[2], batches = (uint64_t)b->shape[0],
                 groups = weft_ceil_div(m, (uint64_t)s->side);
  weft__lookback *exchange;
  weft__lookback_use use;
  WEFT__TRY_RETURN(
      weft__lookback_begin(&exchange, &use, &b->context->store, batches * m * n * weft_dtype_size_bytes(b->dtype) / 4));
  const weft_status rc = weft__block_run(&(weft__block_launch){.kernel = WEFT__BLOCK_SOLVE_CHAIN,
                                                               .dtype = b->dtype,
                                                               .chunks = groups,
                                                               .args = {.m = m,
                                                                        .n = n,
                                                                        .batches = batches,
                                                                        .first = use.epoch << 2 | 1,
                                                                        .x = weft__block_matrix_of(t),
                                                                        .y = weft__block_matrix_of(b),
                                                                        .z = weft__block_matrix_of(from),
                                                                        .flags = flags_of(s),
                                                                        .round = use.first_ticket},
                                                               .arrays = 3,
                                                               .array = {t, b, from},
                                                               .writes = {false, true, from == b},
                                                               .state = exchange->storage,
                                                               .what = "triangular solve",
                                                               .site = s->site});
  weft__lookback_end(exchange, groups * batches, rc);
  return rc;
}

/// Whether one launch solves all: where blocks are wide enough for it.
static bool solves_in_chain(const solve *s, const weft_array *t, const weft_array *b) {
  const weft_context *context = b->context;
  return weft__has_device_scope(&context->core) && b->shape[2] <= WEFT__CHAIN_COLUMNS && s->side >= WEFT__CHAIN_SIDE &&
         t->shape[1] > s->side && t->shape[1] <= INT32_MAX &&
         weft__block_threads(context, WEFT__BLOCK_SOLVE_CHAIN) == WEFT__GPU_BLOCK;
}

weft_status weft__blocked_trsm(weft_array *b, const weft_array *from, const weft_array *t, weft__triangle triangle,
                               const char *site) {
  const weft_array matrix = triangle.transposes ? weft__array_transposed(t) : weft__array_borrow(t);
  const solve s = {.side = weft__block_side(b->context, b->dtype),
                   .is_upper = triangle.is_upper != triangle.transposes,
                   .is_unit = triangle.is_unit,
                   .conjugates = triangle.conjugates && weft_dtype_kind(b->dtype) == 'c',
                   .site = site};
  if (solves_in_chain(&s, &matrix, b)) return solve_chain(&s, &matrix, b, from ? from : b);
  if (from) WEFT__TRY_RETURN(weft__cast_into(b, from, b->dtype, site));
  return solve_part(&s, &matrix, b);
}

/* ---- Cholesky ---- */

/// The lower triangle of c = c - a @ adjoint(a), where `adjoint` is adjoint(a). Elements of c above the diagonal become
/// indeterminate.
static weft_status subtract_square(weft_array *c, const weft_array *a, const weft_array *adjoint, const char *site) {
  const int64_t n = c->shape[1], k = a->shape[2], h = weft__block_half(n, WEFT__HERK_SIDE / 2);
  if (n <= WEFT__HERK_SIDE) return weft__block_subtract(c, a, adjoint, site);
  const weft_array a_top = weft__block_part(a, 0, h, 0, k), a_bottom = weft__block_part(a, h, n - h, 0, k);
  const weft_array left = weft__block_part(adjoint, 0, k, 0, h), right = weft__block_part(adjoint, 0, k, h, n - h);
  weft_array corner = weft__block_part(c, h, n - h, 0, h), above = weft__block_part(c, 0, h, 0, h),
             below = weft__block_part(c, h, n - h, h, n - h);
  WEFT__TRY_RETURN(subtract_square(&above, &a_top, &left, site));
  WEFT__TRY_RETURN(weft__block_subtract(&corner, &a_bottom, &left, site));
  return subtract_square(&below, &a_bottom, &right, site);
}

typedef struct cholesky {
  int64_t side;
  weft_array *info;
  const char *site;
} cholesky;

/// The groups for each matrix of a launch of all steps, which wait for each other, and so must all run at the same
/// time; 0: two launches for each step. A group has at least a block of rows.
static uint64_t steps_groups(const cholesky *f, const weft_array *a) {
  const weft__device *device = a->context->core.device;
  const uint64_t blocks = weft_ceil_div((uint64_t)a->shape[1], (uint64_t)f->side), most = blocks * (blocks - 1) / 2 + 1;
  const uint64_t groups = device->info.compute_units / (uint64_t)a->shape[0];
  if (!device->has_ptx || !weft__has_device_scope(&a->context->core) || groups < blocks) return 0;
  return groups < most ? groups : most;
}

static weft_status run_all_steps(weft__block_launch *run, uint64_t groups, weft__store *store) {
  const uint64_t tickets = groups * run->args.batches;
  weft__lookback *exchange;
  weft__lookback_use use;
  WEFT__TRY_RETURN(weft__lookback_begin(&exchange, &use, store, tickets));
  run->kernel = WEFT__BLOCK_CHOLESKY_STEPS;
  run->chunks = groups;
  run->args.flags = use.epoch << 2 | 1;
  run->args.ticket = use.first_ticket;
  run->state = exchange->storage;
  const weft_status rc = weft__block_run(run);
  weft__lookback_end(exchange, tickets, rc);
  return rc;
}

static weft_status run_step(weft__block_launch run, int64_t at, int64_t side) {
  const uint64_t blocks = weft_ceil_div(run.args.m - (uint64_t)at, (uint64_t)side), rest = blocks - 1;
  run.args.first = (uint64_t)at;
  run.args.round = (uint32_t)rest;
  run.chunks = blocks;
  WEFT__TRY_RETURN(weft__block_run(&run));
  run.kernel = WEFT__BLOCK_CHOLESKY_REST;
  run.chunks = rest * (rest + 1) / 2 + 1;
  run.arrays = 2;
  run.array[1] = run.array[2];
  run.writes[1] = false;
  return weft__block_run(&run);
}

/// The part of each matrix that begins at row and column `first`, of few rows.
static weft_status factor_steps(const cholesky *f, weft_array *a, int64_t first) {
  const int64_t n = a->shape[1], side = f->side;
  const uint64_t groups = steps_groups(f, a);
  weft_array *diagonal = NULL;
  weft_status rc;
  WEFT__TRY(weft__array_create(&diagonal, a->context, a->dtype, WEFT_SHAPE(a->shape[0], side, side), f->site));
  weft__block_launch run = {.kernel = WEFT__BLOCK_CHOLESKY_COLUMNS,
                            .dtype = a->dtype,
                            .args = {.m = (uint64_t)n,
                                     .n = (uint64_t)first,
                                     .batches = (uint64_t)a->shape[0],
                                     .x = weft__block_matrix_of(a),
                                     .y = {.offset = f->info->offset_bytes},
                                     .z = weft__block_matrix_of(diagonal)},
                            .arrays = 3,
                            .array = {a, f->info, diagonal},
                            .writes = {true, true, true},
                            .what = "cholesky",
                            .site = f->site};
  if (groups) WEFT__TRY(run_all_steps(&run, groups, &a->context->store));
  for (int64_t at = 0; !groups && at < n; at += side) WEFT__TRY(run_step(run, at, side));
done:
  weft_array_release(&diagonal);
  return rc;
}

static bool has_steps(const cholesky *f, const weft_array *a) {
  return a->shape[1] <= WEFT__CHOLESKY_SHORT && f->side >= WEFT__CHOLESKY_STEP_SIDE &&
         weft__block_threads(a->context, WEFT__BLOCK_CHOLESKY_COLUMNS) == WEFT__GPU_BLOCK;
}

/// Factors the part of each matrix that begins at row and column `first`.
static weft_status factor_part(const cholesky *f, weft_array *a, int64_t first) {
  const int64_t n = a->shape[1];
  weft_array *conjugated = NULL;
  weft_status rc;
  if (n <= f->side)
    return weft__block_run(&(weft__block_launch){.kernel = WEFT__BLOCK_CHOLESKY,
                                                 .dtype = a->dtype,
                                                 .args = {.n = (uint64_t)n,
                                                          .batches = (uint64_t)a->shape[0],
                                                          .first = (uint64_t)first,
                                                          .x = weft__block_matrix_of(a),
                                                          .y = {.offset = f->info->offset_bytes}},
                                                 .arrays = 2,
                                                 .array = {a, f->info},
                                                 .writes = {true, true},
                                                 .what = "cholesky",
                                                 .site = f->site});
  if (has_steps(f, a)) return factor_steps(f, a, first);
  const int64_t h = weft__block_half(n, f->side);
  weft_array above = weft__block_part(a, 0, h, 0, h), corner = weft__block_part(a, h, n - h, 0, h),
             below = weft__block_part(a, h, n - h, h, n - h), turned = weft__array_transposed(&corner);
  const solve s = {.side = f->side, .conjugates = weft_dtype_kind(a->dtype) == 'c', .site = f->site};
  WEFT__TRY(factor_part(f, &above, first));
  /* corner = X adjoint(L) is conj(L) transposed(X) = transposed(corner) */
  WEFT__TRY(solve_part(&s, &above, &turned));
  WEFT__TRY(weft__block_conjugated(&conjugated, &corner, f->site));
  const weft_array adjoint = weft__array_transposed(conjugated ? conjugated : &corner);
  WEFT__TRY(subtract_square(&below, &corner, &adjoint, f->site));
  WEFT__TRY(factor_part(f, &below, first + h));
done:
  weft_array_release(&conjugated);
  return rc;
}

weft_status weft__blocked_potrf(weft_array *a, weft_array *info, const char *site) {
  const cholesky f = {weft__block_side(a->context, a->dtype), info, site};
  WEFT__TRY_RETURN(weft__fill(info, WEFT_SCALAR(0), site));
  WEFT__TRY_RETURN(factor_part(&f, a, 0));
  return weft__clear_upper(a, site);
}

/* ---- LU ---- */

typedef struct lu {
  int64_t side, columns; /* of a triangular block; of the panel's kernel */
  weft_array *pivots, *info;
  const char *site;
} lu;

static weft__block_launch panel_launch(const lu *f, const weft_array *panel, int64_t first) {
  return (weft__block_launch){
      .kernel = WEFT__BLOCK_LU_PANEL,
      .dtype = panel->dtype,
      .args = {.m = (uint64_t)panel->shape[1],
               .n = (uint64_t)panel->shape[2],
               .batches = (uint64_t)panel->shape[0],
               .first = (uint64_t)first,
               .x = weft__block_matrix_of(panel),
               .y = {.offset = f->pivots->offset_bytes + first * 4, .batch = f->pivots->stride_bytes[0] / 4},
               .z = {.offset = f->info->offset_bytes}},
      .arrays = 3,
      .array = {panel, f->pivots, f->info},
      .writes = {true, true, true},
      .what = "lu",
      .site = f->site};
}

/// The groups for each matrix of a panel divided among groups; 0: the panel is not to be divided. The groups of a
/// matrix wait for each other, so all must run at the same time: there is at most one for each unit of the device.
static uint64_t grid_groups(const weft_array *panel) {
  const weft_context *context = panel->context;
  const weft__device *device = context->core.device;
  const uint64_t rows = (uint64_t)panel->shape[1];
  if (weft__linalg_sizes_of(context)->threads == 1 || panel->shape[2] > weft__block_panel(panel->dtype)) return 0;
  const uint64_t groups = weft_ceil_div(
      rows, weft__block_threads(context, WEFT__BLOCK_LU_GRID) * weft__block_rows_each(context, panel->dtype, rows));
  if (groups == 1) return 1;
  const bool exchanges = device->has_ptx && weft__has_device_scope(&context->core);
  return exchanges && groups <= WEFT__GPU_BLOCK && groups * (uint64_t)panel->shape[0] <= device->info.compute_units
             ? groups
             : 0;
}

static weft_status run_panel(const lu *f, weft_array *panel, int64_t first) {
  weft__block_launch launch = panel_launch(f, panel, first);
  const uint64_t groups = grid_groups(panel), batches = (uint64_t)panel->shape[0];
  weft__lookback *exchange;
  weft__lookback_use use;
  if (groups == 0) return weft__block_run(&launch);
  const uint64_t columns = (uint64_t)weft__block_panel(panel->dtype),
                 place = 3 + columns * weft_dtype_size_bytes(panel->dtype) / 4;
  const uint64_t words = groups == 1 ? 1 : batches * columns * groups * place; /* a group alone tells nobody */
  WEFT__TRY_RETURN(weft__lookback_begin(&exchange, &use, &panel->context->store, words));
  launch.kernel = WEFT__BLOCK_LU_GRID;
  launch.chunks = groups;
  launch.args.flags = use.epoch << 2 | 1;
  launch.args.round = use.first_ticket;
  launch.state = exchange->storage;
  const weft_status rc = weft__block_run(&launch);
  weft__lookback_end(exchange, panel->context->core.device->has_ptx ? groups * batches : 0, rc);
  return rc;
}

/// With the first `done` columns of the part factored: U's rows to the right of them, and what remains below.
static weft_status update_right(const lu *f, const weft_array *part, int64_t done) {
  const int64_t m = part->shape[1], n = part->shape[2];
  const weft_array l = weft__block_part(part, 0, done, 0, done);
  weft_array right = weft__block_part(part, 0, done, done, n - done);
  const solve s = {.side = f->side, .is_unit = true, .site = f->site};
  if (n == done) return WEFT_OK;
  WEFT__TRY_RETURN(solve_part(&s, &l, &right));
  if (m == done) return WEFT_OK;
  const weft_array below = weft__block_part(part, done, m - done, 0, done);
  weft_array rest = weft__block_part(part, done, m - done, done, n - done);
  return weft__block_subtract(&rest, &below, &right, f->site);
}

/// Exchanges the rows in `columns` columns of the whole matrix from `column` on.
static weft_status swap(const lu *f, const weft_array *a, int64_t column, int64_t columns, int64_t first,
                        int64_t count) {
  weft_array part = weft__block_part(a, 0, a->shape[1], column, columns);
  return weft__swap_some_rows(&part, f->pivots, first, count, f->site);
}

/// Factors `columns` columns of a from row and column `first` on; the rows of other columns stay.
static weft_status factor_columns(const lu *f, weft_array *a, int64_t first, int64_t columns) {
  weft_array part = weft__block_part(a, first, a->shape[1] - first, first, columns);
  if (columns <= f->columns) return run_panel(f, &part, first);
  const int64_t h = weft__block_half(columns, f->columns);
  WEFT__TRY_RETURN(factor_columns(f, a, first, h));
  WEFT__TRY_RETURN(swap(f, a, first + h, columns - h, first, h));
  WEFT__TRY_RETURN(update_right(f, &part, h));
  WEFT__TRY_RETURN(factor_columns(f, a, first + h, columns - h));
  return swap(f, a, first, h, first + h, columns - h);
}

/// Exchanges the rows of the columns beside a panel of the kernel, and subtracts its product from those on the right.
static weft_status update_beside(const lu *f, const weft_array *a, int64_t first, int64_t count) {
  const int64_t m = a->shape[1], n = a->shape[2], right = n - first - count;
  const weft_array x = weft__block_part(a, first, m - first, 0, n),
                   panel = weft__block_part(a, first, m - first, first, count);
  const int64_t chunks = (first + WEFT__LU_WIDTH - 1) / WEFT__LU_WIDTH + (right + WEFT__LU_WIDTH - 1) / WEFT__LU_WIDTH;
  if (chunks == 0) return WEFT_OK;
  return weft__block_run(&(weft__block_launch){
      .kernel = WEFT__BLOCK_LU_RIGHT,
      .dtype = a->dtype,
      .chunks = (uint64_t)chunks,
      .args = {.m = (uint64_t)(m - first),
               .n = (uint64_t)n,
               .batches = (uint64_t)a->shape[0],
               .first = (uint64_t)first,
               .x = weft__block_matrix_of(&x),
               .y = {.offset = f->pivots->offset_bytes + first * 4, .batch = f->pivots->stride_bytes[0] / 4},
               .z = weft__block_matrix_of(&panel),
               .flags = (uint32_t)first,
               .round = (uint32_t)count},
      .arrays = 3,
      .array = {a, f->pivots, a},
      .writes = {true, false, false},
      .what = "lu",
      .site = f->site});
}

/// Factors what remains from row and column `first` on, if its rows are few: two launches for each panel.
static weft_status factor_short(const lu *f, weft_array *a, int64_t first) {
  const int64_t m = a->shape[1], n = a->shape[2], rank = m < n ? m : n;
  for (int64_t at = first; at < rank; at += f->columns) {
    const int64_t now = rank - at < f->columns ? rank - at : f->columns;
    weft_array panel = weft__block_part(a, at, m - at, at, now);
    WEFT__TRY_RETURN(run_panel(f, &panel, at));
    WEFT__TRY_RETURN(update_beside(f, a, at, now));
  }
  return WEFT_OK;
}

weft_status weft__blocked_getrf(weft_array *a, weft_array *pivots, weft_array *info, const char *site) {
  const weft__linalg_sizes *sizes = weft__linalg_sizes_of(a->context);
  const int64_t m = a->shape[1], n = a->shape[2], rank = m < n ? m : n, side = weft__block_side(a->context, a->dtype);
  const int64_t panel = sizes->lu_panel, columns = sizes->lu_columns ? sizes->lu_columns : weft__block_panel(a->dtype);
  const lu f = {side, columns < side ? columns : side, pivots, info, site};
  WEFT__TRY_RETURN(weft__fill(info, WEFT_SCALAR(0), site));
  for (int64_t first = 0; first < rank; first += panel) {
    if (m - first <= sizes->lu_short && n <= INT32_MAX) return factor_short(&f, a, first);
    const int64_t now = rank - first < panel ? rank - first : panel, end = first + now;
    WEFT__TRY_RETURN(factor_columns(&f, a, first, now));
    WEFT__TRY_RETURN(swap(&f, a, 0, first, first, now));
    WEFT__TRY_RETURN(swap(&f, a, end, n - end, first, now));
    const weft_array part = weft__block_part(a, first, m - first, first, n - first);
    WEFT__TRY_RETURN(update_right(&f, &part, now));
  }
  return WEFT_OK;
}
