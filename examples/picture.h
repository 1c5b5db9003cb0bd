// SPDX-License-Identifier: MIT
// Pictures as PNG files, by libpng, and colours for numbers. Without libpng the functions over files fail, and say so.
#ifndef PICTURE_H
#define PICTURE_H

#include <weft/weft.h>

typedef struct picture {
  uint64_t width, height;
  uint8_t *rgb;  // the rows from the top, three bytes for each pixel; free() releases it
} picture;

// Writes and reads a file. picture_read sets *p, and reads every kind of PNG file; transparent parts become black. If
// a function fails, it prints why and returns false.
bool picture_write(const char *path, const picture *p);
bool picture_read(picture *p, const char *path);

// An empty picture, all black. If the memory is missing, the function prints this and returns false.
bool picture_create(picture *p, uint64_t width, uint64_t height);

// Fills a picture with an array of floats of its shape, [height, width]: 0 is nearly black, then indigo, red and
// orange follow, and 1 is a pale yellow. The device computes the colours, one of 256 for each pixel.
weft_status picture_glow(picture *p, const weft_array *values);

#endif
