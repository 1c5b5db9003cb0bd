// SPDX-License-Identifier: MIT
/// Connected regions, and distances to the background.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <weft/array.h>
#include <weft/reduce.h>
#include <weft/regions.h>
#include <weft/scan.h>

#include "cl/filter/regions_args.h"
#include "dtype/opencl.h"
#include "op/filter/filter.h"
#include "op/filter/tuning.h"

static const char *const label_names[] = {"x", "structure"};
static const char *const distance_names[] = {"x", "sampling"};

/// Launches a kernel with a work-item for each of `items`; `many`: of many elements, so that it is a block of its own.
static weft_status launch(const weft__filtering *t, weft__kernel *kernel, uint64_t items, bool many,
                          const void *arguments, size_t argument_bytes, int uses, const weft__use *use) {
  const uint64_t block = many ? 1 : weft__own_block(&t->call.context->core);
  return weft__run_kernel(&(weft__kernel_run){kernel, weft__own_grid(items, block), weft__dim3(block, 1, 1), arguments,
                                              argument_bytes, uses, use, .what = t->what, .site = t->call.site});
}

/// Makes x contiguous bools, and the result.
static weft_status open_regions(weft__filtering *t, const char *name, const char *const *names, weft_dtype dtype,
                                const char *site) {
  weft__call *c = &t->call;
  weft__enter(name, site);
  weft__call_open(c, NULL, 1, &t->out, t->operand[1].kind ? 2 : 1, t->operand, names, site);
  WEFT__TRY_RETURN(weft__call_operands(c));
  for (int k = 0; k < c->inputs; k++)
    if (weft_dtype_kind(weft__call_dtype(c, k)) == 'c')
      return weft__fail(WEFT_ERROR_DTYPE, names[k], "`%s` is %s; expected real numbers", names[k],
                        weft_dtype_name(weft__call_dtype(c, k)));
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_BOOL));
  const weft_array *x = c->array[1];
  if (x->size > INT32_MAX)
    return weft__fail(WEFT_ERROR_SHAPE, "x", "`x` has %" PRId64 " elements; expected fewer than 2^31", x->size);
  t->axes = x->ndim;
  for (int d = 0; d < x->ndim; d++) t->axis[d] = d;
  if (dtype == WEFT_DTYPE_NONE) dtype = c->context->core.device->info.has_fp64 ? WEFT_F64 : WEFT_F32;
  return weft__call_contiguous_result(c, 0, dtype, weft__array_shape(x));
}

/* ---- label ---- */

typedef struct label_key {
  uint8_t axes, is_coarse;
} label_key;

static void write_label(weft__text *text, const void *data) {
  const label_key *key = data;
  weft__text_add(text, "#define AXES %d\n#define ITEM %d\n", key->axes, key->is_coarse ? WEFT__LABEL_SHARE : 1);
}

/// The neighbours in front that touch an element, as offsets along the axes.
static weft_status find_neighbours(int64_t **offset, int64_t *count, weft__filtering *t) {
  weft__call *c = &t->call;
  int64_t size[WEFT_MAX_NDIM], before[WEFT_MAX_NDIM], all = 1;
  weft_status rc;
  uint8_t *keeps = NULL;
  for (int d = 0; d < t->axes; d++) {
    size[d] = 3;
    before[d] = 1;
    all *= 3;
  }
  keeps = malloc((size_t)all);
  if (!keeps) return weft__fail_host_memory((size_t)all);
  if (t->operand[1].kind) {
    WEFT__TRY(weft__call_contiguous_operand(c, 1, WEFT_BOOL));
    bool fits = c->array[2]->ndim == t->axes;
    for (int d = 0; d < t->axes && fits; d++) fits = c->array[2]->shape[d] == 3;
    if (!fits)
      WEFT__TRY(weft__call_fail_shapes(c, 0, 1, "the structure has other than length 3 along each of x's axes"));
    WEFT__TRY(weft__array_read(keeps, c->array[2], true, c->site));
  }
  for (int64_t i = 0; i < all; i++) {
    int apart = 0;
    int64_t rest = i;
    for (int d = 0; d < t->axes; d++, rest /= 3) apart += rest % 3 != 1;
    if (!t->operand[1].kind) keeps[i] = apart <= 1;
  }
  for (int64_t i = 0; i < all / 2; i++)
    if (!keeps[i] != !keeps[all - 1 - i])
      WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "structure", "`structure` is not symmetric about its middle"));
  for (int64_t i = all / 2; i < all; i++) keeps[i] = 0;
  *count = weft__footprint_offsets(offset, t, size, before, false, keeps);
  rc = *count < 0 ? weft__fail_host_memory((size_t)all * sizeof **offset) : WEFT_OK;
done:
  free(keeps);
  return rc;
}

static weft_status run_label(const weft__labelling *l, weft_array *links) {
  const weft__filtering *t = l->filtering;
  const weft_array *table = l->table;
  weft_array **numbers = l->regions;
  static const char *const names[] = {"weft_label_begin", "weft_label_join", "weft_label_flatten", "weft_label_store"};
  const weft__call *c = &t->call;
  const weft_array *to = c->array[0], *x = c->array[1];
  const weft__grain grain = weft__grain_of(&c->context->store, WEFT__LABEL_SHARE);
  const label_key key = {(uint8_t)x->ndim, weft__is_coarse(grain)};
  const uint64_t items = weft_ceil_div((uint64_t)x->size, grain.items);
  const weft__kernel_source source = {
      .name = t->what,
      .key = {.file = "filter/label.cl", .kernel = names, .kernels = 4, WEFT__KEY_BYTES(label_key, &key)},
      .write = write_label};
  weft__kernel *kernel[4];
  weft__label_args a = {.n = (uint64_t)x->size,
                        .neighbours = (uint64_t)l->neighbours,
                        .to = (uint64_t)to->offset_bytes,
                        .from = (uint64_t)x->offset_bytes,
                        .links = (uint64_t)links->offset_bytes,
                        .numbers = (uint64_t)(*numbers)->offset_bytes,
                        .table = (uint64_t)table->offset_bytes};
  for (int d = 0; d < x->ndim; d++) a.shape[d] = x->shape[d];
  WEFT__TRY_RETURN(weft__kernels_get(kernel, &c->context->store, &source));
  const weft__use begin[] = {{links->storage, true}, {x->storage, false}};
  const weft__use join[] = {{links->storage, true}, {table->storage, false}};
  const weft__use flatten[] = {{links->storage, true}, {(*numbers)->storage, true}};
  WEFT__TRY_RETURN(launch(t, kernel[0], items, key.is_coarse, &a, sizeof a, 2, begin));
  WEFT__TRY_RETURN(launch(t, kernel[1], items, key.is_coarse, &a, sizeof a, 2, join));
  WEFT__TRY_RETURN(launch(t, kernel[2], items, key.is_coarse, &a, sizeof a, 2, flatten));
  WEFT__TRY_RETURN((weft_cumsum)(numbers, *numbers, WEFT_AXES(0), &(weft_scan_params){.dtype = WEFT_I32}));
  const weft__use store[] = {{to->storage, true}, {links->storage, false}, {(*numbers)->storage, false}};
  return launch(t, kernel[3], items, key.is_coarse, &a, sizeof a, 3, store);
}

weft_status weft__label_kernels_run(bool *is_done, const void *task) {
  const weft__labelling *l = task;
  const weft__call *c = &l->filtering->call;
  const weft_shape shape = WEFT_SHAPE(c->array[1]->size);
  weft_array *links = NULL;
  weft_status rc;
  *is_done = true;
  WEFT__TRY(weft__array_create(&links, c->context, WEFT_I32, shape, c->site));
  WEFT__TRY(weft__array_create(l->regions, c->context, WEFT_I32, shape, c->site));
  rc = run_label(l, links);
done:
  weft_array_release(&links);
  return rc;
}

/// The number of regions: how many first elements there are up to the last element.
static weft_status deliver_count(weft_array **count, const weft_array *numbers) {
  weft_array last = weft__array_part(numbers, 0, numbers->size - 1, 1);
  last.ndim = 0;
  return (weft_cast)(count, &last, WEFT_I64);
}

static weft_status label(weft__filtering *t, weft_array **count) {
  weft__call *c = &t->call;
  weft_array *numbers = NULL, *table = NULL;
  int64_t *offset = NULL, neighbours = 0;
  weft_status rc;
  WEFT__TRY(find_neighbours(&offset, &neighbours, t));
  const weft_array *x = c->array[1];
  if (x->ndim == 0) WEFT__TRY(weft__fail(WEFT_ERROR_SHAPE, "x", "`x` has no axes; expected one or more"));
  if (x->size == 0) {
    rc = count ? (weft_count_nonzero)(count, x, WEFT_ALL_AXES) : WEFT_OK;
    goto done;
  }
  const int64_t words = neighbours ? neighbours * x->ndim : 1;
  WEFT__TRY(weft__array_of(&table, c->context, WEFT_I64, WEFT_SHAPE(words), offset, c->site));
  WEFT__TRY(weft__ways_run(&weft__label_ways, c->context, &(weft__labelling){t, neighbours, table, &numbers}));
  rc = count ? deliver_count(count, numbers) : WEFT_OK;
done:
  free(offset);
  weft_array_release(&numbers);
  weft_array_release(&table);
  return rc;
}

weft_status weft__label_at(weft_operand out, weft_operand x, const weft_label_params *params) {
  const weft_label_params p = WEFT__PARAMS(params);
  weft__filtering t = {.out = out, .operand = {x}, .what = "label"};
  if (p.structure) t.operand[1] = WEFT_OPERAND(p.structure);
  weft_status rc = open_regions(&t, "weft_label", label_names, WEFT_I32, p.site);
  if (!rc) rc = label(&t, p.count);
  return weft__filter_close(&t, rc);
}

/* ---- distance_transform ---- */

typedef struct distance_key {
  uint8_t is_f32;
} distance_key;

static void write_distance(weft__text *text, const void *data) {
  weft__text_add(text, "#define REAL %s\n", ((const distance_key *)data)->is_f32 ? "float" : "double");
}

typedef struct distances {
  weft_array *square[2], *nearest[2];
  double sampling[WEFT_MAX_NDIM];
  bool wants_nearest;
} distances;

static weft_status read_sampling(distances *s, weft__filtering *t) {
  weft__call *c = &t->call;
  for (int d = 0; d < t->axes; d++) s->sampling[d] = 1;
  if (!t->operand[1].kind) return WEFT_OK;
  if (c->array[2]->ndim != 1 || c->array[2]->size != t->axes)
    return weft__call_fail_shapes(c, 0, 1, "expected one axis, with %d numbers", t->axes);
  WEFT__TRY_RETURN(weft__filter_read(s->sampling, c));
  for (int d = 0; d < t->axes; d++)
    if (!(s->sampling[d] > 0) || !isfinite(s->sampling[d]))
      return weft__fail(WEFT_ERROR_ARGUMENT, "sampling", "`sampling` has %.9g; expected positive numbers",
                        s->sampling[d]);
  return WEFT_OK;
}

static uint64_t real_bits(double value, bool is_f32) {
  const float narrow = (float)value;
  uint64_t bits = 0;
  memcpy(&bits, is_f32 ? (const void *)&narrow : &value, is_f32 ? sizeof narrow : sizeof value);
  return bits;
}

static weft_status get_distance_kernels(weft__kernel *kernel[5], const weft__filtering *t) {
  static const char *const names[] = {"weft_distance_ends", "weft_distance_zeros", "weft_distance_anchors",
                                      "weft_distance_between", "weft_distance_index"};
  const distance_key key = {t->call.array[0]->dtype == WEFT_F32};
  const weft__kernel_source source = {
      .name = t->what,
      .key = {.file = "filter/distance.cl", .kernel = names, .kernels = 5, WEFT__KEY_BYTES(distance_key, &key)},
      .write = write_distance};
  return weft__kernels_get(kernel, &t->call.context->store, &source);
}

/// About the square root of a line's elements: then finding the ends of the parts, and between them, takes as long.
static uint32_t part_of(uint64_t length) {
  uint32_t part = 16;
  while ((uint64_t)part * part < length) part *= 2;
  return part;
}

weft_status weft__distance_kernels_run(bool *is_done, const void *task) {
  const weft__distance_pass *p = task;
  const weft__filtering *t = p->filtering;
  const uint64_t length = (uint64_t)p->split.length, lines = (uint64_t)p->split.outer * (uint64_t)p->split.inner;
  const uint32_t part = part_of(length);
  const uint64_t parts = weft_ceil_div(length, part), anchors = weft_ceil_div(length - 1, part) + 1;
  const int64_t known = (int64_t)(lines * (p->is_first ? 2 * parts : anchors)); /* places */
  weft_array *scratch = NULL;
  weft__kernel *kernel[5];
  weft_status rc;
  WEFT__TRY(get_distance_kernels(kernel, t));
  WEFT__TRY(weft__array_create(&scratch, t->call.context, WEFT_I32, WEFT_SHAPE(known), t->call.site));
  const weft__distance_args a = {.outer = (uint64_t)p->split.outer,
                                 .length = length,
                                 .inner = (uint64_t)p->split.inner,
                                 .to = (uint64_t)p->to->offset_bytes,
                                 .from = (uint64_t)p->from->offset_bytes,
                                 .nearest_to = (uint64_t)p->nearest->offset_bytes,
                                 .nearest_from = (uint64_t)p->nearest_before->offset_bytes,
                                 .stack = (uint64_t)scratch->offset_bytes,
                                 .step = real_bits(p->step, p->to->dtype == WEFT_F32),
                                 .is_first = p->is_first,
                                 .is_last = p->is_last,
                                 .is_kept = p->is_kept,
                                 .part = part};
  const weft__use to = {p->to->storage, true}, from = {p->from->storage, false}, nearest = {p->nearest->storage, true};
  const weft__use before = {p->nearest_before->storage, false}, places = {scratch->storage, true};
  const weft__use find[] = {from, places}, zeros[] = {to, from, nearest, places};
  const weft__use all[] = {to, from, nearest, before, places};
  *is_done = true;
  if (p->is_first) {
    WEFT__TRY(launch(t, kernel[0], lines * parts, false, &a, sizeof a, 2, find));
    rc = launch(t, kernel[1], lines * parts, false, &a, sizeof a, 4, zeros);
  } else {
    WEFT__TRY(launch(t, kernel[2], lines * anchors, false, &a, sizeof a, 2, find));
    rc = launch(t, kernel[3], lines * length, false, &a, sizeof a, 5, all);
  }
done:
  weft_array_release(&scratch);
  return rc;
}

/// The passes; afterwards nearest[(ndim - 1) % 2] has the nearest zeros.
static weft_status run_passes(const weft__filtering *t, const distances *s) {
  const weft__call *c = &t->call;
  const weft_array *x = c->array[1];
  for (int d = 0; d < x->ndim; d++) {
    const bool is_last = d + 1 == x->ndim;
    const weft__distance_pass pass = {.filtering = t,
                                      .split = weft__split_at_axis(weft__array_shape(x), d),
                                      .step = s->sampling[d] * s->sampling[d],
                                      .is_first = d == 0,
                                      .is_last = is_last,
                                      .is_kept = s->wants_nearest || !is_last,
                                      .to = is_last ? c->array[0] : s->square[d % 2],
                                      .from = d == 0 ? x : s->square[(d - 1) % 2],
                                      .nearest = s->nearest[d % 2],
                                      .nearest_before = s->nearest[(d + 1) % 2]};
    WEFT__TRY_RETURN(weft__ways_run(&weft__distance_ways, c->context, &pass));
  }
  return WEFT_OK;
}

/// The indices of the nearest zeros, along one axis after the other.
static weft_status deliver_indices(weft_array **indices, const weft__filtering *t, const weft_array *nearest) {
  const weft__call *c = &t->call;
  const weft_array *x = c->array[1];
  weft_shape shape = {.ndim = x->ndim + 1, .dim = {x->ndim}};
  weft_array *all = NULL;
  weft__kernel *kernel[5];
  weft_status rc;
  if (x->ndim == WEFT_MAX_NDIM)
    return weft__fail(WEFT_ERROR_SHAPE, "indices", "the indices would have %d axes; %d are the most", x->ndim + 1,
                      WEFT_MAX_NDIM);
  for (int d = 0; d < x->ndim; d++) shape.dim[d + 1] = x->shape[d];
  WEFT__TRY(weft__array_create(&all, c->context, WEFT_I32, shape, c->site));
  if (x->size > 0) WEFT__TRY(get_distance_kernels(kernel, t));
  for (int d = 0; d < x->ndim && x->size > 0; d++) {
    const weft__axis_split split = weft__split_at_axis(weft__array_shape(x), d);
    const weft__nearest_args a = {.n = (uint64_t)x->size,
                                  .length = (uint64_t)split.length,
                                  .inner = (uint64_t)split.inner,
                                  .to = (uint64_t)all->offset_bytes + (uint64_t)(d * x->size) * sizeof(int32_t),
                                  .from = (uint64_t)nearest->offset_bytes};
    const weft__use use[] = {{all->storage, true}, {nearest->storage, false}};
    WEFT__TRY(launch(t, kernel[4], a.n, false, &a, sizeof a, 2, use));
  }
  rc = (weft_cast)(indices, all, WEFT_I32);
done:
  weft_array_release(&all);
  return rc;
}

static weft_status transform_distances(weft__filtering *t, distances *s, weft_array **indices) {
  weft__call *c = &t->call;
  const weft_array *x = c->array[1];
  const weft_shape shape = WEFT_SHAPE(x->size);
  WEFT__TRY_RETURN(read_sampling(s, t));
  if (x->ndim == 0) return weft__fail(WEFT_ERROR_SHAPE, "x", "`x` has no axes; expected one or more");
  if (x->size == 0) return indices ? deliver_indices(indices, t, NULL) : WEFT_OK;
  for (int k = 0; k < 2; k++) {
    if (x->ndim > k + 1)
      WEFT__TRY_RETURN(weft__array_create(&s->square[k], c->context, c->array[0]->dtype, shape, c->site));
    WEFT__TRY_RETURN(weft__array_create(&s->nearest[k], c->context, WEFT_I32, shape, c->site));
  }
  WEFT__TRY_RETURN(run_passes(t, s));
  return indices ? deliver_indices(indices, t, s->nearest[(x->ndim - 1) % 2]) : WEFT_OK;
}

weft_status weft__distance_transform_at(weft_operand out, weft_operand x, const weft_distance_params *params) {
  const weft_distance_params p = WEFT__PARAMS(params);
  weft__filtering t = {.out = out, .operand = {x}, .what = "distance transform"};
  distances s = {.wants_nearest = p.indices != NULL};
  if (p.sampling) t.operand[1] = WEFT_OPERAND(p.sampling);
  weft_status rc = open_regions(&t, "weft_distance_transform", distance_names, WEFT_DTYPE_NONE, p.site);
  if (!rc) rc = transform_distances(&t, &s, p.indices);
  for (int k = 0; k < 2; k++) {
    weft_array_release(&s.square[k]);
    weft_array_release(&s.nearest[k]);
  }
  return weft__filter_close(&t, rc);
}
