// SPDX-License-Identifier: MIT
/// Foreign images and samplers as launch arguments: right results, and errors before the driver sees a wrong argument.
#include <CL/cl.h>
#include <stdio.h>

#include "views.h"

enum { WIDTH = 8, HEIGHT = 4 };

static const char source[] =
    "kernel void shift(read_only image2d_t from, sampler_t how, write_only image2d_t to, global float *y, int step) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  float4 v = read_imagef(from, how, at + (int2)(step, 0));\n"
    "  write_imagef(to, at, v * 2.0f);\n"
    "  y[at.y * get_image_width(from) + at.x] = v.x;\n"
    "}\n"
    "kernel void sizes(read_only image1d_t a, read_only image2d_array_t b, read_only image3d_t c, global int *y) {\n"
    "  y[0] = get_image_width(a);\n"
    "  y[1] = (int)get_image_array_size(b);\n"
    "  y[2] = get_image_depth(c);\n"
    "}\n";

static weft_kernel *shift, *sizes;
static weft_array *y;
static cl_context context;
static cl_mem from, to;
static cl_sampler how;
static bool has_images;

static cl_mem new_image(cl_context of, cl_mem_flags flags, const cl_image_desc *shape, void *pixels) {
  cl_int code = 0;
  const cl_image_format format = {CL_RGBA, CL_FLOAT};
  cl_mem image = clCreateImage(of, flags, &format, shape, pixels, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  return image;
}

static const cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};

static cl_sampler new_sampler(cl_context of) {
  cl_int code = 0;
  cl_sampler sampler = clCreateSampler(of, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  return sampler;
}

static void images_open(void) {
  cl_bool support = CL_FALSE;
  float pixels[HEIGHT * WIDTH][4];
  harness_context_open();
  ck_assert_int_eq(
      clGetDeviceInfo(weft_context_cl_device(ctx), CL_DEVICE_IMAGE_SUPPORT, sizeof support, &support, NULL),
      CL_SUCCESS);
  has_images = support;
  if (!has_images) {
    printf("the device has no images\n");
    return;
  }
  for (int i = 0; i < HEIGHT * WIDTH; i++)
    for (int k = 0; k < 4; k++) pixels[i][k] = (float)(i + k);
  context = weft_context_cl_context(ctx);
  from = new_image(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &flat, pixels);
  to = new_image(context, CL_MEM_WRITE_ONLY, &flat, NULL);
  how = new_sampler(context);
  ok(weft_kernel_create(&shift, ctx, .source = source, .name = "shift"));
  ok(weft_kernel_create(&sizes, ctx, .source = source, .name = "sizes"));
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(HEIGHT, WIDTH)));
}

static void images_close(void) {
  if (has_images) {
    weft_array_release(&y);
    weft_kernel_release(&shift);
    weft_kernel_release(&sizes);
    ck_assert_int_eq(clReleaseSampler(how), CL_SUCCESS);
    ck_assert_int_eq(clReleaseMemObject(from), CL_SUCCESS);
    ck_assert_int_eq(clReleaseMemObject(to), CL_SUCCESS);
  }
  harness_context_close();
}

#define GRID WEFT_DIM3(2, 2)
#define BLOCK WEFT_DIM3(WIDTH / 2, HEIGHT / 2)
#define IMAGE WEFT_CL_IMAGE
#define SAMPLER WEFT_CL_SAMPLER

START_TEST(images_are_read_and_written)
{
  float seen[HEIGHT * WIDTH], written[HEIGHT * WIDTH][4];
  const size_t origin[3] = {0, 0, 0}, all[3] = {WIDTH, HEIGHT, 1};
  if (!has_images) return;
  for (int step = 0; step < 3; step++) {
    ok(weft_launch(shift, GRID, BLOCK, IMAGE(from), SAMPLER(how), IMAGE(to), y, step));
    ok(weft_to_host(seen, sizeof seen, y));
    ck_assert_int_eq(
        clEnqueueReadImage(weft_context_cl_queue(ctx), to, CL_TRUE, origin, all, 0, 0, written, 0, NULL, NULL),
        CL_SUCCESS);
    for (int i = 0; i < HEIGHT * WIDTH; i++) {
      int x = i % WIDTH + step, at = i - i % WIDTH + (x < WIDTH ? x : WIDTH - 1);
      ck_assert_float_eq(seen[i], (float)at);
      for (int k = 0; k < 4; k++) ck_assert_float_eq(written[i][k], 2 * (float)(at + k));
    }
    harness_count(1);
  }
}
END_TEST

START_TEST(images_of_every_kind)
{
  const cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 5};
  const cl_image_desc pages = {
      .image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 2, .image_height = 3, .image_array_size = 6};
  const cl_image_desc deep = {
      .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 2, .image_height = 3, .image_depth = 7};
  const int32_t expected[3] = {5, 6, 7};
  weft_array *n = NULL;
  if (!has_images) return;
  cl_mem a = new_image(context, CL_MEM_READ_WRITE, &line, NULL),
         b = new_image(context, CL_MEM_READ_WRITE, &pages, NULL);
  cl_mem c = new_image(context, CL_MEM_READ_WRITE, &deep, NULL);
  ok(weft_zeros(&n, ctx, WEFT_I32, WEFT_SHAPE(3)));
  ok(weft_launch(sizes, WEFT_DIM3(1), WEFT_DIM3(1), IMAGE(a), IMAGE(b), IMAGE(c), n));
  check_elements(n, expected, 3, "sizes");
  const struct {
    cl_mem image[3];
    const char *argument, *is, *takes;
  } wrong[] = {
      {{b, b, c}, "argument 0 `a`", "image2d_array_t", "image1d_t"},
      {{from, b, c}, "argument 0 `a`", "image2d_t", "image1d_t"},
      {{a, from, c}, "argument 1 `b`", "image2d_t", "image2d_array_t"},
      {{a, c, c}, "argument 1 `b`", "image3d_t", "image2d_array_t"},
      {{a, b, b}, "argument 2 `c`", "image2d_array_t", "image3d_t"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const cl_mem *w = wrong[i].image;
    expect_error(weft_launch(sizes, WEFT_DIM3(1), WEFT_DIM3(1), IMAGE(w[0]), IMAGE(w[1]), IMAGE(w[2]), n),
                 WEFT_ERROR_KERNEL_ARGUMENT, "weft_launch: sizes", wrong[i].argument, wrong[i].is, wrong[i].takes);
    harness_count(1);
  }
  expect_error(weft_launch(shift, GRID, BLOCK, IMAGE(c), SAMPLER(how), IMAGE(to), y, 0), WEFT_ERROR_KERNEL_ARGUMENT,
               "argument 0 `from`", "image3d_t", "image2d_t");
  weft_array_release(&n);
  clReleaseMemObject(a);
  clReleaseMemObject(b);
  clReleaseMemObject(c);
}
END_TEST

START_TEST(what_is_no_image_and_no_sampler_is_refused)
{
  cl_int code = 0;
  if (!has_images) return;
  expect_error(weft_launch(shift, GRID, BLOCK, y, SAMPLER(how), IMAGE(to), y, 0), WEFT_ERROR_KERNEL_ARGUMENT,
               "weft_launch: shift", "argument 0 `from` is an array", "image2d_t", "WEFT_CL_IMAGE", "@from");
  expect_error(weft_launch(shift, GRID, BLOCK, WEFT_STRUCT(from), SAMPLER(how), IMAGE(to), y, 0),
               WEFT_ERROR_KERNEL_ARGUMENT, "argument 0 `from` is a WEFT_STRUCT", "WEFT_CL_IMAGE");
  expect_error(weft_launch(shift, GRID, BLOCK, NULL, SAMPLER(how), IMAGE(to), y, 0), WEFT_ERROR_KERNEL_ARGUMENT,
               "argument 0 `from` is NULL", "WEFT_CL_IMAGE");
  expect_error(weft_launch(shift, GRID, BLOCK, IMAGE(from), WEFT_STRUCT(how), IMAGE(to), y, 0),
               WEFT_ERROR_KERNEL_ARGUMENT, "argument 1 `how` is a WEFT_STRUCT", "sampler_t", "WEFT_CL_SAMPLER");
  expect_error(weft_launch(shift, GRID, BLOCK, IMAGE(from), 0, IMAGE(to), y, 0), WEFT_ERROR_KERNEL_ARGUMENT,
               "argument 1 `how` is int", "WEFT_CL_SAMPLER");
  expect_error(weft_launch(shift, GRID, BLOCK, IMAGE(from), y, IMAGE(to), y, 0), WEFT_ERROR_KERNEL_ARGUMENT,
               "argument 1 `how` is an array", "WEFT_CL_SAMPLER");
  expect_error(weft_launch(shift, GRID, BLOCK, IMAGE(from), IMAGE(from), IMAGE(to), y, 0), WEFT_ERROR_KERNEL_ARGUMENT,
               "argument 1 `how` is a WEFT_CL_IMAGE", "WEFT_CL_SAMPLER");
  expect_error(weft_launch(shift, GRID, BLOCK, SAMPLER(how), SAMPLER(how), IMAGE(to), y, 0), WEFT_ERROR_KERNEL_ARGUMENT,
               "argument 0 `from` is a WEFT_CL_SAMPLER", "WEFT_CL_IMAGE");
  expect_error(weft_launch(shift, GRID, BLOCK, IMAGE(from), SAMPLER(how), IMAGE(to), IMAGE(from), 0),
               WEFT_ERROR_KERNEL_ARGUMENT, "argument 3 `y` is a WEFT_CL_IMAGE", "pass an array");
  expect_error(weft_launch(shift, GRID, BLOCK, IMAGE(from), SAMPLER(how), IMAGE(to), y, SAMPLER(how)),
               WEFT_ERROR_KERNEL_ARGUMENT, "argument 4 `step` is a WEFT_CL_SAMPLER", "int");
  expect_error(weft_launch(shift, GRID, BLOCK, IMAGE(NULL), SAMPLER(how), IMAGE(to), y, 0), WEFT_ERROR_KERNEL_ARGUMENT,
               "argument 0 `from`", "WEFT_CL_IMAGE(NULL)");
  expect_error(weft_launch(shift, GRID, BLOCK, IMAGE(from), SAMPLER(NULL), IMAGE(to), y, 0), WEFT_ERROR_KERNEL_ARGUMENT,
               "argument 1 `how`", "WEFT_CL_SAMPLER(NULL)");
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  expect_error(weft_launch(shift, GRID, BLOCK, IMAGE(buffer), SAMPLER(how), IMAGE(to), y, 0),
               WEFT_ERROR_KERNEL_ARGUMENT, "argument 0 `from` is a buffer", "image2d_t", "weft_array_adopt");
  clReleaseMemObject(buffer);
  ok(weft_launch(shift, GRID, BLOCK, IMAGE(from), SAMPLER(how), IMAGE(to), y, 0)); /* the kernel is unchanged */
  ok(weft_context_wait(ctx));
}
END_TEST

START_TEST(how_an_image_may_be_used)
{
  if (!has_images) return;
  expect_error(weft_launch(shift, GRID, BLOCK, IMAGE(from), SAMPLER(how), IMAGE(from), y, 0), WEFT_ERROR_READ_ONLY,
               "argument 2 `to`", "CL_MEM_READ_ONLY", "write");
  expect_error(weft_launch(shift, GRID, BLOCK, IMAGE(to), SAMPLER(how), IMAGE(to), y, 0), WEFT_ERROR_KERNEL_ARGUMENT,
               "argument 0 `from`", "CL_MEM_WRITE_ONLY", "read");
}
END_TEST

START_TEST(images_of_another_context)
{
  cl_int code = 0;
  cl_device_id id = weft_context_cl_device(ctx);
  if (!has_images) return;
  cl_context second = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  cl_mem image = new_image(second, CL_MEM_READ_WRITE, &flat, NULL);
  cl_sampler sampler = new_sampler(second);
  expect_error(weft_launch(shift, GRID, BLOCK, IMAGE(image), SAMPLER(how), IMAGE(to), y, 0), WEFT_ERROR_CONTEXT,
               "argument 0 `from`", "another cl_context", "weft_context_adopt");
  expect_error(weft_launch(shift, GRID, BLOCK, IMAGE(from), SAMPLER(sampler), IMAGE(to), y, 0), WEFT_ERROR_CONTEXT,
               "argument 1 `how`", "another cl_context");
  clReleaseMemObject(image);
  clReleaseSampler(sampler);
  clReleaseContext(second);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "images");
  tcase_add_checked_fixture(tc, images_open, images_close);
  tcase_add_test(tc, images_are_read_and_written);
  tcase_add_test(tc, images_of_every_kind);
  tcase_add_test(tc, what_is_no_image_and_no_sampler_is_refused);
  tcase_add_test(tc, how_an_image_may_be_used);
  tcase_add_test(tc, images_of_another_context);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "launch_image", .add = add});
}
