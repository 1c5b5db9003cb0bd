// SPDX-License-Identifier: MIT
#include "primitive.h"

typedef weft_array *views[MAX_OPERANDS];

static weft_array *const *operands_of(primitive *p, views arrays) {
  for (int k = 0; k < p->t.operands; k++) arrays[k] = VIEW(k);
  return arrays;
}

/// Results that are views of their operand, in an array.
static weft_status into_views(primitive *p, weft_status rc, weft_array **outs) {
  for (int k = 0; k < p->t.results; k++) INTO(k) = outs[k];
  return rc;
}

static weft_status split_at(primitive *p) {
  views outs = {NULL};
  const param *positions = list_of(p, 0);
  return into_views(p, weft_split_at(outs, VIEW(0), positions->n, positions->count, AXIS(1)), outs);
}

static weft_status split(primitive *p, bool equal) {
  views outs = {NULL};
  weft_status rc = equal ? weft_split(outs, VIEW(0), I(0), AXIS(1)) : weft_array_split(outs, VIEW(0), I(0), AXIS(1));
  return into_views(p, rc, outs);
}

static weft_status meshgrid(primitive *p) {
  views outs = {NULL}, arrays;
  return into_views(
      p, weft_meshgrid(outs, operands_of(p, arrays), p->t.operands, .indexing = (weft_indexing)I(0), .sparse = I(1)),
      outs);
}

static weft_status broadcast_arrays(primitive *p) {
  views outs = {NULL}, arrays;
  return into_views(p, weft_broadcast_arrays(outs, operands_of(p, arrays), p->t.operands), outs);
}

static weft_status at_least(primitive *p) {
  return weft__atleast_at(&INTO(0), VIEW(0), (int)I(0), WEFT_SITE);
}

/// Parameter: which of vstack, hstack, dstack, column_stack.
static weft_status joined(primitive *p) {
  views arrays;
  weft_array *const *list = operands_of(p, arrays);
  const int64_t count = p->t.operands;
  return I(0) == 0   ? weft_vstack(R(0), list, count)
         : I(0) == 1 ? weft_hstack(R(0), list, count)
         : I(0) == 2 ? weft_dstack(R(0), list, count)
                     : weft_column_stack(R(0), list, count);
}

/// Parameter 0: whether the second and third operand are given; then n and the axis.
static weft_status diff_between(primitive *p) {
  return weft_diff(R(0), X(0), AXIS(2), .n = (int)I(1), .prepend = I(0) & 1 ? VIEW(1) : NULL,
                   .append = I(0) & 2 ? VIEW(p->t.operands - 1) : NULL);
}

static weft_status ediff1d(primitive *p) {
  return weft_ediff1d(R(0), X(0), .to_begin = I(0) & 1 ? VIEW(1) : NULL,
                      .to_end = I(0) & 2 ? VIEW(p->t.operands - 1) : NULL);
}

/// A new view as a result must become an array of the driver's; indices out of range are reported by a wait.
static weft_status edited(primitive *p, weft_status rc) {
  return rc || !p->t.status ? rc : weft_context_wait(judge.context);
}

#define CALLS_REARRANGE(C)                                                                        \
  C(concatenate, weft_concatenate(R(0), operands_of(p, (views){NULL}), p->t.operands, AXIS(0)))   \
  C(stack, weft_stack(R(0), operands_of(p, (views){NULL}), p->t.operands, AXIS(0)))               \
  C(split, split(p, true))                                                                        \
  C(array_split, split(p, false))                                                                 \
  C(split_at, split_at(p))                                                                        \
  C(repeat, weft_repeat(R(0), X(0), I(0), AXIS(1)))                                               \
  C(repeat_each, weft_repeat(R(0), X(0), X(1), AXIS(0)))                                          \
  C(tile, weft_tile(R(0), X(0), SHAPE(0)))                                                        \
  C(roll, weft_roll(R(0), X(0), I(0), AXIS(1)))                                                   \
  C(roll_axes, weft_roll(R(0), X(0), SHAPE(0), AXES(1)))                                          \
  C(pad, weft_pad(R(0), X(0), SHAPE(0), SHAPE(1), .mode = (weft_pad_mode)I(2)))                   \
  C(pad_constant, weft_pad(R(0), X(0), SHAPE(0), SHAPE(1), .value = scalar_of(p, 2)))             \
  C(tril, weft_tril(R(0), X(0), .k = I(0)))                                                       \
  C(triu, weft_triu(R(0), X(0), .k = I(0)))                                                       \
  C(diag, weft_diag(R(0), X(0), .k = I(0)))                                                       \
  C(tri, weft_tri(&INTO(0), judge.context, (weft_dtype)I(0), I(1), .columns = I(2), .k = I(3)))   \
  C(indices, weft_indices(R(0), judge.context, (weft_dtype)I(0), SHAPE(1)))                       \
  C(tril_indices, weft_tril_indices(R(0), R(1), judge.context, I(0), .columns = I(1), .k = I(2))) \
  C(triu_indices, weft_triu_indices(R(0), R(1), judge.context, I(0), .columns = I(1), .k = I(2))) \
  C(diag_indices, weft_diag_indices(R(0), R(1), judge.context, I(0), .columns = I(1), .k = I(2))) \
  C(resize, weft_resize(R(0), X(0), SHAPE(0)))                                                    \
  C(joined, joined(p))                                                                            \
  C(append, weft_append(R(0), X(0), X(1), AXIS(0)))                                               \
  C(insert, weft_insert(R(0), X(0), X(1), X(2), AXIS(0)))                                         \
  C(delete, edited(p, weft_delete(R(0), X(0), X(1), AXIS(0))))                                    \
  C(trim_zeros, weft_trim_zeros(&INTO(0), VIEW(0), .keep_front = I(0), .keep_back = I(1)))        \
  C(at_least, at_least(p))                                                                        \
  C(broadcast_arrays, broadcast_arrays(p))                                                        \
  C(view_part, weft__view_part_at(&INTO(0), VIEW(0), I(0), WEFT_SITE))                            \
  C(diff_between, diff_between(p))                                                                \
  C(ediff1d, ediff1d(p))                                                                          \
  C(gradient, weft_gradient(R(0), X(0), AXIS(0), .spacing = F(1), .edge_order = (int)I(2),        \
                            .coordinates = p->t.operands > 1 ? VIEW(1) : NULL))                   \
  C(unwrap, weft_unwrap(R(0), X(0), AXIS(0), .period = F(1), .discont = F(2)))                    \
  C(eye, weft_eye(&INTO(0), judge.context, (weft_dtype)I(0), I(1), .columns = I(2), .k = I(3)))   \
  C(diff, weft_diff(R(0), X(0), AXIS(1), .n = (int)I(0)))                                         \
  C(packbits, weft_packbits(R(0), X(0), AXIS(0), .little = I(1)))                                 \
  C(unpackbits, weft_unpackbits(R(0), X(0), AXIS(1), .count = I(0), .little = I(2)))              \
  C(moveaxis, weft_moveaxis(&INTO(0), VIEW(0), (int)I(0), (int)I(1)))                             \
  C(swapaxes, weft_swapaxes(&INTO(0), VIEW(0), (int)I(0), (int)I(1)))                             \
  C(rot90, weft_rot90(&INTO(0), VIEW(0), I(0), WEFT_AXES((int)I(1), (int)I(2))))                  \
  C(diagonal, weft_diagonal(&INTO(0), VIEW(0), WEFT_AXES((int)I(1), (int)I(2)), .k = I(0)))       \
  C(meshgrid, meshgrid(p))

CALLS_REARRANGE(DEFINE_CALL)
const call_row calls_of_rearrange[] = {CALLS_REARRANGE(CALL_ROW){NULL, NULL}};
