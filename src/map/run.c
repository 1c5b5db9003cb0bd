// SPDX-License-Identifier: MIT
#include "map/run.h"

#include "base/scratch.h"
#include "expr/emit.h"

static const char *const kernel_file[] = {"map/gpu_flat.cl", "map/gpu_strided.cl", "map/gpu_tile.cl", "map/cpu_flat.cl",
                                          "map/cpu_strided.cl"};
static const char *const access_name[] = {"VECTOR", "SHIFTED", "ELEMENTS", "UNIFORM", "ONE",
                                          "GATHER", "STREAM",  "RUN",      "DIRECT",  "TURNED"};

/// The dtype of array number k of a call: a result's stored dtype, or an input's.
static weft_dtype array_dtype(const weft__plan *plan, const weft__map_key *key, int k, int *input) {
  int results = plan->formula.results;
  if (k < results) return (weft_dtype)key->array[k].out;
  int array = results;
  for (int i = 0; i < plan->formula.inputs; i++)
    if (!plan->formula.input[i].is_scalar && array++ == k) {
      *input = i;
      return plan->formula.input[i].dtype;
    }
  return WEFT_DTYPE_NONE;
}

static int count_arrays(const weft__formula *f) {
  int arrays = f->results;
  for (int i = 0; i < f->inputs; i++) arrays += !f->input[i].is_scalar;
  return arrays;
}

/// Writes one list of arrays: results, inputs with a value per element, or inputs with one value for all elements.
static void add_list(weft__text *text, const weft__plan *plan, const weft__map_key *key, int arrays, int which) {
  static const char *const names[] = {"WEFT_OUTS", "WEFT_INS", "WEFT_UNIFORMS"};
  weft__text_add(text, "#define %s(X)", names[which]);
  for (int k = 0; k < arrays; k++) {
    int input = k, is = k < plan->formula.results ? 0 : key->array[k].access == WEFT__ACCESS_UNIFORM ? 2 : 1;
    weft_dtype dtype = array_dtype(plan, key, k, &input);
    if (is != which) continue;
    if (which == 2)
      weft__text_add(text, " X(%d, %s, %d)", input, weft__cl_stored(dtype), k);
    else
      weft__text_add(text, " X(%d, %s, %s, %d, %s)", input, weft__cl_stored(dtype),
                     weft__cl_chunk(key->elements, dtype), k, access_name[key->array[k].access]);
  }
  weft__text_add(text, "\n");
}

/// Appends an argument: the value of input i. On CPUs a complex one is read by its parts (cl/math/complex.clh).
static void add_operand(weft__text *text, const weft__map_key *key, bool is_uniform, int i, weft_dtype dtype) {
  const bool is_cpu = key->kernel == WEFT__CPU_FLAT || key->kernel == WEFT__CPU_STRIDED;
  if (is_uniform)
    weft__text_add(text, ", u%d", i);
  else if (key->kernel == WEFT__CPU_FLAT && dtype == WEFT_C64)
    weft__text_add(text, ", weft_cread_c64(&IN(%d))", i);
  else if (is_cpu && weft_dtype_kind(dtype) == 'c')
    weft__text_add(text, ", weft_cmake_%s(IN(%d).re, IN(%d).im)", weft_dtype_name(dtype), i, i);
  else
    weft__text_add(text, ", IN(%d)", i);
}

static void add_call(weft__text *text, const weft__plan *plan, const weft__map_key *key, bool fast) {
  const weft__formula *f = &plan->formula;
  weft__text_add(text, "#define WEFT_CALL%s(IN, OUT, i) weft_element%s((long)(i)%s, (long)args.all",
                 fast ? "_FAST" : "", fast ? "_fast" : "", plan->uses_index ? " + (long)args.first" : "");
  for (int j = 0; j < 2 * f->scalars; j++)
    weft__text_add(text, ", args.tail[%d]", WEFT__MAP_SCALAR(count_arrays(f), key->axes, j));
  for (int i = 0, k = f->results; i < f->inputs; i++)
    if (f->input[i].is_raw)
      weft__text_add(text, ", (__global const %s *)(x%d + OFFSET(%d))", weft__cl_stored(f->input[i].dtype), i, k++);
    else if (!f->input[i].is_scalar)
      add_operand(text, key, key->array[k++].access == WEFT__ACCESS_UNIFORM, i, f->input[i].dtype);
  for (int k = 0; k < f->results; k++) weft__text_add(text, ", OUT(%d)", k);
  weft__text_add(text, fast ? ", &rare)\n" : ")\n");
}

/// Sets the trace's description: "add for f32, scalar".
static void tell_what(const weft__plan *plan) {
  weft__text text = {0};
  weft__text_add(&text, "%s for ", plan->name);
  for (int i = 0; i < plan->formula.inputs; i++) {
    const weft__input *input = &plan->formula.input[i];
    weft__text_add(&text, "%s%s", i ? ", " : "", input->is_scalar ? "scalar" : weft_dtype_name(input->dtype));
  }
  weft__trace_about(weft__text_chars(&text));
  weft__text_free(&text);
}

/// Elements that a CPU's vectors hold: 16, or 64 bytes of them where all are small integers.
static int vector_elements(const weft__plan *plan, const weft__map_key *key, int arrays) {
  size_t widest = 1;
  for (int k = 0; k < arrays; k++) {
    int input;
    const weft_dtype dtype = array_dtype(plan, key, k, &input);
    const size_t bytes = weft__is_whole(dtype) ? weft_dtype_size_bytes(dtype) : 4;
    if (bytes > widest) widest = bytes;
  }
  return widest < 4 ? 64 / (int)widest : 16;
}

static bool are_all_f64(const weft__plan *plan, const weft__map_key *key, int arrays) {
  bool are = true;
  for (int k = 0, input; k < arrays; k++) are = are && array_dtype(plan, key, k, &input) == WEFT_F64;
  return are;
}

typedef struct specialisation {
  const weft__plan *plan;
  const weft__map_key *key;
} specialisation;

static void write_source(weft__text *text, const void *data) {
  const weft__plan *plan = ((const specialisation *)data)->plan;
  const weft__map_key *key = ((const specialisation *)data)->key;
  weft_dtype out[WEFT__MAX_ARRAYS];
  int arrays = count_arrays(&plan->formula);
  if (weft__tracing()) tell_what(plan);
  for (int k = 0; k < plan->formula.results; k++) out[k] = (weft_dtype)key->array[k].out;
  weft__text_add(text, "#define weft_map weft_map_%s\n", plan->name);
  weft__text_add(text, "#define WEFT_BLOCK %d\n#define WEFT_E %d\n#define WEFT_U %d\n#define WEFT_WIDE %d\n",
                 32 * key->warps, key->elements, key->unroll, key->wide);
  weft__text_add(text, "#define WEFT_NEAR %d\n", key->near);
  weft__text_add(text, "#define WEFT_ARRAYS %d\n#define WEFT_SCALARS %d\n#define WEFT_AXES %d\n", arrays,
                 2 * plan->formula.scalars, key->axes);
  weft__text_add(text, "#define WEFT_TILE %d\n#define WEFT_STEP %d\n#define WEFT_VECTOR %d\n", key->tile,
                 WEFT__CPU_STEP, vector_elements(plan, key, arrays));
  if (are_all_f64(plan, key, arrays)) weft__text_add(text, "#define WEFT_ALL_F64 1\n");
  if (plan->formula.results == 1 && key->array[0].access == WEFT__ACCESS_ELEMENTS)
    weft__text_add(text, "#define WEFT_DIRECT 1\n");
  int flag = key->kernel == WEFT__CPU_FLAT ? WEFT__OP_FAST : key->kernel == WEFT__GPU_FLAT ? WEFT__OP_FAST_GPU : 0;
  weft__emit_element(text, &plan->formula, out, flag);
  for (int which = 0; which < 3; which++) add_list(text, plan, key, arrays, which);
  add_call(text, plan, key, false);
  if (weft__emit_has_fast(&plan->formula, flag)) add_call(text, plan, key, true);
}

/// Finds or builds the plan's kernel for a layout.
static weft_status get_kernel(weft__kernel **kernel, weft__store *store, const weft__plan *plan,
                              const weft__map_key *key) {
  static const char *const the_only[] = {NULL};
  const specialisation data = {plan, key};
  const weft__kernel_source source = {
      .name = plan->name,
      .key = {.kind = WEFT__KIND_MAP_KERNEL,
              .file = kernel_file[key->kernel],
              .kernel = the_only,
              .kernels = 1,
              .owner = plan,
              .bytes = key,
              .size = offsetof(weft__map_key, array) + (size_t)count_arrays(&plan->formula) * sizeof key->array[0]},
      .write = write_source,
      .data = &data,
      .is_users = plan->formula.body != NULL};
  return weft__kernels_get(kernel, store, &source);
}

static weft__choice_criteria criteria_of(const weft__store *store, const weft__plan *plan) {
  return (weft__choice_criteria){store->is_cpu, store->core->device->info.compute_units,
                                 store->core->device->info.local_memory_bytes, plan->uses_index, plan->work};
}

/// Chooses the kernel. Raw arrays are in the layout as one value for all elements.
static void choose(weft__kernel_choice *l, const weft__store *store, const weft__plan *plan, const weft__layout *layout,
                   weft_array *const *array) {
  const weft__formula *f = &plan->formula;
  const weft__choice_criteria criteria = criteria_of(store, plan);
  weft__choose_kernel(l, &criteria, layout, f->results, array);
  for (int i = 0, k = f->results; i < f->inputs; i++) {
    if (f->input[i].is_raw) l->key.array[k].access = WEFT__ACCESS_UNIFORM;
    k += !f->input[i].is_scalar;
  }
}

weft_status weft__plan_launch(weft__map_launch *m, const weft__map_run *map, const weft__span *range,
                              const char *site) {
  const weft__plan *plan = map->plan;
  weft_array *const *array = map->array;
  weft__store *store = &array[0]->context->store;
  const int arrays = count_arrays(&plan->formula), results = plan->formula.results;
  weft__kernel *kernel;
  weft__layout *layout = &m->layout;
  weft__kernel_choice *l = &m->choice;
  uint64_t bytes = 0;
  int uses = 0;
  weft__layout_of(layout, map->shape, arrays, (const weft_array *const *)array, !plan->uses_index);
  choose(l, store, plan, layout, array);
  WEFT__TRY_RETURN(get_kernel(&kernel, store, plan, &l->key));
  const size_t argument_bytes =
      weft__fill_arguments(&m->args, l, layout, range ? *range : (weft__span){0, (uint64_t)layout->size}, map->scalars,
                           plan->formula.scalars);
  /* in the kernel's order: results, inputs, then inputs with one value for all elements */
  for (int uniform = 0; uniform < 2; uniform++)
    for (int k = 0; k < arrays; k++)
      if ((k >= results && l->key.array[k].access == WEFT__ACCESS_UNIFORM) == uniform) {
        m->array[uses] = k;
        m->use[uses++] = (weft__use){array[k]->storage, k < results};
      }
  for (int k = 0; k < arrays; k++) bytes += (uint64_t)array[k]->size * weft__dtype(array[k]->dtype)->size_bytes;
  m->run = (weft__kernel_run){.kernel = kernel,
                              .grid = weft__own_grid(l->threads, l->block),
                              .block = weft__dim3(l->block, 1, 1),
                              .arguments = &m->args,
                              .argument_bytes = argument_bytes,
                              .uses = uses,
                              .use = m->use,
                              .what = plan->name,
                              .site = site,
                              .bytes = bytes,
                              .map = range ? NULL : map};
  return WEFT_OK;
}

weft_status weft__plan_run(const weft__plan *plan, weft_shape shape, weft_array *const *array, const uint64_t *scalars,
                           const weft__span *range, const char *site) {
  const weft__map_run map = {plan, shape, array, scalars};
  bool is_done = false;
  if (plan->host.nodes && !range) WEFT__TRY_RETURN(weft__host_formula_run(&is_done, &map, NULL));
  if (is_done) return WEFT_OK;
  weft__map_launch *launch = weft__scratch_begin(sizeof *launch);
  if (!launch) return WEFT_ERROR_HOST_MEMORY;
  weft_status rc;
  WEFT__TRY(weft__plan_launch(launch, &map, range, site));
  rc = weft__run_kernel(&launch->run);
done:
  weft__scratch_end(launch);
  return rc;
}

weft_status weft__plan_prepare(const weft__plan *plan, weft_context *context) {
  weft_array *made[WEFT__MAX_ARRAYS] = {NULL};
  const weft__formula *f = &plan->formula;
  weft__store *store = &context->store;
  weft__kernel *kernel;
  weft__map_launch *m = weft__scratch_begin(sizeof *m);
  int arrays = 0;
  weft_status rc;
  WEFT__TRY(m ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  const weft_shape shape = weft__shape(1, (const int64_t[]){1 << 12});
  for (int k = 0; k < f->results; k++, arrays++)
    WEFT__TRY(weft__array_create(&made[arrays], context, plan->result[k], shape, NULL));
  for (int k = 0; k < f->inputs; k++)
    if (!f->input[k].is_scalar)
      WEFT__TRY(weft__array_create(&made[arrays++], context, f->input[k].dtype,
                                   f->input[k].is_raw ? WEFT_SHAPE_0D : shape, NULL));
  weft__layout_of(&m->layout, shape, arrays, (const weft_array *const *)made, true);
  choose(&m->choice, store, plan, &m->layout, made);
  rc = get_kernel(&kernel, store, plan, &m->choice.key);
done:
  weft__scratch_end(m);
  for (int k = 0; k < WEFT__MAX_ARRAYS; k++) weft_array_release(&made[k]);
  return rc;
}
