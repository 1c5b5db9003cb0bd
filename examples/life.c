// SPDX-License-Identifier: MIT
// Conway's Game of Life on a torus, with the glider gun that Bill Gosper found in 1970. In NumPy, a generation is
//   framed = np.pad(cells, 1, mode="wrap")
//   around = sum of framed's eight views beside the middle one
//   cells = (around == 3) | (cells & (around == 2))
// The picture shows the living cells, and fainter and fainter where others were alive before.
#include <inttypes.h>
#include <string.h>

#include "example.h"
#include "picture.h"

enum { GUN_ROWS = 9, GUN_COLUMNS = 36, PERIOD = 30, GUN = 36, GLIDER = 5, AROUND = 8 };
static const char *const gun[GUN_ROWS] = {
    "........................#...........",  //
    "......................#.#...........",  //
    "............##......##............##",  //
    "...........#...#....##............##",  //
    "##........#.....#...##..............",  //
    "##........#...#.##....#.#...........",  //
    "..........#.....#.......#...........",  //
    "...........#...#....................",  //
    "............##......................",
};
// Each cell's eight neighbours, as views of the array with a frame.
static const char *const around[AROUND] = {":-2, :-2", ":-2, 1:-1", ":-2, 2:",  "1:-1, :-2",
                                           "1:-1, 2:", "2:, :-2",   "2:, 1:-1", "2:, 2:"};

typedef struct life {
  weft_context *context;
  weft_array *cells, *trail, *framed, *near[AROUND];
} life;

static weft_status begin(life *l, const uint8_t *cells, uint64_t width, uint64_t height) {
  weft_status status = weft_from_host(&l->cells, l->context, WEFT_U8, WEFT_SHAPE(height, width), cells);
  if (status == WEFT_OK) status = weft_zeros(&l->trail, l->context, WEFT_F32, WEFT_SHAPE(height, width));
  if (status == WEFT_OK) status = weft_empty(&l->framed, l->context, WEFT_U8, WEFT_SHAPE(height + 2, width + 2));
  for (int k = 0; k < AROUND && status == WEFT_OK; k++) status = weft_view(&l->near[k], l->framed, around[k]);
  return status;
}

static weft_status generation(life *l) {
  weft_status status = weft_pad(&l->framed, l->cells, WEFT_SHAPE(1), WEFT_SHAPE(1), .mode = WEFT_PAD_WRAP);
  if (status == WEFT_OK)
    status =
        weft_eval_all(l->context,
                      "around = a + b + c + d + f + g + h + k\n"
                      "cells = u8((around == 3) | (cells == 1) & (around == 2))\n"
                      "trail = max(f32(cells), 0.985 * trail)",
                      WEFT_NAMED("cells", &l->cells), WEFT_NAMED("trail", &l->trail), WEFT_NAMED("cells", l->cells),
                      WEFT_NAMED("trail", l->trail), WEFT_NAMED("a", l->near[0]), WEFT_NAMED("b", l->near[1]),
                      WEFT_NAMED("c", l->near[2]), WEFT_NAMED("d", l->near[3]), WEFT_NAMED("f", l->near[4]),
                      WEFT_NAMED("g", l->near[5]), WEFT_NAMED("h", l->near[6]), WEFT_NAMED("k", l->near[7]));
  return status;
}

// Draws each cell as a square of zoom x zoom pixels.
static weft_status draw(picture *p, life *l, uint64_t zoom) {
  weft_array *glow = NULL, *rows = NULL, *pixels = NULL;
  weft_status status = weft_eval(&glow, l->context, "f32(1) if cells == 1 else 0.55 * trail",
                                 WEFT_NAMED("cells", l->cells), WEFT_NAMED("trail", l->trail));
  if (status == WEFT_OK) status = weft_repeat(&rows, glow, zoom, 0);
  if (status == WEFT_OK) status = weft_repeat(&pixels, rows, zoom, 1);
  if (status == WEFT_OK) status = picture_glow(p, pixels);
  weft_release(&pixels, &rows, &glow);
  return status;
}

int main(int argc, char **argv) {
  uint64_t width = 120, height = 80, generations = 240, zoom = 3;
  const char *png = NULL;
  const example_option options[] = {
      {"--width", &width, 48, 1 << 14, "cells in a row"},
      {"--height", &height, 32, 1 << 14, "rows"},
      {"--generations", &generations, 0, 1000000, "generations"},
      {"--zoom", &zoom, 1, 16, "pixels along each side of a cell in the picture"},
      {"--png", &png, 0, 0, "where to write the picture"},
  };
  int status = example_arguments(argc, argv, "Plays the Game of Life with a gun that fires gliders.", options,
                                 sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  // A glider moves by a cell in 4 generations. Before the first one reaches the border, or comes back to the gun, the
  // number of living cells is known.
  const uint64_t room = width - GUN_COLUMNS < height - GUN_ROWS - 8 ? width - GUN_COLUMNS : height - GUN_ROWS - 8;
  uint64_t alive = 0;
  life l = {0};
  picture drawn = {0};
  uint8_t *cells = calloc(width * height, 1);
  REQUIRE(cells != NULL, "no memory for %" PRIu64 " x %" PRIu64 " cells", width, height);
  for (uint64_t row = 0; row < GUN_ROWS; row++)
    for (uint64_t column = 0; column < GUN_COLUMNS; column++)
      cells[(row + 4) * width + column + 4] = gun[row][column] == '#';
  if (png != NULL && !picture_create(&drawn, width * zoom, height * zoom)) goto done;
  WEFT_TRY(weft_context_create(&l.context), done);
  WEFT_TRY(begin(&l, cells, width, height), done);

  printf("%" PRIu64 " x %" PRIu64 " cells\n", width, height);
  for (uint64_t i = 0;; i++) {
    if (i % PERIOD == 0 || i == generations) {
      WEFT_TRY(weft_sum(WEFT_HOST_OUT(&alive, WEFT_U64, WEFT_SHAPE_0D), l.cells, WEFT_ALL_AXES), done);
      printf("generation %4" PRIu64 ": %" PRIu64 " alive\n", i, alive);
      REQUIRE(i % PERIOD != 0 || i > 4 * room || alive == GUN + GLIDER * (i / PERIOD),
              "a gun of %d cells fires a glider of %d every %d generations", GUN, GLIDER, PERIOD);
    }
    if (i == generations) break;
    WEFT_TRY(generation(&l), done);
  }
  if (png != NULL) {
    WEFT_TRY(draw(&drawn, &l, zoom), done);
    if (!picture_write(png, &drawn)) goto done;
  }
  status = EXIT_SUCCESS;

done:
  for (int k = 0; k < AROUND; k++) weft_array_release(&l.near[k]);
  weft_release(&l.framed, &l.trail, &l.cells);
  free(drawn.rgb);
  free(cells);
  return example_close(&l.context, status);
}
