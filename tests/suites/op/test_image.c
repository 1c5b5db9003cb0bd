// SPDX-License-Identifier: MIT
/// Images: every format there and back, and what kernels read and write, beside a C reference of OpenCL's rules for
/// samplers (section 8.2 of its specification).
#include <stdio.h>

#include "views.h"

enum { WIDTH = 7, HEIGHT = 5, DEPTH = 3 };

static const char source[] =
    "kernel void sample(read_only image2d_t from, sampler_t how, global const float2 *at, global float4 *y) {\n"
    "  size_t i = get_global_id(0);\n"
    "  y[i] = read_imagef(from, how, at[i]);\n"
    "}\n"
    "kernel void sample_deep(read_only image3d_t from, sampler_t how, global const float4 *at, global float *y) {\n"
    "  size_t i = get_global_id(0);\n"
    "  y[i] = read_imagef(from, how, at[i]).x;\n"
    "}\n"
    "kernel void sum_layers(read_only image2d_array_t from, global uint *y) {\n"
    "  const sampler_t here = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;\n"
    "  uint4 sum = 0;\n"
    "  for (int k = 0; k < (int)get_image_array_size(from); k++)\n"
    "    sum += (k + 1) * read_imageui(from, here, (int4)(get_global_id(0), get_global_id(1), k, 0));\n"
    "  y[get_global_id(1) * get_image_width(from) + get_global_id(0)] = sum.x;\n"
    "}\n"
    "kernel void stamp(write_only image2d_t to, float scale) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imagef(to, at, (float4)(at.x, at.y, at.x + at.y, 1) * scale);\n"
    "}\n"
    "kernel void twice(read_only image2d_t from, sampler_t how, write_only image2d_t to) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imagef(to, at, 2 * read_imagef(from, how, at));\n"
    "}\n";

static weft_device_info info;

static void images_open(void) {
  harness_context_open();
  ok(weft_context_get_device(&info, ctx));
}

/// Whether the device has images; otherwise says that the test is skipped.
static bool has_images(void) {
  if (!info.has_images) printf("the device has no images\n");
  return info.has_images;
}

static weft_kernel *kernel_of(const char *name) {
  weft_kernel *kernel = NULL;
  ok(weft_kernel_create(&kernel, ctx, .source = source, .name = name));
  return kernel;
}

/// An f32 array of 0, 1, 2, ... in this shape.
static weft_array *count_up(weft_shape shape) {
  weft_array *flat = NULL, *x = NULL;
  ok(weft_arange(&flat, ctx, WEFT_F32, 0, shape_count(shape), 1));
  ok(weft_reshape(&x, flat, shape));
  weft_array_release(&flat);
  return x;
}

static void check_same(const weft_array *a, const weft_array *b, const char *what) {
  bool same = false;
  weft_shape s = weft_array_shape(a), t = weft_array_shape(b);
  ck_assert_int_eq(s.ndim, t.ndim);
  for (int d = 0; d < s.ndim; d++) ck_assert_int_eq(s.dim[d], t.dim[d]);
  ck_assert_int_eq(weft_array_dtype(a), weft_array_dtype(b));
  ok(weft_array_equal(&same, a, b));
  ck_assert_msg(same, "%s: the arrays differ", what);
  harness_count(1);
}

/* ---- there and back ---- */

static const weft_dtype dtypes[] = {WEFT_U8, WEFT_I8, WEFT_U16, WEFT_I16, WEFT_U32, WEFT_I32, WEFT_F16, WEFT_F32};
static const struct {
  weft_shape shape;
  int channels;
  bool layered;
  const char *kind;
} forms[] = {
    {{1, {WIDTH}}, 1, false, "image1d_t"},
    {{2, {HEIGHT, WIDTH}}, 1, false, "image2d_t"},
    {{3, {DEPTH, HEIGHT, WIDTH}}, 1, false, "image3d_t"},
    {{2, {WIDTH, 2}}, 2, false, "image1d_t"},
    {{3, {HEIGHT, WIDTH, 2}}, 2, false, "image2d_t"},
    {{3, {HEIGHT, WIDTH, 4}}, 4, false, "image2d_t"},
    {{4, {DEPTH, HEIGHT, WIDTH, 4}}, 4, false, "image3d_t"},
    {{2, {DEPTH, WIDTH}}, 0, true, "image1d_array_t"},
    {{3, {DEPTH, HEIGHT, WIDTH}}, 0, true, "image2d_array_t"},
    {{4, {DEPTH, HEIGHT, WIDTH, 4}}, 4, true, "image2d_array_t"},
};
#define FORMS ((int)(sizeof forms / sizeof *forms))

/// Writes random elements and reads them back. Returns false if the device lacks the format.
static bool goes_round(weft_dtype dtype, int form, bool normalized) {
  unsigned char elements[DEPTH * HEIGHT * WIDTH * 4 * 4], back[sizeof elements] = {0};
  const weft_shape shape = forms[form].shape;
  const size_t size_bytes = (size_t)shape_count(shape) * weft_dtype_size_bytes(dtype);
  harness_random random = harness_random_start((uint64_t)dtype * 100 + (uint64_t)form);
  weft_image *image = NULL;
  weft_image_info is;
  /* integers of the dtype's size, in which every pattern of bits is to survive; no NaN, which is not to */
  for (size_t i = 0; i < size_bytes; i++) elements[i] = (unsigned char)(harness_bits(&random) & 0x3b);
  weft_status rc = weft_image_from_array(&image, WEFT_HOST(elements, dtype, shape), .channels = forms[form].channels,
                                         .layered = forms[form].layered, .normalized = normalized);
  /* formats that OpenCL does not demand of a device */
  const bool two = forms[form].channels == 2, is_snorm = normalized && (dtype == WEFT_I8 || dtype == WEFT_I16);
  if (rc == WEFT_ERROR_UNSUPPORTED && (two || is_snorm)) {
    ck_assert_ptr_nonnull(strstr(weft_error_last()->message, two ? "1 and 4 channels" : ", normalized"));
    return false;
  }
  ck_assert_msg(rc == WEFT_OK, "%s of %s, %d channels: %s", forms[form].kind, weft_dtype_name(dtype),
                forms[form].channels, weft_error_last()->message);
  ok(weft_image_get(&is, image));
  ck_assert_str_eq(is.kind, forms[form].kind);
  ck_assert_int_eq(is.dtype, dtype);
  ck_assert_int_eq(is.shape.ndim, shape.ndim);
  for (int d = 0; d < shape.ndim; d++) ck_assert_int_eq(is.shape.dim[d], shape.dim[d]);
  ck_assert_int_eq(is.channels, forms[form].channels ? forms[form].channels : 1);
  ck_assert(is.normalized == normalized && is.layered == forms[form].layered);
  ck_assert_uint_eq(is.size_bytes, size_bytes);
  ok(weft_image_read(WEFT_HOST_OUT(back, dtype, shape), image));
  ck_assert_mem_eq(back, elements, size_bytes);
  weft_image_release(&image);
  ck_assert_ptr_null(image);
  harness_count(1);
  return true;
}

START_TEST(every_format_goes_there_and_back)
{
  int two = 0;
  if (!has_images()) return;
  for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
    for (int form = 0; form < FORMS; form++) two += goes_round(dtypes[k], form, false) && forms[form].channels == 2;
  for (size_t k = 0; k < 4; k++)
    for (int form = 0; form < FORMS; form++) goes_round(dtypes[k], form, true);
  printf("%d formats of two channels\n", two);
}
END_TEST

START_TEST(views_are_packed_and_dtypes_cast)
{
  weft_array *x = count_up(WEFT_SHAPE(2 * HEIGHT, 2 * WIDTH)), *view = NULL, *back = NULL, *half = NULL, *cast = NULL;
  weft_image *image = NULL;
  if (!has_images()) {
    weft_array_release(&x);
    return;
  }
  ok(weft_view(&view, x, "8:3:-1, 3:10"));
  ok(weft_image_from_array(&image, view));
  ok(weft_image_read(&back, image));
  check_same(back, view, "a view with a negative step");
  weft_release(&view, &back);
  ok(weft_view(&view, x, "1:6, ::2"));
  ok(weft_image_write(image, view));
  ok(weft_image_read(&back, image));
  check_same(back, view, "a view with gaps");
  /* into a result with gaps, and of another dtype */
  weft_release(&back);
  ok(weft_zeros(&half, ctx, WEFT_F16, WEFT_SHAPE(HEIGHT, 2 * WIDTH)));
  ok(weft_view(&back, half, ":, 1::2"));
  ok(weft_image_read(&back, image));
  ok(weft_cast(&cast, back, WEFT_F32));
  check_same(cast, view, "a result with gaps");
  ok(weft_image_write(image, back));
  ok(weft_image_read(&cast, image));
  check_same(cast, view, "halves written to floats");
  weft_release(&view, &back, &half, &cast, &image, &x);
  ck_assert_ptr_null(image);
}
END_TEST

/// Writes a part of a zeroed image and reads the whole, then reads a part of that, and compares both with an array.
static void check_parts(int form) {
  const weft_shape whole = forms[form].shape;
  const int channels = forms[form].channels, axes = whole.ndim - (channels > 1);
  weft_shape origin = {.ndim = axes}, part = whole, pixels = {.ndim = axes};
  weft_image *image = NULL;
  weft_array *zeros = NULL, *x = NULL, *expected = NULL, *view = NULL, *next = NULL, *y = NULL;
  for (int d = 0; d < axes; d++) {
    origin.dim[d] = 1 + d % 2;
    part.dim[d] = pixels.dim[d] = whole.dim[d] - origin.dim[d] - d % 2;
  }
  ok(weft_zeros(&zeros, ctx, WEFT_F32, whole));
  const weft_status rc = weft_image_from_array(&image, zeros, .channels = channels, .layered = forms[form].layered);
  if (rc == WEFT_ERROR_UNSUPPORTED && channels == 2) {
    weft_release(&zeros);
    return;
  }
  ok(rc);
  x = count_up(part);
  ok(weft_image_write(image, x, .origin = origin));
  ok(weft_copy(&expected, zeros));
  ok(weft_view(&view, expected, "..."));
  for (int d = 0; d < axes; d++) {
    ok(weft_slice(&next, view, d, origin.dim[d], origin.dim[d] + pixels.dim[d]));
    weft_array_release(&view);
    view = next;
    next = NULL;
  }
  ok(weft_copy(&view, x));
  ok(weft_image_read(&y, image));
  check_same(y, expected, "a part that was written");
  weft_array_release(&y);
  ok(weft_image_read(&y, image, .origin = origin, .shape = pixels));
  check_same(y, x, "a part that was read");
  weft_array_release(&y);
  /* from the origin to the end */
  ok(weft_slice(&next, expected, 0, origin.dim[0], WEFT_END));
  for (int d = 1; d < axes; d++) origin.dim[d] = 0;
  ok(weft_image_read(&y, image, .origin = origin));
  check_same(y, next, "a part up to the end");
  weft_release(&zeros, &x, &expected, &view, &next, &y, &image);
}

START_TEST(parts_are_written_and_read)
{
  float seen[2][3];
  const uint8_t bytes[2][3] = {{1, 2, 3}, {4, 5, 6}};
  weft_image *image = NULL;
  weft_array *y = NULL;
  if (!has_images()) return;
  for (int form = 0; form < FORMS; form++) check_parts(form);
  /* host memory, another dtype, and empty parts, which are no work */
  ok(weft_image_create(&image, ctx, WEFT_F32, WEFT_SHAPE(HEIGHT, WIDTH)));
  ok(weft_image_write(image, WEFT_HOST(bytes, WEFT_U8, WEFT_SHAPE(2, 3)), .origin = WEFT_SHAPE(3, 4)));
  ok(weft_image_read(WEFT_HOST_OUT(seen, WEFT_F32, WEFT_SHAPE(2, 3)), image, .origin = WEFT_SHAPE(3, 4)));
  for (int i = 0; i < 6; i++) ck_assert_float_eq(seen[i / 3][i % 3], (float)(i + 1));
  ok(weft_image_read(&y, image, .origin = WEFT_SHAPE(HEIGHT, 0)));
  ck_assert_int_eq(weft_array_size(y), 0);
  ck_assert_int_eq(weft_array_shape(y).dim[1], WIDTH);
  ok(weft_image_write(image, y, .origin = WEFT_SHAPE(HEIGHT, 0)));
  weft_release(&image, &y);
}
END_TEST

START_TEST(origins_far_outside_are_refused)
{
  weft_image *image = NULL;
  weft_array *x = NULL, *y = NULL;
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(16, 16)));
  ok(weft_image_from_array(&image, x));
  const int64_t first[] = {INT64_MIN, -1, 17, INT64_MAX};
  for (int k = 0; k < 4; k++) {
    expect_error(weft_image_read(&y, image, .origin = WEFT_SHAPE(first[k], 0)), WEFT_ERROR_INDEX, "`image` has 16",
                 "@origin");
    expect_error(weft_image_read(&y, image, .origin = WEFT_SHAPE(first[k], 0), .shape = WEFT_SHAPE(INT64_MAX, 1)),
                 WEFT_ERROR_INDEX, "`image` has 16", "@origin");
  }
  weft_release(&image, &x, &y);
}
END_TEST

/* ---- samplers ---- */

/// OpenCL's index for the pixel `i` outside of `n` pixels; -1: the border.
static int inside(int i, int n, weft_sampler_address address) {
  if (i >= 0 && i < n) return i;
  if (address == WEFT_ADDRESS_CLAMP) return -1;
  if (address == WEFT_ADDRESS_REPEAT) return (i % n + n) % n;
  if (address == WEFT_ADDRESS_MIRRORED_REPEAT) i = ((i % (2 * n)) + 2 * n) % (2 * n);
  if (address == WEFT_ADDRESS_MIRRORED_REPEAT && i >= n) return 2 * n - 1 - i;
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/// The pixel (x, y, z) of an image that counts up, of `channels` channels.
static double pixel(const int n[3], int x, int y, int z, weft_sampler_address address, int channels) {
  x = inside(x, n[0], address);
  y = inside(y, n[1], address);
  z = inside(z, n[2], address);
  return x < 0 || y < 0 || z < 0 ? 0 : channels * ((z * n[1] + y) * n[0] + x);
}

/// What a sampler reads at coordinates in pixels.
static double sampled(const double at[3], const int n[3], const weft_sampler_params *how, int channels) {
  double sum = 0;
  if (how->filter == WEFT_SAMPLER_NEAREST)
    return pixel(n, (int)floor(at[0]), (int)floor(at[1]), (int)floor(at[2]), how->address, channels);
  for (int corner = 0; corner < 8; corner++) {
    double weight = 1;
    int p[3];
    for (int d = 0; d < 3; d++) {
      const double from = floor(at[d] - 0.5), part = at[d] - 0.5 - from;
      const bool next = corner >> d & 1;
      p[d] = (int)from + next;
      weight *= next ? part : 1 - part;
    }
    if (weight > 0) sum += weight * pixel(n, p[0], p[1], p[2], how->address, channels);
  }
  return sum;
}

enum { POINTS = 300 };

/// Random coordinates in pixels, some outside of the image, none where two pixels are equally near.
static void find_points(double at[POINTS][3], const int n[3], bool outside) {
  harness_random random = harness_random_start(77);
  for (int i = 0; i < POINTS; i++)
    for (int d = 0; d < 3; d++) {
      const int64_t most = outside ? 16 : 0;
      at[i][d] = (double)harness_between(&random, -most, 8 * n[d] - 1 + most) / 8 + 1.0 / 16;
      if (n[d] == 1) at[i][d] = 0.5;
    }
}

static void sample_flat(weft_kernel *kernel, const weft_image *image, const weft_sampler_params *how, int channels) {
  double at[POINTS][3];
  float flat[POINTS][2], seen[POINTS][4];
  const int n[3] = {WIDTH, HEIGHT, 1};
  weft_sampler *sampler = NULL;
  weft_array *places = NULL, *y = NULL;
  find_points(at, n, how->address != WEFT_ADDRESS_NONE);
  for (int i = 0; i < POINTS; i++)
    for (int d = 0; d < 2; d++) flat[i][d] = (float)(how->normalized_coordinates ? at[i][d] / n[d] : at[i][d]);
  ok((weft_sampler_create)(&sampler, ctx, how));
  ok(weft_from_host(&places, ctx, WEFT_F32, WEFT_SHAPE(POINTS, 2), flat));
  ok(weft_empty(&y, ctx, WEFT_F32, WEFT_SHAPE(POINTS, 4)));
  ok(weft_launch(kernel, WEFT_DIM3(POINTS), WEFT_DIM3(1), image, sampler, places, y));
  ok(weft_to_host(seen, sizeof seen, y));
  for (int i = 0; i < POINTS; i++) {
    const double expected = sampled(at[i], n, how, channels);
    /* GPUs interpolate with 8 bits between pixels */
    ck_assert_msg(fabs(seen[i][0] - expected) <= channels * (WIDTH + 1) / 128.0,
                  "filter %d, address %d, normalized %d, %d channels at (%g, %g): %g, expected %g", how->filter,
                  how->address, how->normalized_coordinates, channels, at[i][0], at[i][1], seen[i][0], expected);
    harness_count(1);
  }
  weft_release(&sampler, &places, &y);
}

START_TEST(samplers_read_as_the_reference)
{
  if (!has_images()) return;
  weft_kernel *kernel = kernel_of("sample");
  weft_array *x[] = {count_up(WEFT_SHAPE(HEIGHT, WIDTH)), count_up(WEFT_SHAPE(HEIGHT, WIDTH, 4))};
  for (int k = 0; k < 2; k++) {
    const int channels = k ? 4 : 1;
    weft_image *image = NULL;
    ok(weft_image_from_array(&image, x[k], .channels = channels));
    for (int filter = 0; filter < 2; filter++)
      for (int address = 0; address <= WEFT_ADDRESS_NONE; address++)
        for (int normalized = 0; normalized < 2; normalized++) {
          const bool repeats = address == WEFT_ADDRESS_REPEAT || address == WEFT_ADDRESS_MIRRORED_REPEAT;
          const weft_sampler_params how = {.filter = (weft_sampler_filter)filter,
                                           .address = (weft_sampler_address)address,
                                           .normalized_coordinates = normalized};
          /* a linear sampler without addresses may read outside of the image at its edges */
          if ((repeats && !normalized) || (filter && address == WEFT_ADDRESS_NONE)) continue;
          sample_flat(kernel, image, &how, channels);
        }
    weft_release(&image, &x[k]);
  }
  weft_release(&kernel);
}
END_TEST

START_TEST(three_axes_are_read)
{
  double at[POINTS][3];
  float deep[POINTS][4] = {{0}}, seen[POINTS];
  const int n[3] = {WIDTH, HEIGHT, DEPTH};
  weft_image *image = NULL;
  weft_array *places = NULL, *y = NULL;
  if (!has_images()) return;
  weft_array *x = count_up(WEFT_SHAPE(DEPTH, HEIGHT, WIDTH));
  weft_kernel *kernel = kernel_of("sample_deep");
  ok(weft_image_from_array(&image, x));
  ok(weft_empty(&y, ctx, WEFT_F32, WEFT_SHAPE(POINTS)));
  find_points(at, n, true);
  for (int i = 0; i < POINTS; i++)
    for (int d = 0; d < 3; d++) deep[i][d] = (float)at[i][d];
  ok(weft_from_host(&places, ctx, WEFT_F32, WEFT_SHAPE(POINTS, 4), deep));
  for (int filter = 0; filter < 2; filter++) {
    weft_sampler *sampler = NULL;
    const weft_sampler_params how = {.filter = (weft_sampler_filter)filter};
    ok((weft_sampler_create)(&sampler, ctx, &how));
    ok(weft_launch(kernel, WEFT_DIM3(POINTS), WEFT_DIM3(1), image, sampler, places, y));
    ok(weft_to_host(seen, sizeof seen, y));
    for (int i = 0; i < POINTS; i++) {
      const double expected = sampled(at[i], n, &how, 1);
      ck_assert_msg(fabs(seen[i] - expected) <= (WIDTH * HEIGHT + WIDTH + 1) / 128.0, "(%g, %g, %g): %g, expected %g",
                    at[i][0], at[i][1], at[i][2], seen[i], expected);
      harness_count(1);
    }
    weft_release(&sampler);
  }
  weft_release(&x, &kernel, &image, &places, &y);
}
END_TEST

START_TEST(layers_are_read)
{
  uint32_t seen[HEIGHT * WIDTH];
  weft_image *image = NULL;
  weft_array *flat = NULL, *x = NULL, *y = NULL;
  if (!has_images()) return;
  weft_kernel *kernel = kernel_of("sum_layers");
  ok(weft_arange(&flat, ctx, WEFT_U16, 0, DEPTH * HEIGHT * WIDTH, 1));
  ok(weft_reshape(&x, flat, WEFT_SHAPE(DEPTH, HEIGHT, WIDTH)));
  ok(weft_image_from_array(&image, x, .layered = true));
  ok(weft_empty(&y, ctx, WEFT_U32, WEFT_SHAPE(HEIGHT, WIDTH)));
  ok(weft_launch(kernel, WEFT_DIM3(WIDTH, HEIGHT), WEFT_DIM3(1), image, y));
  ok(weft_to_host(seen, sizeof seen, y));
  for (uint32_t i = 0; i < HEIGHT * WIDTH; i++) {
    uint32_t expected = 0;
    for (uint32_t k = 0; k < DEPTH; k++) expected += (k + 1) * (k * HEIGHT * WIDTH + i);
    ck_assert_uint_eq(seen[i], expected);
  }
  harness_count(1);
  weft_release(&flat, &x, &y, &image, &kernel);
}
END_TEST

/* ---- kernels that write ---- */

START_TEST(kernels_write_images)
{
  uint8_t bytes[HEIGHT][WIDTH][4];
  float floats[HEIGHT][WIDTH];
  weft_image *a = NULL, *b = NULL;
  weft_sampler *sampler = NULL;
  if (!has_images()) return;
  weft_kernel *stamp = kernel_of("stamp"), *twice = kernel_of("twice");
  ok(weft_image_create(&a, ctx, WEFT_U8, WEFT_SHAPE(HEIGHT, WIDTH, 4), .channels = 4, .normalized = true));
  ok(weft_image_create(&b, ctx, WEFT_F32, WEFT_SHAPE(HEIGHT, WIDTH)));
  ok(weft_sampler_create(&sampler, ctx));
  ok(weft_launch(stamp, WEFT_DIM3(WIDTH, HEIGHT), WEFT_DIM3(1), a, 1.0f / 255));
  ok(weft_launch(twice, WEFT_DIM3(WIDTH, HEIGHT), WEFT_DIM3(1), a, sampler, b));
  ok(weft_image_read(WEFT_HOST_OUT(bytes, WEFT_U8, WEFT_SHAPE(HEIGHT, WIDTH, 4)), a));
  ok(weft_image_read(WEFT_HOST_OUT(floats, WEFT_F32, WEFT_SHAPE(HEIGHT, WIDTH)), b));
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      const int expected[] = {x, y, x + y, 1};
      for (int k = 0; k < 4; k++) ck_assert_int_eq(bytes[y][x][k], expected[k]);
      ck_assert_float_eq_tol(floats[y][x], 2 * (float)x / 255, 1e-6);
      harness_count(1);
    }
  weft_release(&a, &b, &sampler, &stamp, &twice);
}
END_TEST

START_TEST(streams_wait_for_each_other)
{
  float seen[HEIGHT * WIDTH];
  weft_stream *stream[2] = {NULL};
  weft_image *a = NULL, *b = NULL;
  weft_sampler *sampler = NULL;
  if (!has_images()) return;
  weft_kernel *stamp = kernel_of("stamp"), *twice = kernel_of("twice");
  for (int k = 0; k < 2; k++) ok(weft_stream_create(&stream[k], ctx));
  ok(weft_image_create(&a, ctx, WEFT_F32, WEFT_SHAPE(HEIGHT, WIDTH)));
  ok(weft_image_create(&b, ctx, WEFT_F32, WEFT_SHAPE(HEIGHT, WIDTH)));
  ok(weft_sampler_create(&sampler, ctx));
  for (int round = 1; round <= 50; round++) {
    ok(weft_launch_on(stamp, stream[round % 2], WEFT_DIM3(WIDTH, HEIGHT), WEFT_DIM3(1), a, (float)round));
    ok(weft_launch_on(twice, stream[(round + 1) % 2], WEFT_DIM3(WIDTH, HEIGHT), WEFT_DIM3(1), a, sampler, b));
    ok(weft_image_read(WEFT_HOST_OUT(seen, WEFT_F32, WEFT_SHAPE(HEIGHT, WIDTH)), b));
    for (int i = 0; i < HEIGHT * WIDTH; i++) ck_assert_float_eq(seen[i], (float)(2 * round * (i % WIDTH)));
    harness_count(1);
  }
  weft_release(&a, &b, &sampler, &stamp, &twice, &stream[0], &stream[1]);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "images");
  tcase_add_checked_fixture(tc, images_open, harness_context_close);
  tcase_add_test(tc, every_format_goes_there_and_back);
  tcase_add_test(tc, views_are_packed_and_dtypes_cast);
  tcase_add_test(tc, parts_are_written_and_read);
  tcase_add_test(tc, origins_far_outside_are_refused);
  tcase_add_test(tc, samplers_read_as_the_reference);
  tcase_add_test(tc, three_axes_are_read);
  tcase_add_test(tc, layers_are_read);
  tcase_add_test(tc, kernels_write_images);
  tcase_add_test(tc, streams_wait_for_each_other);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "image", .add = add});
}
