// SPDX-License-Identifier: MIT
/// Two passes along the last two axes in one launch, on GPUs.
#include "op/filter/filter.h"
#include "op/filter/tuning.h"

typedef struct plane_key {
  uint8_t dtype, op, down, across, down_first, height, width, is_narrow_sum;
} plane_key;

static void write_key(weft__text *text, const void *data) {
  const plane_key *key = data;
  weft__filter_define(text, (weft_dtype)key->dtype);
  weft__text_add(text, "#define T_BOOL %d\n#define REAL %s\n#define OP %d\n#define DOWN %d\n#define ACROSS %d\n",
                 key->dtype == WEFT_BOOL, key->is_narrow_sum ? "float" : "double", key->op, key->down, key->across);
  weft__text_add(text, "#define DOWN_FIRST %d\n#define HEIGHT %d\n#define WIDTH %d\n", key->down_first, key->height,
                 key->width);
}

static weft_status get_kernel(weft__kernel **kernel, const weft__filtering *t, const plane_key *key) {
  static const char *const names[] = {"weft_filter_plane"};
  const weft__kernel_source source = {
      .name = t->what,
      .key = {.file = "filter/plane.cl", .kernel = names, .kernels = 1, WEFT__KEY_BYTES(plane_key, key)},
      .write = write_key};
  return weft__kernels_get(kernel, &t->call.context->store, &source);
}

/// Divides planes into tiles. False: a tile is larger than local memory, tiles are too many, or hold few elements.
static bool divide(plane_key *key, uint64_t *groups, const weft__passes *p) {
  const weft_array *to = p->filtering->call.array[0], *x = p->filtering->call.array[1];
  const weft_device_info *device = &to->context->core.device->info;
  const bool down_first = p->line[0].axis < p->line[1].axis;
  const uint64_t rows = (uint64_t)x->shape[x->ndim - 2], columns = (uint64_t)x->shape[x->ndim - 1];
  const bool is_small = (uint64_t)x->size <= WEFT__PLANE_SMALL * (uint64_t)device->compute_units;
  *key = (plane_key){.dtype = (uint8_t)to->dtype,
                     .op = (uint8_t)p->line[0].op,
                     .down = (uint8_t)p->line[!down_first].taps,
                     .across = (uint8_t)p->line[down_first].taps,
                     .down_first = down_first,
                     .height = is_small ? 8 : 32,
                     .width = is_small ? 32 : 64,
                     .is_narrow_sum = weft__filter_sum_dtype(to->context, to->dtype) == WEFT_F32};
  const uint64_t tile_height = (uint64_t)key->height + key->down - 1,
                 tile_width = (uint64_t)key->width + key->across - 1;
  const uint64_t middle = down_first ? key->height * tile_width : tile_height * key->width;
  const uint64_t local_bytes = (tile_height * tile_width + middle) * weft_dtype_size_bytes(to->dtype);
  *groups =
      (uint64_t)x->size / (rows * columns) * weft_ceil_div(rows, key->height) * weft_ceil_div(columns, key->width);
  const uint64_t places = *groups * key->height * key->width;
  return local_bytes <= WEFT__PLANE_LOCAL_BYTES && local_bytes <= device->local_memory_bytes && *groups <= INT32_MAX &&
         (places <= WEFT__PLANE_MOST_PLACES * (uint64_t)x->size ||
          places <= WEFT__PLANE_SMALL * (uint64_t)device->compute_units);
}

bool weft__passes_plane_fits(const void *task) {
  const weft__passes *p = task;
  const weft_array *x = p->filtering->call.array[1];
  const int last = x->ndim - 1;
  plane_key key;
  uint64_t groups;
  if (p->lines != 2) return false;
  const bool down_first = p->line[0].axis < p->line[1].axis;
  const weft__line *down = &p->line[!down_first], *across = &p->line[down_first];
  return down->axis == last - 1 && across->axis == last && down->op == across->op &&
         down->taps <= WEFT__PLANE_MOST_TAPS && across->taps <= WEFT__PLANE_MOST_TAPS &&
         x->shape[last] <= INT32_MAX / 2 && x->shape[last - 1] <= INT32_MAX / 2 && divide(&key, &groups, p);
}

weft_status weft__passes_plane_run(bool *is_done, const void *task) {
  const weft__filtering *t = ((const weft__passes *)task)->filtering;
  const weft__line *line = ((const weft__passes *)task)->line;
  weft_array *to = t->call.array[0];
  const weft_array *from = t->call.array[1];
  const int last = from->ndim - 1;
  const bool down_first = line[0].axis < line[1].axis;
  const weft__line *down = &line[!down_first], *across = &line[down_first];
  plane_key key;
  uint64_t groups;
  divide(&key, &groups, task);
  const uint64_t rows = (uint64_t)from->shape[last - 1], columns = (uint64_t)from->shape[last];
  weft__plane_args a = {.rows = rows,
                        .columns = columns,
                        .before = {(uint64_t)down->before, (uint64_t)across->before},
                        .to = (uint64_t)to->offset_bytes,
                        .from = (uint64_t)from->offset_bytes,
                        .fill = t->edge.fill[0],
                        .border = t->edge.border,
                        .down = (uint32_t)weft_ceil_div(rows, key.height),
                        .across = (uint32_t)weft_ceil_div(columns, key.width)};
  weft__use use[4] = {{to->storage, true}, {from->storage, false}};
  for (int k = 0; k < 2; k++) {
    const weft_array *weights = line[k].weights ? line[k].weights : from;
    use[2 + k] = (weft__use){weights->storage, false};
    a.weights[k] = (uint64_t)weights->offset_bytes;
    a.is_reversed[k] = line[k].is_reversed;
  }
  weft__kernel *kernel;
  WEFT__TRY_RETURN(get_kernel(&kernel, t, &key));
  *is_done = true;
  return weft__run_kernel(&(weft__kernel_run){.kernel = kernel,
                                              .grid = weft__own_grid(groups * WEFT__GPU_BLOCK, WEFT__GPU_BLOCK),
                                              .block = weft__dim3(WEFT__GPU_BLOCK, 1, 1),
                                              .arguments = &a,
                                              .argument_bytes = sizeof a,
                                              .uses = 4,
                                              .use = use,
                                              .what = t->what,
                                              .site = t->call.site,
                                              .bytes = 2 * (uint64_t)weft_array_size_bytes(to)});
}
