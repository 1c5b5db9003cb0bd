// SPDX-License-Identifier: MIT
/// QR in blocks: the reflections of a panel are applied to the columns right of it together, as I - V T adjoint(V).
#include "op/linalg/blocked.h"
#include "op/linalg/tuning.h"

#define PANEL WEFT__QR_PANEL
/* its elements in local memory: sums of half of the threads, products and joined products, T */
#define APPLY_ELEMENTS(threads) ((threads) / 2 * PANEL + 2 * PANEL * WEFT__QR_APPLY_WIDTH + PANEL * PANEL)

/// The reflectors of one panel. The kernels for panels of few rows keep V transposed, so that they read along columns.
typedef struct panel {
  weft_array *v, *adjoint_of; /* V, [batch, rows, columns]; its conjugated copy, or NULL where V is real */
  bool is_short;              /* V is [batch, PANEL, rows], zeros beyond the panel's columns; there is no copy */
  weft_array *t;              /* T, [batch, columns, columns] */
} panel;

static void release(panel *p) {
  weft_array_release(&p->v);
  weft_array_release(&p->adjoint_of);
  weft_array_release(&p->t);
}

typedef struct qr {
  int64_t columns; /* of a panel */
  weft_array *tau; /* [batch, columns] */
  const char *site;
} qr;

/* ---- panels of few rows: a launch each for the reflectors and for their product with other columns ---- */

static bool is_short(const weft_array *part) {
  const weft_context *context = part->context;
  const uint64_t rows = (uint64_t)part->shape[1], threads = weft__block_threads(context, WEFT__BLOCK_QR_APPLY);
  const uint64_t local_bytes = APPLY_ELEMENTS(threads) * weft_dtype_size_bytes(part->dtype);
  return weft__linalg_sizes_of(context)->threads > 1 && part->shape[2] <= PANEL &&
         local_bytes <= context->core.device->info.local_memory_bytes &&
         rows <= weft__block_threads(context, WEFT__BLOCK_QR_ROWS) * weft__block_rows_each(context, part->dtype, rows);
}

/// Factors `part`: R's rows in its upper triangle, V and T in p.
static weft_status factor_short(panel *p, const qr *f, weft_array *part) {
  const int64_t batches = part->shape[0], rows = part->shape[1], columns = part->shape[2];
  weft_context *context = part->context;
  p->is_short = true;
  WEFT__TRY_RETURN(weft__array_create(&p->v, context, part->dtype, WEFT_SHAPE(batches, PANEL, rows), f->site));
  WEFT__TRY_RETURN(weft__array_create(&p->t, context, part->dtype, WEFT_SHAPE(batches, PANEL, PANEL), f->site));
  const weft_array v = weft__array_transposed(p->v);
  return weft__block_run(&(weft__block_launch){.kernel = WEFT__BLOCK_QR_ROWS,
                                               .dtype = part->dtype,
                                               .args = {.m = (uint64_t)rows,
                                                        .n = (uint64_t)columns,
                                                        .batches = (uint64_t)batches,
                                                        .x = weft__block_matrix_of(part),
                                                        .y = weft__block_matrix_of(&v),
                                                        .z = weft__block_matrix_of(p->t)},
                                               .arrays = 3,
                                               .array = {part, p->v, p->t},
                                               .writes = {true, true, true},
                                               .what = "qr",
                                               .site = f->site});
}

static weft_status apply_short(const panel *p, weft_array *c, bool is_adjoint, const char *site) {
  const uint64_t batches = (uint64_t)c->shape[0], columns = (uint64_t)c->shape[2];
  const weft_array v = weft__array_transposed(p->v);
  return weft__block_run(
      &(weft__block_launch){.kernel = WEFT__BLOCK_QR_APPLY,
                            .dtype = c->dtype,
                            .chunks = weft__block_chunks(c->context, batches, columns, WEFT__QR_APPLY_WIDTH),
                            .args = {.m = (uint64_t)c->shape[1],
                                     .n = columns,
                                     .batches = batches,
                                     .x = weft__block_matrix_of(c),
                                     .y = weft__block_matrix_of(&v),
                                     .z = weft__block_matrix_of(p->t),
                                     .flags = is_adjoint ? WEFT__BLOCK_CONJUGATE : 0},
                            .arrays = 3,
                            .array = {c, p->v, p->t},
                            .writes = {true, false, false},
                            .what = "qr",
                            .site = site});
}

/* ---- panels of many rows ---- */

static weft_status launch(const qr *f, weft__block_kernel kernel, const weft_array *x, weft_array *t) {
  const weft_array *tau = f->tau;
  weft__block_launch run = {.kernel = kernel,
                            .dtype = x->dtype,
                            .args = {.m = (uint64_t)x->shape[1],
                                     .n = (uint64_t)x->shape[2],
                                     .batches = (uint64_t)x->shape[0],
                                     .x = weft__block_matrix_of(x),
                                     .y = weft__block_matrix_of(tau)},
                            .arrays = t ? 3 : 2,
                            .array = {x, tau, t},
                            .writes = {!t, !t, true},
                            .what = "qr",
                            .site = f->site};
  if (t) run.args.z = weft__block_matrix_of(t);
  return weft__block_run(&run);
}

/// V and T of the reflectors below the diagonal of `part`.
static weft_status take_panel(panel *p, const qr *f, const weft_array *part) {
  const weft_shape shape = weft__array_shape(part);
  weft_array *products = NULL;
  weft_status rc;
  WEFT__TRY(weft__array_create(&p->v, part->context, part->dtype, shape, f->site));
  WEFT__TRY(weft__take_unit_lower(p->v, part, f->site));
  WEFT__TRY(weft__block_conjugated(&p->adjoint_of, p->v, f->site));
  const weft_array adjoint = weft__array_transposed(p->adjoint_of ? p->adjoint_of : p->v);
  WEFT__TRY(weft__block_product(&products, &adjoint, p->v, f->site));
  WEFT__TRY(weft__array_create(&p->t, part->context, part->dtype,
                               WEFT_SHAPE(part->shape[0], part->shape[2], part->shape[2]), f->site));
  WEFT__TRY(launch(f, WEFT__BLOCK_QR_JOIN, products, p->t));
done:
  weft_array_release(&products);
  return rc;
}

/// c = (I - V op(T) adjoint(V)) c, where op is the adjoint with `is_adjoint`.
static weft_status apply(const panel *p, weft_array *c, bool is_adjoint, const char *site) {
  weft_array *products = NULL, *joined = NULL, *conjugated = NULL;
  weft_status rc;
  if (c->size == 0) return WEFT_OK;
  if (p->is_short) return apply_short(p, c, is_adjoint, site);
  const weft_array adjoint = weft__array_transposed(p->adjoint_of ? p->adjoint_of : p->v);
  WEFT__TRY(weft__block_product(&products, &adjoint, c, site));
  if (is_adjoint) WEFT__TRY(weft__block_conjugated(&conjugated, p->t, site));
  const weft_array turned = weft__array_transposed(conjugated ? conjugated : p->t);
  WEFT__TRY(weft__block_product(&joined, is_adjoint ? &turned : p->t, products, site));
  WEFT__TRY(weft__block_subtract(c, p->v, joined, site));
done:
  weft_array_release(&conjugated);
  weft_array_release(&joined);
  weft_array_release(&products);
  return rc;
}

/* ---- the whole ---- */

/// Factors a in place. The panels' reflectors are kept if q is wanted.
static weft_status factor(const qr *f, weft_array *a, panel *panels, bool wants_q) {
  const int64_t m = a->shape[1], n = a->shape[2], rank = m < n ? m : n;
  for (int64_t first = 0, k = 0; first < rank; first += f->columns, k++) {
    const int64_t now = rank - first < f->columns ? rank - first : f->columns, end = first + now;
    weft_array part = weft__block_part(a, first, m - first, first, now);
    weft_array right = weft__block_part(a, first, m - first, end, n - end);
    const bool is_used = wants_q || right.size > 0;
    if (is_short(&part)) {
      WEFT__TRY_RETURN(factor_short(&panels[k], f, &part));
    } else {
      WEFT__TRY_RETURN(launch(f, WEFT__BLOCK_QR_PANEL, &part, NULL));
      if (is_used) WEFT__TRY_RETURN(take_panel(&panels[k], f, &part));
    }
    if (is_used) WEFT__TRY_RETURN(apply(&panels[k], &right, true, f->site));
    if (!wants_q) release(&panels[k]);
  }
  return WEFT_OK;
}

/// Sets q to the product of all reflections: the last panel first, so that only the columns from its own on change.
static weft_status make_q(const qr *f, weft_array *q, const panel *panels, int64_t count) {
  WEFT__TRY_RETURN(weft__identity(q, f->site));
  for (int64_t k = count - 1; k >= 0; k--) {
    const int64_t first = k * f->columns;
    weft_array part = weft__block_part(q, first, q->shape[1] - first, first, q->shape[2] - first);
    WEFT__TRY_RETURN(apply(&panels[k], &part, false, f->site));
  }
  return WEFT_OK;
}

weft_status weft__blocked_geqrf(weft_array *q, weft_array *r, weft_array *a, const char *site) {
  const int64_t rank = a->shape[1] < a->shape[2] ? a->shape[1] : a->shape[2];
  const int64_t side = weft__block_side(a->context, a->dtype);
  const int64_t columns = weft__linalg_sizes_of(a->context)->qr_panel;
  qr f = {.columns = side < columns ? side : columns, .site = site};
  const int64_t count = (rank + f.columns - 1) / f.columns;
  panel *panels = NULL;
  weft_status rc;
  WEFT__TRY(weft__array_create(&f.tau, a->context, a->dtype, WEFT_SHAPE(a->shape[0], f.columns), site));
  WEFT__TRY((panels = weft__new((size_t)count * sizeof *panels)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(factor(&f, a, panels, q != NULL));
  WEFT__TRY(weft__take_upper(r, a, site));
  if (q) WEFT__TRY(make_q(&f, q, panels, count));
done:
  for (int64_t k = 0; panels && k < count; k++) release(&panels[k]);
  free(panels);
  weft_array_release(&f.tau);
  return rc;
}
