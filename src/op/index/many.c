// SPDX-License-Identifier: MIT
/// weft_take_many and weft_put_many: several arrays with one array of indices.
#include "op/index/gather.h"

#include <inttypes.h>
#include <stdio.h>

#include "cl/index/args.h"
#include "map/cast.h"

typedef struct key {
  uint8_t index, mode, unit, arrays, put;
} key;

static void write_defines(weft__text *text, const void *data) {
  const key *k = data;
  weft__index_write(text, (weft_dtype)k->index, k->mode);
  weft__text_add(text, "#define WEFT_UNIT %s\n#define WEFT_ARRAYS %d\n#define WEFT_PUT %d\n", weft__index_unit(k->unit),
                 k->arrays, k->put);
}

/// Launches for up to WEFT_INDEX_MANY arrays; all have one element size, and each has one stride.
static weft_status launch_many(const weft__indexing *i, int count, weft_array *const *indexed, weft_array *const *dense,
                               bool put) {
  static const char *const name = "weft_many";
  weft__kernel *kernel;
  weft__use use[2 + 2 * WEFT_INDEX_MANY] = {{i->indices->storage, false}, {NULL, true}};
  int64_t size = (int64_t)weft_dtype_size_bytes(indexed[0]->dtype);
  weft__index_many_args a = {
      .total = (uint64_t)i->indices->size, .length = indexed[0]->size, .index_offset = i->indices->offset_bytes};
  for (int k = 0; k < count; k++) {
    int64_t length, stride;
    weft__merge_axes(indexed[k], 0, indexed[k]->ndim, &length, &stride);
    a.stride[k] = stride / size;
    a.indexed_offset[k] = indexed[k]->offset_bytes;
    a.dense_offset[k] = dense[k]->offset_bytes;
    use[2 + 2 * k] = (weft__use){dense[k]->storage, !put};
    use[3 + 2 * k] = (weft__use){indexed[k]->storage, put};
  }
  const key k = {(uint8_t)i->indices->dtype, (uint8_t)i->mode, (uint8_t)size, (uint8_t)count, put};
  const weft__kernel_source source = {
      .name = i->what,
      .key = {.file = "index/many.cl", .kernel = &name, .kernels = 1, WEFT__KEY_BYTES(key, &k)},
      .write = write_defines};
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &i->context->store, &source));
  weft__indexing first = *i;
  first.indexed = indexed[0];
  const weft__index_launch launch = {kernel,    a.total,  WEFT__GPU_BLOCK, &a, sizeof a,
                                     &a.record, &a.epoch, 2 + 2 * count,   use};
  return weft__index_run(&first, &launch);
}

/// Whether one stride reaches all elements and each can be moved as one unit.
static bool is_simple(const weft_array *x) {
  int64_t length, stride, size = (int64_t)weft_dtype_size_bytes(x->dtype);
  return weft__merge_axes(x, 0, x->ndim, &length, &stride) && stride % size == 0 && x->offset_bytes % size == 0;
}

typedef struct many {
  weft_array *indexed, *dense; /* the caller's */
  weft_array *own_indexed, *own_dense;
} many;

static weft_array *indexed_of(const many *m) {
  return m->own_indexed ? m->own_indexed : m->indexed;
}

static weft_array *dense_of(const many *m) {
  return m->own_dense ? m->own_dense : m->dense;
}

typedef struct many_task {
  const weft__indexing *indexing;
  int count;
  const many *all;
  bool put;
} many_task;

bool weft__many_each_fits(const void *of) {
  const many_task *task = of;
  return task->put && (task->indexing->deterministic || task->indexing->context->core.reproducible);
}

weft_status weft__many_each_run(bool *is_done, const void *of) {
  const many_task *task = of;
  *is_done = true;
  for (int k = 0; k < task->count; k++) {
    weft__indexing one = *task->indexing;
    one.indexed = indexed_of(&task->all[k]);
    one.dense = dense_of(&task->all[k]);
    one.is_checked = k > 0;
    WEFT__TRY_RETURN(task->put ? weft__index_scatter(&one, WEFT__SCATTER_PUT) : weft__index_take(&one));
  }
  return WEFT_OK;
}

weft_status weft__many_together_run(bool *is_done, const void *of) {
  const many_task *task = of;
  weft_array *indexed[WEFT_INDEX_MANY], *dense[WEFT_INDEX_MANY];
  *is_done = true;
  for (int k = 0; k < task->count;) {
    int n = 0;
    size_t size = weft_dtype_size_bytes(task->all[k].indexed->dtype);
    while (n < WEFT_INDEX_MANY && k < task->count && weft_dtype_size_bytes(task->all[k].indexed->dtype) == size) {
      indexed[n] = indexed_of(&task->all[k]);
      dense[n++] = dense_of(&task->all[k]);
      k++;
    }
    WEFT__TRY_RETURN(launch_many(task->indexing, n, indexed, dense, task->put));
  }
  return WEFT_OK;
}

static weft_status run_all(const weft__indexing *i, int count, many *all, bool put) {
  const many_task task = {i, count, all, put};
  for (int k = 0; k < count; k++) {
    many *m = &all[k];
    if (!is_simple(m->indexed)) WEFT__TRY_RETURN(weft__cast(&m->own_indexed, m->indexed, m->indexed->dtype, i->site));
    if (!(weft__is_contiguous(m->dense) && is_simple(m->dense) && m->dense->dtype == m->indexed->dtype)) {
      if (put)
        WEFT__TRY_RETURN(weft__cast(&m->own_dense, m->dense, m->dense->dtype, i->site));
      else
        WEFT__TRY_RETURN(
            weft__array_create(&m->own_dense, i->context, m->indexed->dtype, weft__array_shape(m->dense), i->site));
    }
  }
  WEFT__TRY_RETURN(weft__ways_run(&weft__many_ways, i->context, &task));
  for (int k = 0; k < count; k++) {
    if (put && all[k].own_indexed) WEFT__TRY_RETURN(weft__assign(all[k].indexed, all[k].own_indexed, i->site));
    if (!put && all[k].own_dense)
      WEFT__TRY_RETURN(weft__cast_into(all[k].dense, all[k].own_dense, all[k].indexed->dtype, i->site));
  }
  return WEFT_OK;
}

static weft_status fail_overlap(const char *what, int k, const char *other, int other_k) {
  return weft__fail(WEFT_ERROR_LAYOUT, what,
                    "`%s[%d]` and `%s[%d]` share memory: a written array must not overlap another", what, k, other,
                    other_k);
}

static weft_status check_arrays(weft__indexing *i, int count, const weft_array *const *x, const char *name,
                                bool writes) {
  char one[32];
  for (int k = 0; k < count; k++) {
    snprintf(one, sizeof one, "%s[%d]", name, k);
    WEFT__TRY_RETURN(writes ? weft__array_check_writable(x[k], one) : weft__array_check(x[k], one));
    if (!i->context) i->context = x[k]->context;
    if (x[k]->context != i->context)
      return weft__fail(WEFT_ERROR_CONTEXT, name, "`%s` belongs to another context than `x[0]`" WEFT__COPY_HINT, one);
    if (x[k]->size != x[0]->size)
      return weft__fail(WEFT_ERROR_SHAPE, name,
                        "`%s` has %" PRId64 " elements, `%s[0]` has %" PRId64 "; expected as many", one, x[k]->size,
                        name, x[0]->size);
  }
  return WEFT_OK;
}

static weft_status check_count(int count) {
  return count >= 1 && count <= WEFT_MAX_OPERANDS
             ? WEFT_OK
             : weft__fail(WEFT_ERROR_ARGUMENT, "count", "`count` is %d; expected 1 to %d", count, WEFT_MAX_OPERANDS);
}

static const char *const names[] = {"indices"};

static void release_own(many *all, int count) {
  for (int k = 0; k < count; k++) {
    weft_array_release(&all[k].own_indexed);
    weft_array_release(&all[k].own_dense);
  }
}

static weft_status make_result(weft_array **out, bool *made, const weft__indexing *i, weft_dtype dtype) {
  const weft_shape shape = weft__array_shape(i->indices);
  *made = !*out;
  if (*made) return weft__array_create(out, i->context, dtype, shape, i->site);
  WEFT__TRY_RETURN(weft__array_check_writable(*out, "out"));
  if ((*out)->context != i->context)
    return weft__fail(WEFT_ERROR_CONTEXT, "out", "`out` belongs to another context than `x[0]`" WEFT__COPY_HINT);
  return weft__result_check("out", (*out)->dtype, weft__array_shape(*out), dtype, shape);
}

/// Makes the results that are NULL, and checks the others.
static weft_status make_results(weft_array **out, bool *made, many *all, int count, const weft__indexing *i) {
  for (int k = 0; k < count; k++) {
    WEFT__TRY_RETURN(make_result(&out[k], &made[k], i, all[k].indexed->dtype));
    for (int j = 0; j < count; j++) {
      if (j < k && weft__arrays_overlap(out[k], out[j])) return fail_overlap("out", k, "out", j);
      if (weft__arrays_overlap(out[k], all[j].indexed)) return fail_overlap("out", k, "x", j);
    }
    if (weft__arrays_overlap(out[k], i->indices))
      return weft__fail(WEFT_ERROR_LAYOUT, "out", "`out[%d]` and `indices` share memory", k);
    all[k].dense = out[k];
  }
  return WEFT_OK;
}

/// Gathers the indices, the one operand of both calls. `length`: elements of each array.
static weft_status gather_indices(weft__indexing *i, weft__call *c, int64_t length) {
  WEFT__TRY_RETURN(weft__call_operands(c));
  WEFT__TRY_RETURN(weft__index_operand(c, 0));
  i->indices = c->array[0];
  return weft__index_check_length(i->indices->size, length, "x");
}

static weft_status take_many(weft__call *c, weft__indexing *i, weft_array **out, const weft_array *const *x,
                             int count) {
  many all[WEFT_MAX_OPERANDS] = {{0}};
  bool made[WEFT_MAX_OPERANDS] = {false};
  weft_status rc;
  WEFT__TRY(gather_indices(i, c, x[0]->size));
  for (int k = 0; k < count; k++) all[k].indexed = (weft_array *)x[k];
  WEFT__TRY(make_results(out, made, all, count, i));
  if (i->indices->size > 0) WEFT__TRY(run_all(i, count, all, false));
done:
  release_own(all, count);
  for (int k = 0; k < count && rc; k++) /* after a failure, no result that was made here is left */
    if (made[k]) weft_array_release(&out[k]);
  return rc;
}

weft_status weft__take_many_at(weft_array **out, const weft_array *const *x, int count, weft_operand indices,
                               const weft_index_params *params) {
  const weft_index_params p = WEFT__PARAMS(params);
  weft__call c;
  weft__indexing i = {
      .what = "take_many", .site = p.site, .axis = WEFT__EVERY_AXIS, .mode = p.mode, .deterministic = p.deterministic};
  weft__enter("weft_take_many", p.site);
  WEFT__NEED(out);
  WEFT__NEED(x);
  weft_status rc;
  WEFT__TRY(check_count(count));
  WEFT__TRY(weft__index_check_mode(p.mode));
  WEFT__TRY(check_arrays(&i, count, x, "x", false));
  weft__call_open(&c, i.context, 0, NULL, 1, &indices, names, p.site);
  rc = weft__call_close(&c, take_many(&c, &i, out, x, count));
done:
  return weft__leave(rc);
}

static weft_status check_values(const many *all, int count, const weft__indexing *i) {
  for (int k = 0; k < count; k++) {
    const weft_array *x = all[k].indexed, *values = all[k].dense;
    if (values->dtype != x->dtype)
      return weft__fail(WEFT_ERROR_DTYPE, "values", "`values[%d]` is %s, `x[%d]` is %s; expected the same", k,
                        weft_dtype_name(values->dtype), k, weft_dtype_name(x->dtype));
    if (values->size != i->indices->size)
      return weft__fail(WEFT_ERROR_SHAPE, "values",
                        "`values[%d]` has %" PRId64 " elements, `indices` has %" PRId64 "; expected as many", k,
                        values->size, i->indices->size);
    for (int j = 0; j < count; j++) {
      if (j < k && weft__arrays_overlap(x, all[j].indexed)) return fail_overlap("x", k, "x", j);
      if (weft__arrays_overlap(x, all[j].dense)) return fail_overlap("x", k, "values", j);
    }
    if (weft__arrays_overlap(x, i->indices))
      return weft__fail(WEFT_ERROR_LAYOUT, "x", "`x[%d]` and `indices` share memory", k);
  }
  return WEFT_OK;
}

static weft_status put_many(weft__call *c, weft__indexing *i, weft_array *const *x, const weft_array *const *values,
                            int count) {
  many all[WEFT_MAX_OPERANDS] = {{0}};
  weft_status rc;
  WEFT__TRY(gather_indices(i, c, x[0]->size));
  for (int k = 0; k < count; k++) {
    all[k].indexed = x[k];
    all[k].dense = (weft_array *)values[k];
  }
  WEFT__TRY(check_values(all, count, i));
  if (i->indices->size > 0) WEFT__TRY(run_all(i, count, all, true));
done:
  release_own(all, count);
  return rc;
}

weft_status weft__put_many_at(weft_array *const *x, const weft_array *const *values, int count, weft_operand indices,
                              const weft_index_params *params) {
  const weft_index_params p = WEFT__PARAMS(params);
  weft__call c;
  weft__indexing i = {
      .what = "put_many", .site = p.site, .axis = WEFT__EVERY_AXIS, .mode = p.mode, .deterministic = p.deterministic};
  weft__enter("weft_put_many", p.site);
  WEFT__NEED(x);
  WEFT__NEED(values);
  weft_status rc;
  WEFT__TRY(check_count(count));
  WEFT__TRY(weft__index_check_mode(p.mode));
  WEFT__TRY(check_arrays(&i, count, (const weft_array *const *)x, "x", true));
  WEFT__TRY(check_arrays(&i, count, values, "values", false));
  weft__call_open(&c, i.context, 0, NULL, 1, &indices, names, p.site);
  rc = weft__call_close(&c, put_many(&c, &i, x, values, count));
done:
  return weft__leave(rc);
}
