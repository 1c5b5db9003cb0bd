// SPDX-License-Identifier: MIT
// Two galaxies pass each other: every star attracts every other, by a kernel that reads the stars in tiles through
// local memory. The picture is a long exposure of the last tenth of the time; brightness is the logarithm of the number
// of stars in a pixel. Time steps: leapfrog, which conserves the energy to second order.
//
// A galaxy is a heavy centre, and a disc of stars on circles around it, as in Toomre and Toomre, "Galactic bridges and
// tails", 1972. There each star feels the two centres only; here all stars have mass.
#include <inttypes.h>
#include <math.h>

#include "example.h"
#include "numpy_random.h"
#include "picture.h"

#define DISC_MASS 0.2  // of a galaxy's disc; its centre has 1
#define SOFTENING 0.05

typedef struct galaxies {
  weft_context *context;
  weft_kernel *pull;
  weft_array *bodies, *result, *v;      // [n, 4]: place and mass, acceleration and potential; [n, 3]
  weft_array *place, *mass, *a, *each;  // views of bodies and of result: [n, 3], [n], [n, 3], [n]
  weft_array *count, *exposure;         // [height * width + 1], i64: the last for stars outside the picture
  uint64_t n, tile, width, height;
} galaxies;

// Puts a galaxy at (x, y), moving with (vx, vy), into `count` bodies. Its disc has radius 1.
static void set_galaxy(float *bodies, float *v, uint64_t count, numpy_random *random, double tilt, const double at[4]) {
  for (uint64_t i = 0; i < count; i++, bodies += 4, v += 3) {
    const double r = i == 0 ? 0 : 0.1 + 0.9 * numpy_rand(random), angle = 2 * acos(-1.0) * numpy_rand(random);
    const double speed = i == 0 ? 0 : sqrt((1 + DISC_MASS * r) * r * r / pow(r * r + SOFTENING * SOFTENING, 1.5));
    bodies[0] = (float)(at[0] + r * cos(angle));
    bodies[1] = (float)(at[1] + r * sin(angle) * cos(tilt));
    bodies[2] = (float)(r * sin(angle) * sin(tilt) + (i == 0 ? 0 : 0.02 * numpy_randn(random)));
    bodies[3] = i == 0 ? 1.0f : (float)(DISC_MASS / (double)(count - 1));
    v[0] = (float)(at[2] - speed * sin(angle));
    v[1] = (float)(at[3] + speed * cos(angle) * cos(tilt));
    v[2] = (float)(speed * cos(angle) * sin(tilt));
  }
}

static weft_status begin(galaxies *g, const float *bodies, const float *v) {
  char tile[32];
  snprintf(tile, sizeof tile, "TILE=%" PRIu64, g->tile);
  const char *const defines[] = {tile, NULL};
  weft_status status =
      weft_kernel_create(&g->pull, g->context, .file = EXAMPLE_KERNEL("n_body.cl"), .name = "pull", .defines = defines);
  if (status == WEFT_OK) status = weft_from_host(&g->bodies, g->context, WEFT_F32, WEFT_SHAPE(g->n, 4), bodies);
  if (status == WEFT_OK) status = weft_from_host(&g->v, g->context, WEFT_F32, WEFT_SHAPE(g->n, 3), v);
  if (status == WEFT_OK) status = weft_empty_like(&g->result, g->bodies);
  if (status == WEFT_OK) status = weft_view(&g->place, g->bodies, ":, :3");
  if (status == WEFT_OK) status = weft_view(&g->mass, g->bodies, ":, 3");
  if (status == WEFT_OK) status = weft_view(&g->a, g->result, ":, :3");
  if (status == WEFT_OK) status = weft_view(&g->each, g->result, ":, 3");
  if (status == WEFT_OK) status = weft_zeros(&g->exposure, g->context, WEFT_I64, WEFT_SHAPE(g->height * g->width + 1));
  if (status == WEFT_OK) status = weft_empty_like(&g->count, g->exposure);
  return status;
}

static weft_status pull(galaxies *g) {
  return weft_launch(g->pull, WEFT_DIM3(weft_ceil_div(g->n, g->tile)), WEFT_DIM3(g->tile), g->result, g->bodies,
                     (float)(SOFTENING * SOFTENING), (uint32_t)g->n);
}

static weft_status step(galaxies *g, float dt) {
  weft_status status = weft_eval_all(g->context, "v = v + a * h; x = x + v * dt", WEFT_NAMED("v", &g->v),
                                     WEFT_NAMED("x", &g->place), WEFT_NAMED("v", g->v), WEFT_NAMED("x", g->place),
                                     WEFT_NAMED("a", g->a), WEFT_NAMED("h", dt / 2), WEFT_NAMED("dt", dt));
  if (status == WEFT_OK) status = pull(g);
  if (status == WEFT_OK)
    status = weft_eval(&g->v, g->context, "v + a * h", WEFT_NAMED("v", g->v), WEFT_NAMED("a", g->a),
                       WEFT_NAMED("h", dt / 2));
  return status;
}

// Kinetic energy, and half of each body's potential, since each pair counts twice.
static weft_status total_energy(double *energy, galaxies *g) {
  weft_array *square = NULL;
  float sum = 0;
  weft_status status = weft_reduce(&square, g->context, "v * v", WEFT_AXES(1), WEFT_NAMED("v", g->v));
  if (status == WEFT_OK)
    status = weft_reduce(WEFT_HOST_OUT(&sum, WEFT_F32, WEFT_SHAPE_0D), g->context, "0.5 * m * (square + potential)",
                         WEFT_ALL_AXES, WEFT_NAMED("m", g->mass), WEFT_VAR(square), WEFT_NAMED("potential", g->each));
  weft_array_release(&square);
  *energy = (double)sum;
  return status;
}

// Adds the stars to the exposure: the numbers of the stars' pixels, counted.
static weft_status expose(galaxies *g) {
  weft_array *x = NULL, *y = NULL, *pixel = NULL;
  weft_status status = weft_pick(&x, g->place, 1, 0);
  if (status == WEFT_OK) status = weft_pick(&y, g->place, 1, 1);
  if (status == WEFT_OK)
    status = weft_eval(&pixel, g->context,
                       "column = floor(x * scale + width / 2); row = floor(height / 2 - y * scale)\n"
                       "i32(row * width + column) if 0 <= column < width and 0 <= row < height else outside",
                       WEFT_VAR(x), WEFT_VAR(y), WEFT_NAMED("scale", (float)g->height / 3),
                       WEFT_NAMED("outside", (int32_t)(g->width * g->height)), WEFT_NAMED("width", (float)g->width),
                       WEFT_NAMED("height", (float)g->height));
  if (status == WEFT_OK) status = weft_bincount(&g->count, pixel);
  if (status == WEFT_OK) status = weft_add(&g->exposure, g->exposure, g->count);
  weft_release(&pixel, &y, &x);
  return status;
}

static weft_status develop(picture *p, galaxies *g) {
  weft_array *stars = NULL, *light = NULL, *pixels = NULL;
  int64_t most = 0;
  weft_status status = weft_view(&stars, g->exposure, ":-1");
  if (status == WEFT_OK) status = weft_max(WEFT_HOST_OUT(&most, WEFT_I64, WEFT_SHAPE_0D), stars, WEFT_ALL_AXES);
  if (status == WEFT_OK)
    status = weft_eval(&light, g->context, "log1p(f32(stars)) * scale", WEFT_VAR(stars),
                       WEFT_NAMED("scale", 1 / log1pf((float)(most > 0 ? most : 1))));
  if (status == WEFT_OK) status = weft_reshape(&pixels, light, WEFT_SHAPE(g->height, g->width));
  if (status == WEFT_OK) status = picture_glow(p, pixels);
  weft_release(&pixels, &light, &stars);
  return status;
}

int main(int argc, char **argv) {
  uint64_t stars = 256, steps = 20, seed = 1;
  galaxies g = {.tile = 64, .width = 240, .height = 160};
  const char *png = NULL;
  const example_option options[] = {
      {"--stars", &stars, 1, 1 << 24, "stars of each galaxy, beside its centre"},
      {"--steps", &steps, 1, 1000000, "steps of time 1/100; a star at a galaxy's border circles it in about 600"},
      {"--tile", &g.tile, 1, 256, "threads of a block, and bodies of a tile"},
      {"--seed", &seed, 0, UINT32_MAX, "seed of the random numbers"},
      {"--width", &g.width, 1, 1 << 14, "pixels in a row of the picture"},
      {"--height", &g.height, 1, 1 << 14, "rows of the picture"},
      {"--png", &png, 0, 0, "where to write the picture"},
  };
  int status =
      example_arguments(argc, argv, "Lets two galaxies pass each other.", options, sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  numpy_random random;
  picture drawn = {0};
  double before, after;
  g.n = 2 * (stars + 1);
  float *bodies = malloc(g.n * 4 * sizeof *bodies), *v = malloc(g.n * 3 * sizeof *v);
  REQUIRE(bodies != NULL && v != NULL, "no memory for %" PRIu64 " bodies", g.n);
  if (!picture_create(&drawn, g.width, g.height)) goto done;
  numpy_seed(&random, (uint32_t)seed);
  set_galaxy(bodies, v, stars + 1, &random, 0.3, (double[]){-1.6, -0.55, 0.55, 0.1});
  set_galaxy(bodies + 4 * (stars + 1), v + 3 * (stars + 1), stars + 1, &random, -0.6,
             (double[]){1.6, 0.55, -0.55, -0.1});
  WEFT_TRY(weft_context_create(&g.context), done);
  WEFT_TRY(begin(&g, bodies, v), done);
  WEFT_TRY(pull(&g), done);
  WEFT_TRY(total_energy(&before, &g), done);
  for (uint64_t i = 0; i < steps; i++) {
    WEFT_TRY(step(&g, 0.01f), done);
    if (i >= steps - steps / 10 - 1 && png != NULL) WEFT_TRY(expose(&g), done);
  }
  WEFT_TRY(total_energy(&after, &g), done);

  printf("2 galaxies of %" PRIu64 " stars, %" PRIu64 " steps\n", stars, steps);
  printf("energy %.5f before, %.5f after: changed by %.1e of itself\n", before, after, fabs(after / before - 1));
  REQUIRE(fabs(after / before - 1) < 0.01, "energy does not change");
  if (png != NULL) {
    WEFT_TRY(develop(&drawn, &g), done);
    if (!picture_write(png, &drawn)) goto done;
  }
  status = EXIT_SUCCESS;

done:
  weft_release(&g.count, &g.exposure, &g.each, &g.a, &g.mass, &g.place, &g.v, &g.result, &g.bodies, &g.pull);
  free(drawn.rgb);
  free(v);
  free(bodies);
  return example_close(&g.context, status);
}
