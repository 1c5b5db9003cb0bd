// SPDX-License-Identifier: MIT
/// Device arrays as text. Another test compares the format of numbers with NumPy's. Here: the right elements in the
/// right brackets, for every layout and dtype, and errors of wrong calls.
#include <stdio.h>

#include "views.h"

static char *text_of(const weft_array *x, const weft_print_params *params) {
  static char copy[20000];
  char *text = NULL;
  ok((weft_array_to_text)(&text, x, params));
  ck_assert_ptr_nonnull(text);
  ck_assert_uint_lt(strlen(text), sizeof copy);
  strcpy(copy, text);
  weft_free(text);
  harness_count(1);
  return copy;
}

START_TEST(the_documents_ten_numbers)
{
  weft_array *x = NULL, *three = NULL, *ten = NULL;
  ok(weft_arange(&x, ctx, WEFT_F32, 0, 300000, 3));
  ok(weft_slice(&ten, x, 0, 0, 10));
  ck_assert_str_eq(text_of(ten, NULL), "[ 0.  3.  6.  9. 12. 15. 18. 21. 24. 27.]");
  ok(weft_arange(&three, ctx, WEFT_F32, 0, 3, 1));
  ck_assert_str_eq(text_of(three, NULL), "[0. 1. 2.]");
  ck_assert_str_eq(text_of(x, NULL), "[0.00000e+00 3.00000e+00 6.00000e+00 ... 2.99991e+05 2.99994e+05\n 2.99997e+05]");
  weft_array_release(&ten);
  weft_array_release(&x);
  weft_array_release(&three);
}
END_TEST

START_TEST(every_dtype)
{
  const struct {
    weft_dtype dtype;
    const char *text;
  } cases[] = {
      {WEFT_BOOL, "[False  True  True]"},
      {WEFT_I8, "[0 1 2]"},
      {WEFT_I16, "[0 1 2]"},
      {WEFT_I32, "[0 1 2]"},
      {WEFT_I64, "[0 1 2]"},
      {WEFT_U8, "[0 1 2]"},
      {WEFT_U16, "[0 1 2]"},
      {WEFT_U32, "[0 1 2]"},
      {WEFT_U64, "[0 1 2]"},
      {WEFT_F16, "[0. 1. 2.]"},
      {WEFT_BF16, "[0. 1. 2.]"},
      {WEFT_F32, "[0. 1. 2.]"},
      {WEFT_F64, "[0. 1. 2.]"},
      {WEFT_C64, "[0.+0.j 1.+0.j 2.+0.j]"},
      {WEFT_C128, "[0.+0.j 1.+0.j 2.+0.j]"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    weft_array *x = NULL;
    unsigned char data[3 * 16];
    if (!harness_has_dtype(cases[i].dtype)) continue;
    for (int k = 0; k < 3; k++)
      element_set(cases[i].dtype, data + (size_t)k * weft_dtype_size_bytes(cases[i].dtype), k, 0);
    ok(weft_from_host(&x, ctx, cases[i].dtype, WEFT_SHAPE(3), data));
    ck_assert_str_eq(text_of(x, NULL), cases[i].text);
    weft_array_release(&x);
  }
}
END_TEST

START_TEST(brackets_nest)
{
  weft_array *x = NULL, *view = NULL;
  ok(weft_arange(&x, ctx, WEFT_I32, 0, 24, 1));
  ok(weft_reshape(&view, x, WEFT_SHAPE(2, 3, 4)));
  ck_assert_str_eq(
      text_of(view, NULL),
      "[[[ 0  1  2  3]\n  [ 4  5  6  7]\n  [ 8  9 10 11]]\n\n [[12 13 14 15]\n  [16 17 18 19]\n  [20 21 22 23]]]");
  weft_array_release(&view);
  ok(weft_reshape(&view, x, WEFT_SHAPE(4, 6)));
  ck_assert_str_eq(text_of(view, NULL),
                   "[[ 0  1  2  3  4  5]\n [ 6  7  8  9 10 11]\n [12 13 14 15 16 17]\n [18 19 20 21 22 23]]");
  weft_array *turned = NULL;
  ok(weft_transpose(&turned, view, WEFT_ALL_AXES));
  ck_assert_str_eq(text_of(turned, NULL),
                   "[[ 0  6 12 18]\n [ 1  7 13 19]\n [ 2  8 14 20]\n [ 3  9 15 21]\n [ 4 10 16 22]\n [ 5 11 17 23]]");
  weft_array_release(&turned);
  weft_array_release(&view);
  weft_array_release(&x);
}
END_TEST

START_TEST(no_axes_and_no_elements)
{
  weft_array *x = NULL;
  ok(weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE_0D, 2.5));
  ck_assert_str_eq(text_of(x, NULL), "2.5");
  weft_array_release(&x);
  ok(weft_full(&x, ctx, WEFT_I32, WEFT_SHAPE(1), -7));
  ck_assert_str_eq(text_of(x, NULL), "[-7]");
  weft_array_release(&x);
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(0)));
  ck_assert_str_eq(text_of(x, NULL), "[]");
  weft_array_release(&x);
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(3, 0)));
  ck_assert_str_eq(text_of(x, NULL), "[]");
  weft_array_release(&x);
}
END_TEST

START_TEST(views_show_their_own_elements)
{
  harness_random random = harness_random_start(1);
  for (int kind = 0; kind < LAYOUT_COUNT; kind++) {
    strided s;
    weft_array *copy = NULL;
    char *of_view = NULL, *of_copy = NULL;
    strided_make(&s, WEFT_I32, (layout)kind, 60, &random);
    ok(weft_copy(&copy, s.view));
    ok(weft_array_to_text(&of_view, s.view));
    ok(weft_array_to_text(&of_copy, copy));
    ck_assert_str_eq(of_view, of_copy);
    if (s.model.count > 0) { /* the text begins with the first element */
      int32_t first;
      char number[16];
      memcpy(&first, s.expected + (size_t)s.model.index[0] * 4, 4);
      snprintf(number, sizeof number, "%d", first);
      ck_assert_msg(strstr(of_view, number) != NULL, "%s: no %s in %s", LAYOUT_NAMES[kind], number, of_view);
    }
    weft_free(of_view);
    weft_free(of_copy);
    weft_array_release(&copy);
    strided_release(&s);
    harness_count(1);
  }
}
END_TEST

START_TEST(large_arrays_are_summarised_and_little_is_read)
{
  weft_array *x = NULL, *view = NULL;
  weft_memory_stats before, after;
  ok(weft_arange(&x, ctx, WEFT_I32, 0, 1001, 1));
  ck_assert_str_eq(text_of(x, NULL), "[   0    1    2 ...  998  999 1000]");
  ok(weft_slice(&view, x, 0, 0, 1000)); /* a threshold of 1000 is not exceeded by 1000 */
  ck_assert_ptr_null(strstr(text_of(view, NULL), "..."));
  weft_array_release(&view);
  weft_array_release(&x);
  ok(weft_arange(&x, ctx, WEFT_I32, 0, 10000000, 1));
  ok(weft_reshape(&view, x, WEFT_SHAPE(1000, 100, 100)));
  ok(weft_memory_get(&before, ctx));
  const char *text = text_of(view, NULL);
  ok(weft_memory_get(&after, ctx));
  ck_assert_ptr_nonnull(strstr(text, "..."));
  ck_assert_ptr_nonnull(strstr(text, "9999999"));
  ck_assert_uint_lt(after.to_host_bytes - before.to_host_bytes, 100000); /* of 40 MB: "only what is shown is read" */
  weft_array_release(&view);
  weft_array_release(&x);
}
END_TEST

/// The text that `call` writes to `text`, which it frees.
#define check_text(call, expected)    \
  do {                                \
    char *text = NULL;                \
    ok(call);                         \
    ck_assert_str_eq(text, expected); \
    weft_free(text);                  \
    harness_count(1);                 \
  } while (0)

START_TEST(reprs)
{
  weft_array *x = NULL, *view = NULL, *none = NULL;
  ok(weft_arange(&x, ctx, WEFT_F32, 0, 2000, 1));
  ok(weft_view(&view, x, "3:0:-1"));
  check_text(weft_array_repr(&text, view), "array([3., 2., 1.], dtype=float32)");
  check_text(weft_array_repr(&text, view, .line_width = 33), "array([3., 2., 1.],\n      dtype=float32)");
  check_text(weft_array_repr(&text, view, .line_width = 34), "array([3., 2., 1.], dtype=float32)");
  check_text(weft_array_repr(&text, x, .edge_items = 1), "array([   0., ..., 1999.], shape=(2000,), dtype=float32)");
  ok(weft_reshape(&none, x, WEFT_SHAPE(1000, 2)));
  check_text(
      weft_array_repr(&text, none, .edge_items = 1),
      "array([[0.000e+00, 1.000e+00],\n       ...,\n       [1.998e+03, 1.999e+03]], shape=(1000, 2), dtype=float32)");
  weft_array_release(&none);
  ok(weft_zeros(&none, ctx, WEFT_I64, WEFT_SHAPE(2, 0)));
  check_text(weft_array_repr(&text, none), "array([], shape=(2, 0), dtype=int64)");
  weft_release(&x, &view, &none);
  ok(weft_full(&x, ctx, WEFT_BF16, WEFT_SHAPE(2), 1.5));
  check_text(weft_array_repr(&text, x), "array([1.5, 1.5], dtype=bfloat16)");
  weft_array_release(&x);
}
END_TEST

/// In a case without a context: nothing asks for a device.
START_TEST(host_memory_is_printed_without_a_device)
{
  static const int64_t numbers[] = {1, 20, 300, 4, 5, 6};
  static const double half[] = {0.5};
  static const bool flags[] = {true, false};
  check_text(weft_array_to_text(&text, WEFT_HOST(numbers, WEFT_I64, WEFT_SHAPE(2, 3))),
             "[[  1  20 300]\n [  4   5   6]]");
  check_text(weft_array_repr(&text, WEFT_HOST(numbers, WEFT_I64, WEFT_SHAPE(2, 3))),
             "array([[  1,  20, 300],\n       [  4,   5,   6]])");
  check_text(weft_array_repr(&text, WEFT_HOST(half, WEFT_F64, WEFT_SHAPE_0D)), "array(0.5)");
  check_text(weft_array_to_text(&text, WEFT_HOST(half, WEFT_F64, WEFT_SHAPE_0D)), "0.5");
  check_text(weft_array_repr(&text, WEFT_HOST(flags, WEFT_BOOL, WEFT_SHAPE(2))), "array([ True, False])");
  check_text(weft_array_repr(&text, WEFT_HOST(NULL, WEFT_BOOL, WEFT_SHAPE(0))), "array([], dtype=bool)");
  check_text(weft_array_repr(&text, WEFT_HOST(NULL, WEFT_F16, WEFT_SHAPE(0, 3))),
             "array([], shape=(0, 3), dtype=float16)");
  check_text(weft_array_to_text(&text, 2.5), "2.5");
  check_text(weft_array_repr(&text, (bool)1), "array(True)");
  char *none = NULL;
  expect_error(weft_array_repr(&none, WEFT_HOST(NULL, WEFT_F32, WEFT_SHAPE(3))), WEFT_ERROR_ARGUMENT, "weft_array_repr",
               "`x` is host memory at NULL", "@x");
  expect_error(weft_array_repr(&none, WEFT_HOST(half, (weft_dtype)77, WEFT_SHAPE(1))), WEFT_ERROR_DTYPE, "dtype 77",
               "weft_dtype", "@x");
  expect_error(weft_array_to_text(&none, WEFT_HOST(half, WEFT_F64, WEFT_SHAPE(-1))), WEFT_ERROR_SHAPE,
               "weft_array_to_text", "length -1 in axis 0", "@x");
  expect_error(weft_array_repr(NULL, 1), WEFT_ERROR_ARGUMENT, "weft_array_repr", "`text` is NULL", "@text");
  ck_assert_ptr_null(none);
}
END_TEST

START_TEST(params)
{
  weft_array *x = NULL;
  const float thirds[3] = {1.0f / 3, 2.0f / 3, 1e-5f};
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(2), thirds));
  ck_assert_str_eq(text_of(x, NULL), "[0.33333334 0.6666667 ]");
  ck_assert_str_eq(text_of(x, &(weft_print_params){.precision = 3}), "[0.333 0.667]");
  ck_assert_str_eq(text_of(x, &(weft_print_params){.precision = -1}), "[0. 1.]");
  weft_array_release(&x);
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(3), thirds));
  ck_assert_str_eq(text_of(x, &(weft_print_params){.suppress = true}), "[0.33333334 0.6666667  0.00001   ]");
  weft_array_release(&x);
  ok(weft_arange(&x, ctx, WEFT_I32, 0, 20, 1));
  weft_print_params summary = {.threshold = 10, .edge_items = 2}, narrow = {.line_width = 20},
                    whole = {.threshold = -1};
  ck_assert_str_eq(text_of(x, &summary), "[ 0  1 ... 18 19]");
  ck_assert_str_eq(text_of(x, &narrow), "[ 0  1  2  3  4  5\n  6  7  8  9 10 11\n 12 13 14 15 16 17\n 18 19]");
  weft_array_release(&x);
  ok(weft_arange(&x, ctx, WEFT_I32, 0, 2000, 1));
  ck_assert_ptr_null(strstr(text_of(x, &whole), "..."));
  weft_array_release(&x);
}
END_TEST

START_TEST(special_values)
{
  weft_array *x = NULL;
  const float data[5] = {NAN, INFINITY, -INFINITY, -0.0f, 1.5f};
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(5), data));
  ck_assert_str_eq(text_of(x, NULL), "[ nan  inf -inf -0.   1.5]");
  weft_array_release(&x);
}
END_TEST

START_TEST(print_adds_a_newline)
{
  weft_array *x = NULL;
  char text[100];
  FILE *file = tmpfile();
  ck_assert_ptr_nonnull(file);
  ok(weft_arange(&x, ctx, WEFT_I32, 0, 4, 1));
  ok(weft_array_print(file, x));
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  ck_assert_str_eq(text, "[0 1 2 3]\n");
  fclose(file);
  weft_array_release(&x);
}
END_TEST

START_TEST(wrong_calls)
{
  weft_array *wrong[] = {NULL, harness_garbage(), harness_zeroed(), (weft_array *)ctx}, *x = NULL;
  char *text = NULL;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    expect_error(weft_array_to_text(&text, wrong[i]), WEFT_ERROR_HANDLE, "weft_array_to_text", "@x");
    expect_error(weft_array_print(stdout, wrong[i]), WEFT_ERROR_HANDLE, "weft_array_print", "@x");
    ck_assert_ptr_null(text);
    harness_count(2);
  }
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(3)));
  expect_error(weft_array_to_text(NULL, x), WEFT_ERROR_ARGUMENT, "weft_array_to_text", "@text", "NULL");
  expect_error(weft_array_print(NULL, x), WEFT_ERROR_ARGUMENT, "weft_array_print", "@stream", "NULL");
  ck_assert_ptr_null(text);
  weft_array_release(&x);
}
END_TEST

/* Parameter values without a defined meaning are refused by name or interpreted sensibly; they never crash or drop the
   elements. */
START_TEST(params_without_a_meaning)
{
  const weft_print_params odd[] = {{.precision = -2},         {.precision = INT32_MAX},  {.precision = INT32_MIN},
                                   {.threshold = -2},         {.threshold = INT64_MIN},  {.edge_items = -1},
                                   {.edge_items = INT32_MIN}, {.edge_items = INT32_MAX}, {.line_width = -1},
                                   {.line_width = 1},         {.line_width = INT32_MIN}, {.line_width = INT32_MAX}};
  weft_array *x = NULL;
  ok(weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE(2000), 7));
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    char *text = NULL;
    weft_status rc = (weft_array_to_text)(&text, x, &odd[i]);
    ck_assert_msg(rc == WEFT_OK || rc == WEFT_ERROR_ARGUMENT, "%zu: %s", i, harness_error_text());
    ck_assert_msg(rc != WEFT_OK || (text && (strchr(text, '7') || strstr(text, "..."))), "%zu: %s", i, text);
    ck_assert(rc == WEFT_OK || text == NULL);
    weft_free(text);
    harness_count(1);
  }
  weft_array_release(&x);
}
END_TEST

START_TEST(a_stream_that_cannot_be_written)
{
  weft_array *x = NULL;
  FILE *full = fopen("/dev/full", "w");
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(900)));
  if (full) {
    setvbuf(full, NULL, _IONBF, 0);
    expect_error(weft_array_print(full, x), WEFT_ERROR_FILE, "weft_array_print");
    fclose(full);
  }
  weft_array_release(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "print");
  tcase_add_test(tc, the_documents_ten_numbers);
  tcase_add_test(tc, every_dtype);
  tcase_add_test(tc, brackets_nest);
  tcase_add_test(tc, no_axes_and_no_elements);
  tcase_add_test(tc, views_show_their_own_elements);
  tcase_add_test(tc, large_arrays_are_summarised_and_little_is_read);
  tcase_add_test(tc, params);
  tcase_add_test(tc, reprs);
  tcase_add_test(tc, special_values);
  tcase_add_test(tc, print_adds_a_newline);
  tcase_add_test(tc, wrong_calls);
  tcase_add_test(tc, params_without_a_meaning);
  tcase_add_test(tc, a_stream_that_cannot_be_written);
  tcase_add_test(harness_case(suite, "without a context"), host_memory_is_printed_without_a_device);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "print", .add = add});
}
