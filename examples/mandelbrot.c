// SPDX-License-Identifier: MIT
// The Mandelbrot set as a picture: a kernel of one's own, with a thread for each pixel, that writes colours. The
// kernel's second result, how much of each pixel is inside the set, gives the set's area.
#include <inttypes.h>
#include <math.h>

#include "example.h"
#include "picture.h"

enum { BLOCK = 8 };                // threads along each side of a block
static const double AREA = 1.507;  // of the set: 1.50659, by counting pixels (Foerstemann 2012)

// Parts of the plane to look at.
static const struct place {
  const char *name;
  double x, y, width;  // the centre, and the width of a picture of 3 : 2
} places[] = {
    {"the whole set", -0.75, 0, 3.75},
    {"the valley of the seahorses", -0.7453, 0.1127, 0.0065},
    {"the valley of the elephants", 0.2925, 0.0149, 0.015},
    {"a triple spiral", -0.0883, 0.6545, 0.012},
};

int main(int argc, char **argv) {
  uint64_t width = 240, height = 160, most = 200, samples = 2, place = 0;
  const char *png = NULL;
  const example_option options[] = {
      {"--width", &width, 16, 1 << 14, "pixels in a row"},
      {"--height", &height, 16, 1 << 14, "rows"},
      {"--steps", &most, 1, 1 << 20, "steps after which a point counts as inside"},
      {"--samples", &samples, 1, 16, "points along each side of a pixel"},
      {"--place", &place, 0, sizeof places / sizeof *places - 1, "0 for the whole set, or a part of it"},
      {"--png", &png, 0, 0, "where to write the picture"},
  };
  int status = example_arguments(argc, argv, "Draws the Mandelbrot set.", options, sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  const struct place *p = &places[place];
  const double pixel = fmax(p->width / (double)width, p->width / 1.5 / (double)height);
  const float left = (float)(p->x - pixel * (double)width / 2), top = (float)(p->y + pixel * (double)height / 2);
  weft_context *context = NULL;
  weft_kernel *kernel = NULL;
  weft_array *rgb = NULL, *inside = NULL;
  float share = 0;
  picture drawn = {0};
  if (!picture_create(&drawn, width, height)) goto done;
  WEFT_TRY(weft_context_create(&context), done);
  WEFT_TRY(weft_kernel_create(&kernel, context, .file = EXAMPLE_KERNEL("mandelbrot.cl"), .name = "mandelbrot"), done);
  WEFT_TRY(weft_empty(&rgb, context, WEFT_U8, WEFT_SHAPE(height, width, 3)), done);
  WEFT_TRY(weft_empty(&inside, context, WEFT_F32, WEFT_SHAPE(height, width)), done);
  WEFT_TRY(weft_launch(kernel, WEFT_DIM3(weft_ceil_div(width, BLOCK), weft_ceil_div(height, BLOCK)),
                       WEFT_DIM3(BLOCK, BLOCK), rgb, inside, left, top, (float)pixel, (uint32_t)width, (uint32_t)height,
                       (uint32_t)most, (uint32_t)samples),
           done);
  WEFT_TRY(weft_mean(WEFT_HOST_OUT(&share, WEFT_F32, WEFT_SHAPE_0D), inside, WEFT_ALL_AXES), done);
  WEFT_TRY(weft_to_host(drawn.rgb, width * height * 3, rgb), done);

  const double area = (double)share * pixel * pixel * (double)(width * height);
  printf("%s: %" PRIu64 " x %" PRIu64 " pixels of %" PRIu64 " points, at most %" PRIu64 " steps\n", p->name, width,
         height, samples * samples, most);
  printf("%.2f %% of the picture is inside the set: an area of %.3g\n", 100 * (double)share, area);
  if (place == 0) {
    // points near the border need more steps to leave, and count as inside
    REQUIRE(fabs(area - AREA) < 0.05 + 4 * pixel + 8.0 / (double)most, "the set has an area of %.3f", AREA);
    printf("The set has an area of %.3f.\n", AREA);
  }
  if (png != NULL && !picture_write(png, &drawn)) goto done;
  status = EXIT_SUCCESS;

done:
  weft_release(&inside, &rgb, &kernel);
  free(drawn.rgb);
  return example_close(&context, status);
}
