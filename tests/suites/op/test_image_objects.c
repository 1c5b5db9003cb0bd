// SPDX-License-Identifier: MIT
/// Images and samplers as objects: OpenCL's own adopted, memory counted, ends of contexts, and every error.
#include <CL/cl.h>
#include <stdio.h>

#include "harness.h"

enum { WIDTH = 8, HEIGHT = 4, BYTES = WIDTH * HEIGHT * 4 };

static const char source[] =
    "kernel void twice(read_only image2d_t from, sampler_t how, write_only image2d_t to, int step) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imagef(to, at, 2 * read_imagef(from, how, at + step));\n"
    "}\n";

#define GRID WEFT_DIM3(WIDTH, HEIGHT)
#define BLOCK WEFT_DIM3(1)

static weft_device_info info;
/* on a device with images: */
static weft_kernel *twice;
static weft_image *from, *to;
static weft_sampler *how;
static weft_array *x;

static void images_open(void) {
  harness_context_open();
  ok(weft_context_get_device(&info, ctx));
  ok(weft_empty(&x, ctx, WEFT_F32, WEFT_SHAPE(HEIGHT, WIDTH)));
  if (!info.has_images) return;
  ok(weft_kernel_create(&twice, ctx, .source = source));
  ok(weft_image_from_array(&from, x));
  ok(weft_image_create(&to, ctx, WEFT_F32, WEFT_SHAPE(HEIGHT, WIDTH)));
  ok(weft_sampler_create(&how, ctx));
}

static void images_close(void) {
  weft_release(&twice, &from, &to, &how, &x);
  harness_context_close();
}

static bool has_images(void) {
  if (!info.has_images) printf("the device has no images\n");
  return info.has_images;
}

/* ---- OpenCL's own images ---- */

static cl_mem foreign(cl_context context, cl_mem_flags flags, cl_channel_order order, cl_mem_object_type type) {
  cl_int code = 0;
  const cl_image_format format = {order, CL_FLOAT};
  const cl_image_desc shape = {.image_type = type,
                               .image_width = WIDTH,
                               .image_height = HEIGHT,
                               .image_depth = type == CL_MEM_OBJECT_IMAGE3D ? 2 : 0,
                               .image_array_size = type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? 3 : 0};
  cl_mem image = clCreateImage(context, flags, &format, &shape, NULL, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  return image;
}

START_TEST(foreign_images_are_adopted)
{
  static const struct {
    cl_mem_object_type type;
    cl_channel_order order;
    weft_shape shape;
    const char *kind;
  } kinds[] = {
      {CL_MEM_OBJECT_IMAGE2D, CL_R, {2, {HEIGHT, WIDTH}}, "image2d_t"},
      {CL_MEM_OBJECT_IMAGE2D, CL_RGBA, {3, {HEIGHT, WIDTH, 4}}, "image2d_t"},
      {CL_MEM_OBJECT_IMAGE3D, CL_R, {3, {2, HEIGHT, WIDTH}}, "image3d_t"},
      {CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_RGBA, {4, {3, HEIGHT, WIDTH, 4}}, "image2d_array_t"},
  };
  if (!has_images()) return;
  weft_memory_stats before, after;
  ok(weft_memory_get(&before, ctx));
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    weft_image *image = NULL;
    weft_image_info is;
    weft_array *y = NULL, *back = NULL;
    bool same = false;
    cl_mem mem = foreign(weft_context_cl_context(ctx), CL_MEM_READ_WRITE, kinds[k].order, kinds[k].type);
    ok(weft_image_adopt(&image, ctx, mem));
    ck_assert_int_eq(clReleaseMemObject(mem), CL_SUCCESS); /* the image holds its own reference */
    ck_assert_ptr_eq(weft_image_cl_mem(image), mem);
    ok(weft_image_get(&is, image));
    ck_assert_str_eq(is.kind, kinds[k].kind);
    ck_assert_int_eq(is.dtype, WEFT_F32);
    ck_assert_int_eq(is.shape.ndim, kinds[k].shape.ndim);
    ck_assert_mem_eq(is.shape.dim, kinds[k].shape.dim, (size_t)is.shape.ndim * sizeof *is.shape.dim);
    ok(weft_full(&y, ctx, WEFT_F32, is.shape, 2.5f));
    ok(weft_image_write(image, y));
    ok(weft_image_read(&back, image));
    ok(weft_array_equal(&same, y, back));
    ck_assert(same);
    harness_count(1);
    weft_release(&y, &back);
    ok(weft_memory_get(&after, ctx));
    ck_assert_uint_eq(after.active_bytes, before.active_bytes); /* no budget counts it */
    weft_release(&image);
  }
}
END_TEST

/// PoCL's copies between a sub-buffer and an image crash.
START_TEST(sub_buffers_are_copied_to_images)
{
  float back[HEIGHT][WIDTH];
  cl_int code = 0;
  weft_array *y = NULL;
  if (!has_images()) return;
  const size_t begin = (size_t)info.address_align_bytes;
  cl_mem whole = clCreateBuffer(weft_context_cl_context(ctx), CL_MEM_READ_WRITE, begin + BYTES, NULL, &code);
  cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){begin, BYTES}, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  ok(weft_array_adopt(&y, ctx, part, 0, WEFT_F32, WEFT_SHAPE(HEIGHT, WIDTH)));
  ok(weft_fill(y, 3.5f));
  ok(weft_image_write(from, y));
  ok(weft_fill(y, 0.0f));
  ok(weft_image_read(&y, from));
  ok(weft_to_host(back, sizeof back, y));
  for (int i = 0; i < HEIGHT * WIDTH; i++) ck_assert_float_eq(back[i / WIDTH][i % WIDTH], 3.5f);
  weft_release(&y);
  clReleaseMemObject(part);
  clReleaseMemObject(whole);
}
END_TEST

START_TEST(foreign_images_keep_their_flags)
{
  weft_image *readable = NULL, *writable = NULL;
  weft_array *y = NULL;
  if (!has_images()) return;
  cl_context context = weft_context_cl_context(ctx);
  cl_mem in = foreign(context, CL_MEM_READ_ONLY, CL_R, CL_MEM_OBJECT_IMAGE2D),
         out = foreign(context, CL_MEM_WRITE_ONLY, CL_R, CL_MEM_OBJECT_IMAGE2D);
  ok(weft_image_adopt(&readable, ctx, in));
  ok(weft_image_adopt(&writable, ctx, out));
  expect_error(weft_image_write(readable, x), WEFT_ERROR_READ_ONLY, "weft_image_write", "CL_MEM_READ_ONLY", "@image");
  ok(weft_image_read(&y, readable));
  if (weft_launch(twice, GRID, BLOCK, from, how, readable, 0) != WEFT_OK) {
    expect_error(weft_launch(twice, GRID, BLOCK, from, how, readable, 0), WEFT_ERROR_READ_ONLY, "argument 2 `to`",
                 "CL_MEM_READ_ONLY");
    expect_error(weft_launch(twice, GRID, BLOCK, writable, how, to, 0), WEFT_ERROR_KERNEL_ARGUMENT, "argument 0 `from`",
                 "CL_MEM_WRITE_ONLY");
  } else {
    ck_assert_ptr_nonnull(strstr(getenv("WEFT_QUIRKS"), "no_arg_info")); /* then only the driver knows */
  }
  ok(weft_launch(twice, GRID, BLOCK, readable, how, writable, 0));
  ok(weft_context_wait(ctx));
  weft_release(&readable, &writable, &y);
  clReleaseMemObject(in);
  clReleaseMemObject(out);
}
END_TEST

START_TEST(what_cannot_be_adopted)
{
  cl_int code = 0;
  weft_image *image = NULL;
  if (!has_images()) return;
  cl_context context = weft_context_cl_context(ctx);
  cl_device_id id = weft_context_cl_device(ctx);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &code);
  cl_context second = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
  cl_mem far = foreign(second, CL_MEM_READ_WRITE, CL_R, CL_MEM_OBJECT_IMAGE2D);
  expect_error(weft_image_adopt(&image, ctx, NULL), WEFT_ERROR_ARGUMENT, "weft_image_adopt", "`cl_mem` is NULL",
               "@cl_mem");
  expect_error(weft_image_adopt(&image, ctx, buffer), WEFT_ERROR_ARGUMENT, "is a buffer; expected an image",
               "weft_array_adopt", "@cl_mem");
  expect_error(weft_image_adopt(&image, ctx, far), WEFT_ERROR_CONTEXT, "another cl_context", "weft_context_adopt",
               "@cl_mem");
  cl_mem blue = clCreateImage(
      context, CL_MEM_READ_WRITE, &(cl_image_format){CL_BGRA, CL_UNORM_INT8},
      &(cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2, .image_height = 2}, NULL, &code);
  if (code == CL_SUCCESS) {
    expect_error(weft_image_adopt(&image, ctx, blue), WEFT_ERROR_UNSUPPORTED, "CL_R, CL_RG or CL_RGBA", "WEFT_CL_IMAGE",
                 "@cl_mem");
    clReleaseMemObject(blue);
  }
  ck_assert_ptr_null(image);
  clReleaseMemObject(buffer);
  clReleaseMemObject(far);
  clReleaseContext(second);
}
END_TEST

/* ---- memory ---- */

START_TEST(images_count_as_memory)
{
  weft_memory_stats before, with, after;
  weft_image *image = NULL;
  char *text = NULL;
  if (!has_images()) return;
  ok(weft_memory_get(&before, ctx));
  ok(weft_image_create(&image, ctx, WEFT_F32, WEFT_SHAPE(256, 512)));
  ok(weft_memory_get(&with, ctx));
  ck_assert_uint_eq(with.active_bytes, before.active_bytes + 256 * 512 * 4);
  ck_assert_uint_eq(with.arrays, before.arrays + 1);
  ok(weft_memory_report(&text, ctx));
  ck_assert_ptr_nonnull(strstr(text, " image "));
  ck_assert_ptr_nonnull(strstr(text, " sampler "));
  weft_free(text);
  weft_release(&image);
  ok(weft_memory_get(&after, ctx));
  ck_assert_uint_eq(after.active_bytes, before.active_bytes);
  ck_assert_uint_eq(after.held_bytes, before.held_bytes); /* no pool keeps an image */
  ok(weft_memory_set_limit(ctx, after.managed_bytes + 1000000));
  expect_error(weft_image_create(&image, ctx, WEFT_F32, WEFT_SHAPE(1000, 1000)), WEFT_ERROR_BUDGET, "weft_image_create",
               "memory limit");
  ok(weft_image_create(&image, ctx, WEFT_U8, WEFT_SHAPE(1000, 1000)));
  ok(weft_memory_set_limit(ctx, 0));
  weft_release(&image);
  harness_count(1);
}
END_TEST

START_TEST(images_are_profiled)
{
  char *text = NULL;
  weft_array *y = NULL;
  if (!has_images()) return;
  ok(weft_profile_start(ctx));
  ok(weft_image_write(to, x));
  ok(weft_launch(twice, GRID, BLOCK, from, how, to, 0));
  ok(weft_image_read(&y, to));
  ok(weft_profile_stop(ctx));
  ok(weft_profile_report(&text, ctx));
  ck_assert_ptr_nonnull(strstr(text, "image_write"));
  ck_assert_ptr_nonnull(strstr(text, "image_read"));
  ck_assert_ptr_nonnull(strstr(text, "twice"));
  weft_free(text);
  weft_release(&y);
}
END_TEST

START_TEST(recordings_refuse_images)
{
  weft_recording *recording = NULL;
  weft_array *y = NULL;
  if (!has_images()) return;
#define refused(call)                                                                                                  \
  do {                                                                                                                 \
    ok(weft_record_begin(ctx));                                                                                        \
    expect_error(call, WEFT_ERROR_UNSUPPORTED, "it cannot be recorded", "an image");                                   \
    expect_error(weft_record_end(&recording), WEFT_ERROR_UNSUPPORTED, "cannot be recorded", "weft_image", "an image"); \
  } while (0)
  refused(weft_image_write(to, x));
  refused(weft_image_read(&y, from));
#undef refused
  ok(weft_record_begin(ctx));
  expect_error(weft_launch(twice, GRID, BLOCK, from, how, to, 0), WEFT_ERROR_UNSUPPORTED, "it cannot be recorded",
               "an image");
  weft_record_cancel();
  ok(weft_image_write(to, x));
  ck_assert(!recording && !y);
}
END_TEST

START_TEST(objects_outlive_what_they_need)
{
  weft_context *second = NULL;
  weft_image *image = NULL;
  weft_sampler *sampler = NULL;
  weft_array *y = NULL;
  weft_image_info is;
  if (!has_images()) return;
  weft_image *again = weft_image_retain(from);
  ck_assert_ptr_eq(again, from);
  weft_image_release(&again);
  weft_sampler *more = weft_sampler_retain(how);
  weft_sampler_release(&more);
  ck_assert_ptr_null(more);
  ok(weft_context_create(&second, .device = device.selector));
  ok(weft_image_create(&image, second, WEFT_F32, WEFT_SHAPE(HEIGHT, WIDTH)));
  ok(weft_sampler_create(&sampler, second));
  /* with the quirk no_arg_info an argument has a number and no name */
  expect_error(weft_launch(twice, GRID, BLOCK, image, how, to, 0), WEFT_ERROR_CONTEXT, "argument 0 `",
               "is an image of another context");
  expect_error(weft_launch(twice, GRID, BLOCK, from, sampler, to, 0), WEFT_ERROR_CONTEXT, "argument 1 `",
               "is a sampler of another context");
  expect_error(weft_image_write(image, x), WEFT_ERROR_CONTEXT, "`x` belongs to another context than `image`", "@x");
  expect_error(weft_context_close(&second), WEFT_ERROR_LEAK, "2 objects were", "1 image (128 bytes) made at",
               "1 sampler made at");
  /* what is left of them */
  ok(weft_image_get(&is, image));
  ck_assert_ptr_null(weft_image_cl_mem(image));
  expect_error(weft_image_read(&y, image), WEFT_ERROR_CLOSED, "weft_image_read");
  weft_release(&image, &sampler);
  expect_error(weft_image_read(&y, image), WEFT_ERROR_HANDLE, "`image` is NULL");
  harness_count(1);
}
END_TEST

/* ---- errors ---- */

START_TEST(forms_that_are_refused)
{
  weft_image *image = NULL;
  const int64_t wide = (int64_t)info.max_image_2d[0] + 1, deep = (int64_t)info.max_image_3d[2] + 1;
  if (!has_images()) return;
  const struct {
    weft_dtype dtype;
    weft_shape shape;
    weft_image_params params;
    weft_status status;
    const char *says[3];
  } wrong[] = {
      {WEFT_F64, {2, {4, 4}}, {0}, WEFT_ERROR_DTYPE, {"an image of f64", "f16 or f32", "@dtype"}},
      {WEFT_BOOL, {2, {4, 4}}, {0}, WEFT_ERROR_DTYPE, {"an image of bool", "weft_cast", "@dtype"}},
      {WEFT_I64, {2, {4, 4}}, {0}, WEFT_ERROR_DTYPE, {"an image of i64", "i32", "@dtype"}},
      {(weft_dtype)99, {2, {4, 4}}, {0}, WEFT_ERROR_DTYPE, {"`dtype` is 99", "weft_dtype", "@dtype"}},
      {WEFT_F32, {2, {4, 4}}, {.normalized = true}, WEFT_ERROR_ARGUMENT, {"image of f32", "u8, i8", "@normalized"}},
      {WEFT_U32, {2, {4, 4}}, {.normalized = true}, WEFT_ERROR_ARGUMENT, {"image of u32", "u16", "@normalized"}},
      {WEFT_U8,
       {3, {4, 4, 3}},
       {.channels = 3},
       WEFT_ERROR_ARGUMENT,
       {"is 3; expected 1, 2 or 4", "4 of 3", "@channels"}},
      {WEFT_U8, {3, {4, 4, 3}}, {.channels = 4}, WEFT_ERROR_SHAPE, {"last axis", "length 3; expected 4", "@shape"}},
      {WEFT_U8, {1, {4}}, {.channels = 4}, WEFT_ERROR_SHAPE, {"`.channels` is 4", "", "@shape"}},
      {WEFT_U8, {4, {2, 4, 4, 4}}, {0}, WEFT_ERROR_SHAPE, {"an array of 4 axes", "1 to 3", "@shape"}},
      {WEFT_U8, {0, {0}}, {0}, WEFT_ERROR_SHAPE, {"an array of 0 axes", "1 to 3", "@shape"}},
      {WEFT_U8, {1, {4}}, {.layered = true}, WEFT_ERROR_SHAPE, {"1 axes, layered", "2 or 3", "@shape"}},
      {WEFT_U8, {2, {4, 0}}, {0}, WEFT_ERROR_SHAPE, {"axis 1 of the image is empty", "", "@shape"}},
      {WEFT_U8, {2, {1, wide}}, {0}, WEFT_ERROR_SHAPE, {"pixels wide (axis 1)", "image2d_t", "@shape"}},
      {WEFT_U8, {1, {wide}}, {0}, WEFT_ERROR_SHAPE, {"pixels wide (axis 0)", "image1d_t", "@shape"}},
      {WEFT_U8, {3, {deep, 1, 1}}, {0}, WEFT_ERROR_SHAPE, {"pixels deep (axis 0)", "image3d_t", "@shape"}},
      {WEFT_U8,
       {3, {(int64_t)info.max_image_layers + 1, 1, 1}},
       {.layered = true},
       WEFT_ERROR_SHAPE,
       {"layers (axis 0)", "image2d_array_t", "@shape"}},
      {WEFT_U8, {2, {INT64_MAX, INT64_MAX}}, {0}, WEFT_ERROR_OVERFLOW, {"2^63-1", "", "@shape"}},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    expect_error((weft_image_create)(&image, ctx, wrong[k].dtype, wrong[k].shape, &wrong[k].params), wrong[k].status,
                 "weft_image_create", wrong[k].says[0], wrong[k].says[1], wrong[k].says[2]);
    ck_assert_ptr_null(image);
    harness_count(1);
  }
}
END_TEST

START_TEST(misused_calls)
{
  weft_image *image = NULL;
  weft_sampler *sampler = NULL;
  weft_array *small = NULL, *y = NULL;
  weft_image_info is;
  if (!has_images()) return;
  ok(weft_zeros(&small, ctx, WEFT_F32, WEFT_SHAPE(HEIGHT, 1)));
  expect_error(weft_image_write(from, small), WEFT_ERROR_SHAPE, "weft_image_write", "`x` is f32[4,1]",
               "`image` is f32[4,8]; `.origin` writes a part", "@x");
  expect_error(weft_image_write(from, 1.0f), WEFT_ERROR_ARGUMENT, "`x` is a number", "WEFT_HOST", "@x");
  expect_error(weft_image_from_array(&image, 1), WEFT_ERROR_ARGUMENT, "`x` is a number", "@x");
  expect_error(weft_image_read(&small, from), WEFT_ERROR_SHAPE, "weft_image_read", "@out");
  weft_release(&small);
  ok(weft_zeros(&small, ctx, WEFT_I32, WEFT_SHAPE(HEIGHT, WIDTH)));
  expect_error(weft_image_read(&small, from), WEFT_ERROR_DTYPE, "f32", "i32", "weft_cast", "@out");
  ok(weft_image_from_array(&image, small));
  expect_error(weft_image_write(image, x), WEFT_ERROR_DTYPE, "f32", "i32", "weft_cast", "@image");
  expect_error(weft_image_from_array(&image, x), WEFT_ERROR_ARGUMENT, "`*out` is not NULL", "@out");
  expect_error(weft_image_write(NULL, x), WEFT_ERROR_HANDLE, "`image` is NULL; expected a weft_image", "@image");
  expect_error(weft_image_read(&y, harness_garbage()), WEFT_ERROR_HANDLE, "not a live weft_image", "@image");
  expect_error(weft_image_read(&y, (weft_image *)(void *)how), WEFT_ERROR_HANDLE, "is a weft_sampler", "@image");
  expect_error(weft_image_get(NULL, from), WEFT_ERROR_ARGUMENT, "`info` is NULL");
  expect_error(weft_image_get(&is, NULL), WEFT_ERROR_HANDLE, "`image` is NULL");
  expect_error(weft_sampler_create(&sampler, ctx, .filter = (weft_sampler_filter)7), WEFT_ERROR_ARGUMENT,
               "`.filter` is 7", "@filter");
  expect_error(weft_sampler_create(&sampler, ctx, .address = (weft_sampler_address)9), WEFT_ERROR_ARGUMENT,
               "`.address` is 9", "@address");
  expect_error(weft_sampler_create(&sampler, ctx, .address = WEFT_ADDRESS_REPEAT), WEFT_ERROR_ARGUMENT,
               "normalized coordinates only", "@address");
  expect_error(weft_sampler_create(&how, ctx), WEFT_ERROR_ARGUMENT, "`*out` is not NULL", "@out");
  weft_release(&small, &image);
}
END_TEST

START_TEST(parts_that_are_refused)
{
  weft_image *four = NULL;
  weft_array *y = NULL, *pixels = NULL;
  if (!has_images()) return;
  ok(weft_image_create(&four, ctx, WEFT_F32, WEFT_SHAPE(HEIGHT, WIDTH, 4), .channels = 4));
  ok(weft_zeros(&pixels, ctx, WEFT_F32, WEFT_SHAPE(2, 3, 4)));
  expect_error(weft_image_read(&y, from, .origin = WEFT_SHAPE(1)), WEFT_ERROR_ARGUMENT, "weft_image_read",
               "`origin` has 1 number; expected 2, one for each axis of `image`", "@origin");
  expect_error(weft_image_read(&y, four, .shape = WEFT_SHAPE(1, 1, 4)), WEFT_ERROR_ARGUMENT,
               "`shape` has 3 numbers; expected 2", "but the channels'", "@shape");
  expect_error(weft_image_read(&y, from, .origin = WEFT_SHAPE(0, WIDTH + 1)), WEFT_ERROR_INDEX,
               "from number 9 on along axis 1; `image` has 8", "@origin");
  expect_error(weft_image_read(&y, from, .origin = WEFT_SHAPE(-1, 0)), WEFT_ERROR_INDEX,
               "from number -1 on along axis 0");
  expect_error(weft_image_read(&y, from, .shape = WEFT_SHAPE(HEIGHT + 1, 1)), WEFT_ERROR_INDEX,
               "5 pixels from number 0 on along axis 0; `image` has 4", "@shape");
  expect_error(weft_image_read(&y, from, .origin = WEFT_SHAPE(0, 3), .shape = WEFT_SHAPE(1, INT64_MAX)),
               WEFT_ERROR_INDEX, "along axis 1");
  expect_error(weft_image_read(&y, from, .shape = WEFT_SHAPE(1, -1)), WEFT_ERROR_INDEX, "-1 pixels");
  expect_error(weft_image_write(four, pixels, .origin = WEFT_SHAPE(3, 0)), WEFT_ERROR_INDEX, "weft_image_write",
               "2 pixels from number 3 on along axis 0; `image` has 4", "@origin");
  expect_error(weft_image_write(four, pixels, .origin = WEFT_SHAPE(0, 0, 0)), WEFT_ERROR_ARGUMENT,
               "`origin` has 3 numbers; expected 2", "@origin");
  expect_error(weft_image_write(four, x, .origin = WEFT_SHAPE(0, 0)), WEFT_ERROR_SHAPE, "`x` is f32[4,8]",
               "`image` is f32[4,8,4]: expected as many axes and channels", "@x");
  expect_error(weft_image_write(from, pixels, .origin = WEFT_SHAPE(0, 0)), WEFT_ERROR_SHAPE,
               "`image` is f32[4,8]: expected as many axes", "@x");
  expect_error(weft_image_write(from, 1, .origin = WEFT_SHAPE(0, 0)), WEFT_ERROR_ARGUMENT, "`x` is a number", "@x");
  ck_assert_ptr_null(y);
  weft_release(&four, &pixels);
}
END_TEST

START_TEST(misused_arguments)
{
  const weft_image *constant = to;
  weft_image *line = NULL;
  if (!has_images()) return;
  if (getenv("WEFT_QUIRKS") && strstr(getenv("WEFT_QUIRKS"), "no_arg_info")) {
    /* nothing is known about the parameters: what is right works, and no handle goes unchecked */
    ok(weft_launch(twice, GRID, BLOCK, from, how, to, 0));
    expect_error(weft_launch(twice, GRID, BLOCK, (weft_image *)harness_zeroed(), how, to, 0), WEFT_ERROR_HANDLE,
                 "not a live weft_image");
    return;
  }
  ok(weft_image_create(&line, ctx, WEFT_F32, WEFT_SHAPE(WIDTH)));
  expect_error(weft_launch(twice, GRID, BLOCK, line, how, to, 0), WEFT_ERROR_KERNEL_ARGUMENT, "weft_launch: twice",
               "argument 0 `from` is image1d_t here", "image2d_t");
  expect_error(weft_launch(twice, GRID, BLOCK, how, how, to, 0), WEFT_ERROR_KERNEL_ARGUMENT,
               "argument 0 `from` is a sampler here", "pass a weft_image");
  expect_error(weft_launch(twice, GRID, BLOCK, from, from, to, 0), WEFT_ERROR_KERNEL_ARGUMENT,
               "argument 1 `how` is an image here", "pass a weft_sampler");
  expect_error(weft_launch(twice, GRID, BLOCK, x, how, to, 0), WEFT_ERROR_KERNEL_ARGUMENT, "argument 0 `from`",
               "an array", "pass a weft_image");
  expect_error(weft_launch(twice, GRID, BLOCK, from, how, to, from), WEFT_ERROR_KERNEL_ARGUMENT, "argument 3 `step`",
               "an image");
  expect_error(weft_launch(twice, GRID, BLOCK, from, how, constant, 0), WEFT_ERROR_KERNEL_ARGUMENT,
               "argument 2 `to` is a const weft_image");
  expect_error(weft_launch(twice, GRID, BLOCK, from, how, from, 0), WEFT_ERROR_KERNEL_ARGUMENT,
               "argument 2 `to` is the image that argument 0 `from` is too", "writes it");
  expect_error(weft_launch(twice, GRID, BLOCK, (weft_image *)NULL, how, to, 0), WEFT_ERROR_HANDLE, "`from` is NULL");
  expect_error(weft_launch(twice, GRID, BLOCK, from, (weft_sampler *)harness_garbage(), to, 0), WEFT_ERROR_HANDLE,
               "not a live weft_sampler");
  ok(weft_launch(twice, GRID, BLOCK, (const weft_image *)from, (const weft_sampler *)how, to, 0));
  weft_release(&line);
}
END_TEST

START_TEST(numbers_are_not_blamed_on_a_kernel_that_reads_an_image)
{
  weft_context *careful = NULL;
  weft_image *image = NULL;
  weft_sampler *sampler = NULL;
  weft_kernel *kernel = NULL;
  weft_array *y = NULL;
  const float nan = NAN;
  if (!has_images()) return;
  ck_assert_int_eq(setenv("WEFT_CHECKS", "numbers", 1), 0);
  ok(weft_context_create(&careful, .device = device.selector));
  ok(weft_kernel_create(&kernel, careful, .name = "get",
                        .source = "kernel void get(read_only image1d_t from, sampler_t how, global float *y) { y[0] = "
                                  "read_imagef(from, how, 0).x; }"));
  ok(weft_full(&y, careful, WEFT_F32, WEFT_SHAPE(1), nan));
  ok(weft_image_from_array(&image, y));
  ok(weft_fill(y, 1.0f));
  ok(weft_sampler_create(&sampler, careful));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), image, sampler, y));
  ok(weft_image_read(&y, image));
  weft_release(&kernel, &image, &y, &sampler);
  ok(weft_context_close(&careful));
}
END_TEST

START_TEST(a_device_without_images_says_so)
{
  weft_image *image = NULL;
  weft_sampler *sampler = NULL;
  if (info.has_images) return;
  ck_assert_uint_eq(info.max_image_2d[0] + info.max_image_3d[0] + info.max_image_layers, 0);
  expect_error(weft_image_create(&image, ctx, WEFT_F32, WEFT_SHAPE(4, 4)), WEFT_ERROR_UNSUPPORTED, "weft_image_create",
               info.name, "has no images", "CL_DEVICE_IMAGE_SUPPORT");
  expect_error(weft_image_from_array(&image, x), WEFT_ERROR_UNSUPPORTED, "weft_image_from_array", "has no images");
  expect_error(weft_image_adopt(&image, ctx, (struct _cl_mem *)harness_zeroed()), WEFT_ERROR_UNSUPPORTED,
               "weft_image_adopt", "has no images");
  expect_error(weft_sampler_create(&sampler, ctx), WEFT_ERROR_UNSUPPORTED, "weft_sampler_create", "has no images");
  ck_assert(!image && !sampler);
  harness_count(1);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "objects");
  tcase_add_checked_fixture(tc, images_open, images_close);
  tcase_add_test(tc, foreign_images_are_adopted);
  tcase_add_test(tc, sub_buffers_are_copied_to_images);
  tcase_add_test(tc, foreign_images_keep_their_flags);
  tcase_add_test(tc, what_cannot_be_adopted);
  tcase_add_test(tc, images_count_as_memory);
  tcase_add_test(tc, images_are_profiled);
  tcase_add_test(tc, recordings_refuse_images);
  tcase_add_test(tc, objects_outlive_what_they_need);
  tcase_add_test(tc, forms_that_are_refused);
  tcase_add_test(tc, misused_calls);
  tcase_add_test(tc, parts_that_are_refused);
  tcase_add_test(tc, misused_arguments);
  tcase_add_test(tc, numbers_are_not_blamed_on_a_kernel_that_reads_an_image);
  tcase_add_test(tc, a_device_without_images_says_so);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "image_objects", .add = add});
}
