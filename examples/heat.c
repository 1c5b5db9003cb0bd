// SPDX-License-Identifier: MIT
// Heat spreads from glowing letters over an insulated plate: the heat equation without a kernel of one's own, one call
// of weft_stencil a step. In NumPy, a step is
//   framed = np.pad(heat, 1, mode="edge")           # the cells at the border again: no heat leaves the plate
//   above, below, left, right = framed[:-2, 1:-1], framed[2:, 1:-1], framed[1:-1, :-2], framed[1:-1, 2:]
//   heat += rate * (above + below + left + right - 4 * heat)
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "example.h"
#include "picture.h"

enum { ROWS = 7, COLUMNS = 23, LEAST_WIDTH = 29, LEAST_HEIGHT = 11 };
static const char *const letters[ROWS] = {
    "#...#.#####.#####.#####",  //
    "#...#.#.....#.......#..",  //
    "#...#.#.....#.......#..",  //
    "#.#.#.####..####....#..",  //
    "#.#.#.#.....#.......#..",  //
    "##.##.#.....#.......#..",  //
    "#...#.#####.#.......#..",
};

// The letters in the middle of the plate, as large as fits.
static void draw_letters(float *heat, uint64_t width, uint64_t height) {
  const uint64_t by_width = width / LEAST_WIDTH, by_height = height / LEAST_HEIGHT;
  const uint64_t dot = by_width < by_height ? by_width : by_height;
  const uint64_t left = (width - COLUMNS * dot) / 2, top = (height - ROWS * dot) / 2;
  memset(heat, 0, width * height * sizeof *heat);
  for (uint64_t row = 0; row < ROWS * dot; row++)
    for (uint64_t column = 0; column < COLUMNS * dot; column++)
      heat[(top + row) * width + left + column] = letters[row / dot][column / dot] == '#' ? 1.0f : 0.0f;
}

int main(int argc, char **argv) {
  uint64_t width = 180, height = 120, steps = 40;
  const char *png = NULL;
  const example_option options[] = {
      {"--width", &width, LEAST_WIDTH, 1 << 14, "cells in a row"},
      {"--height", &height, LEAST_HEIGHT, 1 << 14, "rows"},
      {"--steps", &steps, 1, 1000000, "steps"},
      {"--png", &png, 0, 0, "where to write the picture"},
  };
  int status = example_arguments(argc, argv, "Lets letters of heat spread.", options, sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  const float rate = 0.2f;  // up to 0.25 the steps are stable
  float before = 0, after = 0, hottest = 0;
  float *start = malloc(width * height * sizeof *start);
  weft_context *context = NULL;
  weft_array *heat = NULL, *next = NULL;
  picture drawn = {0};
  REQUIRE(start != NULL, "no memory for %" PRIu64 " x %" PRIu64 " cells", width, height);
  if (!picture_create(&drawn, width, height)) goto done;
  draw_letters(start, width, height);
  WEFT_TRY(weft_context_create(&context), done);
  WEFT_TRY(weft_from_host(&heat, context, WEFT_F32, WEFT_SHAPE(height, width), start), done);
  WEFT_TRY(weft_mean(WEFT_HOST_OUT(&before, WEFT_F32, WEFT_SHAPE_0D), heat, WEFT_ALL_AXES), done);

  for (uint64_t i = 0; i < steps; i++) {
    WEFT_TRY(weft_stencil(&next, context,
                          "heat + rate * ((heat[-1, 0] + heat[1, 0]) + (heat[0, -1] + heat[0, 1]) - 4 * heat)",
                          WEFT_VAR(heat), WEFT_VAR(rate), WEFT_STENCIL(.mode = WEFT_PAD_EDGE)),
             done);
    weft_array *const before_step = heat;  // the next step writes over it
    heat = next, next = before_step;
  }

  WEFT_TRY(weft_mean(WEFT_HOST_OUT(&after, WEFT_F32, WEFT_SHAPE_0D), heat, WEFT_ALL_AXES), done);
  WEFT_TRY(weft_max(WEFT_HOST_OUT(&hottest, WEFT_F32, WEFT_SHAPE_0D), heat, WEFT_ALL_AXES), done);
  printf("%" PRIu64 " x %" PRIu64 " cells, %" PRIu64 " steps\n", width, height, steps);
  printf("mean %.6f before, %.6f after; the hottest cell %.4f\n", (double)before, (double)after, (double)hottest);
  REQUIRE(fabsf(after - before) <= 1e-6f * sqrtf((float)steps), "heat was lost, or came from nowhere");
  printf("No heat was lost.\n");
  if (png != NULL) {
    WEFT_TRY(picture_glow(&drawn, heat), done);
    if (!picture_write(png, &drawn)) goto done;
  }
  status = EXIT_SUCCESS;

done:
  weft_release(&next, &heat);
  free(drawn.rgb);
  free(start);
  return example_close(&context, status);
}
