// SPDX-License-Identifier: MIT
/// Random numbers by the position in the whole array: each rank skips to its own.
#include <stdlib.h>
#include <string.h>

#include "dist/dist_array.h"

typedef struct drawing {
  const char *function, *site;
  weft_dtype dtype;
  weft_shape shape;
  double a, b; /* parameters of the distribution */
  int64_t low, high;
  weft_status (*draw)(weft_array **out, weft_rng *rng, const struct drawing *d, int64_t count);
  weft_dist_draw_call *call; /* the program's, with `user` */
  void *user;
} drawing;

/* Elements whose words belong together, in every distribution: a draw begins at a multiple. */
enum { TOGETHER = 8 };

static weft_status draw_uniform(weft_array **out, weft_rng *rng, const drawing *d, int64_t count) {
  return weft_uniform(out, rng, d->dtype, WEFT_SHAPE(count), d->a, d->b);
}

static weft_status draw_normal(weft_array **out, weft_rng *rng, const drawing *d, int64_t count) {
  return weft_normal(out, rng, d->dtype, WEFT_SHAPE(count), d->a, d->b);
}

static weft_status draw_integers(weft_array **out, weft_rng *rng, const drawing *d, int64_t count) {
  return weft_integers(out, rng, d->dtype, WEFT_SHAPE(count), d->low, d->high);
}

static weft_status draw_bits(weft_array **out, weft_rng *rng, const drawing *d, int64_t count) {
  return weft_random_bits(out, rng, d->dtype, WEFT_SHAPE(count));
}

static weft_status draw_exponential(weft_array **out, weft_rng *rng, const drawing *d, int64_t count) {
  return weft_exponential(out, rng, d->dtype, WEFT_SHAPE(count), d->a);
}

static weft_status draw_bernoulli(weft_array **out, weft_rng *rng, const drawing *d, int64_t count) {
  return weft_bernoulli(out, rng, d->dtype, WEFT_SHAPE(count), d->a);
}

static weft_status draw_gamma(weft_array **out, weft_rng *rng, const drawing *d, int64_t count) {
  return weft_gamma(out, rng, d->dtype, WEFT_SHAPE(count), d->a, d->b);
}

static weft_status draw_poisson(weft_array **out, weft_rng *rng, const drawing *d, int64_t count) {
  return weft_poisson(out, rng, d->dtype, WEFT_SHAPE(count), d->a);
}

static weft_status draw_call(weft_array **out, weft_rng *rng, const drawing *d, int64_t count) {
  weft_array *drawn = NULL;
  weft_status rc;
  WEFT__TRY(d->call(&drawn, rng, d->dtype, WEFT_SHAPE(count), d->user));
  if (!drawn || weft_array_ndim(drawn) != 1 || weft_array_size(drawn) != count)
    WEFT__TRY(weft__dist_fail(WEFT_ERROR_SHAPE, "draw", "`draw` made %s; expected an array of the shape [%lld]",
                              drawn ? "an array of another shape" : "no array", (long long)count));
  *out = drawn;
  drawn = NULL;
done:
  weft_array_release(&drawn);
  return rc;
}

/// Where a draw begins.
typedef struct origin {
  weft_rng_state state;
  uint64_t words;  /* of TOGETHER elements */
  int64_t shift;   /* elements to leave out */
  bool takes_kept; /* the first element is the generator's kept word */
} origin;

/// Finds it by drawing: elements may begin at a word further on, or with the second one of a pair.
static weft_status find_origin(origin *o, weft_rng *rng, const weft_rng_state *start, const drawing *d) {
  weft_rng_state one, two;
  weft_array *probe = NULL;
  weft_status rc;
  WEFT__TRY(weft_rng_set_state(rng, start));
  WEFT__TRY(d->draw(&probe, rng, d, TOGETHER));
  WEFT__TRY(weft_rng_get_state(&one, rng));
  weft_array_release(&probe);
  WEFT__TRY(weft_rng_set_state(rng, start));
  WEFT__TRY(d->draw(&probe, rng, d, 2 * TOGETHER));
  WEFT__TRY(weft_rng_get_state(&two, rng));
  *o = (origin){.state = *start, .words = two.position - one.position};
  o->takes_kept = start->has_kept && !one.has_kept;
  if (start->spare && two.spare) { /* the first one of the pair was drawn before */
    o->shift = 1;
    o->state.position -= 2 * o->words / TOGETHER;
  } else if (!o->takes_kept && one.position - start->position > o->words) {
    o->state.position = one.position - o->words;
    o->state.has_kept = one.has_kept;
    o->state.kept = one.kept;
  }
  o->state.spare = 0;
done:
  weft_array_release(&probe);
  return rc;
}

/// Draws elements `first` to `first + count` - 1; `*after`: the state behind them.
static weft_status draw_from(weft_array **out, weft_rng_state *after, weft_rng *rng, const origin *o, const drawing *d,
                             int64_t first, int64_t count) {
  first += o->shift;
  const int64_t lead = first % TOGETHER;
  const uint64_t skipped = o->words * (uint64_t)(first / TOGETHER);
  weft_rng_state state = o->state;
  weft_array *drawn = NULL, *part = NULL;
  weft_status rc;
  if (!o->takes_kept) state.position += skipped;
  WEFT__TRY(weft_rng_set_state(rng, &state));
  if (o->takes_kept && skipped) WEFT__TRY(weft_rng_skip(rng, skipped));
  WEFT__TRY(d->draw(&drawn, rng, d, lead + count));
  WEFT__TRY(weft_rng_get_state(after, rng));
  if (lead == 0) { /* the first one begins a group: all were asked for */
    *out = drawn;
    drawn = NULL;
    goto done;
  }
  WEFT__TRY(weft__slice_at(&part, drawn, weft__axes_int(0), lead, lead + count, &(weft_slice_params){.site = d->site}));
  rc = weft__copy_at(out, part, &(weft_copy_params){.site = d->site});
done:
  weft_release(&drawn, &part);
  return rc;
}

/// This rank's part, and the state of `rng` behind the whole array.
static weft_status draw_part(weft_array **out, weft_rng_state *after, const weft_dist *grid, weft_rng *rng,
                             const drawing *d) {
  weft_rng_state start, behind_part;
  origin o;
  weft_rng *own = NULL;
  weft_array *flat = NULL;
  weft_shape part;
  int64_t first, others = 1, total = 1;
  weft_status rc;
  weft__dist_part(&first, &part, grid, d->shape, 0);
  for (int k = 0; k < d->shape.ndim; k++) {
    total *= d->shape.dim[k];
    if (k > 0) others *= d->shape.dim[k];
  }
  WEFT__TRY(weft_rng_get_state(&start, rng));
  WEFT__TRY(weft_rng_create(&own, .context = grid->context, .generator = (weft_generator)start.generator));
  WEFT__TRY(find_origin(&o, own, &start, d));
  WEFT__TRY(draw_from(&flat, &behind_part, own, &o, d, first * others, part.dim[0] * others));
  WEFT__TRY(weft__reshape_at(out, flat, part, d->site));
  weft_array_release(&flat);
  rc = draw_from(&flat, after, own, &o, d, total, 0);
done:
  weft_rng_release(&own);
  weft_array_release(&flat);
  return rc;
}

int64_t weft__dist_rng_hash(const weft_rng_state *s) {
  const uint64_t words[] = {s->generator, s->key[0], s->key[1], s->jumps,    s->position,
                            s->splits,    s->spare,  s->kept,   s->has_kept, s->version};
  uint64_t h = 14695981039346656037u;
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) h = (h ^ words[k]) * 1099511628211u;
  return (int64_t)h;
}

static weft_status draw(weft_dist_array **out, weft_dist *grid, weft_rng *rng, const drawing *d) {
  weft__dist_call call = {
      .function = d->function, .site = d->site, .dtype = d->dtype, .shape = d->shape, .numbers = {d->low, d->high}};
  for (int k = 0; k < 2; k++) { /* of floats the bits */
    int64_t bits;
    memcpy(&bits, k ? &d->b : &d->a, sizeof bits);
    call.numbers[k] ^= bits;
  }
  weft_array *local = NULL;
  weft_rng_state state = {0}, after;
  char place[60];
  weft_status rc;
  weft__dist_enter(d->function, d->site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check_grid(grid));
  if (d->shape.ndim < 1)
    rc = weft__dist_fail(WEFT_ERROR_SHAPE, "shape", "`shape` has no axis; expected one to split");
  else if (!rng)
    rc = weft__dist_fail(WEFT_ERROR_HANDLE, "rng", "`rng` is NULL; expected a generator");
  else
    rc = weft_rng_get_state(&state, rng);
  snprintf(place, sizeof place, "generator at word %llu", (unsigned long long)state.position);
  call.text = place;
  call.numbers[2] = weft__dist_rng_hash(&state);
  if (!rc) rc = draw_part(&local, &after, grid, rng, d);
  rc = weft__dist_finish(out, grid, &call, d->shape, 0, &local, rc);
  if (!rc) rc = weft_rng_set_state(rng, &after); /* only now: after a failure all ranks' generators are as before */
done:
  weft_array_release(&local);
  return weft__dist_leave(rc);
}

weft_status weft__dist_uniform_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng, weft_dtype dtype,
                                  weft_shape shape, double low, double high, const char *site) {
  return draw(out, grid, rng,
              &(drawing){"weft_dist_uniform", site, dtype, shape, .a = low, .b = high, .draw = draw_uniform});
}

weft_status weft__dist_normal_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng, weft_dtype dtype,
                                 weft_shape shape, double mean, double deviation, const char *site) {
  return draw(out, grid, rng,
              &(drawing){"weft_dist_normal", site, dtype, shape, .a = mean, .b = deviation, .draw = draw_normal});
}

weft_status weft__dist_integers_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng, weft_dtype dtype,
                                   weft_shape shape, int64_t low, int64_t high, const char *site) {
  return draw(out, grid, rng,
              &(drawing){"weft_dist_integers", site, dtype, shape, .low = low, .high = high, .draw = draw_integers});
}

weft_status weft__dist_random_bits_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng, weft_dtype dtype,
                                      weft_shape shape, const char *site) {
  return draw(out, grid, rng, &(drawing){"weft_dist_random_bits", site, dtype, shape, .draw = draw_bits});
}

weft_status weft__dist_exponential_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng, weft_dtype dtype,
                                      weft_shape shape, double scale, const char *site) {
  return draw(out, grid, rng,
              &(drawing){"weft_dist_exponential", site, dtype, shape, .a = scale, .draw = draw_exponential});
}

weft_status weft__dist_bernoulli_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng, weft_dtype dtype,
                                    weft_shape shape, double p, const char *site) {
  return draw(out, grid, rng, &(drawing){"weft_dist_bernoulli", site, dtype, shape, .a = p, .draw = draw_bernoulli});
}

weft_status weft__dist_gamma_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng, weft_dtype dtype,
                                weft_shape shape, double k, double theta, const char *site) {
  return draw(out, grid, rng,
              &(drawing){"weft_dist_gamma", site, dtype, shape, .a = k, .b = theta, .draw = draw_gamma});
}

weft_status weft__dist_poisson_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng, weft_dtype dtype,
                                  weft_shape shape, double lambda, const char *site) {
  return draw(out, grid, rng, &(drawing){"weft_dist_poisson", site, dtype, shape, .a = lambda, .draw = draw_poisson});
}

weft_status weft__dist_draw_at(weft_dist_array **out, weft_dist *grid, weft_rng *rng, weft_dtype dtype,
                               weft_shape shape, weft_dist_draw_call *call, void *user, const char *site) {
  weft_status rc;
  weft__dist_enter("weft_dist_draw", site);
  if (!call) WEFT__TRY(weft__dist_fail(WEFT_ERROR_ARGUMENT, "draw", "`draw` is NULL; expected a function"));
  rc = draw(out, grid, rng,
            &(drawing){"weft_dist_draw", site, dtype, shape, .draw = draw_call, .call = call, .user = user});
done:
  return weft__dist_leave(rc);
}
