// SPDX-License-Identifier: MIT
#include "map/special.h"

#include <stdlib.h>
#include <string.h>

#include "expr/emit.h"

static const char *const kernel_file[] = {"map/gpu_flat.cl", "map/gpu_strided.cl", "map/gpu_tile.cl", "map/cpu_flat.cl",
                                          "map/cpu_strided.cl"};
static const char *const how_name[] = {"VECTOR", "SHIFTED", "ELEMENTS", "UNIFORM", "ONE", "GATHER", "STREAM", "RUN", "DIRECT", "TURNED"};

/// The dtype of array number k of a call: a result's as stored, or an input's.
static weft_dtype array_dtype(const weft__plan *plan, const weft__special_key *key, int k, int *input) {
  int results = plan->formula.results;
  if (k < results) return (weft_dtype)key->out[k];
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

/// One of the lists of arrays: results, inputs with a value per element, inputs with one value for all.
static void add_list(weft__text *text, const weft__plan *plan, const weft__special_key *key, int arrays, int which) {
  static const char *const names[] = {"WEFT_OUTS", "WEFT_INS", "WEFT_UNIFORMS"};
  weft__text_add(text, "#define %s(X)", names[which]);
  for (int k = 0; k < arrays; k++) {
    int input = k, is = k < plan->formula.results ? 0 : key->how[k] == WEFT__HOW_UNIFORM ? 2 : 1;
    weft_dtype dtype = array_dtype(plan, key, k, &input);
    if (is != which) continue;
    if (which == 2)
      weft__text_add(text, " X(%d, %s, %d)", input, weft__emit_stored(dtype), k);
    else
      weft__text_add(text, " X(%d, %s, %s, %d, %s)", input, weft__emit_stored(dtype), weft__emit_chunk(key->elements, dtype), k,
                     how_name[key->how[k]]);
  }
  weft__text_add(text, "\n");
}

static void add_call(weft__text *text, const weft__plan *plan, const weft__special_key *key, bool fast) {
  const weft__formula *f = &plan->formula;
  weft__text_add(text, "#define WEFT_CALL%s(IN, OUT, i) weft_element%s((long)(i)%s, (long)args.all", fast ? "_FAST" : "",
                 fast ? "_fast" : "", plan->uses_index ? " + (long)args.first" : "");
  for (int k = 0; k < 2 * f->scalars; k++) weft__text_add(text, ", args.scalar[%d]", k);
  for (int i = 0, k = f->results; i < f->inputs; i++)
    if (!f->input[i].is_scalar) weft__text_add(text, key->how[k++] == WEFT__HOW_UNIFORM ? ", u%d" : ", IN(%d)", i);
  for (int k = 0; k < f->results; k++) weft__text_add(text, ", OUT(%d)", k);
  weft__text_add(text, fast ? ", &rare)\n" : ")\n");
}

/// The structure that weft__pack_arguments fills.
static void add_arguments(weft__text *text, const weft__special_key *key, int arrays, int scalars) {
  int axes = weft__is_strided(key) ? key->axes : 0;
  weft__text_add(text, "typedef struct { ulong n, chunks, head, blocks, first, all; long offset[%d]; ", arrays);
  if (scalars) weft__text_add(text, "ulong scalar[%d]; ", 2 * scalars);
  if (axes)
    weft__text_add(text, "long step[%d]; ulong tiles[2], length[%d], multiplier[%d], shift[%d]; long stride[%d]; ", arrays, axes, axes,
                   axes, arrays * axes);
  weft__text_add(text, "} weft_args;\n");
}

static void add_source(weft__text *text, const weft__plans *plans, const weft__plan *plan, const weft__special_key *key, uint64_t chunk) {
  weft_dtype out[WEFT__MAX_ARRAYS];
  int arrays = count_arrays(&plan->formula);
  for (int k = 0; k < plan->formula.results; k++) out[k] = (weft_dtype)key->out[k];
  if (plans->has_fp64) weft__text_add(text, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
  weft__text_add(text, "#pragma OPENCL FP_CONTRACT OFF\n#define weft_map weft_map_%s\n", plan->name);
  weft__text_add(text, "#define WEFT_BLOCK %d\n#define WEFT_E %d\n#define WEFT_U %d\n#define WEFT_AXES %d\n#define WEFT_WIDE %d\n",
                 WEFT__GPU_BLOCK, key->elements, key->unroll, key->axes, key->wide);
  weft__text_add(text, "#define WEFT_TILE %d\n#define WEFT_CHUNK %llu\n#define WEFT_STEP %d\n", key->tile, (unsigned long long)chunk,
                 WEFT__CPU_STEP);
  add_arguments(text, key, arrays, plan->formula.scalars);
  int flag = key->kernel == WEFT__CPU_FLAT ? WEFT__OP_FAST : key->kernel == WEFT__GPU_FLAT ? WEFT__OP_FAST_GPU : 0;
  weft__emit_element(text, &plan->formula, out, flag);
  for (int which = 0; which < 3; which++) add_list(text, plan, key, arrays, which);
  add_call(text, plan, key, false);
  if (weft__emit_has_fast(&plan->formula, flag)) add_call(text, plan, key, true);
  weft__text_add(text, "#include \"%s\"\n", kernel_file[key->kernel]);
}

/// For the trace: "add for f32, scalar".
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

static weft_status build(weft__special **out, weft__plans *plans, const weft__plan *plan, const weft__special_key *key) {
  weft__text text = {0};
  weft__special *special = weft__new(sizeof *special);
  weft__program *program;
  bool was_cached;
  if (!special) return WEFT_ERROR_HOST_MEMORY;
  special->key = *key;
  if (weft__tracing()) tell_what(plan);
  add_source(&text, plans, plan, key, weft__cpu_chunk(key));
  const bool has_body = plan->formula.body != NULL; /* the user's: the caller shows it */
  const weft__source source = {
      .name = has_body ? plan->name : "weft", .text = weft__text_chars(&text), .is_own = !has_body, .is_generated = has_body};
  weft_status rc = text.failed ? weft__fail_host_memory(text.length) : WEFT_OK;
  if (rc == WEFT_OK) rc = weft__program_get(&program, &was_cached, &plans->context->programs, &source, plans->options);
  if (rc == WEFT_OK) rc = weft__kernel_open(&special->kernel, &plans->context->core, program, NULL);
  weft__text_free(&text);
  if (rc) {
    free(special);
    return weft__while(rc, "building the kernel of %s", plan->name);
  }
  *out = special;
  return WEFT_OK;
}

static weft__special *find_special(const weft__plan *plan, const weft__special_key *key) {
  weft__special *special = atomic_load_explicit((_Atomic(weft__special *) *)&plan->specials, memory_order_acquire);
  while (special && memcmp(&special->key, key, sizeof *key) != 0) special = special->next;
  return special;
}

static weft_status get_special(weft__special **out, weft__plans *plans, weft__plan *plan, const weft__special_key *key) {
  weft__special *made = NULL;
  if ((*out = find_special(plan, key))) return WEFT_OK;
  weft_status rc = build(&made, plans, plan, key);
  if (rc) return rc;
  pthread_mutex_lock(&plans->lock);
  weft__special *other = find_special(plan, key);
  if (!other) {
    made->next = atomic_load_explicit(&plan->specials, memory_order_relaxed);
    atomic_store_explicit(&plan->specials, made, memory_order_release);
  }
  pthread_mutex_unlock(&plans->lock);
  if (other) {
    weft__kernel_close(&made->kernel);
    weft__kernel_destroy(&made->kernel);
    free(made);
  }
  *out = other ? other : made;
  return WEFT_OK;
}

static weft__choosing choosing_of(const weft__plans *plans, const weft__plan *plan) {
  return (weft__choosing){plans->is_cpu, plans->context->core.device->info.local_memory_bytes, plan->uses_index, plan->is_slow};
}

weft_status weft__plan_run(weft__plan *plan, weft_context *context, weft_shape shape, int results, int arrays, weft_array *const *array,
                           const uint64_t *scalars, const weft__span *range, const char *site) {
  weft__plans *plans;
  weft__special *special;
  weft__layout layout;
  weft__choice l;
  weft__argument_words w;
  weft__value value[1 + WEFT__MAX_ARRAYS];
  weft__use use[WEFT__MAX_ARRAYS];
  uint64_t bytes = 0;
  int n = 0;
  weft_status rc = weft__plans_of(&plans, context);
  if (rc) return rc;
  const weft__choosing choosing = choosing_of(plans, plan);
  weft__layout_of(&layout, shape, arrays, (const weft_array *const *)array, !plan->uses_index);
  weft__choose(&l, &choosing, &layout, results, array);
  rc = get_special(&special, plans, plan, &l.key);
  if (rc) return rc;
  weft__pack_arguments(&w, &l, &layout, range ? *range : (weft__span){0, (uint64_t)layout.size}, scalars, plan->formula.scalars);
  value[n++] = (weft__value){.size_bytes = w.count * sizeof w.word[0], .data = w.word};
  /* results, inputs, then those that are one value for all, as the kernel has them */
  for (int uniform = 0; uniform < 2; uniform++)
    for (int k = 0; k < arrays; k++)
      if ((k >= results && l.key.how[k] == WEFT__HOW_UNIFORM) == uniform)
        value[n++] = (weft__value){.size_bytes = sizeof(weft__cl_mem), .data = &array[k]->storage->mem};
  for (int k = 0; k < arrays; k++) {
    use[k] = (weft__use){array[k]->storage, k < results};
    bytes += (uint64_t)array[k]->size * weft_dtype_size_bytes(array[k]->dtype);
  }
  const weft_dim3 grid = weft__own_grid(l.threads, l.block), block = weft__dim3(l.block, 1, 1);
  const weft__launching launching = {.kernel = &special->kernel,
                                     .slot = weft__slot_now(&context->core),
                                     .grid = grid,
                                     .block = block,
                                     .values = value,
                                     .uses = arrays,
                                     .use = use,
                                     .bytes = bytes,
                                     .what = plan->name,
                                     .site = site};
  if ((rc = weft__launch(&launching))) return rc;
  weft__counters_launch(&context->core.usage, grid, block, plan->name);
  return WEFT_OK;
}

weft_status weft__plan_prepare(weft__plan *plan, weft_context *context) {
  weft_array *made[WEFT__MAX_ARRAYS] = {NULL};
  int arrays = 0;
  weft__plans *plans;
  weft__special *special;
  weft_status rc = weft__plans_of(&plans, context);
  const weft_shape shape = weft__shape(1, (const int64_t[]){1 << 12});
  for (int k = 0; k < plan->formula.results && rc == WEFT_OK; k++, arrays++)
    rc = weft__array_create(&made[arrays], context, plan->result[k], shape, NULL);
  for (int k = 0; k < plan->formula.inputs && rc == WEFT_OK; k++)
    if (!plan->formula.input[k].is_scalar) rc = weft__array_create(&made[arrays++], context, plan->formula.input[k].dtype, shape, NULL);
  if (rc == WEFT_OK) {
    weft__layout layout;
    weft__choice l;
    weft__layout_of(&layout, shape, arrays, (const weft_array *const *)made, true);
    const weft__choosing choosing = choosing_of(plans, plan);
    weft__choose(&l, &choosing, &layout, plan->formula.results, made);
    rc = get_special(&special, plans, plan, &l.key);
  }
  for (int k = 0; k < WEFT__MAX_ARRAYS; k++) weft_array_release(&made[k]);
  return rc;
}
