// SPDX-License-Identifier: MIT
// Turns and enlarges a picture by a texture: an image that a kernel reads through a sampler, at places between pixels
// and outside of the picture. The sampler interpolates, and mirrors the picture at its edges. In CUDA these are a
// cudaTextureObject_t with cudaFilterModeLinear and cudaAddressModeMirror, tex2D, and a surface for the result.
// weft_map_coordinates computes the same in full precision; GPUs interpolate with 8 bits between two pixels.
#include <inttypes.h>
#include <math.h>

#include "example.h"
#include "picture.h"

enum { CHANNELS = 4 };  // a pixel of an image has 1, 2 or 4 numbers; the fourth is the opacity

// Squares that get red to the right and green downwards, between squares of one blue.
static weft_status paint(weft_array *pixels, weft_context *context) {
  const weft_shape shape = weft_array_shape(pixels);
  return weft_eval(&pixels, context,
                   "odd = (i0 // 20 + i1 // 20) % 2 == 1\n"
                   "red = 255 * i1 // width if odd else 40\n"
                   "green = 255 * i0 // height if odd else 30\n"
                   "u8(red if i2 == 0 else green if i2 == 1 else (90 if odd else 160) if i2 == 2 else 255)",
                   WEFT_NAMED("height", shape.dim[0]), WEFT_NAMED("width", shape.dim[1]));
}

// The red, green and blue of the pixels, a view, in p->rgb.
static weft_status show(picture *p, const weft_array *pixels) {
  weft_array *colours = NULL;
  weft_status status = weft_view(&colours, pixels, "..., :3");
  if (status == WEFT_OK) status = weft_to_host(p->rgb, p->height * p->width * 3, colours);
  weft_array_release(&colours);
  return status;
}

// The pixels of a picture's file, opaque.
static weft_status take(weft_array *pixels, const picture *p, weft_context *context) {
  weft_array *colours = NULL;
  weft_status status = weft_fill(pixels, 255);
  if (status == WEFT_OK) status = weft_view(&colours, pixels, "..., :3");
  if (status == WEFT_OK)
    status = weft_from_host(&colours, context, WEFT_U8, WEFT_SHAPE(p->height, p->width, 3), p->rgb);
  weft_array_release(&colours);
  return status;
}

// Finds how far the turned picture is from what weft_map_coordinates makes of the same places.
static weft_status compare(double *apart, const weft_array *pixels, const weft_array *turned, float across, float down,
                           weft_context *context) {
  const weft_shape shape = weft_array_shape(pixels);
  weft_array *place = NULL, *row = NULL, *column = NULL, *channel = NULL, *exact = NULL, *source = NULL;
  weft_status status = weft_empty(&place, context, WEFT_F32, WEFT_SHAPE(3, shape.dim[0], shape.dim[1], shape.dim[2]));
  if (status == WEFT_OK) status = weft_pick(&row, place, 0, 0);
  if (status == WEFT_OK) status = weft_pick(&column, place, 0, 1);
  if (status == WEFT_OK) status = weft_pick(&channel, place, 0, 2);
  if (status == WEFT_OK)
    status = weft_eval_all(context,
                           "x = i1 + 0.5 - width / 2; y = i0 + 0.5 - height / 2\n"
                           "row = height / 2 - 0.5 + x * down + y * across\n"
                           "column = width / 2 - 0.5 + x * across - y * down\n"
                           "channel = i2",
                           WEFT_VAR(&row), WEFT_VAR(&column), WEFT_VAR(&channel), WEFT_VAR(across), WEFT_VAR(down),
                           WEFT_NAMED("height", (float)shape.dim[0]), WEFT_NAMED("width", (float)shape.dim[1]));
  if (status == WEFT_OK) status = weft_cast(&source, pixels, WEFT_F32);
  if (status == WEFT_OK)
    status = weft_map_coordinates(&exact, source, place, .order = WEFT_SPLINE_LINEAR, .mode = WEFT_BORDER_SYMMETRIC);
  if (status == WEFT_OK)
    status = weft_reduce(WEFT_HOST_OUT(apart, WEFT_F64, WEFT_SHAPE_0D), context, "abs(exact - turned)", WEFT_ALL_AXES,
                         WEFT_VAR(exact), WEFT_VAR(turned), WEFT_REDUCTION(.op = WEFT_REDUCE_MAX));
  weft_release(&source, &exact, &channel, &column, &row, &place);
  return status;
}

int main(int argc, char **argv) {
  uint64_t width = 240, height = 160, degrees = 30, percent = 150;
  const char *file = NULL, *png = NULL;
  const example_option options[] = {
      {"--width", &width, 1, 1 << 13, "pixels in a row of the test picture"},
      {"--height", &height, 1, 1 << 13, "rows of the test picture"},
      {"--degrees", &degrees, 0, 360, "how far it is turned, to the left"},
      {"--percent", &percent, 1, 10000, "how much it is enlarged"},
      {"--image", &file, 0, 0, "a picture to take instead of the test picture"},
      {"--png", &png, 0, 0, "where to write the picture"},
  };
  int status =
      example_arguments(argc, argv, "Turns a picture by a texture.", options, sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  weft_context *context = NULL;
  weft_device_info device;
  weft_kernel *turn = NULL;
  weft_array *pixels = NULL, *turned = NULL;
  weft_image *from = NULL, *to = NULL;
  weft_sampler *sampler = NULL;
  picture shown = {0};
  double apart = 0;
  if (file != NULL && !picture_read(&shown, file)) goto done;
  if (file == NULL && !picture_create(&shown, width, height)) goto done;
  const weft_shape shape = WEFT_SHAPE(shown.height, shown.width, CHANNELS);
  const double angle = 0.017453292519943295 * (double)degrees, step = 100 / (double)percent;
  const float across = (float)(cos(angle) * step), down = (float)(sin(angle) * step);

  WEFT_TRY(weft_context_create(&context), done);
  WEFT_TRY(weft_context_get_device(&device, context), done);
  if (!device.has_images) {
    printf("%s has no images.\n", device.name);
    status = EXIT_SUCCESS;
    goto done;
  }
  WEFT_TRY(weft_empty(&pixels, context, WEFT_U8, shape), done);
  if (file != NULL)
    WEFT_TRY(take(pixels, &shown, context), done);
  else
    WEFT_TRY(paint(pixels, context), done);

  // Normalized, so that the kernel reads and writes bytes as floats from 0 to 1.
  WEFT_TRY(weft_image_from_array(&from, pixels, .channels = CHANNELS, .normalized = true), done);
  WEFT_TRY(weft_image_create(&to, context, WEFT_U8, shape, .channels = CHANNELS, .normalized = true), done);
  WEFT_TRY(weft_sampler_create(&sampler, context, .filter = WEFT_SAMPLER_LINEAR,
                               .address = WEFT_ADDRESS_MIRRORED_REPEAT, .normalized_coordinates = true),
           done);
  WEFT_TRY(weft_kernel_create(&turn, context, .file = EXAMPLE_KERNEL("texture.cl"), .name = "turn"), done);
  WEFT_TRY(weft_launch_2d(turn, shown.height, shown.width, from, sampler, to, across, down), done);
  WEFT_TRY(weft_image_read(&turned, to), done);

  printf("%" PRIu64 " x %" PRIu64 " pixels, turned by %" PRIu64 " degrees, enlarged to %" PRIu64 " %%\n", shown.width,
         shown.height, degrees, percent);
  WEFT_TRY(compare(&apart, pixels, turned, across, down, context), done);
  printf("The sampler's colours are within %.2f of 255 of weft_map_coordinates'.\n", apart);
  if (png != NULL) {
    WEFT_TRY(show(&shown, turned), done);
    if (!picture_write(png, &shown)) goto done;
  }
  status = EXIT_SUCCESS;

done:
  weft_release(&sampler, &to, &from, &turned, &pixels, &turn);
  free(shown.rgb);
  return example_close(&context, status);
}
