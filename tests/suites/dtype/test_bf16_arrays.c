// SPDX-License-Identifier: MIT
/// Arrays of bfloat16 in functions on whole arrays: reductions, scans, sorts, indexing, random draws, text, files,
/// tensors, kernels.
#include <stdio.h>
#include <unistd.h>

#include "bfloats.h"
#include "dlpack_peer.h"

/* ---- whole arrays ---- */

START_TEST(reductions)
{
  enum { N = 5000 };
  static uint16_t host[N];
  uint16_t got;
  int64_t where = 0;
  long double sum = 0;
  for (int i = 0; i < N; i++) {
    host[i] = element_bf16((i * 7919 % 1000) * 0.37L - 100);
    sum += (long double)element_of_bf16(host[i]);
    if (element_of_bf16(host[i]) > element_of_bf16(host[where])) where = i;
  }
  weft_array *x = from(WEFT_BF16, N, host), *y = NULL;
  ok(weft_sum(&y, x, WEFT_ALL_AXES));
  take(&got, WEFT_BF16, 1, &y);
  ck_assert_uint_eq(got, element_bf16(sum));
  ok(weft_mean(&y, x, WEFT_ALL_AXES));
  take(&got, WEFT_BF16, 1, &y);
  ck_assert_uint_eq(got, element_bf16(sum / N));
  ok(weft_max(&y, x, WEFT_ALL_AXES));
  take(&got, WEFT_BF16, 1, &y);
  ck_assert_uint_eq(got, host[where]);
  int64_t place;
  ok(weft_argmax(&y, x, WEFT_ALL_AXES));
  take(&place, WEFT_I64, 1, &y);
  ck_assert_int_eq(place, where);
  ok(weft_reduce(&y, ctx, "abs(x) * 2", WEFT_ALL_AXES, WEFT_VAR(x),
                 WEFT_REDUCTION(.combine = "max(a, b)", .neutral = WEFT_SCALAR(0))));
  take(&got, WEFT_BF16, 1, &y);
  ck_assert(element_of_bf16(got) >= 2 * fabsf(element_of_bf16(host[where])));
  weft_array_release(&x);
  /* products of a dot may exceed f32 */
  const uint16_t a[] = {element_bf16(0x1p65L), element_bf16(-0x1p65L)},
                 b[] = {a[0], element_bf16(0x1p65L * (1 - 0x1p-8L))};
  weft_array *p = from(WEFT_BF16, 2, a), *q = from(WEFT_BF16, 2, b);
  if (device.has_fp64) {
    ok(weft_dot(&y, p, q));
    take(&got, WEFT_BF16, 1, &y);
    ck_assert_uint_eq(got, element_bf16(0x1p122L));
  }
  weft_array_release(&p);
  weft_array_release(&q);
}
END_TEST

START_TEST(scans)
{
  enum { N = 3000 };
  static uint16_t host[N], got[N];
  weft_array *y = NULL;
  for (int i = 0; i < N; i++) host[i] = element_bf16(i % 7);
  weft_array *x = from(WEFT_BF16, N, host);
  ok(weft_cumsum(&y, x, 0));
  take(got, WEFT_BF16, N, &y);
  long double sum = 0;
  for (int i = 0; i < N; i++) {
    sum += i % 7; /* exact in f32, so rounded only at the end */
    ck_assert_uint_eq(got[i], element_bf16(sum));
  }
  ok(weft_cummax(&y, x, 0));
  take(got, WEFT_BF16, N, &y);
  for (int i = 0; i < N; i++) ck_assert_uint_eq(got[i], element_bf16(i < 6 ? i : 6));
  weft_array_release(&x);
}
END_TEST

/// The order of numbers, with NaNs last.
static int compare(uint16_t a, uint16_t b) {
  if (is_nan(a) || is_nan(b)) return is_nan(a) - is_nan(b);
  const float x = element_of_bf16(a), y = element_of_bf16(b);
  return (x > y) - (x < y);
}

START_TEST(orders)
{
  static uint16_t got[ALL];
  static int64_t number[ALL];
  weft_array *x, *y = NULL, *where = NULL;
  fill_every();
  harness_random random = harness_random_start(3);
  for (int i = ALL - 1; i > 0; i--) { /* shuffled */
    const int64_t k = harness_between(&random, 0, i);
    const uint16_t swap = every[i];
    every[i] = every[k];
    every[k] = swap;
  }
  x = from(WEFT_BF16, ALL, every);
  ok(weft_sort(&y, x, 0));
  take(got, WEFT_BF16, ALL, &y);
  for (int i = 1; i < ALL; i++) ck_assert_msg(compare(got[i - 1], got[i]) <= 0, "%04x before %04x", got[i - 1], got[i]);
  ok(weft_argsort(&y, x, 0));
  take(number, WEFT_I64, ALL, &y);
  for (int i = 1; i < ALL; i++) {
    const int order = compare(every[number[i - 1]], every[number[i]]);
    ck_assert(order < 0 || (order == 0 && number[i - 1] < number[i]));
    ck_assert(every[number[i]] == got[i]);
  }
  ok(weft_topk(&y, &where, x, 300, 0, .smallest = true));
  weft_array_release(&where);
  take(got, WEFT_BF16, 300, &y);
  for (int i = 0; i < 300; i++) ck_assert_uint_eq(got[i], 0xff80 - i);
  ok(weft_unique(&y, x));
  ck_assert_int_eq(weft_array_size(y), 2 * 0x7f81 - 1 + 1); /* both zeros count as one value, and so do all NaNs */
  ok(weft_searchsorted(&where, y, x));
  take(number, WEFT_I64, ALL, &where);
  weft_array_release(&y);
  for (int i = 0; i < ALL; i++) {
    const uint16_t bits = every[i];
    ck_assert_int_eq(number[i], is_nan(bits)    ? 2 * 0x7f80 + 1
                                : bits & 0x8000 ? 0x7f80 - (bits & 0x7fff)
                                                : 0x7f80 + bits);
  }
  weft_array_release(&x);
}
END_TEST

START_TEST(places)
{
  enum { N = 400 };
  uint16_t host[N], got[N];
  int32_t index[N];
  weft_array *y = NULL, *i32;
  for (int i = 0; i < N; i++) {
    host[i] = element_bf16(i * 0.3L);
    index[i] = i * 37 % N;
  }
  weft_array *x = from(WEFT_BF16, N, host);
  i32 = from(WEFT_I32, N, index);
  ok(weft_take(&y, x, i32, 0));
  take(got, WEFT_BF16, N, &y);
  for (int i = 0; i < N; i++) ck_assert_uint_eq(got[i], host[index[i]]);
  ok(weft_put(x, i32, x));
  ok(weft_to_host(got, sizeof got, x));
  for (int i = 0; i < N; i++) ck_assert_uint_eq(got[index[i]], host[i]);
  weft_array_release(&x);
  /* rounded after each addition: 256 + 1 stays 256 */
  for (int i = 0; i < N; i++) index[i] = i % 2;
  weft_array *ones = NULL, *sums = NULL, *two = from(WEFT_I32, N, index);
  ok(weft_full(&ones, ctx, WEFT_BF16, WEFT_SHAPE(N), 1));
  ok(weft_zeros(&sums, ctx, WEFT_BF16, WEFT_SHAPE(2)));
  ok(weft_scatter_add(sums, two, ones, 0));
  ok(weft_scatter_add(sums, two, ones, 0));
  take(got, WEFT_BF16, 2, &sums);
  ck_assert(got[0] == element_bf16(256) && got[1] == element_bf16(256));
  weft_array_release(&two);
  weft_array_release(&ones);
  weft_array_release(&i32);
  bool mask[N];
  for (int i = 0; i < N; i++) mask[i] = i % 3 == 0;
  x = from(WEFT_BF16, N, host);
  ok(weft_compress(&y, WEFT_HOST(mask, WEFT_BOOL, WEFT_SHAPE(N)), x, WEFT_ALL_AXES));
  take(got, WEFT_BF16, (N + 2) / 3, &y);
  for (int i = 0; i < (N + 2) / 3; i++) ck_assert_uint_eq(got[i], host[3 * i]);
  weft_array_release(&x);
}
END_TEST

START_TEST(counts_and_draws)
{
  enum { N = 20000 };
  static uint16_t got[N];
  int64_t counts[4];
  weft_array *x = NULL, *y = NULL, *edges = NULL;
  weft_rng *rng = NULL;
  bool has_last = false;
  ok(weft_rng_create(&rng, .seed = 1));
  ok(weft_uniform(&x, rng, WEFT_BF16, WEFT_SHAPE(N), 0, 1));
  ok(weft_to_host(got, sizeof got, x));
  for (int i = 0; i < N; i++) {
    const float u = element_of_bf16(got[i]);
    ck_assert(u >= 0 && u < 1 && ldexpf(u, 8) == floorf(ldexpf(u, 8)));
    has_last = has_last || u == 255 / 256.0f;
  }
  ck_assert(has_last);
  ok(weft_histogram(&y, x, 4, .range = WEFT_RANGE(0, 1), .edges = &edges));
  take(counts, WEFT_I64, 4, &y);
  ck_assert_int_eq(weft_array_dtype(edges), WEFT_BF16);
  weft_array_release(&edges);
  for (int k = 0; k < 4; k++) {
    int64_t expected = 0;
    for (int i = 0; i < N; i++) expected += (int)(element_of_bf16(got[i]) * 4) == k;
    ck_assert_int_eq(counts[k], expected);
  }
  weft_array_release(&x);
  ok(weft_normal(&x, rng, WEFT_BF16, WEFT_SHAPE(N), 0, 1));
  ok(weft_to_host(got, sizeof got, x));
  double mean = 0, squares = 0;
  for (int i = 0; i < N; i++) {
    const double z = (double)element_of_bf16(got[i]);
    mean += z / N;
    squares += z * z / N;
  }
  ck_assert(fabs(mean) < 0.05 && fabs(squares - 1) < 0.05);
  weft_array_release(&x);
  weft_rng_release(&rng);
}
END_TEST

START_TEST(made_and_printed)
{
  static const struct {
    double start, stop, step;
    const char *text;
  } cases[] = {{0, 5, 1, "[0. 1. 2. 3. 4.]"},
               {0, 1, 0.25, "[0.   0.25 0.5  0.75]"},
               {0.1, 0.5, 0.1, "[0.1 0.2 0.3 0.4]"},
               {100, 400, 100, "[1.e+02 2.e+02 3.e+02]"}};
  weft_array *x = NULL;
  char *text;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ok(weft_arange(&x, ctx, WEFT_BF16, cases[k].start, cases[k].stop, cases[k].step));
    ok(weft_array_to_text(&text, x));
    ck_assert_str_eq(text, cases[k].text);
    weft_free(text);
    weft_array_release(&x);
  }
  const uint16_t special[] = {0x7f80, 0xff80, 0x7fc1, 0x8000, 0x3eab};
  x = from(WEFT_BF16, 5, special);
  ok(weft_array_to_text(&text, x));
  ck_assert_str_eq(text, "[   inf   -inf    nan -0.     0.334]");
  weft_free(text);
  weft_array_release(&x);
  ok(weft_full(&x, ctx, WEFT_BF16, WEFT_SHAPE_0D, 1.0 / 3));
  ok(weft_array_to_text(&text, x));
  ck_assert_str_eq(text, "0.334");
  weft_free(text);
  weft_array_release(&x);
  uint16_t got[9];
  ok(weft_linspace(&x, ctx, WEFT_BF16, -1, 1, 9));
  take(got, WEFT_BF16, 9, &x);
  for (int i = 0; i < 9; i++) ck_assert_uint_eq(got[i], element_bf16(-1 + 0.25L * i));
}
END_TEST

/* ---- exchange with other libraries ---- */

START_TEST(files)
{
  char path[] = "/tmp/weft-bf16-XXXXXX", bytes[200] = "";
  static uint16_t got[ALL];
  weft_array *x = all_of_them(), *y = NULL;
  const int descriptor = mkstemp(path);
  ck_assert_int_ge(descriptor, 0);
  close(descriptor);
  ok(weft_npy_save(path, x));
  FILE *file = fopen(path, "r+b");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fread(bytes, 1, sizeof bytes - 1, file), sizeof bytes - 1);
  char *descr = strstr(bytes + 10, "'<V2'"); /* ml_dtypes' spelling */
  ck_assert_ptr_nonnull(descr);
  ok(weft_npy_load(&y, ctx, path));
  take(got, WEFT_BF16, ALL, &y);
  ck_assert_int_eq(memcmp(got, every, sizeof got), 0);
  /* NumPy's own void bytes are not read as bf16 */
  ck_assert_int_eq(fseek(file, descr + 1 - bytes, SEEK_SET), 0);
  fputc('|', file);
  fclose(file);
  expect_error(weft_npy_load(&y, ctx, path), WEFT_ERROR_DTYPE, "'|V2'", "Weft has no dtype");
  unlink(path);
  weft_array_release(&x);
}
END_TEST

START_TEST(tensors)
{
  static uint16_t got[ALL];
  weft_array *x = all_of_them(), *y = NULL;
  struct DLManagedTensorVersioned *tensor = NULL;
  ok(weft_to_dlpack(&tensor, x));
  ck_assert_int_eq(tensor->dl_tensor.dtype.code, kDLBfloat);
  ck_assert_int_eq(tensor->dl_tensor.dtype.bits, 16);
  ok(weft_from_dlpack(&y, ctx, tensor));
  take(got, WEFT_BF16, ALL, &y);
  ck_assert_int_eq(memcmp(got, every, sizeof got), 0);
  weft_array_release(&x);
}
END_TEST

START_TEST(kernels)
{
  static const char source[] =
      "kernel void scale(global ushort *x, ushort factor, int n) {\n"
      "  int i = get_global_id(0);\n"
      "  if (i < n) x[i] = (ushort)(as_uint(as_float((uint)x[i] << 16) * as_float((uint)factor << 16)) >> 16);\n"
      "}\n";
  uint16_t got[4];
  weft_kernel *kernel = NULL;
  weft_array *x = NULL, *halves = NULL;
  ok(weft_kernel_create(&kernel, ctx, .source = source, .name = "scale"));
  ok(weft_arange(&x, ctx, WEFT_BF16, 0, 4, 1));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(4), x, nearest(2), 4));
  expect_error(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(4), x, 2.0f, 4), WEFT_ERROR_KERNEL_ARGUMENT,
               "is float here");
  ok(weft_zeros(&halves, ctx, WEFT_F16, WEFT_SHAPE(4)));
  expect_error(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(4), halves, nearest(2), 4), WEFT_ERROR_DTYPE, "f16",
               "ushort");
  take(got, WEFT_BF16, 4, &x);
  for (int i = 0; i < 4; i++) ck_assert_uint_eq(got[i], element_bf16(2 * i));
  weft_array_release(&halves);
  weft_kernel_release(&kernel);
}
END_TEST

START_TEST(host_memory)
{
  const uint16_t host[] = {element_bf16(1), element_bf16(2), element_bf16(3)};
  uint16_t got[3];
  weft_array *x = from(WEFT_BF16, 3, host);
  ok(weft_multiply(WEFT_HOST_OUT(got, WEFT_BF16, WEFT_SHAPE(3)), x, WEFT_HOST(host, WEFT_BF16, WEFT_SHAPE(3))));
  for (int i = 0; i < 3; i++) ck_assert_uint_eq(got[i], element_bf16((i + 1) * (i + 1)));
  weft_array_release(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "arrays of bf16");
  tcase_add_test(tc, reductions);
  tcase_add_test(tc, scans);
  tcase_add_test(tc, orders);
  tcase_add_test(tc, places);
  tcase_add_test(tc, counts_and_draws);
  tcase_add_test(tc, made_and_printed);
  tcase_add_test(tc, files);
  tcase_add_test(tc, tensors);
  tcase_add_test(tc, kernels);
  tcase_add_test(tc, host_memory);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "bf16_arrays", .add = add});
}
