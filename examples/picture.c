// SPDX-License-Identifier: MIT
#include "picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// PICTURE_WITHOUT_PNG leaves libpng out even if its header is there.
#if !defined(PICTURE_WITHOUT_PNG) && defined(__has_include)
#if __has_include(<png.h>)
#include <png.h>
#define HAS_PNG
#endif
#endif

enum { MOST_SIDE = 1 << 16, MOST_COLOURS = 256 };

static bool failed(const char *path, const char *why) {
  fprintf(stderr, "error: %s: %s\n", path, why);
  return false;
}

bool picture_create(picture *p, uint64_t width, uint64_t height) {
  *p = (picture){width, height, calloc(height * width, 3)};
  return p->rgb != NULL || failed("the picture", "no memory");
}

weft_status picture_glow(picture *p, const weft_array *values) {
  const int64_t height = (int64_t)p->height, width = (int64_t)p->width;
  weft_array *rgb = NULL, *r = NULL, *g = NULL, *b = NULL;
  weft_status status = weft_empty(&rgb, weft_array_context(values), WEFT_U8, WEFT_SHAPE(height, width, 3));
  if (status == WEFT_OK) status = weft_pick(&r, rgb, 2, 0);  // views: the three results are bytes of the same pixels
  if (status == WEFT_OK) status = weft_pick(&g, rgb, 2, 1);
  if (status == WEFT_OK) status = weft_pick(&b, rgb, 2, 2);
  if (status == WEFT_OK)
    status =
        weft_eval_all(NULL,
                      "t = rint(255 * min(max(v, 0), 1)) / 63.75\n"
                      "t1 = min(t, 1); t2 = min(max(t - 1, 0), 1); t3 = min(max(t - 2, 0), 1); t4 = max(t - 3, 0)\n"
                      "r = u8(rint(4 + 66 * t1 + 125 * t2 + 55 * t3 + 3 * t4))\n"
                      "g = u8(rint(3 + 13 * t1 + 36 * t2 + 91 * t3 + 110 * t4))\n"
                      "b = u8(rint(18 + 92 * t1 - 30 * t2 - 55 * t3 + 165 * t4))",
                      WEFT_VAR(&r), WEFT_VAR(&g), WEFT_VAR(&b), WEFT_NAMED("v", values));
  if (status == WEFT_OK) status = weft_to_host(p->rgb, (size_t)(height * width * 3), rgb);
  weft_release(&b, &g, &r, &rgb);
  return status;
}

#ifdef HAS_PNG

// The picture as numbers of at most 256 colours, which makes smaller files. Returns the number of colours: 0 if there
// are more, or if the memory is missing.
static uint32_t find_colours(uint8_t *numbers, uint8_t colours[3 * MOST_COLOURS], const picture *p) {
  uint16_t *number_of = calloc((size_t)1 << 24, sizeof *number_of);  // of a colour, from 1
  uint32_t count = 0;
  for (uint64_t i = 0; number_of != NULL && i < p->width * p->height; i++) {
    const uint8_t *c = p->rgb + 3 * i;
    uint16_t *number = &number_of[c[0] << 16 | c[1] << 8 | c[2]];
    if (*number == 0 && count == MOST_COLOURS) {
      count = 0;
      break;
    }
    if (*number == 0) {
      memcpy(colours + 3 * count, c, 3);
      *number = (uint16_t)++count;
    }
    numbers[i] = (uint8_t)(*number - 1);
  }
  free(number_of);
  return count;
}

bool picture_write(const char *path, const picture *p) {
  uint8_t colours[3 * MOST_COLOURS], *numbers = malloc(p->width * p->height);
  uint32_t count = numbers != NULL ? find_colours(numbers, colours, p) : 0;
  png_image image = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)p->width,
                     .height = (png_uint_32)p->height,
                     .format = count > 0 ? PNG_FORMAT_RGB_COLORMAP : PNG_FORMAT_RGB,
                     .colormap_entries = count};
  bool is_written = png_image_write_to_file(&image, path, 0, count > 0 ? numbers : p->rgb, 0, colours);
  free(numbers);
  return is_written || failed(path, image.message);
}

bool picture_read(picture *p, const char *path) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  *p = (picture){0};
  if (!png_image_begin_read_from_file(&image, path)) return failed(path, image.message);
  image.format = PNG_FORMAT_RGB;
  if (image.width > MOST_SIDE || image.height > MOST_SIDE) {
    png_image_free(&image);
    return failed(path, "a side has more than 65536 pixels");
  }
  if (!picture_create(p, image.width, image.height)) {
    png_image_free(&image);
    return false;
  }
  const png_color black = {0, 0, 0};
  if (png_image_finish_read(&image, &black, p->rgb, 0, NULL)) return true;
  free(p->rgb);
  p->rgb = NULL;
  return failed(path, image.message);
}

#else

bool picture_write(const char *path, const picture *p) {
  (void)p;
  return failed(path, "not written, since this program was built without libpng");
}

bool picture_read(picture *p, const char *path) {
  *p = (picture){0};
  return failed(path, "not read, since this program was built without libpng");
}

#endif
