// SPDX-License-Identifier: MIT
/// Products of matrices over ranks: tiles of rows, each of which adds up panels of the inner axis.
///
/// A float sum may depend on how many rows a product has and on how long its sums are. Here tiles begin at multiples of
/// a number of rows, and panels at multiples of a length, which the shapes alone give: each product of a tile and a
/// panel is the same call, whichever rank makes it. A rank has all of its rows of `a`, and one panel of `b` at a time.
#include <stdlib.h>
#include <string.h>

#include "dist/dist_array.h"
#include "dist/dist_fold.h"

#define PANEL_BYTES ((int64_t)64 << 20)

typedef struct product {
  weft_dist *grid;
  weft__dist_call call;
  const weft_dist_array *b;
  int64_t m, k, n, tile, panel;
  weft_dtype work, result;
} product;

static int64_t power_of_two(int64_t at_least, int64_t most) {
  int64_t power = 64;
  while (power < at_least && power < most) power *= 2;
  return power;
}

/// The dtype of the result, and the one of the sums: of f16 and bf16 they are f32.
static weft_status choose_dtypes(product *p, const weft_dist_array *a, const weft_dist_array *b) {
  weft_array *x = NULL, *y = NULL, *z = NULL;
  weft_status rc;
  WEFT__TRY(weft_empty(&x, p->grid->context, weft_array_dtype(a->local), WEFT_SHAPE(0, 1)));
  WEFT__TRY(weft_empty(&y, p->grid->context, weft_array_dtype(b->local), WEFT_SHAPE(1, 0)));
  WEFT__TRY(weft_matmul(&z, x, y));
  p->result = p->work = weft_array_dtype(z);
  if (weft_dtype_kind(p->result) == 'f' && weft_dtype_size_bytes(p->result) < 4) p->work = WEFT_F32;
  if (p->result == WEFT_BOOL) rc = weft__dist_fail(WEFT_ERROR_DTYPE, "a", "`a` and `b` are bool; expected numbers");
done:
  weft_release(&x, &y, &z);
  return rc;
}

static weft_status prepare(product *p, const weft_dist_array *a, const weft_dist_array *b) {
  if (a->grid != b->grid) return weft__dist_fail(WEFT_ERROR_CONTEXT, "b", "`b` is of another grid than `a`");
  if (a->shape.ndim != 2 || b->shape.ndim != 2)
    return weft__dist_fail(WEFT_ERROR_SHAPE, a->shape.ndim != 2 ? "a" : "b",
                           "`a` has %d axes and `b` %d; expected matrices, of two", a->shape.ndim, b->shape.ndim);
  p->m = a->shape.dim[0];
  p->k = a->shape.dim[1];
  p->n = b->shape.dim[1];
  if (b->shape.dim[0] != p->k)
    return weft__dist_fail(WEFT_ERROR_SHAPE, "b", "`b` has %lld rows; expected %lld, the columns of `a`",
                           (long long)b->shape.dim[0], (long long)p->k);
  WEFT__TRY_RETURN(choose_dtypes(p, a, b));
  const int64_t row_bytes = (p->n > 0 ? p->n : 1) * (int64_t)weft_dtype_size_bytes(p->work);
  p->tile = power_of_two(p->m / 64, 4096);
  p->panel = power_of_two(PANEL_BYTES / row_bytes, 8192);
  return WEFT_OK;
}

/// Rows `first` to `stop` - 1 of `b`, on every rank. Collective.
static weft_status fetch_panel(weft_array **panel, const product *p, int64_t first, int64_t stop, weft_status rc) {
  const weft_dist_array *b = p->b;
  const weft_slice_params at = {.site = p->call.site};
  weft_array *mine = NULL, *rows = NULL;
  int64_t from = first, to = stop;
  if (b->axis != WEFT_DIST_WHOLE) {
    from = first < b->first ? b->first : first;
    to = stop > b->first + b->count ? b->first + b->count : stop;
    from -= b->first;
    to -= b->first;
    if (from >= to) from = to = 0;
  }
  if (!rc) rc = weft__slice_at(&mine, b->local, weft__axes_int(0), from, to, &at);
  if (b->axis == WEFT_DIST_WHOLE) {
    *panel = mine;
    return rc;
  }
  if (!rc) rc = weft__copy_at(&rows, mine, &(weft_copy_params){.site = p->call.site});
  rc = weft__dist_collect(panel, p->grid, &p->call, rows ? rows : b->local, rc);
  weft_release(&mine, &rows);
  return rc;
}

/// Adds the product of the tiles' columns `first` on and a panel to the sums.
static weft_status add_panel(weft_array *sums, const product *p, const weft_array *rows, const weft_array *panel,
                             int64_t first) {
  const weft_slice_params at = {.site = p->call.site};
  const int64_t count = weft_array_length(rows, 0);
  weft_matmul_params how = {.dtype = p->work, .site = p->call.site};
  weft_array *columns = NULL, *tile = NULL, *sum = NULL;
  weft_status rc;
  if (first > 0) how.accumulate = WEFT_SCALAR(1);
  WEFT__TRY(weft__slice_at(&columns, rows, weft__axes_int(1), first, first + weft_array_length(panel, 0), &at));
  for (int64_t row = 0; row < count; row += p->tile) {
    const int64_t stop = row + p->tile < count ? row + p->tile : count;
    WEFT__TRY(weft__slice_at(&tile, columns, weft__axes_int(0), row, stop, &at));
    WEFT__TRY(weft__slice_at(&sum, sums, weft__axes_int(0), row, stop, &at));
    WEFT__TRY(
        weft__matmul_at(weft__operand_result(&sum), weft__operand_array(tile), weft__operand_const_array(panel), &how));
    weft_release(&tile, &sum);
  }
  rc = WEFT_OK;
done:
  weft_release(&columns, &tile, &sum);
  return rc;
}

/// The product of rows that begin at a tile, and of all of `b`.
static weft_status multiply(weft_array **out, const product *p, const weft_array *rows, weft_status rc) {
  weft_array *sums = NULL, *panel = NULL;
  if (!rc)
    rc = weft__full_at(&sums, p->grid->context, p->work, WEFT_SHAPE(weft_array_length(rows, 0), p->n), WEFT_SCALAR(0),
                       p->call.site);
  for (int64_t first = 0; first < p->k; first += p->panel) {
    const int64_t stop = first + p->panel < p->k ? first + p->panel : p->k;
    WEFT__TRY(fetch_panel(&panel, p, first, stop, rc));
    rc = add_panel(sums, p, rows, panel, first);
    weft_array_release(&panel);
  }
  if (!rc) rc = weft__cast_at(out, sums, p->result, p->call.site);
done:
  weft_release(&sums, &panel);
  return rc;
}

/// `a` is split by rows: they move to where tiles begin, and the product's rows back.
static weft_status multiply_rows(weft_array **out, const product *p, const weft_array *rows) {
  weft_dist *grid = p->grid;
  int64_t *shares = weft__dist_shares(grid, p->m), *tiles = weft__dist_leaf_shares(grid, p->m, p->tile);
  weft_array *aligned = NULL, *made = NULL;
  weft_status rc = shares && tiles ? WEFT_OK : WEFT_ERROR_HOST_MEMORY;
  WEFT__TRY(weft__dist_move(&aligned, grid, &p->call, rows, shares, tiles, rc));
  rc = multiply(&made, p, aligned, WEFT_OK);
  rc = weft__dist_move(out, grid, &p->call, made ? made : aligned, tiles, shares, rc);
done:
  free(shares);
  free(tiles);
  weft_release(&aligned, &made);
  return rc;
}

/// `x` split along axis 0, unless it is whole and `keeps_whole`. *made: to be released.
static weft_status by_rows(const weft_dist_array **x, weft_dist_array **made, bool keeps_whole, const char *site) {
  if ((*x)->axis == 0 || (keeps_whole && (*x)->axis == WEFT_DIST_WHOLE)) return WEFT_OK;
  WEFT__TRY_RETURN(weft__dist_resplit_at(made, *x, 0, site));
  *x = *made;
  return WEFT_OK;
}

weft_status weft__dist_matmul_at(weft_dist_array **out, const weft_dist_array *a, const weft_dist_array *b,
                                 const char *site) {
  product p = {.call = {.function = "weft_dist_matmul", .site = site}};
  weft_dist_array *a_rows = NULL, *b_rows = NULL;
  weft_array *local = NULL;
  weft_status rc;
  weft__dist_enter("weft_dist_matmul", site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check(a, "a"));
  WEFT__TRY(weft__dist_check(b, "b"));
  p.grid = a->grid;
  rc = prepare(&p, a, b);
  p.call.dtype = p.result;
  p.call.shape = WEFT_SHAPE(p.m, p.k, p.n);
  WEFT__TRY(weft__dist_rendezvous(p.grid, &p.call, rc));
  const bool is_whole = a->axis == WEFT_DIST_WHOLE && b->axis == WEFT_DIST_WHOLE;
  WEFT__TRY(by_rows(&a, &a_rows, is_whole, site));
  WEFT__TRY(by_rows(&b, &b_rows, true, site));
  p.b = b;
  rc = is_whole ? multiply(&local, &p, a->local, WEFT_OK) : multiply_rows(&local, &p, a->local);
  rc = weft__dist_finish(out, p.grid, &p.call, WEFT_SHAPE(p.m, p.n), is_whole ? WEFT_DIST_WHOLE : 0, &local, rc);
done:
  weft_dist_array_release(&a_rows);
  weft_dist_array_release(&b_rows);
  weft_array_release(&local);
  return weft__dist_leave(rc);
}
