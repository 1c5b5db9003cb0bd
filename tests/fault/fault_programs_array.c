// SPDX-License-Identifier: MIT
// The programs about arrays. They are small: they exist for their calls, while the suites check values. The values
// checked here show that a failure which Weft survives leaves no wrong result.
#include <string.h>
#include <weft/weft.h>

#include "fault_programs.h"

enum { N = 24 };

static bool is_ramp(const float *x, int n) {
  for (int i = 0; i < n; i++) {
    if (x[i] != (float)i) return false;
  }
  return true;
}

int program_arrays(int argc, char **argv) {
  int status = 0;
  float host[N];
  char *text = NULL;
  weft_context *context = NULL;
  weft_array *empty = NULL, *full = NULL, *like = NULL, *full_like = NULL, *ones_like = NULL, *zeros_like = NULL,
             *ramp = NULL, *line = NULL, *copy = NULL, *again = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&empty, weft_empty(&empty, context, WEFT_F32, WEFT_SHAPE(N)));
  MAKE(&full, weft_full(&full, context, WEFT_I32, WEFT_SHAPE(4, 6), 7));
  MAKE(&like, weft_empty_like(&like, full));
  MAKE(&full_like, weft_full_like(&full_like, full, 3));
  MAKE(&ones_like, weft_ones_like(&ones_like, full));
  MAKE(&zeros_like, weft_zeros_like(&zeros_like, full));
  MAKE(&ramp, weft_arange(&ramp, context, WEFT_F32, 0, N, 1));
  MAKE(&line, weft_linspace(&line, context, WEFT_F32, 0.0, 1.0, 5));
  KEPT(weft_array_dtype(full) == WEFT_I32 && weft_array_ndim(full) == 2 && weft_array_shape(full).dim[1] == 6);
  KEPT(weft_array_length(full, 0) == 4 && weft_array_stride_bytes(full, 0) == 24 && weft_array_size(full) == N);
  KEPT(weft_array_size_bytes(full) == 96 && weft_array_is_contiguous(full) && weft_array_context(full) == context);
  MAKE(&text, weft_array_describe(&text, full));

  TRY(weft_copy(&empty, ramp));
  TRY(weft_to_host(host, sizeof host, empty));
  KEPT(is_ramp(host, N));
  MAKE(&copy, weft_copy(&copy, ramp));
  TRY(weft_fill(copy, 3.5f));
  for (int i = 0; i < N; i++) host[i] = (float)i;
  TRY(weft_from_host(&copy, context, WEFT_F32, WEFT_SHAPE(N), host));
  memset(host, 0, sizeof host);
  TRY(weft_to_host(host, sizeof host, copy));
  KEPT(is_ramp(host, N));

  // Memory that the pool can reuse.
  weft_array_release(&copy);
  MAKE(&copy, weft_from_host(&copy, context, WEFT_F32, WEFT_SHAPE(N), host));
  again = weft_array_retain(copy);
  KEPT(again == copy);
  TRY(weft_context_wait(context));

done:
  fault_leave();
  weft_free(text);
  weft_array_release(&again);
  weft_array_release(&copy);
  weft_array_release(&line);
  weft_array_release(&ramp);
  weft_array_release(&full_like);
  weft_array_release(&ones_like);
  weft_array_release(&zeros_like);
  weft_array_release(&like);
  weft_array_release(&full);
  weft_array_release(&empty);
  weft_context_release(&context);
  return status;
}

int program_dtypes(int argc, char **argv) {
  static const weft_dtype dtypes[] = {WEFT_BOOL, WEFT_F16, WEFT_C64};
  int status = 0;
  unsigned char host[N * 16];
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL;
  weft_device_info info;
  weft_c64 c = {1, 2};
  (void)argc, (void)argv;

  KEPT(weft_f16_to_double(weft_f16_from_double(1.5)) == 1.5);
  KEPT(weft_bf16_to_double(weft_bf16_from_double(1.5)) == 1.5);
  KEPT(strcmp(weft_dtype_name(WEFT_F16), "f16") == 0 && weft_dtype_size_bytes(WEFT_F16) == 2 &&
       weft_dtype_kind(WEFT_F16) == 'f');
  MAKE(&context, weft_context_create(&context));
  fault_mark();
  TRY(weft_context_get_device(&info, context));
  KEPT(info.max_block_threads > 0);
  for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
    if (dtypes[i] == WEFT_C64)
      MAKE(&x, weft_full(&x, context, WEFT_C64, WEFT_SHAPE(N), c));
    else
      MAKE(&x, weft_ones(&x, context, dtypes[i], WEFT_SHAPE(N)));
    MAKE(&y, weft_cast(&y, x, WEFT_I32));
    TRY(weft_to_host(host, N * sizeof(int32_t), y));
    KEPT(host[0] == 1 && host[N * sizeof(int32_t) - 4] == 1);
    weft_array_release(&y);
    weft_array_release(&x);
  }

done:
  fault_leave();
  weft_array_release(&y);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

int program_views(int argc, char **argv) {
  int status = 0;
  float host[N];
  weft_context *context = NULL;
  weft_array *x = NULL, *table = NULL, *slice = NULL, *part = NULL, *row = NULL, *turned = NULL, *wide = NULL,
             *expanded = NULL, *squeezed = NULL;
  weft_array *flipped = NULL, *copy = NULL, *cast = NULL, *other = NULL, *bytes = NULL, *flat = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_arange(&x, context, WEFT_F32, 0, N, 1));
  MAKE(&table, weft_reshape(&table, x, WEFT_SHAPE(4, -1)));
  MAKE(&slice, weft_slice(&slice, table, 1, 1, WEFT_END, .step = 2));
  MAKE(&part, weft_view(&part, table, "..., ::2, newaxis"));
  MAKE(&row, weft_pick(&row, table, 0, 2));
  MAKE(&turned, weft_transpose(&turned, table, WEFT_ALL_AXES));
  MAKE(&expanded, weft_expand(&expanded, row, 0));
  MAKE(&wide, weft_broadcast(&wide, expanded, WEFT_SHAPE(3, 6)));
  MAKE(&squeezed, weft_squeeze(&squeezed, expanded, WEFT_ALL_AXES));
  MAKE(&bytes, weft_view_as(&bytes, x, WEFT_U8));
  MAKE(&flat, weft_ravel(&flat, turned));
  MAKE(&flipped, weft_flip(&flipped, x, 0));

  MAKE(&copy, weft_copy(&copy, turned));
  TRY(weft_to_host(host, sizeof host, copy));
  KEPT(host[0] == 0 && host[1] == 6 && host[N - 1] == 23);
  TRY(weft_to_host(host, 12 * sizeof *host, slice));
  KEPT(host[0] == 1 && host[11] == 23);
  TRY(weft_to_host(host, 18 * sizeof *host, wide));
  KEPT(host[0] == 12 && host[17] == 17);
  // Source and result overlap: the result must be as if the source had been read first.
  TRY(weft_copy(&x, flipped));
  TRY(weft_to_host(host, sizeof host, flipped));
  KEPT(is_ramp(host, N));
  TRY(weft_fill(slice, 2.0f));
  MAKE(&cast, weft_cast(&cast, slice, WEFT_I32));
  // An error of the caller's must not disturb the following calls.
  FAILS(WEFT_ERROR_SHAPE, weft_reshape(&other, x, WEFT_SHAPE(5, 5)));
  KEPT(other == NULL);
  TRY(weft_from_host(&slice, context, WEFT_F32, WEFT_SHAPE(4, 3), host));
  TRY(weft_context_wait(context));

done:
  fault_leave();
  weft_array_release(&other);
  weft_array_release(&cast);
  weft_array_release(&copy);
  weft_array_release(&bytes);
  weft_array_release(&part);
  weft_array_release(&flat);
  weft_array_release(&flipped);
  weft_array_release(&squeezed);
  weft_array_release(&wide);
  weft_array_release(&expanded);
  weft_array_release(&turned);
  weft_array_release(&row);
  weft_array_release(&slice);
  weft_array_release(&table);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

int program_print(int argc, char **argv) {
  static const int16_t numbers[] = {3, 4};
  int status = 0;
  char *text = NULL;
  weft_context *context = NULL;
  weft_array *x = NULL, *long_one = NULL, *view = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_arange(&x, context, WEFT_F32, 0, 3, 1));
  MAKE(&text, weft_array_to_text(&text, x));
  KEPT(strcmp(text, "[0. 1. 2.]") == 0);
  weft_free(text);
  text = NULL;
  // A summary reads only the ends from the device.
  MAKE(&long_one, weft_arange(&long_one, context, WEFT_I32, 0, 2000, 1));
  MAKE(&view, weft_flip(&view, long_one, 0));
  TRY(weft_array_print(stdout, view));
  MAKE(&text, weft_array_to_text(&text, long_one, .edge_items = 1));
  KEPT(strcmp(text, "[   0 ... 1999]") == 0);
  weft_free(text);
  text = NULL;
  MAKE(&text, weft_array_repr(&text, x));
  KEPT(strcmp(text, "array([0., 1., 2.], dtype=float32)") == 0);
  weft_free(text);
  text = NULL;
  MAKE(&text, weft_array_repr(&text, WEFT_HOST(numbers, WEFT_I16, WEFT_SHAPE(2))));
  KEPT(strcmp(text, "array([3, 4], dtype=int16)") == 0);

done:
  fault_leave();
  weft_free(text);
  weft_array_release(&view);
  weft_array_release(&long_one);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

int program_memory(int argc, char **argv) {
  int status = 0;
  char *table = NULL, *json = NULL;
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL;
  weft_memory_stats stats;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context, .wait = WEFT_WAIT_SLEEP));
  fault_mark();
  MAKE(&x, weft_zeros(&x, context, WEFT_U8, WEFT_SHAPE(1000)));
  weft_array_release(&x);
  MAKE(&x, weft_zeros(&x, context, WEFT_U8, WEFT_SHAPE(1000)));
  TRY(weft_memory_get(&stats, context));
  KEPT(stats.arrays == 1 && stats.active_bytes >= 1000 && stats.managed_bytes == stats.active_bytes + stats.held_bytes);
  KEPT(stats.requested_bytes == 1000 && stats.reserved_bytes == 0);
  TRY(weft_memory_reserve(context, 100000));
  TRY(weft_memory_get(&stats, context));
  KEPT(stats.reserved_bytes >= 100000 && stats.reserved_bytes <= stats.held_bytes && stats.arrays == 1);
  MAKE(&table, weft_memory_report(&table, context));
  MAKE(&json, weft_memory_report(&json, context, .format = WEFT_REPORT_JSON));
  TRY(weft_memory_set_limit(context, 4096));
  FAILS(WEFT_ERROR_BUDGET, weft_empty(&y, context, WEFT_U8, WEFT_SHAPE(1 << 20)));
  KEPT(y == NULL);
  FAILS(WEFT_ERROR_BUDGET, weft_memory_reserve(context, 1 << 20));
  TRY(weft_memory_set_limit(context, 0));
  TRY(weft_memory_trim(context));

  // Closing with an array alive is an error; the array's calls fail with CLOSED, and it still needs releasing.
  FAILS(WEFT_ERROR_LEAK, weft_context_close(&context));
  KEPT(context == NULL);
  FAILS(WEFT_ERROR_CLOSED, weft_fill(x, 1));

done:
  fault_leave();
  weft_free(json);
  weft_free(table);
  weft_array_release(&y);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}
