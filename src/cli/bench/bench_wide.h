// SPDX-License-Identifier: MIT
/// Shared by the files of `weft bench wide` and `weft bench shapes`. A row is a call of one public function; its text
/// says which operands it needs (w->NAME), so that a row takes one line. An operand is made when a row needs it.
/// tests/bench/peer_rows.py and peer_shapes.py have the peers' calls by the same names.
#ifndef WEFT_CLI_BENCH_WIDE_H
#define WEFT_CLI_BENCH_WIDE_H

#include <math.h>

#include "base/error.h"
#include "cli/base/cli.h"

typedef struct wide wide;

#define WIDE_STORED WEFT_SHAPE(w->n / 16, w->n / 16) /* of a sparse matrix with 16 stored elements in a row */

/// n: the size. s: columns of the matrices [rows, s], a power of two near the root of n. q: length of the first two
/// axes of the cube [q, q, n / q^2].
// clang-format off
#define WIDE_OPERANDS(X) \
  X(weft_array, a, weft_uniform(out, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 0, 1)) \
  X(weft_array, b, weft_uniform(out, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 0, 1)) \
  X(weft_array, same, weft_copy(out, w->a)) \
  X(weft_array, x, weft_normal(out, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 0, 1)) \
  X(weft_array, g, weft_uniform(out, w->rng, WEFT_F32, WEFT_SHAPE(w->n), 1, 8)) \
  X(weft_array, d, weft_cast(out, w->a, WEFT_F64)) \
  X(weft_array, e, weft_cast(out, w->b, WEFT_F64)) \
  X(weft_array, h, weft_cast(out, w->a, WEFT_F16)) \
  X(weft_array, c, weft_cast(out, w->a, WEFT_C64)) \
  X(weft_array, nans, weft_where(out, w->rare, NAN, w->b)) \
  X(weft_array, mask, weft_greater(out, w->a, 0.5f)) \
  X(weft_array, rare, weft_greater(out, w->a, 0.99f)) \
  X(weft_array, unset, weft_zeros(out, w->context, WEFT_BOOL, WEFT_SHAPE(w->n))) \
  X(weft_array, u8, weft_integers(out, w->rng, WEFT_U8, WEFT_SHAPE(w->n), 0, 256)) \
  X(weft_array, u16, weft_integers(out, w->rng, WEFT_U16, WEFT_SHAPE(w->n), 0, 65536)) \
  X(weft_array, u32, weft_integers(out, w->rng, WEFT_U32, WEFT_SHAPE(w->n), 0, INT64_C(1) << 32)) \
  X(weft_array, i32, weft_integers(out, w->rng, WEFT_I32, WEFT_SHAPE(w->n), 0, 1000000)) \
  X(weft_array, k32, weft_integers(out, w->rng, WEFT_I32, WEFT_SHAPE(w->n), 1, 1000)) \
  X(weft_array, bits, weft_integers(out, w->rng, WEFT_I32, WEFT_SHAPE(w->n), 0, 16)) \
  X(weft_array, i64, weft_integers(out, w->rng, WEFT_I64, WEFT_SHAPE(w->n), -1000000000, 1000000000)) \
  X(weft_array, k64, weft_integers(out, w->rng, WEFT_I64, WEFT_SHAPE(w->n), 1, 1000)) \
  X(weft_array, small, weft_uniform(out, w->rng, WEFT_F32, WEFT_SHAPE(1000), 0, 1)) \
  X(weft_array, kernel, weft_uniform(out, w->rng, WEFT_F32, WEFT_SHAPE(9), 0, 1)) \
  X(weft_array, window, weft_uniform(out, w->rng, WEFT_F32, WEFT_SHAPE(5, 5), 0, 1)) \
  X(weft_array, poly, weft_uniform(out, w->rng, WEFT_F32, WEFT_SHAPE(8), 0, 1)) \
  X(weft_array, table, weft_integers(out, w->rng, WEFT_I32, WEFT_SHAPE(w->n / 16), 0, 1000000)) \
  X(weft_array, row, weft_uniform(out, w->rng, WEFT_F32, WEFT_SHAPE(w->s), 0, 1)) \
  X(weft_array, column, weft_uniform(out, w->rng, WEFT_F32, WEFT_SHAPE(w->rows, 1), 0, 1)) \
  X(weft_array, m, wide_part(out, w->a, WEFT_SHAPE(w->rows, w->s))) \
  X(weft_array, m2, wide_part(out, w->b, WEFT_SHAPE(w->rows, w->s))) \
  X(weft_array, mx, wide_part(out, w->x, WEFT_SHAPE(w->rows, w->s))) \
  X(weft_array, md, wide_part(out, w->d, WEFT_SHAPE(w->rows, w->s))) \
  X(weft_array, mc, wide_part(out, w->c, WEFT_SHAPE(w->rows, w->s))) \
  X(weft_array, blobs, wide_part(out, w->mask, WEFT_SHAPE(w->rows, w->s))) \
  X(weft_array, turned, weft_transpose(out, w->m, WEFT_ALL_AXES)) \
  X(weft_array, beside_turned, wide_part(out, w->b, WEFT_SHAPE(w->s, w->rows))) \
  X(weft_array, turned_f16, wide_turned(out, w->h, WEFT_SHAPE(w->rows, w->s), WEFT_AXES(1, 0))) \
  X(weft_array, turned_u8, wide_turned(out, w->u8, WEFT_SHAPE(w->rows, w->s), WEFT_AXES(1, 0))) \
  X(weft_array, cube, wide_part(out, w->b, w->cube_shape)) \
  X(weft_array, cube_021, weft_transpose(out, w->cube, WEFT_AXES(0, 2, 1))) \
  X(weft_array, cube_210, weft_transpose(out, w->cube, WEFT_AXES(2, 1, 0))) \
  X(weft_array, cube_102, weft_transpose(out, w->cube, WEFT_AXES(1, 0, 2))) \
  X(weft_array, cube_120, weft_transpose(out, w->cube, WEFT_AXES(1, 2, 0))) \
  X(weft_array, third, weft_view(out, w->a, "::3")) \
  X(weft_array, reverse, weft_flip(out, w->a, 0)) \
  X(weft_array, rows32, wide_part(out, w->a, WEFT_SHAPE(w->n / 32, 32))) \
  X(weft_array, rows1024, wide_part(out, w->a, WEFT_SHAPE(w->n / 1024, 1024))) \
  X(weft_array, rows65536, wide_part(out, w->a, WEFT_SHAPE(w->n / 65536, 65536))) \
  X(weft_array, three, wide_part(out, w->a, WEFT_SHAPE(w->n / 3, 3))) \
  X(weft_array, three2, wide_part(out, w->b, WEFT_SHAPE(w->n / 3, 3))) \
  X(weft_array, points, wide_part(out, w->b, WEFT_SHAPE(w->n / 2, 2))) \
  X(weft_array, packed, weft_packbits(out, w->mask, WEFT_ALL_AXES)) \
  X(weft_array, ascending, weft_sort(out, w->a, 0)) \
  X(weft_array, ascending2, weft_sort(out, w->b, 0)) \
  X(weft_array, narrow, wide_part(out, w->x, WEFT_SHAPE(w->n, 1))) \
  X(weft_array, long_row, wide_part(out, w->x, WEFT_SHAPE(1, w->n))) \
  X(weft_array, two_rows, wide_part(out, w->x, WEFT_SHAPE(2, w->n / 2))) \
  X(weft_array, pairs, wide_part(out, w->x, WEFT_SHAPE(w->n / 2, 2))) \
  X(weft_array, fours, wide_part(out, w->x, WEFT_SHAPE(w->n / 4, 4))) \
  X(weft_array, four_rows, wide_part(out, w->x, WEFT_SHAPE(4, w->n / 4))) \
  X(weft_array, eight, wide_part(out, w->x, WEFT_SHAPE(2, 2, 2, 2, 2, 2, 2, w->n / 128))) \
  X(weft_array, eight_turned, weft_transpose(out, w->eight, WEFT_AXES(7, 6, 5, 4, 3, 2, 1, 0))) \
  X(weft_array, halves, weft_view(out, w->x, "::2")) \
  X(weft_array, row_steps, weft_view(out, w->mx, ":, ::2")) \
  X(weft_array, column_steps, weft_view(out, w->mx, "::2, :")) \
  X(weft_array, stretched_down, weft_broadcast(out, w->row, WEFT_SHAPE(w->rows, w->s))) \
  X(weft_array, stretched_across, weft_broadcast(out, w->column, WEFT_SHAPE(w->rows, w->s))) \
  X(weft_array, descending, weft_sort(out, w->a, 0, .descending = true)) \
  X(weft_array, equal, weft_full(out, w->context, WEFT_F32, WEFT_SHAPE(w->n), 0.5f)) \
  X(weft_array, few, weft_cast(out, w->bits, WEFT_F32)) \
  X(weft_array, nan_rich, weft_where(out, w->mask, NAN, w->b)) \
  X(weft_array, nan_rows, wide_part(out, w->nan_rich, WEFT_SHAPE(w->rows, w->s))) \
  X(weft_array, square4, wide_part(out, w->x, WEFT_SHAPE(4, 4))) \
  X(weft_array, ascending_1000, weft_sort(out, w->small, 0)) \
  X(weft_array, few_rows, wide_part(out, w->a, WEFT_SHAPE(8, w->n / 8))) \
  X(weft_array, bins, weft_zeros(out, w->context, WEFT_F32, WEFT_SHAPE(1 << 20))) \
  X(weft_array, keys, weft_integers(out, w->rng, WEFT_I64, WEFT_SHAPE(w->n), 0, 1 << 20)) \
  X(weft_array, groups, weft_integers(out, w->rng, WEFT_I32, WEFT_SHAPE(w->n), 0, 1000)) \
  X(weft_array, choice, weft_integers(out, w->rng, WEFT_I32, WEFT_SHAPE(w->n), 0, 2)) \
  X(weft_array, offsets, weft_arange(out, w->context, WEFT_I64, 0, w->n + 1, w->n / 1000)) \
  X(weft_array, index, weft_integers(out, w->rng, WEFT_I64, WEFT_SHAPE(w->n), 0, w->n)) \
  X(weft_array, row_index, weft_integers(out, w->rng, WEFT_I64, WEFT_SHAPE(w->rows), 0, w->rows)) \
  X(weft_array, row_of, weft_integers(out, w->rng, WEFT_I64, WEFT_SHAPE(w->n), 0, w->rows)) \
  X(weft_array, column_of, weft_integers(out, w->rng, WEFT_I64, WEFT_SHAPE(w->n), 0, w->s)) \
  X(weft_array, order, weft_argsort(out, w->m, 1)) \
  X(weft_array, target, weft_zeros(out, w->context, WEFT_F32, WEFT_SHAPE(w->n))) \
  X(weft_array, target2, weft_zeros(out, w->context, WEFT_F32, WEFT_SHAPE(w->n))) \
  X(weft_array, target_m, wide_part(out, w->target, WEFT_SHAPE(w->rows, w->s))) \
  X(weft_array, places, weft_uniform(out, w->rng, WEFT_F32, WEFT_SHAPE(2, w->rows, w->s), 0, (double)w->s - 1)) \
  X(weft_array, affine, weft_eval(out, w->context, "0.9 * c + 0.1", WEFT_NAMED("c", w->covariance))) \
  X(weft_array, covariance, weft_eye(out, w->context, WEFT_F32, 2)) \
  X(weft_array, sq, wide_part(out, w->a, WEFT_SHAPE(w->s, w->s))) \
  X(weft_array, sq2, wide_part(out, w->b, WEFT_SHAPE(w->s, w->s))) \
  X(weft_array, sq_part, wide_part(out, w->a, WEFT_SHAPE(w->s / 5, w->s / 5))) \
  X(weft_array, sq_f16, weft_cast(out, w->sq, WEFT_F16)) \
  X(weft_array, sq_bf16, weft_cast(out, w->sq, WEFT_BF16)) \
  X(weft_array, sq_f64, weft_cast(out, w->sq, WEFT_F64)) \
  X(weft_array, sq_c64, weft_cast(out, w->sq, WEFT_C64)) \
  X(weft_array, sq_i8, weft_integers(out, w->rng, WEFT_I8, WEFT_SHAPE(w->s, w->s), -8, 8)) \
  X(weft_array, many16, wide_part(out, w->a, WEFT_SHAPE(w->n / 256, 16, 16))) \
  X(weft_array, many64, wide_part(out, w->a, WEFT_SHAPE(w->n / 4096, 64, 64))) \
  X(weft_array, many256, wide_part(out, w->a, WEFT_SHAPE(w->n / 65536, 256, 256))) \
  X(weft_array, fft256, wide_part(out, w->c, WEFT_SHAPE(w->n / 256, 256))) \
  X(weft_array, fft4096, wide_part(out, w->c, WEFT_SHAPE(w->n / 4096, 4096))) \
  X(weft_array, fft65536, wide_part(out, w->c, WEFT_SHAPE(w->n / 65536, 65536))) \
  X(weft_array, cube_c64, wide_part(out, w->c, w->cube_shape)) \
  X(weft_array, full, wide_system(out, w, WEFT_SHAPE(w->side, w->side), false)) \
  X(weft_array, spd, wide_system(out, w, WEFT_SHAPE(w->side, w->side), true)) \
  X(weft_array, right, weft_uniform(out, w->rng, WEFT_F32, WEFT_SHAPE(w->side, 4), 0, 1)) \
  X(weft_array, full_small, wide_system(out, w, WEFT_SHAPE(w->less, w->less), false)) \
  X(weft_array, spd_small, wide_system(out, w, WEFT_SHAPE(w->less, w->less), true)) \
  X(weft_array, tall, weft_uniform(out, w->rng, WEFT_F32, WEFT_SHAPE(4 * w->less, w->less), 0, 1)) \
  X(weft_array, tall_right, weft_uniform(out, w->rng, WEFT_F32, WEFT_SHAPE(4 * w->less), 0, 1)) \
  X(weft_array, full32, wide_system(out, w, WEFT_SHAPE(w->n / 4096, 32, 32), false)) \
  X(weft_array, spd32, wide_system(out, w, WEFT_SHAPE(w->n / 4096, 32, 32), true)) \
  X(weft_array, right32, weft_uniform(out, w->rng, WEFT_F32, WEFT_SHAPE(w->n / 4096, 32, 4), 0, 1)) \
  X(weft_array, factors, weft_lu_factor(out, &w->pivots, w->full)) \
  X(weft_array, mean, weft_zeros(out, w->context, WEFT_F32, WEFT_SHAPE(2))) \
  X(weft_array, weights, weft_uniform(out, w->rng, WEFT_F32, WEFT_SHAPE(4), 1, 2)) \
  X(weft_array, values, wide_part(out, w->x, WEFT_SHAPE(w->n / 16 * 16))) \
  X(weft_array, stored_in, weft_eval(out, w->context, "i32(i % 16 * w + r)", WEFT_NAMED("i", w->numbers), \
    WEFT_NAMED("w", w->n / 256), WEFT_NAMED("r", w->within))) \
  X(weft_array, within, weft_integers(out, w->rng, WEFT_I64, WEFT_SHAPE(w->n / 16 * 16), 0, w->n / 256)) \
  X(weft_array, stored_at, weft_floor_divide(out, w->numbers, 16)) \
  X(weft_array, starts, weft_arange(out, w->context, WEFT_I64, 0, w->n / 16 * 16 + 1, 16)) \
  X(weft_array, near, weft_eval(out, w->context, "minimum(maximum(i // 16 - 8, 0), last) + i % 16", \
    WEFT_NAMED("i", w->numbers), WEFT_NAMED("last", w->n / 16 - 16))) \
  X(weft_array, numbers, weft_arange(out, w->context, WEFT_I64, 0, w->n / 16 * 16, 1)) \
  X(weft_array, mostly_zero, weft_where(out, w->scattered, w->m2, 0.0f)) \
  X(weft_array, scattered, weft_less(out, w->m, 0.01f)) \
  X(weft_array, vector, weft_uniform(out, w->rng, WEFT_F32, WEFT_SHAPE(w->n / 16), 0, 1)) \
  X(weft_csr, csr, weft_csr_create(out, w->context, w->starts, w->stored_in, w->values, WIDE_STORED)) \
  X(weft_csr, band, weft_csr_create(out, w->context, w->starts, w->near, w->values, WIDE_STORED)) \
  X(weft_csr, csr_m, weft_csr_from_dense(out, w->context, w->mostly_zero)) \
  X(weft_ufunc, user, weft_ufunc_create(out, .signatures = "f32(f32 a, f32 b)", .expression = "exp(a) * b + a"))
// clang-format on

struct wide {
  weft_context *context;
  weft_rng *rng;
  int64_t n, s, rows;
  weft_shape cube_shape; /* [q, q, n / q^2] */
  int64_t side, less;    /* rows of the matrices that are factored, and of those whose singular values are computed */
  weft_array *pivots;    /* of factors */
#define WIDE_MEMBER(type, name, ...) type *name;
  WIDE_OPERANDS(WIDE_MEMBER)
#undef WIDE_MEMBER
  /* results, released after each call */
  weft_array *y, *y2, *y3, *parts[8];
  weft_csr *matrix;
  bool answer;
};

typedef struct wide_row {
  const char *name; /* NULL at the end of a table */
  const char *call; /* its text */
  weft_status (*run)(wide *w);
} wide_row;

/* A file of rows has a list ROWS(X) of X(name, call), and then WIDE_TABLE(its table). A name begins with its function's
   without weft_. */
#define WIDE_CALL(name, ...)                \
  static weft_status call_##name(wide *w) { \
    return __VA_ARGS__;                     \
  }
#define WIDE_ROW(name, ...) {#name, #__VA_ARGS__, call_##name},
#define WIDE_TABLE(table) \
  ROWS(WIDE_CALL)         \
  const wide_row table[] = {ROWS(WIDE_ROW){NULL, NULL, NULL}};

extern const wide_row wide_functions[], wide_reductions[], wide_arrays[], wide_matrices[], wide_filters[],
    wide_random[], wide_shapes[];

/// The first elements of x in another shape; WEFT_ERROR_UNSUPPORTED where x has too few.
weft_status wide_part(weft_array **out, const weft_array *x, weft_shape shape);
/// wide_part with its axes in another order: a view.
weft_status wide_turned(weft_array **out, const weft_array *x, weft_shape shape, weft_axes axes);
/// Square matrices with a large diagonal; symmetric ones are positive definite.
weft_status wide_system(weft_array **out, const wide *w, weft_shape shape, bool is_symmetric);

/// Makes the operands that the text of a call needs.
weft_status wide_need(wide *w, const char *call);
/// Their size, each counted once.
uint64_t wide_operand_bytes(const wide *w, const char *call);
/// The size of what a sparse matrix stores; 0 of NULL.
uint64_t wide_csr_bytes(const weft_csr *matrix);
void wide_release_operands(wide *w);

#endif
