// SPDX-License-Identifier: MIT
// The programs about arrays that are joined, split, repeated and rotated.
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_programs.h"

/// Calls that move elements, with two kernels for all of them: new results, given results, results over their operands
/// and in host memory.
int program_moved(int argc, char **argv) {
  int status = 0;
  const uint8_t data[] = {0, 1, 2};
  uint8_t host[6];
  weft_context *context = NULL;
  weft_array *x = NULL, *both = NULL, *pile = NULL, *twice = NULL, *tiles = NULL, *framed = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_from_host(&x, context, WEFT_U8, WEFT_SHAPE(3), data));
  weft_array *const parts[] = {x, x};
  MAKE(&pile, weft_stack(&pile, parts, 2, 1));
  TRY(weft_roll(WEFT_HOST_OUT(host, WEFT_U8, WEFT_SHAPE(3, 2)), pile, WEFT_SHAPE(1, 0), WEFT_AXES(0, 1)));
  KEPT(host[0] == 2 && host[1] == 2 && host[2] == 0);
  MAKE(&both, weft_concatenate(&both, parts, 2, 0));
  TRY(weft_roll(&both, both, 2, 0));
  TRY(weft_to_host(host, sizeof host, both));
  KEPT(host[0] == 1 && host[1] == 2 && host[2] == 0 && host[5] == 0);
  MAKE(&twice, weft_repeat(&twice, x, 2, 0));
  MAKE(&tiles, weft_tile(&tiles, x, WEFT_SHAPE(2)));
  MAKE(&framed, weft_pad(&framed, x, WEFT_SHAPE(1), WEFT_SHAPE(1), .mode = WEFT_PAD_REFLECT));
  TRY(weft_pad(&framed, x, WEFT_SHAPE(2), WEFT_SHAPE(0), .value = WEFT_SCALAR(7)));
  FAILS(WEFT_ERROR_SHAPE, weft_concatenate(&framed, parts, 2, 0));
  TRY(weft_context_wait(context));

done:
  fault_leave();
  weft_array_release(&framed);
  weft_array_release(&tiles);
  weft_array_release(&twice);
  weft_array_release(&both);
  weft_array_release(&pile);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

/// Matrices, differences, bits, and counts that the host must read.
int program_matrices(int argc, char **argv) {
  int status = 0;
  const int64_t counts[] = {2, 0, 1};
  const int32_t data[] = {4, 5, 9};
  int32_t host[9];
  weft_context *context = NULL;
  weft_array *x = NULL, *some = NULL, *matrix = NULL, *eye = NULL, *steps = NULL, *bits = NULL, *wide = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_from_host(&x, context, WEFT_I32, WEFT_SHAPE(3), data));
  MAKE(&matrix, weft_diag(&matrix, x));
  TRY(weft_tril(&matrix, matrix));
  TRY(weft_triu(WEFT_HOST_OUT(host, WEFT_I32, WEFT_SHAPE(3, 3)), matrix));
  KEPT(host[0] == 4 && host[1] == 0 && host[3] == 0 && host[8] == 9);
  MAKE(&eye, weft_eye(&eye, context, WEFT_I32, 2));
  MAKE(&steps, weft_diff(&steps, x, 0));
  MAKE(&some, weft_repeat(&some, x, WEFT_HOST(counts, WEFT_I64, WEFT_SHAPE(3)), 0));
  TRY(weft_to_host(host, 3 * sizeof *host, some));
  KEPT(host[0] == 4 && host[1] == 4 && host[2] == 9);
  MAKE(&bits, weft_packbits(&bits, x, 0));
  MAKE(&wide, weft_unpackbits(&wide, bits, 0, .count = 3));

done:
  fault_leave();
  weft_array_release(&wide);
  weft_array_release(&bits);
  weft_array_release(&steps);
  weft_array_release(&eye);
  weft_array_release(&matrix);
  weft_array_release(&some);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

/// Views: all of them or none.
int program_parted(int argc, char **argv) {
  int status = 0;
  weft_context *context = NULL;
  weft_array *x = NULL, *part[3] = {NULL}, *view = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_zeros(&x, context, WEFT_U8, WEFT_SHAPE(6, 2)));
#define PARTS(call)                                                              \
  do {                                                                           \
    weft_status parted_ = (call);                                                \
    for (int k = 0; k < 3; k++) KEPT((part[k] != NULL) == (parted_ == WEFT_OK)); \
    TRY(parted_);                                                                \
    for (int k = 0; k < 3; k++) weft_array_release(&part[k]);                    \
  } while (0)
  PARTS(weft_split(part, x, 3, 0));
  PARTS(weft_array_split(part, x, 3, 1));
  PARTS(weft_split_at(part, x, ((const int64_t[]){1, 3}), 2, 0));
  MAKE(&view, weft_moveaxis(&view, x, 0, 1));
  weft_array_release(&view);
  MAKE(&view, weft_swapaxes(&view, x, 0, 1));
  weft_array_release(&view);
  MAKE(&view, weft_rot90(&view, x, 1, WEFT_AXES(0, 1)));
  weft_array_release(&view);
  MAKE(&view, weft_diagonal(&view, x, WEFT_AXES(0, 1)));
  weft_array *const same[] = {view, view, view};
  PARTS(weft_meshgrid(part, same, 3));
  PARTS(weft_broadcast_arrays(part, same, 3));
  weft_array_release(&view);
  MAKE(&view, weft_atleast_3d(&view, x));
  weft_array_release(&view);
  MAKE(&view, weft_atleast_2d(&view, x));
  weft_array_release(&view);
  MAKE(&view, weft_atleast_1d(&view, x));
  weft_array_release(&view);
  MAKE(&view, weft_view_real(&view, x));
  weft_array_release(&view);
  FAILS(WEFT_ERROR_DTYPE, weft_view_imag(&view, x));

done:
  fault_leave();
  for (int k = 0; k < 3; k++) weft_array_release(&part[k]);
  weft_array_release(&view);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

/// Elements added and removed, positions that the host reads, indices of triangles.
int program_edits(int argc, char **argv) {
  int status = 0;
  const int64_t places[] = {3, 0};
  int32_t host[5];
  weft_context *context = NULL;
  weft_array *x = NULL, *more = NULL, *less = NULL, *rows = NULL, *columns = NULL, *kept = NULL, *pile = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_arange(&x, context, WEFT_I32, 0, 3, 1));
  MAKE(&more, weft_insert(&more, x, WEFT_HOST(places, WEFT_I64, WEFT_SHAPE(2)), 7, 0));
  TRY(weft_to_host(host, sizeof host, more));
  KEPT(host[0] == 7 && host[1] == 0 && host[4] == 7);
  MAKE(&less, weft_delete(&less, more, WEFT_HOST(places, WEFT_I64, WEFT_SHAPE(2)), 0));
  TRY(weft_append(WEFT_HOST_OUT(host, WEFT_I32, WEFT_SHAPE(4)), less, 5, WEFT_ALL_AXES));
  KEPT(host[0] == 0 && host[1] == 1 && host[3] == 5);
  FAILS(WEFT_ERROR_INDEX, weft_insert(&x, more, 9, 0, 0));
  MAKE(&kept, weft_trim_zeros(&kept, x));
  TRY(weft_resize(&more, x, WEFT_SHAPE(5)));
  weft_status rc = weft_tril_indices(&rows, &columns, context, 2);
  KEPT((rows != NULL) == (rc == WEFT_OK) && (columns != NULL) == (rc == WEFT_OK));
  TRY(rc);
  TRY(weft_triu_indices(&rows, &columns, context, 2));
  TRY(weft_diag_indices(&rows, &columns, context, 3, .columns = 3));
  TRY(weft_indices(WEFT_HOST_OUT(host, WEFT_I32, WEFT_SHAPE(2, 1, 2)), context, WEFT_I32, WEFT_SHAPE(1, 2)));
  KEPT(host[0] == 0 && host[1] == 0 && host[3] == 1);
  weft_array *const parts[] = {x, x};
  MAKE(&pile, weft_vstack(&pile, parts, 2));
  TRY(weft_tri(&pile, context, WEFT_I32, 2, .columns = 3));
  weft_array_release(&pile);
  MAKE(&pile, weft_hstack(&pile, parts, 2));
  weft_array_release(&pile);
  MAKE(&pile, weft_dstack(&pile, parts, 2));
  weft_array_release(&pile);
  MAKE(&pile, weft_column_stack(&pile, parts, 2));

done:
  fault_leave();
  weft_release(&pile, &kept, &columns, &rows, &less, &more, &x);
  weft_context_release(&context);
  return status;
}

/// Differences between neighbours.
int program_neighbours(int argc, char **argv) {
  int status = 0;
  float host[4];
  weft_context *context = NULL;
  weft_array *x = NULL, *zero = NULL, *steps = NULL, *slope = NULL, *phase = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_arange(&x, context, WEFT_F32, 0, 4, 1));
  MAKE(&zero, weft_zeros(&zero, context, WEFT_F32, WEFT_SHAPE_0D));
  MAKE(&steps, weft_ediff1d(&steps, x, .to_end = zero));
  TRY(weft_diff(&steps, x, 0, .prepend = zero));
  MAKE(&slope, weft_gradient(&slope, x, 0, .edge_order = 2));
  MAKE(&phase, weft_unwrap(&phase, x, 0, .period = 2));
  TRY(weft_to_host(host, sizeof host, slope));
  KEPT(host[0] == 1 && host[3] == 1);

done:
  fault_leave();
  weft_release(&phase, &slope, &steps, &zero, &x);
  weft_context_release(&context);
  return status;
}

/// Polynomials, windows, powers, and elements that are placed.
int program_polynomials(int argc, char **argv) {
  int status = 0;
  float host[3];
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL, *mask = NULL, *fit = NULL, *part[2] = {NULL}, *window = NULL, *table = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_logspace(&x, context, WEFT_F32, 0, 2, 3, .base = 2));
  TRY(weft_geomspace(&x, context, WEFT_F32, 1, 4, 3));
  MAKE(&y, weft_polyval(&y, x, x));
  MAKE(&fit, weft_polyfit(&fit, x, y, 1));
  MAKE(&table, weft_vander(&table, x));
  TRY(weft_fill_diagonal(table, 0));
  MAKE(&window, weft_hanning(&window, context, WEFT_F32, 3));
  TRY(weft_hamming(&window, context, WEFT_F32, 3));
  TRY(weft_blackman(&window, context, WEFT_F32, 3));
  TRY(weft_kaiser(&window, context, WEFT_F32, 3, 8));
  TRY(weft_bartlett(&window, context, WEFT_F32, 3));
  TRY(weft_to_host(host, sizeof host, window));
  KEPT(host[0] == 0 && host[1] == 1 && host[2] == 0);
  MAKE(&mask, weft_isfinite(&mask, x));
  TRY(weft_place(x, mask, 1));
  TRY(weft_putmask(x, mask, window));
  weft_array_release(&y);
  MAKE(&y, weft_arange(&y, context, WEFT_I64, 0, 3, 1));
  TRY(weft_ravel_multi_index(&y, WEFT_SHAPE(3, 4), y, 2));
  weft_status rc = weft_unravel_index(part, y, WEFT_SHAPE(3, 4));
  KEPT((part[0] != NULL) == (rc == WEFT_OK) && (part[1] != NULL) == (rc == WEFT_OK));
  TRY(rc);

done:
  fault_leave();
  weft_release(&table, &window, &part[0], &part[1], &fit, &mask, &y, &x);
  weft_context_release(&context);
  return status;
}
