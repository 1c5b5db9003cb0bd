// SPDX-License-Identifier: MIT
#include "op/special.h"

#include <stdlib.h>
#include <string.h>

#include "ocl/info.h"

#define BUCKETS 256
#define GPU_BLOCK 256
#define CHUNK_BYTES 16       /* what a GPU moves best at a time */
#define CPU_STEP 256         /* elements computed before they are stored: small enough for the first cache */
#define CPU_LEAST_CHUNK 1024 /* elements for a work-item */
#define CPU_MOST_CHUNK 16384
#define STREAM_BYTES (8u << 20) /* results of this size are stored past the CPU's caches */
#define LEAST_TILED 16          /* an axis shorter than this is not worth a tile */
#define NARROW_CHUNKS (INT64_C(1) << 31)

struct weft__plans {
  weft__attachment attachment;
  weft_context *context; /* not retained: it owns this */
  bool is_cpu, has_fp64;
  char options[128];
  pthread_mutex_t lock; /* of insertion; readers need none */
  _Atomic(weft__plan *) bucket[BUCKETS];
};

/* ---- plans ---- */

static void for_each_special(weft__plans *plans, void (*act)(weft__special *)) {
  for (int b = 0; b < BUCKETS; b++)
    for (weft__plan *plan = atomic_load(&plans->bucket[b]); plan; plan = plan->next)
      for (weft__special *special = atomic_load(&plan->specials), *next; special; special = next) {
        next = special->next;
        act(special);
      }
}

static void close_special(weft__special *special) {
  weft__kernel_close(&special->kernel);
}

static void destroy_special(weft__special *special) {
  weft__kernel_destroy(&special->kernel);
  free(special);
}

static void close_plans(weft__attachment *attachment) {
  for_each_special((weft__plans *)attachment, close_special);
}

static void destroy_plans(weft__attachment *attachment) {
  weft__plans *plans = (weft__plans *)attachment;
  for_each_special(plans, destroy_special);
  for (int b = 0; b < BUCKETS; b++)
    for (weft__plan *plan = atomic_load(&plans->bucket[b]), *next; plan; plan = next) {
      next = plan->next;
      weft__formula_free(&plan->formula);
      free(plan);
    }
  pthread_mutex_destroy(&plans->lock);
  free(plans);
}

weft_status weft__plans_of(weft__plans **out, weft_context *context) {
  weft__attachment *attached = atomic_load_explicit(&context->functions, memory_order_acquire);
  if (attached) {
    *out = (weft__plans *)attached;
    return WEFT_OK;
  }
  weft__plans *plans = weft__new(sizeof *plans);
  if (!plans) return WEFT_ERROR_HOST_MEMORY;
  const weft__device *device = context->core.device;
  cl_device_fp_config config = 0;
  plans->attachment = (weft__attachment){close_plans, destroy_plans};
  plans->context = context;
  plans->is_cpu = device->info.type == WEFT_DEVICE_TYPE_CPU && !device->quirks.gpu_kernels;
  plans->has_fp64 = device->info.has_fp64;
  weft_status rc = weft__device_value(&config, sizeof config, device->id, CL_DEVICE_SINGLE_FP_CONFIG, "CL_DEVICE_SINGLE_FP_CONFIG");
  if (rc) {
    free(plans);
    return rc;
  }
  snprintf(plans->options, sizeof plans->options, "%s%s%s", plans->is_cpu ? "-DWEFT_CPU=1 " : "", plans->has_fp64 ? "-DWEFT_FP64=1 " : "",
           config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ? "-cl-fp32-correctly-rounded-divide-sqrt" : "");
  pthread_mutex_init(&plans->lock, NULL);
  weft__attachment *none = NULL;
  if (!atomic_compare_exchange_strong(&context->functions, &none, &plans->attachment)) {
    destroy_plans(&plans->attachment);
    plans = (weft__plans *)none;
  }
  *out = plans;
  return WEFT_OK;
}

/// FNV-1a.
static unsigned hash(const unsigned char *key, size_t size) {
  uint64_t h = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < size; i++) h = (h ^ key[i]) * UINT64_C(1099511628211);
  return (unsigned)(h ^ h >> 32) % BUCKETS;
}

static weft__plan *find_in(weft__plans *plans, unsigned bucket, const void *key, size_t key_size) {
  weft__plan *plan = atomic_load_explicit(&plans->bucket[bucket], memory_order_acquire);
  while (plan && (plan->key_size != key_size || memcmp(plan->key, key, key_size) != 0)) plan = plan->next;
  return plan;
}

weft__plan *weft__plan_find(weft__plans *plans, const void *key, size_t key_size) {
  return find_in(plans, hash(key, key_size), key, key_size);
}

weft_status weft__plan_add(weft__plan **out, weft__plans *plans, const void *key, size_t key_size, const char *name,
                           weft__formula *formula) {
  weft__plan *plan = weft__new(sizeof *plan + key_size);
  const char *interned = weft__intern(name);
  if (!plan || !interned) {
    free(plan);
    weft__formula_free(formula);
    return WEFT_ERROR_HOST_MEMORY;
  }
  plan->name = interned;
  plan->formula = *formula;
  plan->key_size = key_size;
  memcpy(plan->key, key, key_size);
  for (int k = 0; k < formula->results; k++) plan->result[k] = formula->node[formula->result[k]].dtype;
  for (int k = 0; k < formula->count; k++) plan->uses_index |= formula->node[k].kind == WEFT__NODE_INDEX;
  unsigned bucket = hash(key, key_size);
  pthread_mutex_lock(&plans->lock);
  weft__plan *other = find_in(plans, bucket, key, key_size);
  if (!other) {
    plan->next = atomic_load_explicit(&plans->bucket[bucket], memory_order_relaxed);
    atomic_store_explicit(&plans->bucket[bucket], plan, memory_order_release);
  }
  pthread_mutex_unlock(&plans->lock);
  *out = other ? other : plan;
  if (other) {
    weft__formula_free(&plan->formula);
    free(plan);
  }
  return WEFT_OK;
}

void weft__plans_visit(weft__plans *plans, void (*visit)(const weft__plan *plan, void *data), void *data) {
  for (int b = 0; b < BUCKETS; b++)
    for (const weft__plan *plan = atomic_load_explicit(&plans->bucket[b], memory_order_acquire); plan; plan = plan->next) visit(plan, data);
}

int weft__plan_kernels(const weft__plan *plan) {
  int count = 0;
  for (weft__special *special = atomic_load((_Atomic(weft__special *) *)&plan->specials); special; special = special->next) count++;
  return count;
}

/* ---- the source of a special ---- */

static const char *const kernel_file[] = {"map/gpu_flat.cl", "map/gpu_strided.cl", "map/gpu_tile.cl", "map/cpu_flat.cl",
                                          "map/cpu_strided.cl"};
static const char *const how_name[] = {"VECTOR", "SHIFTED", "ELEMENTS", "UNIFORM", "ONE", "GATHER", "STREAM", "RUN", "DIRECT", "TURNED"};

static const char *raw_type(size_t bytes) {
  switch (bytes) {
    case 1:
      return "uchar";
    case 2:
      return "ushort";
    case 4:
      return "uint";
    case 8:
      return "uint2";
    default:
      return "uint4";
  }
}

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
      weft__text_add(text, " X(%d, %s, %s, %d, %s)", input, weft__emit_stored(dtype),
                     raw_type(key->elements * weft_dtype_size_bytes(dtype)), k, how_name[key->how[k]]);
  }
  weft__text_add(text, "\n");
}

static void add_call(weft__text *text, const weft__plan *plan, const weft__special_key *key, bool fast) {
  const weft__formula *f = &plan->formula;
  weft__text_add(text, "#define WEFT_CALL%s(IN, OUT, i) weft_element%s((long)(i), (long)args.n", fast ? "_FAST" : "", fast ? "_fast" : "");
  for (int k = 0; k < 2 * f->scalars; k++) weft__text_add(text, ", args.scalar[%d]", k);
  for (int i = 0, k = f->results; i < f->inputs; i++)
    if (!f->input[i].is_scalar) weft__text_add(text, key->how[k++] == WEFT__HOW_UNIFORM ? ", u%d" : ", IN(%d)", i);
  for (int k = 0; k < f->results; k++) weft__text_add(text, ", OUT(%d)", k);
  weft__text_add(text, fast ? ", &rare)\n" : ")\n");
}

static bool is_strided(const weft__special_key *key) {
  return key->kernel == WEFT__GPU_STRIDED || key->kernel == WEFT__GPU_TILE || key->kernel == WEFT__CPU_STRIDED;
}

/// The structure that pack_arguments fills.
static void add_arguments(weft__text *text, const weft__special_key *key, int arrays, int scalars) {
  int axes = is_strided(key) ? key->axes : 0;
  weft__text_add(text, "typedef struct { ulong n, chunks, head, blocks; long offset[%d]; ", arrays);
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
                 GPU_BLOCK, key->elements, key->unroll, key->axes, key->wide);
  weft__text_add(text, "#define WEFT_TILE %d\n#define WEFT_CHUNK %llu\n#define WEFT_STEP %d\n", key->tile, (unsigned long long)chunk,
                 CPU_STEP);
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

static uint64_t cpu_chunk(const weft__special_key *key) {
  return key->unroll ? CPU_MOST_CHUNK : CPU_LEAST_CHUNK;
}

static weft_status build(weft__special **out, weft__plans *plans, const weft__plan *plan, const weft__special_key *key) {
  weft__text text = {0};
  weft__special *special = weft__new(sizeof *special);
  weft__program *program;
  bool was_cached;
  if (!special) return WEFT_ERROR_HOST_MEMORY;
  special->key = *key;
  if (weft__tracing()) tell_what(plan);
  add_source(&text, plans, plan, key, cpu_chunk(key));
  const weft__source source = {.name = plan->formula.body ? plan->name : "weft", .text = weft__text_chars(&text)};
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
    destroy_special(made);
  }
  *out = other ? other : made;
  return WEFT_OK;
}

/* ---- from a layout to a kernel ---- */

/// What a launch passes besides buffers, and how many threads it has.
typedef struct launch {
  weft__special_key key;
  uint64_t chunks, head, blocks, threads, block;
  int64_t offset[WEFT__MAX_ARRAYS];
  int64_t step[WEFT__MAX_ARRAYS];
  uint64_t tiles[2];
  uint64_t length[WEFT_MAX_NDIM];
  int64_t stride[WEFT__MAX_ARRAYS][WEFT_MAX_NDIM];
} launch;

static size_t element_size(weft_array *const *array, int k) {
  return weft_dtype_size_bytes(array[k]->dtype);
}

/// Elements of a chunk: what fills 16 bytes of the widest dtype there is one value per element of.
static int chunk_elements(const weft__layout *layout, weft_array *const *array) {
  size_t widest = 1;
  for (int k = 0; k < layout->arrays; k++) {
    bool varies = false;
    for (int d = 0; d < layout->ndim; d++) varies |= layout->stride[k][d] != 0;
    if ((varies || layout->ndim == 0) && element_size(array, k) > widest) widest = element_size(array, k);
  }
  return (int)(CHUNK_BYTES / widest);
}

/// All arrays are one run, or one value.
static bool is_flat(const weft__layout *layout, weft_array *const *array) {
  if (layout->ndim > 1) return false;
  for (int k = 0; k < layout->arrays && layout->ndim == 1; k++)
    if (layout->stride[k][0] != 0 && layout->stride[k][0] != (int64_t)element_size(array, k)) return false;
  return true;
}

/// Chunks a thread works on. One: a short way to the first load keeps more bytes on their way than two loads do. Two where a thread would
/// store less than 16 bytes. Four where what is computed takes longer than moving it: constants are loaded once for all.
static uint8_t choose_unroll(uint64_t chunks, size_t chunk_bytes, bool is_slow) {
  if (chunks < UINT64_C(1) << 19) return 1;
  return is_slow ? 4 : chunk_bytes < CHUNK_BYTES ? 2 : 1;
}

static void choose_gpu_flat(launch *l, const weft__plan *plan, const weft__layout *layout, int results, weft_array *const *array) {
  int elements = chunk_elements(layout, array);
  size_t first = element_size(array, 0);
  uint64_t size = (uint64_t)layout->size, off = (uint64_t)layout->offset[0] % CHUNK_BYTES;
  bool last_block_is_short = false;
  l->key.kernel = WEFT__GPU_FLAT;
  /* the first result decides where chunks begin; it need not be aligned to its own chunk's bytes where those are fewer */
  l->head = elements * first == CHUNK_BYTES && off ? (CHUNK_BYTES - off) / first : 0;
  if (l->head > size) l->head = size;
  for (int k = 0; k < layout->arrays; k++) {
    uint64_t bytes = element_size(array, k) * (uint64_t)elements;
    l->offset[k] = layout->offset[k];
    if (k >= results && (layout->ndim == 0 || layout->stride[k][0] == 0) && size > 1) {
      l->key.how[k] = WEFT__HOW_UNIFORM;
      continue;
    }
    l->offset[k] += (int64_t)(l->head * element_size(array, k));
    bool aligned = (uint64_t)l->offset[k] % bytes == 0;
    l->key.how[k] = (uint8_t)(aligned ? WEFT__HOW_VECTOR : k >= results && bytes == CHUNK_BYTES ? WEFT__HOW_SHIFTED : WEFT__HOW_ELEMENTS);
    if (l->key.how[k] == WEFT__HOW_SHIFTED) {
      const weft__storage *storage = array[k]->storage;
      uint64_t capacity = storage->capacity_bytes ? storage->capacity_bytes : storage->size_bytes;
      uint64_t end = (uint64_t)layout->offset[k] + size * element_size(array, k);
      if ((end + CHUNK_BYTES - 1) / CHUNK_BYTES * CHUNK_BYTES > capacity) last_block_is_short = true;
    }
  }
  l->chunks = (size - l->head) / (uint64_t)elements;
  if (last_block_is_short && l->chunks) l->chunks--;
  l->key.elements = (uint8_t)elements;
  l->key.unroll = choose_unroll(l->chunks, first * (size_t)elements, weft__emit_has_fast(&plan->formula, WEFT__OP_FAST_GPU));
  uint64_t in_block = (uint64_t)GPU_BLOCK * l->key.unroll;
  l->blocks = l->chunks / in_block;
  uint64_t left = size - l->blocks * in_block * (uint64_t)elements;
  l->threads = l->blocks * GPU_BLOCK + left;
}

/// Whether chunks along the last axis begin at multiples of their bytes.
static bool is_chunked(const weft__layout *layout, int k, uint64_t bytes) {
  int last = layout->ndim - 1;
  if ((uint64_t)layout->offset[k] % bytes) return false;
  for (int d = 0; d < last; d++)
    if ((uint64_t)llabs(layout->stride[k][d]) % bytes) return false;
  return true;
}

static void choose_gpu_strided(launch *l, const weft__layout *layout, int results, weft_array *const *array) {
  int last = layout->ndim - 1, elements = chunk_elements(layout, array);
  l->key.kernel = WEFT__GPU_STRIDED;
  if (layout->length[last] % elements || layout->stride[0][last] != (int64_t)element_size(array, 0) ||
      !is_chunked(layout, 0, element_size(array, 0) * (uint64_t)elements))
    elements = 1;
  for (int k = 0; k < layout->arrays; k++) {
    uint64_t bytes = element_size(array, k) * (uint64_t)elements;
    int64_t step = layout->stride[k][last];
    l->offset[k] = layout->offset[k];
    l->step[k] = step;
    bool run = step == (int64_t)element_size(array, k) && is_chunked(layout, k, bytes);
    l->key.how[k] = (uint8_t)(elements == 1 || run ? WEFT__HOW_VECTOR : step == 0 && k >= results ? WEFT__HOW_ONE : WEFT__HOW_GATHER);
    for (int d = 0; d <= last; d++) l->stride[k][d] = layout->stride[k][d];
    l->stride[k][last] = step * elements;
  }
  for (int d = 0; d <= last; d++) l->length[d] = (uint64_t)layout->length[d];
  l->length[last] /= (uint64_t)elements;
  l->chunks = (uint64_t)(layout->size / elements);
  l->key.elements = (uint8_t)elements;
  l->key.axes = (uint8_t)layout->ndim;
  /* an axis of one chunk would be divided by 1, which the multiplication cannot */
  if (l->length[last] == 1 && last > 0) l->key.axes--;
  l->key.unroll = (uint8_t)(elements == 1 && l->chunks >= UINT64_C(1) << 20
                                ? 4
                                : choose_unroll(l->chunks, element_size(array, 0) * (size_t)elements, false));
  l->key.wide = l->chunks >= NARROW_CHUNKS;
  l->threads = weft_ceil_div(l->chunks, l->key.unroll);
}

/// The axis that an input runs along which does not run along the last one, as the first result does; -1 where none does.
static int turned_axis(const weft__layout *layout, int results, weft_array *const *array) {
  int last = layout->ndim - 1;
  for (int k = results; k < layout->arrays; k++) {
    if (layout->stride[k][last] == 0 || layout->stride[k][last] == (int64_t)element_size(array, k)) continue;
    for (int d = 0; d < last; d++)
      if (layout->stride[k][d] == (int64_t)element_size(array, k) && layout->length[d] >= LEAST_TILED) return d;
  }
  return -1;
}

/// Tiles through local memory, where an input is transposed. False where that does not pay, or local memory does not do.
static bool choose_gpu_tile(launch *l, const weft__plans *plans, const weft__layout *layout, int results, weft_array *const *array) {
  int last = layout->ndim - 1, q = layout->ndim > 1 ? turned_axis(layout, results, array) : -1;
  size_t widest = 1, turned_bytes = 0;
  if (q < 0 || layout->length[last] < LEAST_TILED || layout->stride[0][last] != (int64_t)element_size(array, 0)) return false;
  for (int k = 0; k < layout->arrays; k++) {
    bool turned = k >= results && layout->stride[k][q] == (int64_t)element_size(array, k) && layout->stride[k][last] != 0;
    l->key.how[k] = turned ? WEFT__HOW_TURNED : WEFT__HOW_DIRECT;
    l->offset[k] = layout->offset[k];
    l->step[k] = 0;
    if (element_size(array, k) > widest) widest = element_size(array, k);
    if (turned) turned_bytes += element_size(array, k);
  }
  int side = widest > 4 ? 32 : 64;
  if (turned_bytes * (size_t)(side * (side + 1)) > plans->context->core.device->info.local_memory_bytes * 3 / 4) return false;
  /* the two axes go last, in the order turned, results */
  for (int d = 0, to = 0; d <= last; d++) {
    if (d == q) continue;
    int at = d == last ? last : to++;
    l->length[at] = (uint64_t)layout->length[d];
    for (int k = 0; k < layout->arrays; k++) l->stride[k][at] = layout->stride[k][d];
  }
  l->length[last - 1] = (uint64_t)layout->length[q];
  for (int k = 0; k < layout->arrays; k++) l->stride[k][last - 1] = layout->stride[k][q];
  l->key.kernel = WEFT__GPU_TILE;
  l->key.elements = 1;
  l->key.unroll = 1;
  l->key.axes = (uint8_t)layout->ndim;
  l->key.tile = (uint8_t)side;
  uint64_t tiles = 1;
  for (int d = 0; d <= last; d++) {
    uint64_t count = d < last - 1 ? l->length[d] : weft_ceil_div(l->length[d], (uint64_t)side);
    if (d >= last - 1) l->tiles[d - (last - 1)] = count;
    tiles *= count;
  }
  l->threads = tiles * GPU_BLOCK;
  return true;
}

/// A foreign buffer may lie anywhere in memory; our own begin at a cache line.
static bool can_stream(const weft_array *x, uint64_t bytes) {
  return bytes >= STREAM_BYTES && x->offset_bytes % 64 == 0 && !x->storage->adopted;
}

static void choose_cpu(launch *l, const weft__layout *layout, int results, weft_array *const *array) {
  bool flat = is_flat(layout, array);
  int last = layout->ndim - 1;
  uint64_t result_bytes = (uint64_t)layout->size * element_size(array, 0);
  l->key.kernel = flat ? WEFT__CPU_FLAT : WEFT__CPU_STRIDED;
  l->key.elements = 1;
  l->key.unroll = layout->size > (INT64_C(1) << 20);
  if (!flat) l->key.axes = (uint8_t)layout->ndim;
  for (int k = 0; k < layout->arrays; k++) {
    int64_t step = layout->ndim ? layout->stride[k][last] : 0;
    bool run = step == (int64_t)element_size(array, k);
    l->offset[k] = layout->offset[k];
    l->step[k] = step;
    if (flat && k < results)
      l->key.how[k] = (uint8_t)(can_stream(array[k], result_bytes) ? WEFT__HOW_STREAM : WEFT__HOW_ELEMENTS);
    else if (flat)
      l->key.how[k] = (uint8_t)(run || layout->size == 1 ? WEFT__HOW_ELEMENTS : WEFT__HOW_UNIFORM);
    else
      l->key.how[k] = (uint8_t)(run ? WEFT__HOW_RUN : step == 0 && k >= results ? WEFT__HOW_ONE : WEFT__HOW_GATHER);
    for (int d = 0; d <= last; d++) l->stride[k][d] = layout->stride[k][d];
  }
  for (int d = 0; d <= last; d++) l->length[d] = (uint64_t)layout->length[d];
  l->threads = weft_ceil_div((uint64_t)layout->size, cpu_chunk(&l->key));
}

/// n / d as (n * multiplier >> 32) >> shift, for n under 2^31 (Granlund and Montgomery 1994).
static void find_multiplier(uint64_t d, uint64_t *multiplier, uint64_t *shift) {
  uint64_t s = 0;
  if (d >> 31) { /* then numbers are wide, and this is not used */
    *multiplier = *shift = 0;
    return;
  }
  while ((UINT64_C(1) << s) < d) s++;
  /* 31 bits of n, and s of d: the error of the rounded-up quotient stays under one */
  *multiplier = s ? ((UINT64_C(1) << (31 + s)) + d - 1) / d : UINT64_C(1) << 31;
  *shift = s ? s - 1 : 0;
}

typedef struct words {
  uint64_t word[6 + 4 * WEFT__MAX_ARRAYS + 2 * WEFT__MAX_SCALARS + 3 * WEFT_MAX_NDIM + WEFT__MAX_ARRAYS * WEFT_MAX_NDIM];
  size_t count;
} words;

static void pack(words *w, const void *from, int count) {
  memcpy(&w->word[w->count], from, (size_t)count * sizeof w->word[0]);
  w->count += (size_t)count;
}

static void pack_arguments(words *w, const launch *l, const weft__layout *layout, const uint64_t *scalars, int scalar_count) {
  const uint64_t size = (uint64_t)layout->size, first[] = {size, l->chunks, l->head, l->blocks};
  uint64_t multiplier[WEFT_MAX_NDIM], shift[WEFT_MAX_NDIM];
  int axes = l->key.axes, arrays = layout->arrays;
  w->count = 0;
  pack(w, first, 4);
  pack(w, l->offset, arrays);
  pack(w, scalars, 2 * scalar_count);
  if (!is_strided(&l->key)) return;
  for (int d = 0; d < axes; d++) find_multiplier(l->length[d], &multiplier[d], &shift[d]);
  pack(w, l->step, arrays);
  pack(w, l->tiles, 2);
  pack(w, l->length, axes);
  pack(w, multiplier, axes);
  pack(w, shift, axes);
  for (int k = 0; k < arrays; k++) pack(w, l->stride[k], axes);
}

static void choose(launch *l, const weft__plans *plans, const weft__plan *plan, const weft__layout *layout, int results,
                   weft_array *const *array) {
  memset(&l->key, 0, sizeof l->key);
  l->tiles[0] = l->tiles[1] = 0;
  for (int k = 0; k < results; k++) l->key.out[k] = (uint8_t)array[k]->dtype;
  l->chunks = l->head = l->blocks = 0;
  l->block = GPU_BLOCK;
  if (plans->is_cpu) {
    choose_cpu(l, layout, results, array);
    l->block = 1;
  } else if (is_flat(layout, array)) {
    choose_gpu_flat(l, plan, layout, results, array);
  } else if (plan->uses_index || !choose_gpu_tile(l, plans, layout, results, array)) {
    choose_gpu_strided(l, layout, results, array);
  }
}

weft_status weft__plan_run(weft__plan *plan, weft_context *context, weft_shape shape, int results, int arrays, weft_array *const *array,
                           const uint64_t *scalars, const char *site) {
  weft__plans *plans;
  weft__special *special;
  weft__layout layout;
  launch l;
  words w;
  weft__value value[WEFT_MAX_KERNEL_ARGUMENTS];
  uint64_t number;
  int n = 0;
  weft_status rc = weft__plans_of(&plans, context);
  if (rc) return rc;
  weft__layout_of(&layout, shape, arrays, (const weft_array *const *)array, !plan->uses_index);
  choose(&l, plans, plan, &layout, results, array);
  rc = get_special(&special, plans, plan, &l.key);
  if (rc) return rc;
  pack_arguments(&w, &l, &layout, scalars, plan->formula.scalars);
  value[n++] = (weft__value){.size_bytes = w.count * sizeof w.word[0], .data = w.word};
  /* results, inputs, then those that are one value for all, as the kernel has them */
  for (int uniform = 0; uniform < 2; uniform++)
    for (int k = 0; k < arrays; k++)
      if ((k >= results && l.key.how[k] == WEFT__HOW_UNIFORM) == uniform)
        value[n++] = (weft__value){.size_bytes = sizeof(cl_mem), .data = &array[k]->storage->mem};
  for (int k = arrays - 1; k >= 0 && rc == WEFT_OK; k--) rc = weft__storage_order(array[k]->storage, 0, k < results);
  const weft_dim3 grid = weft__own_grid(l.threads, l.block), block = weft__dim3(l.block, 1, 1);
  if (rc == WEFT_OK) rc = weft__launch(&special->kernel, 0, grid, block, value, site, &number);
  if (rc) return rc;
  weft__usage_launch(&context->core.usage, grid, block, plan->name);
  for (int k = arrays - 1; k >= 0; k--) weft__storage_mark(array[k]->storage, 0, k < results, number);
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
    launch l;
    weft__layout_of(&layout, shape, arrays, (const weft_array *const *)made, true);
    choose(&l, plans, plan, &layout, plan->formula.results, made);
    rc = get_special(&special, plans, plan, &l.key);
  }
  for (int k = 0; k < WEFT__MAX_ARRAYS; k++) weft_array_release(&made[k]);
  return rc;
}
