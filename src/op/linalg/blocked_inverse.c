// SPDX-License-Identifier: MIT
/// The inverse of a factored matrix on GPUs, in few launches. A kernel inverts the diagonal blocks of L and U; products
/// of all blocks at once give the inverses of blocks of twice the side, of L up to the whole. Then rows of blocks solve
/// U X = inverse(L) by products with the inverses of U's blocks; a product with the inverse of all of U would have
/// larger errors (docs/accuracy.md).
#include <weft/matmul.h>

#include "op/linalg/blocked.h"
#include "op/linalg/tuning.h"

/// Pairs of neighbouring diagonal blocks of L or U or both, whose inverses are known: `side` and `rest` rows, the first
/// pair at row and column `at`, each behind the one before.
typedef struct pairs {
  const weft_array *lu, *inverse; /* [batch, n, n], and of L's and U's inverses, one below the other */
  int factor, factors;            /* the first: 0 for L, 1 for U; 1 or 2 of them */
  int64_t at, side, rest, count;
} pairs;

/// A block of every pair. Block [0, 1] is the triangle's corner, between the diagonal blocks: [0, 0] is the one in the
/// corner's rows, [1, 1] the one in its columns.
static weft_array block_of(const pairs *p, const weft_array *x, int row, int column) {
  const int64_t begin[] = {p->at + p->side, p->at}, length[] = {p->rest, p->side};
  const int64_t down = x->stride_bytes[x->ndim - 2], right = x->stride_bytes[x->ndim - 1];
  const int64_t of_factor = x == p->inverse ? x->shape[1] / 2 * down : 0;
  int64_t place[2];
  for (int f = 0; f < 2; f++) place[f] = f * of_factor + begin[row ^ f] * down + begin[column ^ f] * right;
  weft_array block = weft__array_borrow(x);
  block.ndim = 5;
  block.offset_bytes += place[p->factor];
  block.shape[1] = p->factors;
  block.stride_bytes[1] = place[1] - place[0];
  block.shape[2] = p->count;
  block.stride_bytes[2] = 2 * p->side * (down + right);
  block.shape[3] = length[row ^ p->factor];
  block.stride_bytes[3] = down;
  block.shape[4] = length[column ^ p->factor];
  block.stride_bytes[4] = right;
  block.size = 1;
  for (int d = 0; d < block.ndim; d++) block.size *= block.shape[d];
  return block;
}

/// The inverse of [[A, 0], [C, B]] has -inverse(B) C inverse(A) in the place of C.
static weft_status join_pairs(const pairs *p, const char *site) {
  const weft_array corner = block_of(p, p->lu, 0, 1), left = block_of(p, p->inverse, 0, 0),
                   right = block_of(p, p->inverse, 1, 1);
  weft_array out = block_of(p, p->inverse, 0, 1), *result = &out, *product = NULL;
  weft_status rc;
  WEFT__TRY(weft__block_product(&product, &corner, &right, site));
  WEFT__TRY(weft__matmul_at(WEFT_OPERAND(&result), WEFT_OPERAND(&left), WEFT_OPERAND(product),
                            &(const weft_matmul_params){.scale = WEFT_SCALAR(-1.0), .site = site}));
done:
  weft_array_release(&product);
  return rc;
}

/// Doubles the sides of the diagonal blocks of which the inverses are known.
static weft_status join_blocks(const weft_array *a, const weft_array *inverse, int factors, int64_t side,
                               const char *site) {
  const int64_t n = a->shape[1], count = n / (2 * side), at = count * 2 * side;
  const pairs whole = {a, inverse, 0, factors, 0, side, side, count};
  if (count > 0) WEFT__TRY_RETURN(join_pairs(&whole, site));
  for (int f = 0; f < factors && n - at > side; f++) {
    const pairs last = {a, inverse, f, 1, at, side, n - at - side, 1};
    WEFT__TRY_RETURN(join_pairs(&last, site));
  }
  return WEFT_OK;
}

static weft_status invert_blocks(const weft_array *a, const weft_array *inverse, int64_t side, const char *site) {
  weft__block_matrix factor = weft__block_matrix_of(inverse);
  factor.batch /= 2;
  return weft__block_run(&(weft__block_launch){.kernel = WEFT__BLOCK_LU_INVERT,
                                               .dtype = a->dtype,
                                               .chunks = weft_ceil_div((uint64_t)a->shape[1], (uint64_t)side) *
                                                         weft_ceil_div((uint64_t)side, WEFT__INVERT_COLUMNS),
                                               .args = {.m = (uint64_t)a->shape[1],
                                                        .batches = 2 * (uint64_t)a->shape[0],
                                                        .x = weft__block_matrix_of(a),
                                                        .y = factor},
                                               .arrays = 2,
                                               .array = {a, inverse},
                                               .writes = {false, true},
                                               .what = "inverse",
                                               .site = site});
}

/// U X = B for the given rows of X. B changes.
typedef struct upper {
  const weft_array *u, *inverse, *b, *x; /* [batch, n, n] each; inverse: of diagonal blocks */
  int64_t side;
  const char *site;
} upper;

static weft_status solve_upper(const upper *s, int64_t first, int64_t rows) {
  const int64_t n = s->u->shape[1];
  if (rows <= s->side) {
    const weft_array inverse = weft__block_part(s->inverse, first, rows, first, rows),
                     b = weft__block_part(s->b, first, rows, 0, n);
    weft_array x = weft__block_part(s->x, first, rows, 0, n), *out = &x;
    return weft__block_product(&out, &inverse, &b, s->site);
  }
  const int64_t h = weft__block_half(rows, s->side), below = first + h, rest = rows - h;
  const weft_array corner = weft__block_part(s->u, first, h, below, rest),
                   x = weft__block_part(s->x, below, rest, 0, n);
  weft_array b = weft__block_part(s->b, first, h, 0, n);
  WEFT__TRY_RETURN(solve_upper(s, below, rest));
  WEFT__TRY_RETURN(weft__block_subtract(&b, &corner, &x, s->site));
  return solve_upper(s, first, h);
}

static weft_status exchange_columns(const weft_array *x, const weft_array *from, const weft_array *pivots,
                                    const char *site) {
  const uint64_t n = (uint64_t)x->shape[1], batches = (uint64_t)x->shape[0];
  const uint64_t across = weft_ceil_div(n, weft__block_threads(x->context, WEFT__BLOCK_LU_COLUMNS));
  const uint64_t turns =
      weft__block_chunks(x->context, batches * across, n, WEFT__INVERT_ROWS_EACH); /* each goes by all pivots */
  return weft__block_run(
      &(weft__block_launch){.kernel = WEFT__BLOCK_LU_COLUMNS,
                            .dtype = x->dtype,
                            .chunks = turns * across,
                            .args = {.m = n,
                                     .batches = batches,
                                     .first = turns,
                                     .x = weft__block_matrix_of(from),
                                     .y = {.offset = pivots->offset_bytes, .batch = pivots->stride_bytes[0] / 4},
                                     .z = weft__block_matrix_of(x)},
                            .arrays = 3,
                            .array = {from, pivots, x},
                            .writes = {false, false, true},
                            .what = "inverse",
                            .site = site});
}

static weft_status invert(weft_array *x, const weft_array *a, const weft_array *pivots, const char *site) {
  const int64_t n = a->shape[1], batch = a->shape[0], side = weft__block_side(a->context, a->dtype);
  const int64_t block = n < WEFT__INVERT_SOLVE_SIDE ? n : WEFT__INVERT_SOLVE_SIDE;
  weft_array *inverse = NULL;
  weft_status rc;
  WEFT__TRY(weft__array_create(&inverse, a->context, a->dtype, WEFT_SHAPE(batch, 2 * (n + block), n), site));
  WEFT__TRY(invert_blocks(a, inverse, side, site));
  for (int64_t done = side; done < n; done *= 2) WEFT__TRY(join_blocks(a, inverse, done < block ? 2 : 1, done, site));
  const weft_array l = weft__block_part(inverse, 0, n, 0, n), u = weft__block_part(inverse, n + block, n, 0, n);
  /* each of its blocks of rows lies over the block of U's inverse that was used last before it */
  const weft_array solution = weft__block_part(inverse, n + 2 * block, n, 0, n);
  WEFT__TRY(solve_upper(&(upper){a, &u, &l, &solution, block, site}, 0, n));
  WEFT__TRY(exchange_columns(x, &solution, pivots, site));
done:
  weft_array_release(&inverse);
  return rc;
}

weft_status weft__blocked_getri(bool *is_done, weft_array *x, const weft_array *a, const weft_array *pivots,
                                const char *site) {
  if (a->shape[0] > INT32_MAX || a->shape[1] > INT32_MAX ||
      weft__block_threads(a->context, WEFT__BLOCK_LU_INVERT) != WEFT__GPU_BLOCK)
    return WEFT_OK;
  weft_status rc = invert(x, a, pivots, site);
  if (weft__without_memory(&rc)) return WEFT_OK; /* solutions need no memory */
  *is_done = rc == WEFT_OK;
  return rc;
}
