// SPDX-License-Identifier: MIT
// The programs about host memory in chunks: an expression of several results, reductions over a kept and a reduced
// axis, one of values that broadcast, an inner product, and .npy and .npz files that are mapped, loaded and saved.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_programs.h"

enum { ROWS = 3, COLUMNS = 700, N = ROWS * COLUMNS };

int program_chunks(int argc, char **argv) {
  int status = 0;
  static int32_t x[N], doubled[N], sums[COLUMNS];
  int64_t total = -1, product = -1;
  weft_context *context = NULL;
  weft_array *row = NULL, *shifted = NULL, *rows = NULL;
  (void)argc, (void)argv;
  setenv("WEFT_CHUNK", "4096", 1);
  for (int i = 0; i < N; i++) x[i] = i % 7;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  const weft_host h = WEFT_HOST(x, WEFT_I32, WEFT_SHAPE(ROWS, COLUMNS)), flat = WEFT_HOST(x, WEFT_I32, WEFT_SHAPE(N));
  MAKE(&row, weft_full(&row, context, WEFT_I32, WEFT_SHAPE(COLUMNS), 3));
  weft_status rc = weft_eval_all(context, "y = 2 * x; z = x + row",
                                 WEFT_NAMED("y", WEFT_HOST_OUT(doubled, WEFT_I32, WEFT_SHAPE(ROWS, COLUMNS))),
                                 WEFT_NAMED("z", &shifted), WEFT_NAMED("x", h), WEFT_VAR(row));
  KEPT((shifted != NULL) == (rc == WEFT_OK));
  TRY(rc);
  KEPT(doubled[N - 1] == 2 * x[N - 1]);
  rc = weft_reduce(WEFT_HOST_OUT(&total, WEFT_I64, WEFT_SHAPE_0D), context, "x", WEFT_ALL_AXES, WEFT_NAMED("x", flat));
  KEPT(total == (rc == WEFT_OK ? 3 * N : -1));
  TRY(rc);
  MAKE(&rows, weft_reduce(&rows, context, "x", 1, WEFT_NAMED("x", h)));
  TRY(weft_reduce(WEFT_HOST_OUT(sums, WEFT_I32, WEFT_SHAPE(COLUMNS)), context, "x", 0, WEFT_NAMED("x", h)));
  weft_array_release(&rows);
  /* the repeated `row` is computed into its own array first */
  rc = weft_reduce(WEFT_HOST_OUT(&total, WEFT_I64, WEFT_SHAPE_0D), context, "x - row", WEFT_ALL_AXES,
                   WEFT_NAMED("x", h), WEFT_VAR(row), WEFT_REDUCTION(.op = WEFT_REDUCE_SUM, .dtype = WEFT_I64));
  KEPT(total == (rc == WEFT_OK ? 0 : 3 * N));
  TRY(rc);
  MAKE(&rows, weft_ones(&rows, context, WEFT_I32, WEFT_SHAPE(N)));
  TRY(weft_dot(WEFT_HOST_OUT(&product, WEFT_I64, WEFT_SHAPE_0D), rows, flat));
  KEPT(product == 3 * N);

done:
  fault_leave();
  weft_array_release(&rows);
  weft_array_release(&shifted);
  weft_array_release(&row);
  weft_context_release(&context);
  return status;
}

int program_npy_files(int argc, char **argv) {
  int status = 0;
  char path[] = "/tmp/weft-fault-XXXXXX";
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL, *turned = NULL;
  weft_npy *in = NULL, *out = NULL;
  weft_npy_info info;
  (void)argc, (void)argv;
  setenv("WEFT_CHUNK", "4096", 1);
  int descriptor = mkstemp(path);

  KEPT(descriptor >= 0);
  close(descriptor);
  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_full(&x, context, WEFT_F32, WEFT_SHAPE(N), 2));
  TRY(weft_npy_save(path, x));
  TRY(weft_npy_get(&info, path));
  KEPT(info.shape.dim[0] == N);
  MAKE(&in, weft_npy_open(&in, path));
  KEPT(weft_npy_dtype(in) == WEFT_F32 && weft_npy_shape(in).dim[0] == N &&
       ((const float *)weft_npy_data(in))[N - 1] == 2);
  weft_array_release(&x);
  MAKE(&x, weft_full(&x, context, WEFT_F32, WEFT_SHAPE(1), 3));
  MAKE(&y, weft_multiply(&y, weft_npy_operand(in), x));
  weft_npy_release(&in);
  MAKE(&out, weft_npy_create(&out, path, WEFT_F32, WEFT_SHAPE(N)));
  TRY(weft_add(weft_npy_result(out), y, 1.0f));
  KEPT(((const float *)weft_npy_data(out))[N - 1] == 7);
  TRY(weft_npy_flush(out));
  weft_array_release(&y);
  MAKE(&y, weft_npy_load(&y, context, path));
  TRY(weft_context_wait(context));
  static const char fortran[] =
      "\x93NUMPY\x01\x00\x40\x00{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}       \n\0\1\2\3\4\5";
  memcpy((char *)weft_npy_data(out) - 128, fortran, sizeof fortran - 1);
  MAKE(&turned, weft_npy_load(&turned, context, path));
  TRY(weft_npy_load(&turned, context, path));

done:
  fault_leave();
  unlink(path);
  weft_npy_release(&out);
  weft_npy_release(&in);
  weft_array_release(&turned);
  weft_array_release(&y);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

int program_npz_files(int argc, char **argv) {
  int status = 0;
  char path[] = "/tmp/weft-fault-XXXXXX";
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL, *k = NULL;
  weft_npz *npz = NULL;
  weft_npz_member member;
  (void)argc, (void)argv;
  int descriptor = mkstemp(path);

  KEPT(descriptor >= 0);
  close(descriptor);
  MAKE(&context, weft_context_create(&context));
  const bool deflates = weft_npz_save_compressed(path) != WEFT_ERROR_UNSUPPORTED;
  fault_mark();
  MAKE(&x, weft_full(&x, context, WEFT_F32, WEFT_SHAPE(3, 5), 2));
  TRY(deflates ? weft_npz_save_compressed(path, WEFT_VAR(x), WEFT_NAMED("k", 3))
               : weft_npz_save(path, WEFT_VAR(x), WEFT_NAMED("k", 3)));
  MAKE(&npz, weft_npz_open(&npz, path));
  KEPT(weft_npz_count(npz) == 2);
  TRY(weft_npz_get(&member, npz, 1));
  KEPT(member.dtype == WEFT_I32);
  MAKE(&y, weft_npz_read(&y, context, npz, "x"));
  weft_npz_release(&npz);
  MAKE(&k, weft_npz_load(context, path, WEFT_VAR(&k)));
  TRY(weft_npz_load(context, path, WEFT_NAMED("x", &y)));
  MAKE(&npz, weft_npz_create(&npz, path));
  TRY(weft_npz_write(npz, "y", y));
  TRY(weft_npz_finish(npz));

done:
  fault_leave();
  unlink(path);
  weft_npz_release(&npz);
  weft_release(&k, &y, &x);
  weft_context_release(&context);
  return status;
}
