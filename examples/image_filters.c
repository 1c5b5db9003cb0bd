// SPDX-License-Identifier: MIT
// Filters on a picture: a Gaussian blur and Sobel's edges, by weft_correlate1d and weft_sobel. In SciPy, with the
// picture as u8 of shape (3, height, width), a plane for each colour, the blur is
//   sums = correlate1d(correlate1d(picture.astype("u2"), w, -1, mode="mirror"), w, -2, mode="mirror")
//   smooth = ((sums + 128) >> 8).astype("u1")
// The weights 1 4 6 4 1 are nearly a Gaussian of deviation 1, and all numbers are exact. The result shows the picture,
// the blurred picture and the edges side by side. With --loops the filters are timed.
#include <inttypes.h>
#include <string.h>

#include "example.h"
#include "picture.h"

enum { TAPS = 5, CHANNELS = 3 };

typedef struct filters {
  weft_context *context;
  weft_array *rgb, *smooth, *copied;  // [3, height, width], u8
  weft_array *sums, *rows;            // [3, height, width], u16
  weft_array *grey, *across, *down, *edges;
  weft_array *red, *green, *blue;  // views of smooth
} filters;

// All arrays and views are made once; the filters write them anew.
static weft_status prepare(filters *f, int64_t height, int64_t width) {
  weft_status status = weft_empty(&f->sums, f->context, WEFT_U16, WEFT_SHAPE(CHANNELS, height, width));
  if (status == WEFT_OK) status = weft_empty(&f->rows, f->context, WEFT_U16, WEFT_SHAPE(CHANNELS, height, width));
  if (status == WEFT_OK) status = weft_empty(&f->smooth, f->context, WEFT_U8, WEFT_SHAPE(CHANNELS, height, width));
  if (status == WEFT_OK) status = weft_empty(&f->copied, f->context, WEFT_U8, WEFT_SHAPE(CHANNELS, height, width));
  if (status == WEFT_OK) status = weft_pick(&f->red, f->smooth, 0, 0);
  if (status == WEFT_OK) status = weft_pick(&f->green, f->smooth, 0, 1);
  if (status == WEFT_OK) status = weft_pick(&f->blue, f->smooth, 0, 2);
  return status;
}

// Blurs `source` into f->smooth.
static weft_status blur(filters *f, const weft_array *source) {
  const float weights[TAPS] = {1, 4, 6, 4, 1};  // their sum is 16, of both passes 256
  const weft_host w = WEFT_HOST(weights, WEFT_F32, WEFT_SHAPE(TAPS));
  weft_status status = weft_copy(&f->sums, source);
  if (status == WEFT_OK) status = weft_correlate1d(&f->rows, f->sums, w, -1, .mode = WEFT_BORDER_REFLECT);
  if (status == WEFT_OK) status = weft_correlate1d(&f->sums, f->rows, w, -2, .mode = WEFT_BORDER_REFLECT);
  if (status == WEFT_OK) status = weft_eval(&f->smooth, f->context, "u8((s + 128) >> 8)", WEFT_NAMED("s", f->sums));
  return status;
}

// Finds the edges of f->smooth: how steep its brightness is.
static weft_status find_edges(filters *f) {
  weft_status status = weft_eval(&f->grey, f->context, "i16((77 * u16(r) + 150 * u16(g) + 29 * u16(b) + 128) >> 8)",
                                 WEFT_NAMED("r", f->red), WEFT_NAMED("g", f->green), WEFT_NAMED("b", f->blue));
  if (status == WEFT_OK) status = weft_sobel(&f->across, f->grey, -1, .mode = WEFT_BORDER_REFLECT);
  if (status == WEFT_OK) status = weft_sobel(&f->down, f->grey, -2, .mode = WEFT_BORDER_REFLECT);
  if (status == WEFT_OK)
    status = weft_eval(&f->edges, f->context, "x = f32(a); y = f32(d)\nu8(rint(min(sqrt(x * x + y * y), 255)))",
                       WEFT_NAMED("a", f->across), WEFT_NAMED("d", f->down));
  return status;
}

// A landscape, computed from the places of the pixels: x from 0 to 1.5 and y from 0 to 1, downwards.
static weft_status paint(filters *f, int64_t height, int64_t width) {
  weft_array *x = NULL, *y = NULL, *r = NULL, *g = NULL, *b = NULL;
  weft_status status = weft_empty(&f->rgb, f->context, WEFT_U8, WEFT_SHAPE(CHANNELS, height, width));
  if (status == WEFT_OK) status = weft_linspace(&x, f->context, WEFT_F32, 0, 1.5, width);
  if (status == WEFT_OK) status = weft_linspace(&y, f->context, WEFT_F32, 0, 1, height);
  if (status == WEFT_OK) {
    weft_array *column = NULL;
    status = weft_expand(&column, y, 1);
    weft_array_release(&y);
    y = column;
  }
  if (status == WEFT_OK) status = weft_pick(&r, f->rgb, 0, 0);
  if (status == WEFT_OK) status = weft_pick(&g, f->rgb, 0, 1);
  if (status == WEFT_OK) status = weft_pick(&b, f->rgb, 0, 2);
  if (status == WEFT_OK)
    status = weft_eval_all(
        f->context,
        "sun = hypot(x - 0.98, y - 0.4)\n"
        "far = 0.56 + 0.05 * sin(5 * x + 1) + 0.02 * sin(17 * x) + 0.008 * sin(41 * x + 2)\n"
        "middle = 0.69 + 0.06 * sin(4 * x + 3.2) + 0.02 * sin(13 * x + 1) + 0.006 * sin(59 * x)\n"
        "near = 0.84 + 0.04 * sin(3 * x) + 0.02 * abs(sin(31 * x)) + 0.03 * abs(sin(7 * x)) * sin(97 * x)\n"
        "glow = exp(-9 * max(sun - 0.1, 0))\n"
        "r = u8(30 if y > near else 92 if y > middle else 150 if y > far else\n"
        "       255 if sun < 0.1 else 60 + 130 * y + (195 - 130 * y) * glow)\n"
        "g = u8(24 if y > near else 56 if y > middle else 92 if y > far else\n"
        "       244 if sun < 0.1 else 70 + 60 * y + (150 - 60 * y) * glow)\n"
        "b = u8(44 if y > near else 88 if y > middle else 120 if y > far else\n"
        "       214 if sun < 0.1 else 150 - 20 * y - 30 * glow)",
        WEFT_VAR(&r), WEFT_VAR(&g), WEFT_VAR(&b), WEFT_VAR(x), WEFT_VAR(y));
  weft_release(&b, &g, &r, &y, &x);
  return status;
}

// Copies columns `from` to `to` of `source` to the same place of `target`.
static weft_status copy_columns(weft_array *target, const weft_array *source, int64_t from, int64_t to) {
  weft_array *here = NULL, *there = NULL;
  weft_status status = weft_slice(&here, source, -1, from, to);
  if (status == WEFT_OK) status = weft_slice(&there, target, -1, from, to);
  if (status == WEFT_OK) status = weft_copy(&there, here);
  weft_release(&there, &here);
  return status;
}

// Files have the three colours of a pixel side by side: a view with the axes in another order.
static weft_status read_planes(filters *f, const picture *p) {
  weft_array *pixels = NULL, *planes = NULL;
  weft_status status = weft_from_host(&pixels, f->context, WEFT_U8, WEFT_SHAPE(p->height, p->width, CHANNELS), p->rgb);
  if (status == WEFT_OK) status = weft_moveaxis(&planes, pixels, -1, 0);
  if (status == WEFT_OK) status = weft_copy(&f->rgb, planes);
  weft_release(&planes, &pixels);
  return status;
}

// The picture, the blurred one and the edges, a third of each.
static weft_status show(picture *p, filters *f) {
  const int64_t third = (int64_t)p->width / 3;
  weft_array *edges = NULL, *pixels = NULL;
  weft_status status = weft_broadcast(&edges, f->edges, WEFT_SHAPE(CHANNELS, p->height, p->width));  // as all colours
  if (status == WEFT_OK) status = copy_columns(f->copied, f->rgb, 0, third);
  if (status == WEFT_OK) status = copy_columns(f->copied, f->smooth, third, 2 * third);
  if (status == WEFT_OK) status = copy_columns(f->copied, edges, 2 * third, WEFT_END);
  if (status == WEFT_OK) status = weft_moveaxis(&pixels, f->copied, 0, -1);
  if (status == WEFT_OK) status = weft_to_host(p->rgb, p->height * p->width * CHANNELS, pixels);
  weft_release(&pixels, &edges);
  return status;
}

static weft_status timed_copy(void *argument) {
  filters *f = argument;
  return weft_copy(&f->copied, f->rgb);
}
static weft_status timed_blur(void *argument) {
  filters *f = argument;
  return blur(f, f->rgb);
}
static weft_status timed_edges(void *argument) {
  return find_edges(argument);
}

// Prints the rate of a filter that reads and writes that many bytes of each pixel, its intermediate arrays not counted.
static weft_status print_rate(const char *what, filters *f, weft_timeit_function *filter, uint64_t loops,
                              uint64_t pixels, uint64_t bytes) {
  weft_timing timing;
  weft_status status = weft_timeit(&timing, f->context, filter, f, .runs = 5, .loops = loops);
  if (status == WEFT_OK)
    printf("%-6s %9.3f ms %9.0f Mpixel/s %8.1f GB/s\n", what, timing.best_ns / 1e6,
           1e3 * (double)pixels / timing.best_ns, (double)(pixels * bytes) / timing.best_ns);
  return status;
}

int main(int argc, char **argv) {
  uint64_t width = 240, height = 160, passes = 4, loops = 0;
  const char *file = NULL, *png = NULL;
  const example_option options[] = {
      {"--width", &width, 8, 1 << 14, "pixels in a row of the test picture"},
      {"--height", &height, 8, 1 << 14, "rows of the test picture"},
      {"--passes", &passes, 1, 1000, "how often the picture is blurred"},
      {"--loops", &loops, 0, 1000000, "calls for a time, best of five; 0: no times"},
      {"--image", &file, 0, 0, "a picture to take instead of the test picture"},
      {"--png", &png, 0, 0, "where to write the picture"},
  };
  int status =
      example_arguments(argc, argv, "Blurs a picture and finds its edges.", options, sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  filters f = {0};
  uint64_t before = 0, after = 0, edges = 0;  // sums of all bytes
  picture shown = {0};
  if (file != NULL && !picture_read(&shown, file)) goto done;
  if (file == NULL && !picture_create(&shown, width, height)) goto done;
  width = shown.width, height = shown.height;
  REQUIRE(width >= 3 && height >= 3, "the picture needs 3 x 3 pixels, and has %" PRIu64 " x %" PRIu64, width, height);
  WEFT_TRY(weft_context_create(&f.context), done);
  WEFT_TRY(prepare(&f, (int64_t)height, (int64_t)width), done);
  if (file != NULL)
    WEFT_TRY(read_planes(&f, &shown), done);
  else
    WEFT_TRY(paint(&f, (int64_t)height, (int64_t)width), done);

  WEFT_TRY(blur(&f, f.rgb), done);
  WEFT_TRY(find_edges(&f), done);  // of the picture that was blurred once, so that single pixels do not count
  for (uint64_t i = 1; i < passes; i++) WEFT_TRY(blur(&f, f.smooth), done);
  WEFT_TRY(weft_sum(WEFT_HOST_OUT(&before, WEFT_U64, WEFT_SHAPE_0D), f.rgb, WEFT_ALL_AXES), done);
  WEFT_TRY(weft_sum(WEFT_HOST_OUT(&after, WEFT_U64, WEFT_SHAPE_0D), f.smooth, WEFT_ALL_AXES), done);
  WEFT_TRY(weft_sum(WEFT_HOST_OUT(&edges, WEFT_U64, WEFT_SHAPE_0D), f.edges, WEFT_ALL_AXES), done);
  const double pixels = (double)(width * height);
  printf("%" PRIu64 " x %" PRIu64 " pixels, blurred %" PRIu64 " times\n", width, height, passes);
  printf("mean brightness %.3f, blurred %.3f, of the edges %.3f\n", (double)before / (3 * pixels),
         (double)after / (3 * pixels), (double)edges / pixels);
  if (png != NULL) {
    WEFT_TRY(show(&shown, &f), done);
    if (!picture_write(png, &shown)) goto done;
  }
  if (loops > 0) {
    WEFT_TRY(print_rate("copy", &f, timed_copy, loops, width * height, 2 * CHANNELS), done);
    WEFT_TRY(print_rate("gauss", &f, timed_blur, loops, width * height, 2 * CHANNELS), done);
    WEFT_TRY(print_rate("sobel", &f, timed_edges, loops, width * height, CHANNELS + 1), done);
  }
  status = EXIT_SUCCESS;

done:
  weft_release(&f.copied, &f.blue, &f.green, &f.red, &f.edges, &f.down, &f.across, &f.grey, &f.rows, &f.sums, &f.smooth,
               &f.rgb);
  free(shown.rgb);
  return example_close(&f.context, status);
}
