// SPDX-License-Identifier: MIT
/// Rows of `weft bench wide`: arrays made, moved, chosen from and joined.
#include "cli/bench/bench_wide.h"

// clang-format off
#define ROWS(X) \
  X(full, weft_full(&w->y, w->context, WEFT_F32, WEFT_SHAPE(w->n), 1.0f)) \
  X(zeros, weft_zeros(&w->y, w->context, WEFT_F32, WEFT_SHAPE(w->n))) \
  X(ones, weft_ones(&w->y, w->context, WEFT_F32, WEFT_SHAPE(w->n))) \
  X(empty, weft_empty(&w->y, w->context, WEFT_F32, WEFT_SHAPE(w->n))) \
  X(full_like, weft_full_like(&w->y, w->a, 1.0f)) \
  X(zeros_like, weft_zeros_like(&w->y, w->a)) \
  X(ones_like, weft_ones_like(&w->y, w->a)) \
  X(empty_like, weft_empty_like(&w->y, w->a)) \
  X(fill, weft_fill(w->target, 1.0f)) \
  X(arange, weft_arange(&w->y, w->context, WEFT_F32, 0, w->n, 1)) \
  X(linspace, weft_linspace(&w->y, w->context, WEFT_F32, 0, 1, w->n)) \
  X(logspace, weft_logspace(&w->y, w->context, WEFT_F32, 0, 1, w->n)) \
  X(geomspace, weft_geomspace(&w->y, w->context, WEFT_F32, 1, 1000, w->n)) \
  X(eye, weft_eye(&w->y, w->context, WEFT_F32, w->s)) \
  X(tri, weft_tri(&w->y, w->context, WEFT_F32, w->s)) \
  X(tril_indices, weft_tril_indices(&w->y, &w->y2, w->context, w->s)) \
  X(triu_indices, weft_triu_indices(&w->y, &w->y2, w->context, w->s)) \
  X(diag_indices, weft_diag_indices(&w->y, &w->y2, w->context, w->s)) \
  X(indices, weft_indices(&w->y, w->context, WEFT_I64, WEFT_SHAPE(w->s, w->s))) \
  X(copy, weft_copy(&w->y, w->a)) \
  X(copy_turned, weft_copy(&w->y, w->turned)) \
  X(copy_turned_u8, weft_copy(&w->y, w->turned_u8)) \
  X(copy_turned_f16, weft_copy(&w->y, w->turned_f16)) \
  X(copy_021, weft_copy(&w->y, w->cube_021)) \
  X(copy_210, weft_copy(&w->y, w->cube_210)) \
  X(copy_102, weft_copy(&w->y, w->cube_102)) \
  X(copy_120, weft_copy(&w->y, w->cube_120)) \
  X(copy_every_third, weft_copy(&w->y, w->third)) \
  X(copy_reverse, weft_copy(&w->y, w->reverse)) \
  X(take, weft_take(&w->y, w->a, w->index, 0)) \
  X(take_clip, weft_take(&w->y, w->a, w->index, 0, .mode = WEFT_INDEX_CLIP)) \
  X(take_rows, weft_take(&w->y, w->m, w->row_index, 0)) \
  X(take_along_axis, weft_take_along_axis(&w->y, w->m, w->order, 1)) \
  X(at, weft_at(&w->y, w->m, w->row_of, w->column_of)) \
  X(take_many, weft_take_many(w->parts, ((const weft_array *const[]){w->a, w->b}), 2, w->index)) \
  X(put, weft_put(w->target, w->index, w->a)) \
  X(put_value, weft_put(w->target, w->index, 1.5f)) \
  X(put_along_axis, weft_put_along_axis(w->target_m, w->order, w->m, 1)) \
  X(put_many, weft_put_many( \
    ((weft_array *[]){w->target, w->target2}), ((const weft_array *const[]){w->a, w->b}), 2, w->index)) \
  X(scatter, weft_scatter(w->target, w->index, w->a, 0)) \
  X(scatter_add, weft_scatter_add(w->bins, w->keys, w->a, 0)) \
  X(scatter_min, weft_scatter_min(w->bins, w->keys, w->a, 0)) \
  X(scatter_max, weft_scatter_max(w->bins, w->keys, w->a, 0)) \
  X(assign, weft_assign(w->target, w->mask, w->a)) \
  X(place, weft_place(w->target, w->mask, w->small)) \
  X(putmask, weft_putmask(w->target, w->mask, w->small)) \
  X(fill_diagonal, weft_fill_diagonal(w->target_m, 1.0f)) \
  X(ravel_multi_index, weft_ravel_multi_index(&w->y, WEFT_SHAPE(w->rows, w->s), w->row_of, w->column_of)) \
  X(unravel_index, weft_unravel_index(w->parts, w->index, WEFT_SHAPE(w->rows + 1, w->s))) \
  X(compress, weft_compress(&w->y, w->mask, w->a, 0)) \
  X(partition, weft_partition(&w->y, w->mask, w->a)) \
  X(select, weft_select(&w->y, w->context, "x > 0.5", WEFT_NAMED("x", w->a))) \
  X(nonzero, weft_nonzero(&w->y, w->blobs)) \
  X(flatnonzero, weft_flatnonzero(&w->y, w->mask)) \
  X(flatnonzero_u8, weft_flatnonzero(&w->y, w->u8)) \
  X(concatenate, weft_concatenate(&w->y, ((weft_array *[]){w->a, w->b}), 2, 0)) \
  X(concatenate_axis_1, weft_concatenate(&w->y, ((weft_array *[]){w->m, w->m2}), 2, 1)) \
  X(stack, weft_stack(&w->y, ((weft_array *[]){w->a, w->b}), 2, 0)) \
  X(stack_axis_1, weft_stack(&w->y, ((weft_array *[]){w->a, w->b}), 2, 1)) \
  X(vstack, weft_vstack(&w->y, ((weft_array *[]){w->m, w->m2}), 2)) \
  X(hstack, weft_hstack(&w->y, ((weft_array *[]){w->m, w->m2}), 2)) \
  X(dstack, weft_dstack(&w->y, ((weft_array *[]){w->m, w->m2}), 2)) \
  X(column_stack, weft_column_stack(&w->y, ((weft_array *[]){w->a, w->b}), 2)) \
  X(append, weft_append(&w->y, w->a, w->b, 0)) \
  X(insert, weft_insert(&w->y, w->a, 100, 1.0f, 0)) \
  X(delete, weft_delete(&w->y, w->a, 100, 0)) \
  X(trim_zeros, weft_trim_zeros(&w->y, w->a)) \
  X(resize, weft_resize(&w->y, w->small, WEFT_SHAPE(w->n))) \
  X(repeat, weft_repeat(&w->y, w->table, 16, 0)) \
  X(tile, weft_tile(&w->y, w->row, WEFT_SHAPE(w->rows, 1))) \
  X(roll, weft_roll(&w->y, w->a, 12345, 0)) \
  X(roll_axis_1, weft_roll(&w->y, w->m, 1, 1)) \
  X(pad, weft_pad(&w->y, w->m, WEFT_SHAPE(1, 1), WEFT_SHAPE(1, 1))) \
  X(pad_reflect, weft_pad(&w->y, w->m, WEFT_SHAPE(1, 1), WEFT_SHAPE(1, 1), .mode = WEFT_PAD_REFLECT)) \
  X(tril, weft_tril(&w->y, w->m)) \
  X(triu, weft_triu(&w->y, w->m)) \
  X(diag, weft_diag(&w->y, w->row)) \
  X(packbits, weft_packbits(&w->y, w->mask, 0)) \
  X(unpackbits, weft_unpackbits(&w->y, w->packed, 0)) \
  X(diff, weft_diff(&w->y, w->a, 0)) \
  X(diff_axis_1, weft_diff(&w->y, w->m, 1)) \
  X(ediff1d, weft_ediff1d(&w->y, w->a)) \
  X(gradient, weft_gradient(&w->y, w->a, 0)) \
  X(unwrap, weft_unwrap(&w->y, w->g, 0))
// clang-format on

WIDE_TABLE(wide_arrays)
