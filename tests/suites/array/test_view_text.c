// SPDX-License-Identifier: MIT
/// weft_view: NumPy's basic indexing as text, and errors that point into it; views along several axes.
#include "views.h"

/// x of shape (2, 3, 4) with its elements numbered. The shape, number of elements and checksum of the view are NumPy
/// 2's: sum = (sum * 31 + element) % 1000003 over x[text].ravel().
static const struct {
  const char *text;
  weft_shape shape;
  int64_t count, sum;
} by_numpy[] = {
    {"0", {2, {3, 4}}, 12, 341431},
    {"-1", {2, {3, 4}}, 12, 256366},
    {":", {3, {2, 3, 4}}, 24, 745588},
    {"1:", {3, {1, 3, 4}}, 12, 256366},
    {"::-1", {3, {2, 3, 4}}, 24, 326879},
    {"...", {3, {2, 3, 4}}, 24, 745588},
    {"..., 0", {2, {2, 3}}, 6, 944451},
    {"0, ...", {2, {3, 4}}, 12, 341431},
    {"0, ..., -1", {1, {3}}, 3, 3111},
    {"..., ::2", {3, {2, 3, 2}}, 12, 682862},
    {"newaxis", {4, {1, 2, 3, 4}}, 24, 745588},
    {"None, ...", {4, {1, 2, 3, 4}}, 24, 745588},
    {"..., newaxis", {4, {2, 3, 4, 1}}, 24, 745588},
    {"1, newaxis, :, newaxis, 2", {3, {1, 3, 1}}, 3, 14034},
    {"1:3, ::2, -1, ..., newaxis", {3, {1, 2, 1}}, 2, 488},
    {":, ::-1, 3:0:-2", {3, {2, 3, 2}}, 12, 989981},
    {":, 5:, 1", {2, {2, 0}}, 0, 0},
    {":, :, -100:100", {3, {2, 3, 4}}, 24, 745588},
    {"1, 2, 3", {0, {0}}, 1, 23},
    {"-1, -1, -1, ...", {0, {0}}, 1, 23},
    {"0:0", {3, {0, 3, 4}}, 0, 0},
    {":, 2:0, :", {3, {2, 0, 4}}, 0, 0},
    {":, 2:0:-1", {3, {2, 2, 4}}, 16, 852461},
    {"::1, ::+2,::3,", {3, {2, 2, 2}}, 8, 66826},
    {" 1 ,\n\t: , - 2 : ", {2, {3, 2}}, 6, 214886},
    {"1:2:1, newaxis, newaxis, ..., newaxis, 1:-1", {6, {1, 1, 1, 3, 1, 2}}, 6, 631520},
    {"::99999999999999999999", {3, {1, 3, 4}}, 12, 341431},
    {":, :99999999999999999999", {3, {2, 3, 4}}, 24, 745588},
    {":, -99999999999999999999:99999999999999999999", {3, {2, 3, 4}}, 24, 745588},
    {":, ::-99999999999999999999", {3, {2, 1, 4}}, 8, 827812},
    {"..., 99999999999999999999::-1", {3, {2, 3, 4}}, 24, 567378},
    {"..., :99999999999999999999:-1", {3, {2, 3, 0}}, 0, 0},
    {"None, None, 0, None, 1, None, ..., None", {6, {1, 1, 1, 1, 4, 1}}, 4, 124162},
};

static weft_array *new_box(void) {
  weft_array *x = NULL, *line = NULL;
  ok(weft_arange(&line, ctx, WEFT_I32, 0, 24, 1));
  ok(weft_reshape(&x, line, WEFT_SHAPE(2, 3, 4)));
  weft_array_release(&line);
  return x;
}

START_TEST(as_numpy)
{
  weft_array *x = new_box();
  for (size_t i = 0; i < sizeof by_numpy / sizeof *by_numpy; i++) {
    weft_array *view = NULL;
    int32_t data[24];
    int64_t sum = 0;
    ok(weft_view(&view, x, by_numpy[i].text));
    weft_shape shape = weft_array_shape(view);
    ck_assert_msg(shape.ndim == by_numpy[i].shape.ndim, "%s: %d axes", by_numpy[i].text, shape.ndim);
    for (int d = 0; d < shape.ndim; d++)
      ck_assert_msg(shape.dim[d] == by_numpy[i].shape.dim[d], "%s: length %" PRId64 " in axis %d", by_numpy[i].text,
                    shape.dim[d], d);
    ck_assert_int_eq(weft_array_size(view), by_numpy[i].count);
    ok(weft_to_host(data, (size_t)by_numpy[i].count * sizeof *data, view));
    for (int64_t k = 0; k < by_numpy[i].count; k++) sum = (sum * 31 + data[k]) % 1000003;
    ck_assert_msg(sum == by_numpy[i].sum, "%s: other elements", by_numpy[i].text);
    weft_array_release(&view);
    harness_count(1);
  }
  weft_array_release(&x);
}
END_TEST

START_TEST(is_written_in_place)
{
  weft_array *x = new_box(), *view = NULL;
  int32_t data[24];
  ok((weft_view)(&view, x, "..., ::2")); /* the function instead of the macro */
  ok(weft_fill(view, -1));
  ok(weft_to_host(data, sizeof data, x));
  for (int i = 0; i < 24; i++) ck_assert_int_eq(data[i], i % 2 ? i : -1);
  weft_stream *none = NULL;
  weft_release(&view, &none, &x);
  ck_assert(!view && !x);
}
END_TEST

START_TEST(errors_point_into_the_text)
{
  const struct {
    const char *text;
    weft_status status;
    const char *message, *detail;
  } wrong[] = {
      {"", WEFT_ERROR_EXPRESSION, "weft_view: index:1:1: expected an index", "  \n  ^\n"},
      {"1, x", WEFT_ERROR_EXPRESSION, "index:1:4: expected an index, `start:stop:step`, `...` or `newaxis`, found `x`",
       "  1, x\n     ^\n"},
      {"1,, 2", WEFT_ERROR_EXPRESSION, "index:1:3: expected an index", "  1,, 2\n    ^\n"},
      {"1 2", WEFT_ERROR_EXPRESSION, "index:1:3: expected `,`, found `2`", "  1 2\n    ^\n"},
      {"1.5", WEFT_ERROR_EXPRESSION, "index:1:1: expected a decimal number without a fraction, found `1.5`",
       "  1.5\n  ^\n"},
      {"0x10", WEFT_ERROR_EXPRESSION, "found `0x10`", "  0x10\n  ^\n"},
      {"--1", WEFT_ERROR_EXPRESSION, "index:1:2: expected a number, found `-`", "  --1\n   ^\n"},
      {"1:2:3:4", WEFT_ERROR_EXPRESSION, "index:1:6: expected `,`, found `:`", "  1:2:3:4\n       ^\n"},
      {"..", WEFT_ERROR_EXPRESSION, "index:1:1: expected `...`", "  ..\n  ^\n"},
      {"newaxes", WEFT_ERROR_EXPRESSION, "found `newaxes`", "  newaxes\n  ^\n"},
      {"..., 1, ...", WEFT_ERROR_EXPRESSION, "index:1:9: a second `...`", "  ..., 1, ...\n          ^\n"},
      {":, ::0", WEFT_ERROR_EXPRESSION, "index:1:6: the step is 0", "  :, ::0\n       ^\n"},
      {"0,\n 1:q", WEFT_ERROR_EXPRESSION, "index:2:4: expected a number, found `q`", "   1:q\n     ^\n"},
      {"0, 1, 2, 3", WEFT_ERROR_INDEX, "index:1:10: too many indices: the array has 3 axes",
       "  0, 1, 2, 3\n           ^\n"},
      {"0, 3", WEFT_ERROR_INDEX, "index:1:4: the index is out of range: axis 1 has 3 elements", "  0, 3\n     ^\n"},
      {"..., -5", WEFT_ERROR_INDEX, "index:1:6: the index is out of range: axis 2 has 4 elements",
       "  ..., -5\n       ^\n"},
      {"99999999999999999999", WEFT_ERROR_INDEX, "axis 0 has 2 elements", NULL},
      {"None, None, None, None, None, None", WEFT_ERROR_SHAPE, "more than 8 axes", NULL},
      {"0, 0, 0, None, None, None, None, None, None, None, None, None", WEFT_ERROR_SHAPE, "more than 8 axes", NULL},
  };
  weft_array *x = new_box(), *view = NULL;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    expect_error(weft_view(&view, x, wrong[i].text), wrong[i].status, wrong[i].message, "@indices");
    if (wrong[i].detail) ck_assert_str_eq(weft_error_last()->detail, wrong[i].detail);
    ck_assert_ptr_null(view);
    harness_count(1);
  }
  expect_error(weft_view(&view, x, NULL), WEFT_ERROR_ARGUMENT, "@indices");
  expect_error(weft_view((weft_array **)NULL, x, "0"), WEFT_ERROR_ARGUMENT, "@out");
  expect_error(weft_view(&view, NULL, "0"), WEFT_ERROR_HANDLE, "@x");
  expect_error(weft_view(&x, x, "0"), WEFT_ERROR_ARGUMENT, "@out");
  weft_array_release(&x);
}
END_TEST

/* ---- several axes ---- */

static void check_shape(weft_array **view, weft_shape expected) {
  weft_shape shape = weft_array_shape(*view);
  ck_assert_int_eq(shape.ndim, expected.ndim);
  for (int d = 0; d < shape.ndim; d++) ck_assert_int_eq(shape.dim[d], expected.dim[d]);
  weft_array_release(view);
}

START_TEST(several_axes)
{
  weft_array *x = NULL, *out = NULL, *back = NULL;
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(3, 1, 4)));
  ok(weft_expand(&out, x, WEFT_AXES(0, -1)));
  ok(weft_squeeze(&back, out, WEFT_AXES(-1, 0, 2)));
  check_shape(&out, WEFT_SHAPE(1, 3, 1, 4, 1));
  check_shape(&back, WEFT_SHAPE(3, 4));
  ok(weft_moveaxis(&out, x, WEFT_AXES(0, 1), WEFT_AXES(-1, 0)));
  check_shape(&out, WEFT_SHAPE(1, 4, 3));
  ok(weft_moveaxis(&out, x, 0, -1));
  check_shape(&out, WEFT_SHAPE(1, 4, 3));
  ok(weft_moveaxis(&out, x, WEFT_ALL_AXES, WEFT_AXES(2, 0, 1)));
  check_shape(&out, WEFT_SHAPE(1, 4, 3));
  ok(weft_flip(&out, x, WEFT_AXES(0, -1)));
  ck_assert_int_eq(weft_array_stride_bytes(out, 0), -16);
  ck_assert_int_eq(weft_array_stride_bytes(out, 2), -4);
  ck_assert_int_eq(weft_array_stride_bytes(out, 1), weft_array_stride_bytes(x, 1));
  check_shape(&out, WEFT_SHAPE(3, 1, 4));
  ok(weft_slice(&out, x, -1, WEFT_END, WEFT_END, .step = -3));
  check_shape(&out, WEFT_SHAPE(3, 1, 2));
  ok(weft_slice(&out, x, WEFT_AXES(2), 1, 3));
  check_shape(&out, WEFT_SHAPE(3, 1, 2));
  ok((weft_slice)(&out, x, WEFT_AXES(0), 1, WEFT_END, NULL)); /* the function instead of the macro */
  check_shape(&out, WEFT_SHAPE(2, 1, 4));
  ok(weft_diagonal(&out, x, WEFT_AXES(2, 0), .k = -1));
  check_shape(&out, WEFT_SHAPE(1, 3));
  weft_array_release(&x);
}
END_TEST

START_TEST(nine_axes)
{
  weft_array *x = NULL, *out = NULL;
  ok(weft_zeros(&x, ctx, WEFT_U8, WEFT_SHAPE(1, 1, 1, 1, 1, 1, 1, 1)));
  expect_error(weft_expand(&out, x, 0), WEFT_ERROR_SHAPE, "weft_expand", "8");
  ck_assert_ptr_null(out);
  weft_array_release(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "view");
  tcase_add_test(tc, as_numpy);
  tcase_add_test(tc, is_written_in_place);
  tcase_add_test(tc, errors_point_into_the_text);
  tcase_add_test(tc, several_axes);
  tcase_add_test(tc, nine_axes);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "view_text", .add = add});
}
