// SPDX-License-Identifier: MIT
#include "map/stencil.h"

#include <inttypes.h>
#include <string.h>

#include "array/strides.h"
#include "base/scratch.h"
#include "expr/emit.h"

#define WEFT__STENCIL_TAIL WEFT__STENCIL_WORDS(WEFT__MAX_ARRAYS, 2 * WEFT__MAX_SCALARS, WEFT_MAX_NDIM)
#include "cl/map/stencil_args.h"
#include "map/tuning.h"

#define NARROW (UINT64_C(1) << 31)
/* GPUs: the rows of a work-item; more are no faster, and small arrays have fewer work-items. */
enum { GPU_ROWS = 4, PAIR_BYTES = 4 };

/// Arrays are counted as in weft__plan_run: results first, then the array inputs.
typedef struct stencil_key {
  uint8_t is_cpu, is_wide, border;
  uint8_t rows, columns;               /* WEFT_ROWS, WEFT_COLUMNS */
  uint8_t is_run[WEFT__MAX_ARRAYS];    /* contiguous along the last axis */
  uint8_t is_paired[WEFT__MAX_ARRAYS]; /* and two elements from an even position on are aligned */
  uint8_t out[WEFT__MAX_ARRAYS];       /* dtype as stored */
} stencil_key;

typedef struct specialisation {
  const weft__plan *plan;
  const stencil_key *key;
  int arrays;
  int place[WEFT__MAX_INPUTS];                  /* of an input among the arrays */
  int near[WEFT_MAX_NDIM], past[WEFT_MAX_NDIM]; /* how far neighbours are in front and behind */
} specialisation;

static void add_step(weft__text *text, const specialisation *s, int place, weft_dtype dtype) {
  if (s->key->is_run[place])
    weft__text_add(text, "%zu", weft_dtype_size_bytes(dtype));
  else
    weft__text_add(text, "STRIDE(%d, LAST)", place);
}

static void add_lists(weft__text *text, const specialisation *s) {
  const weft__formula *f = &s->plan->formula;
  weft__text_add(text, "#define WEFT_OUTS(X)");
  for (int k = 0; k < f->results; k++) {
    weft__text_add(text, " X(%d, %s, %d, ", k, weft__cl_stored((weft_dtype)s->key->out[k]), k);
    add_step(text, s, k, (weft_dtype)s->key->out[k]);
    weft__text_add(text, ")");
  }
  weft__text_add(text, "\n#define WEFT_INS(X)");
  for (int i = 0; i < f->inputs; i++) {
    if (f->input[i].is_scalar) continue;
    weft__text_add(text, " X(%d, %s, %d, ", i, weft__cl_stored(f->input[i].dtype), s->place[i]);
    add_step(text, s, s->place[i], f->input[i].dtype);
    weft__text_add(text, ")");
  }
  weft__text_add(text, "\n");
}

/// The address of element (j) + `column` along the last axis, in the row of a neighbour inside its array.
static void add_address(weft__text *text, const specialisation *s, const weft__node *tap, int column) {
  const int last = s->plan->formula.axes - 1, place = s->place[tap->index];
  weft__text_add(text, "x%d + (from%d", tap->index, tap->index);
  for (int d = 0; d < last; d++)
    if (tap->argument[d]) weft__text_add(text, " + %dL * STRIDE(%d, %d)", tap->argument[d], place, d);
  weft__text_add(text, " + ((j) + %dL) * ", column);
  add_step(text, s, place, tap->dtype);
  weft__text_add(text, ")");
}

/// Whether a neighbour of element (j) or (j) + 1 is at `column` of the row of `tap`.
static bool is_needed(const specialisation *s, const weft__node *tap, int column) {
  const weft__formula *f = &s->plan->formula;
  const int last = f->axes - 1;
  for (int k = 0; k < f->count; k++) {
    const weft__node *other = &f->node[k];
    if (other->kind != WEFT__NODE_TAP || other->index != tap->index) continue;
    bool is_same = true;
    for (int d = 0; d < last; d++) is_same &= other->argument[d] == tap->argument[d];
    if (is_same && (other->argument[last] == column || other->argument[last] + 1 == column)) return true;
  }
  return false;
}

/// Loads a neighbour of element (j) + c inside its array: of two side by side both, if both are needed.
static void add_inside(weft__text *text, const specialisation *s, const weft__node *tap, int number, int c) {
  const char *type = weft__cl_stored(tap->dtype);
  const int column = tap->argument[s->plan->formula.axes - 1] + c, even = column & ~1;
  if (s->key->columns == 2 && s->key->is_paired[s->place[tap->index]] && is_needed(s, tap, column ^ 1)) {
    weft__text_add(text, " WEFT_LOAD_PAIR(u%d_%d, %s, %s, ", number, c, type,
                   weft__cl_raw(2 * weft_dtype_size_bytes(tap->dtype)));
    add_address(text, s, tap, even);
    weft__text_add(text, ") const %s t%d_%d = u%d_%d.e[%d];", type, number, c, number, c, column - even);
    return;
  }
  weft__text_add(text, " const %s t%d_%d = *(__global const %s *)(", type, number, c, type);
  add_address(text, s, tap, column);
  weft__text_add(text, ");");
}

/// Loads a neighbour that may be outside its array.
static void add_outside(weft__text *text, const specialisation *s, const weft__node *tap, int number) {
  const int axes = s->plan->formula.axes, place = s->place[tap->index];
  const char *type = weft__cl_stored(tap->dtype);
  weft__text_add(text, " %s t%d_0; { long at = OFFSET(%d); bool is_in = true;", type, number, place);
  for (int d = 0; d < axes; d++) {
    char position[16];
    snprintf(position, sizeof position, d + 1 < axes ? "p[%d]" : "(j)", d);
    if (tap->argument[d])
      weft__text_add(text, " WEFT_REACH(%s + %dL, %d, %d)", position, tap->argument[d], d, place);
    else
      weft__text_add(text, " at += %s * STRIDE(%d, %d);", position, place, d);
  }
  weft__text_add(text,
                 " if (is_in) t%d_0 = *WEFT_AT(%d, %s); else { const ulong fill[2] = {args.tail[%d], args.tail[%d]}; "
                 "t%d_0 = *(__private const %s *)fill; } }",
                 number, tap->index, type, WEFT__STENCIL_FILL(s->arrays, axes, place),
                 WEFT__STENCIL_FILL(s->arrays, axes, place) + 1, number, type);
}

/// Computes element (j) + c of the row.
static void add_call(weft__text *text, const specialisation *s, int c) {
  const weft__formula *f = &s->plan->formula;
  for (int k = 0; k < f->results; k++)
    weft__text_add(text, " %s b%d_%d;", weft__cl_stored((weft_dtype)s->key->out[k]), k, c);
  weft__text_add(text, " weft_element((long)row * LENGTH(LAST) + (j) + %d, (long)args.n", c);
  for (int d = 0; d + 1 < f->axes; d++) weft__text_add(text, ", p[%d]", d);
  weft__text_add(text, ", (long)(j) + %d", c);
  for (int j = 0; j < 2 * f->scalars; j++)
    weft__text_add(text, ", args.tail[%d]", WEFT__STENCIL_SCALAR(s->arrays, f->axes, j));
  for (int k = 0; k < f->count; k++)
    if (f->node[k].kind == WEFT__NODE_TAP) weft__text_add(text, ", t%d_%d", k, c);
  for (int k = 0; k < f->results; k++) weft__text_add(text, ", &b%d_%d", k, c);
  weft__text_add(text, ");");
}

static void add_element(weft__text *text, const specialisation *s, bool is_inside) {
  const weft__formula *f = &s->plan->formula;
  const int columns = is_inside ? s->key->columns : 1;
  weft__text_add(text, "#define WEFT_%s(j) {", is_inside ? "INSIDE" : "OUTSIDE");
  for (int k = 0; k < f->count; k++) {
    if (f->node[k].kind != WEFT__NODE_TAP) continue;
    for (int c = 0; c < columns && is_inside; c++) add_inside(text, s, &f->node[k], k, c);
    if (!is_inside) add_outside(text, s, &f->node[k], k);
  }
  for (int c = 0; c < columns; c++) add_call(text, s, c);
  for (int k = 0; k < f->results; k++) {
    const weft_dtype dtype = (weft_dtype)s->key->out[k];
    const char *type = weft__cl_stored(dtype);
    if (columns == 2) {
      weft__text_add(text, " WEFT_STORE_PAIR(%s, %s, WEFT_TO(%d, uchar, j, %zu), b%d_0, b%d_1)", type,
                     weft__cl_raw(2 * weft_dtype_size_bytes(dtype)), k, weft_dtype_size_bytes(dtype), k, k);
      continue;
    }
    weft__text_add(text, " *WEFT_TO(%d, %s, j, ", k, type);
    add_step(text, s, k, dtype);
    weft__text_add(text, ") = b%d_0;", k);
  }
  weft__text_add(text, " }\n");
}

static void write_source(weft__text *text, const void *data) {
  const specialisation *s = data;
  const weft__formula *f = &s->plan->formula;
  weft_dtype out[WEFT__MAX_ARRAYS];
  for (int k = 0; k < f->results; k++) out[k] = (weft_dtype)s->key->out[k];
  weft__text_add(text, "#define WEFT_ROWS %d\n#define WEFT_COLUMNS %d\n#define WEFT_WIDE %d\n", s->key->rows,
                 s->key->columns, s->key->is_wide);
  weft__text_add(text, "#define WEFT_BORDER %d\n", s->key->border);
  weft__text_add(text, "#define WEFT_ARRAYS %d\n#define WEFT_AXES %d\n#define WEFT_SCALARS %d\n", s->arrays, f->axes,
                 2 * f->scalars);
  weft__text_add(text, "#define WEFT_NEAR %d\n#define WEFT_PAST %d\n#define WEFT_ROW_INSIDE(p) (true",
                 s->near[f->axes - 1], s->past[f->axes - 1]);
  for (int d = 0; d + 1 < f->axes; d++)
    if (s->near[d] || s->past[d])
      weft__text_add(text, " && (p)[%d] >= %d && (p)[%d] < LENGTH(%d) - %d", d, s->near[d], d, d, s->past[d]);
  weft__text_add(text, ")\n");
  weft__emit_element(text, f, out, 0);
  add_lists(text, s);
  add_element(text, s, true);
  add_element(text, s, false);
}

static void find_reach(specialisation *s) {
  const weft__formula *f = &s->plan->formula;
  for (int k = 0; k < f->count; k++)
    for (int d = 0; d < f->axes && f->node[k].kind == WEFT__NODE_TAP; d++) {
      const int offset = f->node[k].argument[d];
      if (-offset > s->near[d]) s->near[d] = -offset;
      if (offset > s->past[d]) s->past[d] = offset;
    }
}

static weft_status get_kernel(weft__kernel **kernel, weft__store *store, const specialisation *s) {
  static const char *const names[] = {"weft_stencil"};
  const weft__kernel_source source = {.name = "stencil",
                                      .key = {.kind = WEFT__KIND_MAP_KERNEL,
                                              .file = "map/stencil.cl",
                                              .kernel = names,
                                              .kernels = 1,
                                              .owner = s->plan,
                                              .bytes = s->key,
                                              .size = sizeof *s->key},
                                      .write = write_source,
                                      .data = s};
  return weft__kernels_get(kernel, store, &source);
}

static size_t fill_arguments(weft__stencil_args *args, const specialisation *s, weft_shape shape,
                             weft_array *const *array, const uint64_t *scalars, const weft__border *border) {
  const weft__formula *f = &s->plan->formula;
  const int arrays = s->arrays, axes = f->axes, scalar_words = 2 * f->scalars;
  uint64_t *tail = args->tail;
  const uint64_t last = (uint64_t)shape.dim[axes - 1];
  args->n = (uint64_t)array[0]->size;
  args->rows = args->n / last;
  args->columns = !s->key->is_cpu                    ? WEFT__GPU_BLOCK * s->key->columns
                  : last < WEFT__STENCIL_CPU_COLUMNS ? last
                                                     : WEFT__STENCIL_CPU_COLUMNS;
  args->segments = weft_ceil_div(last, args->columns);
  args->each = s->key->is_cpu ? weft_ceil_div(WEFT__STENCIL_CPU_ELEMENTS, args->columns) : s->key->rows;
  if (s->key->is_cpu && args->n < WEFT__STENCIL_CPU_ELEMENTS * 16)
    args->each = weft_ceil_div(weft_ceil_div(args->n, 16), args->columns);
  for (int k = 0; k < arrays; k++) {
    const weft_array view = weft__array_broadcast(array[k], shape);
    tail[WEFT__STENCIL_OFFSET(k)] = (uint64_t)view.offset_bytes;
    memcpy(&tail[WEFT__STENCIL_STRIDE(arrays, axes, k, 0)], view.stride_bytes, (size_t)axes * sizeof *tail);
    memcpy(&tail[WEFT__STENCIL_FILL(arrays, axes, k)], &border->fill[2 * k], 2 * sizeof *tail);
  }
  for (int d = 0; d < axes; d++) tail[WEFT__STENCIL_LENGTH(arrays, d)] = (uint64_t)shape.dim[d];
  if (scalar_words) memcpy(&tail[WEFT__STENCIL_SCALAR(arrays, axes, 0)], scalars, (size_t)scalar_words * sizeof *tail);
  return offsetof(weft__stencil_args, tail) + (size_t)WEFT__STENCIL_WORDS(arrays, scalar_words, axes) * sizeof *tail;
}

/// Whether blocks of `columns` along the last axis leave at most a third of their work-items idle.
static bool fills_blocks(int64_t last, int64_t columns) {
  const int64_t idle = (int64_t)weft_ceil_div((uint64_t)last, (uint64_t)columns) * columns - last;
  return idle <= last / 2;
}

/// Whether all elements may be loaded and stored by twos along the last axis.
static bool is_paired(const specialisation *s, weft_shape shape, weft_array *const *array) {
  for (int k = 0; k < s->arrays; k++) {
    const bool is_one =
        k >= s->plan->formula.results && weft__array_broadcast(array[k], shape).stride_bytes[shape.ndim - 1] == 0;
    if (!s->key->is_paired[k] && !is_one) return false;
  }
  return true;
}

/// Chooses the rows and columns of a GPU's work-item.
static void choose_patch(stencil_key *key, const specialisation *s, weft_shape shape, weft_array *const *array) {
  const int64_t last = shape.dim[shape.ndim - 1];
  if (!fills_blocks(last, WEFT__GPU_BLOCK)) return;
  key->rows = GPU_ROWS;
  if (fills_blocks(last, WEFT__GPU_BLOCK * WEFT__STENCIL_COLUMNS) && is_paired(s, shape, array))
    key->columns = WEFT__STENCIL_COLUMNS;
}

static bool is_pair_aligned(const weft_array *view) {
  const int64_t bytes = 2 * (int64_t)weft_dtype_size_bytes(view->dtype);
  bool is_aligned = bytes <= 2 * PAIR_BYTES && view->offset_bytes % bytes == 0;
  for (int d = 0; d + 1 < view->ndim; d++) is_aligned &= view->stride_bytes[d] % bytes == 0;
  return is_aligned;
}

/// Work-items: on CPUs parts of some rows, on GPUs columns of some rows in blocks, or elements.
static uint64_t threads_of(const weft__stencil_args *args, const stencil_key *key) {
  if (!key->is_cpu && !key->rows) return args->n;
  return args->segments * weft_ceil_div(args->rows, args->each) * (key->is_cpu ? 1 : WEFT__GPU_BLOCK);
}

typedef struct stencil_launch {
  weft__stencil_args args;
  weft__use use[WEFT__MAX_ARRAYS];
} stencil_launch;

weft_status weft__stencil_run(const weft__plan *plan, weft_shape shape, weft_array *const *array,
                              const uint64_t *scalars, const weft__border *border, const char *site) {
  weft__store *store = &array[0]->context->store;
  const weft__formula *f = &plan->formula;
  weft__kernel *kernel;
  stencil_launch *l = weft__scratch_begin(sizeof *l);
  if (!l) return WEFT_ERROR_HOST_MEMORY;
  stencil_key key = {.is_cpu = store->is_cpu,
                     .is_wide = store->is_cpu || (uint64_t)array[0]->size >= NARROW,
                     .columns = 1,
                     .border = (uint8_t)border->kind};
  specialisation s = {.plan = plan, .key = &key, .arrays = f->results};
  uint64_t bytes = 0;
  for (int i = 0; i < f->inputs; i++)
    if (!f->input[i].is_scalar) s.place[i] = s.arrays++;
  for (int k = 0; k < s.arrays; k++) {
    const weft_array view = weft__array_broadcast(array[k], shape);
    key.is_run[k] = view.stride_bytes[shape.ndim - 1] == (int64_t)weft_dtype_size_bytes(view.dtype);
    key.is_paired[k] = key.is_run[k] && !store->is_cpu && is_pair_aligned(&view);
    if (k < f->results) key.out[k] = (uint8_t)view.dtype;
    l->use[k] = (weft__use){array[k]->storage, k < f->results};
    bytes += (uint64_t)array[k]->size * weft_dtype_size_bytes(view.dtype);
  }
  if (!store->is_cpu) choose_patch(&key, &s, shape, array);
  find_reach(&s);
  weft_status rc;
  WEFT__TRY(get_kernel(&kernel, store, &s));
  const size_t argument_bytes = fill_arguments(&l->args, &s, shape, array, scalars, border);
  const uint64_t block = store->is_cpu ? 1 : WEFT__GPU_BLOCK;
  const uint64_t threads = threads_of(&l->args, &key);
  rc = weft__run_kernel(&(weft__kernel_run){.kernel = kernel,
                                            .grid = weft__own_grid(threads, block),
                                            .block = weft__dim3(block, 1, 1),
                                            .arguments = &l->args,
                                            .argument_bytes = argument_bytes,
                                            .uses = s.arrays,
                                            .use = l->use,
                                            .what = "stencil",
                                            .site = site,
                                            .bytes = bytes});
done:
  weft__scratch_end(l);
  return rc;
}
